//! Acts that are the browser's to do: input that a page trusts, where events made in the page would not do.
//!
//! The page aims and gives the focus, the host sends the browser's own pointer or keys, and the page goes on when it hears
//! that this was done.

use cairn_core::script::{Method, Step};
use cairn_core::wire::page::{Diverged, InputMode, PageEvent, Point};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::aim::Found;
use super::line::{Line, Stop};
use super::step::Player;
use crate::act::{self, Aim};
use crate::native;
use crate::wait::Deadline;

/// A page that has not changed at all for so long after its own events is given the browser's, in milliseconds.
pub const UNMOVED_MS: f64 = 400.0;

impl Player<'_> {
    /// True where the step's act is the browser's from the start.
    pub fn is_browsers(&self, step: &Step) -> bool {
        let method = step.action.method;
        match self.input {
            InputMode::Page => false,
            InputMode::Trusted => has_trusted_form(method),
            InputMode::Auto => {
                // Only the browser's pointer makes `:hover`; only its input may open tabs and leave unsaved forms.
                let needs = method == Method::Hover
                    || step.effect.new_tab.is_some()
                    || step.postcondition.new_tab.is_some()
                    || step.dialogs.iter().any(|dialog| dialog.kind == "beforeunload");
                has_trusted_form(method) && (needs || step.input.as_deref() == Some("trusted"))
            }
        }
    }

    /// True where the browser may try again what page events did not bring about.
    pub fn may_hand_over(&self, step: &Step) -> bool {
        self.input == InputMode::Auto
            && step.sends != Some(true)
            && has_trusted_form(step.action.method)
            // What a field holds is what we put there, whoever heard of it; a drag is undone by no second one.
            && !matches!(step.action.method, Method::Fill | Method::Drag)
            && step.input.as_deref() != Some("page")
            && !self.is_browsers(step)
    }

    /// Has the browser act, and waits until it has.
    pub async fn hand_over(
        &self,
        number: u32,
        step: &Step,
        found: Option<&Found>,
        to: Option<Aim>,
        again: bool,
        line: &mut Line,
    ) -> Result<(), Stop> {
        let page = self.judge.page;
        let method = step.action.method;
        let before =
            |reason: &str| Stop::before(Diverged::Act, format!("{} by the browser", method.as_str()), reason);
        let offset =
            frame_offset().ok_or_else(|| before("the frame is of another site: its place is not known"))?;
        let placed = |(x, y)| Point { x: x + offset.0, y: y + offset.1 };
        let (at, to) = (found.map(|found| placed(found.aim.point)), to.map(|to| placed(to.point)));
        if let (Some(found), false) = (found, uses_pointer(method)) {
            act::ready_for_keys(&page.hands, &found.aim.element, method == Method::Fill);
        }
        page.departure.reset();
        page.tell(PageEvent::Hand { run: self.run.id.clone(), number, at, to, again });
        let deadline = Deadline::after(self.bound_ms);
        let answer = loop {
            if let Some(answer) = self.run.handed(number) {
                break answer;
            }
            page.go_on()?;
            if deadline.is_over() {
                return Err(Stop::after(Diverged::Lost, "the browser's input", "no word of it came"));
            }
            page.heard(deadline).await;
        };
        // What shows only under the pointer comes and goes without a record of it.
        page.invalidate();
        match answer {
            Ok(()) => {
                line.trusted = true;
                Ok(())
            }
            Err(reason) => Err(before(&reason)),
        }
    }
}

/// Methods of which the browser has input of its own.
fn has_trusted_form(method: Method) -> bool {
    uses_pointer(method) || matches!(method, Method::Fill | Method::Type | Method::Press)
}

fn uses_pointer(method: Method) -> bool {
    matches!(
        method,
        Method::Click
            | Method::Dblclick
            | Method::Contextmenu
            | Method::Hover
            | Method::Check
            | Method::Uncheck
            | Method::Drag
    )
}

/// Where this frame's viewport lies in the top page's; `None` where a frame of another site stands between.
fn frame_offset() -> Option<(f64, f64)> {
    let mut window = web_sys::window()?;
    let mut offset = (0.0, 0.0);
    loop {
        let parent = window.parent().ok().flatten()?;
        if parent == window {
            return Some(offset);
        }
        let frame: Element = window.frame_element().ok().flatten()?;
        let [left, top, ..] = native::bounds(&frame);
        let style = parent.get_computed_style(&frame).ok().flatten()?;
        let pixels = |name: &str| {
            let text = style.get_property_value(name).unwrap_or_default();
            crate::number::of(text.trim_end_matches("px")).unwrap_or_default()
        };
        offset.0 += left + pixels("border-left-width") + pixels("padding-left");
        offset.1 += top + pixels("border-top-width") + pixels("padding-top");
        window = parent.unchecked_into();
    }
}
