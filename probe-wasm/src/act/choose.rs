//! `select`: chooses options by label, told apart by value, group and place.

use cairn_core::script::OptionChoice;
use cairn_core::text;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;

use super::event;
use super::focus;
use super::perform::{ActError, Did};
use super::pointer::Hands;
use crate::native;

/// One option of a select.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Place among all options, from 0.
    pub index: u32,
    /// The text a person reads.
    pub label: String,
    /// The `value`.
    pub value: String,
    /// Label of its group, where it stands in one.
    pub group: Option<String>,
    /// It or its group is disabled.
    pub disabled: bool,
    /// It is chosen now.
    pub selected: bool,
}

/// The options of a select, in order.
pub fn options_of(select: &Element) -> Vec<Choice> {
    let list = Array::from(&native::get("HTMLSelectElement", "options", select));
    let options = list.iter().filter_map(|option| option.dyn_into::<Element>().ok());
    options.enumerate().map(|(index, option)| read(index as u32, &option)).collect()
}

fn read(index: u32, option: &Element) -> Choice {
    let text = |name| native::get("HTMLOptionElement", name, option).as_string().unwrap_or_default();
    let label = text("label").split_whitespace().collect::<Vec<_>>().join(" ");
    let group = native::closest(option, "optgroup").and_then(|group| native::attribute(&group, "label"));
    let disabled = native::matches(option, ":disabled");
    let selected = native::get("HTMLOptionElement", "selected", option).is_truthy();
    Choice { index, label, value: text("value"), group, disabled, selected }
}

/// Which options a step means.
#[derive(Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// The label of the one option, or of the first.
    pub label: &'a str,
    /// What tells it from its like.
    pub option: Option<&'a OptionChoice>,
    /// All of them, where several are to be chosen.
    pub options: &'a [OptionChoice],
}

/// The places of the options that a step means, or why they cannot be told.
pub fn find_options(select: &Element, wanted: Wanted<'_>) -> Result<Vec<u32>, String> {
    let options = options_of(select);
    if wanted.options.is_empty() || !is_multiple(select) {
        return find_one(&options, wanted.label, wanted.option).map(|index| vec![index]);
    }
    let label = |choice: &OptionChoice| choice.label.clone().unwrap_or_else(|| wanted.label.to_owned());
    wanted.options.iter().map(|choice| find_one(&options, &label(choice), Some(choice))).collect()
}

fn is_multiple(select: &Element) -> bool {
    native::get("HTMLSelectElement", "multiple", select).is_truthy()
}

fn find_one(options: &[Choice], label: &str, choice: Option<&OptionChoice>) -> Result<u32, String> {
    let by_label: Vec<&Choice> =
        options.iter().filter(|option| text::same_name(&option.label, label)).collect();
    // A caller's input may be the value that a form sends and not the label.
    let candidates = if by_label.is_empty() {
        options.iter().filter(|option| option.value == label).collect()
    } else {
        by_label
    };
    let found = match (candidates.as_slice(), choice) {
        ([], _) => return Err(format!("no option \u{201c}{label}\u{201d}; there are: {}", labels(options))),
        ([only], _) => only,
        (several, Some(choice)) => tell_apart(several, choice).ok_or_else(|| ambiguous(several, label))?,
        (several, None) => return Err(ambiguous(several, label)),
    };
    if found.disabled {
        return Err(format!("the option \u{201c}{label}\u{201d} is disabled"));
    }
    Ok(found.index)
}

/// Of options with one label: the one with the recorded value and group; among full doubles the recorded place decides.
fn tell_apart<'a>(several: &[&'a Choice], choice: &OptionChoice) -> Option<&'a Choice> {
    let same_group = |option: &&&Choice| {
        option.group.as_deref().unwrap_or_default() == choice.group.as_deref().unwrap_or_default()
    };
    let same_value = |option: &&&Choice| option.value == choice.value;
    let full: Vec<&&Choice> = several.iter().filter(same_group).filter(same_value).collect();
    match full.as_slice() {
        [only] => Some(only),
        [] => {
            let group: Vec<&&Choice> = several.iter().filter(same_group).collect();
            match group.as_slice() {
                [only] => Some(only),
                _ => None,
            }
        }
        doubles => doubles.iter().find(|option| option.index == choice.index).map(|option| **option),
    }
}

fn ambiguous(several: &[&Choice], label: &str) -> String {
    let places: Vec<String> = several
        .iter()
        .map(|option| match &option.group {
            Some(group) => format!("{group}/{} (value {})", option.label, option.value),
            None => format!("{} (value {})", option.label, option.value),
        })
        .collect();
    format!("{} options are called \u{201c}{label}\u{201d} — ambiguous: {}", several.len(), places.join(", "))
}

fn labels(options: &[Choice]) -> String {
    let mut labels: Vec<&str> = options.iter().take(12).map(|option| option.label.as_str()).collect();
    if options.len() > labels.len() {
        labels.push("…");
    }
    labels.join(", ")
}

/// Makes exactly the options at `wanted` chosen.
pub fn choose(hands: &Hands, select: &Element, wanted: &[u32]) -> Result<Did, ActError> {
    if native::tag(select) != "select" {
        return Err(ActError::before("the target is no select"));
    }
    focus::give(hands, select);
    let options = options_of(select);
    if options.iter().all(|option| option.selected == wanted.contains(&option.index)) {
        return Ok(Did::AlreadySo);
    }
    if is_multiple(select) {
        let list = Array::from(&native::get("HTMLSelectElement", "options", select));
        for option in &options {
            let on = JsValue::from(wanted.contains(&option.index));
            let _ = native::set("HTMLOptionElement", "selected", &list.get(option.index), &on);
        }
        announce(select);
    } else if let Some(index) = wanted.first() {
        set_index(select, *index);
    }
    Ok(Did::Acted)
}

/// Chooses one option and tells the page.
pub fn set_index(select: &Element, index: u32) {
    let _ = native::set("HTMLSelectElement", "selectedIndex", select, &index.into());
    announce(select);
}

fn announce(select: &Element) {
    event::plain(select, "input", true, false, true);
    event::plain(select, "change", true, false, false);
}

/// The labels of the chosen options, joined by a comma.
pub fn chosen_labels(select: &Element) -> Option<String> {
    let chosen: Vec<String> =
        options_of(select).into_iter().filter(|option| option.selected).map(|option| option.label).collect();
    (!chosen.is_empty()).then(|| chosen.join(", "))
}
