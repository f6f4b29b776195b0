//! One read of the page: batch, snapshot, boxes, hit tests, entries.

use cairn_core::candidate::{self, Affordance, Entries, Options};
use cairn_core::element::Rect;
use cairn_core::role;
use cairn_core::snapshot::{Measure, Measured, NONE, NodeId, Snapshot, sym};
use js_sys::Array;

use super::collector;

/// The page as it was read.
pub struct Reading {
    /// The tree.
    pub snapshot: Snapshot,
    /// The interactive elements.
    pub entries: Entries,
    /// The DOM node of each node of the snapshot.
    pub dom: Array,
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
pub fn page(extent: Extent, options: &Options) -> Reading {
    let (mut snapshot, dom) = tree(extent).unwrap_or_else(|| (Snapshot::unread(), Array::new()));
    snapshot.url = collector::url();
    snapshot.title = collector::title();
    if let [width, height, ..] = collector::viewport().as_slice() {
        snapshot.viewport = (*width, *height);
    }
    let mut candidates = candidate::find(&snapshot);
    candidate::adopt(&snapshot, &mut candidates, &options.adopted);
    measure(&mut snapshot, &candidates);
    let entries = candidate::entries(&snapshot, candidates, options);
    Reading { snapshot, entries, dom }
}

fn tree(extent: Extent) -> Option<(Snapshot, Array)> {
    let mode = u32::from(extent.hidden) | u32::from(extent.generated) << 1;
    let batch = collector::read(mode, extent.budget).ok()?;
    let names: Vec<String> = batch.names().iter().map(|name| name.as_string().unwrap_or_default()).collect();
    let mut snapshot = Snapshot::decode(&batch.ints().to_vec(), String::from(batch.text()), &names).ok()?;
    snapshot.truncated = batch.truncated();
    Some((snapshot, batch.nodes()))
}

/// Boxes of all candidates, hit tests of those in view.
fn measure(snapshot: &mut Snapshot, candidates: &[(NodeId, Affordance)]) {
    let indexes: Vec<u32> = candidates.iter().map(|(id, _)| *id as u32).collect();
    let kinds: Vec<u8> =
        candidates.iter().map(|(id, _)| u8::from(may_stand_behind_label(snapshot, *id))).collect();
    let Ok(numbers) = collector::measure(&indexes, &kinds) else { return };
    let numbers = numbers.to_vec();
    let mut measures: Vec<Measure> = indexes
        .iter()
        .zip(numbers.chunks_exact(6))
        .map(|(node, numbers)| Measure {
            node: *node,
            bounds: Rect { x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3] },
            bits: Measured(numbers[4] as u32),
            cover: NONE,
        })
        .collect();
    hit_test(&mut measures);
    snapshot.measures = measures;
}

fn hit_test(measures: &mut [Measure]) {
    let places: Vec<usize> = (0..measures.len())
        .filter(|place| measures[*place].bits.has(Measured::RENDERED | Measured::IN_VIEW))
        .collect();
    let nodes: Vec<u32> = places.iter().map(|place| measures[*place].node).collect();
    let Ok(answers) = collector::hits(&nodes) else { return };
    for (place, answer) in places.into_iter().zip(answers.to_vec().chunks_exact(2)) {
        let measure = &mut measures[place];
        match answer[0] {
            1 => measure.bits.0 |= Measured::HIT,
            2 => {
                measure.bits.0 |= Measured::COVERED;
                measure.cover = u32::try_from(answer[1]).unwrap_or(NONE);
            }
            _ => {}
        }
    }
}

fn may_stand_behind_label(snapshot: &Snapshot, id: NodeId) -> bool {
    snapshot.is(id, sym::INPUT) && matches!(role::input_type(snapshot, id), "checkbox" | "radio" | "file")
}
