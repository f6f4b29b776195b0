//! Fields that hold text: what kind a field is, its value, and putting text at the caret.

use wasm_bindgen::JsValue;
use web_sys::Element;

use super::editable;
use super::event;
use super::pointer::Hands;
use crate::native;

/// How an element takes text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An input into which text is typed.
    Line,
    /// An input whose value has a format of its own (date, colour, range and their like): set as a whole.
    Formatted,
    /// A textarea.
    Area,
    /// An editing host, or a part of one.
    Editable,
    /// A select.
    Choice,
    /// None of these.
    Other,
}

/// The kind of field that `element` is.
pub fn kind_of(element: &Element) -> Kind {
    match native::tag(element).as_str() {
        "input" => match input_type(element).as_str() {
            "text" | "search" | "url" | "tel" | "password" | "email" | "number" => Kind::Line,
            "date" | "time" | "month" | "week" | "datetime-local" | "color" | "range" => Kind::Formatted,
            _ => Kind::Other,
        },
        "textarea" => Kind::Area,
        "select" => Kind::Choice,
        _ if editable::host_of(element).is_some() => Kind::Editable,
        _ => Kind::Other,
    }
}

/// True where a person can type text into the element.
pub fn takes_text(element: &Element) -> bool {
    matches!(kind_of(element), Kind::Line | Kind::Formatted | Kind::Area | Kind::Editable)
}

/// An input's type as the browser understands it, lower case; empty for other elements.
pub fn input_type(element: &Element) -> String {
    native::get("HTMLInputElement", "type", element).as_string().unwrap_or_default()
}

fn class_of(element: &Element) -> &'static str {
    match native::tag(element).as_str() {
        "textarea" => "HTMLTextAreaElement",
        "select" => "HTMLSelectElement",
        _ => "HTMLInputElement",
    }
}

/// The value a field holds now: of an input, area or select; the text of an editing host; `None` for anything else.
pub fn value_of(element: &Element) -> Option<String> {
    match native::tag(element).as_str() {
        "input" | "textarea" | "select" => native::get(class_of(element), "value", element).as_string(),
        _ => editable::host_of(element).map(|host| editable::text_of(&host)),
    }
}

/// Puts a value in by the browser's own setter, past any accessor that a framework has laid over it.
pub fn set_value(element: &Element, value: &str) -> bool {
    native::set(class_of(element), "value", element, &value.into()).is_ok()
}

/// True where the field refuses a person's typing.
pub fn is_read_only(element: &Element) -> bool {
    native::get(class_of(element), "readOnly", element).is_truthy()
}

/// Start and end of the selection in UTF-16 units; the end of the text where the field's type has no selection.
fn selection(element: &Element, length: usize) -> (usize, usize) {
    let edge = |name| native::get(class_of(element), name, element).as_f64().map(|edge| edge as usize);
    match (edge("selectionStart"), edge("selectionEnd")) {
        (Some(start), Some(end)) => (start.min(length), end.min(length)),
        _ => (length, length),
    }
}

/// Sets the selection; fields whose type has none ignore it.
pub fn select(element: &Element, start: usize, end: usize) {
    let _ = native::call(
        class_of(element),
        "setSelectionRange",
        element,
        &[&JsValue::from(start as u32), &JsValue::from(end as u32)],
    );
}

/// Selects the whole text.
pub fn select_all(element: &Element) {
    let _ = native::call(class_of(element), "select", element, &[]);
}

/// How an edit at the caret changes the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit<'a> {
    /// Puts text in place of the selection.
    Insert(&'a str),
    /// Deletes the selection, or the character before the caret.
    Backward,
    /// Deletes the selection, or the character after the caret.
    Forward,
}

impl Edit<'_> {
    fn input_type(self) -> &'static str {
        match self {
            Self::Insert("\n") => "insertLineBreak",
            Self::Insert(_) => "insertText",
            Self::Backward => "deleteContentBackward",
            Self::Forward => "deleteContentForward",
        }
    }

    fn data(&self) -> Option<&str> {
        match self {
            Self::Insert(text) if *text != "\n" => Some(text),
            _ => None,
        }
    }
}

/// Edits the text at the caret as typing does: `beforeinput`, the new value, `input`. False where the page prevented it.
pub fn edit(hands: &Hands, element: &Element, edit: Edit<'_>) -> bool {
    match kind_of(element) {
        Kind::Line | Kind::Area => {}
        Kind::Editable => return editable::edit(element, edit),
        _ => return false,
    }
    if is_read_only(element) || !event::input(element, "beforeinput", edit.input_type(), edit.data()) {
        return false;
    }
    let value = value_of(element).unwrap_or_default();
    let units: Vec<u16> = value.encode_utf16().collect();
    let (start, end) = selection(element, units.len());
    let (from, to, text) = match edit {
        Edit::Insert(text) => (start, end, text),
        Edit::Backward if start == end => (before_caret(&units, start), end, ""),
        Edit::Forward if start == end => (start, after_caret(&units, end), ""),
        Edit::Backward | Edit::Forward => (start, end, ""),
    };
    let text = allowed(element, &units, to - from, text);
    if text.is_empty() && from == to {
        return true;
    }
    let mut after = units[..from].to_vec();
    after.extend(text.encode_utf16());
    let caret = after.len();
    after.extend_from_slice(&units[to..]);
    hands.note_typed(element, value);
    set_value(element, &String::from_utf16_lossy(&after));
    select(element, caret, caret);
    event::input(element, "input", edit.input_type(), edit.data());
    true
}

/// The part of `text` that the field's `maxlength` leaves room for; it binds typing, not scripts.
pub fn allowed(element: &Element, units: &[u16], replaced: usize, text: &str) -> String {
    let text = if native::tag(element) == "input" { text.replace(['\n', '\r'], "") } else { text.to_owned() };
    let Some(most) =
        native::get(class_of(element), "maxLength", element).as_f64().filter(|most| *most >= 0.0)
    else {
        return text;
    };
    let room = (most as usize).saturating_sub(units.len() - replaced);
    let mut taken = 0;
    text.chars()
        .take_while(|character| {
            taken += character.len_utf16();
            taken <= room
        })
        .collect()
}

/// One character before `at`, a surrogate pair being one.
fn before_caret(units: &[u16], at: usize) -> usize {
    match at {
        0 | 1 => 0,
        _ if (0xDC00..0xE000).contains(&units[at - 1]) && (0xD800..0xDC00).contains(&units[at - 2]) => at - 2,
        _ => at - 1,
    }
}

/// One character after `at`.
fn after_caret(units: &[u16], at: usize) -> usize {
    let pair = at + 1 < units.len()
        && (0xD800..0xDC00).contains(&units[at])
        && (0xDC00..0xE000).contains(&units[at + 1]);
    (at + if pair { 2 } else { 1 }).min(units.len())
}

/// True for an input whose value has one written form: date, colour and their like.
pub fn is_formatted(element: &Element) -> bool {
    kind_of(element) == Kind::Formatted
}
