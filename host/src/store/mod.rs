//! Tests, scripts and runs on disk, behind one trait.

mod approvals;
mod error;
mod open;
mod records;
mod rows;
mod sqlite;
mod tasks;
#[cfg(test)]
mod tests;
mod traits;

pub use error::StoreError;
pub use records::{
    Approval, AuditRow, HealRate, HealRecord, JournalEntry, JournalKind, Recording, RecordingState,
    RunRecord, Slot, StoredScript, StoredTest, TaskEntry, TestSummary,
};
pub use sqlite::SqliteStore;
pub use traits::{Answer, Store};
