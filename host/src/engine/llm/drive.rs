//! The loop: look, ask for one decision, check it, write it down, act by ref, look again.

use std::collections::BTreeMap;
use std::time::Duration;

use cairn_core::script::{Action, Condition, Method};
use cairn_core::value;
use cairn_core::wire::page::{CheckResult, StepReport};
use cairn_core::wire::worker::Navigation;

use super::beside::Again;
use super::page::{Looked, Looking, look};
use super::task::Task;
use super::{act, guard};
use crate::engine::api::CheckpointResult;
use crate::engine::browse::Browsing;
use crate::engine::driven::{Driven, Pending};
use crate::engine::hand::HandSignal;
use crate::engine::record::says_risk;
use crate::engine::replay::{End, Fault, Loss};
use crate::engine::scribe::Scribe;
use crate::engine::stop::StopSignal;
use crate::exit::Failure;
use crate::model::{Act, Claim, Counsel, Decision, Dismay, Over, deciding};

/// Refusals in a row after which the model is not asked any more.
const MOST_REFUSALS: u32 = 4;

/// How often the same may be done without anything coming of it.
const MOST_REPEATS: u32 = 3;

/// How long the checks of a goal may take to hold.
const CHECK_BOUND: Duration = Duration::from_secs(3);

/// A pause that the model asks for.
const WAIT: Duration = Duration::from_millis(1500);

/// Drives one tab towards one goal.
pub struct Drive<'a> {
    pub(super) browsing: &'a mut Browsing,
    pub(super) task: &'a Task,
    pub(super) counsel: &'a mut Counsel,
    pub(super) scribe: &'a mut Scribe,
    pub(super) stop: StopSignal,
    /// Who has the run.
    pub(in crate::engine) hand: HandSignal,
    pub(super) driven: Driven,
    pub(super) history: Vec<String>,
    pub(super) result: Driving,
    looking: Looking,
    first: Option<Looked>,
    pub(super) refusals: u32,
    last: (String, u32),
    /// The act that brought the dialog which is open.
    pub(super) waiting: Option<Pending>,
}

/// How it ended.
#[derive(Debug, Default)]
pub struct Driving {
    /// In which way.
    pub end: End,
    /// Acts that were done.
    pub executed: u32,
    /// One of them sent something that must not be sent twice.
    pub sent: bool,
    /// Outputs by name.
    pub extracted: BTreeMap<String, String>,
    /// The checks that decided, as a script stores them.
    pub checks: Vec<Condition>,
    /// The page's URL at the end.
    pub url: String,
    /// Checkpoints, as they came to hold; at the end also those that did not.
    pub checkpoints: Vec<CheckpointResult>,
}

/// What a turn came to.
pub(super) type Turn = Result<Option<End>, Failure>;

impl<'a> Drive<'a> {
    /// Over an open page. `driven` keeps what is done, `number` of its steps are done already.
    pub fn new(
        browsing: &'a mut Browsing,
        task: &'a Task,
        counsel: &'a mut Counsel,
        scribe: &'a mut Scribe,
        stop: StopSignal,
        driven: Driven,
    ) -> Self {
        let looking = Looking { grounding: task.grounding, all: false, picture: !task.grounding };
        let result = Driving { executed: driven.len() as u32, ..Driving::default() };
        Self {
            browsing,
            task,
            counsel,
            scribe,
            stop,
            hand: HandSignal::default(),
            driven,
            history: Vec::new(),
            result,
            looking,
            first: None,
            refusals: 0,
            last: (String::new(), 0),
            waiting: None,
        }
    }

    /// What the model should know of what was done before.
    pub fn tell(&mut self, line: String) {
        self.history.push(line);
    }

    /// Drives to an end. What was driven comes back with it.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub async fn run(mut self) -> Result<(Driving, Driven, Vec<String>), Failure> {
        let mut stop = self.stop.clone();
        self.browsing.expect_dialogs().await;
        let end = loop {
            let turn = tokio::select! {
                biased;
                reason = stop.asked() => break End::Interrupted(reason),
                turn = self.turn() => turn?,
            };
            if let Some(end) = turn {
                break end;
            }
        };
        self.result.end = self.judge_checkpoints(end).await;
        self.result.url = self.browsing.lease().url().unwrap_or_default();
        Ok((self.result, self.driven, self.history))
    }

    async fn turn(&mut self) -> Turn {
        if self.hand.is_taken() {
            return self.give_way().await;
        }
        if let Some(end) = self.strayed() {
            return Ok(Some(end));
        }
        self.pass_alert().await;
        let looked = match look(self.browsing, self.looking).await {
            Ok(looked) => looked,
            Err(error) => {
                let Some(now) = self.browsing.fall_back().await else {
                    return Ok(Some(self.lost(&error.message, &error.hint)));
                };
                self.history.push(format!("the tab closed; tab {now} is in front now"));
                return Ok(None);
            }
        };
        self.looking = Looking { all: false, picture: !self.task.grounding, ..self.looking };
        let first = self.first.get_or_insert_with(|| looked.clone()).clone();
        let mut prompt = deciding(&self.task.briefing(), &self.history, &looked.glance);
        prompt.user = self.scribe.redact(&prompt.user);
        let takes = |decision: &Decision| guard::fits(decision, &looked, self.task);
        let decision = match self.counsel.ask::<Decision>(&prompt, takes).await {
            Ok(decision) => decision,
            Err(dismay) => return Ok(Some(dismayed(dismay, self.result.executed))),
        };
        if self.hand.is_taken() {
            // What was decided is about a page that is the person's now.
            return Ok(None);
        }
        let element = usize::try_from(decision.index).ok().and_then(|index| looked.elements.get(index));
        let element = element.filter(|_| Act::ON_ELEMENTS.contains(&decision.act));
        let words = act::words(&decision, element);
        self.scribe.decided(&words, &decision.why, self.counsel.spent()).await?;
        if let Some(end) = self.circles(&words, &looked) {
            return Ok(Some(end));
        }
        self.carry_out(&decision, &words, &looked, &first).await
    }

    async fn carry_out(&mut self, decision: &Decision, words: &str, looked: &Looked, first: &Looked) -> Turn {
        match decision.act {
            Act::Done => self.done(&decision.checks, looked, first).await,
            Act::Fail => Ok(Some(failed("goal", &self.task.goal, &decision.why, ""))),
            Act::Wait => {
                tokio::time::sleep(WAIT).await;
                self.history.push("waited".to_owned());
                Ok(None)
            }
            Act::ListAll => {
                self.looking.all = true;
                self.history.push("listed everything".to_owned());
                Ok(None)
            }
            Act::Look => {
                self.looking.picture = true;
                Ok(None)
            }
            Act::SwitchTab => self.switch_tab(decision, words).await,
            Act::CloseTab => self.close_tab(words, looked).await,
            Act::AcceptDialog | Act::DismissDialog => self.answer_dialog(decision, words).await,
            Act::Goto | Act::Back => self.navigate(decision, words, looked).await,
            Act::ClickAt | Act::TypeText => self.at_a_point(decision, words, looked).await,
            _ => self.act(decision, words, looked).await,
        }
    }

    async fn act(&mut self, decision: &Decision, words: &str, looked: &Looked) -> Turn {
        let index = usize::try_from(decision.index).unwrap_or_default();
        let (Some(element), Some(action)) = (looked.elements.get(index), act::action(decision)) else {
            return Ok(self.refuse(words, "it is no act on an element"));
        };
        let Some(reference) = element.reference.as_ref().map(|reference| reference.0.clone()) else {
            return Ok(self.refuse(words, "the element cannot be named"));
        };
        if let Err(why) = guard::secrets_go_home(&decision.value, element, self.task) {
            return Ok(self.refuse(words, &why));
        }
        let today =
            match action.value.as_deref().map(|text| value::expand(text, &self.task.inputs)).transpose() {
                Ok(today) => today,
                Err(error) => return Ok(self.refuse(words, &error.to_string())),
            };
        let (target, weak) = match self.browsing.describe(&reference).await {
            Ok(described) => described,
            Err(error) => return Ok(self.refuse(words, &error.message)),
        };
        let typed = Action { value: today, ..action };
        let mut pending = self.driven.before(&typed, Some(target), weak, &looked.sight);
        pending.in_tab(self.browsing.tab_number());
        if !self.task.risky && says_risk(pending.step(), &[]) {
            return Ok(
                self.refuse(words, "what is called so needs a person's leave, which this call has not")
            );
        }
        if let Err(over) = self.counsel.take_step() {
            return Ok(Some(over_budget(&over)));
        }
        let number = self.result.executed + 1;
        self.scribe.intent(number, pending.step(), None, true).await?;
        let report = match self.browsing.act(&reference, typed.clone()).await {
            Ok(report) => report,
            Err(error) if self.browsing.lease().failure().is_some() => {
                return Ok(Some(self.lost(&error.message, &error.hint)));
            }
            Err(error) => return Ok(self.refuse(words, &error.message)),
        };
        let step = pending.step().clone();
        let refused = act::refusal(&report);
        let acted =
            refused.is_none() || report.divergence.as_ref().is_some_and(|divergence| divergence.acted);
        if let (Method::Extract, Some(text)) = (typed.method, &report.extracted) {
            self.result.extracted.insert(decision.value.clone(), text.clone());
        }
        self.scribe.step(&step, StepReport { number, ..report }).await?;
        if !acted {
            return Ok(self.refuse(words, &refused.unwrap_or_default()));
        }
        self.result.executed = number;
        let still = looked.sight.print;
        self.settle(pending, words, Some(Again { reference, method: typed.method, still })).await
    }

    /// What came of an act, and whether that is the end. `again`: how it may be done by the browser's own hand, where nothing
    /// at all came of it.
    pub(super) async fn settle(&mut self, mut pending: Pending, words: &str, again: Option<Again>) -> Turn {
        self.refusals = 0;
        // The page's own reaction comes first: two looks in a row agree.
        if let Err(error) = self.browsing.settled(false).await {
            tracing::debug!("after {words}: {error}");
        }
        if let Some(again) = again {
            self.by_browser(&mut pending, again).await;
        }
        if self.browsing.dialog().is_some() {
            // The page waits, and what came of the act is known when it is answered.
            self.history.push(format!("{words}: a dialog of the browser opened"));
            self.waiting = Some(pending);
            return Ok(None);
        }
        let sent = self.browsing.take_sent();
        self.result.sent |= !sent.is_empty();
        let opened = self.browsing.take_opened().await;
        opened.iter().take(1).for_each(|url| pending.opened(url));
        if opened.is_empty() {
            match self.browsing.sight().await {
                Ok(sight) => {
                    let effect = self.driven.after(pending, &sight, sent);
                    self.history.push(format!("{words}: {}", act::came_of(&effect)));
                }
                Err(error) => self.history.push(format!("{words}: done; {}", error.message)),
            }
        } else {
            self.driven.opened(pending, sent);
            let tab = self.browsing.tab_number().unwrap_or_default();
            self.history.push(format!("{words}: a tab was opened, and tab {tab} is in front now"));
        }
        self.look_at_checkpoints().await;
        if let Some(end) = self.strayed() {
            return Ok(Some(end));
        }
        if let Some(end) = self.outcome().await {
            return Ok(Some(end));
        }
        // Where exact checks are declared they decide, and nobody need be asked.
        if self.task.checks.is_empty() || !self.missing_outputs().is_empty() {
            return Ok(None);
        }
        let checks = self.task.checks.clone();
        let inputs = self.task.inputs.clone();
        Ok(match self.browsing.check(checks.clone(), inputs, Duration::ZERO).await {
            Ok(results) if results.iter().all(|check| check.holds) => Some(self.complete(checks, results)),
            _ => None,
        })
    }

    async fn outcome(&self) -> Option<End> {
        if self.task.outcomes.is_empty() {
            return None;
        }
        let conditions = self.task.outcomes.iter().map(|outcome| outcome.when.clone()).collect();
        let results = self.browsing.check(conditions, self.task.inputs.clone(), Duration::ZERO).await.ok()?;
        let (outcome, seen) = self.task.outcomes.iter().zip(results).find(|(_, check)| check.holds)?;
        Some(End::Outcome {
            number: self.result.executed,
            code: outcome.code.clone(),
            detail: outcome.detail.clone().unwrap_or(seen.observed),
        })
    }

    /// The model says that the goal is reached: the checks decide.
    async fn done(&mut self, claims: &[Claim], looked: &Looked, first: &Looked) -> Turn {
        let missing = self.missing_outputs();
        if !missing.is_empty() {
            return Ok(self.refuse("done", &format!("the output {} was not extracted", missing.join(", "))));
        }
        let checks = if self.task.checks.is_empty() {
            match self.claimed(claims, looked, first) {
                Ok(checks) => checks,
                Err(why) => return Ok(self.refuse("done", &why)),
            }
        } else {
            self.task.checks.clone()
        };
        let checked = self.browsing.check(checks.clone(), self.task.inputs.clone(), CHECK_BOUND).await;
        let results = match checked {
            Ok(results) => results,
            Err(error) => return Ok(self.refuse("done", &error.message)),
        };
        if let Some(failed) = results.iter().find(|check| !check.holds) {
            let why = format!("expected {}, observed {}", failed.expected, failed.observed);
            return Ok(self.refuse("done", &why));
        }
        Ok(Some(self.complete(checks, results)))
    }

    /// The model's own checks. What held before the first step proves nothing.
    fn claimed(&self, claims: &[Claim], looked: &Looked, first: &Looked) -> Result<Vec<Condition>, String> {
        // The model may write an input by its name or as it reads it.
        let today = |text: &str| value::expand(text, &self.task.inputs).unwrap_or_else(|_| text.to_owned());
        let stored = |text: &str| value::templatize(&today(text), &self.task.inputs);
        let named = |text: &str| (!text.is_empty()).then(|| stored(text));
        let mut checks = Vec::new();
        for claim in claims.iter().take(3) {
            let element = !claim.role.is_empty() && !claim.name.is_empty();
            if !element && claim.text.is_empty() {
                return Err("a check needs the role and name of an element, or a text".into());
            }
            let stood = |looked: &Looked| {
                let in_text = |text: &str| {
                    let (sight, text) = (&looked.sight, today(text));
                    sight.text.iter().chain(&sight.told).any(|line| line.contains(&text))
                };
                (!element
                    || looked
                        .sight
                        .seen
                        .iter()
                        .any(|one| one.role == claim.role && one.name == today(&claim.name)))
                    && (claim.text.is_empty() || in_text(&claim.text))
            };
            let says_state = !claim.value.is_empty();
            if self.result.executed > 0
                && !says_state
                && stood(first)
                && !claim.gone
                && first.sight.url == looked.sight.url
            {
                continue;
            }
            checks.push(Condition {
                role: named(&claim.role),
                name: named(&claim.name),
                text: named(&claim.text),
                value: named(&claim.value),
                gone: claim.gone.then_some(true),
                ..Condition::default()
            });
        }
        if !claims.is_empty() && checks.is_empty() {
            return Err(
                "what you name stood there before the first act: name what the run brought about".into()
            );
        }
        Ok(checks)
    }

    fn complete(&mut self, checks: Vec<Condition>, results: Vec<CheckResult>) -> End {
        self.result.checks = checks;
        End::Completed(results)
    }

    fn missing_outputs(&self) -> Vec<String> {
        let missing = |name: &&String| !self.result.extracted.contains_key(*name);
        self.task.outputs.iter().filter(missing).cloned().collect()
    }

    /// Nothing is done, and the model is told why; the end where that came too often.
    pub(super) fn refuse(&mut self, words: &str, why: &str) -> Option<End> {
        self.refusals += 1;
        self.history.push(format!("{words}: NOT done: {why}"));
        if self.refusals < MOST_REFUSALS {
            return None;
        }
        let hint = "look at the decisions in the run's steps.jsonl";
        Some(failed("model", "a decision that may be carried out", &format!("{words}: {why}"), hint))
    }

    /// The same again and again on a page that does not change.
    fn circles(&mut self, words: &str, looked: &Looked) -> Option<End> {
        let now = format!("{words}\n{}", looked.signature());
        if self.last.0 != now {
            self.last = (now, 1);
            return None;
        }
        self.last.1 += 1;
        if self.last.1 <= MOST_REPEATS {
            return None;
        }
        let observed = format!("{words}, {} times, and nothing came of it", self.last.1);
        Some(failed("model", "a decision that leads on", &observed, "say in the goal what is meant"))
    }

    fn strayed(&self) -> Option<End> {
        let url = self.browsing.lease().url().unwrap_or_default();
        let fault = self.task.origins.fault(Some(self.result.executed).filter(|step| *step > 0), &url)?;
        Some(End::Failed(Box::new(fault)))
    }

    pub(super) fn lost(&self, observed: &str, hint: &str) -> End {
        End::Lost(Loss {
            step: Some(self.result.executed).filter(|step| *step > 0),
            acted: false,
            observed: observed.to_owned(),
            hint: hint.to_owned(),
        })
    }

    /// Another page of this run, by URL or by history.
    async fn navigate(&mut self, decision: &Decision, words: &str, looked: &Looked) -> Turn {
        let (method, to) = if decision.act == Act::Back {
            (Method::Back, Navigation::Back)
        } else {
            if !guard::secrets_in(&decision.value, self.task).is_empty() {
                return Ok(self.refuse(words, "a secret may not stand in a URL"));
            }
            let url = match value::expand(&decision.value, &self.task.inputs) {
                Ok(url) => absolute(&looked.sight.url, &url),
                Err(error) => return Ok(self.refuse(words, &error.to_string())),
            };
            if let Some(fault) = self.task.origins.fault(None, &url) {
                return Ok(self.refuse(words, &format!("only {} may be visited", fault.expected)));
            }
            (Method::Goto, Navigation::Goto { url })
        };
        if let Err(over) = self.counsel.take_step() {
            return Ok(Some(over_budget(&over)));
        }
        let value = match &to {
            Navigation::Goto { url } => Some(url.clone()),
            _ => None,
        };
        let action = Action { method, value, ..Action::default() };
        let mut pending = self.driven.before(&action, None, None, &looked.sight);
        pending.in_tab(self.browsing.tab_number());
        let number = self.result.executed + 1;
        self.scribe.intent(number, pending.step(), None, true).await?;
        if let Err(error) = self.browsing.go(to).await {
            return Ok(self.refuse(words, &error.message));
        }
        let step = pending.step().clone();
        self.scribe.step(&step, StepReport { number, ..StepReport::default() }).await?;
        self.result.executed = number;
        self.settle(pending, words, None).await
    }

    /// What a decision types, with today's inputs, where no element of the list takes it: never a secret. It is a step of the
    /// budget from here on.
    pub(super) fn text_of_no_field(
        &mut self,
        decision: &Decision,
        words: &str,
        never: &str,
    ) -> Result<String, Option<End>> {
        if !guard::secrets_in(&decision.value, self.task).is_empty() {
            return Err(self.refuse(words, never));
        }
        let text = value::expand(&decision.value, &self.task.inputs)
            .map_err(|error| self.refuse(words, &error.to_string()))?;
        self.counsel.take_step().map_err(|over| Some(over_budget(&over)))?;
        Ok(text)
    }

    /// An act at a point of the picture, by the browser's own hand.
    async fn at_a_point(&mut self, decision: &Decision, words: &str, looked: &Looked) -> Turn {
        let never = "a secret is typed into an element of the list, never at a point";
        let text = match self.text_of_no_field(decision, words, never) {
            Ok(text) => text,
            Err(turn) => return Ok(turn),
        };
        let typing = decision.act == Act::TypeText;
        let method = if typing { Method::Type } else { Method::Click };
        let action = Action { method, value: typing.then(|| text.clone()), ..Action::default() };
        let pending = self.driven.before(&action, None, None, &looked.sight);
        let number = self.result.executed + 1;
        self.scribe.intent(number, pending.step(), None, true).await?;
        let at = cairn_core::wire::page::Point { x: decision.x, y: decision.y };
        if let Err(error) = self.browsing.by_hand(&action, &text, (!typing).then_some(at)).await {
            return Ok(self.refuse(words, &error.message));
        }
        let step = pending.step().clone();
        self.scribe.step(&step, StepReport { number, trusted: true, ..StepReport::default() }).await?;
        self.result.executed = number;
        self.driven.at_a_point(words);
        self.settle_point(words).await
    }

    async fn settle_point(&mut self, words: &str) -> Turn {
        self.refusals = 0;
        tokio::time::sleep(WAIT / 3).await;
        let sent = self.browsing.take_sent();
        self.result.sent |= !sent.is_empty();
        self.history.push(format!("{words}: done"));
        Ok(self.outcome().await)
    }
}

fn absolute(base: &str, url: &str) -> String {
    let joined = url::Url::parse(base).ok().and_then(|base| base.join(url.trim()).ok());
    joined.map_or_else(|| url.trim().to_owned(), String::from)
}

pub(super) fn failed(condition: &'static str, expected: &str, observed: &str, hint: &str) -> End {
    End::Failed(Box::new(Fault {
        step: None,
        condition,
        expected: expected.to_owned(),
        observed: observed.to_owned(),
        hint: hint.to_owned(),
    }))
}

pub(super) fn over_budget(over: &Over) -> End {
    failed("budget", &over.allowed, &over.spent, &format!("allow more with {}", over.setting))
}

/// A provider that is busy or silent is a transient condition; everything else is the model's failure.
fn dismayed(dismay: Dismay, executed: u32) -> End {
    match dismay {
        Dismay::Over(over) => over_budget(&over),
        Dismay::Unusable { last, attempts } => {
            let observed = format!("{attempts} answers that cannot be used; of the last one: {last}");
            failed("model", "one decision in the form that was asked for", &observed, "try another model")
        }
        Dismay::Trouble { trouble, attempts, waited } if trouble.is_transient() => End::Busy {
            number: executed,
            observed: trouble.to_string(),
            attempts,
            waited_ms: waited.as_millis() as u64,
        },
        Dismay::Trouble { trouble, .. } => {
            failed("model", "an answer of the model", &trouble.to_string(), "check CAIRN_MODEL and its key")
        }
    }
}
