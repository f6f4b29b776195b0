//! Where a step is played: in which tab, in which frame. Each stretch of steps in one place is one batch there; between two
//! places the host goes over, because a page can ask nothing of another one.

use std::ops::ControlFlow;

use cairn_core::element::FrameStep;
use cairn_core::script::{Dialog, Method, Step};
use cairn_core::value;
use cairn_core::wire::WireError;
use cairn_core::wire::page::{Configure, Diverged, Divergence, StepReport, StepStatus, Waited};
use futures_util::future::BoxFuture;
use tokio::time::{Instant, sleep_until};

use super::masks::masks;
use super::replay::{Conductor, End, is_host_step, is_tab_step};
use super::tab::{Tab, TabEvents};
use super::take::Taken;
use crate::daemon::dialog_answer;
use crate::exit::Failure;

/// How long a frame that is being left may take to show its next page, where there is one.
const FRAME_LEAVES: std::time::Duration = std::time::Duration::from_secs(2);

/// What the browser says of an answer to a dialog that is there no more.
const NONE_SHOWN: &str = "No dialog is showing";

/// Leases a tab that a page of the run opened.
pub(super) type Adopter<T, E> =
    dyn Fn(i32, Configure) -> BoxFuture<'static, Result<(T, E), WireError>> + Send + Sync;

/// A tab of the run that is not the one being played in.
pub(super) struct Aside<T, E> {
    number: u32,
    tab: T,
    events: E,
    document: Option<u32>,
}

/// What came while something was waited for.
enum Heard {
    /// An event, and it is taken.
    Something,
    /// The run is over.
    End(End),
    /// Nothing more in time.
    Nothing,
}

impl<'a, T: Tab, E: TabEvents> Conductor<'a, T, E> {
    /// The tab of a step, from 1: what it says itself, else that of the step before it.
    pub(super) fn tab_of(&self, number: u32) -> u32 {
        let mut tab = 1;
        for step in self.plan.steps.iter().take(number as usize) {
            tab = step.tab.or_else(|| switched(step)).unwrap_or(tab);
        }
        tab
    }

    /// The frame that a step is played in.
    fn frame_of(&self, number: u32) -> &[FrameStep] {
        self.step(number).and_then(|step| step.action.target.as_ref()).map_or(&[], |target| &target.frame)
    }

    /// The frame of the batch to come: that of the step that is still to be judged, else of the next one.
    fn frame(&self) -> Vec<FrameStep> {
        let number = self.acted.as_ref().map_or(self.next, |acted| acted.number);
        self.frame_of(number).to_vec()
    }

    /// How far the batch to come goes, at most to `last`: as long as its steps are played in the same place.
    pub(super) fn reach(&self, first: u32, last: u32) -> u32 {
        let frame = self.frame();
        let place = |frame: &[FrameStep]| frame.iter().map(|step| step.index).collect::<Vec<_>>();
        let here = place(&frame);
        let same = |number: &u32| {
            let is_host = self
                .step(*number)
                .is_some_and(|step| is_host_step(step.action.method) || is_tab_step(step.action.method));
            !is_host && self.tab_of(*number) == self.tab_number && place(self.frame_of(*number)) == here
        };
        let reach = (first..=last).take_while(same).last().unwrap_or(first.saturating_sub(1));
        // What comes after a native dialog is not done before it, however late the page asks.
        let asks = |number: &u32| self.step(*number).is_some_and(|step| !step.dialogs.is_empty());
        (first..=reach).find(asks).unwrap_or(reach)
    }

    /// The document in which the batch to come is played; waits for its frame. `Err`: the frame is not there.
    pub(super) async fn stage(&mut self, top: u32) -> Result<Result<u32, ControlFlow<End>>, Failure> {
        let frame = self.frame();
        if frame.is_empty() {
            return Ok(Ok(top));
        }
        let acted = self.acted.as_ref().map(|acted| acted.number);
        let bound = if acted.is_some() { FRAME_LEAVES } else { self.plan.bound };
        let deadline = Instant::now() + bound;
        loop {
            if let Some(document) = self.tab.document_in(&frame).filter(|one| Some(*one) != self.left_frame) {
                return Ok(Ok(document));
            }
            tokio::select! {
                event = self.events.next() => match self.take(event).await? {
                    Taken::Nothing => {}
                    Taken::Document => return Ok(Err(ControlFlow::Continue(()))),
                    Taken::End(end) => return Ok(Err(ControlFlow::Break(end))),
                },
                () = sleep_until(deadline) => break,
            }
        }
        // A frame that stays where it is: a download, an answer without a document.
        if let Some(document) = self.tab.document_in(&frame) {
            self.left_frame = None;
            return Ok(Ok(document));
        }
        Ok(Err(self.without_frame(acted, &frame).await?))
    }

    async fn without_frame(
        &mut self,
        acted: Option<u32>,
        frame: &[FrameStep],
    ) -> Result<ControlFlow<End>, Failure> {
        if let Some(number) = acted {
            // The act closed its own frame, as a dialog in a frame does: nothing in it can be looked at any more.
            let waits = vec![Waited { cause: "its frame went away".into(), ms: 0.0 }];
            self.judged(StepReport { number, waits, ..StepReport::default() }).await?;
            return Ok(ControlFlow::Continue(()));
        }
        let place = frame.iter().map(|step| step.index.to_string()).collect::<Vec<_>>().join("/");
        let url = frame.last().map(|step| step.url.clone()).unwrap_or_default();
        let divergence = Divergence {
            condition: Diverged::Target,
            expected: format!("a frame at place {place} ({url})"),
            observed: "no frame is there".into(),
            acted: false,
        };
        self.diverged = Some(self.report(self.next, divergence));
        Ok(ControlFlow::Continue(()))
    }

    /// A tab was opened by a page of this one.
    pub(super) async fn opened(&mut self, tab: i32, url: String) {
        let number = self.asides.iter().map(|aside| aside.number).max().unwrap_or(1).max(self.tab_number) + 1;
        self.opened_urls.push(url);
        let Some(adopt) = self.adopt else { return };
        match adopt(tab, masks(&self.plan.inputs).1).await {
            Ok((tab, events)) => {
                if self.plan.has_dialogs() {
                    // Where it is refused, a dialog there is seen by nobody, and the silence says so.
                    let _ = tab.attach_debugger(false).await;
                }
                self.asides.push(Aside { number, tab, events, document: None });
            }
            Err(error) => {
                self.scribe.say(format!("the tab that the page opened cannot be played in: {error}")).await;
            }
        }
    }

    /// Takes the next event, until `deadline`.
    async fn hear_until(&mut self, deadline: Instant) -> Result<Heard, Failure> {
        tokio::select! {
            event = self.events.next() => Ok(match self.take(event).await? {
                Taken::End(end) => Heard::End(end),
                Taken::Nothing | Taken::Document => Heard::Something,
            }),
            () = sleep_until(deadline) => Ok(Heard::Nothing),
        }
    }

    /// Goes over to the tab of the next step. `Some`: it is not there.
    pub(super) async fn go_to_tab(&mut self, number: u32) -> Result<Option<ControlFlow<End>>, Failure> {
        let deadline = Instant::now() + self.plan.bound;
        while number != self.tab_number {
            if let Some(place) = self.asides.iter().position(|aside| aside.number == number) {
                let aside = &mut self.asides[place];
                std::mem::swap(&mut self.tab, &mut aside.tab);
                std::mem::swap(self.events, &mut aside.events);
                std::mem::swap(&mut self.document, &mut aside.document);
                std::mem::swap(&mut self.tab_number, &mut aside.number);
                self.playing = None;
                self.heard();
                break;
            }
            match self.hear_until(deadline).await? {
                Heard::Something => {}
                Heard::End(end) => return Ok(Some(ControlFlow::Break(end))),
                Heard::Nothing => {
                    let divergence = Divergence {
                        condition: Diverged::Target,
                        expected: format!("tab {number} is open"),
                        observed: format!("{} tabs were opened", self.asides.len() + 1),
                        acted: false,
                    };
                    self.diverged = Some(self.report(self.next, divergence));
                    return Ok(Some(ControlFlow::Continue(())));
                }
            }
        }
        Ok(None)
    }

    /// Goes over to another tab, since this one is no more.
    pub(super) fn leave_tab(&mut self) {
        let lowest = self.asides.iter().map(|aside| aside.number).min();
        let Some(place) = self.asides.iter().position(|aside| Some(aside.number) == lowest) else { return };
        let aside = self.asides.remove(place);
        self.tab = aside.tab;
        *self.events = aside.events;
        (self.tab_number, self.document, self.playing) = (aside.number, aside.document, None);
        self.heard();
    }

    /// A step that opened a tab when it was recorded must open one. `Some`: it has not.
    pub(super) async fn await_owed_tab(&mut self) -> Result<Option<ControlFlow<End>>, Failure> {
        let Some((number, known)) = self.owed_tab else { return Ok(None) };
        let deadline = Instant::now() + self.plan.bound;
        while self.opened_urls.len() <= known {
            match self.hear_until(deadline).await? {
                Heard::Something => {}
                Heard::End(end) => return Ok(Some(ControlFlow::Break(end))),
                Heard::Nothing => {
                    let divergence = Divergence {
                        condition: Diverged::Postcondition,
                        expected: "a new tab opens".into(),
                        observed: "none opened: the browser lets only its own input open tabs".into(),
                        acted: true,
                    };
                    self.owed_tab = None;
                    self.diverged = Some(self.report(number, divergence));
                    return Ok(Some(ControlFlow::Continue(())));
                }
            }
        }
        self.owed_tab = None;
        Ok(None)
    }

    /// A step that brought dialogs when it was recorded must bring them all. `Some`: it has not.
    pub(super) async fn await_owed_dialog(&mut self) -> Result<Option<ControlFlow<End>>, Failure> {
        let Some(report) = self.owed_dialog.take() else { return Ok(None) };
        let deadline = Instant::now() + self.plan.bound;
        while let Some(divergence) = self.misses_dialog(report.number) {
            match self.hear_until(deadline).await? {
                Heard::Something => {}
                Heard::End(end) => return Ok(Some(ControlFlow::Break(end))),
                Heard::Nothing => {
                    let divergence = Some(divergence);
                    self.diverged = Some(StepReport { status: StepStatus::Diverged, divergence, ..report });
                    return Ok(Some(ControlFlow::Continue(())));
                }
            }
        }
        self.judged(report).await?;
        Ok(Some(ControlFlow::Continue(())))
    }

    /// Does a step that is about tabs alone.
    pub(super) async fn tab_step(&mut self, step: &Step) -> Result<ControlFlow<End>, Failure> {
        let number = self.next;
        if step.action.method == Method::CloseTab {
            let closing = self.tab_of(number);
            let after = if self.step(number + 1).is_some() { self.tab_of(number + 1) } else { 1 };
            let other = if after == closing { 1 } else { after };
            if let Some(end) = self.go_to_tab(other).await? {
                return Ok(end);
            }
            if let Some(place) = self.asides.iter().position(|aside| aside.number == closing) {
                self.asides.remove(place).tab.end(false).await;
            }
        } else if let Some(end) = self.go_to_tab(self.tab_of(number)).await? {
            return Ok(end);
        }
        self.judged(StepReport { number, ..StepReport::default() }).await?;
        Ok(ControlFlow::Continue(()))
    }

    /// A native dialog opened: it gets the answer that was recorded. One that was not recorded is dismissed, and the run
    /// ends there.
    pub(super) async fn dialog(&mut self, kind: &str, message: &str) -> Option<End> {
        let known = self.recorded_dialog(kind);
        let number = self.under_way();
        self.dialogs.push(number);
        let accept = known.map_or(kind == "alert", |known| known.accept);
        let text = known.and_then(|known| known.text.as_deref()).unwrap_or_default();
        let text = value::expand(text, &self.plan.inputs).unwrap_or_default();
        if let Err(error) = self.tab.debug(vec![dialog_answer(accept, &text)]).await
            // Else somebody was quicker: a person at the window, another tool.
            && !error.message.contains(NONE_SHOWN)
        {
            let observed = format!(
                "a dialog is open ({kind}: \u{201c}{message}\u{201d}) and cannot be answered: {}",
                error.message
            );
            return self.lose(&observed, &error.hint).break_value();
        }
        if known.is_some() {
            return None;
        }
        let divergence = Divergence {
            condition: Diverged::Postcondition,
            expected: "no native dialog but those that were recorded".into(),
            observed: format!("a dialog opened ({kind}): \u{201c}{message}\u{201d}; it was dismissed"),
            acted: true,
        };
        Some(End::Diverged(Box::new(self.report(number, divergence))))
    }

    /// The next dialog of the step under way, where it is of this kind.
    pub(super) fn recorded_dialog(&self, kind: &str) -> Option<&'a Dialog> {
        let number = self.under_way();
        let seen = self.dialogs.iter().filter(|of| **of == number).count();
        self.step(number).and_then(|step| step.dialogs.get(seen)).filter(|one| one.kind == kind)
    }

    /// The step that was acted and is not judged, or the next one.
    fn under_way(&self) -> u32 {
        self.acted.as_ref().map_or(self.next, |acted| acted.number)
    }

    /// A dialog that was recorded and did not come.
    pub(super) fn misses_dialog(&self, number: u32) -> Option<Divergence> {
        let step = self.step(number)?;
        let seen = self.dialogs.iter().filter(|of| **of == number).count();
        let missed = step.dialogs.get(seen)?;
        Some(Divergence {
            condition: Diverged::Postcondition,
            expected: format!("a dialog opens ({}): \u{201c}{}\u{201d}", missed.kind, missed.message),
            observed: "none opened".into(),
            acted: true,
        })
    }

    /// Attaches the debugger where dialogs are to be answered: one that is attached later cannot answer them.
    pub(super) async fn expect_dialogs(&self) -> Result<(), WireError> {
        if self.plan.has_dialogs() {
            return self.tab.attach_debugger(false).await;
        }
        let tab = self.tab.clone();
        tokio::spawn(async move {
            // Only for what nobody expects: a run goes without where it cannot be had.
            let _ = tab.attach_debugger(true).await;
        });
        Ok(())
    }

    /// At the end the first tab is the run's again, and the others are left or closed with it.
    pub(super) async fn gather(&mut self, keep_open: bool) {
        if self.tab_number != 1
            && let Some(place) = self.asides.iter().position(|aside| aside.number == 1)
        {
            let aside = &mut self.asides[place];
            std::mem::swap(&mut self.tab, &mut aside.tab);
            std::mem::swap(self.events, &mut aside.events);
            std::mem::swap(&mut self.document, &mut aside.document);
            std::mem::swap(&mut self.tab_number, &mut aside.number);
        }
        for aside in self.asides.drain(..) {
            aside.tab.end(keep_open).await;
        }
    }
}

/// The tab that a `switchTab` step names.
fn switched(step: &Step) -> Option<u32> {
    let value = step.action.value.as_deref().filter(|_| step.action.method == Method::SwitchTab)?;
    value.parse().ok()
}
