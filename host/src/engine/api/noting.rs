//! Steps that only look, asked for by command while a person is recorded: read an output, check a condition.

use cairn_core::script::{Condition, InputType};
use serde::{Deserialize, Serialize};

/// A look to add to a recording under way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NoteRequest {
    /// The recording's name; `None`: the only one under way.
    pub name: Option<String>,
    /// What to look at.
    pub look: Look,
}

/// What a step looks at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Look {
    /// Reads an output.
    Extract(Reading),
    /// Checks a condition.
    Assert {
        /// The condition.
        check: Condition,
    },
}

impl Default for Look {
    fn default() -> Self {
        Self::Assert { check: Condition::default() }
    }
}

/// An output to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Reading {
    /// The output's name.
    pub output: String,
    /// Where it stands; `None`: anywhere on the page.
    pub place: Option<Place>,
    /// What of the element is read: `text`, `value`, the name of an attribute; empty: its value, else its text.
    pub read: String,
    /// A regular expression that finds it in what is read.
    pub pattern: Option<String>,
    /// Its type.
    pub kind: InputType,
}

/// An element of the page, as a person names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Place {
    /// By its ref, as `cairn probe` lists it.
    Reference {
        /// The ref.
        reference: String,
    },
    /// By role and name, both as the page has them.
    #[serde(rename_all = "camelCase")]
    Named {
        /// The role; `None`: any.
        role: Option<String>,
        /// The name.
        name: String,
    },
}

/// What became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Noted {
    /// The step's number now, from 1.
    pub number: u32,
    /// The step, in words.
    pub text: String,
    /// What was read now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
}
