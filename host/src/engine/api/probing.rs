//! A page's listing, and what a daemon is doing.

use std::path::PathBuf;

use super::RunStatus;
use cairn_core::element::{FramePath, Rect, States};
use cairn_core::wire::page::Selectors;
use cairn_core::wire::worker::{Engine as ProbeEngine, Viewport};
use serde::{Deserialize, Serialize};

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
    /// Which selector each element gets.
    pub selectors: Selectors,
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
    /// Frames that are to be seen and could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingFrame>,
    /// Why the list is empty or cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A frame that is to be seen and could not be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MissingFrame {
    /// Which.
    pub frame: FramePath,
    /// Why.
    pub reason: String,
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
    /// Runs under way.
    pub runs: Vec<RunStatus>,
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
