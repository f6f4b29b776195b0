//! Leases over the real socket: numbers, configuration first, bounds, what ends and what comes back.

use std::time::Duration;

use cairn_core::wire::page::{Configure, FromPage, ListOptions, Listing, PageAnswer, PageEvent, PageRequest};
use cairn_core::wire::worker::{
    Call, CallResult, Engine, FrameInfo, FromWorker, LeaseInfo, Navigation, NewKey, ToWorker, WorkerEvent,
};
use cairn_core::wire::{ErrorCode, WireError};
use cairn_host::daemon::{Daemon, Lease, LeaseEvent, LeaseEvents, Open};
use rstest::rstest;
use tokio::time::{Instant, timeout};

use super::pairing::daemon;
use super::worker::{BOUND, Secret, Worker, code};

pub struct Session {
    pub daemon: Daemon,
    pub worker: Worker,
    pub key: NewKey,
    pub lease: Lease,
    pub events: LeaseEvents,
}

pub async fn session() -> Session {
    let daemon = daemon().await;
    let pair = code(&daemon.pair_url().unwrap());
    let mut worker = Worker::join(daemon.port(), Secret::Code(&pair), vec![]).await;
    let key = worker.key.clone().unwrap();
    daemon.hub().connected(BOUND).await.unwrap();
    let configure = Configure { test_id_attributes: vec!["data-qa".into()], ..Configure::default() };
    let open = Open { url: Some("http://site.example/".into()), configure, ..Open::default() };
    let hub = daemon.hub().clone();
    let (opened, id) = tokio::join!(hub.open(open), worker.grant());
    let (lease, events) = opened.unwrap();
    assert_eq!(lease.id(), id);
    Session { daemon, worker, key, lease, events }
}

pub fn list() -> PageRequest {
    PageRequest::List(ListOptions::default())
}

async fn next(events: &mut LeaseEvents) -> LeaseEvent {
    timeout(BOUND, events.next()).await.expect("an event within the bound").expect("a lease that goes on")
}

#[tokio::test]
async fn each_document_is_configured_with_its_number_before_it_is_asked() {
    let Session { daemon: _daemon, mut worker, lease, mut events, .. } = session().await;
    let id = lease.id().to_owned();
    // Asked before any page is there: it waits for the probe.
    let asking = {
        let lease = lease.clone();
        tokio::spawn(async move { lease.ask(0, list(), BOUND).await })
    };
    let configure = worker.ready(&id, "a").await;
    assert_eq!((configure.document, configure.test_id_attributes), (1, vec!["data-qa".to_owned()]));
    let (ask, document, request) = worker.page().await;
    assert_eq!((document.as_str(), request), ("a", list()));
    worker
        .answer(&id, "a", ask, PageAnswer::Listing(Listing { title: "A".into(), ..Listing::default() }))
        .await;
    let PageAnswer::Listing(listing) = asking.await.unwrap().unwrap() else { panic!("a listing") };
    assert_eq!(listing.title, "A");
    assert_eq!(worker.ready(&id, "b").await.document, 2);
    let ready = |document, url: &str| LeaseEvent::Ready {
        frame: 0,
        document,
        url: url.into(),
        engine: "wasm".into(),
    };
    assert_eq!(next(&mut events).await, ready(1, "http://site.example/a"));
    assert_eq!(next(&mut events).await, ready(2, "http://site.example/b"));
    assert_eq!(lease.document(), Some(2));
}

#[tokio::test]
async fn a_question_never_outlives_its_bound() {
    let Session { daemon: _daemon, mut worker, lease, .. } = session().await;
    let id = lease.id().to_owned();
    let start = Instant::now();
    let error = lease.ask(0, list(), Duration::from_millis(300)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::TimedOut, "no page came");
    worker.ready(&id, "a").await;
    let error = lease.ask(0, list(), Duration::from_millis(300)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::TimedOut, "the page is busy");
    assert!(error.message.contains("busy"));
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn questions_to_a_left_page_fail_and_the_next_page_can_be_asked() {
    let Session { daemon: _daemon, mut worker, lease, .. } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    let (error, ()) = tokio::join!(lease.ask(0, list(), BOUND), async {
        worker.page().await;
        worker.ready(&id, "b").await;
    });
    assert_eq!(error.unwrap_err().code, ErrorCode::Gone);
    let (error, ()) = tokio::join!(lease.ask(0, list(), BOUND), async {
        let (_, document, _) = worker.page().await;
        worker.event(WorkerEvent::Undelivered { lease: id.clone(), frame: 0, document }).await;
    });
    assert_eq!(error.unwrap_err().code, ErrorCode::Gone);
    let stale = WireError::new(ErrorCode::StaleRef, "old", "");
    let (error, ()) = tokio::join!(lease.ask(0, list(), BOUND), async {
        let (ask, document, _) = worker.page().await;
        worker.page_says(&id, &document, &FromPage::Failed { id: ask, error: stale.clone() }).await;
    });
    assert_eq!(error.unwrap_err(), stale);
}

#[tokio::test]
async fn pages_that_cannot_be_read_say_why() {
    let Session { daemon: _daemon, mut worker, lease, mut events, .. } = session().await;
    let id = lease.id().to_owned();
    let refused = WireError::new(ErrorCode::Refused, "the browser's own page", "");
    let not_ready = WorkerEvent::NotReady {
        lease: id.clone(),
        frame: 0,
        url: "chrome://x/".into(),
        error: refused.clone(),
    };
    worker.event(not_ready).await;
    assert!(matches!(next(&mut events).await, LeaseEvent::NotReady { .. }));
    assert_eq!(lease.ask(0, list(), BOUND).await.unwrap_err(), refused);
    let url = "http://site.example/".to_owned();
    let error = "net::ERR_CONNECTION_REFUSED".to_owned();
    worker.event(WorkerEvent::LoadFailed { lease: id.clone(), frame: 0, url, error }).await;
    assert!(matches!(next(&mut events).await, LeaseEvent::LoadFailed { .. }));
    let error = lease.ask(0, list(), BOUND).await.unwrap_err();
    assert!(error.message.contains("ERR_CONNECTION_REFUSED"), "{error}");
    worker.ready(&id, "b").await;
    assert!(matches!(next(&mut events).await, LeaseEvent::Ready { document: 1, .. }));
}

#[tokio::test]
async fn a_tab_that_goes_ends_everything_with_its_reason() {
    let Session { daemon, mut worker, lease, mut events, .. } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    let (error, ()) = tokio::join!(lease.ask(0, list(), BOUND), async {
        worker.page().await;
        worker.event(WorkerEvent::TabGone { lease: id.clone(), reason: "crashed".into() }).await;
    });
    assert_eq!(error.unwrap_err().message, "the tab crashed");
    assert!(matches!(next(&mut events).await, LeaseEvent::Ready { .. }));
    assert_eq!(next(&mut events).await, LeaseEvent::TabGone { reason: "the tab crashed".into() });
    assert_eq!(events.next().await, None);
    assert_eq!(lease.ask(0, list(), BOUND).await.unwrap_err().message, "the tab crashed");
    assert_eq!(daemon.hub().lease_count(), 0);
}

#[tokio::test]
async fn a_worker_that_comes_back_goes_on_where_it_was() {
    let Session { daemon, mut worker, key, lease, mut events } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    assert!(matches!(next(&mut events).await, LeaseEvent::Ready { .. }));
    let asking = {
        let lease = lease.clone();
        tokio::spawn(async move { lease.ask(0, list(), BOUND).await })
    };
    let (ask, ..) = worker.page().await;
    worker.close().await;
    assert_eq!(next(&mut events).await, LeaseEvent::Disconnected);
    let frame = FrameInfo { parent: -1, document: "a".into(), ..FrameInfo::default() };
    let held = LeaseInfo { lease: id.clone(), tab: 5, frames: vec![frame], ..LeaseInfo::default() };
    let stranger = LeaseInfo { lease: "of another host".into(), ..LeaseInfo::default() };
    let mut worker = Worker::join(daemon.port(), Secret::Key(&key), vec![held, stranger]).await;
    assert_eq!(next(&mut events).await, LeaseEvent::Reconnected);
    let (again, document, request) = worker.page().await;
    assert_eq!((again, document.as_str(), request), (ask, "a", list()), "it may have been lost on the way");
    let (_, call) = worker.call().await;
    assert_eq!(call, Call::Close { lease: "of another host".into(), keep_tab: true });
    // The answer that the page gave in the meantime still arrives.
    worker.said = 1;
    worker.answer(&id, "a", ask, PageAnswer::Listing(Listing::default())).await;
    assert!(asking.await.unwrap().is_ok());
    assert_eq!(lease.document(), Some(1), "the page was not told anew who it is");
}

#[tokio::test]
async fn what_a_page_says_again_to_a_new_worker_is_heard_once() {
    let Session { daemon, mut worker, key, lease, mut events } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    let said =
        |number| serde_json::to_string(&FromPage::Event { event: PageEvent::Retracted { number } }).unwrap();
    for number in 10..13 {
        worker.page_repeats(&id, "a", number, said(number as u32)).await;
    }
    while worker.received < 5 {
        // Receipts come within a moment of what they are for.
        worker.send(&FromWorker::Ping).await;
        assert_eq!(worker.receive().await, ToWorker::Pong);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    worker.close().await;
    let frame = FrameInfo { parent: -1, document: "a".into(), ..FrameInfo::default() };
    let held = vec![LeaseInfo { lease: id.clone(), tab: 5, frames: vec![frame], ..LeaseInfo::default() }];
    let mut worker = Worker::join_in("second", daemon.port(), Secret::Key(&key), held).await;
    assert_eq!(worker.received, 0, "the host counts what this life of the worker has sent");
    for number in 11..15 {
        worker.page_repeats(&id, "a", number, said(number as u32)).await;
    }
    let mut heard = Vec::new();
    while heard.last() != Some(&14) {
        if let LeaseEvent::Page { event: PageEvent::Retracted { number }, .. } = next(&mut events).await {
            heard.push(number);
        }
    }
    assert_eq!(heard, [10, 11, 12, 13, 14]);
}

#[tokio::test]
async fn a_call_outlives_its_socket_and_is_made_again_only_where_that_does_no_harm() {
    let Session { daemon, mut worker, key, lease, .. } = session().await;
    let id = lease.id().to_owned();
    let held = || vec![LeaseInfo { lease: id.clone(), tab: 5, ..LeaseInfo::default() }];
    let navigating = {
        let lease = lease.clone();
        tokio::spawn(async move { lease.navigate(Navigation::Reload).await })
    };
    let (first, _) = worker.call().await;
    let life = worker.life.clone();
    worker.close().await;
    // The same life of the worker: it knows whether it has done it.
    let mut worker = Worker::join(daemon.port(), Secret::Key(&key), held()).await;
    assert_eq!(worker.life, life);
    assert!(worker.received >= 2, "the answers that granted the lease have arrived: {}", worker.received);
    let (again, call) = worker.call().await;
    assert_eq!((again, call), (first, Call::Navigate { lease: id.clone(), to: Navigation::Reload }));
    worker.close().await;
    // Another life does not: a page must not be loaded twice.
    let _worker = Worker::join_in("second", daemon.port(), Secret::Key(&key), held()).await;
    assert_eq!(navigating.await.unwrap().unwrap_err().code, ErrorCode::Disconnected);
}

#[tokio::test]
async fn a_tab_that_is_being_opened_is_not_lost_with_the_worker() {
    let daemon = daemon().await;
    let pair = code(&daemon.pair_url().unwrap());
    let mut worker = Worker::join(daemon.port(), Secret::Code(&pair), vec![]).await;
    let key = worker.key.clone().unwrap();
    daemon.hub().connected(BOUND).await.unwrap();
    let opening = |hub: cairn_host::daemon::Hub| {
        tokio::spawn(async move {
            let open = Open { url: Some("http://site.example/".into()), ..Open::default() };
            hub.open(open).await.map(|(lease, _)| lease)
        })
    };
    // It was opened, and only the answer was lost.
    let first = opening(daemon.hub().clone());
    let (_, call) = worker.call().await;
    let Call::Open { lease, .. } = call else { panic!("{call:?}") };
    worker.close().await;
    let held = vec![LeaseInfo { lease: lease.clone(), tab: 5, ..LeaseInfo::default() }];
    let mut worker = Worker::join_in("second", daemon.port(), Secret::Key(&key), held.clone()).await;
    let first = first.await.unwrap().unwrap();
    assert_eq!((first.id(), first.tab()), (lease.as_str(), Some(5)));
    // The call itself was lost.
    let second = opening(daemon.hub().clone());
    let (asked, _) = worker.call().await;
    worker.close().await;
    let mut worker = Worker::join_in("third", daemon.port(), Secret::Key(&key), held).await;
    let (again, call) = worker.call().await;
    let Call::Open { lease, .. } = call else { panic!("{call:?}") };
    assert_eq!(again, asked);
    worker.done(again, CallResult::Lease(LeaseInfo { lease, tab: 6, ..LeaseInfo::default() })).await;
    assert_eq!(second.await.unwrap().unwrap().tab(), Some(6));
}

#[rstest]
#[case::and_nothing_was_heard_of_it(false)]
#[case::and_it_was_heard_that_it_came(true)]
#[tokio::test]
async fn a_page_that_came_while_the_worker_was_away_is_configured(#[case] committed: bool) {
    let Session { daemon, mut worker, key, lease, mut events } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    if committed {
        // The worker was stopped between telling this and telling that its probe is ready.
        let committed = WorkerEvent::Committed {
            lease: id.clone(),
            frame: 0,
            document: "b".into(),
            url: "http://site.example/b".into(),
            same_document: false,
            transition: "link".into(),
            qualifiers: Vec::new(),
            status: 200,
        };
        worker.event(committed).await;
    }
    worker.close().await;
    let frame = FrameInfo { parent: -1, document: "b".into(), ..FrameInfo::default() };
    let held = LeaseInfo { lease: id.clone(), tab: 5, frames: vec![frame], ..LeaseInfo::default() };
    let mut worker = Worker::join(daemon.port(), Secret::Key(&key), vec![held]).await;
    let (_, document, request) = worker.page().await;
    assert_eq!(document, "b");
    assert!(matches!(request, PageRequest::Configure(Configure { document: 2, .. })));
    let mut seen = Vec::new();
    while seen.last().is_none_or(|event| !matches!(event, LeaseEvent::Ready { document: 2, .. })) {
        seen.push(next(&mut events).await);
    }
    assert!(seen.contains(&LeaseEvent::Disconnected) && seen.contains(&LeaseEvent::Reconnected));
}

#[tokio::test]
async fn a_worker_that_lost_the_tab_ends_the_lease() {
    let Session { daemon, mut worker, key, lease, mut events } = session().await;
    worker.ready(lease.id(), "a").await;
    worker.close().await;
    let _worker = Worker::join(daemon.port(), Secret::Key(&key), vec![]).await;
    loop {
        if let LeaseEvent::TabGone { reason } = next(&mut events).await {
            assert!(reason.contains("no longer has the tab"));
            break;
        }
    }
}

#[tokio::test]
async fn events_keep_their_order() {
    let Session { daemon: _daemon, mut worker, lease, mut events, .. } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    next(&mut events).await;
    for number in 0..500 {
        worker.page_event(&id, "a", PageEvent::Retracted { number }).await;
    }
    for expected in 0..500 {
        match next(&mut events).await {
            LeaseEvent::Page { document: 1, event: PageEvent::Retracted { number }, .. } => {
                assert_eq!(number, expected);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_session_that_falls_far_behind_loses_its_lease_with_a_reason() {
    let Session { daemon: _daemon, mut worker, lease, mut events, .. } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    for number in 0..9000 {
        worker.page_event(&id, "a", PageEvent::Retracted { number }).await;
    }
    let mut last = None;
    while let Some(event) = timeout(BOUND, events.next()).await.unwrap() {
        last = Some(event);
    }
    assert!(matches!(last, Some(LeaseEvent::TabGone { reason }) if reason.contains("behind")));
}

#[tokio::test]
async fn garbage_of_the_worker_or_the_page_hurts_nobody() {
    let Session { daemon: _daemon, mut worker, lease, mut events, .. } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    next(&mut events).await;
    worker.send_text("{\"type\":\"somethingNew\"}".into()).await;
    worker.send_text("[".into()).await;
    worker.page_repeats(&id, "a", 100, "<b>".into()).await;
    worker.said = 100;
    worker.page_event("unknown", "a", PageEvent::Retracted { number: 1 }).await;
    worker.done(987_654, CallResult::Nothing).await;
    worker.page_event(&id, "a", PageEvent::Retracted { number: 2 }).await;
    let expected = LeaseEvent::Page { frame: 0, document: 1, event: PageEvent::Retracted { number: 2 } };
    assert_eq!(next(&mut events).await, expected);
}

#[tokio::test]
async fn a_dropped_lease_is_let_go_and_a_closed_one_has_no_last_word() {
    let Session { daemon, mut worker, lease, mut events, .. } = session().await;
    let id = lease.id().to_owned();
    drop(lease);
    let (_, call) = worker.call().await;
    assert_eq!(call, Call::Close { lease: id, keep_tab: true });
    assert_eq!(timeout(BOUND, events.next()).await.unwrap(), None);
    assert_eq!(daemon.hub().lease_count(), 0);
}

#[tokio::test]
async fn without_a_browser_there_is_no_lease() {
    let daemon = daemon().await;
    let error = daemon.hub().open(Open::default()).await.err().unwrap();
    assert_eq!(error.code, ErrorCode::Disconnected);
    let error = daemon.hub().connected(Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Disconnected);
}

#[tokio::test]
async fn a_secret_that_is_learnt_later_reaches_the_page_and_the_next_ones() {
    let Session { daemon: _daemon, mut worker, lease, .. } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    lease.reconfigure(|configure| {
        configure.secrets.insert("password".into(), "hunter2".into());
    });
    let (_, document, request) = worker.page().await;
    let PageRequest::Configure(configure) = request else { panic!("{request:?}") };
    assert_eq!((document.as_str(), configure.document), ("a", 1));
    assert_eq!(configure.secrets["password"], "hunter2");
    assert_eq!(worker.ready(&id, "b").await.secrets["password"], "hunter2");
}

/// What a page opens is driven by the build of the probe that was forced for it.
#[tokio::test]
async fn an_opened_tab_gets_the_same_build_of_the_probe() {
    let Session { daemon, mut worker, lease: _first, .. } = session().await;
    let hub = daemon.hub().clone();
    let open = Open { url: Some("http://site.example/".into()), engine: Engine::Js, ..Open::default() };
    let (opened, _) = tokio::join!(hub.open(open), worker.grant());
    let (lease, _events) = opened.unwrap();
    let (adopted, asked) = tokio::join!(lease.adopt(9), async {
        let (id, call) = worker.call().await;
        let Call::Open { lease, tab, engine, .. } = call else { panic!("Open was expected: {call:?}") };
        let info = LeaseInfo { lease, tab: 9, window: 1, ..LeaseInfo::default() };
        worker.done(id, CallResult::Lease(info)).await;
        (tab, engine)
    });
    adopted.unwrap();
    assert_eq!(asked, (Some(9), Engine::Js));
}
