//! What the store keeps, as plain data. SQL stays behind the trait.

use cairn_core::script::Script;
use serde::{Deserialize, Serialize};

/// One of a test's two scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Slot {
    /// The one that replay executes.
    Promoted,
    /// The one that waits for a person.
    Pending,
}

impl Slot {
    /// The name as people and the database write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Promoted => "promoted",
            Self::Pending => "pending",
        }
    }
}

/// A test as it is stored: its file without the scripts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredTest {
    /// Its name.
    pub name: String,
    /// The whole `NAME.test.json` as text, scripts left out. Empty for a test that `record` made.
    pub definition: String,
}

/// A script in a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredScript {
    /// The script.
    pub script: Script,
    /// The file's text, with keys this build does not know.
    pub text: String,
    /// `sha256:` of the text.
    pub hash: String,
    /// When it was stored, RFC 3339.
    pub stored_at: String,
}

/// One line of `cairn scripts list`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestSummary {
    /// Its name.
    pub name: String,
    /// Steps of the promoted script, `None` without one.
    pub promoted_steps: Option<u32>,
    /// Steps of the pending script, `None` without one.
    pub pending_steps: Option<u32>,
    /// Runs so far.
    pub runs: u32,
    /// How the last one ended.
    pub last_result: Option<String>,
    /// Healed steps and all steps over the last 10 runs.
    pub heal_rate: HealRate,
}

/// A run in the store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRecord {
    /// Its id.
    pub id: String,
    /// The test, `None` for a script file.
    pub test: Option<String>,
    /// File or test, for people.
    pub script: String,
    /// Start, RFC 3339.
    pub started_at: String,
    /// `result.json`, `None` while it runs or where it died.
    pub result: Option<String>,
    /// Folder of its evidence.
    pub evidence: String,
    /// The process that plays it.
    pub owner: Option<u32>,
}

/// A line of the heal ledger.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HealRecord {
    /// The run.
    pub run: String,
    /// The test, `None` for a script file.
    pub test: Option<String>,
    /// The step, from 1.
    pub step: u32,
    /// The rung's name.
    pub rung: String,
    /// Its confidence.
    pub confidence: f64,
    /// How far ahead of the next best.
    pub margin: f64,
    /// In words.
    pub reason: String,
    /// The next best, as JSON.
    pub runner_up: Option<String>,
    /// What the target is now, as JSON.
    pub repointed: Option<String>,
}

/// A person's word that a risky script may run once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approval {
    /// Its id, which the run names.
    pub id: String,
    /// File or test, for people.
    pub label: String,
    /// `sha256:` of the script.
    pub script_hash: String,
    /// `sha256:` of the inputs without their secrets.
    pub inputs_hash: String,
    /// Those inputs, as JSON.
    pub inputs: String,
    /// When it was given, in milliseconds since 1970.
    pub created_ms: i64,
    /// From when on it counts no more.
    pub expires_ms: i64,
    /// The run that used it.
    pub used_by: Option<String>,
}

/// How many of the steps of a test's last runs were healed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HealRate {
    /// Runs that were looked at, at most 10.
    pub runs: u32,
    /// Their steps.
    pub steps: u32,
    /// Those of them that were healed.
    pub healed: u32,
}

impl HealRate {
    /// True where at least half of the steps were healed: the script costs more than it is worth.
    pub fn crossed(self) -> bool {
        self.steps > 0 && self.healed * 2 >= self.steps
    }
}

/// A recording and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recording {
    /// Its id.
    pub id: String,
    /// The test's name.
    pub name: String,
    /// The start page.
    pub url: String,
    /// Start, RFC 3339.
    pub started_at: String,
    /// Its state.
    pub state: RecordingState,
    /// The process that makes it.
    pub owner: u32,
    /// Lines in its journal.
    pub entries: u32,
}

/// The states of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RecordingState {
    /// Under way, or its process died: ask whether the owner lives.
    Open,
    /// Became a script.
    Finished,
    /// Its process died, and a later one said so.
    Interrupted,
}

impl RecordingState {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Finished => "finished",
            Self::Interrupted => "interrupted",
        }
    }
}

/// One line of a recording's journal, in the order it came.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// What it says.
    pub kind: JournalKind,
    /// The step's key in the recording.
    pub step: u32,
    /// The captured step as JSON, without secrets. Empty for `Retracted`.
    pub body: String,
}

/// The kinds of journal lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalKind {
    /// The step as it stands now: the last one of a key counts.
    Step,
    /// The step is none.
    Retracted,
    /// The recording's head: start URL, goal, inputs without values. Key 0.
    Head,
}

impl JournalKind {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Retracted => "retracted",
            Self::Head => "head",
        }
    }
}

/// What a task has learnt: a script with exact checks. With a name it is a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskEntry {
    /// Whose it is.
    pub owner: String,
    /// `sha256:` of the task's key.
    pub key: String,
    /// As a skill.
    pub name: Option<String>,
    /// The goal, with `%name%` in the place of values.
    pub goal: String,
    /// Where it starts, in stored form.
    pub url: String,
    /// The script's text.
    pub script: String,
    /// When it was stored, RFC 3339.
    pub stored_at: String,
    /// How often it was looked up.
    pub uses: u32,
}

/// One step of a task, as it was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// The step, from 1.
    pub number: u32,
    /// When, RFC 3339.
    pub at: String,
    /// Whose hand: `replay`, `heal`, `decision` or `model`.
    pub hand: String,
    /// The step in words, secrets left out.
    pub what: String,
    /// `hit`, `healed`, `diverged` or `skipped`.
    pub outcome: String,
}
