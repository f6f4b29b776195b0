//! A task: a goal without a test, remembered by what it did.

use std::collections::BTreeMap;

use cairn_core::script::Condition;
use serde::{Deserialize, Serialize};

use super::{Caller, RunOptions};
use crate::model::Act;

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskRequest {
    /// The goal, in words; empty for a skill.
    pub goal: String,
    /// Where it begins; empty for a skill.
    pub url: String,
    /// Run this skill.
    pub skill: Option<String>,
    /// Today's inputs by name.
    pub inputs: BTreeMap<String, String>,
    /// Which of them are secret.
    pub secret_inputs: Vec<String>,
    /// The checks that decide; none: the model names its own.
    pub checks: Vec<Condition>,
    /// Keep what was learnt as a skill of this name.
    pub save_as: Option<String>,
    /// Whether what was learnt is used and kept.
    pub cache: CacheMode,
    /// The only acts that are allowed; none: all.
    pub only: Vec<Act>,
    /// What is called risky may be replayed, and done for a program.
    pub allow_risky: bool,
    /// Whose task it is; empty: the system user's.
    pub owner: String,
    /// Who asks.
    pub caller: Caller,
    /// How it is played.
    pub options: RunOptions,
}

/// Whether what a task has learnt is used and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CacheMode {
    /// Used and kept.
    #[default]
    Auto,
    /// Neither.
    Off,
    /// Not used, and kept anew.
    Refresh,
}
