//! Making selectors: each finds the element and nothing else at the time it is made.

use std::cell::OnceCell;

use super::resolve::test_id_symbols;
use super::{Paths, link_path, parse, resolve, resolve_parsed};
use crate::element::{Element, Usable};
use crate::snapshot::{Kind, NodeId, QuickMap, Snapshot, Symbol, sym};
use crate::text::{looks_generated, normalise};

/// Values longer than this make no selector.
const VALUE_LIMIT: usize = 200;

/// Makes selectors for the entries of one snapshot.
pub struct Maker<'a> {
    snapshot: &'a Snapshot,
    test_ids: Vec<Symbol>,
    counts: OnceCell<Counts<'a>>,
    /// How many rendered entries have this role and name, by a hash of both; and the hash of each entry, 0 for the unnamed.
    names: OnceCell<(QuickMap<u64, u32>, Vec<u64>)>,
    elements: &'a [Element],
    nodes: &'a [NodeId],
}

/// How often each value occurs.
#[derive(Default)]
struct Counts<'a> {
    test_ids: QuickMap<&'a str, u32>,
    ids: QuickMap<&'a str, u32>,
    names: QuickMap<&'a str, u32>,
    links: QuickMap<&'a str, u32>,
}

/// Every selector of a node, best first.
pub fn make(
    snapshot: &Snapshot,
    elements: &[Element],
    nodes: &[NodeId],
    node: NodeId,
    test_ids: &[String],
) -> Vec<String> {
    Maker::new(snapshot, elements, nodes, test_ids).all(node)
}

impl<'a> Maker<'a> {
    /// For one snapshot and its entries; `nodes[i]` is the node of `elements[i]`.
    pub fn new(
        snapshot: &'a Snapshot,
        elements: &'a [Element],
        nodes: &'a [NodeId],
        test_ids: &[String],
    ) -> Self {
        let test_ids = test_id_symbols(snapshot, test_ids);
        Self { snapshot, test_ids, counts: OnceCell::new(), names: OnceCell::new(), elements, nodes }
    }

    /// The selector to try first.
    pub fn first(&self, node: NodeId) -> String {
        self.by_value(node).next().unwrap_or_else(|| format!("xpath={}", Paths::new(self.snapshot).of(node)))
    }

    /// Every selector, best first: test id, role and name, id, form name, link, CSS, XPath.
    pub fn all(&self, node: NodeId) -> Vec<String> {
        let mut all: Vec<String> = self.by_value(node).collect();
        all.extend(self.css(node));
        all.push(format!("xpath={}", Paths::new(self.snapshot).of(node)));
        all
    }

    fn by_value(&self, node: NodeId) -> impl Iterator<Item = String> + '_ {
        let steps: [fn(&Self, NodeId) -> Option<String>; 5] =
            [Self::test_id, Self::role_name, Self::id, Self::form_name, Self::link];
        steps.into_iter().filter_map(move |step| step(self, node))
    }

    fn test_id(&self, node: NodeId) -> Option<String> {
        let value = self
            .test_ids
            .iter()
            .find_map(|name| self.snapshot.attribute(node, *name))
            .filter(|value| fits(value))?;
        (self.counts().test_ids.get(value) == Some(&1)).then(|| format!("testid={value}"))
    }

    fn role_name(&self, node: NodeId) -> Option<String> {
        let place = self.nodes.binary_search(&node).ok()?;
        let element = self.elements.get(place)?;
        if !fits(&element.name) {
            return None;
        }
        let (counts, keys) = self.names();
        let unique = keys.get(place).is_some_and(|key| *key != 0 && counts.get(key) == Some(&1));
        unique.then(|| format!("role={}[name=\"{}\"]", element.role, escape(&element.name)))
    }

    fn id(&self, node: NodeId) -> Option<String> {
        let value =
            self.snapshot.attribute(node, sym::ID).filter(|value| fits(value) && !looks_generated(value))?;
        (self.counts().ids.get(value) == Some(&1)).then(|| format!("id={value}"))
    }

    fn form_name(&self, node: NodeId) -> Option<String> {
        let value = self
            .snapshot
            .attribute(node, sym::NAME)
            .filter(|value| fits(value) && !looks_generated(value))?;
        (self.counts().names.get(value) == Some(&1)).then(|| format!("name={value}"))
    }

    fn link(&self, node: NodeId) -> Option<String> {
        let href = self
            .snapshot
            .attribute(node, sym::HREF)
            .or_else(|| self.snapshot.attribute(node, sym::XLINK_HREF))?;
        let path = link_path(href).filter(|path| fits(path))?;
        (self.counts().links.get(path) == Some(&1)).then(|| format!("link={path}"))
    }

    fn counts(&self) -> &Counts<'a> {
        self.counts.get_or_init(|| {
            let mut counts = Counts::default();
            for id in
                (0..self.snapshot.nodes.len()).filter(|id| self.snapshot.node(*id).kind == Kind::Element)
            {
                let mut own_test_id = None;
                for (name, value) in self.snapshot.attributes_of(id) {
                    let table = match name {
                        sym::ID => &mut counts.ids,
                        sym::NAME => &mut counts.names,
                        sym::HREF | sym::XLINK_HREF => {
                            if let Some(path) = link_path(value) {
                                *counts.links.entry(path).or_default() += 1;
                            }
                            continue;
                        }
                        _ if self.test_ids.contains(&name) && own_test_id != Some(value) => {
                            own_test_id = Some(value);
                            &mut counts.test_ids
                        }
                        _ => continue,
                    };
                    *table.entry(value).or_default() += 1;
                }
            }
            counts
        })
    }

    fn names(&self) -> &(QuickMap<u64, u32>, Vec<u64>) {
        self.names.get_or_init(|| {
            let keys: Vec<u64> =
                self.elements.iter().map(|element| key(&element.role, &element.name)).collect();
            let mut counts = QuickMap::default();
            for (element, key) in self.elements.iter().zip(&keys) {
                if element.usable != Usable::Hidden && *key != 0 {
                    *counts.entry(*key).or_default() += 1;
                }
            }
            (counts, keys)
        })
    }

    /// A short CSS selector: the element by itself, else below an ancestor that has a stable mark of its own.
    fn css(&self, node: NodeId) -> Option<String> {
        let snapshot = self.snapshot;
        let mut prefix = String::new();
        let root = snapshot.root_of(node);
        if snapshot.node(root).kind == Kind::Shadow {
            let host = snapshot.parent(root)?;
            let outer = self.css(host)?;
            prefix = format!("{}{}", outer.strip_prefix("css=")?, super::SHADOW);
        }
        let own = marks(snapshot, node);
        for mark in &own {
            let selector = format!("css={prefix}{mark}");
            if self.is_only(&selector, node) {
                return Some(selector);
            }
        }
        let tail = own.into_iter().next_back()?;
        for up in snapshot.ancestors(node).take_while(|up| *up != root).take(12) {
            for mark in marks(snapshot, up).into_iter().filter(|mark| mark.contains(['#', '.', '['])) {
                let selector = format!("css={prefix}{mark} {tail}");
                if self.is_only(&selector, node) {
                    return Some(selector);
                }
            }
        }
        None
    }

    fn is_only(&self, selector: &str, node: NodeId) -> bool {
        parse(selector).and_then(|parsed| resolve_parsed(self.snapshot, &parsed, &[])) == Some(vec![node])
            && resolve(self.snapshot, selector, &[]).len() == 1
    }
}

/// A hash of role and normalised name, 0 for the unnamed.
fn key(role: &str, name: &str) -> u64 {
    let name = normalise(name);
    if name.is_empty() {
        return 0;
    }
    let bytes = role.bytes().chain([0xFF]).chain(name.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn fits(value: &str) -> bool {
    !value.trim().is_empty() && value.len() <= VALUE_LIMIT && !value.contains(['\n', '\r'])
}

fn escape(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Ways to write one element in CSS, most telling first, its bare tag last.
fn marks(snapshot: &Snapshot, id: NodeId) -> Vec<String> {
    let tag = snapshot.tag(id);
    if !tag.chars().all(|at| at.is_ascii_alphanumeric() || at == '-') || tag.is_empty() {
        return Vec::new();
    }
    let mut marks = Vec::new();
    let stable = |value: &str| fits(value) && value.len() <= 80 && !looks_generated(value);
    if let Some(own) = snapshot.attribute(id, sym::ID).filter(|value| stable(value)) {
        marks.push(format!("{tag}{}", identifier('#', "id", own)));
    }
    for (name, text) in [
        (sym::NAME, "name"),
        (sym::ARIA_LABEL, "aria-label"),
        (sym::PLACEHOLDER, "placeholder"),
        (sym::TITLE, "title"),
        (sym::ALT, "alt"),
        (sym::TYPE, "type"),
        (sym::ROLE, "role"),
    ] {
        if let Some(value) = snapshot.attribute(id, name).filter(|value| stable(value)) {
            marks.push(format!("{tag}[{text}=\"{}\"]", escape(value)));
        }
    }
    let classes: Vec<&str> = snapshot
        .attribute(id, sym::CLASS)
        .unwrap_or_default()
        .split_ascii_whitespace()
        .filter(|class| stable(class) && is_plain(class))
        .take(3)
        .collect();
    for class in &classes {
        marks.push(format!("{tag}.{class}"));
    }
    if classes.len() > 1 {
        marks.push(format!("{tag}.{}", classes.join(".")));
    }
    marks.push(tag.to_owned());
    marks
}

/// True where a value can stand in a selector without escapes.
fn is_plain(value: &str) -> bool {
    value.starts_with(|at: char| at.is_ascii_alphabetic() || at == '_')
        && value.chars().all(|at| at.is_ascii_alphanumeric() || matches!(at, '-' | '_'))
}

fn identifier(sign: char, attribute: &str, value: &str) -> String {
    if is_plain(value) { format!("{sign}{value}") } else { format!("[{attribute}=\"{}\"]", escape(value)) }
}
