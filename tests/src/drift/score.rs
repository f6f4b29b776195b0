//! Right, wrong, declined; Wilson intervals; expected cost.

use std::collections::BTreeMap;

use cairn_core::ladder::Rung;

use super::task::{Answer, Task, Truth};

/// What an answer was worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The right element, or a decline where none was right.
    Right,
    /// A decline where there was a right element.
    Declined,
    /// Another element.
    Wrong,
    /// Another element, which does the same.
    Harmless,
}

/// Judges one answer.
pub fn judge(task: &Task, answer: &Answer) -> Outcome {
    match (&task.truth, answer.pick) {
        (Truth::Heal(right) | Truth::HealOrDecline(right), Some(pick)) if *right == pick => Outcome::Right,
        (Truth::HealOrDecline(_) | Truth::Decline { .. }, None) => Outcome::Right,
        (Truth::Heal(_), None) => Outcome::Declined,
        (Truth::Decline { harmless }, Some(pick)) if harmless.contains(&pick) => Outcome::Harmless,
        _ => Outcome::Wrong,
    }
}

/// The count of each outcome.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Right.
    pub right: usize,
    /// Declined needlessly.
    pub declined: usize,
    /// Wrong.
    pub wrong: usize,
    /// Wrong element, same effect.
    pub harmless: usize,
    /// Right and wrong per rung.
    pub rungs: BTreeMap<Rung, (usize, usize)>,
}

impl Tally {
    /// Counts one answer.
    pub fn add(&mut self, outcome: Outcome, answer: &Answer) {
        match outcome {
            Outcome::Right => self.right += 1,
            Outcome::Declined => self.declined += 1,
            Outcome::Wrong => self.wrong += 1,
            Outcome::Harmless => self.harmless += 1,
        }
        if let Some(rung) = answer.rung {
            let counts = self.rungs.entry(rung).or_default();
            if outcome == Outcome::Wrong { counts.1 += 1 } else { counts.0 += 1 }
        }
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: &Self) {
        self.right += other.right;
        self.declined += other.declined;
        self.wrong += other.wrong;
        self.harmless += other.harmless;
        for (rung, (right, wrong)) in &other.rungs {
            let counts = self.rungs.entry(*rung).or_default();
            counts.0 += right;
            counts.1 += wrong;
        }
    }

    /// How many answers.
    pub fn total(&self) -> usize {
        self.right + self.declined + self.wrong + self.harmless
    }

    /// Mean cost of an answer: right 0, decline 1, wrong 20.
    pub fn cost(&self) -> f64 {
        (self.declined as f64 + 20.0 * self.wrong as f64) / (self.total().max(1) as f64)
    }

    /// `part` of all, 0 to 1; 0 where there is nothing.
    pub fn share(&self, part: usize) -> f64 {
        part as f64 / self.total().max(1) as f64
    }
}

/// The 95 % Wilson interval of `part` in `total`, 0 to 1.
pub fn wilson(part: usize, total: usize) -> (f64, f64) {
    if total == 0 {
        return (0.0, 1.0);
    }
    let z = 1.96;
    let (n, p) = (total as f64, part as f64 / total as f64);
    let middle = p + z * z / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (((middle - spread) / scale).max(0.0), ((middle + spread) / scale).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_of_known_values() {
        let (low, high) = wilson(0, 100);
        assert!(low.abs() < 1e-9 && (high - 0.037).abs() < 0.001, "{low} {high}");
        let (low, high) = wilson(50, 100);
        assert!((low - 0.404).abs() < 0.001 && (high - 0.596).abs() < 0.001, "{low} {high}");
    }
}
