//! One run from the request to the result: inputs, evidence, lease, tier, replay, verdict.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_core::script::Script;
use cairn_core::wire::page::{PageAnswer, PageRequest};
use cairn_core::wire::{ErrorCode, WireError};

use super::api::{ClientEvent, Ending, RetryPolicy, RunEvent, RunRequest, RunResult, TestUpload, Tier};
use super::approval::{Asking, redacted, script_hash};
use super::cast::{Cast, Job};
use super::evidence::Evidence;
use super::finding::{check_options, finding, finding_lines};
use super::hand::HandSignal;
use super::llm::{Advice, Mending};
use super::replay::{Conductor, End, Loss, Outcomes, Plan};
use super::resume::Resume;
use super::scribe::{Events, Scribe};
use super::session::Engine;
use super::sign_in::{SignIn, own_inputs};
use super::stage::Adopter;
use super::stop::StopSignal;
use super::tab::{Tab, TabEvents};
use super::tier::{Decision, Facts, decide};
use super::{build, lines, outputs, verdict};
use crate::daemon::Open;
use crate::exit::{ErrorKind, Failure};
use crate::store::{Slot, StoredTest};

/// Attempts against a transient condition, the first included.
const ATTEMPTS: u32 = 3;

/// How long the picture and the snapshot of a failed run may take.
const EVIDENCE_BOUND: Duration = Duration::from_secs(5);

impl Engine {
    /// Everything that can be refused before a browser is there.
    ///
    /// # Errors
    /// `Usage`, `BadInput`, `NothingSelected`, each with its place and the next step.
    pub async fn check(&self, request: &RunRequest) -> Result<(), Failure> {
        let job = self.job(request.source.clone(), request.options.clone()).await?;
        check_options(&job.options, self.equipment.adviser.is_some(), job.scripted)?;
        Advice::new(self.equipment.adviser.clone(), &job.options).check()?;
        let sign_ins = self.sign_ins(&job.script, &request.inputs).await?;
        let ready = self.ready(&job, &own_inputs(&job.script, &sign_ins, &request.inputs))?;
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
        let id = ulid::Ulid::generate().to_string().to_lowercase();
        let cast = self.cast(&request, &id).await?;
        let Cast { job, start, plan, sign_ins, permit, resume } = &cast;
        let evidence = Evidence::create(&self.data, &id)?;
        let mut result = RunResult {
            run: id.clone(),
            script: job.label.clone(),
            steps_total: job.script.steps.len() as u32,
            started_at: jiff::Timestamp::now().to_string(),
            evidence: evidence.folder().to_path_buf(),
            ..RunResult::default()
        };
        self.open_books(job, &result).await?;
        let (redactor, configure) = cast.masks();
        let store = Arc::clone(&self.store);
        let mut scribe = Scribe::new(id, job.test.clone(), evidence, store, events.clone(), redactor);
        scribe.emit(started(&result)).await;
        let resumes = resume.as_ref().map(|resume| resume.run.as_str());
        scribe.begun(&script_hash(&job.script), &redacted(&plan.inputs), resumes).await?;
        for name in outputs::unread(&job.script) {
            scribe.say(format!("warning: no step reads the output `{name}`")).await;
        }
        let open = Open {
            url: Some(start.clone()),
            at_url: resume.as_ref().map(|resume| resume.url.clone()),
            engine: job.options.engine,
            viewport: job.options.viewport,
            configure,
            ..Open::default()
        };
        match self.hub.open(open).await {
            Ok((lease, mut lease_events)) => {
                let lost = resume.as_ref().filter(|_| !lease.is_adopted());
                let let_in = match lost {
                    Some(resume) => Err(tab_is_gone(&resume.url)),
                    None => self.spend(permit, &result.run).await,
                };
                if let Err(failure) = let_in {
                    lease.close(false).await;
                    self.withdraw(&mut result, &failure).await;
                    return Err(failure);
                }
                let adopt = self.adopter(job.options.engine);
                let mut advice = Advice::new(self.equipment.adviser.clone(), &job.options);
                let _listed = self.runs.list(&result.run, &job.label);
                let hand = self.runs.signal(&result.run);
                let run =
                    Run { job, plan, start, sign_ins, resume: resume.as_ref(), stop: stop.clone(), hand };
                let tab = (&lease, &mut lease_events);
                let playing = run.in_tab(tab, adopt.as_ref(), &mut scribe, &mut result, &mut advice);
                let next = Box::pin(playing).await;
                let (tab, asking) = ((lease, lease_events), (&mut advice, stop));
                let played = Box::pin(self.go_on(next, &cast, tab, &mut scribe, &mut result, asking)).await;
                advice.account(&mut result);
                result.by_person.clone_from(&scribe.by_people);
                if let Err(failure) = played {
                    verdict::unkept(&mut result, &failure);
                    scribe.say(format!("Replay Failed: {failure}")).await;
                }
            }
            Err(error) => not_opened(&mut result, start, error, &job.script)?,
        }
        result.duration_ms = begun.elapsed().as_secs_f64() * 1000.0;
        // What a full disk does not keep is told all the same: the result is the caller's.
        let kept = async {
            self.finish(job, &mut scribe, &mut result).await?;
            let learned = self.keep_learned(job, &result).await?;
            Ok::<_, Failure>([learned, self.propose(job, &result).await?])
        };
        match kept.await {
            Ok(said) => {
                for said in said.into_iter().flatten() {
                    scribe.say(said).await;
                }
            }
            Err(failure) => scribe.say(format!("warning: the result is not kept: {failure}")).await,
        }
        let event = ClientEvent::Run { event: RunEvent::Finished { result: Box::new(result.clone()) } };
        // Nobody may listen any more; the result is on the disk.
        let _ = events.send(event).await;
        Ok(result)
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
    pub(super) async fn finish(
        &self,
        job: &Job,
        scribe: &mut Scribe,
        result: &mut RunResult,
    ) -> Result<(), Failure> {
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

pub(super) fn started(result: &RunResult) -> RunEvent {
    RunEvent::Started {
        run: result.run.clone(),
        script: result.script.clone(),
        steps: result.steps_total,
        evidence: result.evidence.clone(),
    }
}

/// The page could not be opened: no browser at all is a failure, a page that does not come is a result.
pub(super) fn not_opened(
    result: &mut RunResult,
    start: &str,
    error: WireError,
    script: &Script,
) -> Result<(), Failure> {
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

/// A run can only be gone on with where it stood.
fn tab_is_gone(url: &str) -> Failure {
    let message = format!("no tab stands at {url}, where that run was");
    Failure::new(ErrorKind::Usage, message, "run the script from its start, without --resume")
}

/// A run in its tab.
pub(super) struct Run<'a> {
    pub(super) job: &'a Job,
    pub(super) plan: &'a Plan,
    pub(super) start: &'a str,
    pub(super) sign_ins: &'a BTreeMap<String, SignIn>,
    pub(super) resume: Option<&'a Resume>,
    pub(super) stop: StopSignal,
    pub(super) hand: HandSignal,
}

/// What follows when a tab was played in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing: the result stands.
    Nothing,
    /// The model drives, in this tab and from this page on.
    Drive,
    /// The model drives from the start, knowing nothing of what was played.
    Restart,
}

impl Run<'_> {
    /// Plays, with fresh attempts against transient conditions, and judges.
    pub(super) async fn in_tab<T: Tab, E: TabEvents>(
        &self,
        (tab, events): (&T, &mut E),
        adopt: &Adopter<T, E>,
        scribe: &mut Scribe,
        result: &mut RunResult,
        advice: &mut Advice,
    ) -> Result<Next, Failure> {
        let mut retries = RetryPolicy { attempts: 1, waited_ms: 0 };
        let played = loop {
            let first = retries.attempts == 1;
            let played = self.attempt((tab, &mut *events), adopt, scribe, result, advice, first).await?;
            if !self.may_retry(&played) || retries.attempts >= ATTEMPTS {
                break played;
            }
            let wait = Duration::from_millis(500 << retries.attempts.min(6));
            scribe.say(format!("transient condition; trying again in {} ms", wait.as_millis())).await;
            tokio::time::sleep(wait).await;
            retries.attempts += 1;
            retries.waited_ms += wait.as_millis() as u64;
            if let End::Outcome { code, .. } = &played.end
                && let Some(sign_in) = self.sign_ins.get(code)
            {
                let finding = finding(&self.job.options, result.tier);
                if !sign_in.play(tab, events, scribe, self.stop.clone(), finding).await? {
                    break played;
                }
            }
            let to = cairn_core::wire::worker::Navigation::Goto { url: self.start.to_owned() };
            if tab.navigate(to).await.is_err() {
                break played;
            }
            scribe.healed.clear();
        };
        if played.end == End::ForModel {
            return Ok(Next::Drive);
        }
        result.replay_ms = played.first_batch.map_or(0.0, |first| first.elapsed().as_secs_f64() * 1000.0);
        result.healed.clone_from(&scribe.healed);
        verdict::judge(result, &played, &self.job.script, retries);
        let falls_back = self.falls_back(&played, advice.is_there());
        self.last_lines(scribe, &played, result, (falls_back, advice.is_there())).await?;
        if !matches!(result.result, Ending::Success | Ending::BusinessOutcome) {
            keep_failure(tab, scribe).await;
        }
        Ok(if falls_back { Next::Restart } else { Next::Nothing })
    }

    /// A divergence goes to the model, unless the caller forbids it or something was sent.
    fn falls_back(&self, played: &Outcomes, model: bool) -> bool {
        matches!(played.end, End::Diverged(_))
            && model
            && !played.sent
            && !self.job.options.no_llm_fallback
            && self.resume.is_none()
    }

    /// Nothing is begun anew after a step that sends.
    fn may_retry(&self, played: &Outcomes) -> bool {
        let End::Outcome { code, .. } = &played.end else { return false };
        !played.sent && self.job.script.recoverable.iter().any(|outcome| outcome.code == *code)
    }

    async fn attempt<T: Tab, E: TabEvents>(
        &self,
        (tab, events): (&T, &mut E),
        adopt: &Adopter<T, E>,
        scribe: &mut Scribe,
        result: &mut RunResult,
        advice: &mut Advice,
        first: bool,
    ) -> Result<Outcomes, Failure> {
        let mut conductor = Conductor::new(tab, &mut *events, self.plan, scribe, self.stop.clone());
        conductor.adopt = Some(adopt);
        conductor.hand = self.hand.clone();
        let document = match conductor.first_page().await? {
            Ok(document) => document,
            Err(outcomes) => return Ok(outcomes),
        };
        if first {
            let decision = self.decide(tab, document, advice.is_there()).await;
            let notes = finding_lines(&self.job.options, decision.tier, advice.is_there());
            conductor.announce(&decision, &notes).await?;
            (result.tier, result.tier_reason) = (decision.tier, decision.reason);
            if result.tier == Tier::Llm {
                return Ok(Outcomes { end: End::ForModel, ..Outcomes::default() });
            }
        }
        if let Some(resume) = self.resume.filter(|_| first) {
            conductor.go_on(resume).await?;
        }
        let outcomes = conductor.play(finding(&self.job.options, result.tier)).await?;
        let mending = Mending {
            goal: &self.job.script.goal,
            asks: advice.is_there(),
            options: &self.job.options,
            stop: self.stop.clone(),
            hand: self.hand.clone(),
            adopt,
        };
        let outcomes = mending.mend((tab, events), self.plan, outcomes, scribe, advice).await?;
        if outcomes.missed {
            result.tier = Tier::ReplayWithHeal;
            result.tier_reason = "a recorded selector missed".into();
        }
        Ok(outcomes)
    }

    async fn decide<T: Tab>(&self, tab: &T, document: u32, model: bool) -> Decision {
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
            model,
            unscripted: !self.job.scripted,
        })
    }

    async fn last_lines(
        &self,
        scribe: &mut Scribe,
        played: &Outcomes,
        result: &RunResult,
        (falls_back, model): (bool, bool),
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
                if falls_back {
                    scribe.say(lines::STALE).await;
                } else if !self.job.options.no_llm_fallback && !played.sent && !model {
                    scribe.say(lines::NO_FALLBACK).await;
                }
            }
            End::Outcome { number, code, detail } => scribe.say(lines::outcome(code, *number, detail)).await,
            End::Lost(loss) => scribe.say(lines::lost(loss.step, &loss.observed)).await,
            End::Failed(fault) => scribe.say(lines::fault(fault)).await,
            End::Interrupted(reason) => scribe.say(format!("Replay Interrupted: {reason}")).await,
            // Said by who drives on.
            End::ForModel | End::Busy { .. } => {}
        }
        Ok(())
    }
}

/// A picture and the snapshot of the page as it is now. What cannot be had is left out: the page may be hung.
pub(super) async fn keep_failure<T: Tab>(tab: &T, scribe: &Scribe) {
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
