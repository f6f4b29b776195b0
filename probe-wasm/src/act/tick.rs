//! `check` and `uncheck`: a box or radio comes to the state that must hold. A click that would undo it is never sent.

use web_sys::Element;

use super::event::Aim;
use super::perform::{ActError, Did};
use super::pointer::{self, Hands};
use crate::native;

/// The state of a thing that can be ticked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// On.
    On,
    /// Off.
    Off,
    /// Partly.
    Mixed,
}

/// The state of a checkbox, radio, switch or their ARIA likes; `None` for anything else.
pub fn tick_of(element: &Element) -> Option<Tick> {
    if native::matches(element, "input[type=checkbox],input[type=radio]") {
        if native::get("HTMLInputElement", "indeterminate", element).is_truthy() {
            return Some(Tick::Mixed);
        }
        let on = native::get("HTMLInputElement", "checked", element).is_truthy();
        return Some(if on { Tick::On } else { Tick::Off });
    }
    let state =
        native::attribute(element, "aria-checked").or_else(|| native::attribute(element, "aria-pressed"))?;
    match state.as_str() {
        "true" => Some(Tick::On),
        "mixed" => Some(Tick::Mixed),
        _ => Some(Tick::Off),
    }
}

/// Brings the target to `wanted`.
pub async fn tick(hands: &Hands, aim: &Aim, wanted: bool) -> Result<Did, ActError> {
    let state = tick_of(&aim.element).ok_or_else(|| ActError::before("the target has no checked state"))?;
    let goal = if wanted { Tick::On } else { Tick::Off };
    if state == goal {
        return Ok(Did::AlreadySo);
    }
    if !wanted && native::matches(&aim.element, "input[type=radio],[role=radio]") {
        return Err(ActError::before("a radio cannot be unchecked: choose another one of its group"));
    }
    pointer::click(hands, aim, 1).await;
    Ok(Did::Acted)
}
