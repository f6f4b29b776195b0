//! What else is known of an element beside its role and name, and whether it speaks for or against a candidate.

use super::index::{Index, TELLING};
use super::link::{LinkMatch, compare_links};
use super::recorded::Recorded;
use crate::text::{Bag, looks_generated, normalise};

/// The sum of the evidence for and against one candidate. What was not recorded counts on neither side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    /// Kinds of evidence that agree.
    pub agree: u32,
    /// Kinds that were recorded and are something else now.
    pub contradict: u32,
    /// How the link compares.
    pub link: Option<LinkMatch>,
    /// A class that somebody chose is still there. Every button has `btn`, so this is no agreement.
    pub same_class: bool,
}

/// What one kind of evidence says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Say {
    Agrees,
    Silent,
    Contradicts,
}

impl Evidence {
    fn count(&mut self, say: Say) {
        match say {
            Say::Agrees => self.agree += 1,
            Say::Silent => {}
            Say::Contradicts => self.contradict += 1,
        }
    }

    /// Nothing but the name speaks for it, and something speaks against it: two kinds; or one where it is not known how
    /// many twins there were, unless that is the text beside and the classes are still the same. Or a link that leads elsewhere
    /// and has more against it than for it: menus have links of one name.
    pub fn is_doubtful(self, population_known: bool) -> bool {
        let excused = self.same_class && self.link != Some(LinkMatch::Other);
        let alone = self.agree == 0 && self.contradict >= if population_known || excused { 2 } else { 1 };
        alone || (self.link == Some(LinkMatch::Other) && self.balance() < 0)
    }

    /// Agreements less contradictions.
    pub fn balance(self) -> i32 {
        self.agree as i32 - self.contradict as i32
    }
}

/// Weighs the candidate at `place`.
pub(super) fn weigh(recorded: &Recorded<'_>, index: &Index, place: usize) -> Evidence {
    let around = index.surroundings(place);
    let mut sum = Evidence::default();
    sum.count(attributes(recorded, index, place));
    sum.count(scope(recorded, index, place));
    sum.count(text(&recorded.row, &around.row, 0.75, 0.4));
    sum.count(text(&recorded.heading, &around.heading, 0.6, 0.34));
    sum.count(beside(&recorded.beside, &around.beside));
    match classes(recorded, index, place) {
        Some(true) => sum.same_class = true,
        Some(false) => sum.count(Say::Contradicts),
        None => {}
    }
    if recorded.near.len() >= 3 && recorded.near.iter().all(|name| index.named(name).next().is_none()) {
        sum.contradict += 1;
    }
    if let Some(recorded_link) = recorded.attribute("href") {
        let link = compare_links(recorded_link, index.element(place).attribute("href"));
        sum.count(match link {
            LinkMatch::Same | LinkMatch::SamePath => Say::Agrees,
            LinkMatch::Alike | LinkMatch::Silent => Say::Silent,
            LinkMatch::Other => Say::Contradicts,
        });
        sum.link = Some(link);
    }
    sum
}

/// Test id, id, form name: one that agrees outweighs one that changed.
fn attributes(recorded: &Recorded<'_>, index: &Index, place: usize) -> Say {
    let element = index.element(place);
    let mut say = Say::Silent;
    for name in TELLING {
        let Some(then) = recorded.attribute(name).filter(|value| !looks_generated(value)) else { continue };
        match element.attribute(name) {
            Some(now) if now == then => return Say::Agrees,
            Some(now) if !looks_generated(now) => say = Say::Contradicts,
            _ => {}
        }
    }
    say
}

fn scope(recorded: &Recorded<'_>, index: &Index, place: usize) -> Say {
    let Some(then) = &recorded.scope else { return Say::Silent };
    match index.element(place).scope.as_ref() {
        Some(now) if normalise(&now.label) == *then => Say::Agrees,
        _ if recorded.is_scope_weak() => Say::Silent,
        _ => Say::Contradicts,
    }
}

fn text(then: &Bag, now: &Bag, agrees: f64, contradicts: f64) -> Say {
    if then.is_empty() || now.is_empty() {
        return Say::Silent;
    }
    match then.likeness(now) {
        likeness if likeness >= agrees => Say::Agrees,
        likeness if likeness < contradicts => Say::Contradicts,
        _ => Say::Silent,
    }
}

/// Half of these texts change in a redesign, mostly by what the region gained or lost: a part in common says much.
fn beside(then: &Bag, now: &Bag) -> Say {
    if then.is_empty() {
        Say::Silent
    } else if then.likeness(now) >= 0.2 || then.overlap(now) >= 0.33 {
        Say::Agrees
    } else {
        Say::Contradicts
    }
}

/// None of the classes that somebody chose is left: some evidence. One in common: hardly any.
fn classes(recorded: &Recorded<'_>, index: &Index, place: usize) -> Option<bool> {
    let then = chosen(recorded.attribute("class"));
    let now = chosen(index.element(place).attribute("class"));
    (!then.is_empty()).then(|| then.iter().any(|token| now.contains(token)))
}

fn chosen(list: Option<&str>) -> Vec<&str> {
    let tokens = list.unwrap_or_default().split_whitespace();
    tokens.filter(|token| !looks_generated(token)).collect()
}
