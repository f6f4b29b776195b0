//! One target and one page, with what every rung asks of the two computed once.

use super::evidence::{Evidence, weigh};
use super::index::{Index, Selectors};
use super::recorded::Recorded;
use crate::text::normalise;

/// The target, the page, and the elements that have its role and name.
pub(super) struct Case<'a> {
    pub recorded: Recorded<'a>,
    pub index: &'a Index,
    pub selectors: &'a dyn Selectors,
    /// Rendered elements with the recorded role and name (or as unnamed as the target), in document order.
    pub group: Vec<usize>,
}

/// How far neighbours are looked for, in the index.
pub(super) const NEARBY: usize = 12;

/// How many twins there are, beside how many there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Population {
    /// Not recorded.
    Unknown,
    /// As many as recorded.
    Same,
    /// It had none and has some now.
    GrownFromOne,
    /// It had some and has more, fewer or none now.
    Changed,
}

impl<'a> Case<'a> {
    pub fn new(recorded: Recorded<'a>, index: &'a Index, selectors: &'a dyn Selectors) -> Self {
        let role = recorded.target.role.as_str();
        let group =
            index.named(&recorded.name.base).filter(|place| index.element(*place).role == role).collect();
        Self { recorded, index, selectors, group }
    }

    pub fn population(&self) -> Population {
        match self.recorded.target.twins {
            None => Population::Unknown,
            Some(twins) if twins as usize == self.group.len() => Population::Same,
            Some(..=1) => Population::GrownFromOne,
            Some(_) => Population::Changed,
        }
    }

    pub fn is_named(&self) -> bool {
        !self.recorded.name.is_empty()
    }

    pub fn is_usable(&self, place: usize) -> bool {
        self.index.element(place).usable.is_usable()
    }

    /// The twins in the recorded scope.
    pub fn scoped(&self) -> Vec<usize> {
        self.group.iter().copied().filter(|place| self.is_in_scope(*place)).collect()
    }

    /// In the scope that was recorded. False where none was.
    pub fn is_in_scope(&self, place: usize) -> bool {
        let Some(then) = &self.recorded.scope else { return false };
        self.index.element(place).scope.as_ref().is_some_and(|now| normalise(&now.label) == *then)
    }

    /// The scope is the recorded one; one that was not recorded, or only as a fallback label, does not forbid.
    pub fn scope_holds(&self, place: usize) -> bool {
        self.recorded.scope.is_none() || self.recorded.is_scope_weak() || self.is_in_scope(place)
    }

    /// A twin carries the count that was recorded, and this one does not: "Part (1)" is not "Part (2)".
    pub fn another_has_its_count(&self, place: usize) -> bool {
        let then = &self.recorded.name.count;
        let has = |place: usize| self.index.entry(place).name.count == *then;
        then.is_some() && !has(place) && self.group.iter().any(|twin| has(*twin))
    }

    /// How many of the recorded near names stand near `place` now.
    pub fn neighbours_left(&self, place: usize) -> usize {
        let window = place.saturating_sub(NEARBY)..(place + NEARBY + 1).min(self.index.elements().len());
        let names: Vec<&str> = window.map(|other| self.index.entry(other).name.base.as_str()).collect();
        self.recorded.near.iter().filter(|near| names.contains(&near.as_str())).count()
    }

    pub fn weigh(&self, place: usize) -> Evidence {
        weigh(&self.recorded, self.index, place)
    }

    /// The same role, or one that a redesign swaps for it.
    pub fn is_equivalent(&self, place: usize) -> bool {
        self.index.element(place).role == self.recorded.target.role
            || self.index.entry(place).class.meets(self.recorded.class)
    }
}
