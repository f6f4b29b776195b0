//! What a face of the engine (the command line, later MCP) asks of it, and what it hears back.
//!
//! The same types go over the daemon's client socket and through a channel inside one process. JSON, camelCase,
//! tagged by `type`. What is printed for programs goes through [`line`], which puts `schemaVersion` first.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cairn_core::element::{FramePath, Rect, States};
use cairn_core::ladder::{Rung, RunnerUp};
use cairn_core::script::{Script, Seen, Step, Target};
use cairn_core::wire::page::{CheckResult, StepReport};
use cairn_core::wire::worker::{Engine as ProbeEngine, Viewport};
use serde::{Deserialize, Serialize};

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
    /// Record a person. Events: `Record`, at last `Record(Finished)`.
    Record(Box<RecordRequest>),
    /// End a recording under way. Final event: `Stopped`.
    Stop(StopRequest),
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
            Self::Stopped { .. } | Self::Probed { .. } | Self::Status { .. } | Self::Failed { .. } => true,
        }
    }
}

// ------------------------------------------------------------------------------------------------ running

/// A script to play, with today's inputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunRequest {
    /// The script.
    pub source: RunSource,
    /// Today's inputs by name, as text.
    pub inputs: BTreeMap<String, String>,
    /// How to play it.
    pub options: RunOptions,
}

/// Where a script comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum RunSource {
    /// A script file, read by the face: no slots, no ledger.
    File {
        /// The path as it was given, for messages.
        path: String,
        /// The script.
        script: Box<Script>,
    },
    /// The promoted slot of a stored test.
    Test {
        /// Its name.
        name: String,
        /// Its file, where the caller has one: pushed first where the store does not know the test.
        upload: Option<Box<TestUpload>>,
    },
}

/// A test file with its scripts, as `push` reads it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TestUpload {
    /// Text of the `NAME.test.json`, its scripts left out.
    pub definition: String,
    /// Text of the promoted script.
    pub promoted: Option<String>,
    /// Text of the pending script.
    pub pending: Option<String>,
}

impl Default for RunSource {
    fn default() -> Self {
        Self::Test { name: String::new(), upload: None }
    }
}

/// The flags of `cairn run`, and a test's `Configuration`. `None` means "as the test says, else the default".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunOptions {
    /// `replayHeal`.
    pub heal: Option<ReplayHeal>,
    /// `AllowLLMFallback: false`.
    pub no_llm_fallback: bool,
    /// `healThreshold`, 0.6 to 1.0.
    pub heal_threshold: Option<f64>,
    /// The live build's identity, as the caller knows it.
    pub build: Option<String>,
    /// Where to read the live build's identity: `meta:NAME`, `header:NAME`, `json:URL#KEY`, `assets`.
    pub build_from: Option<String>,
    /// Take this tier whatever the build identity says.
    pub tier: Option<Tier>,
    /// `recordReplayScript: false`.
    pub no_record: bool,
    /// `elementGrounding: false`.
    pub no_grounding: bool,
    /// Which build of the probe.
    pub engine: ProbeEngine,
    /// Bound of each wait in milliseconds; 0 is the default, 10 000.
    pub bound_ms: u32,
    /// Size of the page.
    pub viewport: Option<Viewport>,
    /// Leave the tab as it ended.
    pub keep_open: bool,
    /// A healed pass has exit code 3.
    pub fail_on_heal: bool,
    /// The business outcome that the caller expects: exit code 0.
    pub expect: Option<String>,
}

/// How far a run may go to find a target again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReplayHeal {
    /// The full ladder, and a model where one is configured.
    #[default]
    Llm,
    /// Exactly one element by role and name.
    Deterministic,
    /// Never.
    Off,
}

/// How a run executes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tier {
    /// Recorded selectors only.
    #[serde(rename = "replay")]
    Replay,
    /// Selectors, then the ladder.
    #[default]
    #[serde(rename = "replay-with-heal")]
    ReplayWithHeal,
    /// A model drives.
    #[serde(rename = "llm")]
    Llm,
}

impl Tier {
    /// The name as people and files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replay => "replay",
            Self::ReplayWithHeal => "replay-with-heal",
            Self::Llm => "llm",
        }
    }
}

/// What happens in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum RunEvent {
    /// The run has an id and a folder for its evidence.
    #[serde(rename_all = "camelCase")]
    Started {
        /// The run's id.
        run: String,
        /// File or test.
        script: String,
        /// How many steps it has.
        steps: u32,
        /// Where the evidence is written.
        evidence: PathBuf,
    },
    /// The tier is decided, or changed on the way.
    Tier {
        /// The tier.
        tier: Tier,
        /// Why.
        reason: String,
    },
    /// A line for people, to the letter of the contract. No line end.
    Log {
        /// The line.
        text: String,
    },
    /// A step is about to act.
    Intent {
        /// The run.
        run: String,
        /// The step, from 1.
        number: u32,
    },
    /// A step is judged.
    Step {
        /// The run.
        run: String,
        /// What the step means.
        instruction: String,
        /// How it went.
        report: Box<StepReport>,
    },
    /// The end.
    Finished {
        /// The result.
        result: Box<RunResult>,
    },
}

/// The four ways in which every run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Every step and every goal check held.
    Success,
    /// A declared business result was seen.
    BusinessOutcome,
    /// A transient condition outlived its retries.
    Recoverable,
    /// Anything else.
    #[default]
    HardFailure,
}

/// What the stored script was worth to this run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cache {
    /// Every step was played as recorded.
    Hit,
    /// Every step was played, some with a target found again.
    Healed,
    /// There was no script.
    Miss,
    /// Replay gave up.
    Diverged,
    /// The run was lost or interrupted: it says nothing of the script.
    #[default]
    Uncached,
    /// Scripts are switched off.
    Off,
}

/// The result of a run: `result.json`, and the last line of `--json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunResult {
    /// The run's id.
    pub run: String,
    /// File or test.
    pub script: String,
    /// How it ended.
    pub result: Ending,
    /// The process's exit code under the caller's flags.
    pub exit_code: u8,
    /// The tier at the end.
    pub tier: Tier,
    /// Why this tier.
    pub tier_reason: String,
    /// What the script was worth.
    pub cache: Cache,
    /// Each healed step and how it was found.
    pub healed: Vec<HealedStep>,
    /// Calls of a model.
    pub model_calls: u32,
    /// Steps of the script.
    pub steps_total: u32,
    /// Steps that were acted.
    pub steps_executed: u32,
    /// Whole time, in milliseconds, opening of the page included.
    pub duration_ms: f64,
    /// Time between the first batch and the verdict, in milliseconds.
    pub replay_ms: f64,
    /// Start, RFC 3339.
    pub started_at: String,
    /// Outputs by name.
    pub outputs: BTreeMap<String, serde_json::Value>,
    /// Goal checks with their results.
    pub goal: Vec<CheckResult>,
    /// `business_outcome`: its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// `business_outcome`, `recoverable`: what was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// `recoverable`, `hard_failure`: the step, from 1; absent where it is no single step's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// `recoverable`, `hard_failure`: which condition did not hold (`url`, `target`, `postcondition`, `goal`, `lost`, …).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// `recoverable`: what was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_policy: Option<RetryPolicy>,
    /// `hard_failure`: what was demanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// `hard_failure`: what was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
    /// `hard_failure`: what to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The page's URL at the end, masked.
    pub url: String,
    /// `wasm` or `js`: the build of the probe that played.
    pub engine: String,
    /// Where the evidence lies.
    pub evidence: PathBuf,
}

/// A step whose target was found again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HealedStep {
    /// The step, from 1.
    pub step: u32,
    /// What it means.
    pub instruction: String,
    /// The rung.
    pub rung: Rung,
    /// Its confidence.
    pub confidence: f64,
    /// How far ahead of the next best.
    pub margin: f64,
    /// In words.
    pub reason: String,
    /// The next best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<RunnerUp>,
    /// What the target is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repointed: Option<Box<Target>>,
}

/// What was tried against a transient condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RetryPolicy {
    /// Attempts, the first included.
    pub attempts: u32,
    /// Time waited between them, in milliseconds.
    pub waited_ms: u64,
}

// ---------------------------------------------------------------------------------------------- recording

/// A recording to make.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RecordRequest {
    /// The test's name.
    pub name: String,
    /// Where to start. Empty together with `tab`: where that tab is.
    pub url: String,
    /// Take this tab (the panel's button).
    pub tab: Option<i32>,
    /// What the run is for.
    pub goal: Option<String>,
    /// Write the script here too. Absolute.
    pub out: Option<PathBuf>,
    /// Inputs whose values the person will type: stored as `%name%`.
    pub inputs: BTreeMap<String, String>,
    /// Names of `inputs` that are secret.
    pub secret_inputs: Vec<String>,
    /// The build's identity, as the caller knows it.
    pub build: Option<String>,
    /// Where to read it, as in [`RunOptions::build_from`].
    pub build_from: Option<String>,
    /// Which build of the probe.
    pub engine: ProbeEngine,
    /// Size of the page.
    pub viewport: Option<Viewport>,
    /// Leave the tab open at the end.
    pub keep_open: bool,
}

/// Ends a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StopRequest {
    /// Its name; `None` ends the only one under way.
    pub name: Option<String>,
}

/// What happens in a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum RecordEvent {
    /// The page is open and watched.
    Started {
        /// The recording's id.
        recording: String,
        /// The test's name.
        name: String,
        /// The page.
        url: String,
    },
    /// A step was captured. Secrets are tokens already.
    Step {
        /// Its number now, from 1.
        number: u32,
        /// The step, in words.
        text: String,
        /// Why it would be hard to find again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weak: Option<String>,
        /// The step as it stands.
        step: Box<Step>,
    },
    /// More is known of a captured step: the field's later value, its effect.
    Amended {
        /// Its number now, from 1.
        number: u32,
        /// The step, in words.
        text: String,
        /// Why it would be hard to find again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weak: Option<String>,
        /// The step as it stands.
        step: Box<Step>,
    },
    /// A captured step turned out to be part of another one; the later ones move up.
    Retracted {
        /// Its number.
        number: u32,
    },
    /// A line for people. No line end.
    Log {
        /// The line.
        text: String,
    },
    /// The end.
    Finished {
        /// What became of it.
        recording: Box<Recorded>,
    },
}

/// What became of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Recorded {
    /// The recording's id.
    pub recording: String,
    /// The test's name.
    pub name: String,
    /// How many steps.
    pub steps: u32,
    /// `promoted` or `pending`; absent where it was not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// The file that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<PathBuf>,
    /// The script.
    pub script: Script,
    /// Weak steps, by number, with what would help.
    pub weak: BTreeMap<u32, String>,
    /// The goal's checks are only the URL.
    pub url_only_goal: bool,
    /// What could be asserted instead.
    pub assertable: Vec<Seen>,
    /// Why it ended, in words.
    pub ended_by: String,
}

// ------------------------------------------------------------------------------------- probing and status

/// A page to list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProbeRequest {
    /// The page.
    pub url: String,
    /// Use the tab that is at this URL, if there is one.
    pub at_url: bool,
    /// Also what is outside the viewport.
    pub all: bool,
    /// Also what cannot be used, with its reason.
    pub hidden: bool,
    /// Every node with role, name and selector.
    pub tree: bool,
    /// Which build of the probe.
    pub engine: ProbeEngine,
    /// Size of the page.
    pub viewport: Option<Viewport>,
    /// Bound in milliseconds; 0 is the default, 2000.
    pub bound_ms: u32,
}

/// A page's listing, in the fixed form of `cairn probe --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProbeResult {
    /// The document's URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// `wasm` or `js`.
    pub engine: String,
    /// The elements in document order.
    pub elements: Vec<ProbedElement>,
    /// Time in the page, in milliseconds.
    pub took_ms: f64,
    /// The list was cut by the bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Why the list is empty or cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One element of a listing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProbedElement {
    /// Place in the list, from 0.
    pub index: u32,
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Role.
    pub role: String,
    /// Name.
    pub name: String,
    /// Nearest labelled region.
    pub scope: Option<String>,
    /// Frames from the top page.
    pub frame: FramePath,
    /// Box in CSS pixels.
    #[serde(rename = "box")]
    pub bounds: Rect,
    /// States.
    pub states: States,
    /// The selector that a script would try first.
    pub selector: Option<String>,
    /// Why it cannot be used, with `--hidden`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
    /// `click` where only the cursor or a handler attribute says that it can be clicked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affordance: Option<String>,
}

/// What a daemon is doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// A browser with the extension is connected.
    pub connected: bool,
    /// Version of the daemon.
    pub version: String,
    /// Its data folder.
    pub data: PathBuf,
    /// Recordings under way.
    pub recordings: Vec<RecordingStatus>,
}

/// A recording under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RecordingStatus {
    /// Its id.
    pub recording: String,
    /// The test's name.
    pub name: String,
    /// Steps so far.
    pub steps: u32,
}
