//! What the demo claims, each with whether it holds.

use super::paper::Paper;

/// Every claim so far.
#[derive(Default)]
pub struct Claims(Vec<(String, bool)>);

impl Claims {
    /// Adds a claim, says it, and goes on: the summary counts.
    pub fn claim(&mut self, paper: &Paper, what: impl Into<String>, holds: bool) {
        let what = what.into();
        let mark = if holds { "\x1b[32m✓\x1b[0m" } else { "\x1b[31m✗\x1b[0m" };
        paper.note(&format!("{mark} {what}"));
        self.0.push((what, holds));
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// How many hold.
    pub fn holding(&self) -> usize {
        self.0.iter().filter(|(_, holds)| *holds).count()
    }

    /// True where none fails, and there is one.
    pub fn all_hold(&self) -> bool {
        !self.0.is_empty() && self.holding() == self.count()
    }

    /// Those that do not hold.
    pub fn failing(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, holds)| !holds).map(|(what, _)| what.as_str())
    }
}
