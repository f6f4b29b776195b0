//! One browser's socket, as the hub sees it: where to send, and the calls that wait for an answer.

use std::collections::HashMap;

use cairn_core::wire::worker::{CallResult, ToWorker};
use cairn_core::wire::{ErrorCode, MAX_FRAME_BYTES, WireError};
use tokio::sync::{mpsc, oneshot};

/// Frames that may wait for a slow worker. Beyond that the sender waits, and its bound decides.
pub(in crate::daemon) const OUTGOING_FRAMES: usize = 256;

/// The socket of one browser.
pub(in crate::daemon) struct Link {
    /// Tells this socket from an earlier one of the same browser.
    pub(in crate::daemon) generation: u64,
    /// Frames for the socket's writer.
    pub(in crate::daemon) outgoing: mpsc::Sender<String>,
    /// Calls without an answer.
    pub(in crate::daemon) calls: HashMap<u64, oneshot::Sender<Result<CallResult, WireError>>>,
    /// The worker has said which leases it still holds: from then on it can be given new ones.
    pub(in crate::daemon) settled: bool,
    /// The calls that ask for it.
    pub(in crate::daemon) reconciling: Vec<u64>,
    /// Version of the extension, for messages to people.
    pub(in crate::daemon) extension_version: String,
}

impl Link {
    /// Fails every call that waits.
    pub(in crate::daemon) fn fail_calls(&mut self, error: &WireError) {
        for (_, answer) in self.calls.drain() {
            // Nobody may wait any more; that is fine.
            let _ = answer.send(Err(error.clone()));
        }
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
