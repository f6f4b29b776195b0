//! A replay gives way to a person and goes on where they leave it. What the person did of the script is not done again; what
//! they did besides stands in the evidence; nobody's step is told as another's.

use std::ops::ControlFlow;

use cairn_core::script::Method;
use cairn_core::wire::page::{Captured, StepReport, StepStatus, Waited};

use super::api::PersonStep;
use super::lines::step_words;
use super::record::{Onlooker, steps_done};
use super::replay::{Conductor, End};
use super::tab::{Tab, TabEvents};
use super::take::Taken;
use crate::daemon::LeaseEvent;
use crate::exit::Failure;

impl<T: Tab, E: TabEvents> Conductor<'_, T, E> {
    /// A person has the run until they give it back.
    pub(super) async fn give_way(&mut self) -> Result<ControlFlow<End>, Failure> {
        self.scribe.handed(self.next, true).await?;
        let mut onlooker = Onlooker::new(self.tab.clone(), self.plan.inputs.clone());
        let (mut hand, mut stop) = (self.hand.clone(), self.stop.clone());
        loop {
            let event = tokio::select! {
                biased;
                reason = stop.asked() => return Ok(ControlFlow::Break(End::Interrupted(reason))),
                event = self.events.next() => event,
                () = hand.given_back() => break,
            };
            if let Some(event) = &event {
                onlooker.hear(event);
            }
            if let Some(end) = self.beside(event).await? {
                return Ok(ControlFlow::Break(end));
            }
        }
        let done = onlooker.end(self.events).await;
        self.document = self.tab.document();
        self.scribe.handed(self.next, false).await?;
        self.rejoin_after(&done).await?;
        // Where the person went is theirs to answer for; no step of ours is sent to a page that the run may not visit.
        let last = self.next.checked_sub(1).filter(|step| *step > 0);
        if let Some(fault) = self.plan.origins.fault(last, &self.result.url) {
            return Ok(ControlFlow::Break(End::Failed(Box::new(fault))));
        }
        self.heard();
        self.progress();
        Ok(ControlFlow::Continue(()))
    }

    /// What matters of an event while a person has the tab.
    async fn beside(&mut self, event: Option<LeaseEvent>) -> Result<Option<End>, Failure> {
        match event {
            Some(LeaseEvent::Ready { frame: 0, url, .. } | LeaseEvent::Committed { frame: 0, url, .. }) => {
                self.result.url = url;
                Ok(None)
            }
            None | Some(LeaseEvent::Opened { .. } | LeaseEvent::TabGone { .. }) => {
                match self.take(event).await? {
                    Taken::End(end) => Ok(Some(end)),
                    Taken::Nothing | Taken::Document => Ok(None),
                }
            }
            Some(_) => Ok(None),
        }
    }

    /// The step under way and those that the person has done are behind the run.
    async fn rejoin_after(&mut self, done: &[Captured]) -> Result<(), Failure> {
        let hand = std::mem::replace(&mut self.scribe.hand, "person");
        self.result.sent |= done.iter().any(|captured| captured.step.sends == Some(true));
        let acted = self.acted.take().filter(|acted| !acted.held && !done.is_empty());
        let next = acted.as_ref().map_or(self.next, |acted| acted.number + 1);
        let numbers = steps_done(&self.plan.steps, next, done);
        for (captured, number) in done.iter().zip(&numbers) {
            let step = PersonStep { step: *number, what: step_words(&captured.step) };
            self.scribe.by_person(&captured.step, step).await?;
        }
        if let Some(acted) = acted {
            self.behind(acted.number, "acted before a person took over").await?;
        }
        if let Some(last) = numbers.iter().flatten().last().copied() {
            for number in self.next..=last {
                let by = if numbers.contains(&Some(number)) {
                    "a person did it"
                } else {
                    "a person passed it over"
                };
                self.behind(number, by).await?;
            }
        }
        self.scribe.hand = hand;
        Ok(())
    }

    /// A step that is behind the run by a person's doing: it is judged by what comes after it.
    async fn behind(&mut self, number: u32, how: &str) -> Result<(), Failure> {
        let Some(step) = self.step(number) else { return Ok(()) };
        let waits = vec![Waited { cause: how.to_owned(), ms: 0.0 }];
        let url = self.result.url.clone();
        let report = StepReport { number, status: StepStatus::Skipped, waits, url, ..StepReport::default() };
        self.result.sent |= step.sends == Some(true);
        self.next = number + 1;
        if step.action.method == Method::Extract {
            self.scribe.say(format!("Step {number}: its output was not read")).await;
        }
        self.scribe.step(step, report).await
    }
}
