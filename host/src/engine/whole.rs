//! One list over all frames of a tab. Each frame's own probe lists its part; the document around a frame says where it is and
//! whether a person could use what is in it; here the parts come together, with boxes in the top page's viewport. A frame that
//! does not answer costs its own part, and the answer says so.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cairn_core::element::{Element, FramePath, FrameStep, Rect, Usable};
use cairn_core::wire::page::{Cover, HeldFrame, ListOptions, Listed, Listing, PageAnswer, PageRequest};
use cairn_core::wire::{ErrorCode, WireError};
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use super::api::MissingFrame;
use crate::daemon::{ChildFrame, Lease};

/// How deep frames may lie in one another: pages that hold themselves are not followed for ever.
const DEEPEST: usize = 16;

/// What a frame that does not know its place says.
const UNKNOWN_PLACE: u32 = 0xffff;

/// The list of all frames.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// The top page's, with the elements of all frames in their places.
    pub listing: Listing,
    /// Frames that are to be seen and could not be read.
    pub missing: Vec<MissingFrame>,
}

/// Documents that did not answer once: they are not waited for again.
#[derive(Debug, Default)]
pub(super) struct Silent(Mutex<HashSet<u32>>);

impl Silent {
    fn holds(&self, document: u32) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&document)
    }

    fn add(&self, document: u32) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(document);
    }
}

/// Lists the tab. `first` bounds the top page's answer, `bound` that of the frames in it.
pub(super) async fn look(
    lease: &Lease,
    options: &ListOptions,
    first: Duration,
    bound: Duration,
    silent: &Silent,
) -> Result<Whole, WireError> {
    let top = listing(lease.ask(0, PageRequest::List(options.clone()), first).await?)?;
    let mut parts = Parts { children: lease.children(), answers: HashMap::new(), errors: HashMap::new() };
    if !top.frames.is_empty() {
        parts.gather(lease, &top, options, bound, silent).await;
    }
    Ok(parts.join(top, options))
}

fn listing(answer: PageAnswer) -> Result<Listing, WireError> {
    match answer {
        PageAnswer::Listing(listing) => Ok(listing),
        _ => Err(WireError::new(
            ErrorCode::BadMessage,
            "the page answered with something else than a list",
            "",
        )),
    }
}

/// What the frames said.
struct Parts {
    children: Vec<ChildFrame>,
    /// By the number of the document.
    answers: HashMap<u32, Listing>,
    errors: HashMap<u32, WireError>,
}

impl Parts {
    /// Asks every frame at once, until all that is to be seen has answered: a frame that was taken out of the page is
    /// known no better than one that is slow.
    async fn gather(
        &mut self,
        lease: &Lease,
        top: &Listing,
        options: &ListOptions,
        bound: Duration,
        silent: &Silent,
    ) {
        let ready = self.children.iter().filter(|child| child.ready.is_ok());
        let mut asked: FuturesUnordered<_> = ready
            .map(|child| child.document)
            .filter(|document| !silent.holds(*document))
            .map(|document| async move {
                let answer = lease.ask_document(document, PageRequest::List(options.clone()), bound).await;
                (document, answer.and_then(listing))
            })
            .collect();
        while let Some((document, answer)) = asked.next().await {
            match answer {
                Ok(listing) => {
                    self.answers.insert(document, listing);
                }
                Err(error) => {
                    if error.code == ErrorCode::TimedOut {
                        silent.add(document);
                    }
                    self.errors.insert(document, error);
                }
            }
            if self.is_complete(top, options) {
                break;
            }
        }
        for document in self.children.iter().map(|child| child.document) {
            if silent.holds(document) {
                self.errors.entry(document).or_insert_with(did_not_answer);
            }
        }
    }

    /// True where every frame that matters has answered.
    fn is_complete(&self, top: &Listing, options: &ListOptions) -> bool {
        let top = std::iter::once((None, top));
        let known = self.answers.iter().map(|(document, listing)| (Some(*document), listing));
        top.chain(known).all(|(document, listing)| {
            listing
                .frames
                .iter()
                .filter(|frame| is_wanted(frame, options))
                .all(|frame| self.shown_in(document, frame.place).is_some())
        })
    }

    /// The document that answered from this place; `None` for the top page's number. A frame of another site in a shadow tree
    /// does not know its place: it takes the one that no other has.
    fn shown_in(&self, parent: Option<u32>, place: u32) -> Option<u32> {
        let children = self.children.iter().filter(|child| child.parent == parent);
        let answered: Vec<(u32, u32)> = children
            .filter_map(|child| Some((child.document, self.answers.get(&child.document)?.place)))
            .collect();
        let at = |place: u32| answered.iter().find(|(_, own)| *own == place).map(|(document, _)| *document);
        at(place).or_else(|| at(UNKNOWN_PLACE))
    }

    fn join(mut self, mut top: Listing, options: &ListOptions) -> Whole {
        let elements = std::mem::take(&mut top.elements);
        let frames = std::mem::take(&mut top.frames);
        let mut whole = Whole { listing: top, missing: Vec::new() };
        self.place(None, elements, frames, &Place::top(), options, &mut whole);
        for (index, listed) in (0..).zip(&mut whole.listing.elements) {
            listed.index = index;
        }
        whole
    }

    /// Puts a document's elements in, and those of its frames where they stand.
    fn place(
        &mut self,
        document: Option<u32>,
        elements: Vec<Listed>,
        frames: Vec<HeldFrame>,
        at: &Place,
        options: &ListOptions,
        whole: &mut Whole,
    ) {
        let mut elements = elements.into_iter();
        let mut placed = 0;
        for frame in frames {
            let ahead = frame.before.saturating_sub(placed) as usize;
            placed = placed.max(frame.before);
            whole
                .listing
                .elements
                .extend(elements.by_ref().take(ahead).filter_map(|one| at.put(one, options)));
            let Some(inner) = self.shown_in(document, frame.place) else {
                if is_wanted(&frame, options) {
                    whole.missing.push(self.missing(document, &frame, at));
                }
                continue;
            };
            let Some(part) = self.answers.remove(&inner) else { continue };
            if at.path.len() >= DEEPEST {
                continue;
            }
            let inside = at.inside(&frame, &part.url);
            let listing = &mut whole.listing;
            listing.truncated |= part.truncated;
            listing.loading |= part.loading;
            listing.took_ms = listing.took_ms.max(part.took_ms);
            self.place(Some(inner), part.elements, part.frames, &inside, options, whole);
        }
        whole.listing.elements.extend(elements.filter_map(|one| at.put(one, options)));
    }

    fn missing(&self, document: Option<u32>, frame: &HeldFrame, at: &Place) -> MissingFrame {
        let known = self.children.iter().find(|child| child.parent == document && child.place == frame.place);
        let reason = match known {
            None => "nothing was heard of it: it is still loading, or the browser keeps us out".to_owned(),
            Some(child) => match (self.errors.get(&child.document), &child.ready) {
                (Some(error), _) | (None, Err(Some(error))) => error.message.clone(),
                _ => "it is still loading".to_owned(),
            },
        };
        let url = known.map(|child| child.url.clone()).unwrap_or_default();
        let mut path = at.path.clone();
        path.push(FrameStep { index: frame.place, name: frame.name.clone(), url });
        MissingFrame { frame: path, reason }
    }
}

fn did_not_answer() -> WireError {
    WireError::new(ErrorCode::TimedOut, "it did not answer: its renderer is busy or hung", "")
}

/// Whether anything in a frame would be listed.
fn is_wanted(frame: &HeldFrame, options: &ListOptions) -> bool {
    if options.tree {
        return true;
    }
    let shown = matches!(frame.usable, Usable::Yes | Usable::Unknown | Usable::Disabled);
    (shown || options.hidden) && (options.all || has_size(&frame.near))
}

/// Where a document stands in the top page.
struct Place {
    path: FramePath,
    matrix: Matrix,
    /// What of it is to be seen, and what is near; `None` for the top page.
    parts: Option<(Rect, Rect)>,
    covers: Vec<Cover>,
    usable: Usable,
    aria_hidden: bool,
}

impl Place {
    fn top() -> Self {
        Self {
            path: FramePath::new(),
            matrix: Matrix::default(),
            parts: None,
            covers: Vec::new(),
            usable: Usable::Yes,
            aria_hidden: false,
        }
    }

    /// Of a frame in this document.
    fn inside(&self, frame: &HeldFrame, url: &str) -> Self {
        let mut path = self.path.clone();
        path.push(FrameStep { index: frame.place, name: frame.name.clone(), url: url.to_owned() });
        let (mut shown, mut near) = (self.matrix.maps(&frame.shown), self.matrix.maps(&frame.near));
        if let Some((around, near_around)) = &self.parts {
            shown = cross(&shown, around);
            near = cross(&near, near_around);
        }
        let own = frame
            .covers
            .iter()
            .map(|cover| Cover { bounds: self.matrix.maps(&cover.bounds), ..cover.clone() });
        Self {
            path,
            matrix: self.matrix.then(&Matrix::of(&frame.matrix)),
            parts: Some((shown, near)),
            covers: self.covers.iter().cloned().chain(own).collect(),
            usable: if self.usable.is_usable() { frame.usable.clone() } else { self.usable.clone() },
            aria_hidden: self.aria_hidden || frame.aria_hidden,
        }
    }

    /// An element of the document as the top page has it; `None` where it is not asked for.
    fn put(&self, mut listed: Listed, options: &ListOptions) -> Option<Listed> {
        let Some((shown, near)) = &self.parts else { return Some(listed) };
        let Element { bounds, frame, states, usable, .. } = &mut listed.element;
        frame.clone_from(&self.path);
        if options.tree {
            return Some(listed);
        }
        *bounds = self.matrix.maps(bounds);
        if self.aria_hidden {
            states.aria_hidden = Some(true);
        }
        let seen = cross(bounds, shown);
        if usable.is_usable() {
            let cover = self.covers.iter().find(|cover| has_size(&seen) && encloses(&cover.bounds, &seen));
            if !self.usable.is_usable() {
                usable.clone_from(&self.usable);
            } else if let Some(cover) = cover {
                *usable = Usable::Covered { by: cover.by.clone() };
            } else if !has_size(&seen) {
                *usable = Usable::Unknown;
            }
        }
        let is_near = options.all || has_size(&cross(bounds, near));
        let wanted = if options.hidden {
            is_near || *usable == Usable::Hidden
        } else {
            is_near && matches!(usable, Usable::Yes | Usable::Unknown | Usable::Disabled)
        };
        wanted.then_some(listed)
    }
}

/// What a step to the right, a step down and the corner of a frame's viewport are in the top page's.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Matrix {
    right: (f64, f64),
    down: (f64, f64),
    corner: (f64, f64),
}

impl Default for Matrix {
    fn default() -> Self {
        Self { right: (1.0, 0.0), down: (0.0, 1.0), corner: (0.0, 0.0) }
    }
}

impl Matrix {
    /// Of the six numbers of a CSS matrix.
    fn of(numbers: &[f64]) -> Self {
        let &[right, right_down, left, down, x, y] = numbers else { return Self::default() };
        Self { right: (right, right_down), down: (left, down), corner: (x, y) }
    }

    fn way(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.right.0 * x + self.down.0 * y, self.right.1 * x + self.down.1 * y)
    }

    fn point(&self, point: (f64, f64)) -> (f64, f64) {
        let way = self.way(point);
        (way.0 + self.corner.0, way.1 + self.corner.1)
    }

    /// First `inner`, then this one.
    fn then(&self, inner: &Self) -> Self {
        Self { right: self.way(inner.right), down: self.way(inner.down), corner: self.point(inner.corner) }
    }

    /// The upright box around a box that is mapped, to a hundredth of a pixel.
    fn maps(&self, rect: &Rect) -> Rect {
        let (right, bottom) = (rect.x + rect.width, rect.y + rect.height);
        let corners = [(rect.x, rect.y), (right, rect.y), (rect.x, bottom), (right, bottom)];
        let corners = corners.map(|corner| self.point(corner));
        let least = |side: fn((f64, f64)) -> f64| corners.map(side).into_iter().fold(f64::MAX, f64::min);
        let most = |side: fn((f64, f64)) -> f64| corners.map(side).into_iter().fold(f64::MIN, f64::max);
        let round = |value: f64| (value * 100.0).round() / 100.0;
        let (x, y) = (least(|corner| corner.0), least(|corner| corner.1));
        Rect {
            x: round(x),
            y: round(y),
            width: round(most(|corner| corner.0) - x),
            height: round(most(|corner| corner.1) - y),
        }
    }
}

fn cross(one: &Rect, other: &Rect) -> Rect {
    let (x, y) = (one.x.max(other.x), one.y.max(other.y));
    let right = (one.x + one.width).min(other.x + other.width);
    let bottom = (one.y + one.height).min(other.y + other.height);
    Rect { x, y, width: (right - x).max(0.0), height: (bottom - y).max(0.0) }
}

fn has_size(rect: &Rect) -> bool {
    rect.width > 0.0 && rect.height > 0.0
}

fn encloses(outer: &Rect, inner: &Rect) -> bool {
    let both = cross(outer, inner);
    (both.width - inner.width).abs() < 0.5 && (both.height - inner.height).abs() < 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect { x, y, width, height }
    }

    fn listed(name: &str, bounds: Rect) -> Listed {
        let element = Element { name: name.into(), bounds, usable: Usable::Yes, ..Element::default() };
        Listed { element, ..Listed::default() }
    }

    fn child(document: u32, parent: Option<u32>, place: u32) -> ChildFrame {
        ChildFrame { document, parent, place, url: String::new(), ready: Ok(()) }
    }

    fn held(place: u32, before: u32, x: f64, y: f64) -> HeldFrame {
        HeldFrame {
            place,
            before,
            matrix: vec![1.0, 0.0, 0.0, 1.0, x, y],
            shown: rect(x, y, 200.0, 100.0),
            near: rect(x, y, 200.0, 100.0),
            usable: Usable::Yes,
            ..HeldFrame::default()
        }
    }

    fn part(place: u32, elements: Vec<Listed>, frames: Vec<HeldFrame>) -> Listing {
        Listing { place, elements, frames, ..Listing::default() }
    }

    fn joined(top: Listing, answers: Vec<(ChildFrame, Option<Listing>)>, options: &ListOptions) -> Whole {
        let children = answers.iter().map(|(child, _)| child.clone()).collect();
        let answers = answers.into_iter().filter_map(|(child, part)| Some((child.document, part?))).collect();
        Parts { children, answers, errors: HashMap::new() }.join(top, options)
    }

    fn names(whole: &Whole) -> Vec<&str> {
        whole.listing.elements.iter().map(|listed| listed.element.name.as_str()).collect()
    }

    #[test]
    fn parts_stand_where_their_frames_do_in_the_top_pages_coordinates() {
        let small = rect(1.0, 2.0, 10.0, 10.0);
        let top = part(0, vec![listed("a", small), listed("b", small)], vec![held(1, 1, 100.0, 50.0)]);
        let outer = part(1, vec![listed("c", small)], vec![held(0, 0, 20.0, 10.0)]);
        let inner = part(0, vec![listed("d", small)], Vec::new());
        // A document that was taken out of the page never answers, and nobody misses it.
        let answers = vec![
            (child(2, None, 1), Some(outer)),
            (child(3, Some(2), 0), Some(inner)),
            (child(4, None, 0), None),
        ];
        let whole = joined(top, answers, &ListOptions::default());
        assert_eq!(names(&whole), ["a", "d", "c", "b"]);
        assert!(whole.missing.is_empty());
        let deep = &whole.listing.elements[1];
        assert_eq!(deep.index, 1);
        assert_eq!(deep.element.bounds, rect(121.0, 62.0, 10.0, 10.0));
        assert_eq!(deep.element.frame.iter().map(|step| step.index).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn a_frame_that_is_covered_or_silent_costs_its_own_part() {
        let small = rect(1.0, 2.0, 10.0, 10.0);
        let mut covered = held(0, 0, 0.0, 0.0);
        covered.usable = Usable::Inert;
        let mut half = held(1, 0, 300.0, 0.0);
        half.covers = vec![Cover { bounds: rect(290.0, 50.0, 400.0, 80.0), by: "banner".into() }];
        let top = part(0, vec![listed("a", small)], vec![covered, half, held(2, 1, 0.0, 300.0)]);
        let low = listed("low", rect(5.0, 60.0, 10.0, 10.0));
        let answers = vec![
            (child(2, None, 0), Some(part(0, vec![listed("b", small)], Vec::new()))),
            (child(3, None, 1), Some(part(1, vec![listed("high", small), low], Vec::new()))),
            (child(4, None, 2), None),
        ];
        let whole = joined(top.clone(), answers.clone(), &ListOptions::default());
        assert_eq!(names(&whole), ["high", "a"]);
        assert_eq!(whole.missing.len(), 1);
        assert_eq!(whole.missing[0].frame[0].index, 2);
        let hidden = ListOptions { hidden: true, ..ListOptions::default() };
        let whole = joined(top, answers, &hidden);
        assert_eq!(names(&whole), ["b", "high", "low", "a"]);
        assert_eq!(whole.listing.elements[0].element.usable, Usable::Inert);
        assert_eq!(whole.listing.elements[2].element.usable, Usable::Covered { by: "banner".into() });
    }

    #[test]
    fn turned_and_scaled_frames_map_by_their_matrix() {
        let quarter = Matrix::of(&[0.0, 0.5, -0.5, 0.0, 100.0, 20.0]);
        assert_eq!(quarter.maps(&rect(10.0, 20.0, 40.0, 8.0)), rect(86.0, 25.0, 4.0, 20.0));
        let moved = quarter.then(&Matrix::of(&[1.0, 0.0, 0.0, 1.0, 10.0, 20.0]));
        assert_eq!(moved.maps(&rect(0.0, 0.0, 40.0, 8.0)), rect(86.0, 25.0, 4.0, 20.0));
    }
}
