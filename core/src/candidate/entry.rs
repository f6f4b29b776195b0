//! A candidate as the index lists it, with all its evidence.

use super::affordance::Affordance;
use super::{states, usable};
use crate::element::{Element, FramePath, Rect, Ref, Usable};
use crate::map::Named;
use crate::scope::{Besides, CUT, Scopes, cut};
use crate::selector::{Paths, push_number};
use crate::snapshot::{Flags, Kind, NodeId, Snapshot, Symbol, sym};
use crate::{name, role, text};

/// Names of what is clickable without a role are cut at this many characters.
const GENERIC_NAME_LIMIT: usize = 100;
/// Other names at this many; nobody reads on.
const NAME_LIMIT: usize = 1_000;

/// What entries need to know besides the snapshot.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Attributes that hold a test id, in order of preference.
    pub test_ids: Vec<String>,
    /// Where the frame is.
    pub frame: FramePath,
    /// The document's number, the prefix of refs.
    pub document: u32,
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
pub fn entries(snapshot: &Snapshot, candidates: &[(NodeId, Affordance)], options: &Options) -> Entries {
    let mut maker = Maker {
        lister: Lister::new(snapshot, options),
        besides: Besides::new(snapshot),
        paths: Paths::new(snapshot),
        kept: kept_attributes(snapshot, options),
    };
    let elements = candidates.iter().map(|(id, affordance)| maker.entry(*id, *affordance)).collect();
    Entries { nodes: candidates.iter().map(|(id, _)| *id).collect(), elements }
}

/// Dialogs that make the rest of the page inert.
fn modals(snapshot: &Snapshot) -> Vec<NodeId> {
    snapshot.sought().filter(|id| snapshot.flags(*id).has(Flags::MODAL)).collect()
}

/// Makes entries with what a listing tells: role, name, scope, box, states and use, none of the evidence.
pub struct Lister<'a> {
    snapshot: &'a Snapshot,
    options: &'a Options,
    scopes: Scopes<'a>,
    modals: Vec<NodeId>,
}

impl<'a> Lister<'a> {
    /// For one snapshot.
    pub fn new(snapshot: &'a Snapshot, options: &'a Options) -> Self {
        Self { snapshot, options, scopes: Scopes::new(snapshot), modals: modals(snapshot) }
    }

    /// Whether a person could use it; cheaper than the whole entry.
    pub fn usable(&self, id: NodeId) -> Usable {
        usable(self.snapshot, id, &self.modals)
    }

    /// The entry of one candidate.
    pub fn entry(&mut self, id: NodeId, affordance: Affordance) -> Element {
        let usable = self.usable(id);
        self.with_use(id, affordance, usable)
    }

    /// The entry of one candidate whose use is known.
    pub fn with_use(&mut self, id: NodeId, affordance: Affordance, usable: Usable) -> Element {
        let snapshot = self.snapshot;
        let node = snapshot.node(id);
        let role = role::of(snapshot, id);
        let mut states = states(snapshot, id, role);
        let mut name = listed_name(snapshot, id, role, affordance);
        let is_long = name.len() > NAME_LIMIT;
        if is_long {
            name = cut(&name, NAME_LIMIT);
        }
        if is_long || node.flags.has(Flags::CUT) {
            states.cut = Some(true);
        }
        Element {
            reference: (node.number != 0).then(|| reference(self.options.document, node.number)),
            states,
            usable,
            role: role.to_owned(),
            name,
            scope: self.scopes.of(id),
            frame: self.options.frame.clone(),
            bounds: snapshot.measure(id).map_or_else(Rect::default, |measure| measure.bounds),
            affordance: (affordance == Affordance::Click).then(|| "click".to_owned()),
            ..Element::default()
        }
    }
}

/// The ref of a node.
fn reference(document: u32, number: u32) -> Ref {
    let mut text = String::with_capacity(12);
    push_number(document, &mut text);
    text.push('e');
    push_number(number, &mut text);
    Ref(text)
}

/// Adds the evidence to an entry.
struct Maker<'a> {
    lister: Lister<'a>,
    besides: Besides<'a>,
    paths: Paths<'a>,
    kept: Vec<Symbol>,
}

impl Maker<'_> {
    fn entry(&mut self, id: NodeId, affordance: Affordance) -> Element {
        let listed = self.lister.entry(id, affordance);
        let row_key = self.besides.row_key(id, &listed.name);
        Element {
            tag: self.lister.snapshot.tag(id).to_ascii_lowercase(),
            attributes: self.attributes(id),
            path: self.paths.of(id),
            row_key,
            heading: self.besides.heading(id),
            beside: self.besides.beside(id),
            ..listed
        }
    }

    fn attributes(&self, id: NodeId) -> Named<String> {
        let snapshot = self.lister.snapshot;
        let own =
            snapshot.attributes_of(id).filter(|(name, value)| !value.is_empty() && self.kept.contains(name));
        own.map(|(name, value)| (snapshot.symbols.name(name).to_owned(), cut(value, CUT))).collect()
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

/// The elements with this role that would have this name in the index, if they were listed for what a person did to them.
pub fn told(snapshot: &Snapshot, role: &str, name: &str) -> Vec<NodeId> {
    let shown = (0..snapshot.nodes.len()).filter(|id| {
        let node = snapshot.node(*id);
        node.kind == Kind::Element && !node.flags.has(Flags::HIDDEN) && role::of(snapshot, *id) == role
    });
    shown.filter(|id| text::same_name(&listed_name(snapshot, *id, role, Affordance::Click), name)).collect()
}

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
