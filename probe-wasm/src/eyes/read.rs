//! One read of the page: its trees, boxes, hit tests.

use std::collections::VecDeque;

use cairn_core::candidate::{self, Affordance};
use cairn_core::element::Rect;
use cairn_core::role;
use cairn_core::snapshot::markup::{Pages, Source};
use cairn_core::snapshot::{Display, Flags, Measure, Measured, NONE, NodeId, Snapshot, sym};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::collector::{self, Batch, Held, Markup, Reading};
use crate::native;

/// The page as it was read.
pub struct Page {
    /// The tree, with what was measured.
    pub snapshot: Snapshot,
    /// The interactive elements.
    pub candidates: Vec<(NodeId, Affordance)>,
    /// What may hold a frame.
    pub frames: Vec<NodeId>,
    /// Where its DOM nodes are; `None` where nothing could be read.
    pub reading: Option<Reading>,
    /// It was read through its text, and parts of it can be read anew.
    pub is_marked: bool,
}

/// What to read.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Into what is not rendered too.
    pub hidden: bool,
    /// Generated content everywhere, not only where it names something to act on.
    pub generated: bool,
    /// Milliseconds.
    pub budget: f64,
}

/// Reads the page. A reader that failed gives an empty, truncated page.
pub fn page(extent: Extent, adopted: &[Element]) -> Page {
    let end = native::now() + extent.budget;
    let plain = !extent.hidden && !extent.generated;
    match plain.then(marked_up).flatten() {
        Some(read) => whole(Some(read), true, end, adopted),
        None => whole(walked(extent), false, end, adopted),
    }
}

/// The page read node by node, whatever it is.
#[cfg(test)]
pub fn walked_page(adopted: &[Element]) -> Page {
    let budget = 10_000.0;
    whole(walked(Extent { hidden: false, generated: false, budget }), false, native::now() + budget, adopted)
}

/// A tree with its title, candidates and boxes.
fn whole(read: Option<(Snapshot, Reading)>, is_marked: bool, end: f64, adopted: &[Element]) -> Page {
    let (mut snapshot, reading) =
        read.map_or_else(|| (Snapshot::unread(), None), |(snapshot, reading)| (snapshot, Some(reading)));
    snapshot.url = collector::url();
    snapshot.title = collector::title();
    if let [width, height, ..] = collector::viewport().as_slice() {
        snapshot.viewport = (*width, *height);
    }
    let mut candidates = candidate::find(&snapshot);
    if let Some(reading) = &reading {
        adopt(&snapshot, reading, adopted, &mut candidates);
    }
    let frames = holding(&snapshot);
    if reading.is_some() {
        let measured = to_measure(&candidates, &frames);
        measure(&mut snapshot, &measured, is_marked, end);
    }
    collector::remember();
    Page { snapshot, candidates, frames, reading, is_marked }
}

/// Puts what a person was seen to use among the candidates.
pub(super) fn adopt(
    snapshot: &Snapshot,
    reading: &Reading,
    adopted: &[Element],
    candidates: &mut Vec<(NodeId, Affordance)>,
) {
    if adopted.is_empty() {
        return;
    }
    let places = adopted.iter().filter_map(|element| u32::try_from(reading.place(element)).ok());
    let nodes: Vec<NodeId> = places.filter_map(|place| snapshot.by_place(place)).collect();
    candidate::adopt(candidates, &nodes);
}

/// What has to be measured, in document order.
pub(super) fn to_measure(candidates: &[(NodeId, Affordance)], frames: &[NodeId]) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = candidates.iter().map(|(id, _)| *id).chain(frames.iter().copied()).collect();
    if !frames.is_empty() {
        cairn_core::order::sort(&mut nodes);
        nodes.dedup();
    }
    nodes
}

/// Elements that may hold a frame.
pub(super) fn holding(snapshot: &Snapshot) -> Vec<NodeId> {
    let may_hold = |id: &NodeId| {
        let node = snapshot.node(*id);
        node.place != NONE && matches!(node.tag, sym::IFRAME | sym::FRAME | sym::OBJECT)
    };
    snapshot.sought().filter(may_hold).collect()
}

/// Reads the page through its own text; `None` where that cannot be followed.
pub(super) fn marked_up() -> Option<(Snapshot, Reading)> {
    let markup = collector::open().ok()??;
    let mut pages = Pages::default();
    let mut next = VecDeque::from([0]);
    let mut trees = 1;
    while let Some(tree) = next.pop_front() {
        let roots = add(&mut pages, &markup, tree)?;
        next.extend(trees..trees + roots);
        trees += roots;
    }
    let focused = u32::try_from(markup.focused()).ok();
    let mut snapshot = pages.finish();
    if let Some(focused) = focused.and_then(|place| snapshot.by_place(place)) {
        snapshot.nodes[focused].flags.0 |= Flags::FOCUSED;
    }
    Some((snapshot, markup.unchecked_into()))
}

/// Reads one tree; how many shadow roots hang on it.
fn add(pages: &mut Pages, markup: &Markup, tree: u32) -> Option<u32> {
    let source = Source {
        text: text(markup, markup.take(tree))?,
        elements: markup.count(tree),
        keys: markup.keys(tree),
        key_bits: markup.bits(tree),
        animated: markup.animated(tree),
    };
    let question = pages.add(source).ok()?;
    let answers = markup.ask(tree, &question.elements, &question.bits);
    pages.answer(tree as usize, &answers, &markup.texts()).map(|roots| roots as u32)
}

/// The text that was taken, of so many UTF-16 units, with room behind it: what is asked later and what held escapes is added
/// there.
pub(super) fn text(markup: &Markup, units: u32) -> Option<String> {
    let units = units as usize;
    let mut bytes = vec![0; units + units / 8 + 4_096];
    let mut written = markup.write(&mut bytes);
    if written < 0 {
        // A unit takes three bytes at the most.
        bytes.resize(units * 3, 0);
        written = markup.write(&mut bytes);
    }
    bytes.truncate(usize::try_from(written).ok()?);
    String::from_utf8(bytes).ok()
}

/// The page as the stub held it. Boxes are known of what was acted on and of what it lies in; of everything else nothing is
/// known but that it was rendered.
pub fn held(held: &Held, adopted: &[Element]) -> Page {
    let (mut snapshot, reading) = decoded(held.page())
        .map_or_else(|| (Snapshot::unread(), None), |(snapshot, reading)| (snapshot, Some(reading)));
    snapshot.url = held.url();
    let mut candidates = candidate::find(&snapshot);
    if let Some(reading) = &reading {
        adopt(&snapshot, reading, adopted, &mut candidates);
    }
    let boxes = held.boxes().to_vec();
    let measured = |id: NodeId| {
        let place = f64::from(snapshot.node(id).place);
        let known = boxes.chunks_exact(5).find(|one| (one[0] - place).abs() < 0.5);
        let bounds = known.map_or_else(Rect::default, |one| Rect {
            x: one[1],
            y: one[2],
            width: one[3],
            height: one[4],
        });
        let bits = Measured(Measured::RENDERED | Measured::IN_VIEW | Measured::HIT);
        Measure { node: id as u32, bounds, bits, cover: NONE }
    };
    snapshot.measures = candidates.iter().map(|(id, _)| measured(*id)).collect();
    Page { snapshot, candidates, frames: Vec::new(), reading, is_marked: false }
}

/// Reads the page node by node.
fn walked(extent: Extent) -> Option<(Snapshot, Reading)> {
    let mode = u32::from(extent.hidden) | u32::from(extent.generated) << 1;
    decoded(collector::read(mode, extent.budget).ok()?)
}

fn decoded(batch: Batch) -> Option<(Snapshot, Reading)> {
    let names: Vec<String> = batch.names().iter().map(|name| name.as_string().unwrap_or_default()).collect();
    let mut snapshot = Snapshot::decode(&batch.ints().to_vec(), String::from(batch.text()), &names).ok()?;
    snapshot.truncated = batch.truncated();
    Some((snapshot, batch.unchecked_into()))
}

/// What `collect/measure.js` is told of a node.
const LABELLED: u8 = 1;
const CLIPS: u8 = 2;
const FADES: u8 = 4;
const AREA: u8 = 8;

/// Boxes of these nodes, hit tests of those in view. Where the tree was read through its text it is known what may clip.
fn measure(snapshot: &mut Snapshot, nodes: &[NodeId], is_marked: bool, end: f64) {
    let Some(mut measures) = boxes(snapshot, nodes, is_marked, end) else { return };
    hit_test(snapshot, &mut measures, end);
    snapshot.measures = measures;
}

/// Boxes of these nodes, as many as there is time for.
pub(super) fn boxes(
    snapshot: &mut Snapshot,
    nodes: &[NodeId],
    is_marked: bool,
    end: f64,
) -> Option<Vec<Measure>> {
    let places: Vec<u32> = nodes.iter().map(|id| snapshot.node(*id).place).collect();
    let kinds: Vec<u8> = nodes.iter().map(|id| kind(snapshot, *id, is_marked)).collect();
    let clipping = is_marked.then(|| clipping(snapshot, nodes));
    let left = (end - native::now()).max(20.0);
    let numbers = collector::measure(&places, &kinds, clipping, left).ok()?;
    let mut measures = Vec::with_capacity(nodes.len());
    for (id, numbers) in nodes.iter().zip(numbers.chunks_exact(7)) {
        if numbers[6] == 0.0 {
            snapshot.truncated = true;
            break;
        }
        snapshot.nodes[*id].number = numbers[6] as u32;
        measures.push(Measure {
            node: *id as u32,
            bounds: Rect { x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3] },
            bits: Measured(numbers[4] as u32),
            cover: NONE,
        });
    }
    Some(measures)
}

pub(super) fn kind(snapshot: &Snapshot, id: NodeId, is_marked: bool) -> u8 {
    let flags = snapshot.flags(id);
    let labelled = if may_stand_behind_label(snapshot, id) { LABELLED } else { 0 };
    if snapshot.is(id, sym::AREA) {
        return AREA | CLIPS;
    }
    let unseen =
        flags.has(Flags::INVISIBLE) || flags.has(Flags::HIDDEN) || flags.display() == Display::Contents;
    let clips = if !is_marked || flags.has(Flags::CLIPS) { CLIPS } else { 0 };
    let fades = if !is_marked || flags.has(Flags::FADES) || unseen { FADES } else { 0 };
    labelled | clips | fades
}

/// Places of what may clip a candidate. The flag goes down to all that is below, so they are told by where it begins.
fn clipping(snapshot: &Snapshot, nodes: &[NodeId]) -> Vec<u32> {
    if !nodes.iter().any(|id| snapshot.flags(*id).has(Flags::CLIPS)) {
        return Vec::new();
    }
    let own = snapshot.nodes.iter().filter(|node| node.place != NONE && node.flags.has(Flags::CLIPS_ITSELF));
    own.map(|node| node.place).collect()
}

pub(super) fn hit_test(snapshot: &Snapshot, measures: &mut [Measure], end: f64) {
    let tested: Vec<usize> = (0..measures.len())
        .filter(|at| measures[*at].bits.has(Measured::RENDERED | Measured::IN_VIEW))
        .collect();
    let places: Vec<u32> = tested.iter().map(|at| snapshot.node(measures[*at].node as usize).place).collect();
    let left = (end - native::now()).max(20.0);
    let Ok(answers) = collector::hits(&places, left) else { return };
    for (at, answer) in tested.into_iter().zip(answers.chunks_exact(2)) {
        let measure = &mut measures[at];
        match answer[0] {
            1 => measure.bits.0 |= Measured::HIT,
            2 => {
                measure.bits.0 |= Measured::COVERED;
                let cover = u32::try_from(answer[1]).ok().and_then(|place| snapshot.by_place(place));
                measure.cover = cover.map_or(NONE, |cover| cover as u32);
            }
            _ => {}
        }
    }
}

fn may_stand_behind_label(snapshot: &Snapshot, id: NodeId) -> bool {
    snapshot.is(id, sym::INPUT) && matches!(role::input_type(snapshot, id), "checkbox" | "radio" | "file")
}
