//! The last page with what changed since read anew: what an answer costs grows with what changed, not with the page.
//!
//! Which parts changed is told by `collect/parts.js`; whatever may reach further than its part makes it say that all must be
//! read. Boxes of all that is near the window are measured again. Of what is far away only some are, spread over the page: where
//! two of them moved by as much, so did what lies between them; where they did not, that is measured too.

use std::ops::Range;

use cairn_core::candidate::{self, Affordance};
use cairn_core::element::Rect;
use cairn_core::snapshot::markup::{Pages, Part, Source};
use cairn_core::snapshot::{Flags, Measure, Measured, NodeId, Snapshot, sym};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::collector::{self, Markup, Reading};
use super::read::{self, Page};
use crate::native;

/// Of so many boxes far away one is measured again.
const SPREAD: usize = 128;

/// The page as it is now; `None` where all must be read.
pub fn page(page: Page, adopted: &[Element], budget: f64) -> Option<Page> {
    let end = native::now() + budget;
    let Page { mut snapshot, candidates, reading: Some(reading), is_marked: true, .. } = page else {
        return None;
    };
    if snapshot.truncated {
        return None;
    }
    let markup: &Markup = reading.unchecked_ref();
    let changed = collector::changed_parts(markup)?;
    let parts = parts(&snapshot, &changed)?;
    let nodes: Vec<Range<NodeId>> = parts.iter().map(|part| part.nodes.clone()).collect();
    let read: usize = nodes.iter().map(ExactSizeIterator::len).sum();
    if read * 3 > snapshot.nodes.len() || is_wasteful(&snapshot) || tells_places(&snapshot) {
        return None;
    }
    let mut ids = snapshot.ids_in(&nodes);
    let (mut grown, candidates) = graft(&mut snapshot, &reading, &parts, candidates)?;
    ids.append(&mut snapshot.ids_in(&grown));
    snapshot.url = collector::url();
    snapshot.title = collector::title();
    focus(&mut snapshot, markup);
    // A label whose control came or went is itself something to click, or no more, and so is what is in it.
    for label in snapshot.labels_of(&ids, &grown) {
        grown.push(snapshot.subtree(label));
    }
    let mut candidates = candidate::find_again(&snapshot, candidates, &grown);
    read::adopt(&snapshot, &reading, adopted, &mut candidates);
    let frames = read::holding(&snapshot);
    let measured = read::to_measure(&candidates, &frames);
    measure(&mut snapshot, &measured, end)?;
    collector::remember();
    Some(Page { snapshot, candidates, frames, reading: Some(reading), is_marked: true })
}

/// The texts of parts that are no more have come to take more room than the page does.
fn is_wasteful(snapshot: &Snapshot) -> bool {
    snapshot.pool.len() > snapshot.nodes.len() * 400 + 1_000_000
        || snapshot.attributes.len() > snapshot.nodes.len() * 8 + 10_000
}

/// Elements that scripts made others be labelled by are told by their places, which move.
fn tells_places(snapshot: &Snapshot) -> bool {
    snapshot.attributes.iter().any(|(name, _)| *name == sym::LABELLED_BY_NODES)
}

/// The parts that the numbers tell of, in document order, none of them within another.
fn parts(snapshot: &Snapshot, changed: &[i32]) -> Option<Vec<Part>> {
    let node = |place: i32| u32::try_from(place).ok().map(|place| snapshot.by_place(place));
    let mut parts: Vec<Part> = Vec::new();
    for numbers in changed.chunks_exact(4) {
        let mut parent = node(numbers[0])??;
        if numbers[1] == 1 {
            parent = snapshot.shadow_root(parent)?;
        }
        let between = |place: i32| match node(place) {
            None => Some(None),
            Some(found) => found.map(Some),
        };
        parts.push(snapshot.part(parent, between(numbers[2])?, between(numbers[3])?)?);
    }
    cairn_core::order::sort_by_key(&mut parts, |part| (part.nodes.start, usize::MAX - part.nodes.end));
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if part.parent == last.parent && part.nodes.start <= last.nodes.end => {
                // Neighbours, or the same one twice.
                if part.nodes.end > last.nodes.end || part.next.is_none() {
                    last.nodes.end = last.nodes.end.max(part.nodes.end);
                    last.next = part.next;
                }
            }
            Some(last) if last.nodes.contains(&part.parent) => {}
            Some(last) if part.nodes.start < last.nodes.end => return None,
            _ => joined.push(part),
        }
    }
    Some(joined)
}

type Candidates = Vec<(NodeId, Affordance)>;

/// Reads the parts and puts them into the page; where they are now, and the candidates outside of them.
fn graft(
    snapshot: &mut Snapshot,
    reading: &Reading,
    parts: &[Part],
    mut candidates: Candidates,
) -> Option<(Vec<Range<NodeId>>, Candidates)> {
    let markup: &Markup = reading.unchecked_ref();
    let place = |node: Option<NodeId>| node.map_or(-1, |node| snapshot.node(node).place as i32);
    let mut numbers = Vec::with_capacity(parts.len() * 4);
    for part in parts {
        // A shadow root is told by its host.
        let host =
            snapshot.parent(part.parent).filter(|host| snapshot.shadow_root(*host) == Some(part.parent));
        let parent = host.unwrap_or(part.parent);
        numbers.extend([
            place(Some(parent)),
            i32::from(host.is_some()),
            place(part.previous),
            place(part.next),
        ]);
    }
    let places = markup.renew(&numbers);
    let mut grown = vec![0..0; parts.len()];
    // From the end, so that what is before each stays where it is.
    for (at, part) in parts.iter().enumerate().rev() {
        let [tree, first, elements] = *places.get(at * 3..at * 3 + 3)? else { return None };
        let mut pages = Pages::resume(snapshot);
        let source = Source {
            text: read::text(markup, markup.piece(at as u32))?,
            elements,
            keys: markup.keys(tree),
            key_bits: markup.bits(tree),
            ..Source::default()
        };
        let mut question = pages.add(source).ok()?;
        for element in &mut question.elements {
            *element += first;
        }
        let answers = markup.ask(tree, &question.elements, &question.bits);
        if pages.answer(0, &answers, &markup.texts())? > 0 {
            return None;
        }
        let count = pages.graft(snapshot, part)?;
        let by = count as isize - part.nodes.len() as isize;
        grown[at] = part.nodes.start..part.nodes.start + count;
        for later in &mut grown[at + 1..] {
            *later = moved(later.start, by)..moved(later.end, by);
        }
        let mut kept = Vec::with_capacity(candidates.len());
        for (id, affordance) in candidates {
            if id < part.nodes.start {
                kept.push((id, affordance));
            } else if id >= part.nodes.end {
                kept.push((moved(id, by), affordance));
            }
        }
        candidates = kept;
    }
    markup.renewed();
    Some((grown, candidates))
}

fn moved(id: NodeId, by: isize) -> NodeId {
    (id as isize + by) as NodeId
}

fn focus(snapshot: &mut Snapshot, markup: &Markup) {
    for node in &mut snapshot.nodes {
        node.flags.0 &= !Flags::FOCUSED;
    }
    if let Some(focused) = u32::try_from(markup.focused()).ok().and_then(|place| snapshot.by_place(place)) {
        snapshot.nodes[focused].flags.0 |= Flags::FOCUSED;
    }
}

/// Measures these nodes: all that is or was near the window or is new, of the others as many as it takes.
fn measure(snapshot: &mut Snapshot, nodes: &[NodeId], end: f64) -> Option<()> {
    let known = known(nodes, &snapshot.measures);
    let is_far = |at: usize| known[at].is_some_and(|measure| !measure.bits.has(Measured::NEAR));
    let mut first = Vec::new();
    let mut run = 0;
    for at in 0..nodes.len() {
        let inner = at > 0 && at + 1 < nodes.len() && is_far(at - 1) && is_far(at) && is_far(at + 1);
        run = if inner && run < SPREAD { run + 1 } else { 0 };
        if run == 0 {
            first.push(at);
        }
    }
    let mut measures = vec![None; nodes.len()];
    fill(snapshot, nodes, &first, &mut measures, end)?;
    let mut second = Vec::new();
    let mut before = 0;
    for at in first {
        let shift = shift(&known, &measures, before).filter(|by| shift(&known, &measures, at) == Some(*by));
        for between in before + 1..at {
            measures[between] = match (shift, known[between]) {
                (Some(by), Some(was)) => carried(snapshot, was, by),
                _ => None,
            };
            if measures[between].is_none() {
                second.push(between);
            }
        }
        before = at;
    }
    fill(snapshot, nodes, &second, &mut measures, end)?;
    let mut whole = Vec::with_capacity(nodes.len());
    for measure in measures {
        whole.push(measure?);
    }
    read::hit_test(snapshot, &mut whole, end);
    snapshot.measures = whole;
    Some(())
}

/// The measure of each node as it was, where there is one.
fn known(nodes: &[NodeId], old: &[Measure]) -> Vec<Option<Measure>> {
    let mut at = 0;
    let mut known = Vec::with_capacity(nodes.len());
    for id in nodes {
        while old.get(at).is_some_and(|measure| (measure.node as usize) < *id) {
            at += 1;
        }
        known.push(old.get(at).copied().filter(|measure| measure.node as usize == *id));
    }
    known
}

/// Measures the nodes at these places among `nodes`.
fn fill(
    snapshot: &mut Snapshot,
    nodes: &[NodeId],
    places: &[usize],
    measures: &mut [Option<Measure>],
    end: f64,
) -> Option<()> {
    if places.is_empty() {
        return Some(());
    }
    let wanted: Vec<NodeId> = places.iter().map(|at| nodes[*at]).collect();
    let found = read::boxes(snapshot, &wanted, true, end)?;
    for (at, measure) in places.iter().zip(found) {
        measures[*at] = Some(measure);
    }
    Some(())
}

/// How far a node that was measured again moved, where it is else as it was.
#[expect(clippy::float_cmp, reason = "the browser gives a box that did not change to the last bit")]
fn shift(known: &[Option<Measure>], measures: &[Option<Measure>], at: usize) -> Option<(f64, f64)> {
    let (was, now) = ((*known.get(at)?)?, (*measures.get(at)?)?);
    let still = was.bounds.width == now.bounds.width && was.bounds.height == now.bounds.height;
    still.then_some((now.bounds.x - was.bounds.x, now.bounds.y - was.bounds.y))
}

/// A measure carried along; `None` where it has to be made again: it comes near, or what clips it may not have moved too.
fn carried(snapshot: &Snapshot, was: Measure, (x, y): (f64, f64)) -> Option<Measure> {
    if x == 0.0 && y == 0.0 {
        return Some(was);
    }
    let bounds = Rect { x: was.bounds.x + x, y: was.bounds.y + y, ..was.bounds };
    let (width, height) = snapshot.viewport;
    let near = bounds.y < 2.0 * height
        && bounds.y + bounds.height > -height
        && bounds.x < 2.0 * width
        && bounds.x + bounds.width > -width;
    (!near && read::kind(snapshot, was.node as usize, true) == 0).then_some(Measure { bounds, ..was })
}
