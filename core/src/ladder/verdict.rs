//! What the ladder says of a target, with its reasons.

use serde::{Deserialize, Serialize};

/// How far a run may go to find a target again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Heal {
    /// Recorded selectors only (`replayHeal: off`, and tier `replay`).
    Off,
    /// Exactly one element by role and name: 0.9 and above (`replayHeal: deterministic`).
    Deterministic,
    /// The full ladder (`replayHeal: llm`, with or without a model).
    #[default]
    Ladder,
}

/// The ways in which a target is found, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Rung {
    /// 1.0: a recorded selector, identity verified.
    Selector,
    /// 0.9: exactly one element by role and name, or one of several in the recorded scope.
    RoleName,
    /// 0.75: several, told apart by text beside, row key or heading, or by ordinal.
    Place,
    /// 0.7: exactly one of an equivalent role.
    RoleClass,
    /// 0.65: the recorded stable id or form name.
    StableId,
    /// 0.6: name substring at word boundaries.
    Substring,
    /// No rung of the ladder: a model chose it among the elements of the same kind.
    Decision,
}

/// The answer for one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// By a recorded selector: no heal.
    Found(Match),
    /// By another rung.
    Healed(Match),
    /// Several fit and nothing separates them.
    Ambiguous(Decline),
    /// Nothing fits.
    Lost(Decline),
}

/// The element that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// Its place in the index that was searched.
    pub index: usize,
    /// The rung.
    pub rung: Rung,
    /// The rung's confidence.
    pub confidence: f64,
    /// The selector, for `Rung::Selector`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The next best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<RunnerUp>,
    /// How far ahead of the runner-up it is, 0 to 1; 1 where there is none.
    pub margin: f64,
    /// In words, e.g. `unique role+name match`.
    pub reason: String,
}

/// Why nothing was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Decline {
    /// 0.3 for ambiguous, 0 for lost.
    pub confidence: f64,
    /// The nearest candidates, best first, at most 5: a shortlist for a person or a model, never acted on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shortlist: Vec<RunnerUp>,
    /// In words, e.g. `2 elements match role+name — ambiguous`.
    pub reason: String,
}

/// A candidate that was not taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunnerUp {
    /// Its place in the index.
    pub index: usize,
    /// Role.
    pub role: String,
    /// Name.
    pub name: String,
    /// Why not, in words.
    pub reason: String,
}

impl Verdict {
    /// The match, where there is one.
    pub fn matched(&self) -> Option<&Match> {
        match self {
            Self::Found(found) | Self::Healed(found) => Some(found),
            Self::Ambiguous(_) | Self::Lost(_) => None,
        }
    }

    /// The match, where its confidence reaches `threshold`.
    pub fn accepted(&self, threshold: f64) -> Option<&Match> {
        self.matched().filter(|found| found.confidence >= threshold)
    }

    /// The confidence, 0 to 1.
    pub fn confidence(&self) -> f64 {
        match self {
            Self::Found(found) | Self::Healed(found) => found.confidence,
            Self::Ambiguous(decline) | Self::Lost(decline) => decline.confidence,
        }
    }

    /// The reason in words.
    pub fn reason(&self) -> &str {
        match self {
            Self::Found(found) | Self::Healed(found) => &found.reason,
            Self::Ambiguous(decline) | Self::Lost(decline) => &decline.reason,
        }
    }

    /// The line of the log, e.g. `re-pointed (unique role+name match)` or
    /// `was NOT re-pointed: 2 elements match role+name — ambiguous (confidence 0.3)`.
    pub fn sentence(&self) -> String {
        match self {
            Self::Found(found) => format!("found by {}", found.reason),
            Self::Healed(found) => format!("re-pointed ({})", found.reason),
            Self::Ambiguous(decline) | Self::Lost(decline) => {
                format!("was NOT re-pointed: {} (confidence {})", decline.reason, decline.confidence)
            }
        }
    }
}

impl Rung {
    /// The rung's fixed confidence.
    pub fn confidence(self) -> f64 {
        match self {
            Self::Selector => 1.0,
            Self::RoleName => 0.9,
            Self::Place => 0.75,
            Self::RoleClass => 0.7,
            Self::StableId => 0.65,
            Self::Substring => 0.6,
            Self::Decision => 0.5,
        }
    }
}
