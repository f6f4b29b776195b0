//! What tells an element from its twins: the heading above it, the key of its row, the text around it.

use super::{CUT, column, cut};
use crate::name;
use crate::role;
use crate::snapshot::{Flags, Kind, NodeId, QuickMap, Snapshot, sym};

/// True for headings, legends and captions that are rendered.
pub(super) fn is_heading(snapshot: &Snapshot, id: NodeId) -> bool {
    let node = snapshot.node(id);
    if node.kind != Kind::Element || node.flags.has(Flags::HIDDEN) {
        return false;
    }
    match node.tag {
        sym::H1 | sym::H2 | sym::H3 | sym::H4 | sym::H5 | sym::H6 => role::of(snapshot, id) == "heading",
        sym::LEGEND | sym::CAPTION => true,
        _ => role::written(snapshot, id) == Some("heading"),
    }
}

/// All headings with their texts, in document order, those without text apart.
pub(super) fn headings(snapshot: &Snapshot) -> Vec<(NodeId, String)> {
    snapshot
        .sought()
        .filter(|id| is_heading(snapshot, *id))
        .map(|id| (id, name::content(snapshot, id)))
        .filter(|(_, text)| !name::is_unreadable(text))
        .collect()
}

/// Finds row keys, headings and texts beside elements of one snapshot.
pub struct Besides<'a> {
    snapshot: &'a Snapshot,
    headings: Vec<(NodeId, String)>,
    rows: QuickMap<NodeId, Option<String>>,
}

impl<'a> Besides<'a> {
    /// For one snapshot.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, headings: headings(snapshot), rows: QuickMap::default() }
    }

    /// The nearest heading, legend or caption before the element that does not hold it.
    pub fn heading(&self, id: NodeId) -> Option<String> {
        let before = self.headings.partition_point(|(heading, _)| *heading < id);
        let (_, text) = self.headings[..before]
            .iter()
            .rev()
            .find(|(heading, _)| !self.snapshot.contains(*heading, id))?;
        Some(cut(text, CUT))
    }

    /// The key of its table row or list item: the row header, else the first cell or line that is no control.
    pub fn row_key(&mut self, id: NodeId, own_name: &str) -> Option<String> {
        let snapshot = self.snapshot;
        let row = snapshot.flat_ancestors(id).find(|up| is_row(snapshot, *up))?;
        let key = self.rows.entry(row).or_insert_with(|| key_of(snapshot, row)).clone()?;
        // The key is no evidence where it is the element itself.
        (key != own_name).then_some(key)
    }

    /// Text of the nearest ancestor that shows more than the element itself, without the element's own; of a field that is alone in
    /// a table's cell, the header of its column too.
    pub fn beside(&self, id: NodeId) -> Option<String> {
        let snapshot = self.snapshot;
        let mut up = snapshot.flat_parent(id);
        let mut column = None;
        while let Some(at) = up {
            if matches!(snapshot.node(at).tag, sym::BODY | sym::HTML) {
                break;
            }
            if column.is_none() && is_row(snapshot, at) {
                column = column::header(snapshot, id);
            }
            let text = text_without(snapshot, at, id);
            if !name::is_unreadable(&text) {
                return Some(match column {
                    Some(header) => cut(&format!("{header} {text}"), CUT),
                    None => text,
                });
            }
            up = snapshot.flat_parent(at);
        }
        column
    }
}

/// See [`Besides::heading`].
pub fn heading(snapshot: &Snapshot, id: NodeId) -> Option<String> {
    Besides::new(snapshot).heading(id)
}

/// See [`Besides::beside`].
pub fn beside(snapshot: &Snapshot, id: NodeId) -> Option<String> {
    Besides { snapshot, headings: Vec::new(), rows: QuickMap::default() }.beside(id)
}

fn is_row(snapshot: &Snapshot, id: NodeId) -> bool {
    let node = snapshot.node(id);
    match node.tag {
        sym::TR | sym::LI => true,
        _ => {
            node.kind == Kind::Element
                && matches!(role::written(snapshot, id), Some("row" | "listitem" | "option" | "treeitem"))
        }
    }
}

fn key_of(snapshot: &Snapshot, row: NodeId) -> Option<String> {
    let cells: Vec<NodeId> =
        snapshot.children(row).filter(|child| snapshot.node(*child).kind == Kind::Element).collect();
    let header = cells.iter().find(|cell| role::of(snapshot, **cell) == "rowheader");
    let is_cell = |cell: NodeId| matches!(role::of(snapshot, cell), "cell" | "gridcell");
    if header.is_some() || cells.iter().any(|cell| is_cell(*cell)) {
        let text =
            header.map(|cell| name::content(snapshot, *cell)).filter(|text| !name::is_unreadable(text));
        return text
            .or_else(|| {
                cells.iter().map(|cell| plain_text(snapshot, *cell)).find(|text| !name::is_unreadable(text))
            })
            .map(|text| cut(&text, CUT));
    }
    // A list item is told by its heading, else by the first line of it that is no control.
    let heading = snapshot.subtree(row).skip(1).find(|inner| is_heading(snapshot, *inner));
    let text = heading.map_or_else(|| first_line(snapshot, row), |heading| name::content(snapshot, heading));
    (!name::is_unreadable(&text)).then(|| cut(&text, CUT))
}

/// The text of a cell without that of controls in it; a link counts, since it often is the row's name.
fn plain_text(snapshot: &Snapshot, id: NodeId) -> String {
    gather(snapshot, id, |inner| is_control(snapshot, inner), CUT)
}

/// The first text of a list item that is no control's.
fn first_line(snapshot: &Snapshot, row: NodeId) -> String {
    let end = snapshot.subtree(row).end;
    let mut at = row + 1;
    let mut line = String::new();
    while at < end {
        let node = snapshot.node(at);
        match node.kind {
            Kind::Element if is_control(snapshot, at) || node.flags.has(Flags::HIDDEN) => {
                at = node.end as usize;
                continue;
            }
            Kind::Element if is_block(snapshot, at) && !line.trim().is_empty() => break,
            Kind::Text => line.push_str(snapshot.text(at)),
            _ => {}
        }
        at += 1;
    }
    cut(&name::collapse(&line), CUT)
}

fn is_block(snapshot: &Snapshot, id: NodeId) -> bool {
    matches!(
        snapshot.flags(id).display(),
        crate::snapshot::Display::Block | crate::snapshot::Display::TableCell
    )
}

fn is_control(snapshot: &Snapshot, id: NodeId) -> bool {
    matches!(snapshot.node(id).tag, sym::BUTTON | sym::INPUT | sym::SELECT | sym::TEXTAREA)
        || matches!(
            role::written(snapshot, id),
            Some("button" | "checkbox" | "switch" | "menuitem" | "combobox" | "textbox")
        )
}

fn text_without(snapshot: &Snapshot, ancestor: NodeId, without: NodeId) -> String {
    gather(snapshot, ancestor, |inner| inner == without, CUT)
}

/// The visible text below a node, at most `limit` characters.
pub fn visible_text(snapshot: &Snapshot, id: NodeId, limit: usize) -> String {
    gather(snapshot, id, |_| false, limit)
}

/// The visible text below a node, at most `limit` characters, without the subtrees that `skip` names.
fn gather(snapshot: &Snapshot, id: NodeId, skip: impl Fn(NodeId) -> bool, limit: usize) -> String {
    let end = snapshot.subtree(id).end;
    let mut at = id + 1;
    let mut out = String::new();
    while at < end && out.len() < limit.saturating_mul(4) {
        let node = snapshot.node(at);
        if node.flags.has(Flags::GAP_BEFORE) {
            out.push(' ');
        }
        match node.kind {
            Kind::Element => {
                if skip(at)
                    || node.flags.has(Flags::HIDDEN)
                    || matches!(node.tag, sym::SELECT | sym::DATALIST)
                {
                    at = node.end as usize;
                    continue;
                }
                if is_block(snapshot, at) || node.tag == sym::BR {
                    out.push(' ');
                }
            }
            Kind::Text => {
                let shown = !node.flags.has(Flags::HIDDEN)
                    && !snapshot
                        .parent(at)
                        .is_some_and(|holder| snapshot.flags(holder).has(Flags::INVISIBLE));
                if shown {
                    out.push_str(snapshot.text(at));
                    // Where a cell or a block ends, the next text stands apart.
                    if snapshot.parent(at).is_some_and(|holder| is_block(snapshot, holder)) {
                        out.push(' ');
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    cut(&name::collapse(&out), limit)
}
