//! The extension's socket: challenge, proof, welcome; then frames both ways until one side ends.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use cairn_core::wire::PROTOCOL_VERSION;
use cairn_core::wire::worker::{Challenge, FromWorker, Proof, ToWorker, Welcome, close};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::entrance::connection::Admission;
use super::entrance::keys::{Proven, Unproven};
use super::entrance::proof::random_hex;
use super::leases::OUTGOING_FRAMES;
use super::server::Shared;
use crate::daemon::Hub;

/// How long the proof may take.
const PROOF_BOUND: Duration = Duration::from_secs(2);

/// A worker pings every 15 s; one that is silent for longer than this is gone.
const SILENCE_BOUND: Duration = Duration::from_mins(1);

/// Pause after the first question for the worker's leases; it doubles.
const FIRST_QUESTION: Duration = Duration::from_millis(100);

/// A worker that has not answered by then never will.
const LAST_QUESTION: Duration = Duration::from_secs(10);

/// A frame that cannot be written within this time means that nobody reads.
const WRITE_BOUND: Duration = Duration::from_secs(20);

/// How long a receipt may wait for more that it can be for.
const RECEIPT: Duration = Duration::from_millis(100);

/// Why a socket is closed.
struct Closing {
    code: u16,
    reason: String,
}

/// Serves one socket until it ends.
pub(super) async fn run(
    mut socket: WebSocket,
    shared: Arc<Shared>,
    admission: Admission,
    unproven: OwnedSemaphorePermit,
) {
    let (proven, version) = match greet(&mut socket, &shared).await {
        Ok(greeted) => greeted,
        Err(closing) => {
            tracing::info!("an extension's socket was not admitted: {}", closing.reason);
            return refuse(socket, closing).await;
        }
    };
    admission.grant();
    drop(unproven);
    let Proven { key_id, hub, .. } = proven;
    let (outgoing, queue) = mpsc::channel(OUTGOING_FRAMES);
    let generation = hub.attach(&key_id, &version, outgoing);
    tracing::info!("a browser is connected, extension {version}");
    let (sink, stream) = socket.split();
    let (pong, pongs) = mpsc::channel(4);
    let (received, arrived) = watch::channel(0);
    tokio::select! {
        () = write(sink, queue, pongs, arrived) => {}
        () = read(stream, &hub, &key_id, generation, &pong, &received) => {}
        () = settle(&hub, &key_id, generation) => tracing::warn!("the extension does not answer"),
        () = shared.stopped() => {}
    }
    hub.detach(&key_id, generation);
    tracing::info!("a browser is disconnected");
}

/// Asks for the worker's leases until it answers. A worker hears nothing while it checks the welcome and stores its key, so
/// the first question may be lost. Ends only when there is no answer.
async fn settle(hub: &Hub, key: &str, generation: u64) {
    let mut pause = FIRST_QUESTION;
    while pause < LAST_QUESTION {
        if hub.reconcile(key, generation) {
            return std::future::pending().await;
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
}

/// Challenge, proof, welcome.
async fn greet(socket: &mut WebSocket, shared: &Shared) -> Result<(Proven, String), Closing> {
    let broken = |what: &str| Closing { code: close::BAD_MESSAGE, reason: what.to_owned() };
    let nonce = random_hex(32).map_err(|_| broken("no randomness"))?;
    let challenge = Challenge { protocol: PROTOCOL_VERSION, nonce: nonce.clone() };
    send(socket, &challenge).await.map_err(|()| broken("the socket closed"))?;
    let proof = first_frame(socket).await?;
    let proof: Proof = serde_json::from_str(&proof).map_err(|_| broken("the first frame is no proof"))?;
    if proof.protocol != PROTOCOL_VERSION {
        let reason = format!(
            "the extension speaks protocol {}, this Cairn {PROTOCOL_VERSION}: update the older one",
            proof.protocol
        );
        return Err(Closing { code: close::WRONG_VERSION, reason });
    }
    let proven = shared.keys.verify(&proof, &nonce).map_err(|unproven| Closing {
        code: match unproven {
            Unproven::NotPaired => close::NOT_PAIRED,
            Unproven::Wrong => close::WRONG_PROOF,
            Unproven::BackOff => close::BACK_OFF,
        },
        reason: unproven.to_string(),
    })?;
    let welcome = Welcome {
        mac: proven.mac.clone(),
        key: proven.new_key.clone(),
        life: proven.hub.life().to_owned(),
        received: proven.hub.welcome(&proven.key_id, &proof.life),
    };
    send(socket, &welcome).await.map_err(|()| broken("the socket closed"))?;
    let version = proof.extension_version.chars().filter(|letter| !letter.is_control()).take(40).collect();
    Ok((proven, version))
}

/// The text of the first frame, within the bound. Control frames do not stretch it.
async fn first_frame(socket: &mut WebSocket) -> Result<String, Closing> {
    let deadline = Instant::now() + PROOF_BOUND;
    loop {
        match timeout_at(deadline, socket.recv()).await {
            Err(_) => return Err(Closing { code: close::TOO_LATE, reason: "no proof came in time".into() }),
            Ok(Some(Ok(Message::Text(text)))) => return Ok(text.as_str().to_owned()),
            Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
            Ok(_) => {
                return Err(Closing {
                    code: close::BAD_MESSAGE,
                    reason: "the first frame is no proof".into(),
                });
            }
        }
    }
}

async fn send(socket: &mut WebSocket, frame: &impl Serialize) -> Result<(), ()> {
    let text = serde_json::to_string(frame).map_err(|_| ())?;
    match timeout(PROOF_BOUND, socket.send(Message::Text(text.into()))).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(()),
    }
}

async fn refuse(mut socket: WebSocket, closing: Closing) {
    // A close frame holds at most 123 bytes of reason.
    let mut reason = closing.reason;
    let mut end = reason.len().min(120);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    reason.truncate(end);
    let frame = CloseFrame { code: closing.code, reason: reason.into() };
    // A caller that does not read gets no reason; the socket closes in any case.
    let _ = timeout(PROOF_BOUND, socket.send(Message::Close(Some(frame)))).await;
}

/// Writes what the hub has to say, until the hub drops the link or nobody reads.
async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut queue: mpsc::Receiver<String>,
    mut pongs: mpsc::Receiver<()>,
    mut arrived: watch::Receiver<u64>,
) {
    let Ok(pong) = serde_json::to_string(&ToWorker::Pong) else { return };
    let mut due: Option<Instant> = None;
    loop {
        let text = tokio::select! {
            frame = queue.recv() => frame,
            Some(()) = pongs.recv() => Some(pong.clone()),
            Ok(()) = arrived.changed(), if due.is_none() => {
                due = Some(Instant::now() + RECEIPT);
                continue;
            }
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                due = None;
                let count = *arrived.borrow_and_update();
                serde_json::to_string(&ToWorker::Received { count }).ok()
            }
        };
        let Some(text) = text else {
            let frame = CloseFrame { code: close::REPLACED, reason: "this browser connected anew".into() };
            let _ = timeout(WRITE_BOUND, sink.send(Message::Close(Some(frame)))).await;
            return;
        };
        if !matches!(timeout(WRITE_BOUND, sink.send(Message::Text(text.into()))).await, Ok(Ok(()))) {
            return;
        }
    }
}

/// Hands what the worker says to the hub, until the worker ends or falls silent.
async fn read(
    mut stream: SplitStream<WebSocket>,
    hub: &Hub,
    key: &str,
    generation: u64,
    pong: &mpsc::Sender<()>,
    received: &watch::Sender<u64>,
) {
    while let Ok(Some(Ok(message))) = timeout(SILENCE_BOUND, stream.next()).await {
        match message {
            Message::Text(text) => {
                let message = match serde_json::from_str(text.as_str()) {
                    Ok(FromWorker::Ping) => {
                        // A full queue means that four answers are on their way already.
                        let _ = pong.try_send(());
                        continue;
                    }
                    Ok(message) => Some(message),
                    Err(error) => {
                        tracing::warn!("the extension sent what is no message of this protocol: {error}");
                        None
                    }
                };
                let Some(count) = hub.receive(key, generation, message) else { return };
                received.send_replace(count);
            }
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Binary(_) | Message::Close(_) => return,
        }
    }
}
