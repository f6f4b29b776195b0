//! Where a run goes to the model: from the page that is open, or clean from the start.

use std::time::Duration;

use cairn_core::script::{Checkpoint, Script, ScriptFile, write};
use cairn_core::wire::page::CheckResult;

use super::advice::Advice;
use super::drive::{Drive, Driving};
use super::task::Task;
use crate::daemon::{Lease, LeaseEvents, Open};
use crate::engine::api::{Cache, CheckpointResult, Ending, RetryPolicy, RunResult, Tier};
use crate::engine::browse::Browsing;
use crate::engine::cast::{Cast, Job};
use crate::engine::driven::Driven;
use crate::engine::replay::{End, Fault, Loss, Outcomes};
use crate::engine::run::{Next, keep_failure};
use crate::engine::scribe::Scribe;
use crate::engine::session::Engine;
use crate::engine::stop::StopSignal;
use crate::engine::{lines, origins, verdict};
use crate::exit::Failure;
use crate::model::{Agreement, Counsel, Glance, judging};

/// How long a page may take to be there before the model is asked.
const PAGE_BOUND: Duration = Duration::from_secs(30);

impl Engine {
    /// What follows when a tab was played in. The tab is closed at the end, unless it is to be kept.
    pub(in crate::engine) async fn go_on(
        &self,
        next: Result<Next, Failure>,
        cast: &Cast,
        (lease, events): (Lease, LeaseEvents),
        scribe: &mut Scribe,
        result: &mut RunResult,
        (advice, stop): (&mut Advice, StopSignal),
    ) -> Result<(), Failure> {
        let keep_open = cast.job.options.keep_open;
        match next {
            Ok(Next::Drive) => {
                let driven = Box::pin(self.drive(cast, &lease, events, scribe, result, (advice, stop))).await;
                lease.close(keep_open).await;
                driven
            }
            Ok(Next::Restart) => {
                lease.close(false).await;
                let (lease, events) = match self.clean_tab(cast, result).await {
                    Ok(tab) => tab,
                    Err(failure) => {
                        scribe.say(format!("no clean start for the model: {failure}")).await;
                        return Ok(());
                    }
                };
                result.tier = Tier::Llm;
                result.tier_reason = "the replay diverged".into();
                scribe.tier(result.tier, &result.tier_reason).await?;
                let driven = Box::pin(self.drive(cast, &lease, events, scribe, result, (advice, stop))).await;
                result.cache = Cache::Diverged;
                lease.close(keep_open).await;
                driven
            }
            other => {
                lease.close(keep_open).await;
                other.map(drop)
            }
        }
    }

    /// A tab at the start page that nothing of the replay is left in: our own browser forgets what it was told.
    async fn clean_tab(&self, cast: &Cast, result: &RunResult) -> Result<(Lease, LeaseEvents), Failure> {
        if let Some(rinse) = &self.equipment.rinse {
            let steps = cast.job.script.steps.iter().map(|step| step.url_before.as_str());
            let urls = steps.chain([cast.start.as_str(), result.url.as_str()]);
            let mut visited: Vec<String> = urls.filter_map(origins::origin).collect();
            visited.sort_unstable();
            visited.dedup();
            rinse(visited).await?;
        }
        let (_, configure) = cast.masks();
        let open = Open {
            url: Some(cast.start.clone()),
            engine: cast.job.options.engine,
            viewport: cast.job.options.viewport,
            configure,
            ..Open::default()
        };
        Ok(self.hub.open(open).await?)
    }

    /// The model drives from the page that is open; the result says how that ended.
    async fn drive(
        &self,
        cast: &Cast,
        lease: &Lease,
        events: LeaseEvents,
        scribe: &mut Scribe,
        result: &mut RunResult,
        (advice, stop): (&mut Advice, StopSignal),
    ) -> Result<(), Failure> {
        let Cast { job, plan, start, .. } = cast;
        let judges = advice.judges();
        let counsel = advice.counsel()?;
        let name = job.test.clone().unwrap_or_else(|| job.label.clone());
        let task = Task::of(&name, &job.script, &plan.inputs, &plan.origins, !job.options.no_grounding);
        let driven = Driven::begin(&name, &job.script.goal, start, "model", plan.inputs.clone());
        let mut browsing = Browsing::over(lease.clone(), events);
        scribe.hand = "model";
        let (mut driving, driven, history) = match browsing.opened(PAGE_BOUND).await {
            Ok(()) => {
                let mut drive = Drive::new(&mut browsing, &task, counsel, scribe, stop, driven);
                drive.hand = self.runs.signal(&result.run);
                Box::pin(drive.run()).await?
            }
            Err(error) => {
                let loss = Loss { observed: error.message, hint: error.hint, ..Loss::default() };
                (Driving { end: End::Lost(loss), ..Driving::default() }, driven, Vec::new())
            }
        };
        if judges {
            judged(&mut driving, &task, counsel, &history, &browsing).await;
        }
        browsing.gather(job.options.keep_open).await;
        let script = driven.script(&driving.checks);
        let script = script.map(|(script, _)| complete(script, &job.script, &driving.checkpoints));
        self.conclude(job, result, driving, script.as_ref().ok(), counsel, scribe).await;
        if result.result == Ending::Success {
            self.keep_script(job, &name, script, scribe, result).await?;
        } else if result.result != Ending::BusinessOutcome {
            keep_failure(lease, scribe).await;
        }
        Ok(())
    }

    pub(in crate::engine) async fn conclude(
        &self,
        job: &Job,
        result: &mut RunResult,
        driving: Driving,
        script: Option<&Script>,
        counsel: &Counsel,
        scribe: &Scribe,
    ) {
        forget_replay(result);
        let said = last_line(&driving.end, driving.executed, counsel);
        let played = Outcomes {
            end: driving.end,
            executed: driving.executed,
            sent: driving.sent || result.sent,
            url: driving.url,
            checkpoints: driving.checkpoints,
            engine: result.engine.clone(),
            ..Outcomes::default()
        };
        verdict::judge(result, &played, script.unwrap_or(&job.script), RetryPolicy::default());
        result.steps_total = driving.executed;
        result.outputs = crate::engine::outputs::named(&job.script, &driving.extracted);
        result.cache = if job.options.no_record { Cache::Off } else { Cache::Miss };
        scribe.say(said).await;
    }

    /// A passing run becomes a script: promoted where the test has none, else pending.
    async fn keep_script(
        &self,
        job: &Job,
        name: &str,
        script: Result<Script, Failure>,
        scribe: &Scribe,
        result: &mut RunResult,
    ) -> Result<(), Failure> {
        if job.options.no_record {
            return Ok(());
        }
        let script = match script {
            Ok(script) if !script.steps.is_empty() => script,
            Ok(_) => return Ok(()),
            Err(failure) => {
                scribe.say(format!("not kept: {failure}")).await;
                return Ok(());
            }
        };
        let text = write(&ScriptFile::from(script));
        scribe.evidence.write("script.json", text.clone().into_bytes()).await?;
        if job.test.is_some() {
            let slot = self.store.offer_script(name, text).await?;
            scribe.say(format!("the run is kept as the {} script of {name}", slot.as_str())).await;
            result.slot = Some(slot.as_str().to_owned());
        }
        Ok(())
    }
}

/// What a replay left in the result is not the model's.
fn forget_replay(result: &mut RunResult) {
    result.step = None;
    result.condition = None;
    result.expected = None;
    result.observed = None;
    result.hint = None;
    result.goal.clear();
    result.healed.clear();
}

/// A run that says it passed passes only where the model, asked once more, agrees.
pub async fn judged(
    driving: &mut Driving,
    task: &Task,
    counsel: &mut Counsel,
    history: &[String],
    browsing: &Browsing,
) {
    let End::Completed(checks) = &driving.end else { return };
    if checks.iter().any(|check: &CheckResult| !check.holds) {
        return;
    }
    let sight = browsing.sight().await.unwrap_or_default();
    let texts = sight.told.iter().chain(&sight.text).cloned().collect();
    let glance = Glance { url: sight.url.clone(), title: sight.title.clone(), texts, ..Glance::default() };
    // The page shows today's values: the goal is judged with them, but for the secret ones.
    let shown = task.inputs.iter().filter(|(_, input)| !input.secret);
    let goal =
        shown.fold(task.goal.clone(), |goal, (name, input)| goal.replace(&format!("%{name}%"), &input.value));
    let answer = counsel.ask::<Agreement>(&judging(&goal, history, &glance), |_| Ok(())).await;
    let observed = match answer {
        Ok(Agreement { agrees: true, .. }) => return,
        Ok(Agreement { why, .. }) => why,
        Err(dismay) => format!("the judge gave no answer: {}", dismay.words()),
    };
    driving.end = End::Failed(Box::new(Fault {
        step: None,
        condition: "judge",
        expected: task.goal.clone(),
        observed,
        hint: "look at the run's evidence".into(),
    }));
}

/// The new script with what was declared of the old one.
pub fn complete(script: Script, declared: &Script, came_by: &[CheckpointResult]) -> Script {
    let mut inputs = script.inputs;
    inputs.extend(declared.inputs.clone());
    // A checkpoint stands behind the step after which it held in this run.
    let stands = |checkpoint: &Checkpoint| {
        let held = came_by.iter().find(|one| one.holds && one.name == checkpoint.name)?;
        Some(Checkpoint { after: held.step, ..checkpoint.clone() })
    };
    Script {
        inputs,
        outputs: declared.outputs.clone(),
        checkpoints: declared.checkpoints.iter().filter_map(stands).collect(),
        outcomes: declared.outcomes.clone(),
        recoverable: declared.recoverable.clone(),
        origins: declared.origins.clone(),
        risk: declared.risk.clone(),
        start_url: if declared.start_url.is_empty() { script.start_url } else { declared.start_url.clone() },
        ..script
    }
}

fn last_line(end: &End, executed: u32, counsel: &Counsel) -> String {
    let calls = counsel.spent().calls;
    match end {
        End::Completed(_) => lines::model_completed(executed, calls, counsel.model()),
        End::Outcome { number, code, detail } => lines::outcome(code, *number, detail),
        End::Failed(fault) => format!(
            "Model Failed: {} — expected {}, observed {}",
            fault.condition, fault.expected, fault.observed
        ),
        End::Busy { observed, attempts, .. } => {
            format!("Model Failed: {observed} ({attempts} attempts); try again later")
        }
        End::Lost(loss) => format!("Model Failed: lost — {}", loss.observed),
        End::Interrupted(reason) => format!("Model Interrupted: {reason}"),
        End::Diverged(_) | End::ForModel => "Model Failed".to_owned(),
    }
}
