//! Checkpoints: named checks along the way. The batch ends behind the step of the next one, with its checks in the place
//! of the goal's, so that the page looks at them where it would look at the goal.

use std::ops::ControlFlow;

use cairn_core::script::{Checkpoint, Condition, Script};
use cairn_core::wire::page::CheckResult;

use super::api::CheckpointResult;
use super::lines;
use super::replay::{Conductor, End, Fault};
use super::tab::{Tab, TabEvents};
use crate::exit::{ErrorKind, Failure};

/// The checkpoints in the order in which a run comes by.
///
/// # Errors
/// `BadFile` for one that stands behind a step which is not there, or demands nothing.
pub fn in_order(script: &Script) -> Result<Vec<Checkpoint>, Failure> {
    let mut checkpoints = script.checkpoints.clone();
    for one in &checkpoints {
        let bad = |what: String, next: &str| Err(Failure::new(ErrorKind::BadFile, what, next));
        // A test without steps yet says by them what a model has to come by.
        if !script.steps.is_empty() && one.after as usize > script.steps.len() {
            let what = format!(
                "the checkpoint `{}` stands behind step {}, and there are {} steps",
                one.name,
                one.after,
                script.steps.len()
            );
            return bad(what, "mend its After");
        }
        if one.checks.is_empty() {
            return bad(format!("the checkpoint `{}` checks nothing", one.name), "give it Checks");
        }
    }
    checkpoints.sort_by_key(|one| one.after);
    Ok(checkpoints)
}

impl<T: Tab, E: TabEvents> Conductor<'_, T, E> {
    fn next_checkpoint(&self) -> Option<&Checkpoint> {
        self.plan.checkpoints.get(self.result.checkpoints.len())
    }

    /// The last step of the batch to come, and what is to be looked at behind it.
    pub(super) fn stretch(&self) -> (u32, Vec<Condition>) {
        match self.next_checkpoint() {
            Some(checkpoint) => (checkpoint.after, checkpoint.checks.clone()),
            None => (self.plan.steps.len() as u32, self.plan.goal.clone()),
        }
    }

    /// A checkpoint is to be looked at before the next step.
    pub(super) fn is_at_checkpoint(&self) -> bool {
        self.next_checkpoint().is_some_and(|checkpoint| checkpoint.after < self.next)
    }

    /// The steps up to a checkpoint are done, or all of them are.
    pub(super) async fn stretch_done(&mut self, checks: Vec<CheckResult>) -> ControlFlow<End> {
        let Some(checkpoint) = self.next_checkpoint().cloned() else {
            return ControlFlow::Break(End::Completed(checks));
        };
        let failed = checks.iter().find(|check| !check.holds).cloned();
        let result = CheckpointResult {
            name: checkpoint.name.clone(),
            step: checkpoint.after,
            gating: checkpoint.gating,
            holds: failed.is_none(),
            checks,
        };
        self.scribe.say(lines::checkpoint(&result)).await;
        self.result.checkpoints.push(result);
        self.progress();
        match failed {
            Some(failed) if checkpoint.gating => ControlFlow::Break(End::Failed(Box::new(Fault {
                step: Some(checkpoint.after).filter(|step| *step > 0),
                condition: "checkpoint",
                expected: format!("{}: {}", checkpoint.name, failed.expected),
                observed: failed.observed,
                hint: String::new(),
            }))),
            _ => ControlFlow::Continue(()),
        }
    }
}
