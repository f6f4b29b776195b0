//! Acts that are the browser's to do: input that a page trusts, where events made in the page would not do.
//!
//! The page aims and gives the focus, the host sends the browser's own pointer or keys, and the page goes on when it hears
//! that this was done.

use super::aim::Found;
use super::line::{Line, Stop};
use super::step::Player;
use crate::act::{self, Aim};
use crate::native;
use crate::wait::Deadline;
use cairn_core::script::{Method, Step};
use cairn_core::wire::page::{Diverged, InputMode, PageEvent, Point};

/// A page that has not changed at all for so long after its own events is given the browser's, in milliseconds.
pub const UNMOVED_MS: f64 = 400.0;

impl Player<'_> {
    /// True where the step's act is the browser's from the start.
    pub fn is_browsers(&self, step: &Step, found: Option<&Found>) -> bool {
        let method = step.action.method;
        match self.input {
            InputMode::Page => false,
            InputMode::Trusted => has_trusted_form(method),
            InputMode::Auto => {
                // Only the browser's pointer makes `:hover`; only its input may open tabs and leave unsaved forms.
                // A page that takes hold of the pointer can do so with the browser's alone.
                let of_page = step.input.as_deref() == Some("page");
                let pulls = method == Method::Drag
                    && !of_page
                    && !found.is_some_and(|found| act::is_carried(&found.aim));
                let needs = method == Method::Hover
                    || pulls
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
            // A drag is undone by no second one.
            && step.action.method != Method::Drag
            && step.input.as_deref() != Some("page")
            && !self.is_browsers(step, None)
    }

    /// Has the browser act, and waits until it has. `again`: after page events; where that is refused, they must do.
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
        let placed = |(x, y)| Point { x, y };
        let (at, to) = (found.map(|found| placed(found.aim.point)), to.map(|to| placed(to.point)));
        if let (Some(found), false) = (found, uses_pointer(method)) {
            act::ready_for_keys(&page.hands, &found.aim.element, method == Method::Fill);
        }
        page.departure.reset();
        page.mark_known();
        page.tell(PageEvent::Hand { run: self.run.id.clone(), number, at, to, again });
        let (since, deadline) = (native::now(), Deadline::after(self.bound_ms));
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
            // The page's own events were sent, and what comes of them may only be slow.
            Err(reason) if again => {
                line.waited(format!("the browser's hand, in vain: {reason}"), since);
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
