//! Every message between host, worker and page. JSON, camelCase keys. A worker message is tagged by `type`; a page message
//! (and every enum in it) is an object with one key: its kind is known before what it holds is read.
//!
//! Two conversations share one socket. `worker` is host <-> the extension's service worker: tabs, windows, frames.
//! `page` is host <-> the probe in one frame: the worker carries those messages as opaque strings and never looks inside.
//!
//! The host and the tests read and write both with `serde`. The probe reads and writes page messages with [`read`] and
//! [`write`], which compile to a sixth of the size (see `wired`); the tests hold the two against each other.

mod declare;
mod json;
mod number;
pub mod page;
mod shape;
mod wired;
pub mod worker;

pub use json::{Json, quote};
#[cfg(not(target_arch = "wasm32"))]
pub use number::NUMBERS;
pub use number::Numbers;
pub use wired::Wired;

use serde::{Deserialize, Serialize};

/// Version of both conversations. Host and extension must carry the same.
pub const PROTOCOL_VERSION: u32 = 2;

/// Largest frame that either side accepts, in bytes.
pub const MAX_FRAME_BYTES: usize = 64 * 1024 * 1024;

/// Why a message could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(String);

/// Reads a message in the page.
///
/// # Errors
/// The text is no JSON, or not this message.
pub fn read<T: Wired>(text: &str, numbers: &'static Numbers) -> Result<T, ReadError> {
    let mut message = T::blank();
    read_into(&mut message, text, numbers).map(|()| message)
}

fn read_into(message: &mut dyn Wired, text: &str, numbers: &'static Numbers) -> Result<(), ReadError> {
    let mut json = Json::reader(text, numbers);
    match message.pass(&mut json).and_then(|()| json.end()) {
        Some(()) => Ok(()),
        None => Err(ReadError(json.into_fault())),
    }
}

/// The number of a message, whatever else stands in it; 0 where it has none.
pub fn read_id(text: &str, numbers: &'static Numbers) -> u64 {
    let mut id = 0;
    let mut json = Json::reader(text, numbers);
    let read = wired::record(&mut json, &[wired::Key::of("id")], &mut [&mut id]).and_then(|()| json.end());
    if read.is_some() { id } else { 0 }
}

/// Writes a message in the page. What is written may be changed on the way: numbers of a script are rounded.
pub fn write(message: &mut dyn Wired, numbers: &'static Numbers) -> String {
    let mut json = Json::writer(numbers);
    // Writing fails nowhere.
    let _ = message.pass(&mut json);
    json.into_text()
}

/// An error as it crosses a boundary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
pub struct WireError {
    /// For programs.
    pub code: ErrorCode,
    /// For people: what happened, where.
    pub message: String,
    /// For people: what to do next.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

impl WireError {
    /// An error with a hint.
    pub fn new(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into() }
    }
}

/// The kinds of error on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ErrorCode {
    /// The message could not be read.
    BadMessage,
    /// The two sides speak different protocol versions.
    WrongVersion,
    /// No such lease, tab or frame.
    NoSuchLease,
    /// The tab or frame went away.
    Gone,
    /// No answer within the bound: the renderer is busy, hung, or showing a dialog.
    TimedOut,
    /// The ref is from an earlier page, or its element became something else.
    StaleRef,
    /// The browser refused (a page that extensions may not touch, a debugger refused).
    Refused,
    /// The probe panicked and was made anew.
    Panicked,
    /// The socket to the extension is down.
    Disconnected,
    /// Anything else; a defect.
    Internal,
}
