//! Absolute XPaths, one part for each tree.

use super::SHADOW;
use crate::snapshot::{Kind, NodeId, Snapshot, Symbol, sym};

/// Makes paths; positions among siblings are counted once for each parent.
pub struct Paths<'a> {
    snapshot: &'a Snapshot,
    /// Place of each node among the siblings with its tag, from 1; 0 where it was not counted yet.
    positions: Vec<u32>,
}

impl<'a> Paths<'a> {
    /// For one snapshot.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, positions: vec![0; snapshot.nodes.len()] }
    }

    /// The absolute path of an element; parts inside shadow roots are joined by ` >> `.
    pub fn of(&mut self, id: NodeId) -> String {
        let mut parts = Vec::new();
        let mut at = Some(id);
        while let Some(node) = at {
            parts.push(node);
            at = self.snapshot.parent(node);
        }
        let mut out = String::with_capacity(parts.len() * 8);
        for node in parts.into_iter().rev() {
            if self.snapshot.node(node).kind == Kind::Shadow {
                out.push_str(SHADOW);
                continue;
            }
            let position = self.position(node);
            out.push('/');
            step(self.snapshot, node, &mut out);
            out.push('[');
            push_number(position, &mut out);
            out.push(']');
        }
        out
    }

    fn position(&mut self, id: NodeId) -> u32 {
        let Some(parent) = self.snapshot.parent(id) else { return 1 };
        if self.positions[id] == 0 {
            let mut seen: Vec<(Symbol, u32)> = Vec::new();
            for child in self.snapshot.children(parent) {
                let node = self.snapshot.node(child);
                if node.kind != Kind::Element {
                    continue;
                }
                let at = seen.iter().position(|(tag, _)| *tag == node.tag).unwrap_or_else(|| {
                    seen.push((node.tag, 0));
                    seen.len() - 1
                });
                seen[at].1 += 1;
                self.positions[child] = seen[at].1;
            }
        }
        self.positions[id].max(1)
    }
}

/// Writes a number without the weight of the formatter: paths are long and many.
pub(crate) fn push_number(number: u32, out: &mut String) {
    if number >= 10 {
        push_number(number / 10, out);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

/// The name test of a path's step. Elements that are not HTML's have no plain name in an HTML document's XPath.
fn step(snapshot: &Snapshot, id: NodeId, out: &mut String) {
    let tag = snapshot.tag(id);
    let plain = !snapshot.flags(id).has(crate::snapshot::Flags::SVG)
        && tag.chars().all(|at| at.is_ascii_alphanumeric() || at == '-' || at == '_');
    if plain || snapshot.node(id).tag == sym::NONE {
        out.push_str(tag);
    } else {
        out.push_str("*[local-name()='");
        out.push_str(tag);
        out.push_str("']");
    }
}

/// The nodes at an absolute path of the form that [`Paths`] makes; `None` where it is of another form.
pub(super) fn follow(snapshot: &Snapshot, root: NodeId, path: &str) -> Option<Vec<NodeId>> {
    let mut at: Option<NodeId> = None;
    for part in path.strip_prefix('/')?.split('/') {
        let (name, position) = read_step(part)?;
        let found = match at {
            // The document's own node is the first step; a shadow root is above its first.
            None if snapshot.node(root).kind == Kind::Element => {
                (snapshot.tag(root) == name && position == 1).then_some(root)
            }
            _ => {
                let holder = at.unwrap_or(root);
                let mut same = snapshot.children(holder).filter(|child| {
                    snapshot.node(*child).kind == Kind::Element && snapshot.tag(*child) == name
                });
                same.nth(position.checked_sub(1)?)
            }
        };
        let Some(found) = found else { return Some(Vec::new()) };
        at = Some(found);
    }
    at.map(|found| vec![found])
}

fn read_step(part: &str) -> Option<(&str, usize)> {
    if let Some(rest) = part.strip_prefix("*[local-name()='") {
        let (name, rest) = rest.split_once("']")?;
        return Some((name, read_position(rest)?));
    }
    let end = part.find('[').unwrap_or(part.len());
    let name = &part[..end];
    if name.is_empty() || !name.chars().all(|at| at.is_alphanumeric() || matches!(at, '-' | '_' | '.')) {
        return None;
    }
    Some((name, read_position(&part[end..])?))
}

fn read_position(rest: &str) -> Option<usize> {
    if rest.is_empty() {
        return Some(1);
    }
    rest.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}
