//! A task from the call to the result: recalled and replayed where it can be, driven by a model where it must be.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_core::script::{Effect, Input, InputType, Postcondition, Script, Step};
use cairn_core::value;
use cairn_core::wire::page::InputValue;

use super::entry::{barred, holds_value};
use super::remember::{Place, place};
use super::skills::{owner, script_of};
use crate::daemon::{Lease, LeaseEvents, Open};
use crate::engine::api::{
    Cache, CacheMode, Caller, ClientEvent, Ending, RetryPolicy, RunEvent, RunResult, TaskRequest, Tier,
};
use crate::engine::browse::Browsing;
use crate::engine::cast::{Job, Ready};
use crate::engine::driven::{Driven, stored};
use crate::engine::evidence::Evidence;
use crate::engine::finding::finding;
use crate::engine::inputs;
use crate::engine::lines::{self, step_words};
use crate::engine::llm::{Advice, Drive, Mending, Task, complete, judged};
use crate::engine::masks::masks;
use crate::engine::replay::{Conductor, End, Fault, Outcomes, Plan};
use crate::engine::run::{keep_failure, not_opened, started};
use crate::engine::scribe::{Events, Scribe};
use crate::engine::session::Engine;
use crate::engine::stop::StopSignal;
use crate::engine::verdict;
use crate::exit::{ErrorKind, Failure};
use crate::store::{HealRate, TaskEntry};

/// How long the start page may take to be there.
const PAGE_BOUND: Duration = Duration::from_secs(30);

/// A call with all that is known before its page is open.
struct Prepared {
    job: Job,
    start: String,
    inputs: BTreeMap<String, InputValue>,
    owner: String,
    skill: Option<TaskEntry>,
}

/// What was recalled, and how far it may be replayed.
struct Recalled {
    script: Script,
    place: Place,
}

/// A call under way: what is asked, who is asked for help, and where all that happens goes.
struct Doing<'a> {
    request: &'a TaskRequest,
    prepared: &'a Prepared,
    scribe: &'a mut Scribe,
    result: &'a mut RunResult,
    advice: &'a mut Advice,
    stop: StopSignal,
}

/// What a replay came to.
enum Replayed {
    /// The result stands.
    Ended,
    /// The model goes on from here: these steps are done.
    GoesOn { done: Vec<Step>, why: String },
}

impl Engine {
    /// Does a task. The result comes as the final event too.
    ///
    /// # Errors
    /// Where nothing could be started.
    pub async fn run_task(
        self: &Arc<Self>,
        request: TaskRequest,
        events: Events,
        stop: StopSignal,
    ) -> Result<RunResult, Failure> {
        let begun = Instant::now();
        let id = ulid::Ulid::generate().to_string().to_lowercase();
        let prepared = self.prepare(&request).await?;
        let mut advice = Advice::new(self.equipment.adviser.clone(), &request.options);
        advice.check()?;
        let evidence = Evidence::create(&self.data, &id)?;
        let mut result = RunResult {
            run: id.clone(),
            script: prepared.job.label.clone(),
            started_at: jiff::Timestamp::now().to_string(),
            evidence: evidence.folder().to_path_buf(),
            ..RunResult::default()
        };
        self.open_books(&prepared.job, &result).await?;
        let (redactor, configure) = masks(&prepared.inputs);
        let mut scribe = Scribe::new(id, None, evidence, Arc::clone(&self.store), events.clone(), redactor);
        scribe.emit(started(&result)).await;
        let open = Open {
            url: Some(prepared.start.clone()),
            engine: request.options.engine,
            viewport: request.options.viewport,
            configure,
            ..Open::default()
        };
        match self.hub.open(open).await {
            Ok((lease, lease_events)) => {
                let _listed = self.runs.list(&result.run, &prepared.job.label);
                let tab = (lease.clone(), lease_events);
                let doing = Doing {
                    request: &request,
                    prepared: &prepared,
                    scribe: &mut scribe,
                    result: &mut result,
                    advice: &mut advice,
                    stop,
                };
                let done = Box::pin(self.carry_out(doing, tab)).await;
                if !matches!(result.result, Ending::Success | Ending::BusinessOutcome) {
                    keep_failure(&lease, &scribe).await;
                }
                lease.close(request.options.keep_open).await;
                if let Err(failure) = done {
                    verdict::unkept(&mut result, &failure);
                    scribe.say(format!("Task Failed: {failure}")).await;
                }
            }
            Err(error) => not_opened(&mut result, &prepared.start, error, &prepared.job.script)?,
        }
        advice.account(&mut result);
        result.by_person.clone_from(&scribe.by_people);
        result.duration_ms = begun.elapsed().as_secs_f64() * 1000.0;
        let audit = std::mem::take(&mut scribe.audit);
        let kept = async {
            self.store.add_audit(&result.run, audit).await?;
            self.finish(&prepared.job, &mut scribe, &mut result).await
        };
        if let Err(failure) = kept.await {
            scribe.say(format!("warning: the result is not kept: {failure}")).await;
        }
        let event = ClientEvent::Run { event: RunEvent::Finished { result: Box::new(result.clone()) } };
        // Nobody may listen any more; the result is on the disk.
        let _ = events.send(event).await;
        Ok(result)
    }

    /// Everything that can be refused before a browser is there.
    ///
    /// # Errors
    /// `Usage`, `BadInput`, `NothingSelected`, each with the next step.
    pub async fn check_task(&self, request: &TaskRequest) -> Result<(), Failure> {
        self.prepare(request).await?;
        Advice::new(self.equipment.adviser.clone(), &request.options).check()
    }

    async fn prepare(&self, request: &TaskRequest) -> Result<Prepared, Failure> {
        let owner = if request.owner.is_empty() { owner() } else { request.owner.clone() };
        let skill = match &request.skill {
            Some(name) => Some(self.skill_entry(&owner, name).await?),
            None => None,
        };
        let script = match &skill {
            Some(entry) => script_of(entry)?,
            None => skeleton(request)?,
        };
        let label = request.skill.clone().unwrap_or_else(|| lines::clean(&request.goal));
        let job = Job {
            label,
            test: None,
            script,
            options: request.options.clone(),
            rate: HealRate::default(),
            scripted: skill.is_some(),
        };
        let Ready { start, plan } = self.ready(&job, &request.inputs)?;
        Ok(Prepared { job, start, inputs: plan.inputs, owner, skill })
    }

    async fn carry_out(
        &self,
        mut doing: Doing<'_>,
        (lease, events): (Lease, LeaseEvents),
    ) -> Result<(), Failure> {
        let (request, prepared) = (doing.request, doing.prepared);
        let browsing = Browsing::over(lease, events);
        let page = match browsing.opened(PAGE_BOUND).await {
            Ok(()) => browsing.settled(false).await.unwrap_or_default(),
            Err(error) => return not_opened(doing.result, &prepared.start, error, &prepared.job.script),
        };
        let place = match &prepared.skill {
            Some(entry) => Place { owner: entry.owner.clone(), key: entry.key.clone() },
            None => place(request, &page.url, &page.title, &prepared.inputs, &prepared.owner),
        };
        let recalled = match &prepared.skill {
            Some(entry) if request.cache == CacheMode::Auto => Some(entry.clone()),
            _ => self.recall(request, &place).await?,
        };
        let recalled = usable(recalled, (prepared, &request.inputs), doing.scribe, &place).await;
        let mut tab = browsing.into_parts();
        let (mut done, mut why) = (Vec::new(), None);
        if let Some(recalled) = recalled {
            match Box::pin(self.replay_entry(&mut doing, &recalled, &mut tab)).await? {
                Replayed::Ended => return Ok(()),
                Replayed::GoesOn { done: steps, why: reason } => (done, why) = (steps, Some(reason)),
            }
        }
        Box::pin(self.drive_task(doing, place, tab, (done, why))).await
    }

    /// One speculative batch; what moved is found by the ladder, what cannot be found gets one decision.
    async fn replay_entry(
        &self,
        doing: &mut Doing<'_>,
        recalled: &Recalled,
        (lease, events): &mut (Lease, LeaseEvents),
    ) -> Result<Replayed, Failure> {
        let Doing { request, prepared, scribe, result, advice, stop } = doing;
        let script = &recalled.script;
        let job = Job { script: script.clone(), label: prepared.job.label.clone(), ..fresh(&prepared.job) };
        let Ready { plan, .. } = self.ready(&job, &request.inputs)?;
        let mut plan = Plan { run: result.run.clone(), ..plan };
        let barred = barred(&script.steps, &request.only, request.allow_risky);
        if let Some((number, _)) = &barred {
            plan.steps.truncate(*number as usize - 1);
            plan.goal.clear();
        }
        result.tier = Tier::ReplayWithHeal;
        result.tier_reason = "done before".into();
        result.steps_total = script.steps.len() as u32;
        scribe.tier(result.tier, &result.tier_reason).await?;
        let played = if plan.steps.is_empty() {
            Outcomes { end: End::Completed(Vec::new()), ..Outcomes::default() }
        } else {
            let adopt = self.adopter(request.options.engine);
            let mut conductor = Conductor::new(&*lease, events, &plan, scribe, stop.clone());
            conductor.adopt = Some(adopt.as_ref());
            let hand = self.runs.signal(&result.run);
            conductor.hand = hand.clone();
            let played = match conductor.first_page().await? {
                Ok(_) => Box::pin(conductor.play(finding(&request.options, result.tier))).await?,
                Err(outcomes) => outcomes,
            };
            let goal = script.goal.as_str();
            let asks = advice.is_there();
            let (options, adopt) = (&request.options, adopt.as_ref());
            let mending = Mending { goal, asks, options, stop: stop.clone(), hand, adopt };
            Box::pin(mending.mend((&*lease, events), &plan, played, scribe, advice)).await?
        };
        result.healed.clone_from(&scribe.healed);
        let learnt = with_heals(script, result);
        let why = match (&played.end, &barred) {
            (End::Completed(_), Some((_, why))) => why.clone(),
            (End::Diverged(report), _) => {
                lines::diverged(report.number, &report.divergence.clone().unwrap_or_default())
            }
            (End::Completed(goal), None) => match goal.iter().find(|check| !check.holds) {
                Some(failed) => lines::goal_failed(failed),
                None => String::new(),
            },
            _ => String::new(),
        };
        verdict::judge(result, &played, &learnt, RetryPolicy::default());
        if !why.is_empty() && advice.is_there() {
            return Ok(Replayed::GoesOn { done: replayed(&learnt, &played), why });
        }
        if let (Some((number, why)), false) = (barred, advice.is_there()) {
            refuse(result, number, why);
        }
        if result.result == Ending::Success && !result.healed.is_empty() {
            // The entry is the cache's own: a heal rewrites it. A test's script is never touched.
            let place = recalled.place.clone();
            let known = (&learnt, learnt.goal_postconditions.as_slice());
            self.remember(request, place, known, &prepared.inputs, result, scribe).await?;
        } else if result.result == Ending::Success && request.save_as.is_some() {
            let place = recalled.place.clone();
            let known = (script, script.goal_postconditions.as_slice());
            self.remember(request, place, known, &prepared.inputs, result, scribe).await?;
        }
        scribe
            .say(format!(
                "Task {}: {} steps, {} healed",
                words(result),
                result.steps_executed,
                result.healed.len()
            ))
            .await;
        Ok(Replayed::Ended)
    }

    /// The model goes on from the screen that is there.
    async fn drive_task(
        &self,
        doing: Doing<'_>,
        place: Place,
        (lease, events): (Lease, LeaseEvents),
        (done, why): (Vec<Step>, Option<String>),
    ) -> Result<(), Failure> {
        let Doing { request, prepared, scribe, result, advice, stop } = doing;
        if !advice.is_there() {
            let fault = Fault {
                condition: "model",
                expected: "a model, since this was not done before".into(),
                observed: "none is configured".into(),
                hint: "set CAIRN_MODEL to PROVIDER/MODEL".into(),
                ..Fault::default()
            };
            let played = Outcomes { end: End::Failed(Box::new(fault)), ..Outcomes::default() };
            verdict::judge(result, &played, &prepared.job.script, RetryPolicy::default());
            result.cache = Cache::Miss;
            return Ok(());
        }
        if let Some(why) = &why {
            scribe.say(format!("{why}; going on from here with the model")).await;
        }
        result.tier = Tier::Llm;
        result.tier_reason = if why.is_some() { "the replay diverged" } else { "not done before" }.into();
        scribe.tier(result.tier, &result.tier_reason).await?;
        scribe.hand = "model";
        let Ready { plan, .. } = self.ready(&prepared.job, &request.inputs)?;
        let grounding = !request.options.no_grounding;
        let task = Task {
            only: request.only.clone(),
            // A person at a terminal has asked for it in words.
            risky: request.allow_risky || request.caller == Caller::Terminal,
            ..Task::of(&prepared.job.label, &prepared.job.script, &plan.inputs, &plan.origins, grounding)
        };
        let goal = stored(&prepared.job.script.goal, &plan.inputs);
        let driven = Driven::begin(&prepared.job.label, &goal, &prepared.start, "model", plan.inputs.clone());
        let driven = driven.after_steps(&done);
        let mut browsing = Browsing::over(lease, events);
        let judges = advice.judges();
        let counsel = advice.counsel()?;
        let mut drive = Drive::new(&mut browsing, &task, counsel, scribe, stop, driven);
        drive.hand = self.runs.signal(&result.run);
        for step in &done {
            drive.tell(format!("{}: done", step_words(step)));
        }
        let (mut driving, driven, history) = Box::pin(drive.run()).await?;
        if judges {
            judged(&mut driving, &task, counsel, &history, &browsing).await;
        }
        let decided = driving.checks.clone();
        browsing.gather(request.options.keep_open).await;
        let script = driven.script(&driving.checks);
        let script = script.map(|(script, _)| complete(script, &prepared.job.script, &driving.checkpoints));
        self.conclude(&prepared.job, result, driving, script.as_ref().ok(), counsel, scribe).await;
        result.cache = match (&why, request.cache) {
            (Some(_), _) => Cache::Diverged,
            (None, CacheMode::Off) => Cache::Off,
            (None, _) => Cache::Miss,
        };
        result.cache_reason = why;
        match script {
            Ok(script) if result.result == Ending::Success => {
                self.remember(request, place, (&script, &decided), &prepared.inputs, result, scribe).await
            }
            Err(failure) if result.result == Ending::Success => {
                scribe.say(format!("not remembered: {failure}")).await;
                result.cache = Cache::Uncached;
                result.cache_reason = Some(failure.message);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// What was recalled, unless it may not be played.
async fn usable(
    entry: Option<TaskEntry>,
    (prepared, given): (&Prepared, &BTreeMap<String, String>),
    scribe: &Scribe,
    place: &Place,
) -> Option<Recalled> {
    let entry = entry?;
    let script = match script_of(&entry) {
        Ok(script) => script,
        Err(failure) => {
            scribe.say(format!("warning: {failure}")).await;
            return None;
        }
    };
    if let Some(name) = holds_value(&script, &prepared.inputs) {
        scribe.say(format!("what was learnt is refused: the value of `{name}` still stands in it")).await;
        return None;
    }
    // A field that takes numbers says nothing of what the task may be asked for.
    if let Err(failure) = inputs::check(&script, given) {
        scribe.say(format!("what was learnt is for other values: {failure}")).await;
        return None;
    }
    Some(Recalled { script, place: place.clone() })
}

/// A script that says what is to be done and not how.
fn skeleton(request: &TaskRequest) -> Result<Script, Failure> {
    if request.goal.trim().is_empty() || request.url.is_empty() {
        let next = "say it as: cairn do \"GOAL\" --url URL";
        return Err(Failure::new(ErrorKind::Usage, "a task needs a goal and a page to begin on", next));
    }
    let given = |(name, value): (&String, &String)| {
        let secret = request.secret_inputs.contains(name);
        (name.clone(), InputValue { value: value.clone(), secret })
    };
    let inputs: BTreeMap<String, InputValue> = request.inputs.iter().map(given).collect();
    if let Some(name) = request.secret_inputs.iter().find(|name| !inputs.contains_key(*name)) {
        let message = format!("there is no input `{name}` to keep secret");
        return Err(Failure::new(ErrorKind::Usage, message, "give it with --input").at("--secret"));
    }
    let declare = |(name, input): (&String, &InputValue)| {
        let declared =
            Input { kind: InputType::String, required: true, secret: input.secret, ..Input::default() };
        (name.clone(), declared)
    };
    let text = |text: &Option<String>| text.as_ref().map(|text| stored(text, &inputs));
    let checks = request.checks.iter().map(|check| cairn_core::script::Condition {
        name: text(&check.name),
        text: text(&check.text),
        value: text(&check.value),
        ..check.clone()
    });
    Ok(Script {
        goal: request.goal.clone(),
        start_url: value::templatize(&request.url, &inputs),
        inputs: inputs.iter().map(declare).collect(),
        goal_postconditions: checks.collect(),
        ..Script::default()
    })
}

fn fresh(job: &Job) -> Job {
    Job {
        label: job.label.clone(),
        test: None,
        script: Script::default(),
        options: job.options.clone(),
        rate: HealRate::default(),
        scripted: true,
    }
}

/// The script with the targets that this run found.
fn with_heals(script: &Script, result: &RunResult) -> Script {
    let mut learnt = script.clone();
    for healed in &result.healed {
        let step = learnt.steps.get_mut((healed.step as usize).wrapping_sub(1));
        if let (Some(step), Some(target)) = (step, &healed.repointed) {
            step.action.target = Some(target.as_ref().clone());
        }
    }
    learnt
}

/// The steps that are done when a replay ends. One that was acted and did not do what it did counts, without its conditions.
fn replayed(script: &Script, played: &Outcomes) -> Vec<Step> {
    let count = match &played.end {
        End::Diverged(report) => report.number as usize - 1,
        _ => played.executed as usize,
    };
    let mut done: Vec<Step> = script.steps.iter().take(count).cloned().collect();
    if let End::Diverged(report) = &played.end
        && report.divergence.as_ref().is_some_and(|divergence| divergence.acted)
        && let Some(step) = script.steps.get(count)
    {
        done.push(Step {
            postcondition: Postcondition::default(),
            effect: Effect::default(),
            ..step.clone()
        });
    }
    done
}

/// Without a model nobody can decide anew what the call does not allow to be replayed.
fn refuse(result: &mut RunResult, number: u32, why: String) {
    result.result = Ending::HardFailure;
    result.cache = Cache::Diverged;
    result.step = Some(number);
    result.condition = Some("allowed".into());
    result.expected = Some("a step that the call allows to be replayed".into());
    result.observed = Some(why.clone());
    result.cache_reason = Some(why);
    result.hint = Some("allow it with --allow-risky, or set CAIRN_MODEL so that it is decided anew".into());
}

fn words(result: &RunResult) -> &'static str {
    match result.result {
        Ending::Success => "Completed",
        Ending::BusinessOutcome => "Ended",
        Ending::Recoverable | Ending::HardFailure => "Failed",
    }
}
