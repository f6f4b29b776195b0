//! What a script declares beside its steps: typed inputs and outputs, conditions that a retry may cure, checks along the
//! way. Each has the words of JSON Schema where JSON Schema has one.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Condition, Outcome};

/// A declared input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Input {
    /// JSON type of the value.
    #[serde(rename = "type")]
    pub kind: InputType,
    /// A run without it is refused before a browser opens.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Never stored, logged, shown or sent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// Used where the caller gives none; never set for a secret.
    #[serde(rename = "default", skip_serializing_if = "Option::is_none")]
    pub default_value: Option<Value>,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The only values there are.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Value>,
    /// A regular expression that finds itself in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// `email`, `date`, `uri`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Fewest characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// Most characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// Smallest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    /// Largest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
}

/// The JSON type of an input or output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputType {
    /// Any text.
    #[default]
    String,
    /// A number with or without a fraction.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
}

/// A declared output: what an extract step of this name read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Output {
    /// JSON type of the value.
    #[serde(rename = "type")]
    pub kind: InputType,
    /// A regular expression: the output is what its first group holds, or the whole match where it has none.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A condition that a retry may cure: what the page shows (`When`), or what befell its loading (`On`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Recoverable {
    /// Its code, e.g. `server_error`.
    pub code: String,
    /// When it holds, by what the page shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// When it holds, by how the page was loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Trouble>,
    /// What to tell people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The stored test that signs in: it is played before the next attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<String>,
}

impl Recoverable {
    /// As the page looks for it; `None` where the page cannot see it.
    pub fn outcome(&self) -> Option<Outcome> {
        let when = self.when.clone()?;
        Some(Outcome { code: self.code.clone(), when, detail: self.detail.clone() })
    }
}

/// What may befall the loading of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Trouble {
    /// The server answered with a status of 500 or more, or with 429.
    ServerError,
    /// No first byte came within the bound.
    Timeout,
    /// The connection was refused or broke.
    Connection,
}

/// A named check along the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Checkpoint {
    /// Its name.
    pub name: String,
    /// The step after which it is looked at, from 1.
    pub after: u32,
    /// What must hold.
    pub checks: Vec<Condition>,
    /// The run fails where it does not hold.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gating: bool,
}
