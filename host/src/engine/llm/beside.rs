//! What a drive meets beside the page in front: other tabs, native dialogs, pages that take no events but the browser's own, and
//! the checkpoints along the way.

use cairn_core::script::{Action, Checkpoint, Dialog, Method};
use cairn_core::value;
use cairn_core::wire::page::StepReport;
use std::time::Duration;

use super::drive::{Drive, Turn, failed, over_budget};
use super::page::Looked;
use crate::engine::api::CheckpointResult;
use crate::engine::driven::Pending;
use crate::engine::lines;
use crate::engine::record::says_risk;
use crate::engine::replay::End;
use crate::model::{Act, Decision};

/// An act that may be done once more, by the browser's own pointer.
pub(super) struct Again {
    /// On this element.
    pub(super) reference: String,
    /// What is done.
    pub(super) method: Method,
    /// The page as it was before.
    pub(super) still: u64,
}

impl<'a> Drive<'a> {
    /// Where nothing at all came of an act, the browser's own pointer does it: never what is called risky, nor after a request.
    pub(super) async fn by_browser(&mut self, pending: &mut Pending, again: Again) {
        let pointer = matches!(again.method, Method::Click | Method::Dblclick | Method::Hover);
        if !pointer || self.browsing.dialog().is_some() || says_risk(pending.step(), &[]) {
            return;
        }
        if self.browsing.has_stirred() || !self.is_still(again.still).await {
            return;
        }
        if let Err(error) = self.browsing.by_pointer(&again.reference, again.method).await {
            tracing::debug!("not done by the browser either: {error}");
            return;
        }
        if let Err(error) = self.browsing.settled(false).await {
            tracing::debug!("after the browser's own input: {error}");
        }
        if self.browsing.dialog().is_some()
            || self.browsing.has_stirred()
            || !self.is_still(again.still).await
        {
            pending.by_browser();
            self.history.push("the page took only the browser's own input".to_owned());
        }
    }

    async fn is_still(&self, before: u64) -> bool {
        self.browsing.sight().await.is_ok_and(|sight| sight.print == before)
    }

    /// An alert has nothing to decide: it is taken note of.
    pub(super) async fn pass_alert(&mut self) {
        let Some(dialog) = self.browsing.dialog().filter(|dialog| dialog.kind == "alert") else { return };
        if let Err(error) = self.browsing.answer_dialog(true, "").await {
            tracing::debug!("an alert was not answered: {error}");
            return;
        }
        let words = format!("an alert said \"{}\"", lines::clean(&dialog.message));
        let message = value::templatize(&dialog.message, &self.task.inputs);
        let answer = Dialog { kind: dialog.kind, message, accept: true, text: None };
        match self.waiting.take() {
            Some(mut pending) => {
                pending.answered(answer);
                self.go_on_with(pending, &words).await;
            }
            None => self.history.push(words),
        }
    }

    /// What came of an act whose dialog is answered, where the end is looked for elsewhere.
    async fn go_on_with(&mut self, pending: Pending, words: &str) {
        let _ = self.browsing.settled(false).await;
        if self.browsing.dialog().is_some() {
            self.history.push(words.to_owned());
            self.waiting = Some(pending);
            return;
        }
        let sent = self.browsing.take_sent();
        self.result.sent |= !sent.is_empty();
        if let Ok(sight) = self.browsing.sight().await {
            let effect = self.driven.after(pending, &sight, sent);
            self.history.push(format!("{words}: {}", super::act::came_of(&effect)));
        }
    }

    /// The model answers the dialog that is open.
    pub(super) async fn answer_dialog(&mut self, decision: &Decision, words: &str) -> Turn {
        let Some(dialog) = self.browsing.dialog() else { return Ok(self.refuse(words, "no dialog is open")) };
        let never = "a secret is typed into a field of the page, never into a dialog";
        let text = match self.text_of_no_field(decision, words, never) {
            Ok(text) => text,
            Err(turn) => return Ok(turn),
        };
        let accept = decision.act == Act::AcceptDialog;
        if let Err(error) = self.browsing.answer_dialog(accept, &text).await {
            return Ok(self.refuse(words, &error.message));
        }
        let prompt = dialog.kind == "prompt" && accept;
        let answer = Dialog {
            kind: dialog.kind,
            message: value::templatize(&dialog.message, &self.task.inputs),
            accept,
            text: prompt.then(|| value::templatize_typed(&text, &self.task.inputs)),
        };
        if let Some(mut pending) = self.waiting.take() {
            pending.answered(answer);
            return self.settle(pending, words, None).await;
        }
        self.history.push(format!("{words}: done"));
        Ok(None)
    }

    /// Another tab comes to the front: the steps to come say that they are done there.
    pub(super) async fn switch_tab(&mut self, decision: &Decision, words: &str) -> Turn {
        let number = decision.value.trim().parse().unwrap_or_default();
        match self.browsing.switch_to(number).await {
            Ok(()) => self.history.push(format!("{words}: tab {number} is in front now")),
            Err(error) => return Ok(self.refuse(words, &error.message)),
        }
        Ok(None)
    }

    /// The tab in front is closed: a step of the script.
    pub(super) async fn close_tab(&mut self, words: &str, looked: &Looked) -> Turn {
        if let Err(over) = self.counsel.take_step() {
            return Ok(Some(over_budget(&over)));
        }
        let action = Action { method: Method::CloseTab, ..Action::default() };
        let mut pending = self.driven.before(&action, None, None, &looked.sight);
        pending.in_tab(self.browsing.tab_number());
        let number = self.result.executed + 1;
        self.scribe.intent(number, pending.step(), None, true).await?;
        let now = match self.browsing.close_front().await {
            Ok(now) => now,
            Err(error) => return Ok(self.refuse(words, &error.message)),
        };
        self.scribe.step(pending.step(), StepReport { number, ..StepReport::default() }).await?;
        self.result.executed = number;
        self.refusals = 0;
        self.driven.opened(pending, Vec::new());
        self.history.push(format!("{words}: tab {now} is in front now"));
        Ok(None)
    }

    /// Checkpoints count from the first act after which they hold.
    pub(super) async fn look_at_checkpoints(&mut self) {
        for checkpoint in self.open_checkpoints() {
            let looked = self.look_at(checkpoint).await;
            if looked.holds {
                self.note_checkpoint(looked).await;
            }
        }
    }

    /// Those that have not held yet.
    fn open_checkpoints(&self) -> Vec<&'a Checkpoint> {
        let known = |name: &str| self.result.checkpoints.iter().any(|known| known.name == name);
        self.task.checkpoints.iter().filter(|checkpoint| !known(&checkpoint.name)).collect()
    }

    /// How one stands now; of a page that cannot be asked it does not hold.
    async fn look_at(&self, checkpoint: &Checkpoint) -> CheckpointResult {
        let (checks, inputs) = (checkpoint.checks.clone(), self.task.inputs.clone());
        let looked = self.browsing.check(checks, inputs, Duration::ZERO).await;
        CheckpointResult {
            name: checkpoint.name.clone(),
            step: self.result.executed,
            gating: checkpoint.gating,
            holds: looked.as_ref().is_ok_and(|checks| checks.iter().all(|check| check.holds)),
            checks: looked.unwrap_or_default(),
        }
    }

    async fn note_checkpoint(&mut self, result: CheckpointResult) {
        self.scribe.say(lines::checkpoint(&result)).await;
        self.result.checkpoints.push(result);
    }

    /// Those that never held are told at the end, and a gating one is the end.
    pub(super) async fn judge_checkpoints(&mut self, end: End) -> End {
        let mut gate = None;
        for checkpoint in self.open_checkpoints() {
            // What holds only now, where nothing follows any more, did not hold along the way.
            let never = CheckpointResult { holds: false, ..self.look_at(checkpoint).await };
            if never.gating {
                gate.get_or_insert_with(|| never.name.clone());
            }
            self.note_checkpoint(never).await;
        }
        match (end, gate) {
            (End::Completed(_), Some(name)) => {
                failed("checkpoint", &format!("{name} holds along the way"), "it never did", "")
            }
            (end, _) => end,
        }
    }
}
