//! What leaves the page: masked, and the lines of a batch in bundles.

use cairn_core::wire::page::{FromPage, PageAnswer, PageEvent};

use crate::mask::Mask;
use crate::native;

/// Lines of a batch that does not wait stay at most so long, in milliseconds.
const LONGEST_MS: f64 = 30.0;

/// What a batch has to say and has not said yet: a message costs more than most steps do.
#[derive(Default)]
pub struct Outbox {
    events: Vec<PageEvent>,
    since: f64,
}

impl Outbox {
    /// Puts a masked event behind the others.
    pub fn push(&mut self, event: PageEvent) {
        if self.events.is_empty() {
            self.since = native::now();
        }
        self.events.push(event);
    }

    /// True where the first event has lain here for long enough.
    pub fn is_overdue(&self) -> bool {
        !self.events.is_empty() && native::now() - self.since >= LONGEST_MS
    }

    /// Everything in one message; `None` where there is nothing.
    pub fn take(&mut self) -> Option<FromPage> {
        let mut events = std::mem::take(&mut self.events);
        match events.len() {
            0 => None,
            1 => events.pop().map(|event| FromPage::Event { event }),
            _ => Some(FromPage::Events { events }),
        }
    }
}

/// Takes what is secret out of an event.
pub fn mask_event(mask: &Mask, event: &mut PageEvent) {
    match event {
        PageEvent::Intent { found, repointed, .. } => {
            if let Some(found) = found {
                mask.mask_verdict(found);
            }
            if let Some(target) = repointed {
                mask.store_target(target);
            }
        }
        PageEvent::Step { report, .. } => mask.mask_report(report),
        PageEvent::Outcome { detail, .. } => *detail = mask.text(detail),
        // The recorder writes these in stored form.
        PageEvent::Captured(_)
        | PageEvent::Amended(_)
        | PageEvent::Hand { .. }
        | PageEvent::Retracted { .. }
        | PageEvent::Travels
        | PageEvent::Panicked { .. } => {}
    }
}

/// Takes what is secret out of an answer.
pub fn mask_answer(mask: &Mask, answer: &mut PageAnswer) {
    match answer {
        // A snapshot was masked text by text when it was written.
        PageAnswer::Done | PageAnswer::Snapshot { .. } => {}
        PageAnswer::Listing(listing) => mask.mask_listing(listing),
        PageAnswer::Played(played) => mask.mask_checks(&mut played.goal),
        PageAnswer::Checked { results } => mask.mask_checks(results),
        PageAnswer::Build { value, assets } => {
            for text in value.iter_mut().chain(assets) {
                *text = mask.text(text);
            }
        }
        PageAnswer::Described { target, weak } => {
            mask.store_target(target);
            if let Some(text) = weak {
                *text = mask.text(text);
            }
        }
    }
}
