//! Watches a person at the tab of a run that they took over: what they do is told as steps, and none of it is journaled as a
//! recording of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use cairn_core::script::{Dialog, Method, Requested, Step};
use cairn_core::text::same_name;
use cairn_core::url_pattern;
use cairn_core::value;
use cairn_core::wire::page::{Captured, InputValue, PageEvent, PageRequest, RecordOptions};
use futures_util::future::join_all;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::trail::Trail;
use crate::daemon::LeaseEvent;
use crate::engine::requests::{changes_state, only_reports};
use crate::engine::tab::{Tab, TabEvents};

/// How long a page may take to begin to watch, and to say its last word.
const WORD: Duration = Duration::from_secs(3);

/// How long what is on its way may take to arrive after that.
const STRAGGLERS: Duration = Duration::from_millis(200);

/// A person's acts in one tab.
pub(in crate::engine) struct Onlooker<T: Tab> {
    tab: T,
    inputs: BTreeMap<String, InputValue>,
    trail: Trail,
    begun: Vec<JoinHandle<()>>,
}

impl<T: Tab> Onlooker<T> {
    /// Begins to watch every page of the tab.
    pub(in crate::engine) fn new(tab: T, inputs: BTreeMap<String, InputValue>) -> Self {
        let mut onlooker = Self { tab, inputs, trail: Trail::default(), begun: Vec::new() };
        for document in onlooker.tab.documents() {
            onlooker.watch(document, None);
        }
        onlooker
    }

    /// Hears what happens in the tab.
    pub(in crate::engine) fn hear(&mut self, event: &LeaseEvent) {
        match event {
            LeaseEvent::Ready { frame, document, .. } => {
                let prior = if *frame == 0 { self.trail.prior_for((*document).into()) } else { None };
                self.watch(*document, prior);
            }
            LeaseEvent::Page { document, event, .. } => self.page_said(*document, event),
            LeaseEvent::Committed { frame: 0, url, .. } => {
                self.trail.moved(value::templatize(url, &self.inputs));
            }
            LeaseEvent::Request { method, url, kind, .. } if changes_state(method) && !only_reports(kind) => {
                let url_pattern = url_pattern::generalise_with(url, &self.inputs);
                self.trail.requested(Requested { method: method.clone(), url_pattern }, true);
            }
            LeaseEvent::DialogOpened { kind, message, .. } => {
                let (kind, message) = (kind.clone(), value::templatize(message, &self.inputs));
                self.trail.dialog(Dialog { kind, message, ..Dialog::default() });
            }
            LeaseEvent::DialogClosed { accepted, text } => {
                self.trail.answered(*accepted, value::templatize(text, &self.inputs));
            }
            _ => {}
        }
    }

    fn page_said(&mut self, document: u32, event: &PageEvent) {
        match event {
            PageEvent::Captured(captured) | PageEvent::Amended(captured) => {
                for (name, secret) in &captured.secrets {
                    self.tab.hide(name, secret);
                }
                let change = self.trail.capture(document.into(), captured.clone());
                self.trail.give_opened(change);
            }
            PageEvent::Retracted { number } => {
                self.trail.retract(document.into(), *number);
            }
            _ => {}
        }
    }

    fn watch(&mut self, document: u32, prior: Option<Captured>) {
        let next_number = self.trail.next_number();
        let options = RecordOptions { next_number, inputs: self.inputs.clone(), prior: prior.map(Box::new) };
        let tab = self.tab.clone();
        self.begun.retain(|one| !one.is_finished());
        self.begun.push(tokio::spawn(async move {
            // A page that is being left does not watch: the next one will.
            if let Err(error) = tab.ask(document, PageRequest::Record(options), WORD).await {
                tracing::debug!("a page that a person has is not watched: {error}");
            }
        }));
    }

    /// The pages flush what is under way and stop watching. What was done, with `person` as whose doing it is.
    pub(in crate::engine) async fn end<E: TabEvents>(mut self, events: &mut E) -> Vec<Captured> {
        let deadline = Instant::now() + WORD;
        let _ = tokio::time::timeout_at(deadline, join_all(std::mem::take(&mut self.begun))).await;
        let documents = self.tab.documents();
        let tab = self.tab.clone();
        let asked = documents.iter().map(|document| tab.ask(*document, PageRequest::StopRecord, WORD));
        for error in join_all(asked).await.into_iter().filter_map(Result::err) {
            tracing::debug!("a page's last word: {error}");
        }
        let deadline = Instant::now() + STRAGGLERS;
        while let Ok(Some(event)) = timeout_at(deadline, events.next()).await {
            self.hear(&event);
        }
        let mut steps = self.trail.steps();
        for captured in &mut steps {
            captured.step.by = Some("person".to_owned());
        }
        steps.retain(|captured| captured.step.lacks().is_none());
        steps
    }
}

/// How far a person has come in a script: of each of their acts the number of the step that it was, of those from `next` on.
/// What they did besides is theirs alone.
pub(in crate::engine) fn steps_done(script: &[Step], next: u32, done: &[Captured]) -> Vec<Option<u32>> {
    let mut at = (next as usize).saturating_sub(1);
    let mut number = |captured: &Captured| {
        let ahead = script.iter().skip(at).position(|step| is_same(step, &captured.step))?;
        at += ahead + 1;
        u32::try_from(at).ok()
    };
    done.iter().map(&mut number).collect()
}

/// The same act on what is called the same.
fn is_same(step: &Step, done: &Step) -> bool {
    let (Some(wanted), Some(acted)) = (&step.action.target, &done.action.target) else { return false };
    let key = step.action.method == Method::Press;
    step.action.method == done.action.method
        && wanted.role == acted.role
        && same_name(&wanted.name, &acted.name)
        && (!key || step.action.value == done.action.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Target};
    use rstest::rstest;

    fn step(method: Method, name: &str) -> Step {
        let target = Target { role: "button".into(), name: name.into(), ..Target::default() };
        Step { action: Action { method, target: Some(target), ..Action::default() }, ..Step::default() }
    }

    #[rstest]
    #[case::the_next_one(2, &["B"], &[2])]
    #[case::past_one_that_was_passed_over(2, &["C"], &[3])]
    #[case::something_of_their_own(2, &["Help", "B", "C"], &[2, 3])]
    #[case::what_was_done_before_is_not_done_again(2, &["A"], &[])]
    #[case::twins_one_by_one(2, &["B", "B"], &[2, 4])]
    fn how_far_a_person_came(#[case] next: u32, #[case] did: &[&str], #[case] numbers: &[u32]) {
        let script: Vec<Step> = ["A", "B", "C", "B"].iter().map(|name| step(Method::Click, name)).collect();
        let did: Vec<Captured> = did
            .iter()
            .map(|name| Captured { step: step(Method::Click, name), ..Captured::default() })
            .collect();
        assert_eq!(steps_done(&script, next, &did).into_iter().flatten().collect::<Vec<_>>(), numbers);
    }
}
