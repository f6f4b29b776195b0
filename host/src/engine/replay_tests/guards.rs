//! What the host demands of a run beside its steps: checkpoints, origins, troubles of loading.

use cairn_core::script::{Checkpoint, Condition, Recoverable, Script, Trouble};

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
