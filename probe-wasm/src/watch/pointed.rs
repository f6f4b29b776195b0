//! What the pointer was brought over since the last act, each with the page as it was just before: what shows only because
//! a script answers to that is told by it.

use std::collections::VecDeque;
use std::rc::Rc;

use web_sys::Element;

use crate::eyes::{Eyes, View};
use crate::native;

/// So many elements are remembered.
const MOST: usize = 24;

/// The page is read again for what the pointer passes at most so often, in milliseconds.
const BETWEEN: f64 = 150.0;

/// What shows farther from what was pointed at, in CSS pixels, has another cause.
const NEAR: f64 = 300.0;

/// Menus open menus: so many deep.
const DEEPEST: usize = 4;

struct Over {
    element: Element,
    before: Rc<View>,
}

/// The way of the pointer.
#[derive(Default)]
pub struct Pointed {
    overs: VecDeque<Over>,
    looked: f64,
}

impl Pointed {
    /// The pointer came over an element.
    pub fn comes_over(&mut self, element: Element, eyes: &mut Eyes) {
        let now = native::now();
        let known =
            self.overs.back().filter(|_| now - self.looked < BETWEEN).map(|over| Rc::clone(&over.before));
        let before = known.unwrap_or_else(|| {
            self.looked = now;
            eyes.look()
        });
        if self.overs.len() >= MOST {
            self.overs.pop_front();
        }
        self.overs.push_back(Over { element, before });
    }

    /// An act: where the pointer was before it has led there.
    pub fn clear(&mut self) {
        self.overs.clear();
    }

    /// What had to be pointed at, in order, so that an element came to show: each was there before the next.
    /// With each the page as it was just before.
    pub fn way_to(&self, element: &Element, now: &View) -> Vec<(Element, Rc<View>)> {
        let way = self.way(element, now).into_iter();
        way.map(|over| (over.element.clone(), Rc::clone(&over.before))).collect()
    }

    /// The page as it was before that way began; `None` where there is none.
    pub fn before_way_to(&self, element: &Element, now: &View) -> Option<Rc<View>> {
        self.way(element, now).first().map(|over| Rc::clone(&over.before))
    }

    fn way(&self, element: &Element, now: &View) -> Vec<&Over> {
        let mut way: Vec<&Over> = Vec::new();
        let mut sought = element.clone();
        let mut until = self.overs.len();
        while way.len() < DEEPEST && now.shows(&sought) {
            // On the way over itself it was there.
            let lacks = |over: &Over| {
                !native::encloses(&sought, &over.element)
                    && native::is_connected(&over.element)
                    && !over.before.shows(&sought)
            };
            let Some(at) = self.overs.iter().take(until).rposition(lacks) else { break };
            let over = &self.overs[at];
            if !is_near(&over.element, &sought) {
                break;
            }
            way.insert(0, over);
            (sought, until) = (over.element.clone(), at);
        }
        way
    }
}

fn is_near(one: &Element, other: &Element) -> bool {
    let [left, top, width, height] = native::bounds(one);
    let [x, y, w, h] = native::bounds(other);
    let gap =
        |from: f64, size: f64, to: f64, length: f64| (to - (from + size)).max(from - (to + length)).max(0.0);
    gap(left, width, x, w) <= NEAR && gap(top, height, y, h) <= NEAR
}
