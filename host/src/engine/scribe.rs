//! Where everything that happens in a run goes: the evidence, the store, and whoever listens.

use std::collections::BTreeMap;
use std::sync::Arc;

use cairn_core::ladder::{Match, Rung, Verdict};
use cairn_core::redact::Redactor;
use cairn_core::script::Step;
use cairn_core::wire::page::{StepReport, StepStatus};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::api::{ClientEvent, HealedStep, PersonStep, RunEvent, Tier};
use super::evidence::Evidence;
use super::lines;
use super::llm::Repaired;
use super::resume::Resume;
use crate::exit::Failure;
use crate::model::Spent;
use crate::store::{AuditRow, HealRecord, Store};

/// Events that may wait for a slow listener.
pub const EVENT_QUEUE: usize = 1024;

/// The listeners' end of a request.
pub type Events = mpsc::Sender<ClientEvent>;

/// One line of `steps.jsonl`.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Line<'a> {
    #[serde(rename_all = "camelCase")]
    Begun {
        script_hash: &'a str,
        inputs: &'a str,
        resumes: Option<&'a str>,
    },
    Resumed(&'a Resume),
    Tier {
        tier: Tier,
        reason: &'a str,
    },
    Intent {
        number: u32,
        at: String,
        sends: bool,
        found: Option<&'a Verdict>,
    },
    Step {
        number: u32,
        at: String,
        instruction: &'a str,
        by: &'a str,
        report: &'a StepReport,
    },
    #[serde(rename_all = "camelCase")]
    Hand {
        at: String,
        number: u32,
        to: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Person {
        at: String,
        number: Option<u32>,
        what: &'a str,
        step: &'a Step,
    },
    Decision {
        at: String,
        act: &'a str,
        why: &'a str,
        spent: Spent,
    },
    Log {
        text: &'a str,
    },
}

/// Writes down what happens in one run.
pub struct Scribe {
    /// The run's id.
    pub run: String,
    /// The test, where it is one's.
    pub test: Option<String>,
    /// The run's folder.
    pub evidence: Evidence,
    /// The heals so far.
    pub healed: Vec<HealedStep>,
    /// What people did who took the run over.
    pub by_people: Vec<PersonStep>,
    /// Targets that a model chose, by step.
    repaired: BTreeMap<u32, Repaired>,
    /// Who acts now, where no rung of the ladder says it: `replay`, `model` or `person`.
    pub hand: &'static str,
    /// One row for each step that was done or tried.
    pub audit: Vec<AuditRow>,
    /// Judged steps on their way into the store, number and report.
    judged: Vec<(u32, String)>,
    store: Arc<dyn Store>,
    events: Events,
    redactor: Redactor,
    /// What happens is no part of the run's own script: it is evidence, and nothing else.
    aside: bool,
}

impl Scribe {
    /// For one run.
    pub fn new(
        run: String,
        test: Option<String>,
        evidence: Evidence,
        store: Arc<dyn Store>,
        events: Events,
        redactor: Redactor,
    ) -> Self {
        Self {
            run,
            test,
            evidence,
            healed: Vec::new(),
            by_people: Vec::new(),
            repaired: BTreeMap::new(),
            hand: "replay",
            audit: Vec::new(),
            judged: Vec::new(),
            store,
            events,
            redactor,
            aside: false,
        }
    }

    /// Which script is played, with which inputs (secrets left out), and which earlier run is gone on with.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub async fn begun(&self, script_hash: &str, inputs: &str, resumes: Option<&str>) -> Result<(), Failure> {
        self.append(&Line::Begun { script_hash, inputs, resumes }, false).await
    }

    /// Where the earlier run stood: whoever goes on with this one needs its proofs, too.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub(super) async fn resumed(&self, resume: &Resume) -> Result<(), Failure> {
        self.append(&Line::Resumed(resume), false).await
    }

    /// What follows is another script's: signing in again.
    pub fn begin_aside(&mut self) {
        self.aside = true;
    }

    /// The run's own script goes on.
    pub fn end_aside(&mut self) {
        self.aside = false;
    }

    /// The event, with every secret out of it, to whoever listens. A listener that went away is no error: the run's
    /// stop signal tells the engine about that.
    pub async fn emit(&self, event: RunEvent) {
        let event = ClientEvent::Run { event: self.clean(event) };
        let _ = self.events.send(event).await;
    }

    /// A line for people.
    pub async fn say(&self, text: impl Into<String>) {
        let text = self.redactor.apply(&text.into());
        // Evidence that cannot be written shows at the next intent; a log line is not worth a run.
        if let Err(failure) = self.evidence.append(&Line::Log { text: &text }, false).await {
            tracing::warn!("{failure}");
        }
        self.emit(RunEvent::Log { text }).await;
    }

    /// The tier is decided, or changed on the way.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub async fn tier(&self, tier: Tier, reason: &str) -> Result<(), Failure> {
        self.evidence.append(&Line::Tier { tier, reason }, false).await?;
        self.emit(RunEvent::Tier { tier, reason: reason.to_owned() }).await;
        self.say(lines::tier(tier, reason)).await;
        Ok(())
    }

    /// From now on this step acts on what a model chose.
    pub fn repaired(&mut self, repaired: Repaired) {
        self.repaired.insert(repaired.number, repaired);
    }

    /// Whether a model has chosen this step's target already.
    pub fn is_repaired(&self, number: u32) -> bool {
        self.repaired.contains_key(&number)
    }

    /// A step that found what a model chose is a healed one.
    fn by_decision(&self, report: StepReport) -> StepReport {
        let done = matches!(report.status, StepStatus::Hit | StepStatus::Healed);
        let Some(repaired) = self.repaired.get(&report.number).filter(|_| done) else { return report };
        let found = report.found.as_ref().and_then(Verdict::matched);
        let by_model = Match {
            index: found.map_or(0, |found| found.index),
            rung: Rung::Decision,
            confidence: Rung::Decision.confidence(),
            selector: None,
            runner_up: None,
            margin: 0.0,
            reason: format!("chosen by the model: {}", repaired.why),
        };
        StepReport {
            status: StepStatus::Healed,
            found: Some(Verdict::Healed(by_model)),
            repointed: Some(Box::new(repaired.target.clone())),
            ..report
        }
    }

    /// A model has decided.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub async fn decided(&self, act: &str, why: &str, spent: Spent) -> Result<(), Failure> {
        self.append(&Line::Decision { at: now(), act, why, spent }, false).await?;
        let because = if why.is_empty() { String::new() } else { format!(" ({})", lines::clean(why)) };
        let text = self.redactor.apply(&format!("Model: {act}{because}"));
        self.emit(RunEvent::Log { text }).await;
        Ok(())
    }

    /// A step is about to act. Where it sends, this returns when the intent is on the disk.
    ///
    /// # Errors
    /// Where the evidence cannot be written: the step must then not act.
    pub async fn intent(
        &self,
        number: u32,
        step: &Step,
        found: Option<&Verdict>,
        durable: bool,
    ) -> Result<(), Failure> {
        let line = Line::Intent { number, at: now(), sends: step.sends == Some(true), found };
        self.append(&line, durable).await?;
        if self.aside {
            return Ok(());
        }
        self.emit(RunEvent::Intent { run: self.run.clone(), number }).await;
        Ok(())
    }

    /// A step is judged.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub async fn step(&mut self, step: &Step, report: StepReport) -> Result<(), Failure> {
        let report: StepReport = self.clean(self.by_decision(report));
        let by = self.hand_of(&report);
        let (number, instruction) = (report.number, step.instruction.as_str());
        let line = Line::Step { number, at: now(), instruction, by, report: &report };
        self.append(&line, false).await?;
        if self.aside {
            return Ok(());
        }
        self.note(step, &report);
        if let Ok(text) = serde_json::to_string(&report) {
            self.judged.push((report.number, text));
        }
        if report.status == StepStatus::Healed {
            self.heal(step, &report).await;
        }
        let instruction = self.redactor.apply(&step.instruction);
        let (run, by, report) = (self.run.clone(), by.to_owned(), Box::new(report));
        self.emit(RunEvent::Step { run, instruction, by, report }).await;
        Ok(())
    }

    /// Who did a step.
    fn hand_of(&self, report: &StepReport) -> &'static str {
        match report.status {
            StepStatus::Healed if self.is_repaired(report.number) => "decision",
            StepStatus::Healed => "heal",
            _ => self.hand,
        }
    }

    /// The run changes hands before step `number`.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub(super) async fn handed(&self, number: u32, to_person: bool) -> Result<(), Failure> {
        let to = if to_person { "person" } else { self.hand };
        self.append(&Line::Hand { at: now(), number, to }, false).await?;
        let run = self.run.clone();
        self.emit(RunEvent::Hand { run, number, to: to.to_owned() }).await;
        self.say(lines::handed(number, to_person)).await;
        Ok(())
    }

    /// A person did this while they had the run.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub(super) async fn by_person(&mut self, step: &Step, told: PersonStep) -> Result<(), Failure> {
        let line = Line::Person { at: now(), number: told.step, what: &told.what, step };
        self.append(&line, true).await?;
        self.say(format!("Person: {}", told.what)).await;
        self.by_people.push(self.clean(told));
        Ok(())
    }

    fn note(&mut self, step: &Step, report: &StepReport) {
        let outcome = match report.status {
            StepStatus::Hit => "hit",
            StepStatus::Healed => "healed",
            StepStatus::Diverged => "diverged",
            StepStatus::Skipped => "skipped",
        };
        let hand = self.hand_of(report);
        self.audit.push(AuditRow {
            number: report.number,
            at: now(),
            hand: hand.to_owned(),
            what: self.redactor.apply(&lines::step_words(step)),
            outcome: outcome.to_owned(),
        });
    }

    /// Puts the judged steps into the store. A transaction for each would be a sync of the disk for each, and the run
    /// would wait for it; until then `steps.jsonl` has them.
    pub async fn store_steps(&mut self) {
        let judged = std::mem::take(&mut self.judged);
        if let Err(error) = self.store.add_steps(&self.run, judged).await {
            tracing::warn!("the steps of run {} are missing in the store: {error}", self.run);
        }
    }

    async fn heal(&mut self, step: &Step, report: &StepReport) {
        let Some(found) = report.found.as_ref().and_then(Verdict::matched) else { return };
        self.say(lines::repointed(report.number, step, found)).await;
        self.healed.push(HealedStep {
            step: report.number,
            instruction: self.redactor.apply(&step.instruction),
            rung: found.rung,
            confidence: found.confidence,
            margin: found.margin,
            reason: found.reason.clone(),
            runner_up: found.runner_up.clone(),
            repointed: report.repointed.clone(),
        });
        let rung = serde_json::to_value(found.rung).ok();
        let record = HealRecord {
            run: self.run.clone(),
            test: self.test.clone(),
            step: report.number,
            rung: rung.as_ref().and_then(|rung| rung.as_str()).unwrap_or_default().to_owned(),
            confidence: found.confidence,
            margin: found.margin,
            reason: found.reason.clone(),
            runner_up: found.runner_up.as_ref().and_then(|other| serde_json::to_string(other).ok()),
            repointed: report.repointed.as_ref().and_then(|target| serde_json::to_string(target).ok()),
        };
        if let Err(error) = self.store.add_heal(record).await {
            tracing::warn!("a heal is missing in the ledger: {error}");
        }
    }

    /// Secrets out of a text.
    pub fn redact(&self, text: &str) -> String {
        self.redactor.apply(text)
    }

    /// Secrets out of any plain data. The page has masked them already: this is the second wall.
    pub fn clean<T: Serialize + for<'a> Deserialize<'a>>(&self, value: T) -> T {
        if self.redactor.is_empty() {
            return value;
        }
        let Ok(mut json) = serde_json::to_value(&value) else { return value };
        self.redactor.apply_json(&mut json);
        serde_json::from_value(json).unwrap_or(value)
    }

    async fn append(&self, line: &Line<'_>, durable: bool) -> Result<(), Failure> {
        if self.redactor.is_empty() {
            return self.evidence.append(line, durable).await;
        }
        let mut json = serde_json::to_value(line).unwrap_or_default();
        self.redactor.apply_json(&mut json);
        self.evidence.append(&json, durable).await
    }
}

fn now() -> String {
    jiff::Timestamp::now().to_string()
}
