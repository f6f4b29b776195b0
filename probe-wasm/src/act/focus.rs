//! Moves the focus, and commits what was typed before it leaves a field.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, FocusOptions, HtmlElement};

use super::event;
use super::pointer::Hands;
use crate::native;

/// What a pointer can give the focus to.
pub(super) const FOCUSABLE: &str = "a[href],area[href],button:not(:disabled),input:not(:disabled):not([type=hidden]),select:not(:disabled),\
textarea:not(:disabled),[tabindex],summary,iframe,[contenteditable]:not([contenteditable=false]),audio[controls],video[controls]";

/// A field that was typed into and still has the focus: its `change` is due when the focus leaves it.
pub struct Typed {
    /// The field.
    pub field: Element,
    /// Its value when it was last committed.
    pub before: String,
}

/// Sends the `change` that is due for the field typed into last. A browser does that when a person leaves the field; for
/// values that a script has set it does not.
pub fn commit(hands: &Hands) {
    if let Some(field) = hands.take_change() {
        event::plain(&field, "change", true, false, false);
    }
}

/// Leaves the focused field as Tab or a click elsewhere would; false where nothing has the focus.
pub fn leave(hands: &Hands) -> bool {
    let Some(active) = native::active_element() else { return false };
    if native::tag(&active) == "body" {
        return false;
    }
    commit(hands);
    hands.forget_typed();
    blur(&active, None);
    true
}

/// Gives the focus to `element`; true where it has it now.
pub fn give(hands: &Hands, element: &Element) -> bool {
    let before = native::active_element();
    if before.as_ref() == Some(element) {
        return true;
    }
    if before.as_ref().is_some_and(|before| hands.typed_is(before)) {
        commit(hands);
        hands.forget_typed();
    }
    let told = announces_focus();
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    let class = if element.is_instance_of::<HtmlElement>() { "HTMLElement" } else { "SVGElement" };
    if native::call(class, "focus", element, &[&options]).is_err() {
        return false;
    }
    let now = native::active_element();
    if !told && now != before {
        announce(before.as_ref(), now.as_ref());
    }
    now.is_some_and(|now| now == *element || native::contains(element, &now))
}

/// Gives the focus to what a mouse press on `hit` would: its nearest focusable ancestor, or nothing.
pub fn give_to_pressed(hands: &Hands, hit: &Element) {
    let mut at = Some(hit.clone());
    while let Some(element) = at {
        let found = native::closest(&element, FOCUSABLE);
        match found {
            Some(focusable) => {
                if give(hands, &focusable) {
                    return;
                }
                at = native::parent(&focusable);
            }
            // Nothing in this root: go on from the host of it.
            None => {
                at = native::root(&element).and_then(|root| native::host_of(&root));
            }
        }
    }
    leave(hands);
}

fn blur(active: &Element, next: Option<&Element>) {
    let told = announces_focus();
    let class = if active.is_instance_of::<HtmlElement>() { "HTMLElement" } else { "SVGElement" };
    if native::call(class, "blur", active, &[]).is_ok() && !told {
        announce(Some(active), next);
    }
}

/// True where the browser itself sends focus events: it does not while its window is in the background.
fn announces_focus() -> bool {
    let Some(document) = native::document() else { return true };
    native::call("Document", "hasFocus", &document, &[]).unwrap_or(JsValue::TRUE).is_truthy()
}

/// Sends the focus events that a background window leaves out.
fn announce(left: Option<&Element>, entered: Option<&Element>) {
    let is_body = |element: &&Element| native::tag(element) == "body";
    let left = left.filter(|element| !is_body(element));
    let entered = entered.filter(|element| !is_body(element));
    if let Some(left) = left {
        event::focus(left, "blur", entered);
        event::focus(left, "focusout", entered);
    }
    if let Some(entered) = entered {
        event::focus(entered, "focus", left);
        event::focus(entered, "focusin", left);
    }
}
