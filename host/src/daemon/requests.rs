//! What the command line asks a running daemon, and the frames that carry it.

use std::path::PathBuf;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::exit::Failure;

/// Serves the requests that are not the daemon's own: the engine does.
pub trait Handler: Send + Sync + 'static {
    /// Serves one request. What is sent into `events` reaches the caller as it comes; when the caller goes away the future is
    /// dropped where it stands.
    fn handle(&self, request: Value, events: mpsc::Sender<Value>) -> BoxFuture<'static, Result<(), Failure>>;
}

/// The one frame of a caller.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(super) enum ClientFrame {
    /// A fresh pairing link.
    Pair,
    /// How the daemon is.
    Status,
    /// Something for the handler.
    Request {
        /// In the handler's own form.
        request: Value,
    },
}

/// The daemon's frames. The last one is `End` or `Failed`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(super) enum ServerFrame {
    /// To `Pair`.
    #[serde(rename_all = "camelCase")]
    Pair {
        /// The link.
        pair_url: String,
    },
    /// To `Status`.
    Status {
        /// How it is.
        status: DaemonStatus,
    },
    /// From the handler.
    Event {
        /// In the handler's own form.
        event: Value,
    },
    /// The request failed.
    Failed {
        /// Why.
        failure: Failure,
    },
    /// Nothing follows.
    End,
}

/// How a daemon is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonStatus {
    /// Its version.
    pub version: String,
    /// Its port.
    pub port: u16,
    /// Its process.
    pub pid: u32,
    /// Its data folder.
    pub data: Option<PathBuf>,
    /// Browsers paired with the data folder.
    pub paired: usize,
    /// Versions of the extensions that are connected now.
    pub connected: Vec<String>,
    /// Open leases.
    pub leases: usize,
}
