//! Requests and events as a whole.

use serde::{Deserialize, Serialize};

use super::{
    HandRequest, Handed, NoteRequest, Noted, ProbeRequest, ProbeResult, RecordEvent, RecordRequest, Recorded,
    RunEvent, RunRequest, Status, StopRequest, TaskRequest,
};
use crate::exit::Failure;

/// Version of everything that is printed with `--json` and written into the evidence.
pub const SCHEMA_VERSION: u32 = 1;

/// One line for programs: the value as a JSON object with `schemaVersion` as its first key.
pub fn line<T: Serialize>(value: &T) -> String {
    let mut object = serde_json::Map::new();
    object.insert("schemaVersion".into(), SCHEMA_VERSION.into());
    match serde_json::to_value(value) {
        Ok(serde_json::Value::Object(fields)) => object.extend(fields),
        Ok(other) => {
            object.insert("value".into(), other);
        }
        Err(error) => {
            object.insert("error".into(), error.to_string().into());
        }
    }
    serde_json::Value::Object(object).to_string()
}

/// From a face to the engine. Each request gets a stream of [`ClientEvent`]s and ends with a final one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ClientRequest {
    /// Play a script. Events: `Run`, at last `Run(Finished)`.
    Run(Box<RunRequest>),
    /// Do a task, from its cache where that has it. Events: `Run`, at last `Run(Finished)`.
    Task(Box<TaskRequest>),
    /// Record a person. Events: `Record`, at last `Record(Finished)`.
    Record(Box<RecordRequest>),
    /// End a recording under way. Final event: `Stopped`.
    Stop(StopRequest),
    /// Give a run under way to a person, or back. Final event: `Handed`.
    Hand(HandRequest),
    /// Add a step that looks to a recording under way. Final event: `Noted`.
    Note(Box<NoteRequest>),
    /// List a page. Final event: `Probed`.
    Probe(ProbeRequest),
    /// What is going on? Final event: `Status`.
    Status,
}

/// From the engine to a face.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ClientEvent {
    /// Of a run.
    Run {
        /// What happened.
        event: RunEvent,
    },
    /// Of a recording.
    Record {
        /// What happened.
        event: RecordEvent,
    },
    /// A recording was ended by `Stop`, and its file is written.
    Stopped {
        /// What became of it.
        recording: Box<Recorded>,
    },
    /// A run changed hands by `Hand`.
    Handed {
        /// Which, and to whom.
        handed: Handed,
    },
    /// A step was added by `Note`.
    Noted {
        /// The step.
        noted: Noted,
    },
    /// A page's listing.
    Probed {
        /// The listing.
        listing: Box<ProbeResult>,
    },
    /// The daemon's state.
    Status {
        /// The state.
        status: Status,
    },
    /// The request could not be done at all; nothing follows. A condition of the page is never one: that is a
    /// [`RunResult`].
    Failed {
        /// Why.
        failure: Failure,
    },
}

impl ClientEvent {
    /// True where no further event follows for its request.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Run { event } => matches!(event, RunEvent::Finished { .. }),
            Self::Record { event } => matches!(event, RecordEvent::Finished { .. }),
            Self::Stopped { .. }
            | Self::Handed { .. }
            | Self::Noted { .. }
            | Self::Probed { .. }
            | Self::Status { .. }
            | Self::Failed { .. } => true,
        }
    }
}
