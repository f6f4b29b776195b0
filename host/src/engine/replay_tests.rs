//! The conductor against a tab that plays a part written down beforehand: what is acted, what is asked again, what is
//! never repeated.

mod guards;

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cairn_core::element::FrameStep;
use cairn_core::ladder::{Decline, Heal, Match, Rung, Verdict};
use cairn_core::script::{Action, Method, Step, Target};
use cairn_core::wire::page::{
    Batch, BatchEnd, CheckResult, Diverged, Divergence, PageAnswer, PageEvent, PageRequest, Played, Policy,
    StepReport, StepStatus,
};
use cairn_core::wire::worker::{Command, Navigation};
use cairn_core::wire::{ErrorCode, WireError};
use rstest::rstest;
use tokio::sync::mpsc;

use super::api::HealedStep;
use super::evidence::Evidence;
use super::replay::{Conductor, End, Finding, Outcomes, Plan};
use super::scribe::Scribe;
use super::stop::stop_pair;
use super::tab::{Tab, TabEvents};
use crate::daemon::LeaseEvent;
use crate::store::SqliteStore;
use cairn_core::redact::Redactor;

/// What the page does with one batch.
type Part = Box<dyn FnOnce(&Batch, &Wings) -> Option<Result<Played, WireError>> + Send>;

/// Where a part's events go.
struct Wings {
    events: mpsc::UnboundedSender<LeaseEvent>,
    document: u32,
}

impl Wings {
    fn page(&self, event: PageEvent) {
        let _ = self.events.send(LeaseEvent::Page { frame: 0, document: self.document, event });
    }

    fn intent(&self, number: u32, awaits_word: bool) {
        self.page(PageEvent::Intent { run: "run".into(), number, found: None, repointed: None, awaits_word });
    }

    fn hit(&self, number: u32) {
        self.report(StepReport { number, ..StepReport::default() });
    }

    fn report(&self, report: StepReport) {
        self.page(PageEvent::Step { run: "run".into(), report: Box::new(report) });
    }

    fn ready(&self, document: u32) {
        let (url, engine) = (format!("http://a/{document}"), "wasm".to_owned());
        let _ = self.events.send(LeaseEvent::Ready { frame: 0, document, url, engine });
    }

    fn send(&self, event: LeaseEvent) {
        let _ = self.events.send(event);
    }
}

#[derive(Default)]
struct Seen {
    /// (document, prior, numbers of the batch's steps, policy)
    batches: Vec<(u32, Option<u32>, Vec<u32>, Heal)>,
    words: Vec<u32>,
    moves: Vec<Navigation>,
    commands: Vec<Command>,
    handed: Vec<(u32, Option<String>)>,
}

#[derive(Clone)]
struct Stage {
    parts: Arc<Mutex<VecDeque<Part>>>,
    seen: Arc<Mutex<Seen>>,
    events: mpsc::UnboundedSender<LeaseEvent>,
    on_move: Arc<Mutex<VecDeque<LeaseEvent>>>,
}

struct Queue(mpsc::UnboundedReceiver<LeaseEvent>);

impl TabEvents for Queue {
    async fn next(&mut self) -> Option<LeaseEvent> {
        self.0.recv().await
    }
}

impl Tab for Stage {
    async fn ask(&self, document: u32, request: PageRequest, _: Duration) -> Result<PageAnswer, WireError> {
        match request {
            PageRequest::Play(batch) => {
                let numbers = (batch.first..).take(batch.steps.len()).collect();
                let prior = batch.prior.as_ref().map(|prior| prior.number);
                self.seen.lock().unwrap().batches.push((document, prior, numbers, batch.policy.heal));
                let part = self.parts.lock().unwrap().pop_front().expect("one batch too many");
                let wings = Wings { events: self.events.clone(), document };
                match part(&batch, &wings) {
                    Some(Ok(played)) => Ok(PageAnswer::Played(played)),
                    Some(Err(error)) => Err(error),
                    None => std::future::pending().await,
                }
            }
            PageRequest::Proceed { number, .. } => {
                self.seen.lock().unwrap().words.push(number);
                Ok(PageAnswer::Done)
            }
            PageRequest::Handed { number, refused, .. } => {
                self.seen.lock().unwrap().handed.push((number, refused));
                Ok(PageAnswer::Done)
            }
            _ => Ok(PageAnswer::Done),
        }
    }

    async fn navigate(&self, to: Navigation) -> Result<(), WireError> {
        self.seen.lock().unwrap().moves.push(to);
        if let Some(event) = self.on_move.lock().unwrap().pop_front() {
            let _ = self.events.send(event);
        }
        Ok(())
    }

    async fn capture(&self) -> Result<Vec<u8>, WireError> {
        Ok(Vec::new())
    }

    fn document(&self) -> Option<u32> {
        None
    }

    fn hide(&self, _: &str, _: &str) {}

    async fn debug(&self, commands: Vec<Command>) -> Result<(), WireError> {
        self.seen.lock().unwrap().commands.extend(commands);
        Ok(())
    }

    fn documents(&self) -> Vec<u32> {
        Vec::new()
    }

    fn document_in(&self, path: &[FrameStep]) -> Option<u32> {
        path.first().map(|step| 100 + step.index)
    }

    async fn attach_debugger(&self, _: bool) -> Result<(), WireError> {
        Ok(())
    }

    async fn end(&self, _: bool) {}

    fn stays(&self) {}
}

fn step(method: Method) -> Step {
    let value = (method == Method::Goto).then(|| "http://a/there".to_owned());
    Step { action: Action { method, value, ..Action::default() }, ..Step::default() }
}

#[expect(clippy::unnecessary_wraps, reason = "the end of a part, which may also have none")]
fn completed(last: u32) -> Option<Result<Played, WireError>> {
    let goal = vec![CheckResult { holds: true, ..CheckResult::default() }];
    Some(Ok(Played { last, end: BatchEnd::Completed, goal }))
}

#[expect(clippy::unnecessary_wraps, reason = "the end of a part, which may also have none")]
fn ended(last: u32, end: BatchEnd) -> Option<Result<Played, WireError>> {
    Some(Ok(Played { last, end, goal: Vec::new() }))
}

struct Performance {
    outcomes: Outcomes,
    seen: Arc<Mutex<Seen>>,
    evidence: String,
    healed: Vec<HealedStep>,
}

/// Plays `steps` against the parts; the first document is there at once.
fn play(
    steps: Vec<Step>,
    finding: Finding,
    on_move: Vec<LeaseEvent>,
    parts: Vec<Part>,
) -> Pin<Box<dyn Future<Output = Performance>>> {
    play_plan(Plan { steps, ..Plan::default() }, finding, on_move, parts)
}

fn play_plan(
    plan: Plan,
    finding: Finding,
    on_move: Vec<LeaseEvent>,
    parts: Vec<Part>,
) -> Pin<Box<dyn Future<Output = Performance>>> {
    Box::pin(async move {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let evidence = Evidence::create(folder.path(), "run").unwrap();
        let (heard, mut ears) = mpsc::channel(1024);
        tokio::spawn(async move { while ears.recv().await.is_some() {} });
        let mut scribe = Scribe::new("run".into(), None, evidence, store, heard, Redactor::default());
        let (events, queue) = mpsc::unbounded_channel();
        let stage = Stage {
            parts: Arc::new(Mutex::new(parts.into())),
            seen: Arc::default(),
            events,
            on_move: Arc::new(Mutex::new(on_move.into())),
        };
        let plan = Plan { run: "run".into(), bound: Duration::from_millis(200), ..plan };
        Wings { events: stage.events.clone(), document: 0 }.ready(1);
        let mut queue = Queue(queue);
        let (_handle, stop) = stop_pair();
        let mut conductor = Conductor::new(&stage, &mut queue, &plan, &mut scribe, stop);
        assert_eq!(conductor.first_page().await.unwrap().unwrap(), 1);
        let outcomes = Box::pin(conductor.play(finding)).await.unwrap();
        let evidence = std::fs::read_to_string(folder.path().join("runs/run/steps.jsonl")).unwrap();
        assert!(stage.parts.lock().unwrap().is_empty(), "a part was not played");
        Performance { outcomes, seen: stage.seen, evidence, healed: scribe.healed }
    })
}

fn diverged(number: u32, condition: Diverged, acted: bool) -> StepReport {
    let found = Verdict::Lost(Decline { confidence: 0.0, shortlist: vec![], reason: "nothing".into() });
    let divergence = Divergence { condition, acted, ..Divergence::default() };
    StepReport {
        number,
        status: StepStatus::Diverged,
        found: Some(found),
        divergence: Some(divergence),
        ..StepReport::default()
    }
}

#[tokio::test]
async fn the_whole_rest_goes_in_one_batch() {
    let steps = vec![step(Method::Click); 3];
    let part: Part = Box::new(|_, page| {
        (1..=3).for_each(|number| {
            page.intent(number, false);
            page.hit(number);
        });
        completed(3)
    });
    let played = play(steps, Finding::default(), vec![], vec![part]).await;
    assert!(matches!(played.outcomes.end, End::Completed(ref goal) if goal.len() == 1));
    assert_eq!(played.outcomes.executed, 3);
    assert_eq!(played.seen.lock().unwrap().batches, [(1, None, vec![1, 2, 3], Heal::Ladder)]);
    assert_eq!(played.evidence.matches("\"type\":\"intent\"").count(), 3);
}

#[tokio::test]
async fn a_step_that_navigates_is_judged_in_the_new_document_and_not_acted_again() {
    let first: Part = Box::new(|_, page| {
        page.intent(1, false);
        page.ready(2);
        None
    });
    let second: Part = Box::new(|_, page| {
        page.hit(1);
        page.intent(2, false);
        page.hit(2);
        completed(2)
    });
    let played = play(vec![step(Method::Click); 2], Finding::default(), vec![], vec![first, second]).await;
    assert!(matches!(played.outcomes.end, End::Completed(_)));
    let batches = &played.seen.lock().unwrap().batches;
    assert_eq!(batches[1], (2, Some(1), vec![2], Heal::Ladder));
}

#[tokio::test]
async fn a_healed_step_that_navigates_keeps_what_its_target_is_now() {
    let found = Match {
        index: 0,
        rung: Rung::RoleName,
        confidence: 0.9,
        selector: None,
        runner_up: None,
        margin: 1.0,
        reason: "unique role+name match".into(),
    };
    let healed = Verdict::Healed(found);
    let (said, judged) = (healed.clone(), healed);
    let first: Part = Box::new(|_, page| {
        let repointed = Some(Box::new(Target { name: "Save all".into(), ..Target::default() }));
        let run = "run".into();
        page.page(PageEvent::Intent { run, number: 1, found: Some(said), repointed, awaits_word: false });
        page.ready(2);
        None
    });
    let second: Part = Box::new(|_, page| {
        let status = StepStatus::Healed;
        page.report(StepReport { number: 1, status, found: Some(judged), ..StepReport::default() });
        completed(1)
    });
    let played = play(vec![step(Method::Click)], Finding::default(), vec![], vec![first, second]).await;
    let now = played.healed[0].repointed.as_ref().map(|target| target.name.as_str());
    assert_eq!(now, Some("Save all"));
}

#[tokio::test]
async fn a_document_that_goes_before_any_act_gets_its_step_again() {
    let first: Part = Box::new(|_, page| {
        page.ready(2);
        None
    });
    let second: Part = Box::new(|_, page| {
        page.hit(1);
        completed(1)
    });
    let played = play(vec![step(Method::Click)], Finding::default(), vec![], vec![first, second]).await;
    assert_eq!(played.seen.lock().unwrap().batches[1], (2, None, vec![1], Heal::Ladder));
}

#[rstest]
#[case::the_page_is_that_of_the_second(Some("http://a/cart"), Some(2), &[3])]
#[case::no_step_leads_there(Some("http://a/elsewhere"), None, &[1, 2, 3])]
#[case::it_is_sent_by_the_second(None, None, &[1, 2, 3])]
#[tokio::test]
async fn what_a_stopped_worker_took_along_is_told_by_the_page_that_came(
    #[case] leads: Option<&str>,
    #[case] prior: Option<u32>,
    #[case] rest: &[u32],
) {
    let mut second = step(Method::Click);
    second.postcondition.url_pattern = Some(leads.unwrap_or("http://a/cart").to_owned());
    second.sends = leads.is_none().then_some(true);
    let first: Part = Box::new(|_, page| {
        page.send(LeaseEvent::Disconnected);
        page.send(LeaseEvent::Reconnected);
        let url = "http://a/cart".to_owned();
        page.send(LeaseEvent::Ready { frame: 0, document: 2, url, engine: "wasm".to_owned() });
        None
    });
    let again: Part = Box::new(|_, page| {
        page.report(diverged(3, Diverged::Target, false));
        ended(3, BatchEnd::Diverged)
    });
    let steps = vec![step(Method::Fill), second, step(Method::Click)];
    let played = play(steps, Finding::default(), vec![], vec![first, again]).await;
    assert_eq!(played.seen.lock().unwrap().batches[1], (2, prior, rest.to_vec(), Heal::Ladder));
}

#[tokio::test]
async fn a_step_that_sends_gets_the_word_once_its_intent_is_on_disk() {
    let sends = Step { sends: Some(true), ..step(Method::Click) };
    let first: Part = Box::new(|_, page| {
        page.intent(1, true);
        page.ready(2);
        None
    });
    let second: Part = Box::new(|batch, page| {
        assert!(batch.prior.is_some());
        page.report(diverged(1, Diverged::Postcondition, true));
        ended(1, BatchEnd::Diverged)
    });
    let played = play(vec![sends], Finding::default(), vec![], vec![first, second]).await;
    assert!(played.outcomes.sent);
    assert!(matches!(played.outcomes.end, End::Diverged(_)));
    // The word is carried beside the run.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(played.seen.lock().unwrap().words, [1]);
    assert!(played.evidence.contains("\"type\":\"intent\",\"number\":1"), "{}", played.evidence);
}

#[tokio::test]
async fn events_behind_the_answer_are_still_heard() {
    let part: Part = Box::new(|_, page| {
        let events = page.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let report = Box::new(StepReport { number: 1, ..StepReport::default() });
            let event = PageEvent::Step { run: "run".into(), report };
            let _ = events.send(LeaseEvent::Page { frame: 0, document: 1, event });
        });
        completed(1)
    });
    let played = play(vec![step(Method::Click)], Finding::default(), vec![], vec![part]).await;
    assert_eq!(played.outcomes.executed, 1);
}

#[tokio::test]
async fn the_first_miss_of_tier_replay_turns_the_ladder_on() {
    let strict = Policy { heal: Heal::Off, threshold: 0.6 };
    let finding = Finding { policy: strict, after_miss: Some(Policy::default()) };
    let first: Part = Box::new(|_, page| {
        page.hit(1);
        page.report(diverged(2, Diverged::Target, false));
        ended(2, BatchEnd::Diverged)
    });
    let second: Part = Box::new(|_, page| {
        page.report(StepReport { number: 2, status: StepStatus::Healed, ..StepReport::default() });
        completed(2)
    });
    let played = play(vec![step(Method::Click); 2], finding, vec![], vec![first, second]).await;
    assert!(played.outcomes.missed);
    assert!(matches!(played.outcomes.end, End::Completed(_)));
    let batches = &played.seen.lock().unwrap().batches;
    assert_eq!((batches[0].3, batches[1].3), (Heal::Off, Heal::Ladder));
    assert_eq!(batches[1].2, [2]);
    assert!(played.evidence.contains("Tier: replay-with-heal — step 2 missed its recorded selectors"));
}

#[tokio::test]
async fn a_divergence_after_the_act_is_never_healed_into_a_second_act() {
    let strict = Policy { heal: Heal::Off, threshold: 0.6 };
    let finding = Finding { policy: strict, after_miss: Some(Policy::default()) };
    let part: Part = Box::new(|_, page| {
        page.intent(1, false);
        page.report(diverged(1, Diverged::Postcondition, true));
        ended(1, BatchEnd::Diverged)
    });
    let played = play(vec![step(Method::Click)], finding, vec![], vec![part]).await;
    assert!(matches!(played.outcomes.end, End::Diverged(ref report) if report.number == 1));
}

#[tokio::test]
async fn goto_is_the_hosts_and_judged_by_its_page() {
    let steps = vec![step(Method::Click), step(Method::Goto), step(Method::Click)];
    let first: Part = Box::new(|_, page| {
        page.hit(1);
        ended(1, BatchEnd::HostStep)
    });
    let second: Part = Box::new(|_, page| {
        page.hit(2);
        page.hit(3);
        completed(3)
    });
    let there =
        LeaseEvent::Ready { frame: 0, document: 2, url: "http://a/there".into(), engine: "js".into() };
    let played = play(steps, Finding::default(), vec![there], vec![first, second]).await;
    let seen = played.seen.lock().unwrap();
    assert_eq!(seen.moves, [Navigation::Goto { url: "http://a/there".into() }]);
    assert_eq!(seen.batches[1], (2, Some(2), vec![3], Heal::Ladder));
    assert_eq!(played.outcomes.engine, "js");
}

#[tokio::test]
async fn back_within_one_document_keeps_it() {
    let steps = vec![step(Method::Back)];
    let stays = LeaseEvent::Committed {
        frame: 0,
        document: 1,
        url: "http://a/#x".into(),
        same_document: true,
        transition: "link".into(),
        qualifiers: vec!["forward_back".into()],
        status: 0,
    };
    let part: Part = Box::new(|_, page| {
        page.hit(1);
        completed(1)
    });
    let played = play(steps, Finding::default(), vec![stays], vec![part]).await;
    assert_eq!(played.seen.lock().unwrap().batches, [(1, Some(1), vec![], Heal::Ladder)]);
}

#[tokio::test]
async fn a_tab_that_goes_after_the_act_is_a_clear_loss() {
    let part: Part = Box::new(|_, page| {
        page.intent(1, false);
        page.send(LeaseEvent::TabGone { reason: "the tab crashed".into() });
        None
    });
    let played = play(vec![step(Method::Click)], Finding::default(), vec![], vec![part]).await;
    let End::Lost(loss) = played.outcomes.end else { panic!("{:?}", played.outcomes.end) };
    assert_eq!((loss.step, loss.acted, loss.observed.as_str()), (Some(1), true, "the tab crashed"));
}

#[tokio::test]
async fn a_page_that_says_nothing_ends_within_its_bound() {
    let part: Part = Box::new(|_, _| None);
    let begun = tokio::time::Instant::now();
    let played = play(vec![step(Method::Click)], Finding::default(), vec![], vec![part]).await;
    let End::Lost(loss) = played.outcomes.end else { panic!("{:?}", played.outcomes.end) };
    assert!(!loss.acted);
    assert!(loss.observed.contains("did not answer"), "{}", loss.observed);
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_probe_that_panicked_goes_on_where_it_was() {
    let first: Part = Box::new(|_, page| {
        page.intent(1, false);
        Some(Err(WireError::new(ErrorCode::Panicked, "index out of bounds", "")))
    });
    let second: Part = Box::new(|batch, page| {
        assert_eq!(
            batch.prior.as_ref().map(|prior| prior.number),
            Some(1),
            "acted, not judged, not acted again"
        );
        page.hit(1);
        completed(1)
    });
    let played = play(vec![step(Method::Click)], Finding::default(), vec![], vec![first, second]).await;
    assert!(matches!(played.outcomes.end, End::Completed(_)));
}

#[tokio::test]
async fn a_business_outcome_ends_the_run_at_its_step() {
    let part: Part = Box::new(|_, page| {
        page.hit(1);
        page.page(PageEvent::Outcome {
            run: "run".into(),
            number: 1,
            code: "sold_out".into(),
            detail: "text \"Sold out\"".into(),
        });
        ended(1, BatchEnd::Outcome)
    });
    let played = play(vec![step(Method::Click); 2], Finding::default(), vec![], vec![part]).await;
    assert!(matches!(played.outcomes.end, End::Outcome { number: 1, ref code, .. } if code == "sold_out"));
}

#[tokio::test]
async fn a_page_that_replaces_itself_for_ever_is_given_up() {
    let parts = (2..=22)
        .map(|document| -> Part {
            Box::new(move |_, page| {
                page.ready(document);
                None
            })
        })
        .collect();
    let played = play(vec![step(Method::Click)], Finding::default(), vec![], parts).await;
    assert!(matches!(played.outcomes.end, End::Lost(ref loss) if loss.observed.contains("replacing itself")));
}
