//! `fill`: the field holds the text. `type`: the text comes key by key.

use web_sys::Element;

use super::editable;
use super::event::{self, Modifiers};
use super::field::{self, Edit, Kind};
use super::focus;
use super::perform::ActError;
use super::pointer::Hands;
use super::press::keys;
use super::press::stroke;
use crate::{native, number, wait};

/// Makes the field hold `text`, whatever it held before.
pub async fn fill(hands: &Hands, element: &Element, text: &str) -> Result<(), ActError> {
    match field::kind_of(element) {
        Kind::Line | Kind::Area => fill_text(hands, element, text).await,
        Kind::Formatted => fill_formatted(hands, element, text),
        Kind::Editable => fill_editable(hands, element, text),
        Kind::Choice => Err(ActError::before("the target is a select: it takes an option and no text")),
        Kind::Other => fill_inner(hands, element, text).await,
    }
}

async fn fill_text(hands: &Hands, element: &Element, text: &str) -> Result<(), ActError> {
    if field::is_read_only(element) {
        return Err(ActError::before("the field is read-only"));
    }
    focus::give(hands, element);
    wait::microtasks().await;
    let before = field::value_of(element).unwrap_or_default();
    if before == text {
        return Ok(());
    }
    replace_all(hands, element, &before, text).await;
    let now = field::value_of(element).unwrap_or_default();
    if is_same(&now, text) {
        return Ok(());
    }
    // A mask that wants the keys one by one, or a field that goes on to its neighbour.
    clear(hands, element).await;
    type_keys(hands, text).await;
    let mut now = field::value_of(element).unwrap_or_default();
    let bare = without_marks(text);
    if !is_same(&now, text) && bare != text && native::active_element().as_ref() == Some(element) {
        // One that writes marks of its own takes them for something else where they are typed.
        clear(hands, element).await;
        type_keys(hands, &bare).await;
        now = field::value_of(element).unwrap_or_default();
    }
    if now.is_empty() && native::active_element().as_ref() == Some(element) {
        return Err(ActError { message: "the field took none of the text".to_owned(), acted: true });
    }
    Ok(())
}

/// The whole text in one edit, between the down and up of its first key: pages that enable a button on `keyup` see one.
/// Where the page takes that key for itself, it gets the others too.
async fn replace_all(hands: &Hands, element: &Element, before: &str, text: &str) {
    field::select_all(element);
    let first = text.chars().next().map_or_else(|| keys::named("Delete"), keys::of_character);
    let is_taken = !event::keyboard(element, "keydown", &first, Modifiers::default());
    if !is_taken {
        put(hands, element, before, text);
        wait::microtasks().await;
    }
    event::keyboard(element, "keyup", &first, Modifiers::default());
    if is_taken {
        type_keys(hands, text.get(first.name.len()..).unwrap_or_default()).await;
    }
}

fn put(hands: &Hands, element: &Element, before: &str, text: &str) {
    let (kind, data) =
        if text.is_empty() { ("deleteContentBackward", None) } else { ("insertText", Some(text)) };
    if !event::input(element, "beforeinput", kind, data) {
        return;
    }
    hands.note_typed(element, before.to_owned());
    let units: Vec<u16> = before.encode_utf16().collect();
    field::set_value(element, &field::allowed(element, &units, units.len(), text));
    event::input(element, "input", kind, data);
}

/// A mask may write the same letters and digits in its own way; a textarea turns line ends into `\n`.
fn is_same(now: &str, text: &str) -> bool {
    let core = |text: &str| text.chars().filter(|character| character.is_alphanumeric()).collect::<String>();
    now.replace("\r\n", "\n") == text.replace("\r\n", "\n")
        || (!core(now).is_empty() && core(now) == core(text))
}

/// A number as a person types it: its digits and its last mark, without what stands before and between them. Of a text that is
/// no number only its letters and digits.
fn without_marks(text: &str) -> String {
    let is_number = !text.chars().any(char::is_alphabetic);
    let last = text.rfind(['.', ',']).filter(|_| is_number);
    let kept = text.char_indices().filter(|(at, character)| {
        character.is_alphanumeric() || Some(*at) == last || (*character == '-' && is_number)
    });
    kept.map(|(_, character)| character).collect()
}

async fn clear(hands: &Hands, element: &Element) {
    focus::give(hands, element);
    let before = field::value_of(element).unwrap_or_default();
    if !before.is_empty() {
        replace_all(hands, element, &before, "").await;
    }
}

/// Dates, times, colours and numbers of a slider have one written form, and the browser says at once whether it takes it.
fn fill_formatted(hands: &Hands, element: &Element, text: &str) -> Result<(), ActError> {
    if field::is_read_only(element) {
        return Err(ActError::before("the field is read-only"));
    }
    focus::give(hands, element);
    let before = field::value_of(element).unwrap_or_default();
    if before == text {
        return Ok(());
    }
    field::set_value(element, text);
    let now = field::value_of(element).unwrap_or_default();
    if !is_same_form(&now, text) {
        field::set_value(element, &before);
        let kind = field::input_type(element);
        return Err(ActError::before(format!("a field of type {kind} does not take \u{201c}{text}\u{201d}")));
    }
    event::input(element, "input", "", None);
    event::plain(element, "change", true, false, false);
    Ok(())
}

/// `#33AA55` and `#33aa55`, `5` and `5.0`, `07:45` and `07:45:00` are the same value.
fn is_same_form(now: &str, text: &str) -> bool {
    if now.eq_ignore_ascii_case(text) {
        return true;
    }
    match (number::of(now), number::of(text)) {
        (Some(now), Some(text)) => (now - text).abs() < f64::EPSILON,
        _ => !now.is_empty() && (text.starts_with(now) || now.starts_with(text)),
    }
}

fn fill_editable(hands: &Hands, element: &Element, text: &str) -> Result<(), ActError> {
    let Some(host) = editable::host_of(element) else {
        return Err(ActError::before("the target takes no text"));
    };
    focus::give(hands, &host);
    if editable::text_of(&host) == text {
        return Ok(());
    }
    editable::clear(&host);
    if !text.is_empty() {
        let last = text.chars().last().map_or_else(|| keys::named("Delete"), keys::of_character);
        event::keyboard(&host, "keydown", &last, Modifiers::default());
        field::edit(hands, &host, Edit::Insert(text));
        event::keyboard(&host, "keyup", &last, Modifiers::default());
    }
    Ok(())
}

/// A group of fields that share one value, as the boxes of a one-time code: the keys follow the focus from box to box.
async fn fill_inner(hands: &Hands, element: &Element, text: &str) -> Result<(), ActError> {
    let inner = native::query_all(element, "input,textarea,[contenteditable]");
    let fields: Vec<&Element> = inner.iter().filter(|inner| field::takes_text(inner)).collect();
    let Some(first) = fields.first() else { return Err(ActError::before("the target takes no text")) };
    for field in fields.iter().rev() {
        clear(hands, field).await;
    }
    focus::give(hands, first);
    type_keys(hands, text).await;
    Ok(())
}

/// Sends the text key by key to whatever has the focus.
pub async fn type_keys(hands: &Hands, text: &str) {
    for character in text.chars() {
        let key = if character == '\n' { keys::named("Enter") } else { keys::of_character(character) };
        let held = Modifiers { shift: keys::needs_shift(character), ..Modifiers::default() };
        stroke::stroke(hands, &key, held).await;
    }
}

/// `type`: gives the target the focus with the caret at its end, and sends the keys.
pub async fn type_into(hands: &Hands, element: Option<&Element>, text: &str) {
    if let Some(element) = element
        && native::active_element().as_ref() != Some(element)
    {
        focus::give(hands, element);
        match field::kind_of(element) {
            Kind::Line | Kind::Area => {
                let end = field::value_of(element).map_or(0, |value| value.encode_utf16().count());
                field::select(element, end, end);
            }
            Kind::Editable => editable::caret_to_end(element),
            _ => {}
        }
    }
    type_keys(hands, text).await;
}
