//! What the host demands of a run beside its steps: checkpoints, origins, troubles of loading.

use cairn_core::script::{Checkpoint, Condition, Dialog, Recoverable, Script, Trouble};

use super::*;
use crate::engine::origins::Origins;

fn checkpoint(name: &str, after: u32, gating: bool) -> Checkpoint {
    let check = Condition { text: Some(name.into()), ..Condition::default() };
    Checkpoint { name: name.into(), after, checks: vec![check], gating }
}

/// Plays the steps of its batch and answers its checks with this.
fn stretch(holds: bool) -> Part {
    Box::new(move |batch, page| {
        let last = batch.first + batch.steps.len() as u32 - 1;
        (batch.first..=last).for_each(|number| page.hit(number));
        let goal = batch.goal.iter().map(|_| CheckResult { holds, ..CheckResult::default() }).collect();
        Some(Ok(Played { last, end: BatchEnd::Completed, goal }))
    })
}

#[tokio::test]
async fn a_batch_ends_at_each_checkpoint() {
    let plan = Plan {
        steps: vec![step(Method::Click); 3],
        checkpoints: vec![checkpoint("start", 0, false), checkpoint("cart", 2, false)],
        goal: vec![Condition::default()],
        ..Plan::default()
    };
    let parts = vec![stretch(true), stretch(false), stretch(true)];
    let played = play_plan(plan, Finding::default(), vec![], parts).await;
    assert!(matches!(played.outcomes.end, End::Completed(ref goal) if goal.len() == 1));
    let numbers: Vec<Vec<u32>> =
        played.seen.lock().unwrap().batches.iter().map(|(_, _, numbers, _)| numbers.clone()).collect();
    assert_eq!(numbers, [vec![], vec![1, 2], vec![3]]);
    let seen: Vec<(&str, bool)> =
        played.outcomes.checkpoints.iter().map(|one| (one.name.as_str(), one.holds)).collect();
    assert_eq!(seen, [("start", true), ("cart", false)], "one that does not gate is scored and passed");
    assert!(played.evidence.contains("Checkpoint cart: does not hold"), "{}", played.evidence);
}

#[tokio::test]
async fn a_gating_checkpoint_ends_the_run_before_the_next_step() {
    let plan = Plan {
        steps: vec![step(Method::Click), step(Method::Goto)],
        checkpoints: vec![checkpoint("cart", 1, true)],
        ..Plan::default()
    };
    let played = play_plan(plan, Finding::default(), vec![], vec![stretch(false)]).await;
    let End::Failed(fault) = played.outcomes.end else { panic!("{:?}", played.outcomes.end) };
    assert_eq!((fault.condition, fault.step), ("checkpoint", Some(1)));
    assert!(played.seen.lock().unwrap().moves.is_empty(), "the host's step behind it is not done");
}

fn bounded(steps: Vec<Step>) -> Plan {
    let script = Script { origins: vec!["http://a".into()], ..Script::default() };
    let origins = Origins::of(&script, "http://a/", &std::collections::BTreeMap::new()).unwrap();
    Plan { steps, origins, ..Plan::default() }
}

#[tokio::test]
async fn a_step_to_another_origin_is_refused_before_it_is_done() {
    let goto = Action { method: Method::Goto, value: Some("http://b/".into()), ..Action::default() };
    let plan = bounded(vec![Step { action: goto, ..Step::default() }]);
    let played = play_plan(plan, Finding::default(), vec![], vec![]).await;
    let End::Failed(fault) = played.outcomes.end else { panic!("{:?}", played.outcomes.end) };
    assert_eq!((fault.condition, fault.step, fault.observed.as_str()), ("origin", Some(1), "http://b/"));
    assert!(played.seen.lock().unwrap().moves.is_empty());
}

#[tokio::test]
async fn a_page_of_another_origin_is_never_sent_a_step() {
    let part: Part = Box::new(|_, page| {
        page.intent(1, false);
        let (url, engine) = ("http://b/phish".to_owned(), "wasm".to_owned());
        page.send(LeaseEvent::Ready { frame: 0, document: 2, url, engine });
        None
    });
    let plan = bounded(vec![step(Method::Click); 2]);
    let played = play_plan(plan, Finding::default(), vec![], vec![part]).await;
    let End::Failed(fault) = played.outcomes.end else { panic!("{:?}", played.outcomes.end) };
    assert_eq!((fault.condition, fault.step), ("origin", Some(1)));
}

fn rule(trouble: Trouble) -> Plan {
    let rule = Recoverable { code: "down".into(), on: Some(trouble), ..Recoverable::default() };
    Plan { steps: vec![step(Method::Click)], recoverable: vec![rule], ..Plan::default() }
}

fn committed(status: u16) -> LeaseEvent {
    LeaseEvent::Committed {
        frame: 0,
        document: 2,
        url: "http://a/2".into(),
        same_document: false,
        transition: "link".into(),
        qualifiers: vec![],
        status,
    }
}

#[tokio::test]
async fn a_server_error_is_what_the_script_declares_it_to_be() {
    let part = |status| -> Part {
        Box::new(move |_, page| {
            page.send(committed(status));
            page.send(LeaseEvent::TabGone { reason: "the end".into() });
            None
        })
    };
    let ended = async |plan: Plan, status| {
        play_plan(plan, Finding::default(), vec![], vec![part(status)]).await.outcomes.end
    };
    let End::Outcome { code, detail, .. } = ended(rule(Trouble::ServerError), 503).await else { panic!() };
    assert_eq!((code.as_str(), detail.as_str()), ("down", "the server answered 503 to http://a/2"));
    assert!(matches!(ended(rule(Trouble::ServerError), 404).await, End::Lost(_)));
    assert!(matches!(ended(rule(Trouble::Timeout), 503).await, End::Lost(_)));
}

#[tokio::test]
async fn a_broken_connection_is_what_the_script_declares_it_to_be() {
    let part: Part = Box::new(|_, page| {
        let (url, error) = ("http://a/2".into(), "net::ERR_CONNECTION_RESET".into());
        page.send(LeaseEvent::LoadFailed { frame: 0, url, error });
        None
    });
    let played = play_plan(rule(Trouble::Connection), Finding::default(), vec![], vec![part]).await;
    assert!(matches!(played.outcomes.end, End::Outcome { ref code, .. } if code == "down"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_step_that_sends_gets_no_word_on_a_full_disk() {
    let sends = Step { sends: Some(true), ..step(Method::Click) };
    let part: Part = Box::new(|_, page| {
        page.intent(1, true);
        None
    });
    let folder = tempfile::tempdir().unwrap();
    // Every write to this device fails as on a full disk.
    let evidence = Evidence::onto(folder.path(), std::path::Path::new("/dev/full"));
    let plan = Plan { steps: vec![sends], ..Plan::default() };
    let (stage, ended) = play_onto(evidence, folder.path(), plan, part).await;
    let failure = ended.expect_err("the run goes no further");
    assert_eq!(failure.kind, crate::exit::ErrorKind::DataFolder);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(stage.seen.lock().unwrap().words.is_empty(), "it must not act");
}

async fn play_onto(
    evidence: Evidence,
    folder: &std::path::Path,
    plan: Plan,
    part: Part,
) -> (Stage, Result<Outcomes, crate::exit::Failure>) {
    play_resumed(evidence, folder, plan, part, None).await
}

async fn play_resumed(
    evidence: Evidence,
    folder: &std::path::Path,
    plan: Plan,
    part: Part,
    resume: Option<&crate::engine::resume::Resume>,
) -> (Stage, Result<Outcomes, crate::exit::Failure>) {
    let store = Arc::new(SqliteStore::open(folder).unwrap());
    let (heard, _ears) = mpsc::channel(1024);
    let mut scribe = Scribe::new("run".into(), None, evidence, store, heard, Redactor::default());
    let (events, queue) = mpsc::unbounded_channel();
    let parts = Arc::new(Mutex::new(VecDeque::from([part])));
    let stage = Stage { parts, seen: Arc::default(), events, on_move: Arc::default() };
    let plan = Plan { run: "run".into(), bound: Duration::from_millis(200), ..plan };
    Wings { events: stage.events.clone(), document: 0 }.ready(1);
    let mut queue = Queue(queue);
    let (_handle, stop) = stop_pair();
    let mut conductor = Conductor::new(&stage, &mut queue, &plan, &mut scribe, stop);
    conductor.first_page().await.unwrap().unwrap();
    if let Some(resume) = resume {
        conductor.go_on(resume).await.unwrap();
    }
    let ended = Box::pin(conductor.play(Finding::default())).await;
    (stage, ended)
}

#[tokio::test]
async fn a_run_gone_on_with_judges_what_may_have_happened_and_acts_only_what_is_left() {
    let sends = Step { sends: Some(true), ..step(Method::Click) };
    let plan = Plan { steps: vec![step(Method::Fill), sends, step(Method::Click)], ..Plan::default() };
    let resume = crate::engine::resume::Resume {
        run: "earlier".into(),
        done: [(1, "hit".to_owned())].into(),
        under_way: Some(2),
        sent: true,
        url: String::new(),
    };
    let part: Part = Box::new(|batch, page| {
        assert_eq!(batch.prior.as_ref().map(|prior| prior.number), Some(2));
        page.hit(2);
        page.intent(3, false);
        page.hit(3);
        completed(3)
    });
    let folder = tempfile::tempdir().unwrap();
    let evidence = Evidence::create(folder.path(), "run").unwrap();
    let (stage, ended) = play_resumed(evidence, folder.path(), plan, part, Some(&resume)).await;
    let outcomes = ended.unwrap();
    assert!(matches!(outcomes.end, End::Completed(_)) && outcomes.sent);
    let seen = stage.seen.lock().unwrap();
    assert_eq!(seen.batches, [(1, Some(2), vec![3], Heal::Ladder)]);
    assert!(seen.words.is_empty(), "nothing is sent again");
}

/// A click that brings a dialog with this kind, which the recording answered with yes.
fn asks(kind: &str) -> Step {
    let dialog = Dialog { kind: kind.into(), accept: true, ..Dialog::default() };
    Step { dialogs: vec![dialog], ..step(Method::Click) }
}

fn opens(kind: &str) -> LeaseEvent {
    LeaseEvent::DialogOpened { kind: kind.into(), message: "Sure?".into(), preset: String::new() }
}

#[tokio::test]
async fn a_dialog_that_overtakes_the_word_of_its_step_is_answered_as_that_step_says() {
    let first: Part = Box::new(|_, page| {
        page.intent(1, false);
        page.send(opens("prompt"));
        page.hit(1);
        completed(1)
    });
    let second: Part = Box::new(|_, page| {
        // The browser's word of the second dialog comes before the page's.
        page.send(opens("confirm"));
        page.intent(2, false);
        page.hit(2);
        completed(2)
    });
    let parts = vec![first, second];
    let played = play(vec![asks("prompt"), asks("confirm")], Finding::default(), vec![], parts).await;
    assert!(matches!(played.outcomes.end, End::Completed(_)), "{:?}", played.outcomes.end);
    let answers: Vec<_> =
        played.seen.lock().unwrap().commands.iter().map(|one| one.params["accept"].clone()).collect();
    assert_eq!(answers, [true, true]);
}

#[tokio::test]
async fn nothing_is_done_before_a_dialog_that_comes_after_a_while() {
    let asking: Part = Box::new(|batch, page| {
        assert_eq!(batch.steps.len(), 1, "the step after it waits");
        page.intent(1, false);
        page.hit(1);
        page.send(opens("confirm"));
        completed(1)
    });
    let after: Part = Box::new(|batch, page| {
        assert_eq!(batch.first, 2);
        page.intent(2, false);
        page.hit(2);
        completed(2)
    });
    let steps = vec![asks("confirm"), step(Method::Click)];
    let played = play(steps, Finding::default(), vec![], vec![asking, after]).await;
    assert!(matches!(played.outcomes.end, End::Completed(_)), "{:?}", played.outcomes.end);
    assert_eq!(played.seen.lock().unwrap().commands[0].params["accept"], true);
}

#[tokio::test]
async fn a_dialog_that_never_comes_ends_the_run() {
    let part: Part = Box::new(|_, page| {
        page.intent(1, false);
        page.hit(1);
        completed(1)
    });
    let played =
        play(vec![asks("confirm"), step(Method::Click)], Finding::default(), vec![], vec![part]).await;
    let End::Diverged(report) = &played.outcomes.end else { panic!("{:?}", played.outcomes.end) };
    assert_eq!(report.number, 1);
}

#[tokio::test]
async fn a_dialog_that_no_step_has_is_dismissed_and_ends_the_run() {
    let part: Part = Box::new(|_, page| {
        page.intent(1, false);
        page.send(opens("confirm"));
        None
    });
    let played = play(vec![asks("prompt")], Finding::default(), vec![], vec![part]).await;
    let End::Diverged(report) = &played.outcomes.end else { panic!("{:?}", played.outcomes.end) };
    assert_eq!(report.number, 1);
    assert_eq!(played.seen.lock().unwrap().commands[0].params["accept"], false);
}
