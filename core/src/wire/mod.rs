//! Every message between host, worker and page. JSON, camelCase keys. A worker message is tagged by `type`; a page message
//! (and every enum in it) is an object with one key, because the reader of an inner tag makes the probe a tenth larger.
//!
//! Two conversations share one socket. `worker` is host <-> the extension's service worker: tabs, windows, frames.
//! `page` is host <-> the probe in one frame: the worker carries those messages as opaque strings and never looks inside.

pub mod page;
mod read;
pub mod worker;

pub use read::{ReadError, read};

use serde::{Deserialize, Serialize};

/// Version of both conversations. Host and extension must carry the same.
pub const PROTOCOL_VERSION: u32 = 1;

/// Largest frame that either side accepts, in bytes.
pub const MAX_FRAME_BYTES: usize = 64 * 1024 * 1024;

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
