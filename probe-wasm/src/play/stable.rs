//! Is an element at rest? Only where something animates it are frames awaited: a background tab has none.

use js_sys::{Array, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;

use crate::native;
use crate::wait::{self, Deadline};

/// Animated properties that move or resize nothing, and the keys of a keyframe that are no properties.
const PAINT_ONLY: &[&str] = &[
    "offset",
    "computedOffset",
    "easing",
    "composite",
    "opacity",
    "color",
    "backgroundColor",
    "backgroundImage",
    "backgroundPosition",
    "backgroundPositionX",
    "backgroundPositionY",
    "boxShadow",
    "textShadow",
    "outlineColor",
    "borderColor",
    "borderTopColor",
    "borderRightColor",
    "borderBottomColor",
    "borderLeftColor",
    "fill",
    "stroke",
    "filter",
    "backdropFilter",
    "visibility",
    "textDecorationColor",
    "caretColor",
    "borderTopLeftRadius",
    "borderTopRightRadius",
    "borderBottomLeftRadius",
    "borderBottomRightRadius",
    "outlineOffset",
    "outlineWidth",
    "cursor",
];

/// What moves an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Nothing.
    None,
    /// Animations that come to an end.
    Ending,
    /// One that never ends.
    Endless,
}

/// What moves `element` or anything it lies in.
pub fn motion_of(element: &Element) -> Motion {
    let mut motion = Motion::None;
    for animation in running(element) {
        let effect = read(&animation, "effect");
        let target = read(&effect, "target");
        let Some(target) = target.dyn_ref::<Element>() else { continue };
        if !native::encloses(target, element) || !moves(&effect) {
            continue;
        }
        if is_endless(&effect) {
            return Motion::Endless;
        }
        motion = Motion::Ending;
    }
    motion
}

/// The running animations of the document, which lists those inside shadow roots as well.
fn running(element: &Element) -> Vec<JsValue> {
    let document = native::get("Node", "ownerDocument", element);
    let mut all = list(native::call("Document", "getAnimations", &document, &[]));
    all.retain(|animation| read(animation, "playState").as_string().as_deref() == Some("running"));
    all
}

fn list(answer: Result<JsValue, JsValue>) -> Vec<JsValue> {
    answer.ok().filter(JsValue::is_object).map(|list| Array::from(&list).to_vec()).unwrap_or_default()
}

fn read(object: &JsValue, name: &str) -> JsValue {
    if object.is_object() {
        Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
    } else {
        JsValue::UNDEFINED
    }
}

fn moves(effect: &JsValue) -> bool {
    list(native::call("KeyframeEffect", "getKeyframes", effect, &[])).iter().any(|frame| {
        let Some(frame) = frame.dyn_ref::<js_sys::Object>() else { return false };
        let properties = js_sys::Object::keys(frame);
        properties
            .iter()
            .filter_map(|key| key.as_string())
            .any(|key| !PAINT_ONLY.contains(&key.as_str()) && !key.starts_with("--"))
    })
}

fn is_endless(effect: &JsValue) -> bool {
    let timing =
        native::call("AnimationEffect", "getComputedTiming", effect, &[]).unwrap_or(JsValue::UNDEFINED);
    read(&timing, "endTime").as_f64().is_none_or(|end| !end.is_finite())
}

/// Waits until `element` is at rest: its animations have ended, or, where one never ends, its box stays for two frames.
/// False where it still moves at the deadline.
pub async fn settle(element: &Element, deadline: Deadline) -> bool {
    let mut still = 0;
    let mut before = native::bounds(element);
    loop {
        match motion_of(element) {
            Motion::None => return true,
            Motion::Endless if still >= 2 => return true,
            _ => {}
        }
        if deadline.is_over() {
            return still >= 2;
        }
        wait::frame().await;
        let now = native::bounds(element);
        still = if native::is_same_box(now, before) { still + 1 } else { 0 };
        before = now;
    }
}
