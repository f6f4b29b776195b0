//! A page out of the text that the browser itself serialises it to, and out of what that text does not tell.
//!
//! Serialising is one call for a whole tree and reading it here costs a fraction of going from node to node in the page. What is
//! left to ask (computed styles where a sheet may have changed them, values, ticks, shadow roots) is asked in one more call:
//!
//! 1. [`Pages::add`] reads one tree's text and says what to [`Ask`] of which elements;
//! 2. [`Pages::answer`] takes the answers and says how many shadow roots there are, each a tree to add;
//! 3. [`Pages::finish`] puts the trees together and works out what is rendered, hidden, pointed at.
//!
//! The n-th element of a tree is the n-th that `querySelectorAll('*')` gives there: that is how nodes are found again.

mod ask;
mod assemble;
mod graft;
mod parse;
mod settle;

pub use ask::{Ask, StyleKeys};
pub use graft::Part;
pub use parse::Unreadable;

use super::decode::Texts;
use super::{Flags, NONE, Node, Snapshot, Span, Symbol};

/// One tree: the document, or a shadow root.
#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    attributes: Vec<(Symbol, Span)>,
    elements: u32,
    /// Nodes whose own attributes style them, and how.
    styled: Vec<(u32, u32)>,
    asked: Vec<(u32, u32)>,
    /// Generated content: its element, whether it comes last, text and flags.
    generated: Vec<(u32, bool, Span, Flags)>,
    /// Shadow roots: the host, the tree, flags.
    roots: Vec<(u32, usize, Flags)>,
    /// Places of its elements begin here.
    first_place: u32,
    /// White space stands at its end, outside of any element.
    gap_at_end: bool,
}

impl Tree {
    fn attributes_of(&self, node: &Node) -> &[(Symbol, Span)] {
        let first = node.first_attribute as usize;
        self.attributes.get(first..first + usize::from(node.attribute_count)).unwrap_or_default()
    }

    fn has(&self, node: &Node, name: Symbol) -> bool {
        self.attributes_of(node).iter().any(|(own, _)| *own == name)
    }

    /// Takes note that animations may be changing these elements.
    fn animate(&mut self, places: &[u32]) {
        if places.is_empty() {
            return;
        }
        let nodes = self.nodes.iter().zip(0..).filter(|(node, _)| places.binary_search(&node.place).is_ok());
        self.styled.extend(nodes.map(|(_, id)| (id, Ask::SHOWN | Ask::CURSOR | Ask::OPACITY)));
        crate::order::sort(&mut self.styled);
    }

    fn ancestors(&self, id: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(
            self.nodes.get(self.nodes[id].parent as usize).map(|_| self.nodes[id].parent),
            |up| {
                let parent = self.nodes[*up as usize].parent;
                (parent != NONE).then_some(parent)
            },
        )
        .map(|up| up as usize)
    }
}

/// The trees of a page that is being read.
#[derive(Debug, Default)]
pub struct Pages {
    /// Holds the pool and the names from the start, the nodes at the end.
    snapshot: Snapshot,
    trees: Vec<Tree>,
    places: u32,
    /// Trees that the answers spoke of so far, besides the first.
    roots: usize,
    /// What is around the first tree may show a hand.
    in_hand: bool,
}

/// One tree as the reader hands it over.
#[derive(Debug, Default)]
pub struct Source {
    /// Its text, the root element's own tag included; of a shadow root what is in it.
    pub text: String,
    /// How many elements it has.
    pub elements: u32,
    /// The table of what its sheets can do: keys, one a line,
    pub keys: String,
    /// and their bits.
    pub key_bits: Vec<u32>,
    /// Elements that are being animated, by their places in the tree, in order.
    pub animated: Vec<u32>,
}

/// What to ask: the n-th element of the tree, and [`Ask`] bits.
#[derive(Debug, Default)]
pub struct Question {
    /// Places within the tree.
    pub elements: Vec<u32>,
    /// What of each.
    pub bits: Vec<u32>,
}

impl Pages {
    /// Reads a tree: the document first, then the shadow roots in the order in which the answers spoke of them.
    pub fn add(&mut self, source: Source) -> Result<Question, Unreadable> {
        let Source { text, elements, keys, key_bits, animated } = source;
        let snapshot = &mut self.snapshot;
        let base = snapshot.pool.len();
        let (mut tree, decoded) = parse::read(&text, base, &mut snapshot.symbols)?;
        if tree.elements != elements {
            return Err(Unreadable);
        }
        if base == 0 {
            snapshot.pool = text;
        } else {
            snapshot.pool.push_str(&text);
        }
        snapshot.pool.push_str(&decoded);
        tree.animate(&animated);
        let keys = StyleKeys::read(&keys, &key_bits, &mut snapshot.symbols);
        tree.asked = ask::asks(snapshot, &mut tree, &keys, self.in_hand);
        tree.first_place = self.places;
        self.places += elements;
        let question = Question {
            elements: tree.asked.iter().map(|(node, _)| tree.nodes[*node as usize].place).collect(),
            bits: tree.asked.iter().map(|(_, bits)| *bits).collect(),
        };
        self.trees.push(tree);
        Ok(question)
    }

    /// Takes the answers for a tree; see `collect/markup.js` for their form. How many shadow roots they speak of; `None` where
    /// they do not fit.
    pub fn answer(&mut self, at: usize, ints: &[i32], texts: &str) -> Option<usize> {
        let base = self.snapshot.pool.len();
        self.snapshot.pool.push_str(texts);
        let tree = self.trees.get_mut(at)?;
        settle::take(tree, ints, Texts::new(&self.snapshot.pool, base), self.roots + 1)?;
        self.roots += tree.roots.len();
        Some(tree.roots.len())
    }

    /// The page.
    pub fn finish(self) -> Snapshot {
        let mut snapshot = assemble::whole(self);
        let all = 0..snapshot.nodes.len();
        settle::settle(&mut snapshot, all);
        snapshot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Kind::{After, Before, Element, Shadow, Text};
    use crate::snapshot::{Display, Kind, sym};

    fn source(text: &str, elements: u32, keys: &str, key_bits: &[u32]) -> Source {
        Source {
            text: text.to_owned(),
            elements,
            keys: keys.to_owned(),
            key_bits: key_bits.to_vec(),
            ..Source::default()
        }
    }

    #[test]
    fn a_text_becomes_a_tree_with_its_gaps_and_escapes() {
        let html = "<html><head><title>T</title></head><body><p id=\"a\" class=\"x y\">1 &lt;&nbsp;2 <b>b</b> </p><br><img alt=\"&quot;\">\
                    <template><i></i></template><script>'<b>'</script><!-- <b> --><svg viewBox=\"0 0 1 1\"><a href=\"#\"></a></svg></body></html>";
        let mut pages = Pages::default();
        let question = pages.add(source(html, 12, "", &[])).unwrap();
        let answers = vec![0; question.elements.len()];
        assert_eq!(pages.answer(0, &answers, ""), Some(0));
        let page = pages.finish();
        let paragraph = page.by_id(0, "a").unwrap();
        assert_eq!(page.text(paragraph + 1), "1 <\u{a0}2 ");
        assert!(page.flags(paragraph).has(Flags::GAP_AT_END));
        assert_eq!(page.nodes.iter().filter(|node| node.tag == sym::B).count(), 1);
        assert_eq!(page.nodes.iter().find(|node| node.tag == sym::IMG).map(|image| image.place), Some(7));
        let link = page.nodes.iter().position(|node| node.tag == sym::A).unwrap();
        assert!(page.flags(link).has(Flags::SVG | Flags::POINTER));
        assert!(page.flags(1).has(Flags::HIDDEN));
    }

    #[test]
    fn what_cannot_be_followed_is_refused() {
        for (html, elements) in [
            ("<p><b></p>", 2),
            ("<p>", 1),
            ("<p a=b></p>", 1),
            ("<p><!--a--></b>--></p>", 1),
            ("<br></br>", 1),
            ("<p></p>", 2),
            ("<script>", 1),
            ("<", 0),
        ] {
            assert!(Pages::default().add(source(html, elements, "", &[])).is_err(), "{html}");
        }
    }

    #[test]
    fn only_what_carries_a_key_is_asked_and_answers_go_down() {
        let html = "<html><body><div class=\"row gone\"><a href=\"#\">x</a></div><ul class=\"up\"><li>y</li></ul></body></html>";
        let keys = ".gone\n.up\n#none";
        let mut pages = Pages::default();
        let question = pages.add(source(html, 6, keys, &[Ask::SHOWN, Ask::CASE, Ask::SHOWN])).unwrap();
        let styled: Vec<(u32, u32)> = question.elements.iter().copied().zip(question.bits).collect();
        assert_eq!(styled, [(1, Ask::HOST), (2, Ask::HOST | Ask::SHOWN), (4, Ask::CASE)]);
        let none = (Display::None as i32) << 20;
        assert_eq!(pages.answer(0, &[0, none, Flags::UPPERCASE as i32], ""), Some(0));
        let page = pages.finish();
        assert!(page.flags(3).has(Flags::HIDDEN) && page.flags(2).has(Flags::HIDDEN));
        let text = page.nodes.len() - 1;
        assert_eq!(page.text(text), "y");
        assert!(page.flags(text).has(Flags::UPPERCASE));
    }

    #[test]
    fn roots_and_generated_content_come_where_they_belong() {
        let html = "<html><body><x-a><b slot=\"s\">light</b></x-a><i></i></body></html>";
        let mut pages = Pages::default();
        let keys = Ask::BEFORE | Ask::AFTER;
        let question = pages.add(source(html, 5, "i", &[keys])).unwrap();
        assert_eq!(question.bits, [Ask::HOST, Ask::HOST | Ask::CLOSED_HOST, keys]);
        // A root on the second, and `"<"` and `">"` around what the third holds.
        assert_eq!(pages.answer(0, &[0, 1 << 30, 0, 0, 3, 0, 3, 0], "\"<\"\u{1}\">\"\u{1}"), Some(1));
        let inner = pages.add(source("<slot name=\"s\"></slot>", 1, "", &[])).unwrap();
        assert_eq!(pages.answer(1, &vec![0; inner.elements.len()], ""), Some(0));
        let page = pages.finish();
        let kinds: Vec<Kind> = page.nodes.iter().map(|node| node.kind).collect();
        assert_eq!(
            kinds,
            [Element, Element, Element, Shadow, Element, Element, Text, Element, Before, After]
        );
        assert_eq!(page.nodes[4].place, 5);
        assert_eq!(page.flat_children(4), [5]);
        assert_eq!(page.nodes[7].end, 10);
    }
}
