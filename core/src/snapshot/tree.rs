//! Moving about in a snapshot: children, ancestors, the flat tree, ids, labels.

use super::lookups::{DISABLED, IN_FIELDSET, INERT, Lookups, UNTOLD, find_id, labelled, with_id};
use super::{Flags, Kind, Measure, NONE, Node, NodeId, Snapshot, Symbol, sym};

/// Children of a node in document order.
pub struct Children<'a> {
    snapshot: &'a Snapshot,
    next: usize,
    end: usize,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let child = self.next;
        self.next = self.snapshot.nodes[child].end as usize;
        Some(child)
    }
}

impl Snapshot {
    /// A page that could not be read.
    pub fn unread() -> Self {
        Self { truncated: true, ..Self::default() }
    }

    /// The node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// Its children in the DOM, its shadow root first.
    pub fn children(&self, id: NodeId) -> Children<'_> {
        Children { snapshot: self, next: id + 1, end: self.nodes[id].end as usize }
    }

    /// The parent; a shadow root's is its host.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.nodes[id].parent;
        (parent != NONE).then_some(parent as usize)
    }

    /// Its ancestors, nearest first, across shadow roots.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |up| self.parent(*up))
    }

    /// The parent element in the flat tree: the slot that it is assigned to, else its parent or shadow host.
    pub fn flat_parent(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.parent(id)?;
        if self.nodes[parent].kind == Kind::Shadow {
            return self.parent(parent);
        }
        if self.shadow_root(parent).is_some() {
            return self.lookups().slot_of.get(&(id as u32)).map(|slot| *slot as usize).or(Some(parent));
        }
        Some(parent)
    }

    /// Its ancestors in the flat tree, nearest first, elements only.
    pub fn flat_ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.flat_parent(id), |up| self.flat_parent(*up))
    }

    /// The shadow root of a host.
    pub fn shadow_root(&self, host: NodeId) -> Option<NodeId> {
        let first = host + 1;
        let node = self.nodes.get(first)?;
        (node.kind == Kind::Shadow && node.parent as usize == host).then_some(first)
    }

    /// The root of the tree that a node stands in: a shadow root, or the document's first node.
    pub fn root_of(&self, id: NodeId) -> NodeId {
        let mut at = id;
        while self.nodes[at].kind != Kind::Shadow {
            match self.parent(at) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }

    /// Its children in the flat tree, in order: what is slotted, not what merely stands in the host. Generated content is
    /// among them, first and last.
    pub fn flat_children(&self, id: NodeId) -> Vec<NodeId> {
        if let Some(root) = self.shadow_root(id) {
            let mut children: Vec<NodeId> = self.children(root).collect();
            children.extend(self.children(id).filter(|child| self.nodes[*child].kind == Kind::After));
            if let Some(before) = self.children(id).find(|child| self.nodes[*child].kind == Kind::Before) {
                children.insert(0, before);
            }
            return children;
        }
        if self.nodes[id].tag == sym::SLOT
            && let Some(assigned) = self.lookups().assigned.get(&(id as u32))
        {
            return assigned.iter().map(|child| *child as usize).collect();
        }
        self.children(id).collect()
    }

    /// True where its children in the flat tree are those in the DOM.
    pub fn has_plain_children(&self, id: NodeId) -> bool {
        self.shadow_root(id).is_none() && self.nodes[id].tag != sym::SLOT
    }

    /// True for a light child of a shadow host that no slot shows.
    pub fn is_unslotted(&self, id: NodeId) -> bool {
        self.parent(id).is_some_and(|parent| {
            self.nodes[id].kind != Kind::Shadow
                && self.shadow_root(parent).is_some()
                && !self.lookups().slot_of.contains_key(&(id as u32))
        })
    }

    /// Its subtree in the DOM, itself first.
    pub fn subtree(&self, id: NodeId) -> std::ops::Range<NodeId> {
        id..self.nodes[id].end as usize
    }

    /// True where `inner` is `outer` or lies below it.
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        self.subtree(outer).contains(&inner)
    }

    /// True for an element with this tag.
    pub fn is(&self, id: NodeId, tag: Symbol) -> bool {
        self.nodes[id].tag == tag
    }

    /// Tag name of an element, empty for other nodes.
    pub fn tag(&self, id: NodeId) -> &str {
        self.symbols.name(self.nodes[id].tag)
    }

    /// A piece of the pool.
    pub(super) fn pooled(&self, span: super::Span) -> &str {
        self.pool.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The text of a text node or of generated content, as it stands in the document.
    pub fn text(&self, id: NodeId) -> &str {
        let span = self.nodes[id].text;
        self.pool.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// An attribute's value.
    pub fn attribute(&self, id: NodeId, name: Symbol) -> Option<&str> {
        self.attributes_of(id).find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// An attribute's value by name.
    pub fn attribute_named(&self, id: NodeId, name: &str) -> Option<&str> {
        self.symbols.find(name).and_then(|symbol| self.attribute(id, symbol))
    }

    /// True where the attribute is there.
    pub fn has_attribute(&self, id: NodeId, name: Symbol) -> bool {
        self.attribute(id, name).is_some()
    }

    /// Its attributes.
    pub fn attributes_of(&self, id: NodeId) -> impl Iterator<Item = (Symbol, &str)> + '_ {
        let node = &self.nodes[id];
        let first = node.first_attribute as usize;
        let own = self.attributes.get(first..first + usize::from(node.attribute_count)).unwrap_or_default();
        own.iter().map(|(name, span)| {
            (*name, self.pool.get(span.start as usize..span.end as usize).unwrap_or_default())
        })
    }

    /// Its flags.
    pub fn flags(&self, id: NodeId) -> Flags {
        self.nodes[id].flags
    }

    /// Its measure, where it was measured.
    pub fn measure(&self, id: NodeId) -> Option<&Measure> {
        let last = self.last_measure.get();
        let near =
            (last..last + 2).find(|at| self.measures.get(*at).is_some_and(|one| one.node == id as u32));
        let at = match near {
            Some(at) => at,
            None => self.measures.binary_search_by_key(&(id as u32), |measure| measure.node).ok()?,
        };
        self.last_measure.set(at);
        self.measures.get(at)
    }

    /// The first element with this id in the tree that `near` stands in.
    pub fn by_id(&self, near: NodeId, id: &str) -> Option<NodeId> {
        find_id(self, &self.lookups().ids, near, id)
    }

    /// Every element with this id, in any tree.
    pub fn all_by_id<'a>(&'a self, id: &'a str) -> impl Iterator<Item = NodeId> + 'a {
        with_id(self, &self.lookups().ids, id)
    }

    /// The labels of a control, in document order.
    pub fn labels(&self, control: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let labels = &self.lookups().labels;
        let first = labels.partition_point(|(known, _)| (*known as usize) < control);
        labels[first..]
            .iter()
            .take_while(move |(known, _)| *known as usize == control)
            .map(|(_, label)| *label as usize)
    }

    /// Whether an ancestor in the flat tree, or the node itself, is inert.
    pub fn is_inert(&self, id: NodeId) -> bool {
        self.around(id) & INERT != 0
    }

    /// Whether `aria-disabled` is set on it or above it.
    pub fn is_aria_disabled(&self, id: NodeId) -> bool {
        self.around(id) & DISABLED != 0
    }

    /// Whether `aria-hidden` is set on it or above it.
    pub fn is_aria_hidden(&self, id: NodeId) -> bool {
        self.around(id) & UNTOLD != 0
    }

    /// Whether a disabled fieldset is around it.
    pub fn is_in_disabled_fieldset(&self, id: NodeId) -> bool {
        self.around(id) & IN_FIELDSET != 0
    }

    fn around(&self, id: NodeId) -> u8 {
        self.lookups().around.get(id).copied().unwrap_or_default()
    }

    /// The control that a label stands for.
    pub fn labelled_control(&self, label: NodeId) -> Option<NodeId> {
        labelled(self, &self.lookups().ids, label)
    }

    /// The element that owns this one by `aria-owns`.
    pub fn owner(&self, id: NodeId) -> Option<NodeId> {
        self.lookups().owners.get(&(id as u32)).map(|owner| *owner as usize)
    }

    /// The node with this number.
    pub fn by_number(&self, number: u32) -> Option<NodeId> {
        {
            let numbers = self.numbers.get_or_init(|| {
                let known = self.nodes.iter().zip(0..).filter(|(node, _)| node.number != 0);
                let mut numbers: Vec<(u32, u32)> = known.map(|(node, id)| (node.number, id)).collect();
                crate::order::sort(&mut numbers);
                numbers
            });
            // Generated content carries the number of its element, which comes first.
            let at = numbers.partition_point(|(known, _)| *known < number);
            numbers.get(at).filter(|(known, _)| *known == number).map(|(_, node)| *node as usize)
        }
    }

    /// The element at a place of the reader's.
    pub fn by_place(&self, place: u32) -> Option<NodeId> {
        let places = self.places.get_or_init(|| {
            let mut places = vec![NONE; self.nodes.len()];
            for (node, id) in self.nodes.iter().zip(0..) {
                if let Some(slot) = places.get_mut(node.place as usize) {
                    *slot = id;
                }
            }
            places
        });
        places.get(place as usize).filter(|node| **node != NONE).map(|node| *node as usize)
    }

    /// True where the element can be given a label.
    pub fn is_labelable(&self, id: NodeId) -> bool {
        let node = &self.nodes[id];
        match node.tag {
            sym::INPUT => {
                !self.attribute(id, sym::TYPE).is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"))
            }
            sym::BUTTON | sym::SELECT | sym::TEXTAREA | sym::METER | sym::OUTPUT | sym::PROGRESS => true,
            // Form-associated custom elements can be labelled; which ones are is known to their class alone.
            _ => node.kind == Kind::Element && self.symbols.name(node.tag).contains('-'),
        }
    }

    pub(super) fn lookups(&self) -> &Lookups {
        self.lookups.get_or_init(|| Lookups::of(self))
    }
}
