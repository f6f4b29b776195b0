//! Tables of a snapshot that are made when first asked for, and follow it when a part of it is read anew.

use std::ops::Range;

use super::{Flags, Kind, NodeId, QuickMap, Snapshot, sym};

/// Bits of what holds for a node because of what is around it.
pub(super) const INERT: u8 = 1;
pub(super) const DISABLED: u8 = 2;
pub(super) const UNTOLD: u8 = 4;
pub(super) const IN_FIELDSET: u8 = 8;

/// More entries than this are sorted with all others; fewer are put where they belong one by one.
const FEW: usize = 64;

/// The tables.
#[derive(Debug, Default)]
pub(super) struct Lookups {
    /// (hash of an id, node), sorted: nodes with one id lie side by side in document order, in any root.
    pub(super) ids: Vec<(u32, u32)>,
    /// (control, label), sorted.
    pub(super) labels: Vec<(u32, u32)>,
    /// What holds for each node because of what is around it.
    pub(super) around: Vec<u8>,
    /// What is looked for all over the page and of which there is little: see `is_sought`.
    pub(super) sought: Vec<u32>,
    /// aria-owns: owned node -> owner.
    pub(super) owners: QuickMap<u32, u32>,
    /// Slot -> the light children assigned to it.
    pub(super) assigned: QuickMap<u32, Vec<u32>>,
    /// Light child -> its slot.
    pub(super) slot_of: QuickMap<u32, u32>,
}

impl Lookups {
    /// All of them, for a page.
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let mut lookups = Self::default();
        let mut labels = Vec::new();
        let mut owning = Vec::new();
        let mut hosts = Vec::new();
        for (id, node) in snapshot.nodes.iter().enumerate() {
            match node.kind {
                Kind::Element => {}
                Kind::Shadow => {
                    hosts.push(node.parent as usize);
                    continue;
                }
                _ => continue,
            }
            if is_sought(snapshot, id) {
                lookups.sought.push(id as u32);
            }
            for (name, value) in snapshot.attributes_of(id) {
                if name == sym::ID && !value.is_empty() {
                    lookups.ids.push((hash(value), id as u32));
                } else if name == sym::ARIA_OWNS {
                    owning.push(id);
                }
            }
            if node.tag == sym::LABEL {
                labels.push(id);
            }
        }
        lookups.ids.sort_unstable();
        for host in hosts {
            assign(snapshot, host, &mut lookups);
        }
        // Lookups by id inside a tree need the ids alone, so a half-built table serves.
        for owner in owning {
            let ids = snapshot.attribute(owner, sym::ARIA_OWNS).unwrap_or_default();
            for id in ids.split_ascii_whitespace() {
                if let Some(owned) = find_id(snapshot, &lookups.ids, owner, id) {
                    lookups.owners.entry(owned as u32).or_insert(owner as u32);
                }
            }
        }
        for label in labels {
            if let Some(control) = labelled(snapshot, &lookups.ids, label) {
                lookups.labels.push((control as u32, label as u32));
            }
        }
        lookups.labels.sort_unstable();
        lookups.around = Vec::with_capacity(snapshot.nodes.len());
        go_around(snapshot, 0..snapshot.nodes.len(), &lookups.slot_of, &mut lookups.around);
        lookups
    }

    /// Those of a page whose nodes `old` are `grown` now; `None` where they have to be made again. `ids` are the hashes of all ids
    /// that are or were in the part.
    pub(super) fn followed(
        mut self,
        page: &Snapshot,
        old: &Range<NodeId>,
        grown: &Range<NodeId>,
        ids: &[u32],
    ) -> Option<Self> {
        let owns = |id: NodeId| page.attributes_of(id).any(|(name, _)| name == sym::ARIA_OWNS);
        if !self.owners.is_empty() || !self.slot_of.is_empty() || grown.clone().any(owns) {
            return None;
        }
        let moved =
            |id: u32| if (id as usize) < old.end { id } else { id - old.end as u32 + grown.end as u32 };
        let is_old = |id: u32| old.contains(&(id as usize));
        self.ids.retain(|(_, node)| !is_old(*node));
        self.labels.retain(|(control, label)| !is_old(*control) && !is_old(*label));
        self.sought.retain(|node| !is_old(*node));
        if old.end != grown.end {
            for node in &mut self.sought {
                *node = moved(*node);
            }
            for (_, node) in &mut self.ids {
                *node = moved(*node);
            }
            for (control, label) in &mut self.labels {
                *control = moved(*control);
                *label = moved(*label);
            }
        }
        let mut came = Vec::new();
        for id in grown.clone() {
            if let Some(own) = page.attribute(id, sym::ID).filter(|own| !own.is_empty()) {
                came.push((hash(own), id as u32));
            }
        }
        insert(&mut self.ids, came);
        let labels = page.labels_of(ids, std::slice::from_ref(grown));
        self.labels.retain(|(_, label)| !labels.contains(&(*label as usize)));
        let inner = grown.clone().filter(|id| page.is(*id, sym::LABEL));
        let labels: Vec<NodeId> = labels.into_iter().chain(inner).collect();
        let pair = |label: &NodeId| Some((labelled(page, &self.ids, *label)? as u32, *label as u32));
        let came = labels.iter().filter_map(pair).collect();
        insert(&mut self.labels, came);
        let at = self.sought.partition_point(|node| (*node as usize) < grown.start);
        let came = grown.clone().filter(|id| is_sought(page, *id)).map(|id| id as u32);
        self.sought.splice(at..at, came);
        let behind = self.around.split_off(old.end);
        self.around.truncate(old.start);
        go_around(page, grown.clone(), &self.slot_of, &mut self.around);
        self.around.extend(behind);
        Some(self)
    }

    /// True where these say the same.
    #[cfg(debug_assertions)]
    pub(super) fn agree(&self, other: &Self) -> bool {
        self.ids == other.ids
            && self.labels == other.labels
            && self.around == other.around
            && self.sought == other.sought
    }
}

impl Snapshot {
    /// Headings, dialogs and what holds frames, and maybe others, in document order.
    pub fn sought(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.lookups().sought.iter().map(|id| *id as usize)
    }

    /// Hashes of the ids in these parts.
    pub fn ids_in(&self, parts: &[Range<NodeId>]) -> Vec<u32> {
        let mut ids = Vec::new();
        for id in parts.iter().cloned().flatten() {
            if let Some(own) = self.attribute(id, sym::ID) {
                ids.push(hash(own));
            }
        }
        ids
    }

    /// Labels outside of these parts that may label something in them: by one of these ids, which come as their hashes, or
    /// because they lie around it.
    pub fn labels_of(&self, ids: &[u32], parts: &[Range<NodeId>]) -> Vec<NodeId> {
        let mut labels = Vec::new();
        let ids: QuickMap<u32, ()> = ids.iter().map(|id| (*id, ())).collect();
        if !ids.is_empty() {
            labels = (0..self.nodes.len())
                .filter(|id| {
                    self.is(*id, sym::LABEL)
                        && self.attribute(*id, sym::FOR).is_some_and(|wanted| ids.contains_key(&hash(wanted)))
                        && !parts.iter().any(|part| part.contains(id))
                })
                .collect();
        }
        for part in parts {
            // Of a part that is empty now, what is before it tells what is around it.
            let mut up = if part.is_empty() { part.start.checked_sub(1) } else { self.parent(part.start) };
            while let Some(around) = up {
                if self.is(around, sym::LABEL) && !labels.contains(&around) {
                    labels.push(around);
                }
                up = self.parent(around);
            }
        }
        labels
    }
}

/// Whether it is, or may be, a heading, holds a frame, or is a dialog.
fn is_sought(snapshot: &Snapshot, id: NodeId) -> bool {
    let node = &snapshot.nodes[id];
    matches!(node.tag, sym::H1 | sym::H2 | sym::H3 | sym::H4 | sym::H5 | sym::H6 | sym::LEGEND | sym::CAPTION)
        || matches!(node.tag, sym::IFRAME | sym::FRAME | sym::OBJECT | sym::DIALOG)
        || node.flags.has(Flags::MODAL)
        || snapshot.attribute(id, sym::ROLE).is_some_and(|role| {
            role.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("heading"))
        })
}

fn insert(table: &mut Vec<(u32, u32)>, came: Vec<(u32, u32)>) {
    if came.len() > FEW {
        table.extend(came);
        table.sort_unstable();
        return;
    }
    for entry in came {
        let at = table.partition_point(|known| *known < entry);
        table.insert(at, entry);
    }
}

/// What holds for each of these nodes because of its own attributes and of what is around it in the flat tree; `into` knows it of
/// all nodes before them.
fn go_around(snapshot: &Snapshot, nodes: Range<NodeId>, slot_of: &QuickMap<u32, u32>, into: &mut Vec<u8>) {
    for id in nodes {
        let node = &snapshot.nodes[id];
        let slot = if slot_of.is_empty() { None } else { slot_of.get(&(id as u32)) };
        let up = slot.copied().unwrap_or(node.parent);
        let mut bits = into.get(up as usize).copied().unwrap_or_default();
        for (name, value) in snapshot.attributes_of(id) {
            bits |= match name {
                sym::INERT => INERT,
                sym::ARIA_DISABLED if value == "true" => DISABLED,
                sym::ARIA_HIDDEN if value == "true" => UNTOLD,
                sym::DISABLED if node.tag == sym::FIELDSET => IN_FIELDSET,
                _ => continue,
            };
        }
        into.push(bits);
    }
}

fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Every element with this id, in document order.
pub(super) fn with_id<'a>(
    snapshot: &'a Snapshot,
    ids: &'a [(u32, u32)],
    id: &'a str,
) -> impl Iterator<Item = NodeId> + 'a {
    let key = hash(id);
    let first = ids.partition_point(|(known, _)| *known < key);
    let same =
        ids[first..].iter().take_while(move |(known, _)| *known == key).map(|(_, node)| *node as usize);
    same.filter(move |node| snapshot.attribute(*node, sym::ID) == Some(id))
}

/// The first element with this id in the tree that `near` stands in.
pub(super) fn find_id(snapshot: &Snapshot, ids: &[(u32, u32)], near: NodeId, id: &str) -> Option<NodeId> {
    let mut all = with_id(snapshot, ids, id);
    let first = all.next()?;
    let root = snapshot.root_of(near);
    std::iter::once(first).chain(all).find(|node| snapshot.root_of(*node) == root)
}

fn first_labelable(snapshot: &Snapshot, label: NodeId) -> Option<NodeId> {
    snapshot
        .subtree(label)
        .skip(1)
        .find(|inner| snapshot.is_labelable(*inner) && snapshot.root_of(*inner) == snapshot.root_of(label))
}

/// The control that a label stands for.
pub(super) fn labelled(snapshot: &Snapshot, ids: &[(u32, u32)], label: NodeId) -> Option<NodeId> {
    match snapshot.attribute(label, sym::FOR) {
        Some(id) => find_id(snapshot, ids, label, id).filter(|control| snapshot.is_labelable(*control)),
        None => first_labelable(snapshot, label),
    }
}

/// Gives a host's light children to the slots of its shadow tree, as the DOM does.
fn assign(snapshot: &Snapshot, host: NodeId, lookups: &mut Lookups) {
    let Some(root) = snapshot.shadow_root(host) else { return };
    let mut slots: QuickMap<&str, u32> = QuickMap::default();
    for inner in snapshot.subtree(root).skip(1) {
        if snapshot.nodes[inner].tag == sym::SLOT && snapshot.root_of(inner) == root {
            slots.entry(snapshot.attribute(inner, sym::NAME).unwrap_or_default()).or_insert(inner as u32);
        }
    }
    for child in snapshot.children(host) {
        let name = match snapshot.nodes[child].kind {
            Kind::Element => snapshot.attribute(child, sym::SLOT).unwrap_or_default(),
            Kind::Text => "",
            _ => continue,
        };
        if let Some(slot) = slots.get(name) {
            lookups.assigned.entry(*slot).or_default().push(child as u32);
            lookups.slot_of.insert(child as u32, *slot);
        }
    }
}
