//! A run: what is asked, what happens, how it ended.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cairn_core::ladder::{Rung, RunnerUp};
use cairn_core::script::{Script, Target};
use cairn_core::wire::page::{CheckResult, InputMode, StepReport};
use cairn_core::wire::worker::{Engine as ProbeEngine, Viewport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PersonStep;
use crate::model::Spent;

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
    /// Who asks.
    pub caller: Caller,
    /// The approval that a person gave for this run.
    pub approval: Option<String>,
}

/// Who asks for a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Caller {
    /// A person at a terminal: the person is the approval.
    Terminal,
    /// Anything else.
    #[default]
    Program,
}

/// One run that a person is to approve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApprovalRequest {
    /// The script.
    pub source: RunSource,
    /// The inputs of that run.
    pub inputs: BTreeMap<String, String>,
    /// How long the approval may wait for its run, in milliseconds.
    pub valid_ms: u64,
}

/// What was approved, or would be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Approved {
    /// The approval's id; empty where nothing is approved yet.
    #[serde(rename = "approval")]
    pub id: String,
    /// File or test.
    pub script: String,
    /// `sha256:` of the script.
    pub script_hash: String,
    /// The inputs without their secrets.
    pub inputs: serde_json::Value,
    /// From when on it counts no more, RFC 3339.
    pub expires_at: String,
    /// The script needs an approval at all.
    pub risky: bool,
    /// A person has read it.
    pub reviewed: bool,
    /// The steps in words.
    pub steps: Vec<String>,
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
    /// Whose events the page gets.
    pub input_mode: InputMode,
    /// Folders in which files to upload are looked for, in order.
    pub fixtures: Vec<PathBuf>,
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
    /// A pass with more healed steps has exit code 3.
    pub heal_budget: Option<u32>,
    /// Agreeing runs after which a heal is proposed to the pending slot; 0 is never, `None` the default, 3.
    pub propose_after: Option<u32>,
    /// The business outcome that the caller expects: exit code 0.
    pub expect: Option<String>,
    /// Go on with this run, in the tab that it left behind.
    pub resume: Option<String>,
    /// Acts that a model may do, at most; `None`: as configured.
    pub max_steps: Option<u32>,
    /// Tokens that a model may use, at most.
    pub max_tokens: Option<u64>,
    /// US dollars that a model may cost, at most.
    pub max_cost: Option<f64>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
        /// Who did it: `replay`, `heal`, `decision`, `model` or `person`.
        #[serde(default)]
        by: String,
        /// How it went.
        report: Box<StepReport>,
    },
    /// A person took the run over before this step, or gave it back.
    Hand {
        /// The run.
        run: String,
        /// The step that is to be done next, from 1.
        number: u32,
        /// Who has it now: `person`, `replay` or `model`.
        to: String,
    },
    /// The end.
    Finished {
        /// The result.
        result: Box<RunResult>,
    },
}

/// The four ways in which every run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Why it was worth no more, where that needs saying.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_reason: Option<String>,
    /// Each healed step and how it was found.
    pub healed: Vec<HealedStep>,
    /// Steps whose page events brought nothing about, and that the browser's own input did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trusted: Vec<u32>,
    /// What a person did who took the run over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_person: Vec<PersonStep>,
    /// Calls of a model.
    pub model_calls: u32,
    /// The model that was asked, and what that cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelUse>,
    /// Where the script of a run that a model drove was stored: `promoted` or `pending`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Steps of the script.
    pub steps_total: u32,
    /// Steps that were acted.
    pub steps_executed: u32,
    /// A step that sends was acted: the run must not simply be made again.
    pub sent: bool,
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
    /// Checkpoints that the run came by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<CheckpointResult>,
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

/// A model that was asked in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelUse {
    /// As `provider/model`.
    pub name: String,
    /// Calls, tokens, money.
    pub spent: Spent,
}

/// A checkpoint that a run came by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CheckpointResult {
    /// Its name.
    pub name: String,
    /// The step after which it was looked at.
    pub step: u32,
    /// The run fails by it.
    pub gating: bool,
    /// All its checks hold.
    pub holds: bool,
    /// Its checks.
    pub checks: Vec<CheckResult>,
}

/// A step whose target was found again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    #[schemars(with = "serde_json::Value")]
    pub repointed: Option<Box<Target>>,
}

/// What was tried against a transient condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RetryPolicy {
    /// Attempts, the first included.
    pub attempts: u32,
    /// Time waited between them, in milliseconds.
    pub waited_ms: u64,
}
