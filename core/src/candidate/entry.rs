//! A candidate as the index lists it, with all its evidence.

use std::collections::BTreeMap;

use super::affordance::Affordance;
use super::{states, usable};
use crate::element::{Element, FramePath, Rect, Ref};
use crate::scope::{Besides, CUT, Scopes, cut};
use crate::selector::Paths;
use crate::snapshot::{Flags, NodeId, Snapshot, Symbol, sym};
use crate::{name, role};

/// Names of what is clickable without a role are cut at this many characters.
const GENERIC_NAME_LIMIT: usize = 100;

/// What entries need to know besides the snapshot.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Attributes that hold a test id, in order of preference.
    pub test_ids: Vec<String>,
    /// Where the frame is.
    pub frame: FramePath,
    /// The document's number, the prefix of refs.
    pub document: u32,
    /// Numbers of nodes that nothing says can be acted on, and a person was seen to.
    pub adopted: Vec<u32>,
}

/// The entries of a snapshot and the nodes that they stand for.
#[derive(Debug, Default)]
pub struct Entries {
    /// One node an entry, in document order.
    pub nodes: Vec<NodeId>,
    /// The entries.
    pub elements: Vec<Element>,
}

/// Each candidate (see [`super::find`]) as an entry, unusable ones included and flagged.
pub fn entries(snapshot: &Snapshot, candidates: Vec<(NodeId, Affordance)>, options: &Options) -> Entries {
    let mut maker = Maker {
        snapshot,
        options,
        scopes: Scopes::new(snapshot),
        besides: Besides::new(snapshot),
        paths: Paths::new(snapshot),
        modals: modals(snapshot),
        kept: kept_attributes(snapshot, options),
    };
    let elements = candidates.iter().map(|(id, affordance)| maker.entry(*id, *affordance)).collect();
    Entries { nodes: candidates.into_iter().map(|(id, _)| id).collect(), elements }
}

/// Dialogs that make the rest of the page inert.
fn modals(snapshot: &Snapshot) -> Vec<NodeId> {
    (0..snapshot.nodes.len()).filter(|id| snapshot.flags(*id).has(Flags::MODAL)).collect()
}

struct Maker<'a> {
    snapshot: &'a Snapshot,
    options: &'a Options,
    scopes: Scopes<'a>,
    besides: Besides<'a>,
    paths: Paths<'a>,
    modals: Vec<NodeId>,
    kept: Vec<Symbol>,
}

impl Maker<'_> {
    fn entry(&mut self, id: NodeId, affordance: Affordance) -> Element {
        let snapshot = self.snapshot;
        let node = snapshot.node(id);
        let role = role::of(snapshot, id);
        let name = listed_name(snapshot, id, role, affordance);
        let row_key = self.besides.row_key(id, &name);
        Element {
            reference: (node.number != 0).then(|| Ref(format!("{}e{}", self.options.document, node.number))),
            states: states(snapshot, id, role),
            usable: usable(snapshot, id, &self.modals),
            role: role.to_owned(),
            name,
            tag: snapshot.tag(id).to_ascii_lowercase(),
            scope: self.scopes.of(id),
            frame: self.options.frame.clone(),
            bounds: snapshot.measure(id).map_or_else(Rect::default, |measure| measure.bounds),
            affordance: (affordance == Affordance::Click).then(|| "click".to_owned()),
            attributes: self.attributes(id),
            path: self.paths.of(id),
            row_key,
            heading: self.besides.heading(id),
            beside: self.besides.beside(id),
        }
    }

    fn attributes(&self, id: NodeId) -> BTreeMap<String, String> {
        let own = self
            .snapshot
            .attributes_of(id)
            .filter(|(name, value)| !value.is_empty() && self.kept.contains(name));
        own.map(|(name, value)| (self.snapshot.symbols.name(name).to_owned(), cut(value, CUT))).collect()
    }
}

/// The attributes that go into an entry.
fn kept_attributes(snapshot: &Snapshot, options: &Options) -> Vec<Symbol> {
    let mut kept = vec![
        sym::ID,
        sym::NAME,
        sym::TYPE,
        sym::HREF,
        sym::CLASS,
        sym::TITLE,
        sym::PLACEHOLDER,
        sym::AUTOCOMPLETE,
        sym::ALT,
        sym::FOR,
        sym::DATA_ICON,
    ];
    if options.test_ids.is_empty() {
        kept.extend(DEFAULT_TEST_IDS);
    }
    kept.extend(options.test_ids.iter().filter_map(|name| snapshot.symbols.find(name)));
    kept
}

const DEFAULT_TEST_IDS: [Symbol; 5] =
    [sym::DATA_TESTID, sym::DATA_TEST_ID, sym::DATA_TEST, sym::DATA_CY, sym::DATA_QA];

/// The name that the index gives: the accessible one; for what is only clickable, its text.
fn listed_name(snapshot: &Snapshot, id: NodeId, role: &str, affordance: Affordance) -> String {
    let mut text = name::even_hidden(snapshot, id);
    if text.is_empty()
        && (affordance == Affordance::Click || role == "generic")
        && !role::is_editing_host(snapshot, id)
    {
        text = cut(&name::content(snapshot, id), GENERIC_NAME_LIMIT);
    }
    if name::is_unreadable(&text) { String::new() } else { text }
}
