//! A run that a person takes over and gives back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Give a run under way to a person, or back to the engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HandRequest {
    /// The run's id, or its script; absent where there is but one.
    pub run: Option<String>,
    /// To a person; else back.
    pub to_person: bool,
}

/// A run changed hands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Handed {
    /// The run.
    pub run: String,
    /// File or test.
    pub script: String,
    /// A person has it now.
    pub to_person: bool,
}

/// A run under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunStatus {
    /// Its id.
    pub run: String,
    /// File or test.
    pub script: String,
    /// A person has it.
    pub by_person: bool,
}

/// What a person did in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PersonStep {
    /// The step of the script that it was, from 1; absent where it was none of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// In words.
    pub what: String,
}
