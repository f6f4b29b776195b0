//! Answers that are very large, and sockets that are very slow: each ends clearly and within its bound.

use std::time::Duration;

use cairn_core::element::Element;
use cairn_core::wire::MAX_FRAME_BYTES;
use cairn_core::wire::page::{Listed, Listing, PageAnswer};
use cairn_core::wire::worker::ToWorker;
use futures_util::SinkExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::time::{Instant, sleep};
use tokio_tungstenite::MaybeTlsStream;
use tokio_tungstenite::tungstenite::Message;

use super::leases::{Session, list, session};
use super::worker::BOUND;

/// A listing whose frame is about so many bytes long.
fn listing(bytes: usize) -> Listing {
    let name = "x".repeat(1000);
    let element = Element { role: "button".into(), name, ..Element::default() };
    let one =
        serde_json::to_string(&Listed { index: 0, element: element.clone(), selector: None }).unwrap().len();
    let elements = (0..).take(bytes / one);
    Listing {
        elements: elements.map(|index| Listed { index, element: element.clone(), selector: None }).collect(),
        ..Listing::default()
    }
}

#[tokio::test]
async fn a_listing_of_fifty_megabytes_arrives_whole() {
    let Session { daemon: _daemon, mut worker, lease, events: _events, .. } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    let asking = {
        let lease = lease.clone();
        tokio::spawn(async move { lease.ask(0, list(), Duration::from_mins(1)).await })
    };
    let (ask, document, _) = worker.page().await;
    // The message stands in the frame as a string of its own: its quotes are escaped.
    let large = listing(45 * 1024 * 1024);
    let count = large.elements.len();
    worker.answer(&id, &document, ask, PageAnswer::Listing(large)).await;
    let PageAnswer::Listing(heard) = asking.await.unwrap().unwrap() else { panic!("a listing") };
    assert_eq!(heard.elements.len(), count);
}

#[tokio::test]
async fn what_is_larger_than_a_frame_may_be_ends_the_question_and_nothing_else() {
    let Session { daemon, mut worker, lease, events: _events, .. } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    let too_large = Message::Text("x".repeat(MAX_FRAME_BYTES + 1).into());
    let begun = Instant::now();
    let asking = {
        let lease = lease.clone();
        tokio::spawn(async move { lease.ask(0, list(), Duration::from_secs(5)).await })
    };
    worker.page().await;
    // The daemon closes the socket on the first bytes that say how long the frame is: sending may fail.
    let _ = worker.socket().send(too_large).await;
    let error = asking.await.unwrap().unwrap_err();
    assert!(!error.message.is_empty(), "{error:?}");
    assert!(begun.elapsed() < BOUND, "{:?}", begun.elapsed());
    assert!(daemon.pair_url().is_ok(), "the daemon goes on");
}

#[tokio::test]
async fn a_socket_of_one_byte_a_second_times_out_in_words() {
    let Session { daemon: _daemon, mut worker, lease, events: _events, .. } = session().await;
    let id = lease.id().to_owned();
    worker.ready(&id, "a").await;
    let begun = Instant::now();
    let bound = Duration::from_secs(3);
    let asking = {
        let lease = lease.clone();
        tokio::spawn(async move { lease.ask(0, list(), bound).await })
    };
    assert!(matches!(worker.receive().await, ToWorker::Page { .. }));
    let trickle = async {
        let MaybeTlsStream::Plain(stream) = worker.socket().get_mut() else { panic!("no TLS here") };
        // The head of a masked text frame of 100 bytes, and then its first ones.
        for byte in [0x81_u8, 0x80 | 0x64, 0, 0, 0, 0, b'{', b'"'] {
            stream.write_all(&[byte]).await.unwrap();
            sleep(Duration::from_secs(1)).await;
        }
    };
    tokio::select! {
        () = trickle => panic!("the question should have ended by now"),
        answer = asking => {
            let error = answer.unwrap().unwrap_err();
            assert!(error.message.contains("did not answer within 3.0 s"), "{}", error.message);
        }
    }
    assert!(begun.elapsed() < bound + Duration::from_secs(1), "{:?}", begun.elapsed());
}
