//! A drive gives way to a person, and goes on from the page that they leave.

use super::drive::{Drive, Turn};
use crate::engine::api::PersonStep;
use crate::engine::lines::step_words;
use crate::engine::replay::End;

impl Drive<'_> {
    /// A person has the run until they give it back. What they do becomes steps of theirs.
    pub(super) async fn give_way(&mut self) -> Turn {
        let next = self.result.executed + 1;
        self.scribe.handed(next, true).await?;
        let (mut hand, mut stop) = (self.hand.clone(), self.stop.clone());
        let inputs = self.task.inputs.clone();
        let watching = self.browsing.watch_person(inputs, hand.given_back());
        let done = tokio::select! {
            biased;
            reason = stop.asked() => return Ok(Some(End::Interrupted(reason))),
            done = watching => done,
        };
        let done = match done {
            Ok(done) => done,
            Err(error) => return Ok(Some(self.lost(&error.message, &error.hint))),
        };
        for captured in &done {
            self.result.executed += 1;
            self.result.sent |= captured.step.sends == Some(true);
            let what = step_words(&captured.step);
            self.history.push(format!("a person did this: {what}"));
            let told = PersonStep { step: Some(self.result.executed), what };
            self.scribe.by_person(&captured.step, told).await?;
        }
        self.driven.by_person(done);
        self.scribe.handed(self.result.executed + 1, false).await?;
        self.refusals = 0;
        Ok(None)
    }
}
