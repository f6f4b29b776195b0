//! Accessible names over a snapshot, by accname 1.2 as Chromium computes it.
//!
//! The steps keep the letters of the specification (2A hidden, 2B labelledby, …). Names are as rendered: case by
//! `text-transform`, ASCII white space collapsed, no-break spaces kept.

mod content;
mod native;
mod text;
mod visited;

pub use text::collapse;

use crate::role;
use crate::snapshot::{Flags, NodeId, Snapshot, sym};
use visited::Visited;

/// Names are not grown beyond this many bytes.
const LIMIT: usize = 4_000;
/// Content is not followed deeper than this.
const DEPTH: usize = 300;

/// The accessible name of an element, empty where it has none or is not rendered.
pub fn of(snapshot: &Snapshot, id: NodeId) -> String {
    let flags = snapshot.flags(id);
    if flags.has(Flags::HIDDEN) || flags.has(Flags::INVISIBLE) {
        String::new()
    } else {
        even_hidden(snapshot, id)
    }
}

/// The name that an element would have were it rendered: for native controls that hide behind drawn ones.
pub fn even_hidden(snapshot: &Snapshot, id: NodeId) -> String {
    let mut walk = Walk { snapshot, visited: Visited::default() };
    let flags = snapshot.flags(id);
    let hidden_counts = flags.has(Flags::HIDDEN) || flags.has(Flags::INVISIBLE);
    let piece = walk.compute(id, Step { hidden_counts, ..Step::START });
    let text = collapse(&piece.text);
    // What was written as a name keeps its no-break spaces, what was shown loses those around it.
    if piece.apart || text.trim().len() == text.len() { text } else { text.trim().to_owned() }
}

/// The text that an element shows, computed as a name from content is, whatever its role.
pub fn content(snapshot: &Snapshot, id: NodeId) -> String {
    let mut walk = Walk { snapshot, visited: Visited::default() };
    collapse(&walk.content(id, Step { through: Through::Content, ..Step::START }))
}

/// True where a name holds nothing that people can read: nothing at all, or glyphs of an icon font alone.
pub fn is_unreadable(name: &str) -> bool {
    name.chars().all(|at| at.is_whitespace() || is_private(at))
}

fn is_private(at: char) -> bool {
    matches!(at, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}')
}

/// How the computation came to a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Through {
    /// It is the element to be named.
    Itself,
    /// It is named by another's `aria-labelledby`, or lies below such a one.
    Reference,
    /// It is a `<label>` (or legend, caption) of the element, or lies below one.
    Label,
    /// It is content of the element.
    Content,
}

#[derive(Clone, Copy)]
struct Step {
    through: Through,
    /// What was referenced is hidden itself: then all below it counts.
    hidden_counts: bool,
    depth: usize,
}

impl Step {
    const START: Self = Self { through: Through::Itself, hidden_counts: false, depth: 0 };
}

/// A text and whether it stands apart from what is around it.
#[derive(Default)]
struct Piece {
    text: String,
    /// It came from an attribute or a control, which are set off by spaces.
    apart: bool,
}

impl Piece {
    fn plain(text: String) -> Self {
        Self { text, apart: false }
    }

    fn apart(text: String) -> Self {
        Self { text, apart: true }
    }
}

struct Walk<'a> {
    snapshot: &'a Snapshot,
    visited: Visited,
}

impl Walk<'_> {
    fn compute(&mut self, id: NodeId, step: Step) -> Piece {
        if step.depth > DEPTH {
            return Piece::default();
        }
        // 2A
        if step.through != Through::Itself && !step.hidden_counts && self.is_hidden(id) {
            return Piece::default();
        }
        // Nothing is told twice, but what is referenced is told again.
        let again = !self.visited.insert(id);
        if again && step.through != Through::Reference {
            return Piece::default();
        }
        if self.snapshot.is(id, sym::SLOT) {
            return Piece::plain(self.content(id, step));
        }
        // 2B, never inside another reference
        if step.through != Through::Reference
            && let Some(text) = self.labelled_by(id, step)
        {
            return Piece::apart(text);
        }
        let role = role::of(self.snapshot, id);
        // 2C
        if step.through != Through::Itself
            && let Some(value) = self.embedded_value(id, role, step)
        {
            return Piece::apart(value);
        }
        // 2D
        if let Some(label) = self.filled(id, sym::ARIA_LABEL) {
            return Piece::apart(label.to_owned());
        }
        // 2E
        if let Some(text) = self.native(id, role, step) {
            return Piece::apart(text);
        }
        // 2F
        let mut gap = String::new();
        // A group in a content is a part by itself, as the browser has it; what is referred to is told whole.
        let group = role == "group"
            && step.through != Through::Reference
            && !matches!(self.snapshot.node(id).tag, sym::DETAILS | sym::ADDRESS);
        let traversed = step.through != Through::Itself && !is_apart(role) && !group;
        if traversed || role::names_from_content(role) {
            let text = self.content(id, step);
            if !text.trim().is_empty() {
                return Piece::plain(text);
            }
            gap = text;
        }
        // 2I
        match self.filled(id, sym::TITLE) {
            Some(title) if role != "none" => Piece::apart(title.to_owned()),
            _ => Piece::plain(gap),
        }
    }

    /// Not rendered, not visible, or taken out of the tree.
    fn is_hidden(&self, id: NodeId) -> bool {
        let flags = self.snapshot.flags(id);
        flags.has(Flags::HIDDEN)
            || flags.has(Flags::INVISIBLE)
            || self.snapshot.attribute(id, sym::ARIA_HIDDEN).is_some_and(|value| value == "true")
    }

    fn filled(&self, id: NodeId, name: crate::snapshot::Symbol) -> Option<&str> {
        self.snapshot.attribute(id, name).filter(|value| !value.trim().is_empty())
    }

    fn labelled_by(&mut self, id: NodeId, step: Step) -> Option<String> {
        let others = references(self.snapshot, id);
        let mut texts = Vec::new();
        for other in others {
            let hidden = self.is_hidden(other)
                || self.snapshot.ancestors(other).any(|up| self.snapshot.flags(up).has(Flags::HIDDEN));
            let next = Step { through: Through::Reference, hidden_counts: hidden, depth: step.depth + 1 };
            let text = collapse(&self.compute(other, next).text);
            if !text.is_empty() {
                texts.push(text);
            }
        }
        (!texts.is_empty()).then(|| texts.join(" "))
    }
}

/// Composite widgets are not part of the text around them.
fn is_apart(role: &str) -> bool {
    matches!(
        role,
        "menu"
            | "menubar"
            | "tree"
            | "grid"
            | "treegrid"
            | "tablist"
            | "radiogroup"
            | "toolbar"
            | "application"
    )
}

/// What `aria-labelledby` of an element refers to, in its order.
fn references(snapshot: &Snapshot, id: NodeId) -> Vec<NodeId> {
    if let Some(numbers) = snapshot.attribute(id, sym::LABELLED_BY_NODES) {
        let find = |word: &str| match word.strip_prefix('p') {
            Some(place) => snapshot.by_place(place.parse().ok()?),
            None => snapshot.by_number(word.parse().ok()?),
        };
        return numbers.split(' ').filter_map(find).collect();
    }
    let ids = snapshot.attribute(id, sym::ARIA_LABELLEDBY).unwrap_or_default();
    ids.split_ascii_whitespace().filter_map(|other| snapshot.by_id(id, other)).collect()
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::snapshot::Snapshot;

    #[test]
    fn what_stands_in_a_content_is_told_as_the_browser_tells_it() {
        for (html, name) in [
            ("<button>/items<wbr>/30</button>", "/items /30"),
            ("<button>go <input aria-label=Count></button>", "go Count"),
            ("<button>go <input value=3 aria-label=Count></button>", "go 3"),
            ("<div role=treeitem>Fruit<div role=group><i>Apple</i></div></div>", "Fruit"),
            ("<div role=link>Fruit<fieldset><b>Apple</b></fieldset></div>", "Fruit"),
            ("<div role=link>Fruit <address>Street</address></div>", "Fruit Street"),
            ("<i id=r>Ref<span role=group>in</span></i><button aria-labelledby=r></button>", "Refin"),
        ] {
            let page = Snapshot::from_html(html);
            let named = (0..page.nodes.len()).map(|id| of(&page, id));
            assert!(named.into_iter().any(|own| own == name), "{html}");
        }
    }
}
