//! One stroke of a key or chord: keydown, keypress, the default action, keyup. In between the page's microtasks run, as they
//! do between the browser's own: what it draws anew on a key is there for the next.

use web_sys::Element;

use super::{activate, arrows, dismiss, keys, tab_order};
use crate::act::event::{self, Key, Modifiers};
use crate::act::field::{self, Edit, Kind};
use crate::act::focus;
use crate::act::pointer::Hands;
use crate::{native, wait};

/// Presses the chord `text` on `element`, or on what has the focus.
pub async fn press(hands: &Hands, element: Option<&Element>, text: &str) {
    if let Some(element) = element {
        let active = native::active_element();
        let inside =
            active.as_ref().is_some_and(|active| active == element || native::contains(element, active));
        if !inside && !focus::give(hands, element) {
            // It cannot have the focus: a handler on it sees the keys all the same, as it would by bubbling.
            chord_on(hands, element, text).await;
            return;
        }
    }
    if let Some(target) = receiver() {
        chord_on(hands, &target, text).await;
    }
}

async fn chord_on(hands: &Hands, target: &Element, text: &str) {
    let (key, held) = keys::chord(text);
    let mut down = Modifiers::default();
    let modifiers = held_keys(held);
    for (name, held) in &modifiers {
        *held(&mut down) = true;
        event::keyboard(target, "keydown", &keys::named(name), down);
    }
    stroke_on(hands, target, &key, held).await;
    for (name, held) in modifiers.iter().rev() {
        *held(&mut down) = false;
        let target = receiver().unwrap_or_else(|| target.clone());
        event::keyboard(&target, "keyup", &keys::named(name), down);
    }
}

type Flag = fn(&mut Modifiers) -> &mut bool;

fn held_keys(held: Modifiers) -> Vec<(&'static str, Flag)> {
    let all: [(bool, &'static str, Flag); 4] = [
        (held.control, "Control", |held| &mut held.control),
        (held.alt, "Alt", |held| &mut held.alt),
        (held.shift, "Shift", |held| &mut held.shift),
        (held.meta, "Meta", |held| &mut held.meta),
    ];
    all.into_iter().filter(|(on, ..)| *on).map(|(_, name, flag)| (name, flag)).collect()
}

/// What keys go to: the focused element, else the body.
fn receiver() -> Option<Element> {
    native::active_element().or_else(|| native::body().map(Into::into))
}

/// One stroke on whatever has the focus.
pub async fn stroke(hands: &Hands, key: &Key, held: Modifiers) {
    if let Some(target) = receiver() {
        stroke_on(hands, &target, key, held).await;
    }
}

async fn stroke_on(hands: &Hands, target: &Element, key: &Key, held: Modifiers) {
    let mut go_on = event::keyboard(target, "keydown", key, held);
    wait::microtasks().await;
    // The page may have moved the focus on keydown: what follows goes to where it is now.
    let focused = receiver().filter(|_| native::active_element().is_some()).unwrap_or_else(|| target.clone());
    let target = if native::is_connected(target) && native::tag(&focused) == "body" {
        target.clone()
    } else {
        focused
    };
    let is_text = key.name.chars().count() == 1;
    if go_on && (is_text || key.name == "Enter") && !held.is_shortcut() {
        go_on = event::keyboard(&target, "keypress", key, held);
    }
    if go_on {
        default_action(hands, &target, key, held);
    }
    wait::microtasks().await;
    let release = receiver().unwrap_or_else(|| target.clone());
    let release_goes_on = event::keyboard(&release, "keyup", key, held);
    if go_on && release_goes_on && key.name == " " && !held.is_shortcut() && release == target {
        activate::space(&target);
    }
}

fn default_action(hands: &Hands, target: &Element, key: &Key, held: Modifiers) {
    match key.name.as_str() {
        "a" | "A" if held.control || held.meta => select_all(target),
        "Tab" if !held.is_shortcut() => tab_order::step(hands, target, held.shift),
        "Escape" => dismiss::escape(target),
        "Enter" if !held.alt && !held.meta => activate::enter(hands, target, held),
        "Backspace" if !held.is_shortcut() => {
            field::edit(hands, target, Edit::Backward);
        }
        "Delete" if !held.is_shortcut() => {
            field::edit(hands, target, Edit::Forward);
        }
        "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" | "Home" | "End" | "PageUp" | "PageDown"
            if !held.is_shortcut() =>
        {
            arrows::step(hands, target, &key.name, held.shift);
        }
        text if text.chars().count() == 1 && !held.is_shortcut() => {
            if field::kind_of(target) == Kind::Choice {
                arrows::type_ahead(target, text);
            } else {
                field::edit(hands, target, Edit::Insert(text));
            }
        }
        _ => {}
    }
}

/// Gives the focus to where the browser's keys are to go; `replace`: they replace all that it holds.
pub fn ready_for_keys(hands: &Hands, element: &Element, replace: bool) {
    let active = native::active_element();
    if !active.is_some_and(|active| active == *element || native::contains(element, &active)) {
        focus::give(hands, element);
    }
    if let Some(target) = receiver().filter(|_| replace) {
        select_all(&target);
    }
}

fn select_all(target: &Element) {
    match field::kind_of(target) {
        Kind::Line | Kind::Area => field::select_all(target),
        Kind::Editable => crate::act::editable::select_all(target),
        _ => {}
    }
}
