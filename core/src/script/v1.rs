//! Version 1 of the script file: PascalCase keys in a fixed order. Frozen: a change of shape is a new version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::step::null_as_default;
use super::{Checkpoint, Condition, Input, Outcome, Output, Recoverable, Step};

/// The newest script version this build reads and the one it writes.
pub const VERSION: u32 = 1;

/// A whole script file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Script {
    /// File format version; absent means 1.
    pub version: u32,
    /// What the run is for, in the author's words.
    #[serde(deserialize_with = "null_as_default")]
    pub goal: String,
    /// Where the run starts; may hold `%input%` tokens.
    #[serde(deserialize_with = "null_as_default")]
    pub start_url: String,
    /// Identity of the build it was recorded on (`sha256:…`), where one was to be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_identity: Option<String>,
    /// Typed inputs by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Input>,
    /// Typed outputs by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, Output>,
    /// The actions, in order.
    #[serde(deserialize_with = "null_as_default")]
    pub steps: Vec<Step>,
    /// Exact end-state checks.
    #[serde(deserialize_with = "null_as_default")]
    pub goal_postconditions: Vec<Condition>,
    /// Declared business results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcome>,
    /// Conditions that a retry may cure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recoverable: Vec<Recoverable>,
    /// Named checks along the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<Checkpoint>,
    /// Origins that a run may visit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<String>,
    /// `safe` or `risky`: a risky script is run only where a person has read it, and by a program only once it is approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// A person has read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<bool>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            version: VERSION,
            goal: String::new(),
            start_url: String::new(),
            build_identity: None,
            inputs: BTreeMap::new(),
            outputs: BTreeMap::new(),
            steps: Vec::new(),
            goal_postconditions: Vec::new(),
            outcomes: Vec::new(),
            recoverable: Vec::new(),
            checkpoints: Vec::new(),
            origins: Vec::new(),
            risk: None,
            reviewed: None,
        }
    }
}
