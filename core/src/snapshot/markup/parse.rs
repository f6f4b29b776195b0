//! Reads one tree out of the text that the browser serialises it to.
//!
//! This is no parser of HTML: it reads what `getHTML` writes, where every attribute is quoted, every element but the void ones
//! is closed, and only five characters are escaped. What it cannot follow (a comment that holds its own end, a void element
//! with children) is an error or a wrong count of elements, and the page is then read node by node.

use super::{Ask, Tree};
use crate::snapshot::{Flags, Kind, NONE, Node, Span, Symbol, Symbols, sym};

/// Texts are cut at this many bytes, attributes at the other.
const TEXT_LIMIT: usize = 20_000;
const ATTRIBUTE_LIMIT: usize = 1_000;
/// Attributes beyond this number are left out.
const MOST_ATTRIBUTES: u16 = 100;

/// The text is not what a browser serialises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// An element that is open.
#[derive(Clone, Copy)]
struct Open {
    /// Its node, [`NONE`] inside a template.
    node: u32,
    tag: Symbol,
    /// Void elements and raw texts are HTML's; inside drawings and formulas there are none.
    foreign: bool,
    svg: bool,
}

const ROOT: Open = Open { node: NONE, tag: sym::NONE, foreign: false, svg: false };

struct Parser<'a> {
    text: &'a str,
    at: usize,
    symbols: &'a mut Symbols,
    recent: [(u32, u32, Symbol); RECENT],
    tree: Tree,
    /// Texts that held escapes, as they read; they stand in the pool behind the text itself.
    decoded: String,
    base: usize,
    open: Vec<Open>,
    gap: bool,
    /// Templates around the present place: what is in them is no part of the tree.
    inert: u32,
}

const RECENT: usize = 128;

/// Reads `text`, which will stand in the pool from byte `base` on. Returns what has to stand behind it.
pub(super) fn read(text: &str, base: usize, symbols: &mut Symbols) -> Result<(Tree, String), Unreadable> {
    let mut tree = Tree::default();
    tree.nodes.reserve(text.len() / 16);
    tree.attributes.reserve(text.len() / 32);
    let recent = [(0, 0, sym::NONE); RECENT];
    let mut parser = Parser {
        text,
        at: 0,
        symbols,
        recent,
        tree,
        decoded: String::new(),
        base,
        open: vec![ROOT],
        gap: false,
        inert: 0,
    };
    while parser.at < text.len() {
        parser.next()?;
    }
    parser.tree.gap_at_end = parser.gap;
    (parser.open.len() == 1).then_some((parser.tree, parser.decoded)).ok_or(Unreadable)
}

impl Parser<'_> {
    fn top(&self) -> Open {
        self.open.last().copied().unwrap_or(ROOT)
    }

    fn find(&self, from: usize, byte: u8) -> Result<usize, Unreadable> {
        let rest = self.text.as_bytes().get(from..).ok_or(Unreadable)?;
        rest.iter().position(|at| *at == byte).map(|at| from + at).ok_or(Unreadable)
    }

    fn find_text(&self, from: usize, text: &str) -> Result<usize, Unreadable> {
        self.text.get(from..).and_then(|rest| rest.find(text)).map(|at| from + at).ok_or(Unreadable)
    }

    /// One tag, comment or text.
    fn next(&mut self) -> Result<(), Unreadable> {
        let bytes = self.text.as_bytes();
        if bytes[self.at] != b'<' {
            let end = self.find(self.at, b'<').unwrap_or(self.text.len());
            self.text_node(self.at, end);
            self.at = end;
            return Ok(());
        }
        match bytes.get(self.at + 1) {
            Some(b'/') => {
                let end = self.find(self.at + 2, b'>')?;
                let tag = self.symbol(self.at + 2, end);
                self.at = end + 1;
                self.close(tag)
            }
            Some(b'!') => {
                self.at = self.find_text(self.at + 4, "-->")? + 3;
                Ok(())
            }
            Some(b'?') => {
                self.at = self.find(self.at, b'>')? + 1;
                Ok(())
            }
            _ => self.start_tag(),
        }
    }

    fn close(&mut self, tag: Symbol) -> Result<(), Unreadable> {
        let Open { node, tag: open, .. } = self.top();
        if open != tag || self.open.len() == 1 {
            return Err(Unreadable);
        }
        self.open.pop();
        if tag == sym::TEMPLATE && node != NONE {
            self.inert -= 1;
        }
        let end = self.tree.nodes.len() as u32;
        if let Some(node) = self.tree.nodes.get_mut(node as usize) {
            node.end = end;
            if std::mem::take(&mut self.gap) {
                node.flags.0 |= Flags::GAP_AT_END;
            }
        }
        Ok(())
    }

    fn start_tag(&mut self) -> Result<(), Unreadable> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut at = start;
        while !matches!(bytes.get(at), Some(b' ' | b'>')) {
            at += 1;
            if at >= bytes.len() {
                return Err(Unreadable);
            }
        }
        let tag = self.symbol(start, at);
        let up = self.top();
        let mut open = Open { node: NONE, tag, ..up };
        match tag {
            sym::SVG => (open.svg, open.foreign) = (true, true),
            sym::MATH => open.foreign = true,
            sym::FOREIGN_OBJECT => (open.svg, open.foreign) = (false, false),
            // These may hold HTML.
            _ if up.svg && matches!(up.tag, sym::TITLE | sym::DESC) => open.foreign = false,
            _ => {}
        }
        if self.inert == 0 {
            open.node = self.element(tag, up.node, open.svg);
        }
        self.at = at;
        self.attributes(open.node)?;
        self.after_start(start, open, up.foreign)
    }

    /// What follows a start tag: nothing for a void element, raw text, or children.
    fn after_start(&mut self, start: usize, open: Open, foreign: bool) -> Result<(), Unreadable> {
        let html = !foreign && !open.foreign;
        let raw = html
            && matches!(
                open.tag,
                sym::SCRIPT
                    | sym::STYLE
                    | sym::NOSCRIPT
                    | sym::IFRAME
                    | sym::XMP
                    | sym::NOEMBED
                    | sym::NOFRAMES
            );
        if raw {
            let name = &self.text[start..start + self.symbols.name(open.tag).len()];
            let end = format!("</{name}>");
            self.at = self.find_text(self.at, &end)? + end.len();
        }
        if raw || html && is_void(open.tag) {
            if let Some(node) = self.tree.nodes.get_mut(open.node as usize) {
                node.end = open.node + 1;
            }
            return Ok(());
        }
        if open.tag == sym::TEMPLATE && open.node != NONE {
            self.inert += 1;
        }
        self.open.push(open);
        Ok(())
    }

    fn element(&mut self, tag: Symbol, parent: u32, svg: bool) -> u32 {
        let id = self.tree.nodes.len() as u32;
        let gap = if std::mem::take(&mut self.gap) { Flags::GAP_BEFORE } else { 0 };
        let drawn = if svg { Flags::SVG } else { 0 };
        let mut node = Node::new(Kind::Element, parent, 0, Flags(gap | drawn));
        node.tag = tag;
        node.place = self.tree.elements;
        node.first_attribute = self.tree.attributes.len() as u32;
        self.tree.elements += 1;
        self.tree.nodes.push(node);
        id
    }

    /// The attributes of a start tag, up to and with its `>`.
    fn attributes(&mut self, node: u32) -> Result<(), Unreadable> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b'>') => {
                    self.at += 1;
                    self.leave_room(node);
                    return Ok(());
                }
                Some(b' ') => {}
                _ => return Err(Unreadable),
            }
            let start = self.at + 1;
            // A name may begin with `=`.
            let mut equals = self.find(start + 1, b'=')?;
            while bytes.get(equals + 1) != Some(&b'"') {
                equals = self.find(equals + 1, b'=')?;
            }
            let end = self.find(equals + 2, b'"')?;
            self.at = end + 1;
            if node != NONE {
                self.attribute(node, (start, equals), (equals + 2, end));
            }
        }
    }

    /// A field's value comes later, and stands among its attributes.
    fn leave_room(&mut self, node: u32) {
        if let Some(node) = self.tree.nodes.get_mut(node as usize)
            && matches!(node.tag, sym::INPUT | sym::TEXTAREA)
        {
            self.tree.attributes.push((sym::NONE, Span::default()));
            node.attribute_count += 1;
        }
    }

    fn attribute(&mut self, node: u32, name: (usize, usize), value: (usize, usize)) {
        let name = self.symbol(name.0, name.1);
        let at = node as usize;
        match name {
            sym::STYLE => {
                let bits = Ask::of_inline_style(&self.text[value.0..value.1]);
                if bits != 0 {
                    self.tree.styled.push((node, bits));
                }
                return;
            }
            // Without a meaning for us, and often long or many.
            sym::D
            | sym::POINTS
            | sym::SRCSET
            | sym::SIZES
            | sym::TRANSFORM
            | sym::VIEW_BOX
            | sym::FILL
            | sym::STROKE
            | sym::XMLNS
            | sym::NONCE
            | sym::INTEGRITY => return,
            sym::VISIBILITY | sym::DISPLAY | sym::CURSOR | sym::OPACITY
                if self.tree.nodes[at].flags.has(Flags::SVG) =>
            {
                self.tree.styled.push((node, Ask::SHOWN | Ask::CURSOR | Ask::OPACITY));
            }
            _ => {}
        }
        if self.tree.nodes[at].attribute_count >= MOST_ATTRIBUTES {
            return;
        }
        let (span, cut) = self.span(value.0, value.1, ATTRIBUTE_LIMIT);
        self.tree.attributes.push((name, span));
        let node = &mut self.tree.nodes[at];
        node.attribute_count += 1;
        node.flags.0 |= cut;
    }

    fn text_node(&mut self, start: usize, end: usize) {
        if self.inert > 0 {
            return;
        }
        let bytes = &self.text.as_bytes()[start..end];
        if bytes.iter().all(|at| matches!(at, b' ' | b'\n' | b'\t' | b'\r' | 12)) {
            self.gap = true;
            return;
        }
        let parent = self.top().node;
        let gap = if std::mem::take(&mut self.gap) { Flags::GAP_BEFORE } else { 0 };
        let (text, cut) = self.span(start, end, TEXT_LIMIT);
        let mut node = Node::new(Kind::Text, parent, 0, Flags(gap | cut));
        node.text = text;
        node.end = self.tree.nodes.len() as u32 + 1;
        self.tree.nodes.push(node);
    }

    /// The span of a piece of the text in the pool, cut at a limit and with its escapes resolved.
    fn span(&mut self, start: usize, end: usize, limit: usize) -> (Span, u32) {
        let piece = &self.text[start..end];
        let (piece, cut) = if piece.len() > limit {
            (&piece[..piece.floor_char_boundary(limit)], Flags::CUT)
        } else {
            (piece, 0)
        };
        if !piece.as_bytes().contains(&b'&') {
            let start = (self.base + start) as u32;
            return (Span { start, end: start + piece.len() as u32 }, cut);
        }
        let start = (self.base + self.text.len() + self.decoded.len()) as u32;
        unescape(piece, &mut self.decoded);
        (Span { start, end: (self.base + self.text.len() + self.decoded.len()) as u32 }, cut)
    }

    /// The symbol of a name. The same few come again and again, so that a small table answers mostly.
    fn symbol(&mut self, start: usize, end: usize) -> Symbol {
        let name = &self.text.as_bytes()[start..end];
        let (Some(first), Some(last)) = (name.first(), name.last()) else { return sym::NONE };
        let middle = name[name.len() / 2];
        let slot =
            (name.len() * 5 + usize::from(*first) * 3 + usize::from(*last) * 7 + usize::from(middle) * 11)
                % RECENT;
        let (known_start, known_end, symbol) = self.recent[slot];
        if known_end > 0 && &self.text.as_bytes()[known_start as usize..known_end as usize] == name {
            return symbol;
        }
        let text = &self.text[start..end];
        let symbol = self.symbols.intern(&text[..text.floor_char_boundary(100)]);
        self.recent[slot] = (start as u32, end as u32, symbol);
        symbol
    }
}

fn unescape(piece: &str, out: &mut String) {
    let mut rest = piece;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (text, length) = match rest.as_bytes() {
            [b'&', b'a', b'm', b'p', b';', ..] => ("&", 5),
            [b'&', b'n', b'b', b's', b'p', b';', ..] => ("\u{a0}", 6),
            [b'&', b'q', b'u', b'o', b't', b';', ..] => ("\"", 6),
            [b'&', b'l', b't', b';', ..] => ("<", 4),
            [b'&', b'g', b't', b';', ..] => (">", 4),
            _ => ("&", 1),
        };
        out.push_str(text);
        rest = &rest[length..];
    }
    out.push_str(rest);
}

fn is_void(tag: Symbol) -> bool {
    matches!(
        tag,
        sym::AREA
            | sym::BASE
            | sym::BR
            | sym::COL
            | sym::EMBED
            | sym::HR
            | sym::IMG
            | sym::INPUT
            | sym::LINK
            | sym::META
            | sym::SOURCE
            | sym::TRACK
            | sym::WBR
            | sym::BASEFONT
            | sym::BGSOUND
            | sym::FRAME
            | sym::KEYGEN
            | sym::PARAM
    )
}
