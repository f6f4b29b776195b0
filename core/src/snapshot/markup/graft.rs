//! A part of a page read anew, put where it stood before.
//!
//! A part is what stands between two neighbouring elements of one parent, or between one and an end. Around it nothing is read
//! again: nodes move up or down, and what goes down a page (what is hidden, pointed at) is worked out for the part alone.

use std::cell::OnceCell;
use std::ops::Range;

use super::{Pages, settle};
#[cfg(debug_assertions)]
use crate::snapshot::lookups::Lookups;
use crate::snapshot::{Flags, Kind, NONE, Node, NodeId, Snapshot, sym};

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The parent of what is in it; a shadow root too.
    pub parent: NodeId,
    /// The nodes.
    pub nodes: Range<NodeId>,
    /// The element before it, where there is one,
    pub previous: Option<NodeId>,
    /// and the one behind it.
    pub next: Option<NodeId>,
}

impl Snapshot {
    /// The part of what hangs on `parent` that lies between two of its children. `None` where that cannot be read by itself:
    /// it takes part in a shadow tree of its parent's, or brings styles or slots.
    pub fn part(&self, parent: NodeId, previous: Option<NodeId>, next: Option<NodeId>) -> Option<Part> {
        let node = self.nodes.get(parent)?;
        let is_child = |id: &NodeId| self.nodes.get(*id).is_some_and(|node| node.parent as usize == parent);
        if self.shadow_root(parent).is_some() || !previous.iter().chain(&next).all(is_child) {
            return None;
        }
        let generated = |kind| self.children(parent).find(|child| self.nodes[*child].kind == kind);
        let start = match previous {
            Some(previous) => self.nodes[previous].end as usize,
            None => generated(Kind::Before).map_or(parent + 1, |before| before + 1),
        };
        let end = next.unwrap_or_else(|| match self.nodes.get(node.end as usize - 1) {
            Some(last) if last.kind == Kind::After && last.parent as usize == parent => node.end as usize - 1,
            _ => node.end as usize,
        });
        let part = Part { parent, nodes: start..end, previous, next };
        (start <= end && self.can_stand_alone(start..end)).then_some(part)
    }

    fn can_stand_alone(&self, nodes: Range<NodeId>) -> bool {
        self.nodes[nodes].iter().all(|node| {
            node.kind != Kind::Shadow && !matches!(node.tag, sym::STYLE | sym::LINK | sym::BASE | sym::SLOT)
        })
    }

    /// Elements of the tree itself below a node, those of shadow trees left out.
    fn elements_below(&self, id: NodeId) -> u32 {
        let end = self.nodes[id].end as usize;
        let (mut at, mut count) = (id + 1, 0);
        while at < end {
            let node = &self.nodes[at];
            if node.kind == Kind::Shadow {
                at = node.end as usize;
                continue;
            }
            count += u32::from(node.kind == Kind::Element);
            at += 1;
        }
        count
    }

    /// The place of the first element of a part, there or not.
    fn first_place(&self, part: &Part) -> Option<u32> {
        if let Some(previous) = part.previous {
            return Some(self.nodes[previous].place + 1 + self.elements_below(previous));
        }
        let parent = &self.nodes[part.parent];
        if parent.kind == Kind::Element {
            return Some(parent.place + 1);
        }
        let first =
            (part.parent + 1..parent.end as usize).find(|id| self.nodes[*id].kind == Kind::Element)?;
        Some(self.nodes[first].place)
    }

    /// Forgets what was worked out for the nodes as they were, and what can follow follows.
    fn follow(&mut self, part: &Part, grown: &Range<NodeId>, ids: &[u32]) {
        let lookups = self.lookups.take().and_then(|known| known.followed(self, &part.nodes, grown, ids));
        #[cfg(debug_assertions)]
        debug_assert!(lookups.as_ref().is_none_or(|lookups| lookups.agree(&Lookups::of(self))), "{part:?}");
        self.lookups = lookups.map(OnceCell::from).unwrap_or_default();
        self.numbers = OnceCell::new();
        self.places = OnceCell::new();
        self.last_measure.set(0);
    }

    fn shift_measures(&mut self, nodes: &Range<NodeId>, grown: isize) {
        self.measures.retain(|measure| !nodes.contains(&(measure.node as usize)));
        for measure in &mut self.measures {
            if measure.node as usize >= nodes.end {
                measure.node = shifted(measure.node, grown);
            }
            // What covers is asked again for all that is in view.
            measure.cover = NONE;
        }
    }
}

impl Pages {
    /// Pages for a part of a page that was read: its texts and names go on with that page's, which has none until
    /// [`Pages::graft`] gives them back.
    pub fn resume(page: &mut Snapshot) -> Self {
        let mut pages = Self { in_hand: true, ..Self::default() };
        std::mem::swap(&mut pages.snapshot.pool, &mut page.pool);
        std::mem::swap(&mut pages.snapshot.symbols, &mut page.symbols);
        pages
    }

    /// Puts the part in the place of what was there. How many nodes it has now; `None` where it has come to hold what cannot be
    /// read by itself: then the page is none any more.
    pub fn graft(mut self, page: &mut Snapshot, part: &Part) -> Option<usize> {
        let tree = self.trees.first_mut()?;
        let gap = std::mem::take(&mut tree.gap_at_end);
        if self.trees.len() != 1 || !self.trees[0].roots.is_empty() {
            return None;
        }
        let elements = self.places;
        let Snapshot { pool, symbols, mut nodes, mut attributes, .. } = super::assemble::whole(self);
        page.pool = pool;
        page.symbols = symbols;
        let first_place = page.first_place(part)?;
        let first_attribute = page.attributes.len() as u32;
        page.attributes.append(&mut attributes);
        let start = part.nodes.start as u32;
        for node in &mut nodes {
            node.parent = if node.parent == NONE { part.parent as u32 } else { node.parent + start };
            node.end += start;
            node.first_attribute += first_attribute;
            if node.place != NONE {
                node.place += first_place;
            }
        }
        let before = page.nodes[part.nodes.clone()].iter().filter(|node| node.kind == Kind::Element).count();
        page.make_room(part, nodes.len(), first_place + before as u32, elements as isize - before as isize);
        let mut ids = page.ids_in(std::slice::from_ref(&part.nodes));
        let count = nodes.len();
        let mut behind = page.nodes.split_off(part.nodes.end);
        page.nodes.truncate(part.nodes.start);
        page.nodes.append(&mut nodes);
        page.nodes.append(&mut behind);
        let grown = part.nodes.start..part.nodes.start + count;
        if !page.can_stand_alone(grown.clone()) {
            return None;
        }
        page.mark_gap(part, grown.end, gap);
        ids.append(&mut page.ids_in(std::slice::from_ref(&grown)));
        page.follow(part, &grown, &ids);
        settle::settle(page, grown);
        Some(count)
    }
}

impl Snapshot {
    /// Moves what lies behind a part or around it, for the part's new size. Places from `place` on move by `places`.
    fn make_room(&mut self, part: &Part, count: usize, place: u32, places: isize) {
        let grown = count as isize - part.nodes.len() as isize;
        let end = part.nodes.end as u32;
        for node in &mut self.nodes {
            if node.place != NONE && node.place >= place {
                node.place = shifted(node.place, places);
            }
        }
        for node in &mut self.nodes[part.nodes.end..] {
            node.end = shifted(node.end, grown);
            if node.parent != NONE && node.parent >= end {
                node.parent = shifted(node.parent, grown);
            }
        }
        let mut up = part.parent as u32;
        while let Some(node) = self.nodes.get_mut(up as usize) {
            node.end = shifted(node.end, grown);
            up = node.parent;
        }
        self.shift_measures(&part.nodes, grown);
    }

    /// White space at the end of a part is told by what comes next.
    fn mark_gap(&mut self, part: &Part, end: NodeId, gap: bool) {
        let mark = |node: &mut Node, bit: u32| node.flags.0 = node.flags.0 & !bit | if gap { bit } else { 0 };
        if part.next.is_some() {
            mark(&mut self.nodes[end], Flags::GAP_BEFORE);
        } else if self.nodes[part.parent].kind == Kind::Element {
            mark(&mut self.nodes[part.parent], Flags::GAP_AT_END);
        }
    }
}

fn shifted(number: u32, by: isize) -> u32 {
    (number as isize + by) as u32
}
