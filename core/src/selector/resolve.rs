//! Resolving selectors over a snapshot.

use super::{css, link_path, path};
use crate::snapshot::{Flags, Kind, NodeId, Snapshot, Symbol, sym};
use crate::{name, role, text};

/// Goes on in the shadow root of what stands before it.
pub const SHADOW: &str = " >> ";

/// A selector, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed<'a> {
    /// The value of a test id attribute.
    TestId(&'a str),
    /// A role, and a name where one is demanded.
    Role {
        /// Role.
        role: &'a str,
        /// Name, quotes and escapes resolved.
        name: Option<String>,
    },
    /// The value of `id`.
    Id(&'a str),
    /// The value of `name`.
    Name(&'a str),
    /// Path and query of a link.
    Link(&'a str),
    /// CSS, one selector for each tree.
    Css(Vec<&'a str>),
    /// XPath, one path for each tree.
    XPath(Vec<&'a str>),
}

/// Takes a selector apart; `None` where it has no kind that we know. A bare `/…` is taken for XPath, other bare text for CSS.
pub fn parse(selector: &str) -> Option<Parsed<'_>> {
    let selector = selector.trim();
    if selector.is_empty() {
        return None;
    }
    if selector.starts_with('/') || selector.starts_with("(/") {
        return Some(Parsed::XPath(selector.split(SHADOW).collect()));
    }
    let (kind, value) = selector.split_once('=')?;
    Some(match kind {
        "testid" => Parsed::TestId(value),
        "role" => parse_role(value)?,
        "id" => Parsed::Id(value),
        "name" => Parsed::Name(value),
        "link" => Parsed::Link(value),
        "css" => Parsed::Css(value.split(SHADOW).collect()),
        "xpath" => Parsed::XPath(value.split(SHADOW).collect()),
        _ => return Some(Parsed::Css(selector.split(SHADOW).collect())),
    })
}

fn parse_role(value: &str) -> Option<Parsed<'_>> {
    let Some((role, rest)) = value.split_once('[') else {
        return Some(Parsed::Role { role: value.trim(), name: None });
    };
    let quoted = rest.trim_end().strip_suffix(']')?.trim().strip_prefix("name=")?.trim();
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut name = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        name.push(if character == '\\' { characters.next()? } else { character });
    }
    Some(Parsed::Role { role: role.trim(), name: Some(name) })
}

/// The elements that a selector hits, in document order. What cannot be read hits nothing.
pub fn resolve(snapshot: &Snapshot, selector: &str, test_ids: &[String]) -> Vec<NodeId> {
    parse(selector)
        .map_or_else(Vec::new, |parsed| resolve_parsed(snapshot, &parsed, test_ids).unwrap_or_default())
}

/// As [`resolve`]; `None` where the CSS or XPath is more than this module understands.
pub fn resolve_parsed(snapshot: &Snapshot, parsed: &Parsed<'_>, test_ids: &[String]) -> Option<Vec<NodeId>> {
    match parsed {
        Parsed::TestId(value) => {
            let names = test_id_symbols(snapshot, test_ids);
            Some(where_attribute(snapshot, |name, own| own == *value && names.contains(&name)))
        }
        Parsed::Id(value) => Some(snapshot.all_by_id(value).collect()),
        Parsed::Name(value) => {
            Some(where_attribute(snapshot, |name, own| name == sym::NAME && own == *value))
        }
        Parsed::Link(value) => Some(where_attribute(snapshot, |name, own| {
            matches!(name, sym::HREF | sym::XLINK_HREF) && link_path(own) == Some(*value)
        })),
        Parsed::Role { role, name } => Some(by_role(snapshot, role, name.as_deref())),
        Parsed::Css(parts) => through(snapshot, parts, |root, part| css::query(snapshot, root, part)),
        Parsed::XPath(parts) => through(snapshot, parts, |root, part| path::follow(snapshot, root, part)),
    }
}

/// The symbols of the test id attributes: the configured ones, or the usual ones.
pub(super) fn test_id_symbols(snapshot: &Snapshot, test_ids: &[String]) -> Vec<Symbol> {
    if test_ids.is_empty() {
        return vec![sym::DATA_TESTID, sym::DATA_TEST_ID, sym::DATA_TEST, sym::DATA_CY, sym::DATA_QA];
    }
    test_ids.iter().filter_map(|name| snapshot.symbols.find(name)).collect()
}

fn where_attribute(snapshot: &Snapshot, holds: impl Fn(Symbol, &str) -> bool) -> Vec<NodeId> {
    let elements = (0..snapshot.nodes.len()).filter(|id| snapshot.node(*id).kind == Kind::Element);
    elements.filter(|id| snapshot.attributes_of(*id).any(|(name, value)| holds(name, value))).collect()
}

fn by_role(snapshot: &Snapshot, wanted: &str, wanted_name: Option<&str>) -> Vec<NodeId> {
    let elements = (0..snapshot.nodes.len()).filter(|id| {
        let node = snapshot.node(*id);
        node.kind == Kind::Element && !node.flags.has(Flags::HIDDEN)
    });
    elements
        .filter(|id| role::of(snapshot, *id) == wanted)
        .filter(|id| wanted_name.is_none_or(|wanted| text::same_name(&name::of(snapshot, *id), wanted)))
        .collect()
}

/// Looks in the document with the first part, then in the shadow roots of what was found with the next.
fn through(
    snapshot: &Snapshot,
    parts: &[&str],
    find: impl Fn(NodeId, &str) -> Option<Vec<NodeId>>,
) -> Option<Vec<NodeId>> {
    let mut roots = vec![0];
    let mut found = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            roots = found.iter().filter_map(|host| snapshot.shadow_root(*host)).collect();
        }
        found = Vec::new();
        for root in &roots {
            found.extend(find(*root, part.trim())?);
        }
    }
    Some(found)
}
