//! The whole rest of a script in one document.

use std::rc::Rc;

use cairn_core::script::Condition;
use cairn_core::wire::page::{Batch, BatchEnd, CheckResult, PageEvent, Played, PriorStep};

use super::judge::Judge;
use super::line::{Line, Stop};
use super::ready::is_for_host;
use super::run::Run;
use super::step::Player;
use crate::check::Inputs;
use crate::page::Page;
use crate::wait::{DEFAULT_BOUND_MS, Deadline};

/// Plays a batch to its end in this document.
pub async fn play(page: Rc<Page>, run: Rc<Run>, batch: Batch) -> Played {
    let bound_ms = bound(batch.bound_ms);
    let judge = Judge { page: &page, inputs: &batch.inputs, outcomes: &batch.outcomes };
    let player =
        Player { judge, run: &run, policy: batch.policy, input: batch.input, files: &batch.files, bound_ms };
    let mut conductor = Conductor { page: &page, player, last: batch.first.saturating_sub(1) };
    let mut goal = Vec::new();
    let end = match conductor.conduct(&batch).await {
        Ok(Some(results)) => {
            goal = results;
            BatchEnd::Completed
        }
        Ok(None) => BatchEnd::HostStep,
        Err(Stop::Diverged(_)) => BatchEnd::Diverged,
        Err(Stop::Outcome { code, detail }) => {
            let number = conductor.last;
            page.tell(PageEvent::Outcome { run: run.id.clone(), number, code, detail });
            BatchEnd::Outcome
        }
        Err(Stop::Leaving | Stop::Unmoved) => BatchEnd::Leaving,
        Err(Stop::Cancelled) => BatchEnd::Cancelled,
    };
    Played { last: conductor.last, end, goal }
}

struct Conductor<'a> {
    page: &'a Page,
    player: Player<'a>,
    last: u32,
}

impl Conductor<'_> {
    /// The goal's results, or `None` where the next step is the host's.
    async fn conduct(&mut self, batch: &Batch) -> Result<Option<Vec<CheckResult>>, Stop> {
        if let Some(prior) = &batch.prior {
            self.judge_prior(prior).await?;
        }
        for (number, step) in (batch.first..).zip(&batch.steps) {
            if is_for_host(step) {
                return Ok(None);
            }
            let mut line = Line::begin(number);
            let played = self.player.play(number, step, &mut line).await;
            self.report(number, line, &played);
            played?;
            self.player.judge.outcome()?;
        }
        self.page.go_on()?;
        self.goal(&batch.goal).await.map(Some)
    }

    /// The step that brought this document is judged here and not acted again.
    async fn judge_prior(&mut self, prior: &PriorStep) -> Result<(), Stop> {
        let mut line = Line::begin(prior.number);
        line.found.clone_from(&prior.found);
        let deadline = Deadline::after(self.player.bound_ms);
        let judged =
            self.player.judge.after(&prior.step.postcondition, None, None, deadline, &mut line).await;
        self.report(prior.number, line, &judged);
        judged?;
        self.player.judge.outcome()
    }

    /// A step that is done, or that diverged, has its line; one that ended for another reason is judged elsewhere.
    fn report(&mut self, number: u32, line: Line, played: &Result<(), Stop>) {
        let divergence = match played {
            Ok(()) => None,
            Err(Stop::Diverged(divergence)) => Some(divergence.clone()),
            Err(Stop::Outcome { .. } | Stop::Leaving | Stop::Unmoved | Stop::Cancelled) => return,
        };
        self.last = number;
        let report = Box::new(line.end(divergence));
        self.page.note(PageEvent::Step { run: self.player.run.id.clone(), report });
    }

    async fn goal(&self, goal: &[Condition]) -> Result<Vec<CheckResult>, Stop> {
        self.player.judge.all(goal, Deadline::after(self.player.bound_ms)).await
    }
}

/// Evaluates checks now, or waits until all hold.
pub async fn check(
    page: &Page,
    conditions: &[Condition],
    inputs: &Inputs,
    bound_ms: u32,
) -> Vec<CheckResult> {
    let judge = Judge { page, inputs, outcomes: &[] };
    judge.all(conditions, Deadline::after(f64::from(bound_ms))).await.unwrap_or_default()
}

/// A bound in milliseconds; 0 means the default.
fn bound(bound_ms: u32) -> f64 {
    if bound_ms == 0 { DEFAULT_BOUND_MS } else { f64::from(bound_ms) }
}
