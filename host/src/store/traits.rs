//! The trait behind which any database can stand.

use std::future::Future;
use std::pin::Pin;

use super::{
    Approval, AuditRow, HealRate, HealRecord, JournalEntry, Recording, RecordingState, RunRecord, Slot,
    StoreError, StoredScript, StoredTest, TaskEntry, TestSummary,
};

/// An answer to come. No method blocks the runtime.
pub type Answer<T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send>>;

/// Tests, scripts, runs, heals and recordings.
pub trait Store: Send + Sync {
    /// Makes or replaces a test's definition; its slots stay.
    fn put_test(&self, test: StoredTest) -> Answer<()>;
    /// A test's definition.
    fn test(&self, name: &str) -> Answer<Option<StoredTest>>;
    /// All tests, by name.
    fn tests(&self) -> Answer<Vec<TestSummary>>;

    /// Stores a script that a recording or a run made: promoted where the test has none, else pending.
    fn offer_script(&self, test: &str, script: String) -> Answer<Slot>;
    /// Sets or clears one slot.
    fn set_slot(&self, test: &str, slot: Slot, script: Option<String>) -> Answer<()>;
    /// The script in a slot.
    fn script(&self, test: &str, slot: Slot) -> Answer<Option<StoredScript>>;
    /// Pending becomes promoted.
    fn promote(&self, test: &str) -> Answer<()>;
    /// Pending is dropped.
    fn reject(&self, test: &str) -> Answer<()>;

    /// A run begins.
    fn begin_run(&self, run: RunRecord) -> Answer<()>;
    /// Steps of it that were judged: number and report as JSON, all in one transaction.
    fn add_steps(&self, run: &str, steps: Vec<(u32, String)>) -> Answer<()>;
    /// A heal for the ledger.
    fn add_heal(&self, heal: HealRecord) -> Answer<()>;
    /// A run has ended: `result.json`, its steps and how many of them were healed.
    fn finish_run(&self, run: &str, ending: &str, result: String, steps: u32, healed: u32) -> Answer<()>;
    /// The last runs, newest first.
    fn runs(&self, test: Option<&str>, limit: u32) -> Answer<Vec<RunRecord>>;
    /// Runs without a result, newest first.
    fn unfinished_runs(&self, limit: u32) -> Answer<Vec<RunRecord>>;
    /// The heals of a test's last `runs` successful runs that began at or after `since` (RFC 3339), newest first, and the
    /// number of those runs.
    fn heals_since(&self, test: &str, since: &str, runs: u32) -> Answer<(u32, Vec<HealRecord>)>;
    /// Healed steps over a test's last `runs` runs.
    fn heal_rate(&self, test: &str, runs: u32) -> Answer<HealRate>;

    /// Keeps an approval.
    fn add_approval(&self, approval: Approval) -> Answer<()>;
    /// An approval by its id.
    fn approval(&self, id: &str) -> Answer<Option<Approval>>;
    /// Marks it as used by a run; false where it was used before.
    fn spend_approval(&self, id: &str, run: &str, now_ms: i64) -> Answer<bool>;

    /// Keeps what a task has learnt; it replaces the entry of the same owner and key.
    fn put_task(&self, entry: TaskEntry) -> Answer<()>;
    /// What a task has learnt.
    fn task(&self, owner: &str, key: &str) -> Answer<Option<TaskEntry>>;
    /// The skill of this name.
    fn skill(&self, owner: &str, name: &str) -> Answer<Option<TaskEntry>>;
    /// An owner's skills, by name.
    fn skills(&self, owner: &str) -> Answer<Vec<TaskEntry>>;
    /// Removes a skill; false where there is none.
    fn remove_skill(&self, owner: &str, name: &str) -> Answer<bool>;
    /// One row for each step that a task has done.
    fn add_audit(&self, run: &str, rows: Vec<AuditRow>) -> Answer<()>;
    /// The audit of a run, in order.
    fn audit_of(&self, run: &str) -> Answer<Vec<AuditRow>>;

    /// A recording begins.
    fn begin_recording(&self, recording: Recording) -> Answer<()>;
    /// A line of its journal; on disk when answered.
    fn journal(&self, recording: &str, entry: JournalEntry) -> Answer<()>;
    /// Its whole journal, in order.
    fn journal_of(&self, recording: &str) -> Answer<Vec<JournalEntry>>;
    /// Its state changes.
    fn set_recording(&self, recording: &str, state: RecordingState) -> Answer<()>;
    /// Recordings that are open or interrupted, newest first.
    fn unfinished_recordings(&self) -> Answer<Vec<Recording>>;
}
