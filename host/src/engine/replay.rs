//! Plays one script in one tab: the whole rest of it as one batch in each document, and never a step twice.
//!
//! The conductor knows three things at any time: the next step that nobody has acted (`next`), the step that was acted
//! and not judged (`acted`), and the document that answers (`document`). A navigation ends the document and the batch;
//! the new document gets the rest, with the acted step as `prior`: it is judged there and never acted again.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::pin::pin;
use std::time::Duration;

use cairn_core::ladder::Verdict;
use cairn_core::script::{
    Checkpoint, Condition, Effect, Method, Outcome, Recoverable, Step, Target, Trouble,
};
use cairn_core::wire::page::{
    Batch, BatchEnd, CheckResult, Diverged, Divergence, InputMode, InputValue, PageAnswer, PageRequest,
    Played, Policy, PriorStep, StepReport, StepStatus,
};
use cairn_core::wire::{ErrorCode, WireError};
use tokio::time::{Instant, sleep_until};

use super::api::{CheckpointResult, Tier};
use super::hand::HandSignal;
use super::origins::Origins;
use super::scribe::Scribe;
use super::stage::{Adopter, Aside};
use super::stop::StopSignal;
use super::tab::{Tab, TabEvents};
use super::take::Taken;
use crate::exit::Failure;

/// How long a batch may take as a whole. What bounds a run is the silence, not this.
const WHOLE_BATCH: Duration = Duration::from_hours(6);

/// Silence beyond the bound of a wait, at least and at most: the page's own time to act and to answer.
const GRACE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// How long a page may take to come.
pub const PAGE_BOUND: Duration = Duration::from_secs(30);

/// Documents that may come without a step getting done: beyond that the page reloads itself for ever.
const FRUITLESS: u32 = 20;

/// What is to be played, and how.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The run's id.
    pub run: String,
    /// All steps.
    pub steps: Vec<Step>,
    /// The goal's checks.
    pub goal: Vec<Condition>,
    /// Checks along the way, in order.
    pub checkpoints: Vec<Checkpoint>,
    /// Where the run may go.
    pub origins: Origins,
    /// Business results, and conditions that a retry may cure, as far as a page can see them.
    pub outcomes: Vec<Outcome>,
    /// Conditions that a retry may cure.
    pub recoverable: Vec<Recoverable>,
    /// Today's inputs.
    pub inputs: BTreeMap<String, InputValue>,
    /// Whose events the page gets.
    pub input: InputMode,
    /// Leave the tabs that pages open.
    pub keep_open: bool,
    /// What upload steps give, as base64 by name.
    pub files: BTreeMap<String, String>,
    /// Bound of each wait.
    pub bound: Duration,
}

impl Plan {
    /// Some step brings a native dialog.
    pub(super) fn has_dialogs(&self) -> bool {
        self.steps.iter().any(|step| !step.dialogs.is_empty())
    }

    /// What a page gets beyond the bound of a wait before its silence counts.
    fn grace(&self) -> Duration {
        self.bound.clamp(GRACE.0, GRACE.1)
    }
}

/// How playing ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every step is done; the goal's checks.
    Completed(Vec<CheckResult>),
    /// A step diverged.
    Diverged(Box<StepReport>),
    /// A declared result was seen.
    Outcome {
        /// After this step.
        number: u32,
        /// Its code.
        code: String,
        /// What was seen.
        detail: String,
    },
    /// The tab, its renderer, or the extension went away or stopped answering.
    Lost(Loss),
    /// The caller ended it.
    Interrupted(String),
    /// A model decides from here on: the tier is `llm`.
    ForModel,
    /// The model gives no answer now.
    Busy {
        /// After this step.
        number: u32,
        /// What was heard of it.
        observed: String,
        /// How often it was asked.
        attempts: u32,
        /// Pauses in between, in milliseconds.
        waited_ms: u64,
    },
    /// What the host demands of a run does not hold.
    Failed(Box<Fault>),
}

/// What the host found wrong: a page that may not be visited, a checkpoint that does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// At this step, from 1.
    pub step: Option<u32>,
    /// Which condition, as results name it.
    pub condition: &'static str,
    /// What was demanded.
    pub expected: String,
    /// What was there.
    pub observed: String,
    /// What to do next.
    pub hint: String,
}

impl Default for End {
    fn default() -> Self {
        Self::Lost(Loss::default())
    }
}

/// What was lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// At this step, where one was under way.
    pub step: Option<u32>,
    /// The step may have happened.
    pub acted: bool,
    /// What was seen.
    pub observed: String,
    /// What to do next.
    pub hint: String,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    /// How it ended.
    pub end: End,
    /// Steps that were acted.
    pub executed: u32,
    /// A step that sends was acted: nothing may be begun anew.
    pub sent: bool,
    /// The tier turned into replay-with-heal on the way.
    pub missed: bool,
    /// Checkpoints so far.
    pub checkpoints: Vec<CheckpointResult>,
    /// Steps whose page events brought nothing about, and that the browser's own input did.
    pub trusted: Vec<u32>,
    /// Outputs by step.
    pub extracted: BTreeMap<u32, String>,
    /// The page's URL at the end.
    pub url: String,
    /// `wasm` or `js`.
    pub engine: String,
    /// When the page was first sent steps.
    pub first_batch: Option<Instant>,
}

/// A step that was acted and is not judged.
#[derive(Clone, Debug)]
pub(super) struct Acted {
    pub(super) number: u32,
    pub(super) found: Option<Verdict>,
    pub(super) repointed: Option<Box<Target>>,
    /// It waits for the host's word and has not got it: it has certainly not happened.
    pub(super) held: bool,
}

/// Plays one attempt.
pub struct Conductor<'a, T: Tab, E: TabEvents> {
    pub(super) tab: T,
    pub(super) events: &'a mut E,
    pub(super) plan: &'a Plan,
    pub(super) scribe: &'a mut Scribe,
    pub(super) stop: StopSignal,
    /// Who has the run.
    pub(super) hand: HandSignal,
    pub(super) next: u32,
    pub(super) acted: Option<Acted>,
    pub(super) document: Option<u32>,
    pub(super) diverged: Option<StepReport>,
    pub(super) outcome: Option<(u32, String, String)>,
    pub(super) silence: Instant,
    pub(super) moving: bool,
    pub(super) panics: u32,
    /// The step that was handed over because its page events brought nothing about.
    pub(super) handed_again: Option<u32>,
    /// Requests of the tab since the last intent.
    pub(super) requests: u32,
    /// The worker came back since the batch began: what the page said in between may not have been heard.
    pub(super) unheard: bool,
    /// The number of the tab that is played in, from 1, and the tabs that are not.
    pub(super) tab_number: u32,
    pub(super) asides: Vec<Aside<T, E>>,
    pub(super) adopt: Option<&'a Adopter<T, E>>,
    /// The document that has the batch, where that is a frame's.
    pub(super) playing: Option<u32>,
    /// The frame's document that is being left.
    pub(super) left_frame: Option<u32>,
    /// The step that must have opened a tab, and how many had been opened before it.
    pub(super) owed_tab: Option<(u32, usize)>,
    /// What was said of the step whose native dialog has not come yet.
    pub(super) owed_dialog: Option<StepReport>,
    /// How many tabs had been opened before the step under way.
    pub(super) tabs_before: usize,
    /// URLs of the tabs that pages opened.
    pub(super) opened_urls: Vec<String>,
    /// Of each native dialog, the step that brought it.
    pub(super) dialogs: Vec<u32>,
    /// The batch under way goes to the end of its stretch, and looks at what is to hold there.
    whole: bool,
    pub(super) result: Outcomes,
    policy: Policy,
    after_miss: Option<Policy>,
    fruitless: u32,
    stays: u32,
}

/// How targets may be found, and what the first miss turns that into (tier `replay`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Finding {
    /// Now.
    pub policy: Policy,
    /// After the first miss.
    pub after_miss: Option<Policy>,
}

impl<'a, T: Tab, E: TabEvents> Conductor<'a, T, E> {
    /// For a tab that has just been told to open its page.
    pub fn new(
        tab: &'a T,
        events: &'a mut E,
        plan: &'a Plan,
        scribe: &'a mut Scribe,
        stop: StopSignal,
    ) -> Self {
        Self {
            tab: tab.clone(),
            events,
            plan,
            scribe,
            stop,
            hand: HandSignal::default(),
            next: 1,
            acted: None,
            document: None,
            diverged: None,
            outcome: None,
            silence: Instant::now(),
            moving: false,
            panics: 0,
            handed_again: None,
            requests: 0,
            unheard: false,
            tab_number: 1,
            asides: Vec::new(),
            adopt: None,
            playing: None,
            left_frame: None,
            owed_tab: None,
            owed_dialog: None,
            tabs_before: 0,
            opened_urls: Vec::new(),
            dialogs: Vec::new(),
            whole: false,
            result: Outcomes::default(),
            policy: Policy::default(),
            after_miss: None,
            fruitless: 0,
            stays: 0,
        }
    }

    /// Waits for the first page: its document, or how it ended without one.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub async fn first_page(&mut self) -> Result<Result<u32, Outcomes>, Failure> {
        if let ControlFlow::Break(end) = self.arrive(None).await? {
            return Ok(Err(Outcomes { end, ..self.result.clone() }));
        }
        Ok(Ok(self.document.unwrap_or_default()))
    }

    /// Plays to an end.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub async fn play(mut self, finding: Finding) -> Result<Outcomes, Failure> {
        (self.policy, self.after_miss) = (finding.policy, finding.after_miss);
        if let Err(error) = self.expect_dialogs().await
            && let ControlFlow::Break(end) = self.lose(&error.message, &error.hint)
        {
            return Ok(Outcomes { end, ..self.result });
        }
        let end = loop {
            if let ControlFlow::Break(end) = self.turn().await? {
                break end;
            }
        };
        self.result.end = end;
        self.gather(self.plan.keep_open).await;
        Ok(self.result)
    }

    /// One document's share, or one step of the host's.
    async fn turn(&mut self) -> Result<ControlFlow<End>, Failure> {
        if self.hand.is_taken() {
            // What a step came to while the person reached for it is theirs to mend.
            self.diverged = None;
            return self.give_way().await;
        }
        if let Some(report) = self.diverged.take() {
            return self.judge_divergence(report).await;
        }
        if let Some((number, code, detail)) = self.outcome.take() {
            return Ok(ControlFlow::Break(End::Outcome { number, code, detail }));
        }
        if self.fruitless > FRUITLESS {
            return Ok(
                self.lose("the page keeps replacing itself before a step gets done", "look at the page")
            );
        }
        if let Some(flow) = self.await_owed_dialog().await? {
            return Ok(flow);
        }
        if let Some(flow) = self.await_owed_tab().await? {
            return Ok(flow);
        }
        if self.acted.is_none() && !self.is_at_checkpoint() && self.step(self.next).is_some() {
            if let Some(step) = self.step(self.next).filter(|step| is_tab_step(step.action.method)) {
                return self.tab_step(step).await;
            }
            if let Some(flow) = self.go_to_tab(self.tab_of(self.next)).await? {
                return Ok(flow);
            }
        }
        let Some(document) = self.document else { return self.arrive(None).await };
        let host_step = self.step(self.next).filter(|step| is_host_step(step.action.method)).cloned();
        if let (Some(step), None, false) = (host_step, &self.acted, self.is_at_checkpoint()) {
            return self.host_step(&step).await;
        }
        match self.stage(document).await? {
            Ok(document) => self.batch(document).await,
            Err(flow) => Ok(flow),
        }
    }

    /// The step with this number, from 1.
    pub(super) fn step(&self, number: u32) -> Option<&'a Step> {
        self.plan.steps.get((number as usize).checked_sub(1)?)
    }

    /// The rest of the script for the document that is there.
    fn compose(&mut self, document: u32) -> Batch {
        let prior = self.acted.as_ref().and_then(|acted| {
            let step = lean(self.step(acted.number)?);
            Some(PriorStep { number: acted.number, step, found: acted.found.clone() })
        });
        let first = self.next.max(prior.as_ref().map_or(1, |prior| prior.number + 1));
        let (end, goal) = self.stretch();
        let last = self.reach(first, end);
        // What must hold at the end is looked at in the page itself, not in one of its frames.
        self.whole = last >= end && Some(document) == self.document;
        let goal = if self.whole { goal } else { Vec::new() };
        Batch {
            run: self.plan.run.clone(),
            prior,
            first,
            steps: self.plan.steps.iter().take(last as usize).skip(first as usize - 1).map(lean).collect(),
            inputs: self.plan.inputs.clone(),
            policy: self.policy,
            input: self.plan.input,
            files: self.plan.files.clone(),
            outcomes: self.plan.outcomes.clone(),
            goal,
            bound_ms: u32::try_from(self.plan.bound.as_millis()).unwrap_or(u32::MAX),
        }
    }

    async fn batch(&mut self, document: u32) -> Result<ControlFlow<End>, Failure> {
        let tab = self.tab.clone();
        let (mut stop, mut hand) = (self.stop.clone(), self.hand.clone());
        let mut gives_way = false;
        let batch = self.compose(document);
        self.playing = Some(document);
        let mut answer = pin!(tab.ask(document, PageRequest::Play(batch), WHOLE_BATCH));
        self.result.first_batch.get_or_insert_with(Instant::now);
        self.fruitless += 1;
        self.moving = false;
        self.unheard = false;
        self.heard();
        loop {
            tokio::select! {
                biased;
                event = self.events.next() => match self.take(event).await? {
                    Taken::Nothing => {}
                    Taken::Document => return Ok(ControlFlow::Continue(())),
                    Taken::End(end) => return Ok(ControlFlow::Break(end)),
                },
                answer = &mut answer => return self.batch_over(document, answer).await,
                reason = stop.asked() => {
                    self.cancel(document).await;
                    return Ok(ControlFlow::Break(End::Interrupted(reason)));
                }
                () = hand.taken(), if !gives_way => {
                    // The batch ends before its next act; what it was about comes with its answer.
                    gives_way = true;
                    self.cancel(document).await;
                }
                () = sleep_until(self.silence) => return Ok(self.fell_silent()),
            }
        }
    }

    /// A sign of life: the next one is due within a wait's bound.
    pub(super) fn heard(&mut self) {
        let bound = if self.moving { PAGE_BOUND } else { self.plan.bound + self.plan.grace() };
        self.silence = Instant::now() + bound;
    }

    /// A step is done: the run moves on.
    pub(super) fn progress(&mut self) {
        (self.fruitless, self.stays, self.panics) = (0, 0, 0);
    }

    fn fell_silent(&mut self) -> ControlFlow<End> {
        self.lose(
            &format!(
                "the page did not answer within {} s: its renderer is busy or hung, or a dialog is open",
                if self.moving { PAGE_BOUND } else { self.plan.bound + self.plan.grace() }.as_secs()
            ),
            "open the page and look for a dialog or a script that never ends",
        )
    }

    pub(super) fn lose(&self, observed: &str, hint: &str) -> ControlFlow<End> {
        let acted = self.acted.as_ref().filter(|acted| !acted.held);
        let under_way = acted.map(|acted| acted.number);
        let waiting = self.step(self.next).map(|_| self.next);
        ControlFlow::Break(End::Lost(Loss {
            step: under_way.or(waiting),
            acted: acted.is_some(),
            observed: observed.to_owned(),
            hint: hint.to_owned(),
        }))
    }

    async fn cancel(&self, document: u32) {
        let request = PageRequest::Cancel { run: self.plan.run.clone() };
        // The page may be gone or hung: the run ends all the same.
        let _ = self.tab.ask(document, request, Duration::from_secs(1)).await;
    }

    async fn batch_over(
        &mut self,
        document: u32,
        answer: Result<PageAnswer, WireError>,
    ) -> Result<ControlFlow<End>, Failure> {
        let played = match answer {
            Ok(PageAnswer::Played(played)) => played,
            Ok(_) => return Ok(self.lose("the page answered another question", "report this")),
            Err(error) => {
                // What was said before it failed decides whether a step may have happened.
                if let ControlFlow::Break(end) = self.drain().await? {
                    return Ok(ControlFlow::Break(end));
                }
                return Ok(self.batch_failed(document, &error));
            }
        };
        if let ControlFlow::Break(end) = self.hear_out(&played).await? {
            return Ok(ControlFlow::Break(end));
        }
        if self.diverged.is_some() || self.outcome.is_some() || self.owed_dialog.is_some() {
            return Ok(ControlFlow::Continue(()));
        }
        match played.end {
            BatchEnd::Completed if !self.whole => Ok(ControlFlow::Continue(())),
            BatchEnd::Completed => Ok(self.stretch_done(played.goal).await),
            BatchEnd::Leaving if self.document != Some(document) => {
                self.left_frame = Some(document);
                Ok(ControlFlow::Continue(()))
            }
            BatchEnd::Leaving => self.arrive(Some(document)).await,
            BatchEnd::HostStep => Ok(self.needs_host()),
            BatchEnd::Cancelled if self.hand.is_taken() => Ok(ControlFlow::Continue(())),
            BatchEnd::Cancelled => Ok(ControlFlow::Break(End::Interrupted("cancelled in the page".into()))),
            BatchEnd::Diverged | BatchEnd::Outcome => {
                Ok(self.lose("the page ended the batch and did not say why", "report this"))
            }
        }
    }

    /// Events come on a queue of their own: those of the batch's last steps may stand in it behind the answer.
    async fn hear_out(&mut self, played: &Played) -> Result<ControlFlow<End>, Failure> {
        let deadline = Instant::now() + Duration::from_secs(2);
        let outstanding = |this: &Self| match played.end {
            BatchEnd::Diverged => this.diverged.is_none(),
            BatchEnd::Outcome => this.outcome.is_none(),
            _ => this.next <= played.last && this.diverged.is_none(),
        };
        while outstanding(self) {
            let event = tokio::select! {
                event = self.events.next() => event,
                () = sleep_until(deadline) => break,
            };
            if let Taken::End(end) = self.take(event).await? {
                return Ok(ControlFlow::Break(end));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes what stands in the queue already.
    async fn drain(&mut self) -> Result<ControlFlow<End>, Failure> {
        loop {
            let event = tokio::select! {
                biased;
                event = self.events.next() => event,
                () = tokio::time::sleep(Duration::from_millis(10)) => return Ok(ControlFlow::Continue(())),
            };
            if let Taken::End(end) = self.take(event).await? {
                return Ok(ControlFlow::Break(end));
            }
        }
    }

    fn batch_failed(&mut self, document: u32, error: &WireError) -> ControlFlow<End> {
        match error.code {
            // The document that was asked is no longer shown: the next one will say so.
            ErrorCode::Gone | ErrorCode::NoSuchLease | ErrorCode::Disconnected => {
                if self.document == Some(document) {
                    self.document = None;
                } else {
                    self.left_frame = Some(document);
                }
                ControlFlow::Continue(())
            }
            ErrorCode::Panicked if self.panics < 2 => {
                self.panics += 1;
                ControlFlow::Continue(())
            }
            _ => self.lose(&error.message, &error.hint),
        }
    }

    /// The batch stopped before a step that the page cannot do.
    fn needs_host(&mut self) -> ControlFlow<End> {
        match self.step(self.next) {
            Some(step) if is_host_step(step.action.method) => ControlFlow::Continue(()),
            Some(step) => {
                let observed = format!("{} needs trusted input", step.action.method.as_str());
                let divergence = Divergence {
                    condition: Diverged::Act,
                    expected: "a step that the page can do by itself".into(),
                    observed,
                    acted: false,
                };
                self.diverged = Some(self.report(self.next, divergence));
                ControlFlow::Continue(())
            }
            None => self.lose("the page waits for a step that is not in the script", "report this"),
        }
    }

    pub(super) fn report(&self, number: u32, divergence: Divergence) -> StepReport {
        StepReport {
            number,
            status: StepStatus::Diverged,
            url: self.result.url.clone(),
            divergence: Some(divergence),
            ..StepReport::default()
        }
    }

    /// A step diverged: the end, or in tier `replay` the first miss, which turns the ladder on.
    async fn judge_divergence(&mut self, report: StepReport) -> Result<ControlFlow<End>, Failure> {
        let divergence = report.divergence.clone().unwrap_or_default();
        let miss = divergence.condition == Diverged::Target && !divergence.acted;
        if let (true, Some(policy)) = (miss, self.after_miss.take()) {
            self.policy = policy;
            self.result.missed = true;
            self.next = report.number;
            let reason = format!("step {} missed its recorded selectors", report.number);
            self.scribe.tier(Tier::ReplayWithHeal, &reason).await?;
            return Ok(ControlFlow::Continue(()));
        }
        Ok(ControlFlow::Break(End::Diverged(Box::new(report))))
    }

    /// Waits for the next document. `stays`: the one that said it is being left, which a download, say, does not do.
    async fn arrive(&mut self, stays: Option<u32>) -> Result<ControlFlow<End>, Failure> {
        let mut stop = self.stop.clone();
        let begun = Instant::now();
        let deadline = begun + PAGE_BOUND;
        let patience = begun + self.plan.grace();
        loop {
            let may_stay = stays.filter(|_| !self.moving && self.stays < 3);
            let until = if may_stay.is_some() { patience } else { deadline };
            tokio::select! {
                biased;
                event = self.events.next() => match self.take(event).await? {
                    Taken::Nothing => {}
                    Taken::Document => return Ok(ControlFlow::Continue(())),
                    Taken::End(end) => return Ok(ControlFlow::Break(end)),
                },
                reason = stop.asked() => return Ok(ControlFlow::Break(End::Interrupted(reason))),
                () = sleep_until(until) => {
                    if may_stay.is_some() && self.tab.document() == stays {
                        self.stays += 1;
                        self.document = stays;
                        return Ok(ControlFlow::Continue(()));
                    }
                    if Instant::now() >= deadline {
                        let seconds = PAGE_BOUND.as_secs();
                        let observed = format!("no page came within {seconds} s: the server does not answer");
                        if let Some(end) = self.transient(Trouble::Timeout, &observed) {
                            return Ok(ControlFlow::Break(end));
                        }
                        return Ok(self.lose(&observed, "open the URL in a browser to see what it waits for"));
                    }
                    self.moving = true;
                }
            }
        }
    }
}

/// What the page needs of a step. What was read and seen when it was recorded stays here: it is half of the message.
fn lean(step: &Step) -> Step {
    Step {
        action: step.action.clone(),
        precondition: step.precondition.clone(),
        postcondition: step.postcondition.clone(),
        effect: Effect {
            download: step.effect.download.clone(),
            new_tab: step.effect.new_tab.clone(),
            ..Effect::default()
        },
        input: step.input.clone(),
        to: step.to.clone(),
        extract: step.extract.clone(),
        check: step.check.clone(),
        dialogs: step.dialogs.clone(),
        sends: step.sends,
        ..Step::default()
    }
}

/// Steps that are about tabs alone.
pub(super) fn is_tab_step(method: Method) -> bool {
    matches!(method, Method::SwitchTab | Method::CloseTab)
}

/// Steps that the host does: they end the document that would do them.
pub fn is_host_step(method: Method) -> bool {
    matches!(method, Method::Goto | Method::Back | Method::Forward | Method::Reload)
}
