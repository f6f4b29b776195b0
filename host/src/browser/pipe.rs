//! The debugging pipe of a browser that we started: a small client of the DevTools protocol.
//!
//! Messages are JSON texts that end in a zero byte. Requests carry ids; events are handed to every listener. When the
//! pipe closes, every call fails, and Chromium ends when our side closes: that is what ties its life to ours.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::pipe::{Receiver as PipeReceiver, Sender as PipeSender};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::timeout;

use super::PipeError;

/// Bound of one call.
const CALL_BOUND: Duration = Duration::from_secs(20);

/// Largest message that is read: a picture or a snapshot of a large page fits well.
const MAX_MESSAGE: u64 = 256 * 1024 * 1024;

/// Events that a slow listener may leave unread before it misses some.
const EVENT_QUEUE: usize = 4096;

/// Calls that may wait to be written.
const WRITE_QUEUE: usize = 64;

/// Something the browser said unasked.
#[derive(Clone, Debug, PartialEq)]
pub struct PipeEvent {
    /// `Domain.event`.
    pub method: String,
    /// Its data.
    pub params: Value,
    /// The session it belongs to, where it belongs to one.
    pub session: Option<String>,
}

/// A client of the debugging pipe. Clones share the pipe.
#[derive(Clone)]
pub struct Pipe(Arc<Shared>);

struct Shared {
    writer: mpsc::Sender<Vec<u8>>,
    state: Mutex<State>,
    events: broadcast::Sender<PipeEvent>,
    closed: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    last_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Result<Value, String>>>,
}

#[derive(Deserialize)]
struct Incoming {
    id: Option<u64>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    error: Option<IncomingError>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
}

#[derive(Deserialize)]
struct IncomingError {
    message: String,
    #[serde(default)]
    data: Value,
}

impl Pipe {
    /// Starts the reader and the writer.
    pub(super) fn new(to_browser: PipeSender, from_browser: PipeReceiver) -> Self {
        let (writer, queue) = mpsc::channel(WRITE_QUEUE);
        let (events, _) = broadcast::channel(EVENT_QUEUE);
        let (closed, _) = watch::channel(false);
        let shared = Arc::new(Shared { writer, state: Mutex::default(), events, closed });
        tokio::spawn(write(queue, to_browser));
        // The reader holds no strong reference: when the last `Pipe` is dropped the writer ends and closes its side,
        // the browser ends, and then so does the reader.
        tokio::spawn(read(Arc::downgrade(&shared), from_browser));
        Self(shared)
    }

    /// Calls a method, for the browser or for one session. Bound: 20 s.
    ///
    /// # Errors
    /// `Closed` when the browser ended, `TimedOut`, or `Refused` with the browser's words.
    pub async fn call(&self, method: &str, params: Value, session: Option<&str>) -> Result<Value, PipeError> {
        self.call_within(method, params, session, CALL_BOUND).await
    }

    /// Calls a method with a bound of its own.
    ///
    /// # Errors
    /// As `call`.
    pub async fn call_within(
        &self,
        method: &str,
        params: Value,
        session: Option<&str>,
        bound: Duration,
    ) -> Result<Value, PipeError> {
        if *self.0.closed.borrow() {
            return Err(PipeError::Closed);
        }
        let (answer, waiting) = oneshot::channel();
        let id = {
            let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.last_id += 1;
            let id = state.last_id;
            state.waiting.insert(id, answer);
            id
        };
        let mut message = json!({"id": id, "method": method, "params": params});
        if let (Some(session), Some(object)) = (session, message.as_object_mut()) {
            object.insert("sessionId".into(), session.into());
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let done = async {
            self.0.writer.send(bytes).await.map_err(|_| PipeError::Closed)?;
            let answer = waiting.await.map_err(|_| PipeError::Closed)?;
            answer.map_err(|message| PipeError::Refused { method: method.to_owned(), message })
        };
        let Ok(result) = timeout(bound, done).await else {
            self.0.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(&id);
            return Err(PipeError::TimedOut { method: method.to_owned(), bound });
        };
        result
    }

    /// Everything the browser says from now on. A listener that is slow misses the oldest and is told so.
    pub fn events(&self) -> broadcast::Receiver<PipeEvent> {
        self.0.events.subscribe()
    }

    /// Waits until the browser has closed the pipe.
    pub async fn closed(&self) {
        let mut closed = self.0.closed.subscribe();
        // The sender lives as long as `self`.
        let _ = closed.wait_for(|closed| *closed).await;
    }
}

async fn write(mut queue: mpsc::Receiver<Vec<u8>>, mut to_browser: PipeSender) {
    while let Some(bytes) = queue.recv().await {
        if to_browser.write_all(&bytes).await.is_err() {
            break;
        }
    }
}

async fn read(shared: std::sync::Weak<Shared>, from_browser: PipeReceiver) {
    let mut reader = BufReader::with_capacity(64 * 1024, from_browser);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match (&mut reader).take(MAX_MESSAGE).read_until(0, &mut bytes).await {
            Ok(count) if count > 0 && bytes.last() == Some(&0) => {
                bytes.pop();
            }
            // The end, an error, or a message without an end.
            Ok(_) | Err(_) => break,
        }
        let Some(shared) = shared.upgrade() else { continue };
        match serde_json::from_slice::<Incoming>(&bytes) {
            Ok(incoming) => dispatch(&shared, incoming),
            Err(error) => tracing::debug!("the browser sent what is no message: {error}"),
        }
    }
    if let Some(shared) = shared.upgrade() {
        shared.closed.send_replace(true);
        shared.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.clear();
    }
}

fn dispatch(shared: &Shared, incoming: Incoming) {
    if let Some(id) = incoming.id {
        let waiting = shared.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(&id);
        if let Some(answer) = waiting {
            let result = match incoming.error {
                None => Ok(incoming.result),
                Some(error) => Err(match error.data.as_str() {
                    Some(data) => format!("{} ({data})", error.message),
                    None => error.message,
                }),
            };
            let _ = answer.send(result);
        }
    } else if let Some(method) = incoming.method {
        // Nobody listens: fine.
        let _ = shared.events.send(PipeEvent { method, params: incoming.params, session: incoming.session });
    }
}
