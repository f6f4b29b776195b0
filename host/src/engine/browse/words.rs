//! A page's elements in words, one line each, as an agent reads them.

use cairn_core::element::{Element, FrameStep, States, Usable};
use cairn_core::wire::page::Listing;

use crate::engine::lines::clean;

/// Options of a select that a line names.
const MOST_OPTIONS: usize = 12;

pub(super) fn signature(listing: &Listing) -> Vec<String> {
    listing.elements.iter().map(|listed| line(&listed.element)).collect()
}

/// `button "Save" (disabled)`
pub(in crate::engine) fn plain_line(element: &Element) -> String {
    let mut parts = vec![element.role.clone()];
    if !element.name.is_empty() {
        parts.push(format!("\"{}\"", clean(&element.name)));
    }
    let states = states(&element.states);
    if !states.is_empty() {
        parts.push(format!("({})", states.join(", ")));
    }
    if let Usable::Covered { by } = &element.usable {
        parts.push(format!("(covered by {})", clean(by)));
    }
    parts.join(" ")
}

/// One line an element, as an agent reads it: its region stands only where that tells it from its twins.
pub(super) fn lines(listing: &Listing) -> Vec<String> {
    let elements: Vec<&Element> = listing.elements.iter().map(|listed| &listed.element).collect();
    let is_twin = |one: &Element| {
        elements.iter().filter(|other| other.role == one.role && other.name == one.name).count() > 1
    };
    let short = |one: &&Element| if is_twin(one) { line(one) } else { with_ref(one) };
    elements.iter().map(short).collect()
}

/// `button "Save" (disabled) [ref=3e7]`
fn with_ref(element: &Element) -> String {
    let reference = element.reference.as_ref().map(|reference| format!(" [ref={}]", reference.0));
    plain_line(element) + &reference.unwrap_or_default()
}

/// `button "Save" (disabled) [ref=3e7] in form:Profile`
pub fn line(element: &Element) -> String {
    let mut parts = vec![plain_line(element)];
    parts.extend(element.reference.as_ref().map(|reference| format!("[ref={}]", reference.0)));
    parts.extend(element.scope.as_ref().map(|scope| format!("in {}", clean(&scope.label))));
    if !element.frame.is_empty() {
        parts.push(format!("in {}", place(&element.frame)));
    }
    parts.join(" ")
}

/// `frame 1/0`: places from the top page.
pub(super) fn place(path: &[FrameStep]) -> String {
    format!("frame {}", path.iter().map(|step| step.index.to_string()).collect::<Vec<_>>().join("/"))
}

/// What is worth saying of an element's states.
fn states(states: &States) -> Vec<String> {
    let Ok(serde_json::Value::Object(known)) = serde_json::to_value(states) else { return Vec::new() };
    known
        .iter()
        .filter_map(|(name, value)| match value {
            serde_json::Value::Bool(true) => Some(name.clone()),
            serde_json::Value::Bool(false) if name == "checked" || name == "expanded" => {
                Some(format!("not {name}"))
            }
            serde_json::Value::String(text) if !text.is_empty() => {
                Some(format!("{name} \"{}\"", clean(text)))
            }
            serde_json::Value::Array(options) if !options.is_empty() => {
                let shown = options.iter().take(MOST_OPTIONS).filter_map(serde_json::Value::as_str);
                let shown = shown.collect::<Vec<_>>().join(" | ");
                let more = if options.len() > MOST_OPTIONS { " | …" } else { "" };
                Some(format!("{name} {}{more}", clean(&shown)))
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::element::{Ref, Scope};

    #[test]
    fn a_line_says_what_an_agent_decides_by() {
        let element = Element {
            reference: Some(Ref("3e7".into())),
            role: "combobox".into(),
            name: "Colour\u{1b}[2J".into(),
            scope: Some(Scope { label: "form:Profile".into(), weak: false }),
            states: States {
                required: Some(true),
                value: Some("Red".into()),
                options: vec!["Red".into(), "Blue".into()],
                ..States::default()
            },
            ..Element::default()
        };
        assert_eq!(
            line(&element),
            "combobox \"Colour [2J\" (required, value \"Red\", options Red | Blue) [ref=3e7] in form:Profile"
        );
    }
}
