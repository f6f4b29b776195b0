//! What the recorder keeps of an element so that the ladder can find it again, and whether that is enough.

use super::case::NEARBY;
use super::index::{Index, NoSelectors};
use super::place;
use super::resolve::resolve;
use super::verdict::{Heal, Verdict};
use crate::element::Rect;
use crate::script::{BoundingBox, Target};
use crate::text::{normalise, words_within};

/// How many near names a target keeps, and how many of those are kept free for neighbours.
const NEAR_NAMES: usize = 12;
const NEIGHBOURS: usize = 6;

/// All the evidence of the element at `place`, but no selectors: those come from the DOM.
/// A place beyond the end gives an empty target.
pub fn describe(index: &Index, place: usize) -> Target {
    let Some(element) = index.get(place) else { return Target::default() };
    let base = index.entry(place).name.base.as_str();
    let twins: Vec<usize> =
        index.named(base).filter(|other| index.element(*other).role == element.role).collect();
    let mut attributes = element.attributes.clone();
    attributes.insert("tag".to_owned(), element.tag.clone());
    let told = if twins.len() > 1 { place::telling(index, &twins, place) } else { [true; 3] };
    let keep = |which: usize, text: &Option<String>| text.clone().filter(|_| told[which]);
    Target {
        role: element.role.clone(),
        name: element.name.clone(),
        scope: element.scope.as_ref().map(|scope| scope.label.clone()),
        scope_weak: element.scope.as_ref().filter(|scope| scope.weak).map(|_| true),
        frame: element.frame.clone(),
        path: element.path.clone(),
        attributes,
        twins: Some(twins.len().max(1) as u32),
        scope_twins: element.scope.as_ref().map(|scope| in_scope(index, &twins, &scope.label)),
        ordinal: twins.iter().position(|twin| *twin == place).map(|at| at as u32 + 1),
        near_names: Some(near_names(index, place)),
        row_key: keep(0, &element.row_key),
        heading: keep(1, &element.heading),
        beside: keep(2, &element.beside),
        bounding_box: Some(corners(element.bounds)),
        ..Target::default()
    }
}

fn in_scope(index: &Index, twins: &[usize], label: &str) -> u32 {
    let label = normalise(label);
    let same = |place: &&usize| {
        index.element(**place).scope.as_ref().is_some_and(|scope| normalise(&scope.label) == label)
    };
    twins.iter().filter(same).count().max(1) as u32
}

/// Names of other elements of the page that might be taken for this one: those that contain its name or are contained in
/// it first, then its neighbours of the same role class, nearest first.
fn near_names(index: &Index, place: usize) -> Vec<String> {
    let base = index.entry(place).name.base.as_str();
    let mut near = NearNames { index, place, names: Vec::new() };
    let contained = index.shown().filter(|other| {
        let name = index.entry(*other).name.base.as_str();
        name == base || words_within(name, base).is_some() || words_within(base, name).is_some()
    });
    contained.for_each(|other| near.add(other, NEAR_NAMES - NEIGHBOURS));
    for step in 1..=NEARBY {
        for other in [place.checked_sub(step), place.checked_add(step)].into_iter().flatten() {
            if index.get(other).is_some() && index.entry(other).shown && index.entry(other).name.base != base
            {
                near.add(other, NEAR_NAMES);
            }
        }
    }
    near.names.into_iter().map(|other| index.element(other).name.clone()).collect()
}

struct NearNames<'i> {
    index: &'i Index,
    place: usize,
    names: Vec<usize>,
}

impl NearNames<'_> {
    /// Adds the name of `other`, unless it is a twin, of another kind, unnamed, known, or one too many.
    fn add(&mut self, other: usize, most: usize) {
        let (own, entry) = (self.index.entry(self.place), self.index.entry(other));
        let same_role = self.index.element(self.place).role == self.index.element(other).role;
        let twin = same_role && entry.name.base == own.name.base;
        let known = self.names.iter().any(|known| self.index.entry(*known).name.base == entry.name.base);
        let equivalent = same_role || entry.class.meets(own.class);
        if !twin && !known && equivalent && !entry.name.is_empty() && self.names.len() < most {
            self.names.push(other);
        }
    }
}

fn corners(rect: Rect) -> BoundingBox {
    BoundingBox { x_min: rect.x, y_min: rect.y, x_max: rect.x + rect.width, y_max: rect.y + rect.height }
}

/// Why `target`, the element at `place`, would be hard to find again once its selectors are gone; `None` where it would be
/// found.
pub fn weakness(target: &Target, index: &Index, place: usize) -> Option<String> {
    let bare = Target { selector: String::new(), selectors: Vec::new(), ..target.clone() };
    match resolve(&bare, index, &NoSelectors, Heal::Ladder) {
        Verdict::Found(found) | Verdict::Healed(found) if found.index == place => None,
        Verdict::Found(other) | Verdict::Healed(other) => {
            Some(format!("without its selectors, another element would be taken for it: {}", other.reason))
        }
        Verdict::Ambiguous(decline) | Verdict::Lost(decline) => {
            Some(format!("only its selectors tell it: {}", decline.reason))
        }
    }
}
