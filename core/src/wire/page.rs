//! Host <-> probe, one frame each. The worker passes these on as strings.

use serde::{Deserialize, Serialize};

use super::WireError;
use crate::element::{Element, FramePath, Rect, Ref, Usable};
use crate::ladder::{Heal, Verdict};
use crate::map::Named;
use crate::script::{Action, Condition, Effect, Outcome, Step, Target};

/// To a probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToPage {
    /// Echoed in the answer.
    pub id: u64,
    /// What is asked.
    pub request: PageRequest,
}

/// From a probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::large_enum_variant, reason = "messages are made once, sent and dropped")]
pub enum FromPage {
    /// The answer to `id`.
    Answer {
        /// Of the request.
        id: u64,
        /// What came of it.
        answer: PageAnswer,
    },
    /// The request failed.
    Failed {
        /// Of the request.
        id: u64,
        /// Why.
        error: WireError,
    },
    /// Something happened that was not asked for, or a line of a batch.
    Event {
        /// What.
        event: PageEvent,
    },
    /// Several of them, in their order: what a batch had to say since it last waited.
    Events {
        /// What.
        events: Vec<PageEvent>,
    },
}

/// What a probe can be asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::large_enum_variant, reason = "messages are made once, sent and dropped")]
pub enum PageRequest {
    /// First message to a new document's probe. Answer: `Done`.
    Configure(Configure),
    /// The index. Answer: `Listing`.
    List(ListOptions),
    /// The frame's whole DOM as data, masked, for evidence. Answer: `Snapshot`.
    Snapshot,
    /// Play steps. Answer at the end: `Played`; on the way `Intent`, `Step`, `Outcome` events.
    Play(Batch),
    /// The host's word that the intent of step `number` is on disk. Answer: `Done`.
    #[serde(rename_all = "camelCase")]
    Proceed {
        /// The run.
        run: String,
        /// The step, from 1.
        number: u32,
    },
    /// The browser has done what `Hand` asked for, or why it has not. Answer: `Done`.
    #[serde(rename_all = "camelCase")]
    Handed {
        /// The run.
        run: String,
        /// The step, from 1.
        number: u32,
        /// Why it was not done; nothing was sent to the page then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
    },
    /// End the batch of `run` before its next act. Answer: `Done`.
    #[serde(rename_all = "camelCase")]
    Cancel {
        /// The run.
        run: String,
    },
    /// Watch a person. `Captured` and `Amended` events follow. Answer: `Done`.
    Record(RecordOptions),
    /// Flush what is under way and stop watching. Answer: `Done`, after the last event.
    StopRecord,
    /// Act on an element by its ref, with the guards of a step. Answer: `Played` with one report.
    #[serde(rename_all = "camelCase")]
    Act {
        /// The element.
        reference: Ref,
        /// The action; its target is ignored.
        action: Action,
    },
    /// Evaluate checks now, or wait up to `bound_ms` until all hold. Answer: `Checked`.
    #[serde(rename_all = "camelCase")]
    Check {
        /// The checks.
        conditions: Vec<Condition>,
        /// Inputs for their `%name%` tokens.
        inputs: Named<InputValue>,
        /// How long to wait, in milliseconds; 0 looks once.
        bound_ms: u32,
    },
    /// What the page says of the build that made it. Answer: `Build`.
    Build {
        /// Where to look: `meta:NAME`, `header:NAME`, `json:URL#KEY`, `assets`; empty for a meta tag of a usual name,
        /// then the assets.
        from: String,
    },
    /// Everything a script would remember of an element. Answer: `Described`.
    #[serde(rename_all = "camelCase")]
    Describe {
        /// The element.
        reference: Ref,
    },
}

/// How this frame is to behave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Configure {
    /// Number of this document in its lease; the prefix of its refs.
    pub document: u32,
    /// Where this frame is.
    pub frame: FramePath,
    /// Attributes that hold a test id, in order of preference.
    pub test_id_attributes: Vec<String>,
    /// Values that may never leave the page; the name stands in their place, as `%name%`.
    pub secrets: Named<String>,
}

/// What to list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListOptions {
    /// Also what is outside the viewport and its near surroundings.
    pub all: bool,
    /// Also what is covered or unusable, with its reason.
    pub hidden: bool,
    /// Every node with role, name and selector instead of the index.
    pub tree: bool,
    /// What stands under `selector`.
    pub selectors: Selectors,
    /// Bound in milliseconds; a longer read is cut and flagged `truncated`. 0 means the default, 2000.
    pub bound_ms: u32,
}

/// Which selector a listing gives of each element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Selectors {
    /// The one that a script would try first; it is proved to be unique, which costs time.
    #[default]
    First,
    /// The absolute path.
    Path,
    /// None: who acts by ref needs none.
    None,
}

/// The index of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Listing {
    /// The document's URL, masked.
    pub url: String,
    /// The document's title, masked.
    pub title: String,
    /// `wasm` or `js`.
    pub engine: String,
    /// The elements, in document order.
    pub elements: Vec<Listed>,
    /// The document is still being loaded (`readyState` is not `complete`): more may come.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub loading: bool,
    /// The bound or a limit cut the list.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Time in the page, in milliseconds.
    pub took_ms: f64,
    /// The document's own place among the frames of its parent as it is now.
    pub place: u32,
    /// The frames that it holds, in document order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<HeldFrame>,
}

/// A frame as the document around it sees it. Boxes are in the viewport of that document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HeldFrame {
    /// Its place among the frames of the document, as the window counts them.
    pub place: u32,
    /// Its `name`.
    pub name: String,
    /// So many elements of the listing stand before it.
    pub before: u32,
    /// How a point of its viewport maps to the document's, as a matrix `a b c d e f`.
    pub matrix: Vec<f64>,
    /// What of it is to be seen; empty where nothing is.
    pub shown: Rect,
    /// What of it lies in the viewport's near surroundings.
    pub near: Rect,
    /// Whether a person could use what is in it.
    pub usable: Usable,
    /// It is told to nobody who cannot see.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aria_hidden: bool,
    /// What lies over parts of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<Cover>,
}

/// Something that lies over a part of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cover {
    /// Where.
    #[serde(rename = "box")]
    pub bounds: Rect,
    /// What, in words.
    pub by: String,
}

/// One line of a listing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Listed {
    /// Place in this listing, from 0.
    pub index: u32,
    /// The element.
    pub element: Element,
    /// The selector a script would try first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}

/// An input's value for one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InputValue {
    /// The text.
    pub value: String,
    /// Never leaves the page again.
    pub secret: bool,
}

/// The rest of a script for one document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Batch {
    /// The run's id.
    pub run: String,
    /// The step that may have brought this document, acted but not yet judged: its postcondition is checked first
    /// and its report sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<PriorStep>,
    /// Number of the first of `steps`, from 1.
    pub first: u32,
    /// All remaining steps. Tokens stay in them: the probe expands them when it acts.
    pub steps: Vec<Step>,
    /// Inputs.
    pub inputs: Named<InputValue>,
    /// How targets may be found.
    pub policy: Policy,
    /// Whose events the page gets.
    pub input: InputMode,
    /// Business results to look for after each step.
    pub outcomes: Vec<Outcome>,
    /// What upload steps give, as base64 by file name.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub files: Named<String>,
    /// End-state checks, evaluated after the last step.
    pub goal: Vec<Condition>,
    /// Bound of each wait, in milliseconds; 0 means the default, 10 000.
    pub bound_ms: u32,
}

/// A step that was acted in an earlier document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriorStep {
    /// Its number, from 1.
    pub number: u32,
    /// The step.
    pub step: Step,
    /// How its target had been found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Verdict>,
}

/// How targets may be found in a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// `off`, `deterministic` or `ladder`.
    pub heal: Heal,
    /// Lowest confidence that is acted on.
    pub threshold: f64,
}

impl Default for Policy {
    fn default() -> Self {
        Self { heal: Heal::Ladder, threshold: 0.6 }
    }
}

/// A point of a viewport, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// Whose events a page gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InputMode {
    /// Events made in the page where they suffice, the browser's where they do not.
    #[default]
    Auto,
    /// Events made in the page.
    Page,
    /// The browser's own, as a person's are.
    Trusted,
}

/// How to record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RecordOptions {
    /// Number of the next step, from 1.
    pub next_number: u32,
    /// Inputs whose values the person may type: stored as `%name%`.
    pub inputs: Named<InputValue>,
    /// The last step of the document before, as it was last heard of and not `settled`: what it brought about here is
    /// measured against its `assertable` and comes as `Amended` with its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<Box<Captured>>,
}

/// What a probe answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageAnswer {
    /// Nothing to say.
    Done,
    /// The index.
    Listing(Listing),
    /// A snapshot as JSON text (see `snapshot`).
    Snapshot {
        /// The text.
        json: String,
    },
    /// A batch came to its end in this document.
    Played(Played),
    /// One result a condition, in order.
    Checked {
        /// The results.
        results: Vec<CheckResult>,
    },
    /// What the page says of its build; both empty where it says nothing.
    Build {
        /// The value, as `meta:NAME=VALUE`, `header:NAME=VALUE` or `json:URL#KEY=VALUE`.
        value: Option<String>,
        /// URLs of the scripts and style sheets without their query, those with an `integrity` followed by a space
        /// and that.
        assets: Vec<String>,
    },
    /// A target.
    #[serde(rename_all = "camelCase")]
    Described {
        /// The target.
        target: Box<Target>,
        /// Why it would be hard to find again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weak: Option<String>,
    },
}

/// How a batch ended in this document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Played {
    /// The last step with a report, 0 if none.
    pub last: u32,
    /// How it ended.
    pub end: BatchEnd,
    /// The goal's checks, where the last step was reached.
    pub goal: Vec<CheckResult>,
}

/// Why a batch stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BatchEnd {
    /// Every step is done and the goal was evaluated.
    #[default]
    Completed,
    /// A step diverged; its report says how.
    Diverged,
    /// A business outcome was seen.
    Outcome,
    /// The next step needs the host: goto, back, reload, another tab, trusted input.
    HostStep,
    /// The document is being left.
    Leaving,
    /// Cancelled.
    Cancelled,
}

/// One check's result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CheckResult {
    /// It holds.
    pub holds: bool,
    /// What was demanded, in words.
    pub expected: String,
    /// What was there, in words.
    pub observed: String,
}

/// What a probe says unasked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageEvent {
    /// About to act. Where `awaits_word` is true the probe acts only after `Proceed`.
    #[serde(rename_all = "camelCase")]
    Intent {
        /// The run.
        run: String,
        /// The step, from 1.
        number: u32,
        /// How its target was found.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        found: Option<Verdict>,
        /// What the target is now, where it was healed: an act that navigates ends the document before its report.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repointed: Option<Box<Target>>,
        /// The host's word is waited for.
        awaits_word: bool,
    },
    /// The browser is to act: with its pointer at `at`, or with its keys where the focus stands now. `Handed` answers.
    #[serde(rename_all = "camelCase")]
    Hand {
        /// The run.
        run: String,
        /// The step, from 1.
        number: u32,
        /// A point of this frame's viewport, in CSS pixels.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Point>,
        /// Where a drag ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Point>,
        /// Page events were sent before, and nothing at all came of them.
        again: bool,
    },
    /// A step is judged.
    #[serde(rename_all = "camelCase")]
    Step {
        /// The run.
        run: String,
        /// The report.
        report: Box<StepReport>,
    },
    /// A business outcome was seen.
    #[serde(rename_all = "camelCase")]
    Outcome {
        /// The run.
        run: String,
        /// The step after which it was seen.
        number: u32,
        /// Its code.
        code: String,
        /// What was seen.
        detail: String,
    },
    /// A person did something. The number may come again in `Amended`.
    Captured(Captured),
    /// More is known of a captured step: the field's later value, its effect.
    Amended(Captured),
    /// A captured step turned out to be part of another one.
    #[serde(rename_all = "camelCase")]
    Retracted {
        /// Its number.
        number: u32,
    },
    /// A person goes back, forward or loads anew by the browser's own controls: said before it happens.
    Travels,
    /// The probe panicked; it has been made anew and all refs are refused.
    Panicked {
        /// What it said.
        message: String,
    },
}

/// A step as it is captured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Captured {
    /// Its number in the recording, from 1.
    pub number: u32,
    /// When the person acted, in milliseconds since 1970 by the page's clock; 0 where it is not known.
    pub at: f64,
    /// The step, without conditions: those are distilled from the effect when it is known.
    pub step: Step,
    /// The effect seen so far.
    pub effect: Effect,
    /// True when no further `Amended` will come.
    pub settled: bool,
    /// Inputs that the step introduced: a password field's value became `%password%`.
    pub secrets: Named<String>,
    /// Assertable elements of the page, at most 60, for the goal's checks: before the act in `Captured`, after it in
    /// `Amended`.
    pub assertable: Vec<crate::script::Seen>,
}

/// How one step went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StepReport {
    /// Its number, from 1.
    pub number: u32,
    /// How it went.
    pub status: StepStatus,
    /// How the target was found, or why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Verdict>,
    /// What the target is now, where it was healed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub repointed: Option<Box<Target>>,
    /// Each wait: what for, how long.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Waited>,
    /// The page's URL after it, masked.
    pub url: String,
    /// Whole time of the step, in milliseconds.
    pub took_ms: f64,
    /// Why it diverged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<Divergence>,
    /// Output that an extract step read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extracted: Option<String>,
    /// The browser acted, with input that the page trusts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub trusted: bool,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum StepStatus {
    /// Done as recorded.
    #[default]
    Hit,
    /// Done, with a target found again.
    Healed,
    /// Not done, or done without the recorded effect.
    Diverged,
    /// Nothing to do: the state already holds.
    Skipped,
}

/// One wait.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Waited {
    /// What for, in words: `target`, `postcondition: url`, `stable box`.
    pub cause: String,
    /// Milliseconds.
    pub ms: f64,
}

/// Where and why replay gave up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Divergence {
    /// What did not hold.
    pub condition: Diverged,
    /// What was demanded, in words.
    pub expected: String,
    /// What was there, in words.
    pub observed: String,
    /// The act was sent before this was found out.
    pub acted: bool,
}

/// The kinds of divergence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Diverged {
    /// The URL before the act.
    #[default]
    Url,
    /// No acceptable target.
    Target,
    /// The target is there and cannot be used.
    Unusable,
    /// The act itself failed.
    Act,
    /// The act did not do what it did when recorded.
    Postcondition,
    /// A goal check.
    Goal,
    /// The tab, its renderer or the extension went away or stopped answering.
    Lost,
}
