//! From the way in which playing ended to the one of four results, and the exit code.

use cairn_core::script::Script;
use cairn_core::wire::page::CheckResult;

use super::api::{Cache, Ending, RetryPolicy, RunOptions, RunResult};
use super::lines;
use super::outputs::{self, Misread};
use super::replay::{End, Fault, Loss, Outcomes};
use crate::exit::{Exit, Failure};

/// Fills a result's fields from the way in which playing ended. What is known before (run, tier, times) is left alone.
pub fn judge(result: &mut RunResult, played: &Outcomes, script: &Script, retries: RetryPolicy) {
    result.steps_executed = played.executed;
    result.sent = played.sent;
    result.trusted.clone_from(&played.trusted);
    result.url.clone_from(&played.url);
    result.engine.clone_from(&played.engine);
    result.checkpoints.clone_from(&played.checkpoints);
    let (outputs, misread) = outputs::read(script, &played.extracted);
    result.outputs = outputs;
    let passed_cache = if result.healed.is_empty() { Cache::Hit } else { Cache::Healed };
    match &played.end {
        End::Completed(goal) => {
            result.goal.clone_from(goal);
            result.cache = passed_cache;
            match (goal.iter().find(|check| !check.holds), misread) {
                (Some(failed), _) => goal_failed(result, failed),
                (None, Some(misread)) => output_failed(result, misread),
                (None, None) => result.result = Ending::Success,
            }
        }
        End::Diverged(report) => {
            let divergence = report.divergence.clone().unwrap_or_default();
            result.result = Ending::HardFailure;
            result.cache = Cache::Diverged;
            result.step = Some(report.number);
            result.condition = Some(lines::condition(divergence.condition).to_owned());
            result.expected = Some(divergence.expected);
            result.observed = Some(divergence.observed);
            result.hint = Some(LOOK.to_owned());
        }
        End::Outcome { number, code, detail } => {
            let transient = script.recoverable.iter().any(|outcome| outcome.code == *code);
            result.result = if transient { Ending::Recoverable } else { Ending::BusinessOutcome };
            result.cache = passed_cache;
            result.detail = Some(detail.clone());
            if transient {
                result.step = Some(*number);
                result.condition = Some(code.clone());
                result.retry_policy = Some(retries);
            } else {
                result.outcome = Some(code.clone());
            }
        }
        End::Lost(loss) => lost(result, loss),
        End::Failed(fault) => failed(result, fault),
        End::Busy { number, observed, attempts, waited_ms } => {
            result.result = Ending::Recoverable;
            result.cache = Cache::Uncached;
            result.step = Some(*number).filter(|step| *step > 0);
            result.condition = Some("model".into());
            result.detail = Some(observed.clone());
            result.retry_policy = Some(RetryPolicy { attempts: *attempts, waited_ms: *waited_ms });
        }
        // Who plays on takes this end away; left standing it is a defect, and no success.
        End::ForModel => result.result = Ending::HardFailure,
        End::Interrupted(reason) => {
            result.result = Ending::HardFailure;
            result.condition = Some("interrupted".into());
            result.expected = Some("the run's own end".into());
            result.observed = Some(reason.clone());
        }
    }
}

fn goal_failed(result: &mut RunResult, failed: &CheckResult) {
    result.result = Ending::HardFailure;
    result.condition = Some("goal".into());
    result.expected = Some(failed.expected.clone());
    result.observed = Some(failed.observed.clone());
}

fn output_failed(result: &mut RunResult, misread: Misread) {
    result.result = Ending::HardFailure;
    result.step = misread.step;
    result.condition = Some("output".into());
    result.expected = Some(misread.expected);
    result.observed = Some(misread.observed);
}

/// What the host demanded of the run and the script could not give: it says nothing of the script's targets.
fn failed(result: &mut RunResult, fault: &Fault) {
    result.result = Ending::HardFailure;
    result.cache = Cache::Diverged;
    result.step = fault.step;
    result.condition = Some(fault.condition.to_owned());
    result.expected = Some(fault.expected.clone());
    result.observed = Some(fault.observed.clone());
    result.hint = Some(fault.hint.clone()).filter(|hint| !hint.is_empty());
}

fn lost(result: &mut RunResult, loss: &Loss) {
    result.result = Ending::HardFailure;
    result.cache = Cache::Uncached;
    result.step = loss.step;
    result.condition = Some("lost".into());
    result.expected = Some("a page that answers".into());
    let may_have = if loss.acted { "; the step may have happened and is not repeated" } else { "" };
    result.observed = Some(format!("{}{may_have}", loss.observed));
    if !loss.hint.is_empty() {
        result.hint = Some(loss.hint.clone());
    }
}

/// The run could not be written down any further, and was ended for it: nothing may be sent without its intent on the disk.
pub fn unkept(result: &mut RunResult, failure: &Failure) {
    result.result = Ending::HardFailure;
    result.cache = Cache::Uncached;
    result.condition = Some("evidence".into());
    result.expected = Some("a place for the evidence".into());
    result.observed = Some(failure.message.clone());
    result.hint = Some(failure.next.clone());
}

/// The exit code of a result under the caller's flags. `browser_ended`: our own browser is gone.
pub fn exit(result: &RunResult, options: &RunOptions, browser_ended: bool) -> Exit {
    match result.result {
        Ending::Success if exceeds_budget(result, options) => Exit::Healed,
        Ending::Success => Exit::Success,
        Ending::BusinessOutcome if options.expect.is_some() && options.expect == result.outcome => {
            Exit::Success
        }
        Ending::BusinessOutcome => Exit::BusinessOutcome,
        Ending::Recoverable => Exit::Recoverable,
        Ending::HardFailure if result.condition.as_deref() == Some("interrupted") => Exit::Interrupted,
        Ending::HardFailure if browser_ended && result.condition.as_deref() == Some("lost") => {
            Exit::NoBrowser
        }
        Ending::HardFailure => Exit::Failed,
    }
}

/// `--fail-on-heal` is a budget of none.
fn exceeds_budget(result: &RunResult, options: &RunOptions) -> bool {
    let budget = if options.fail_on_heal { Some(0) } else { options.heal_budget };
    budget.is_some_and(|budget| result.healed.len() > budget as usize)
}

/// What to do next where a page is not as it was.
const LOOK: &str =
    "look at what the page showed in the evidence; where it has changed for good, record the step again";

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::ladder::Rung;
    use cairn_core::script::Recoverable;
    use cairn_core::wire::page::{Diverged, Divergence, StepReport};

    use crate::engine::api::HealedStep;

    fn played(end: End) -> Outcomes {
        Outcomes { end, executed: 2, url: "http://a/".into(), engine: "wasm".into(), ..Outcomes::default() }
    }

    fn judged(end: End, healed: bool) -> RunResult {
        let mut result = RunResult::default();
        if healed {
            result.healed.push(HealedStep {
                step: 1,
                instruction: String::new(),
                rung: Rung::RoleName,
                confidence: 0.9,
                margin: 1.0,
                reason: String::new(),
                runner_up: None,
                repointed: None,
            });
        }
        let script = Script {
            recoverable: vec![Recoverable { code: "server_error".into(), ..Recoverable::default() }],
            ..Script::default()
        };
        judge(&mut result, &played(end), &script, RetryPolicy { attempts: 3, waited_ms: 1500 });
        result
    }

    fn check(holds: bool) -> CheckResult {
        CheckResult { holds, expected: "heading \"Thank you\"".into(), observed: "none".into() }
    }

    fn outcome(code: &str) -> End {
        End::Outcome { number: 2, code: code.into(), detail: "seen".into() }
    }

    fn lost() -> End {
        End::Lost(Loss {
            step: Some(3),
            acted: true,
            observed: "the tab crashed".into(),
            hint: "run again".into(),
        })
    }

    #[test]
    fn each_end_is_one_of_four_results() {
        let pass = judged(End::Completed(vec![check(true)]), false);
        assert_eq!((pass.result, pass.cache), (Ending::Success, Cache::Hit));
        let healed = judged(End::Completed(vec![check(true)]), true);
        assert_eq!((healed.result, healed.cache), (Ending::Success, Cache::Healed));
        let goal = judged(End::Completed(vec![check(true), check(false)]), false);
        assert_eq!((goal.result, goal.condition.as_deref()), (Ending::HardFailure, Some("goal")));
        let business = judged(outcome("member_not_found"), false);
        assert_eq!(business.result, Ending::BusinessOutcome);
        assert_eq!(business.outcome.as_deref(), Some("member_not_found"));
        let transient = judged(outcome("server_error"), false);
        assert_eq!(transient.result, Ending::Recoverable);
        assert_eq!(transient.retry_policy.map(|policy| policy.attempts), Some(3));
        let gone = judged(lost(), false);
        assert!(gone.observed.unwrap_or_default().contains("may have happened and is not repeated"));
    }

    #[test]
    fn a_divergence_names_step_expected_and_observed() {
        let divergence = Divergence {
            condition: Diverged::Postcondition,
            expected: "e".into(),
            observed: "o".into(),
            acted: true,
        };
        let report = StepReport { number: 4, divergence: Some(divergence), ..StepReport::default() };
        let result = judged(End::Diverged(Box::new(report)), true);
        assert_eq!(result.cache, Cache::Diverged);
        assert_eq!(result.step, Some(4));
        assert_eq!(result.condition.as_deref(), Some("postcondition"));
        assert_eq!((result.expected.as_deref(), result.observed.as_deref()), (Some("e"), Some("o")));
    }

    #[test]
    fn exit_codes_are_those_of_the_contract() {
        let plain = RunOptions::default();
        let strict = RunOptions { fail_on_heal: true, ..RunOptions::default() };
        let budget = |budget| RunOptions { heal_budget: Some(budget), ..RunOptions::default() };
        let expecting = RunOptions { expect: Some("member_not_found".into()), ..RunOptions::default() };
        let code =
            |end: End, healed, options: &RunOptions, gone| exit(&judged(end, healed), options, gone) as u8;
        let pass = || End::Completed(vec![check(true)]);
        assert_eq!(code(pass(), false, &plain, false), 0);
        assert_eq!(code(pass(), true, &plain, false), 0);
        assert_eq!(code(pass(), true, &strict, false), 3);
        assert_eq!(code(pass(), false, &strict, false), 0);
        assert_eq!(code(pass(), true, &budget(0), false), 3);
        assert_eq!(code(pass(), true, &budget(1), false), 0);
        assert_eq!(code(End::Completed(vec![check(false)]), true, &strict, false), 1);
        assert_eq!(code(outcome("member_not_found"), false, &plain, false), 7);
        assert_eq!(code(outcome("member_not_found"), false, &expecting, false), 0);
        assert_eq!(code(outcome("other"), false, &expecting, false), 7);
        assert_eq!(code(outcome("server_error"), false, &plain, false), 8);
        assert_eq!(code(lost(), false, &plain, false), 1);
        assert_eq!(code(lost(), false, &plain, true), 6);
        assert_eq!(code(End::Interrupted("by Ctrl-C".into()), false, &plain, false), 130);
    }
}
