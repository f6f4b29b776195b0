//! The mouse: moves, presses and clicks, in the order in which Chromium sends their events.

use std::cell::RefCell;

use web_sys::Element;

use super::event::{self, Aim, Button, Mouse};
use super::field;
use super::focus::{self, Typed};
use crate::{native, wait};

/// What a person's hands leave behind between two acts: where the mouse is, the field that was typed into,
/// the list that was scrolled.
#[derive(Default)]
pub struct Hands {
    over: RefCell<Option<Element>>,
    typed: RefCell<Option<Typed>>,
    scrolled: RefCell<Option<Element>>,
}

impl Hands {
    /// Remembers that `field` was typed into, with the value it had before; the first value of a visit stays.
    pub fn note_typed(&self, field: &Element, before: String) {
        let mut typed = self.typed.borrow_mut();
        if typed.as_ref().is_none_or(|typed| typed.field != *field) {
            *typed = Some(Typed { field: field.clone(), before });
        }
    }

    /// Remembers what the last step scrolled; `None` where it scrolled nothing.
    pub fn note_scrolled(&self, container: Option<Element>) {
        self.scrolled.replace(container);
    }

    /// What the last step scrolled.
    pub fn scrolled(&self) -> Option<Element> {
        self.scrolled.borrow().clone()
    }

    /// Forgets the typed field: the focus has left it.
    pub fn forget_typed(&self) {
        self.typed.replace(None);
    }

    /// The field whose `change` is due, with its value now; from here on that value is the one it had before.
    pub fn take_change(&self) -> Option<Element> {
        let mut typed = self.typed.borrow_mut();
        let typed = typed.as_mut()?;
        let now = field::value_of(&typed.field)?;
        let due = native::is_connected(&typed.field) && now != typed.before;
        typed.before = now;
        due.then(|| typed.field.clone())
    }

    /// True where `element` is the field that was typed into.
    pub fn typed_is(&self, element: &Element) -> bool {
        self.typed.borrow().as_ref().is_some_and(|typed| typed.field == *element)
    }

    /// True where a typed field still has the focus.
    pub fn has_typed(&self) -> bool {
        self.typed.borrow().is_some()
    }
}

/// Moves the mouse over `aim.hit`, with the out, leave, over and enter events on the way.
pub fn move_over(hands: &Hands, aim: &Aim) {
    let before = hands.over.replace(Some(aim.hit.clone())).filter(|element| native::is_connected(element));
    let changed = before.as_ref() != Some(&aim.hit);
    if changed {
        let old = before.as_ref().map(chain).unwrap_or_default();
        let new = chain(&aim.hit);
        if let Some(before) = &before {
            both(before, "out", aim, Some(&aim.hit));
            for element in old.iter().filter(|element| !new.contains(element)) {
                both(element, "leave", aim, Some(&aim.hit));
            }
        }
        both(&aim.hit, "over", aim, before.as_ref());
        for element in new.iter().rev().filter(|element| !old.contains(element)) {
            both(element, "enter", aim, before.as_ref());
        }
    }
    both(&aim.hit, "move", aim, None);
}

/// Moves the mouse with its main button down.
pub fn move_held(hands: &Hands, aim: &Aim) {
    hands.over.replace(Some(aim.hit.clone()));
    let what = Mouse {
        kind: "pointermove",
        point: aim.point,
        button: Some(Button::Main),
        held: true,
        detail: 0,
        related: None,
    };
    event::pointer(&aim.hit, what);
    event::mouse(&aim.hit, Mouse { kind: "mousemove", ..what });
}

fn both(target: &Element, kind: &str, aim: &Aim, related: Option<&Element>) {
    let pointer = format!("pointer{kind}");
    let mouse = format!("mouse{kind}");
    let what = Mouse { kind: &pointer, point: aim.point, button: None, held: false, detail: 0, related };
    event::pointer(target, what);
    event::mouse(target, Mouse { kind: &mouse, ..what });
}

/// The element and its ancestors in the flat tree.
fn chain(element: &Element) -> Vec<Element> {
    let mut chain = vec![element.clone()];
    let mut at = element.clone();
    while let Some(parent) = native::parent(&at) {
        chain.push(parent.clone());
        at = parent;
    }
    chain
}

/// Presses and releases `button` once, as click number `detail`. Between two events of the browser's own a page's microtasks
/// run, and what it draws anew on the press is there when the button is released: they get to here, too.
pub async fn press_and_release(hands: &Hands, aim: &Aim, button: Button, detail: i32) {
    let down = Mouse {
        kind: "pointerdown",
        point: aim.point,
        button: Some(button),
        held: true,
        detail: 0,
        related: None,
    };
    let up = Mouse { kind: "pointerup", held: false, ..down };
    // A prevented pointerdown keeps the classic mouse events away, yet not the click.
    let classic = event::pointer(&aim.hit, down);
    wait::microtasks().await;
    if classic {
        let pressed = native::is_connected(&aim.hit)
            && event::mouse(&aim.hit, Mouse { kind: "mousedown", detail, ..down });
        if pressed {
            wait::microtasks().await;
            focus::give_to_pressed(hands, &aim.hit);
            wait::microtasks().await;
        }
    }
    if button == Button::Second {
        event::pointer(&aim.hit, Mouse { kind: "contextmenu", ..down });
    }
    let release = topmost_now(aim);
    event::pointer(&release, up);
    wait::microtasks().await;
    if classic {
        event::mouse(&release, Mouse { kind: "mouseup", detail, ..up });
        wait::microtasks().await;
    }
    // The press may have removed what was pressed: then there is no click. Where something else came to lie there, the
    // click goes to what both have in common.
    let Some(target) = common(&aim.hit, &release) else { return };
    let kind = if button == Button::Main { "click" } else { "auxclick" };
    event::pointer(&target, Mouse { kind, detail, ..up });
}

/// What a release at the aim's point goes to: the press may have moved or removed things.
fn topmost_now(aim: &Aim) -> Element {
    if native::is_connected(&aim.hit) {
        return aim.hit.clone();
    }
    native::topmost(aim.point).unwrap_or_else(|| aim.hit.clone())
}

fn common(pressed: &Element, released: &Element) -> Option<Element> {
    if !native::is_connected(pressed) {
        return None;
    }
    if pressed == released {
        return Some(pressed.clone());
    }
    let under = chain(released);
    chain(pressed).into_iter().find(|element| under.contains(element))
}

/// One click, or the second of two: `count` clicks with rising `detail`, and `dblclick` after the second.
pub async fn click(hands: &Hands, aim: &Aim, count: i32) {
    move_over(hands, aim);
    let mut aim = Aim { element: aim.element.clone(), hit: aim.hit.clone(), point: aim.point };
    for detail in 1..=count {
        if detail > 1 && !native::is_connected(&aim.hit) {
            // The first click had it made anew: the pointer is where it was.
            aim.hit = native::topmost(aim.point).unwrap_or(aim.hit);
        }
        press_and_release(hands, &aim, Button::Main, detail).await;
        if detail < count {
            wait::microtasks().await;
        }
    }
    if count == 2 && native::is_connected(&aim.hit) {
        let what = Mouse {
            kind: "dblclick",
            point: aim.point,
            button: Some(Button::Main),
            held: false,
            detail: 2,
            related: None,
        };
        event::mouse(&aim.hit, what);
    }
}

/// A click with the second button.
pub async fn context_menu(hands: &Hands, aim: &Aim) {
    move_over(hands, aim);
    press_and_release(hands, aim, Button::Second, 1).await;
}
