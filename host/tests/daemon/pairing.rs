//! Pairing and proof against the real socket.

use cairn_core::wire::worker::{Call, CallResult, Challenge, FromWorker, ToWorker, close};
use cairn_host::daemon::{Config, Daemon, Hub};
use futures_util::SinkExt as _;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::worker::{BOUND, Secret, Socket, Worker, closing, code, next, open, our_origin, proof};

pub async fn daemon() -> Daemon {
    Daemon::start(Config { port: 0, data: None, hub: Hub::new(), handler: None }).await.unwrap()
}

/// Makes a wrong first frame of the challenge.
type MakeFrame = Box<dyn Fn(&Challenge) -> Message>;

async fn challenged(daemon: &Daemon) -> (Socket, Challenge) {
    let mut socket = open(daemon.port(), Some(&our_origin())).await.unwrap();
    let challenge = next(&mut socket).await;
    (socket, challenge)
}

async fn code_of_refusal(socket: &mut Socket) -> u16 {
    closing(socket).await.expect("a reason").code.into()
}

#[tokio::test]
async fn a_code_pairs_once_and_its_key_comes_back() {
    let daemon = daemon().await;
    let code = code(&daemon.pair_url().unwrap());
    let worker = Worker::join(daemon.port(), Secret::Code(&code), vec![]).await;
    let key = worker.key.clone().expect("a key for the code");
    daemon.hub().connected(BOUND).await.unwrap();
    worker.close().await;

    let again = Worker::connect(daemon.port(), Secret::Key(&key)).await;
    assert!(again.key.is_none(), "a key gives no new key");

    let (mut socket, challenge) = challenged(&daemon).await;
    let text = serde_json::to_string(&proof(&challenge, &Secret::Code(&code))).unwrap();
    socket.send(Message::Text(text.into())).await.unwrap();
    assert_eq!(code_of_refusal(&mut socket).await, close::WRONG_PROOF, "a code works once");
}

#[tokio::test]
async fn every_wrong_first_frame_is_refused_with_its_reason() {
    let daemon = daemon().await;
    let code = code(&daemon.pair_url().unwrap());
    let right = Secret::Code(&code);
    let frames: Vec<(MakeFrame, u16)> = vec![
        (Box::new(|_| Message::Text("{".into())), close::BAD_MESSAGE),
        (Box::new(|_| Message::Text("null".into())), close::BAD_MESSAGE),
        (Box::new(|_| Message::Binary(vec![0; 16].into())), close::BAD_MESSAGE),
        (Box::new(|_| text(&FromWorker::Ping)), close::BAD_MESSAGE),
        (
            Box::new(|challenge| {
                let mut proof = proof(challenge, &Secret::Code("guess"));
                proof.mac.clear();
                text(&proof)
            }),
            close::WRONG_PROOF,
        ),
        (
            Box::new(|challenge| {
                let mut other = challenge.clone();
                other.nonce = "00".repeat(32);
                text(&proof(&other, &Secret::Code("guess")))
            }),
            close::WRONG_PROOF,
        ),
    ];
    for (make, expected) in frames {
        let (mut socket, challenge) = challenged(&daemon).await;
        socket.send(make(&challenge)).await.unwrap();
        assert_eq!(code_of_refusal(&mut socket).await, expected);
    }
    let (mut socket, challenge) = challenged(&daemon).await;
    let mut newer = proof(&challenge, &right);
    newer.protocol += 1;
    socket.send(text(&newer)).await.unwrap();
    assert_eq!(code_of_refusal(&mut socket).await, close::WRONG_VERSION);
    // None of that has hurt the one that may come in.
    Worker::connect(daemon.port(), right).await;
}

#[tokio::test]
async fn silence_is_bounded() {
    let daemon = daemon().await;
    let (mut socket, _) = challenged(&daemon).await;
    let start = Instant::now();
    assert_eq!(code_of_refusal(&mut socket).await, close::TOO_LATE);
    let waited = start.elapsed().as_secs_f32();
    assert!((1.5..4.0).contains(&waited), "{waited}");
}

#[tokio::test]
async fn pings_do_not_stretch_the_bound() {
    let daemon = daemon().await;
    let (mut socket, _) = challenged(&daemon).await;
    let start = Instant::now();
    while start.elapsed().as_secs() < 5 {
        if socket.send(Message::Ping(vec![].into())).await.is_err() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(start.elapsed().as_secs() < 5, "the socket was closed");
}

#[tokio::test]
async fn five_wrong_codes_begin_a_back_off() {
    let daemon = daemon().await;
    let code = code(&daemon.pair_url().unwrap());
    for _ in 0..5 {
        let (mut socket, challenge) = challenged(&daemon).await;
        socket.send(text(&proof(&challenge, &Secret::Code("guess")))).await.unwrap();
        assert_eq!(code_of_refusal(&mut socket).await, close::WRONG_PROOF);
    }
    let (mut socket, challenge) = challenged(&daemon).await;
    socket.send(text(&proof(&challenge, &Secret::Code(&code)))).await.unwrap();
    assert_eq!(code_of_refusal(&mut socket).await, close::BACK_OFF);
}

#[tokio::test]
async fn only_our_origin_reaches_the_challenge() {
    let daemon = daemon().await;
    for origin in [None, Some("http://evil.example"), Some("null"), Some("http://127.0.0.1")] {
        let refused = open(daemon.port(), origin).await;
        assert!(matches!(refused, Err(Error::Http(answer)) if answer.status() == 403));
    }
}

#[tokio::test]
async fn a_ping_is_answered_and_a_second_socket_takes_the_place_of_the_first() {
    let daemon = daemon().await;
    let pair = code(&daemon.pair_url().unwrap());
    let mut first = Worker::join(daemon.port(), Secret::Code(&pair), vec![]).await;
    first.send(&FromWorker::Ping).await;
    assert_eq!(first.receive().await, ToWorker::Pong);
    let key = first.key.clone().unwrap();
    let _second = Worker::join(daemon.port(), Secret::Key(&key), vec![]).await;
    assert_eq!(code_of_refusal(first.socket()).await, close::REPLACED);
    daemon.hub().connected(BOUND).await.unwrap();
}

#[tokio::test]
async fn a_worker_that_misses_the_first_question_is_asked_again() {
    let daemon = daemon().await;
    let pair = code(&daemon.pair_url().unwrap());
    let mut worker = Worker::connect(daemon.port(), Secret::Code(&pair)).await;
    worker.call().await;
    assert!(!daemon.hub().is_connected(), "it cannot be given a lease yet");
    let (id, call) = worker.call().await;
    assert_eq!(call, Call::Leases);
    worker.done(id, CallResult::Leases { leases: vec![] }).await;
    daemon.hub().connected(BOUND).await.unwrap();
}

fn text(frame: &impl serde::Serialize) -> Message {
    Message::Text(serde_json::to_string(frame).unwrap().into())
}
