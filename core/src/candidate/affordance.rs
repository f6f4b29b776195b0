//! Which elements a person can act on: native controls, widget roles, what can be focused or edited, and what only its
//! cursor or a handler attribute gives away.

use std::ops::Range;

use crate::role;
use crate::snapshot::{Flags, Kind, NodeId, Snapshot, sym};

/// Why an element is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affordance {
    /// It is a control by tag, role, focus or editing.
    Control,
    /// Only the cursor or a handler attribute says that it can be clicked.
    Click,
}

/// Every candidate in document order.
pub fn find(snapshot: &Snapshot) -> Vec<(NodeId, Affordance)> {
    let mut search = Search::default();
    for id in 0..snapshot.nodes.len() {
        search.visit(snapshot, id);
    }
    drop_wrappers(snapshot, search.found)
}

/// Candidates of a page of which parts were read anew. `known` are those that were found outside of the parts before: of them
/// only what is around a part can have changed.
pub fn find_again(
    snapshot: &Snapshot,
    known: Vec<(NodeId, Affordance)>,
    parts: &[Range<NodeId>],
) -> Vec<(NodeId, Affordance)> {
    let mut again: Vec<NodeId> = Vec::new();
    for part in parts {
        again.extend(part.clone());
        // Of a part that is empty now, what is before it tells what is around it.
        let mut up = if part.is_empty() { part.start.checked_sub(1) } else { snapshot.parent(part.start) };
        while let Some(around) = up {
            again.push(around);
            up = snapshot.parent(around);
        }
    }
    crate::order::sort(&mut again);
    again.dedup();
    let mut search = Search::default();
    for id in &again {
        search.visit(snapshot, *id);
    }
    let mut found = Vec::with_capacity(known.len() + search.found.len());
    let (mut came, mut again) = (search.found.into_iter().peekable(), again.into_iter().peekable());
    for entry in known {
        while again.next_if(|id| *id < entry.0).is_some() {}
        if again.peek() == Some(&entry.0) {
            continue;
        }
        while let Some(before) = came.next_if(|(id, _)| *id < entry.0) {
            found.push(before);
        }
        found.push(entry);
    }
    found.extend(came);
    drop_wrappers(snapshot, found)
}

/// Goes through a page in document order.
#[derive(Default)]
struct Search {
    found: Vec<(NodeId, Affordance)>,
    /// Where the subtree of the nearest control around the present node ends: inside it a hand cursor says nothing new.
    control_end: usize,
    editor_end: usize,
}

impl Search {
    fn visit(&mut self, snapshot: &Snapshot, id: NodeId) {
        let node = snapshot.node(id);
        if node.kind != Kind::Element || is_mere_text(snapshot, id) {
            return;
        }
        if node.flags.has(Flags::HIDDEN) && !is_hidden_control(snapshot, id) {
            return;
        }
        let in_editor = id < self.editor_end;
        if is_control(snapshot, id) && (!in_editor || is_field(snapshot, id)) {
            self.found.push((id, Affordance::Control));
            self.control_end = self.control_end.max(node.end as usize);
        } else if id >= self.control_end && !in_editor && is_clickable(snapshot, id) {
            self.found.push((id, Affordance::Click));
        }
        if !in_editor && role::is_editing_host(snapshot, id) {
            self.editor_end = node.end as usize;
        }
    }
}

/// True where neither tag nor cursor nor any attribute speaks for use: most elements of most pages.
fn is_mere_text(snapshot: &Snapshot, id: NodeId) -> bool {
    let node = snapshot.node(id);
    let plain = matches!(
        node.tag,
        sym::DIV
            | sym::SPAN
            | sym::P
            | sym::B
            | sym::I
            | sym::EM
            | sym::STRONG
            | sym::LI
            | sym::UL
            | sym::TR
            | sym::TBODY
            | sym::SECTION
            | sym::SMALL
    ) || matches!(
        node.tag,
        sym::LABEL | sym::TABLE | sym::H1 | sym::H2 | sym::H3 | sym::H4 | sym::PATH | sym::G | sym::BR
    );
    plain
        && !node.flags.has(Flags::POINTER)
        && snapshot.attributes_of(id).all(|(name, _)| {
            matches!(name, sym::CLASS | sym::ID | sym::FOR | sym::TITLE | sym::LANG | sym::DIR)
        })
}

/// Puts nodes among the candidates that nothing but a person's act says can be acted on.
pub fn adopt(found: &mut Vec<(NodeId, Affordance)>, adopted: &[NodeId]) {
    for id in adopted.iter().copied() {
        if let Err(place) = found.binary_search_by_key(&id, |(known, _)| *known) {
            found.insert(place, (id, Affordance::Click));
        }
    }
}

/// Controls that are often hidden behind drawn ones, and are what a person means all the same.
fn is_hidden_control(snapshot: &Snapshot, id: NodeId) -> bool {
    snapshot.is(id, sym::INPUT) && matches!(role::input_type(snapshot, id), "checkbox" | "radio" | "file")
}

fn is_field(snapshot: &Snapshot, id: NodeId) -> bool {
    matches!(snapshot.node(id).tag, sym::INPUT | sym::SELECT | sym::TEXTAREA | sym::BUTTON)
}

fn is_control(snapshot: &Snapshot, id: NodeId) -> bool {
    // Its author took the role away, and nobody can use it.
    if role::written(snapshot, id) == Some("none") && role::of(snapshot, id) == "none" {
        return false;
    }
    if role::is_natively_interactive(snapshot, id) || role::is_editing_host(snapshot, id) {
        return true;
    }
    let node = snapshot.node(id);
    if node.tag == sym::OPTION {
        // Options of an open list have boxes of their own; those of a closed select belong to it.
        let list = snapshot.ancestors(id).find(|up| snapshot.is(*up, sym::SELECT));
        return list.is_some_and(|list| role::of(snapshot, list) == "listbox");
    }
    if matches!(node.tag, sym::EMBED | sym::OBJECT) {
        return snapshot.has_attribute(id, sym::TYPE)
            || snapshot.has_attribute(id, sym::SRC)
            || snapshot.has_attribute(id, sym::DATA);
    }
    if matches!(node.tag, sym::TD | sym::TH)
        && role::of(snapshot, id) == "gridcell"
        && role::is_focusable(snapshot, id)
    {
        return true;
    }
    let focusable = snapshot.attribute(id, sym::TABINDEX).and_then(|index| index.trim().parse::<i32>().ok());
    match role::written(snapshot, id) {
        // A cell with any tabindex can have the focus: grids move it from cell to cell, and sort by their headers.
        Some("scrollbar" | "gridcell" | "columnheader" | "rowheader") => focusable.is_some(),
        Some(
            "row" | "cell" | "separator" | "listbox" | "grid" | "treegrid" | "tree" | "tablist" | "menu"
            | "menubar",
        ) => focusable.is_some_and(|index| index >= 0),
        Some(role) if role::is_widget(role) => true,
        _ => focusable.is_some_and(|index| index >= 0) && !matches!(node.tag, sym::BODY | sym::HTML),
    }
}

/// True where a handler attribute or the cursor says so, and the element is no mere container of such.
fn is_clickable(snapshot: &Snapshot, id: NodeId) -> bool {
    let node = snapshot.node(id);
    if matches!(node.tag, sym::HTML | sym::BODY | sym::SLOT)
        || node.tag == sym::LABEL && is_label_of_control(snapshot, id)
    {
        return false;
    }
    let handled = snapshot.attributes_of(id).any(|(name, value)| match name {
        sym::ONCLICK
        | sym::ONDBLCLICK
        | sym::ONMOUSEDOWN
        | sym::ONMOUSEUP
        | sym::ONPOINTERDOWN
        | sym::ONPOINTERUP
        | sym::ONTOUCHSTART
        | sym::NG_CLICK
        | sym::JSACTION => !value.is_empty(),
        sym::DRAGGABLE => value == "true",
        _ => false,
    });
    handled && !is_list_like(snapshot, id) || is_topmost_pointer(snapshot, id)
}

fn is_label_of_control(snapshot: &Snapshot, id: NodeId) -> bool {
    snapshot.labelled_control(id).is_some()
}

fn is_list_like(snapshot: &Snapshot, id: NodeId) -> bool {
    matches!(
        snapshot.node(id).tag,
        sym::UL
            | sym::OL
            | sym::MENU
            | sym::DL
            | sym::TABLE
            | sym::TBODY
            | sym::THEAD
            | sym::MAIN
            | sym::BODY
            | sym::HTML
            | sym::FORM
    )
}

/// The cursor becomes a hand here and was none outside; of a list it is each item that counts, never the list.
fn is_topmost_pointer(snapshot: &Snapshot, id: NodeId) -> bool {
    let flags = snapshot.flags(id);
    if !flags.has(Flags::POINTER) || flags.has(Flags::INVISIBLE) || is_list_like(snapshot, id) {
        return false;
    }
    match snapshot.flat_parent(id) {
        Some(parent) if snapshot.flags(parent).has(Flags::POINTER) => {
            is_list_like(snapshot, parent)
                || snapshot.is(parent, sym::LABEL) && !is_label_of_control(snapshot, parent)
        }
        _ => true,
    }
}

/// Takes out clickable wrappers that show nothing but the one control in them.
fn drop_wrappers(snapshot: &Snapshot, found: Vec<(NodeId, Affordance)>) -> Vec<(NodeId, Affordance)> {
    let keep: Vec<bool> = found
        .iter()
        .enumerate()
        .map(|(at, (id, affordance))| {
            if *affordance == Affordance::Control {
                return true;
            }
            let end = snapshot.subtree(*id).end;
            let mut inside = found[at + 1..]
                .iter()
                .take_while(|(inner, _)| *inner < end)
                .filter(|(_, kind)| *kind == Affordance::Control);
            let (Some((only, _)), None) = (inside.next(), inside.next()) else { return true };
            snapshot.has_attribute(*id, sym::ONCLICK) || !is_all_of(snapshot, *id, *only)
        })
        .collect();
    found.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(entry, _)| entry).collect()
}

/// True where `outer` has no text outside of `inner`.
fn is_all_of(snapshot: &Snapshot, outer: NodeId, inner: NodeId) -> bool {
    snapshot.subtree(outer).all(|id| {
        snapshot.node(id).kind != Kind::Text
            || snapshot.contains(inner, id)
            || snapshot.labels(inner).any(|label| snapshot.contains(label, id))
    })
}
