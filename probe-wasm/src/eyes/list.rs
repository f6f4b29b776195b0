//! The entries of a listing, without the evidence that only the ladder asks for.

use cairn_core::candidate::Lister;
use cairn_core::element::{Element, Usable};
use cairn_core::selector::{Maker, Paths};
use cairn_core::snapshot::{Measured, NodeId};
use cairn_core::wire::page::ListOptions;

use super::View;

/// What a listing tells, in document order.
#[derive(Default)]
pub struct Entries {
    /// Their nodes.
    pub nodes: Vec<NodeId>,
    /// The entries.
    pub elements: Vec<Element>,
    /// There were more.
    pub truncated: bool,
}

impl View {
    /// The entries that the options want, `most` at the most.
    pub(super) fn listed(&self, options: &ListOptions, most: usize) -> Entries {
        let snapshot = self.snapshot();
        let mut lister = Lister::new(snapshot, self.options());
        let mut entries = Entries::default();
        for (node, affordance) in self.candidates() {
            let bits = snapshot.measure(*node).map(|measure| measure.bits);
            // Far away nothing is wanted, whatever its use.
            if !options.all && !options.hidden && !bits.is_some_and(|bits| bits.has(Measured::NEAR)) {
                continue;
            }
            let usable = lister.usable(*node);
            if !is_wanted(&usable, bits, options) {
                continue;
            }
            if entries.nodes.len() >= most {
                entries.truncated = true;
                break;
            }
            entries.nodes.push(*node);
            entries.elements.push(lister.with_use(*node, *affordance, usable));
        }
        entries
    }

    /// The absolute path of each of these.
    pub(super) fn paths(&self, nodes: &[NodeId]) -> Vec<String> {
        let mut paths = Paths::new(self.snapshot());
        nodes.iter().map(|node| format!("xpath={}", paths.of(*node))).collect()
    }

    /// The selector to try first for each of these. What is unique is so among all entries, not the listed ones alone.
    pub(super) fn first_selectors(&self, listed: &Entries) -> Vec<String> {
        let maker = |elements: &[Element], nodes: &[NodeId]| {
            let maker = Maker::new(self.snapshot(), elements, nodes, self.test_ids());
            listed.nodes.iter().map(|node| maker.first(*node)).collect()
        };
        if listed.nodes.len() == self.candidates().len() {
            return maker(&listed.elements, &listed.nodes);
        }
        let everything = ListOptions { all: true, hidden: true, ..ListOptions::default() };
        let all = self.listed(&everything, usize::MAX);
        maker(&all.elements, &all.nodes)
    }
}

/// Whether the options want this entry.
fn is_wanted(usable: &Usable, bits: Option<Measured>, options: &ListOptions) -> bool {
    let near = bits.is_some_and(|bits| bits.has(Measured::NEAR));
    if options.hidden {
        return options.all || near || *usable == Usable::Hidden;
    }
    let shown = matches!(usable, Usable::Yes | Usable::Unknown | Usable::Disabled);
    shown && (options.all || near)
}
