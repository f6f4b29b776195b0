//! The nodes that a computation has been to: few mostly, so a list first and a set when there are many.

use crate::snapshot::{NodeId, QuickSet};

const LIST: usize = 32;

#[derive(Default)]
pub(super) struct Visited {
    list: Vec<NodeId>,
    set: QuickSet<NodeId>,
}

impl Visited {
    /// True where the node is new.
    pub fn insert(&mut self, id: NodeId) -> bool {
        if !self.set.is_empty() {
            return self.set.insert(id);
        }
        if self.list.contains(&id) {
            return false;
        }
        self.list.push(id);
        if self.list.len() > LIST {
            self.set = self.list.iter().copied().collect();
        }
        true
    }
}
