//! What a face of the engine (the command line, later MCP) asks of it, and what it hears back.
//!
//! The same types go over the daemon's client socket and through a channel inside one process. JSON, camelCase,
//! tagged by `type`. What is printed for programs goes through [`line`], which puts `schemaVersion` first.

mod conversation;
mod handing;
mod noting;
mod probing;
mod recording;
mod running;
pub mod schema;
mod tasks;

pub use conversation::{ClientEvent, ClientRequest, SCHEMA_VERSION, line};
pub use handing::{HandRequest, Handed, PersonStep, RunStatus};
pub use noting::{Look, NoteRequest, Noted, Place, Reading};
pub use probing::{MissingFrame, ProbeRequest, ProbeResult, ProbedElement, RecordingStatus, Status};
pub use recording::{RecordEvent, RecordRequest, Recorded, StopRequest};
pub use running::{
    ApprovalRequest, Approved, Cache, Caller, CheckpointResult, Ending, HealedStep, ModelUse, ReplayHeal,
    RetryPolicy, RunEvent, RunOptions, RunRequest, RunResult, RunSource, TestUpload, Tier,
};
pub use tasks::{CacheMode, TaskRequest};
