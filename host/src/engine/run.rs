//! One run from the request to the result: inputs, evidence, lease, tier, replay, verdict.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_core::redact::Redactor;
use cairn_core::script::{Method, Recoverable, Script};
use cairn_core::value;
use cairn_core::wire::page::{Configure, InputValue, PageAnswer, PageRequest};
use cairn_core::wire::{ErrorCode, WireError};

use super::api::{
    ClientEvent, Ending, RetryPolicy, RunEvent, RunOptions, RunRequest, RunResult, RunSource, TestUpload,
    Tier,
};
use super::approval::Asking;
use super::evidence::Evidence;
use super::finding::{check_options, finding, finding_lines};
use super::origins::Origins;
use super::replay::{Conductor, End, Loss, Outcomes, Plan};
use super::scribe::{Events, Scribe};
use super::session::Engine;
use super::stop::StopSignal;
use super::tab::{Tab, TabEvents};
use super::test_file::TestFile;
use super::tier::{Decision, Facts, decide};
use super::{build, checkpoint, inputs, lines, outputs, verdict};
use crate::daemon::Open;
use crate::exit::{ErrorKind, Failure};
use crate::store::{HealRate, RunRecord, Slot, StoreError, StoredTest};

/// The default bound of a wait.
const BOUND: Duration = Duration::from_secs(10);

/// Attempts against a transient condition, the first included.
const ATTEMPTS: u32 = 3;

/// Runs that the heal rate looks at.
const RATE_RUNS: u32 = 10;

/// How long the picture and the snapshot of a failed run may take.
const EVIDENCE_BOUND: Duration = Duration::from_secs(5);

/// What is to be run, found and checked.
pub(super) struct Job {
    pub(super) label: String,
    pub(super) test: Option<String>,
    pub(super) script: Script,
    pub(super) options: RunOptions,
    pub(super) rate: HealRate,
}

impl Engine {
    /// Everything that can be refused before a browser is there.
    ///
    /// # Errors
    /// `Usage`, `BadInput`, `NothingSelected`, each with its place and the next step.
    pub async fn check(&self, request: &RunRequest) -> Result<(), Failure> {
        let job = self.job(request.source.clone(), request.options.clone()).await?;
        check_options(&job.options)?;
        let ready = self.ready(&job, &request.inputs)?;
        self.permit(&job, &Asking::of(request), &ready.plan.inputs).await.map(drop)
    }

    /// Runs a script. The result comes as the final event too.
    ///
    /// # Errors
    /// Where nothing could be started: a bad input, no such test, no browser, no place for the evidence.
    pub async fn run(
        self: &Arc<Self>,
        request: RunRequest,
        events: Events,
        stop: StopSignal,
    ) -> Result<RunResult, Failure> {
        let begun = Instant::now();
        let job = self.job(request.source.clone(), request.options.clone()).await?;
        check_options(&job.options)?;
        let id = ulid::Ulid::generate().to_string().to_lowercase();
        let Ready { start, plan } = self.ready(&job, &request.inputs)?;
        let plan = Plan { run: id.clone(), ..plan };
        let values = &plan.inputs;
        let permit = self.permit(&job, &Asking::of(&request), values).await?;
        let evidence = Evidence::create(&self.data, &id)?;
        let secrets: Vec<_> = values.iter().filter(|(_, input)| input.secret).collect();
        let redactor =
            Redactor::new(secrets.iter().map(|(name, input)| (name.as_str(), input.value.as_str())));
        let started_at = jiff::Timestamp::now().to_string();
        let record = RunRecord {
            id: id.clone(),
            test: job.test.clone(),
            script: job.label.clone(),
            started_at: started_at.clone(),
            result: None,
            evidence: evidence.folder().display().to_string(),
        };
        self.store.begin_run(record).await?;
        let configure = Configure {
            secrets: secrets.iter().map(|(name, input)| ((*name).clone(), input.value.clone())).collect(),
            ..Configure::default()
        };
        let mut result = RunResult {
            run: id.clone(),
            script: job.label.clone(),
            steps_total: job.script.steps.len() as u32,
            started_at,
            evidence: evidence.folder().to_path_buf(),
            ..RunResult::default()
        };
        let store = Arc::clone(&self.store);
        let mut scribe = Scribe::new(id, job.test.clone(), evidence, store, events.clone(), redactor);
        scribe.emit(started(&result)).await;
        for name in outputs::unread(&job.script) {
            scribe.say(format!("warning: no step reads the output `{name}`")).await;
        }
        let open = Open {
            url: Some(start.clone()),
            engine: job.options.engine,
            viewport: job.options.viewport,
            configure,
            ..Open::default()
        };
        match self.hub.open(open).await {
            Ok((lease, mut lease_events)) => {
                if let Err(failure) = self.spend(&permit, &result.run).await {
                    lease.close(false).await;
                    return Err(failure);
                }
                let run = Run { job: &job, plan: &plan, start: &start, stop };
                let playing = run.in_tab(&lease, &mut lease_events, &mut scribe, &mut result);
                let played = Box::pin(playing).await;
                lease.close(job.options.keep_open).await;
                played?;
            }
            Err(error) => not_opened(&mut result, &start, error, &job.script)?,
        }
        result.duration_ms = begun.elapsed().as_secs_f64() * 1000.0;
        self.finish(&job, &mut scribe, &mut result).await?;
        if let Some(said) = self.propose(&job, &result).await? {
            scribe.say(said).await;
        }
        let event = ClientEvent::Run { event: RunEvent::Finished { result: Box::new(result.clone()) } };
        // Nobody may listen any more; the result is on the disk.
        let _ = events.send(event).await;
        Ok(result)
    }

    /// A script with its inputs, ready to run.
    pub(super) async fn prepared(
        &self,
        source: &RunSource,
        given: &BTreeMap<String, String>,
    ) -> Result<(Job, BTreeMap<String, InputValue>), Failure> {
        let job = self.job(source.clone(), RunOptions::default()).await?;
        let ready = self.ready(&job, given)?;
        Ok((job, ready.plan.inputs))
    }

    async fn job(&self, source: RunSource, flags: RunOptions) -> Result<Job, Failure> {
        match source {
            RunSource::File { path, script } => Ok(Job {
                label: path,
                test: None,
                script: *script,
                options: flags,
                rate: HealRate::default(),
            }),
            RunSource::Test { name, upload } => self.stored_job(name, upload, flags).await,
        }
    }

    async fn stored_job(
        &self,
        name: String,
        upload: Option<Box<TestUpload>>,
        flags: RunOptions,
    ) -> Result<Job, Failure> {
        let mut known = self.store.test(&name).await?;
        if let (None, Some(upload)) = (&known, upload) {
            self.push(&name, *upload).await?;
            known = self.store.test(&name).await?;
        }
        let known = known.ok_or_else(|| StoreError::Missing { what: "test", name: name.clone() })?;
        let test = definition(&known)?;
        let Some(stored) = self.store.script(&name, Slot::Promoted).await? else {
            return Err(Failure::new(
                ErrorKind::NothingSelected,
                format!("the test `{name}` has no promoted script"),
                format!("record one with `cairn record {name} --url URL`, or promote a pending one"),
            ));
        };
        let rate = self.store.heal_rate(&name, RATE_RUNS).await?;
        let (script, options) = (test.complete(stored.script), test.options(flags));
        Ok(Job { label: name.clone(), test: Some(name), script, options, rate })
    }

    /// Loads a test file into the store and resets both slots.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn push(&self, name: &str, upload: TestUpload) -> Result<(), Failure> {
        let test = StoredTest { name: name.to_owned(), definition: upload.definition };
        self.store.put_test(test).await?;
        self.store.set_slot(name, Slot::Promoted, upload.promoted).await?;
        self.store.set_slot(name, Slot::Pending, upload.pending).await?;
        Ok(())
    }

    /// The last lines, the exit code, `result.json` and the store's row.
    async fn finish(&self, job: &Job, scribe: &mut Scribe, result: &mut RunResult) -> Result<(), Failure> {
        result.exit_code = verdict::exit(result, &job.options, !self.hub.is_connected()) as u8;
        *result = scribe.clean(result.clone());
        let mut text = super::api::line(result);
        // People open this file: one key a line.
        if let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) {
            text = serde_json::to_string_pretty(&value).unwrap_or(text);
        }
        scribe.evidence.write("result.json", text.clone().into_bytes()).await?;
        let ending = serde_json::to_value(result.result).ok();
        let ending = ending.as_ref().and_then(|ending| ending.as_str()).unwrap_or_default();
        let healed = result.healed.len() as u32;
        scribe.store_steps().await;
        self.store.finish_run(&result.run, ending, text, result.steps_executed, healed).await?;
        Ok(())
    }
}

fn started(result: &RunResult) -> RunEvent {
    RunEvent::Started {
        run: result.run.clone(),
        script: result.script.clone(),
        steps: result.steps_total,
        evidence: result.evidence.clone(),
    }
}

/// What is known of a run before its browser opens.
struct Ready {
    start: String,
    plan: Plan,
}

impl Engine {
    /// Everything that can be refused before a browser is there, and what a run is played by.
    fn ready(&self, job: &Job, given: &BTreeMap<String, String>) -> Result<Ready, Failure> {
        let script = &job.script;
        check_methods(script)?;
        outputs::check(script)?;
        let inputs = inputs::check(script, given)?;
        let start = value::expand(script.start(), &inputs).map_err(|error| {
            Failure::new(ErrorKind::BadInput, error.to_string(), "declare it under Inputs")
        })?;
        let origins = Origins::of(script, &start, &inputs)?;
        let seen = script.recoverable.iter().filter_map(Recoverable::outcome);
        let plan = Plan {
            run: String::new(),
            steps: script.steps.clone(),
            goal: script.goal_postconditions.clone(),
            checkpoints: checkpoint::in_order(script)?,
            origins,
            outcomes: script.outcomes.iter().cloned().chain(seen).collect(),
            recoverable: script.recoverable.clone(),
            inputs,
            bound: match job.options.bound_ms {
                0 => BOUND,
                ms => Duration::from_millis(u64::from(ms)),
            },
        };
        Ok(Ready { start, plan })
    }
}

fn definition(test: &StoredTest) -> Result<TestFile, Failure> {
    if test.definition.is_empty() {
        return Ok(TestFile::default());
    }
    serde_json::from_str(&test.definition).map_err(|error| {
        Failure::new(
            ErrorKind::DataFolder,
            format!("the stored test `{}` cannot be read: {error}", test.name),
            "load it again with `cairn push`",
        )
    })
}

/// Steps that no part of this build can do: said before a browser opens.
fn check_methods(script: &Script) -> Result<(), Failure> {
    let unbuilt = |method| matches!(method, Method::SwitchTab | Method::CloseTab | Method::Dialog);
    let Some(at) = script.steps.iter().position(|step| unbuilt(step.action.method)) else { return Ok(()) };
    let method = script.steps[at].action.method.as_str();
    Err(Failure::new(
        ErrorKind::BadFile,
        format!("step {}: this version cannot play `{method}` yet", at + 1),
        "take the step out of the script",
    ))
}

/// The page could not be opened: no browser at all is a failure, a page that does not come is a result.
fn not_opened(result: &mut RunResult, start: &str, error: WireError, script: &Script) -> Result<(), Failure> {
    if error.code == ErrorCode::Disconnected {
        return Err(Failure::from(error));
    }
    let loss = Loss {
        step: None,
        acted: false,
        observed: format!("{start} could not be opened: {}", error.message),
        hint: error.hint,
    };
    let played = Outcomes { end: End::Lost(loss), ..Outcomes::default() };
    verdict::judge(result, &played, script, RetryPolicy::default());
    Ok(())
}

/// A run in its tab.
pub(super) struct Run<'a> {
    pub(super) job: &'a Job,
    pub(super) plan: &'a Plan,
    pub(super) start: &'a str,
    pub(super) stop: StopSignal,
}

impl Run<'_> {
    /// Plays, with fresh attempts against transient conditions, and judges.
    pub(super) async fn in_tab<T: Tab, E: TabEvents>(
        &self,
        tab: &T,
        events: &mut E,
        scribe: &mut Scribe,
        result: &mut RunResult,
    ) -> Result<(), Failure> {
        let mut retries = RetryPolicy { attempts: 1, waited_ms: 0 };
        let played = loop {
            let played = self.attempt(tab, events, scribe, result, retries.attempts == 1).await?;
            if !self.may_retry(&played) || retries.attempts >= ATTEMPTS {
                break played;
            }
            let wait = Duration::from_millis(500 << retries.attempts.min(6));
            scribe.say(format!("transient condition; trying again in {} ms", wait.as_millis())).await;
            tokio::time::sleep(wait).await;
            retries.attempts += 1;
            retries.waited_ms += wait.as_millis() as u64;
            let to = cairn_core::wire::worker::Navigation::Goto { url: self.start.to_owned() };
            if tab.navigate(to).await.is_err() {
                break played;
            }
            scribe.healed.clear();
        };
        result.replay_ms = played.first_batch.map_or(0.0, |first| first.elapsed().as_secs_f64() * 1000.0);
        result.healed.clone_from(&scribe.healed);
        verdict::judge(result, &played, &self.job.script, retries);
        self.last_lines(scribe, &played, result).await?;
        if !matches!(result.result, Ending::Success | Ending::BusinessOutcome) {
            keep_failure(tab, scribe).await;
        }
        Ok(())
    }

    /// Nothing is begun anew after a step that sends.
    fn may_retry(&self, played: &Outcomes) -> bool {
        let End::Outcome { code, .. } = &played.end else { return false };
        !played.sent && self.job.script.recoverable.iter().any(|outcome| outcome.code == *code)
    }

    async fn attempt<T: Tab, E: TabEvents>(
        &self,
        tab: &T,
        events: &mut E,
        scribe: &mut Scribe,
        result: &mut RunResult,
        first: bool,
    ) -> Result<Outcomes, Failure> {
        let mut conductor = Conductor::new(tab, events, self.plan, scribe, self.stop.clone());
        let document = match conductor.first_page().await? {
            Ok(document) => document,
            Err(outcomes) => return Ok(outcomes),
        };
        if first {
            let decision = self.decide(tab, document).await;
            conductor.announce(&decision, &finding_lines(&self.job.options, decision.tier)).await?;
            (result.tier, result.tier_reason) = (decision.tier, decision.reason);
        }
        let outcomes = conductor.play(finding(&self.job.options, result.tier)).await?;
        if outcomes.missed {
            result.tier = Tier::ReplayWithHeal;
            result.tier_reason = "a recorded selector missed".into();
        }
        Ok(outcomes)
    }

    async fn decide<T: Tab>(&self, tab: &T, document: u32) -> Decision {
        let recorded = self.job.script.build_identity.as_deref();
        let options = &self.job.options;
        let mut live = options.build.clone();
        if let (None, Some(recorded), None) = (&live, recorded, options.tier) {
            let from = options.build_from.clone().or_else(|| build::source_of(recorded));
            if let Some(from) = from {
                live = build::live(tab, document, &from).await;
            }
        }
        decide(Facts {
            recorded,
            live: live.as_deref(),
            forced: options.tier,
            rate: self.job.rate,
            model: false,
        })
    }

    async fn last_lines(
        &self,
        scribe: &mut Scribe,
        played: &Outcomes,
        result: &RunResult,
    ) -> Result<(), Failure> {
        match &played.end {
            End::Completed(goal) => match goal.iter().find(|check| !check.holds) {
                None => {
                    scribe.say(lines::completed(result.steps_total, result.healed.len() as u32)).await;
                }
                Some(failed) => scribe.say(lines::goal_failed(failed)).await,
            },
            End::Diverged(report) => {
                let step = self.plan.steps.get(report.number as usize - 1).cloned().unwrap_or_default();
                let refused = report.found.as_ref().filter(|_| result.condition.as_deref() == Some("target"));
                if let Some(verdict) = refused {
                    scribe.say(lines::not_repointed(report.number, &step, verdict)).await;
                }
                scribe.step(&step, (**report).clone()).await?;
                let divergence = report.divergence.clone().unwrap_or_default();
                scribe.say(lines::diverged(report.number, &divergence)).await;
                if !self.job.options.no_llm_fallback && !played.sent {
                    scribe.say(lines::NO_FALLBACK).await;
                }
            }
            End::Outcome { number, code, detail } => scribe.say(lines::outcome(code, *number, detail)).await,
            End::Lost(loss) => scribe.say(lines::lost(loss.step, &loss.observed)).await,
            End::Failed(fault) => scribe.say(lines::fault(fault)).await,
            End::Interrupted(reason) => scribe.say(format!("Replay Interrupted: {reason}")).await,
        }
        Ok(())
    }
}

/// A picture and the snapshot of the page as it is now. What cannot be had is left out: the page may be hung.
async fn keep_failure<T: Tab>(tab: &T, scribe: &Scribe) {
    let Some(document) = tab.document() else { return };
    let snapshot = tab.ask(document, PageRequest::Snapshot, EVIDENCE_BOUND);
    let picture = tokio::time::timeout(EVIDENCE_BOUND, tab.capture());
    let (snapshot, picture) = tokio::join!(snapshot, picture);
    if let Ok(PageAnswer::Snapshot { json }) = snapshot {
        let json = scribe.redact(&json);
        keep(scribe, "snapshot.json", json.into_bytes()).await;
    }
    match picture {
        Ok(Ok(png)) => keep(scribe, "picture.png", png).await,
        Ok(Err(error)) => tracing::debug!("no picture of the failure: {error}"),
        Err(_) => tracing::debug!("no picture of the failure: the browser did not answer"),
    }
}

async fn keep(scribe: &Scribe, name: &str, content: Vec<u8>) {
    if let Err(failure) = scribe.evidence.write(name, content).await {
        tracing::warn!("{name}: {failure}");
    }
}

impl<T: Tab, E: TabEvents> Conductor<'_, T, E> {
    /// Says the tier, with what a person should know of it.
    async fn announce(&mut self, decision: &Decision, notes: &[&str]) -> Result<(), Failure> {
        self.scribe.tier(decision.tier, &decision.reason).await?;
        if let Some(warning) = &decision.warning {
            self.scribe.say(format!("warning: {warning}")).await;
        }
        for note in notes {
            self.scribe.say(*note).await;
        }
        Ok(())
    }
}
