//! Builds the events of a gesture as the browser would: bubbling, composed, at a point.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, Event, EventInit, EventTarget, FocusEvent, InputEvent, InputEventInit, KeyboardEvent,
    KeyboardEventInit, MouseEvent, MouseEventInit, PointerEvent, PointerEventInit,
};

use crate::native;

/// Where an act goes: the element that is meant, and what lies topmost at the point that will be used.
#[derive(Clone)]
pub struct Aim {
    /// The target of the step.
    pub element: Element,
    /// What a pointer at the point would hit: the element, something inside it, or its label.
    pub hit: Element,
    /// The point, in CSS pixels of the viewport.
    pub point: (f64, f64),
}

/// A mouse button with its number and its bit in `buttons`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Button {
    /// The main one.
    Main,
    /// The one that opens the context menu.
    Second,
}

impl Button {
    fn number(self) -> i16 {
        match self {
            Self::Main => 0,
            Self::Second => 2,
        }
    }

    fn bit(self) -> u16 {
        match self {
            Self::Main => 1,
            Self::Second => 2,
        }
    }
}

/// What differs between the mouse and pointer events of one gesture.
#[derive(Clone, Copy)]
pub struct Mouse<'a> {
    /// The event's type.
    pub kind: &'a str,
    /// The point.
    pub point: (f64, f64),
    /// The button whose state changes; `None` for moves.
    pub button: Option<Button>,
    /// The button is down after the event.
    pub held: bool,
    /// The click count.
    pub detail: i32,
    /// The element left or entered.
    pub related: Option<&'a Element>,
}

/// Types that neither bubble nor can be prevented.
fn is_quiet(kind: &str) -> bool {
    matches!(kind, "pointerenter" | "pointerleave" | "mouseenter" | "mouseleave")
}

/// Sends a mouse event of the classic kind; false where its default was prevented.
pub fn mouse(target: &Element, what: Mouse<'_>) -> bool {
    let init = MouseEventInit::new();
    fill(&init, what, 0);
    match MouseEvent::new_with_mouse_event_init_dict(what.kind, &init) {
        Ok(event) => native::dispatch(target, &event),
        Err(_) => true,
    }
}

/// Sends a pointer event (also `click`, `auxclick` and `contextmenu`, which are pointer events in Chromium).
pub fn pointer(target: &Element, what: Mouse<'_>) -> bool {
    let init = PointerEventInit::new();
    // What it has of a mouse event stands under the same names.
    fill(init.unchecked_ref(), what, -1);
    init.set_pointer_id(1);
    init.set_pointer_type("mouse");
    init.set_is_primary(true);
    init.set_pressure(if what.held { 0.5 } else { 0.0 });
    match PointerEvent::new_with_event_init_dict(what.kind, &init) {
        Ok(event) => native::dispatch(target, &event),
        Err(_) => true,
    }
}

/// What mouse and pointer events share; `unchanged` is the number of a button that did not change.
fn fill(init: &MouseEventInit, what: Mouse<'_>, unchanged: i16) {
    let quiet = is_quiet(what.kind);
    init.set_bubbles(!quiet);
    init.set_cancelable(!quiet);
    init.set_composed(!quiet);
    init.set_view(web_sys::window().as_ref());
    init.set_detail(what.detail);
    // Whole pixels, as a mouse without sub-pixel precision gives them.
    init.set_client_x(what.point.0 as i32);
    init.set_client_y(what.point.1 as i32);
    let (screen_x, screen_y) = on_screen(what.point);
    init.set_screen_x(screen_x);
    init.set_screen_y(screen_y);
    init.set_button(what.button.map_or(unchanged, Button::number));
    init.set_buttons(if what.held { what.button.map_or(0, Button::bit) } else { 0 });
    init.set_related_target(what.related.map(AsRef::as_ref));
}

fn on_screen(point: (f64, f64)) -> (i32, i32) {
    let Some(window) = web_sys::window() else { return (point.0 as i32, point.1 as i32) };
    let number =
        |value: Result<JsValue, JsValue>| value.ok().and_then(|value| value.as_f64()).unwrap_or_default();
    // The browser's own bars lie between the window's corner and the page's.
    let bars = (number(window.outer_height()) - number(window.inner_height())).max(0.0);
    let left = number(window.screen_x());
    let top = number(window.screen_y()) + bars;
    ((left + point.0) as i32, (top + point.1) as i32)
}

/// A key as a keyboard event carries it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// `key`.
    pub name: String,
    /// `code`, empty where no key of the layout makes it.
    pub code: &'static str,
    /// `keyCode` of keydown and keyup.
    pub number: u32,
    /// `location`: 1 left, 2 right.
    pub location: u32,
}

/// Modifiers held down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Control.
    pub control: bool,
    /// Alt.
    pub alt: bool,
    /// Shift.
    pub shift: bool,
    /// Meta.
    pub meta: bool,
}

impl Modifiers {
    /// True where a character key makes a shortcut and no text.
    pub fn is_shortcut(self) -> bool {
        self.control || self.alt || self.meta
    }
}

/// Sends a keyboard event; false where its default was prevented.
pub fn keyboard(target: &EventTarget, kind: &str, key: &Key, held: Modifiers) -> bool {
    let init = KeyboardEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    init.set_composed(true);
    init.set_view(web_sys::window().as_ref());
    init.set_key(&key.name);
    init.set_code(key.code);
    init.set_location(key.location);
    init.set_ctrl_key(held.control);
    init.set_alt_key(held.alt);
    init.set_shift_key(held.shift);
    init.set_meta_key(held.meta);
    // A keypress carries the character, the others the key.
    let character = if key.name == "Enter" { 13 } else { key.name.chars().next().map_or(0, u32::from) };
    let code = if kind == "keypress" { character } else { key.number };
    init.set_key_code(code);
    init.set_char_code(if kind == "keypress" { character } else { 0 });
    match KeyboardEvent::new_with_keyboard_event_init_dict(kind, &init) {
        Ok(event) => native::dispatch(target, &event),
        Err(_) => true,
    }
}

/// Sends `beforeinput` or `input`; false where its default was prevented.
pub fn input(target: &Element, kind: &str, input_type: &str, data: Option<&str>) -> bool {
    let init = InputEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(kind == "beforeinput");
    init.set_composed(true);
    init.set_view(web_sys::window().as_ref());
    init.set_input_type(input_type);
    init.set_data(data);
    match InputEvent::new_with_event_init_dict(kind, &init) {
        Ok(event) => native::dispatch(target, &event),
        Err(_) => true,
    }
}

/// Sends a plain event.
pub fn plain(target: &EventTarget, kind: &str, bubbles: bool, cancelable: bool, composed: bool) -> bool {
    let init = EventInit::new();
    init.set_bubbles(bubbles);
    init.set_cancelable(cancelable);
    init.set_composed(composed);
    match Event::new_with_event_init_dict(kind, &init) {
        Ok(event) => native::dispatch(target, &event),
        Err(_) => true,
    }
}

/// Sends a focus event.
pub fn focus(target: &Element, kind: &str, related: Option<&Element>) {
    let init = web_sys::FocusEventInit::new();
    init.set_bubbles(matches!(kind, "focusin" | "focusout"));
    init.set_composed(true);
    init.set_related_target(related.map(AsRef::as_ref));
    if let Ok(event) = FocusEvent::new_with_focus_event_init_dict(kind, &init) {
        native::dispatch(target, event.unchecked_ref());
    }
}
