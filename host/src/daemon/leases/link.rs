//! One browser's socket, as the hub sees it, and what outlives the socket: the calls that wait for an answer.

use std::collections::BTreeMap;

use cairn_core::wire::worker::{Call, CallResult, LeaseInfo, ToWorker};
use cairn_core::wire::{ErrorCode, MAX_FRAME_BYTES, WireError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// Frames that may wait for a slow worker. Beyond that the sender waits, and its bound decides.
pub(in crate::daemon) const OUTGOING_FRAMES: usize = 256;

/// The socket of one browser.
pub(in crate::daemon) struct Link {
    /// Tells this socket from an earlier one of the same browser.
    pub(in crate::daemon) generation: u64,
    /// Frames for the socket's writer.
    pub(in crate::daemon) outgoing: mpsc::Sender<String>,
    /// The worker has said which leases it still holds: from then on it can be given new ones.
    pub(in crate::daemon) settled: bool,
    /// The calls that ask for it.
    pub(in crate::daemon) reconciling: Vec<u64>,
    /// Version of the extension, for messages to people.
    pub(in crate::daemon) extension_version: String,
}

/// One life of a browser's worker. It outlives its sockets, and ends when the browser stops the worker.
#[derive(Default)]
pub(in crate::daemon) struct Life {
    /// The worker's own name of it.
    name: String,
    /// Frames that have arrived, on all of its sockets.
    pub(in crate::daemon) received: u64,
    /// Since when it has had no socket.
    pub(in crate::daemon) away_since: Option<Instant>,
    /// The calls are of an earlier life: its end took their answers with it.
    orphaned: bool,
    calls: BTreeMap<u64, Pending>,
}

/// A call without an answer.
struct Pending {
    call: Call,
    answer: oneshot::Sender<Result<CallResult, WireError>>,
}

impl Life {
    /// The worker says which life it is in.
    pub(in crate::daemon) fn enter(&mut self, name: &str) {
        if name.is_empty() || self.name != name {
            name.clone_into(&mut self.name);
            self.received = 0;
            self.orphaned = !self.calls.is_empty();
        }
    }

    /// A call goes out.
    pub(in crate::daemon) fn expect(
        &mut self,
        id: u64,
        call: Call,
        answer: oneshot::Sender<Result<CallResult, WireError>>,
    ) {
        self.calls.insert(id, Pending { call, answer });
    }

    /// Nobody waits for this answer any more.
    pub(in crate::daemon) fn forget(&mut self, id: u64) {
        self.calls.remove(&id);
    }

    /// A call's answer. One that nobody waits for any more is dropped.
    pub(in crate::daemon) fn answer(&mut self, id: u64, answer: Result<CallResult, WireError>) {
        if let Some(pending) = self.calls.remove(&id) {
            let _ = pending.answer.send(answer);
        }
    }

    /// Fails every call that waits.
    pub(in crate::daemon) fn fail_calls(&mut self, error: &WireError) {
        for (_, pending) in std::mem::take(&mut self.calls) {
            // Nobody may wait any more; that is fine.
            let _ = pending.answer.send(Err(error.clone()));
        }
    }

    /// After a connection: the calls that may have been lost on the way, to be made again. A worker that has had them
    /// does not do them twice; one that began anew does not know, and is asked only for what bears to be done twice.
    pub(in crate::daemon) fn outstanding(&mut self, held: &[LeaseInfo]) -> Vec<String> {
        if std::mem::take(&mut self.orphaned) {
            let calls = std::mem::take(&mut self.calls);
            for (id, pending) in calls {
                let opened = match &pending.call {
                    Call::Open { lease, .. } => held.iter().find(|info| info.lease == *lease),
                    _ => None,
                };
                if let Some(info) = opened {
                    let _ = pending.answer.send(Ok(CallResult::Lease(info.clone())));
                } else if bears_repeating(&pending.call) {
                    self.calls.insert(id, pending);
                } else {
                    let _ = pending.answer.send(Err(disconnected()));
                }
            }
        }
        let again = |(id, pending): (&u64, &Pending)| {
            frame_text(&ToWorker::Call { id: *id, call: pending.call.clone() }).ok()
        };
        self.calls.iter().filter_map(again).collect()
    }
}

fn bears_repeating(call: &Call) -> bool {
    match call {
        Call::Open { .. }
        | Call::Close { .. }
        | Call::Capture { .. }
        | Call::Leases
        | Call::ShowPanel { .. } => true,
        Call::Debug { commands, .. } => commands.is_empty(),
        Call::Navigate { .. } => false,
    }
}

/// A frame's text, or why it cannot be sent.
pub(in crate::daemon) fn frame_text(message: &ToWorker) -> Result<String, WireError> {
    let text = serde_json::to_string(message).map_err(|error| {
        WireError::new(ErrorCode::Internal, format!("a message has no JSON form: {error}"), "")
    })?;
    if text.len() > MAX_FRAME_BYTES {
        let size = text.len() / 1024 / 1024;
        let message = format!("a message of {size} MB is larger than a frame may be");
        return Err(WireError::new(ErrorCode::BadMessage, message, "split the script"));
    }
    Ok(text)
}

/// The error of everything that needs a socket which is not there.
pub(in crate::daemon) fn disconnected() -> WireError {
    WireError::new(
        ErrorCode::Disconnected,
        "no browser with the Cairn extension is connected",
        "start the browser that has the extension; if it was never paired, run `cairn pair` and open the link in it",
    )
}
