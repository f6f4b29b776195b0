//! Place among the twins: in the row, under the heading, beside the text. Never pixels.

use super::index::{Index, Surroundings};
use super::recorded::Recorded;
use crate::text::Bag;

/// How exact a place must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exactness {
    /// Alike is enough: the twins are as many as recorded, so ours is among them.
    Alike,
    /// The same to the letter: twins came or went, and ours may have gone with them.
    Same,
}

/// What the recorded place says about a group of twins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// These are left, all equally well placed. One is an answer.
    Left(Vec<usize>),
    /// Two witnesses point at different twins, or one that was recorded is nowhere now.
    Disagree,
    /// No place was recorded.
    Silent,
}

/// One kind of place, and how alike two of its texts must be to count as the same.
struct Witness {
    recorded: for<'r> fn(&'r Recorded<'_>) -> &'r Bag,
    now: fn(&Surroundings) -> &Bag,
    least: f64,
}

const WITNESSES: [Witness; 3] = [
    Witness { recorded: |r| &r.row, now: |s| &s.row, least: 0.75 },
    Witness { recorded: |r| &r.heading, now: |s| &s.heading, least: 0.6 },
    Witness { recorded: |r| &r.beside, now: |s| &s.beside, least: 0.25 },
];

/// A twin whose likeness is less than this part of the best one's, and less by `LEAD`, is out.
const PART: f64 = 0.7;
const LEAD: f64 = 0.15;

/// Asks every recorded witness for the twins that stand where the target stood.
pub(super) fn choose(
    recorded: &Recorded<'_>,
    index: &Index,
    group: &[usize],
    exactness: Exactness,
) -> Choice {
    let mut left: Option<Vec<usize>> = None;
    for witness in WITNESSES.iter().filter(|witness| !(witness.recorded)(recorded).is_empty()) {
        let votes = vote(recorded, index, group, witness, exactness);
        if votes.is_empty() {
            return Choice::Disagree;
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

/// True where a recorded place agrees with `hit` and none points at another twin.
pub(super) fn confirms(recorded: &Recorded<'_>, index: &Index, group: &[usize], hit: usize) -> bool {
    let mut agreed = false;
    for witness in WITNESSES.iter().filter(|witness| !(witness.recorded)(recorded).is_empty()) {
        let votes = vote(recorded, index, group, witness, Exactness::Alike);
        if !votes.is_empty() && !votes.contains(&hit) {
            return false;
        }
        // What fits every twin ("Invoice 1183" beside "Invoice 1004", "Invoice 1005", …) is the word they share.
        let told = votes.len() < group.len() || now_is_same(recorded, index, witness, hit);
        agreed |= !votes.is_empty() && told;
    }
    agreed
}

fn now_is_same(recorded: &Recorded<'_>, index: &Index, witness: &Witness, place: usize) -> bool {
    (witness.now)(index.surroundings(place)).is_same((witness.recorded)(recorded))
}

/// Which of the three are worth recording of `place` among its twins: those that tell it from some, as long as together
/// they tell it from all. A heading that all twins share would only be missed when it changes; one that two of three share
/// would point at the wrong one as soon as ours is gone.
pub(super) fn telling(index: &Index, twins: &[usize], place: usize) -> [bool; 3] {
    let mut left: Vec<usize> = twins.to_vec();
    let told = WITNESSES.each_ref().map(|witness| {
        let own = (witness.now)(index.surroundings(place));
        let alike = |twin: &usize| (witness.now)(index.surroundings(*twin)).is_same(own);
        let tells = !own.is_empty() && twins.iter().filter(|twin| alike(twin)).count() < twins.len();
        if tells {
            left.retain(alike);
        }
        tells
    });
    if left.len() == 1 { told } else { [false; 3] }
}

/// The twins whose text is the same, else those alike enough with none clearly better.
fn vote(
    r: &Recorded<'_>,
    index: &Index,
    group: &[usize],
    witness: &Witness,
    exactness: Exactness,
) -> Vec<usize> {
    let text = (witness.recorded)(r);
    let now = |place: usize| (witness.now)(index.surroundings(place));
    let same: Vec<usize> = group.iter().copied().filter(|place| now(*place).is_same(text)).collect();
    if !same.is_empty() || exactness == Exactness::Same {
        return same;
    }
    let scores: Vec<(usize, f64)> = group.iter().map(|place| (*place, now(*place).likeness(text))).collect();
    let best = scores.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    if best < witness.least {
        return Vec::new();
    }
    scores
        .into_iter()
        .filter(|(_, score)| *score > best * PART || *score > best - LEAD)
        .map(|(place, _)| place)
        .collect()
}
