//! What the recorder keeps of an element so that the ladder can find it again, and whether that is enough.

use super::index::{Index, NoSelectors};
use super::resolve::resolve;
use super::verdict::{Heal, Verdict};
use crate::element::Rect;
use crate::script::{BoundingBox, Target};
use crate::text::words_within;

/// How many near names a target keeps.
const NEAR_NAMES: usize = 12;

/// All the evidence of the element at `place`, but no selectors: those come from the DOM.
/// A place beyond the end gives an empty target.
pub fn describe(index: &Index, place: usize) -> Target {
    let Some(element) = index.get(place) else { return Target::default() };
    let base = index.entry(place).name.base.as_str();
    let twins: Vec<usize> =
        index.named(base).filter(|other| index.element(*other).role == element.role).collect();
    let mut attributes = element.attributes.clone();
    attributes.insert("tag".to_owned(), element.tag.clone());
    Target {
        role: element.role.clone(),
        name: element.name.clone(),
        scope: element.scope.as_ref().map(|scope| scope.label.clone()),
        scope_weak: element.scope.as_ref().filter(|scope| scope.weak).map(|_| true),
        frame: element.frame.clone(),
        path: element.path.clone(),
        attributes,
        twins: Some(twins.len().max(1) as u32),
        ordinal: twins.iter().position(|twin| *twin == place).map(|at| at as u32 + 1),
        near_names: Some(near_names(index, place)),
        row_key: element.row_key.clone(),
        heading: element.heading.clone(),
        beside: element.beside.clone(),
        bounding_box: Some(corners(element.bounds)),
        ..Target::default()
    }
}

/// Names of other elements of the page that might be taken for this one.
fn near_names(index: &Index, place: usize) -> Vec<String> {
    let own = index.entry(place);
    let base = own.name.base.as_str();
    let mut names: Vec<String> = Vec::new();
    for other in index.shown() {
        let entry = index.entry(other);
        let name = entry.name.base.as_str();
        let same = name == base && index.element(other).role != index.element(place).role;
        let near = same || words_within(name, base).is_some() || words_within(base, name).is_some();
        let role = entry.class.meets(own.class) || index.element(other).role == index.element(place).role;
        if near && role && !names.iter().any(|known| known == &index.element(other).name) {
            names.push(index.element(other).name.clone());
        }
    }
    names.truncate(NEAR_NAMES);
    names
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
