//! Place among the twins: in the row, under the heading, beside the text. Never pixels.

use super::index::{Index, Surroundings};
use super::recorded::Recorded;
use crate::text::Bag;

/// What the recorded place says about a group of twins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// These are left, all equally well placed. One is an answer.
    Left(Vec<usize>),
    /// Two witnesses point at different twins.
    Disagree,
    /// A witness that was recorded is nowhere now.
    Nowhere(&'static str),
    /// No place was recorded.
    Silent,
}

/// One kind of place, how alike two of its texts must be to count as the same, and by how much the best must lead.
struct Witness {
    noun: &'static str,
    recorded: fn(&Recorded<'_>) -> Bag,
    now: fn(&Surroundings) -> &Bag,
    least: f64,
}

const WITNESSES: [Witness; 3] = [
    Witness { noun: "row", recorded: |r| r.row.clone(), now: |s| &s.row, least: 0.75 },
    Witness { noun: "heading", recorded: |r| r.heading.clone(), now: |s| &s.heading, least: 0.6 },
    Witness { noun: "text beside", recorded: |r| r.beside.clone(), now: |s| &s.beside, least: 0.5 },
];

/// A twin that is this much less alike than the best is out.
const LEAD: f64 = 0.15;

/// Asks every recorded witness for the twins that stand where the target stood.
pub(super) fn choose(recorded: &Recorded<'_>, index: &Index, group: &[usize]) -> Choice {
    let mut left: Option<Vec<usize>> = None;
    for witness in &WITNESSES {
        let text = (witness.recorded)(recorded);
        if text.is_empty() {
            continue;
        }
        let votes = vote(index, group, witness, &text);
        if votes.is_empty() {
            return Choice::Nowhere(witness.noun);
        }
        let both = match left {
            None => votes,
            Some(left) => left.into_iter().filter(|place| votes.contains(place)).collect(),
        };
        if both.is_empty() {
            return Choice::Disagree;
        }
        left = Some(both);
    }
    left.map_or(Choice::Silent, Choice::Left)
}

/// The twins whose text is the same, else those alike enough with none clearly better.
fn vote(index: &Index, group: &[usize], witness: &Witness, text: &Bag) -> Vec<usize> {
    let now = |place: usize| (witness.now)(index.surroundings(place));
    let same: Vec<usize> = group.iter().copied().filter(|place| now(*place).is_same(text)).collect();
    if !same.is_empty() {
        return same;
    }
    let scores: Vec<(usize, f64)> = group.iter().map(|place| (*place, now(*place).likeness(text))).collect();
    let best = scores.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    if best < witness.least {
        return Vec::new();
    }
    scores.into_iter().filter(|(_, score)| *score > best - LEAD).map(|(place, _)| place).collect()
}
