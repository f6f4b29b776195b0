//! The line that a step leaves behind: its waits and times, and how it stopped.

use cairn_core::ladder::Verdict;
use cairn_core::script::Target;
use cairn_core::wire::page::{Diverged, Divergence, StepReport, StepStatus, Waited};

use crate::native;

/// Waits shorter than this are no waits: the page was ready when we looked.
const SHORTEST_WAIT_MS: f64 = 1.0;

/// Why a batch goes no further.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// A step, or the goal, diverged.
    Diverged(Divergence),
    /// A business outcome was seen.
    Outcome {
        /// Its code.
        code: String,
        /// What was seen.
        detail: String,
    },
    /// Page events were sent, and nothing at all came of them.
    Unmoved,
    /// The document is being left.
    Leaving,
    /// The host cancelled the run.
    Cancelled,
}

impl Stop {
    /// A divergence that was found out before anything was sent to the page.
    pub fn before(condition: Diverged, expected: impl Into<String>, observed: impl Into<String>) -> Self {
        Self::Diverged(Divergence {
            condition,
            expected: expected.into(),
            observed: observed.into(),
            acted: false,
        })
    }

    /// A divergence that was found out after the act.
    pub fn after(condition: Diverged, expected: impl Into<String>, observed: impl Into<String>) -> Self {
        Self::Diverged(Divergence {
            condition,
            expected: expected.into(),
            observed: observed.into(),
            acted: true,
        })
    }
}

/// The line of one step while it is being written.
pub struct Line {
    number: u32,
    began: f64,
    waits: Vec<Waited>,
    /// How the target was found.
    pub found: Option<Verdict>,
    /// What the target is now, where it was healed.
    pub repointed: Option<Box<Target>>,
    /// What an extract step read.
    pub extracted: Option<String>,
    /// Nothing was sent: the state already held.
    pub skipped: bool,
    /// The browser acted.
    pub trusted: bool,
}

impl Line {
    /// The line of step `number`, which begins now.
    pub fn begin(number: u32) -> Self {
        Self {
            number,
            began: native::now(),
            waits: Vec::new(),
            found: None,
            repointed: None,
            extracted: None,
            skipped: false,
            trusted: false,
        }
    }

    /// Notes that `cause` was waited for since `since`.
    pub fn waited(&mut self, cause: impl Into<String>, since: f64) {
        let ms = native::now() - since;
        if ms >= SHORTEST_WAIT_MS {
            self.waits.push(Waited { cause: cause.into(), ms });
        }
    }

    /// The finished line.
    pub fn end(self, divergence: Option<Divergence>) -> StepReport {
        let status = match (&divergence, &self.found) {
            (Some(_), _) => StepStatus::Diverged,
            (None, Some(Verdict::Healed(_))) => StepStatus::Healed,
            _ if self.skipped => StepStatus::Skipped,
            _ => StepStatus::Hit,
        };
        StepReport {
            number: self.number,
            status,
            found: self.found,
            repointed: self.repointed,
            waits: self.waits,
            url: native::url(),
            took_ms: native::now() - self.began,
            divergence,
            extracted: self.extracted,
            trusted: self.trusted,
        }
    }
}
