//! What Enter and Space do to the focused control: activation, a new line, implicit submission.

use web_sys::{Element, HtmlFormElement};

use crate::act::event::{self, Modifiers};
use crate::act::field::{self, Edit, Kind};
use crate::act::focus;
use crate::act::pointer::Hands;
use crate::native;

/// Types of input that hold a line of text: more than one of them in a form without a submit button, and Enter does
/// nothing (HTML, "fields that block implicit submission").
const BLOCKING: &str = "input:not([type]),input[type=text],input[type=search],input[type=tel],input[type=url],input[type=email],\
input[type=password],input[type=date],input[type=month],input[type=week],input[type=time],input[type=datetime-local],input[type=number]";

/// Space, on its release: presses buttons, ticks boxes, opens a summary.
pub fn space(target: &Element) {
    if is_button(target)
        || native::matches(target, "input[type=checkbox],input[type=radio]")
        || is_summary(target)
    {
        click(target);
    }
}

/// Enter: presses buttons, follows links, breaks the line of an area, submits the form of a field.
pub fn enter(hands: &Hands, target: &Element, held: Modifiers) {
    if is_button(target) || is_summary(target) || native::matches(target, "a[href],area[href]") {
        click(target);
        return;
    }
    match field::kind_of(target) {
        Kind::Area | Kind::Editable if !held.control => {
            field::edit(hands, target, Edit::Insert("\n"));
        }
        Kind::Line if event::input(target, "beforeinput", "insertLineBreak", None) => {
            focus::commit(hands);
            submit_form_of(target);
        }
        Kind::Formatted => submit_form_of(target),
        Kind::Other if native::tag(target) == "input" => submit_form_of(target),
        _ => {}
    }
}

fn is_button(target: &Element) -> bool {
    let selector = "button,input[type=button],input[type=submit],input[type=reset],input[type=image],input[type=file],input[type=color]";
    native::matches(target, selector)
}

/// The first summary of its details.
fn is_summary(target: &Element) -> bool {
    native::matches(target, "details > summary:first-of-type")
}

/// A click as the keyboard makes it: the browser's own, at no place.
fn click(target: &Element) {
    let _ = native::call("HTMLElement", "click", target, &[]);
}

/// Implicit submission: through the form's default button, so that its click handlers run and it counts as the submitter.
fn submit_form_of(control: &Element) {
    let Some(form) = native::form_of(control) else { return };
    if let Some(button) = default_button(&form) {
        if !native::matches(&button, ":disabled") {
            click(&button);
        }
        return;
    }
    let Some(root) = native::root(&form) else { return };
    let fields = native::query_all(&root, BLOCKING);
    if fields.iter().filter(|field| native::form_of(field).as_ref() == Some(&form)).count() <= 1 {
        let _ = native::call("HTMLFormElement", "requestSubmit", &form, &[]);
    }
}

fn default_button(form: &HtmlFormElement) -> Option<Element> {
    let root = native::root(form)?;
    native::query_all(&root, "button,input[type=submit],input[type=image]").into_iter().find(|button| {
        let is_submit = native::tag(button) == "input"
            || native::get("HTMLButtonElement", "type", button)
                .as_string()
                .is_some_and(|kind| kind == "submit");
        is_submit && native::form_of(button).as_ref() == Some(form)
    })
}
