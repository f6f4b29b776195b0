//! Puts the trees of a page together: shadow roots below their hosts, generated content before and after its element's own.

use super::{Pages, Tree};
use crate::snapshot::{Flags, Kind, NONE, Node, Snapshot, Span};

/// What comes in between the nodes of a tree.
enum Insert {
    Root(usize, Flags),
    Generated(Kind, Span, Flags),
}

pub(super) fn whole(pages: Pages) -> Snapshot {
    let Pages { mut snapshot, mut trees, .. } = pages;
    let plain = trees.len() == 1 && trees[0].generated.is_empty();
    let attributes = trees.iter().map(|tree| tree.attributes.len()).sum();
    if plain {
        let tree = trees.swap_remove(0);
        snapshot.nodes = tree.nodes;
        snapshot.attributes = tree.attributes;
        return snapshot;
    }
    snapshot.attributes.reserve(attributes);
    if !trees.is_empty() {
        emit(&mut snapshot, &mut trees, 0, NONE, 0);
    }
    snapshot
}

/// How deep shadow roots may lie in one another.
const DEEPEST: usize = 100;

/// Writes a tree whose topmost nodes hang on `parent`.
fn emit(snapshot: &mut Snapshot, trees: &mut [Tree], at: usize, parent: u32, depth: usize) {
    let Tree { nodes, attributes, generated, roots, first_place, .. } = std::mem::take(&mut trees[at]);
    let first_attribute = snapshot.attributes.len() as u32;
    snapshot.attributes.extend(attributes);
    let mut inserts: Vec<(u32, bool, Insert)> =
        roots.into_iter().map(|(host, tree, flags)| (host, false, Insert::Root(tree, flags))).collect();
    inserts.extend(generated.into_iter().map(|(node, after, text, flags)| {
        let kind = if after { Kind::After } else { Kind::Before };
        (node, after, Insert::Generated(kind, text, flags))
    }));
    // A root comes before generated content: it is the first child of its host.
    crate::order::sort_by_key(&mut inserts, |(node, after, _)| (*node, *after));
    let (mut first, mut last): (Vec<_>, Vec<_>) = inserts.into_iter().partition(|(_, after, _)| !after);
    first.reverse();
    last.reverse();
    // Elements that end with generated content and are still open: (their end here, their node there, what comes).
    let mut closing: Vec<(u32, u32, Insert)> = Vec::new();
    let mut moved: Vec<u32> = Vec::with_capacity(nodes.len());
    for (id, mut node) in nodes.into_iter().enumerate() {
        while closing.last().is_some_and(|(end, ..)| *end as usize <= id) {
            close(snapshot, &mut closing);
        }
        let end = node.end;
        let place = snapshot.nodes.len() as u32;
        moved.push(place);
        node.parent = if node.parent == NONE { parent } else { moved[node.parent as usize] };
        node.first_attribute += first_attribute;
        if node.place != NONE {
            node.place += first_place;
        }
        snapshot.nodes.push(node);
        while first.last().is_some_and(|(host, ..)| *host as usize == id) {
            let Some((.., insert)) = first.pop() else { break };
            match insert {
                Insert::Root(tree, flags) if depth < DEEPEST && tree < trees.len() => {
                    let root = snapshot.nodes.len() as u32;
                    snapshot.nodes.push(Node::new(Kind::Shadow, place, 0, flags));
                    emit(snapshot, trees, tree, root, depth + 1);
                }
                Insert::Root(..) => {}
                Insert::Generated(kind, text, flags) => push_text(snapshot, kind, place, text, flags),
            }
        }
        if last.last().is_some_and(|(node, ..)| *node as usize == id)
            && let Some((.., insert)) = last.pop()
        {
            closing.push((end, place, insert));
        }
    }
    while !closing.is_empty() {
        close(snapshot, &mut closing);
    }
    if depth == 0 {
        snapshot.seal();
    }
}

fn close(snapshot: &mut Snapshot, closing: &mut Vec<(u32, u32, Insert)>) {
    if let Some((_, place, Insert::Generated(kind, text, flags))) = closing.pop() {
        push_text(snapshot, kind, place, text, flags);
    }
}

fn push_text(snapshot: &mut Snapshot, kind: Kind, parent: u32, text: Span, flags: Flags) {
    let mut node = Node::new(kind, parent, 0, flags);
    node.text = text;
    snapshot.nodes.push(node);
}
