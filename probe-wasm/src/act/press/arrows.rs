//! Arrows, Home, End and the page keys: carets, radio groups, selects, numbers and sliders.

use cairn_core::text;
use wasm_bindgen::JsValue;
use web_sys::Element;

use crate::act::choose;
use crate::act::event;
use crate::act::field::{self, Kind};
use crate::act::focus;
use crate::act::pointer::Hands;
use crate::native;
use crate::number;

/// What the key does to `target` by default.
pub fn step(hands: &Hands, target: &Element, key: &str, extend: bool) {
    if native::matches(target, "input[type=radio]") {
        step_radio(hands, target, key);
        return;
    }
    match field::kind_of(target) {
        Kind::Choice => step_choice(target, key),
        Kind::Formatted if field::input_type(target) == "range" => step_range(target, key),
        Kind::Line if field::input_type(target) == "number" && matches!(key, "ArrowUp" | "ArrowDown") => {
            step_number(hands, target, key);
        }
        Kind::Line | Kind::Area => move_caret(target, key, extend),
        Kind::Editable => move_in_editor(key, extend),
        _ => {}
    }
}

/// The next radio of the group gets the focus and is chosen.
fn step_radio(hands: &Hands, target: &Element, key: &str) {
    let forward = match key {
        "ArrowDown" | "ArrowRight" => true,
        "ArrowUp" | "ArrowLeft" => false,
        _ => return,
    };
    let Some(root) = native::root(target) else { return };
    let name = native::attribute(target, "name").unwrap_or_default();
    let form = native::form_of(target);
    let group: Vec<Element> = native::query_all(&root, "input[type=radio]:not(:disabled)")
        .into_iter()
        .filter(|radio| {
            !name.is_empty()
                && native::attribute(radio, "name").as_deref() == Some(&name)
                && native::form_of(radio) == form
        })
        .collect();
    let Some(at) = group.iter().position(|radio| radio == target) else { return };
    let next = &group[(at + if forward { 1 } else { group.len() - 1 }) % group.len()];
    focus::give(hands, next);
    let _ = native::call("HTMLElement", "click", next, &[]);
}

/// A closed select goes on to the next option that can be chosen.
fn step_choice(target: &Element, key: &str) {
    let usable: Vec<u32> = choose::options_of(target)
        .iter()
        .filter(|option| !option.disabled)
        .map(|option| option.index)
        .collect();
    let at = native::get("HTMLSelectElement", "selectedIndex", target).as_f64().unwrap_or(-1.0);
    let next = match key {
        "ArrowDown" | "ArrowRight" => usable.iter().find(|index| f64::from(**index) > at),
        "ArrowUp" | "ArrowLeft" => usable.iter().rev().find(|index| f64::from(**index) < at),
        "Home" | "PageUp" => usable.first(),
        "End" | "PageDown" => usable.last(),
        _ => None,
    };
    if let Some(next) = next.filter(|next| (f64::from(**next) - at).abs() > 0.5) {
        choose::set_index(target, *next);
    }
}

/// A letter on a closed select goes to the next option that begins with it.
pub fn type_ahead(target: &Element, text: &str) {
    let options = choose::options_of(target);
    let at = native::get("HTMLSelectElement", "selectedIndex", target).as_f64().unwrap_or(-1.0);
    let begins = |option: &&choose::Choice| {
        !option.disabled && text::lower(&option.label).starts_with(&text::lower(text))
    };
    let after = options.iter().filter(begins).find(|option| f64::from(option.index) > at);
    if let Some(option) = after.or_else(|| options.iter().find(begins))
        && (f64::from(option.index) - at).abs() > 0.5
    {
        choose::set_index(target, option.index);
    }
}

fn step_number(hands: &Hands, target: &Element, key: &str) {
    let before = field::value_of(target).unwrap_or_default();
    focus::commit(hands);
    let way = if key == "ArrowUp" { "stepUp" } else { "stepDown" };
    if native::call("HTMLInputElement", way, target, &[]).is_ok()
        && field::value_of(target).as_deref() != Some(&before)
    {
        event::input(target, "input", "", None);
        event::plain(target, "change", true, false, false);
    }
}

fn step_range(target: &Element, key: &str) {
    let number_of = |name, otherwise: f64| {
        native::get("HTMLInputElement", name, target)
            .as_string()
            .and_then(|text| number::of(&text))
            .unwrap_or(otherwise)
    };
    let (least, most) = (number_of("min", 0.0), number_of("max", 100.0));
    let step: f64 = number_of("step", 1.0);
    let now = number_of("value", least);
    // The page keys move a tenth of the range, as in Chromium.
    let leap = ((most - least) / 10.0).max(step);
    let next = match key {
        "ArrowUp" | "ArrowRight" => now + step,
        "ArrowDown" | "ArrowLeft" => now - step,
        "PageUp" => now + leap,
        "PageDown" => now - leap,
        "Home" => least,
        _ => most,
    };
    let before = field::value_of(target);
    field::set_value(target, &number::text(next.max(least).min(most)));
    if field::value_of(target) != before {
        event::input(target, "input", "", None);
        event::plain(target, "change", true, false, false);
    }
}

fn move_caret(target: &Element, key: &str, extend: bool) {
    let class = if native::tag(target) == "textarea" { "HTMLTextAreaElement" } else { "HTMLInputElement" };
    let edge = |name| native::get(class, name, target).as_f64().map(|edge| edge as usize);
    let (Some(start), Some(end)) = (edge("selectionStart"), edge("selectionEnd")) else { return };
    let length = field::value_of(target).map_or(0, |value| value.encode_utf16().count());
    let to = match key {
        "ArrowLeft" if start == end || extend => start.saturating_sub(1),
        "ArrowLeft" => start,
        "ArrowRight" if start == end || extend => (end + 1).min(length),
        "ArrowRight" => end,
        "Home" | "ArrowUp" | "PageUp" => 0,
        _ => length,
    };
    match (extend, to < start) {
        (true, true) => field::select(target, to, end),
        (true, false) => field::select(target, start, to),
        (false, _) => field::select(target, to, to),
    }
}

fn move_in_editor(key: &str, extend: bool) {
    let (direction, unit) = match key {
        "ArrowLeft" => ("left", "character"),
        "ArrowRight" => ("right", "character"),
        "ArrowUp" => ("backward", "line"),
        "ArrowDown" => ("forward", "line"),
        "Home" => ("backward", "lineboundary"),
        "End" => ("forward", "lineboundary"),
        _ => return,
    };
    let Some(selection) = web_sys::window().and_then(|window| window.get_selection().ok().flatten()) else {
        return;
    };
    let how = if extend { "extend" } else { "move" };
    let _ = native::call(
        "Selection",
        "modify",
        &selection,
        &[&how.into(), &direction.into(), &JsValue::from(unit)],
    );
}
