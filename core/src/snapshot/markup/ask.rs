//! What the text of a page does not tell of an element, and which elements have to be asked for it.
//!
//! Computed styles are the dearest thing to read. A style sheet can give an element a style only by a selector whose last
//! part fits it, so each selector is filed under one key of its last part (a class, an id, a tag, an attribute), and only what
//! carries the key is asked. Too many are asked that way, never too few.

use super::Tree;
use crate::snapshot::{Flags, Kind, QuickMap, Snapshot, Symbol, Symbols, sym};

/// Bits of what is asked; the same numbers stand in the probe's `collect/markup.js`.
pub struct Ask;

impl Ask {
    /// Computed `display` and `visibility`, and whether it skips its content.
    pub const SHOWN: u32 = 1;
    /// Computed `cursor`.
    pub const CURSOR: u32 = 1 << 1;
    /// Computed `text-transform`.
    pub const CASE: u32 = 1 << 2;
    /// Computed `opacity`.
    pub const OPACITY: u32 = 1 << 3;
    /// Generated content before it.
    pub const BEFORE: u32 = 1 << 4;
    /// Generated content after it.
    pub const AFTER: u32 = 1 << 5;
    /// A field's value and ticks.
    pub const FIELD: u32 = 1 << 6;
    /// Whether an option is chosen.
    pub const OPTION: u32 = 1 << 7;
    /// Which option a select shows.
    pub const SELECT: u32 = 1 << 8;
    /// Whether an open dialog is modal.
    pub const MODAL: u32 = 1 << 9;
    /// Its shadow root, where it is open.
    pub const HOST: u32 = 1 << 10;
    /// Its shadow root, where it is closed.
    pub const CLOSED_HOST: u32 = 1 << 11;
    /// The elements that script made it be labelled by.
    pub const LABELLED: u32 = 1 << 12;
    /// It may clip what it holds; not asked here, but when boxes are measured.
    pub const CLIP: u32 = 1 << 13;
    /// Whether it has a box at all.
    pub const RENDERED: u32 = 1 << 14;
    /// What is answered of a host because of its own tree's sheets.
    pub const BY_HOST: u32 = Self::SHOWN | Self::CURSOR | Self::CASE | Self::BEFORE | Self::AFTER;
    /// What the reader has to answer.
    const ANSWERED: u32 = !Self::CLIP;

    /// Flags of what these make an element do to what it holds.
    pub(super) fn marks(asks: u32) -> u32 {
        let fades = if asks & Self::OPACITY != 0 { Flags::FADES } else { 0 };
        let clips = if asks & Self::CLIP != 0 { Flags::CLIPS | Flags::CLIPS_ITSELF } else { 0 };
        fades | clips
    }

    /// What an inline style may change.
    pub(super) fn of_inline_style(style: &str) -> u32 {
        const WORDS: [(&str, u32); 11] = [
            ("display", Ask::SHOWN),
            ("visib", Ask::SHOWN),
            ("float", Ask::SHOWN),
            ("position", Ask::SHOWN | Ask::CLIP),
            ("overflow", Ask::CLIP),
            ("clip", Ask::CLIP),
            ("cursor", Ask::CURSOR),
            ("opacity", Ask::OPACITY),
            ("text-transform", Ask::CASE),
            ("all", Ask::SHOWN | Ask::CURSOR | Ask::OPACITY | Ask::CASE | Ask::CLIP),
            ("animation", Ask::SHOWN | Ask::CURSOR | Ask::OPACITY),
        ];
        WORDS.iter().filter(|(word, _)| style.contains(word)).fold(0, |bits, (_, bit)| bits | bit)
    }
}

/// What the style sheets of one tree can do to which elements.
#[derive(Debug, Default)]
pub struct StyleKeys {
    any: u32,
    slotted: u32,
    classes: QuickMap<String, u32>,
    ids: QuickMap<String, u32>,
    tags: QuickMap<Symbol, u32>,
    attributes: Vec<(Symbol, u32)>,
}

impl StyleKeys {
    /// Reads the reader's table: a key a line (`.class`, `#id`, `[attribute`, `tag`, `*`, `::slotted`), and its bits.
    pub fn read(keys: &str, bits: &[u32], symbols: &mut Symbols) -> Self {
        let mut table = Self::default();
        for (key, bits) in keys.lines().zip(bits) {
            let slot = match key.as_bytes().first() {
                Some(b'.') => table.classes.entry(key[1..].to_owned()).or_default(),
                Some(b'#') => table.ids.entry(key[1..].to_owned()).or_default(),
                Some(b'[') => {
                    table.attributes.push((symbols.intern(&key[1..]), *bits));
                    continue;
                }
                Some(b':') => &mut table.slotted,
                Some(b'*') => &mut table.any,
                _ => table.tags.entry(symbols.intern(key)).or_default(),
            };
            *slot |= bits;
        }
        table
    }

    fn of(&self, snapshot: &Snapshot, tree: &Tree, id: usize) -> u32 {
        let node = &tree.nodes[id];
        let mut bits = self.any;
        if !self.tags.is_empty() {
            bits |= self.tags.get(&node.tag).copied().unwrap_or_default();
        }
        if self.classes.is_empty() && self.ids.is_empty() && self.attributes.is_empty() {
            return bits;
        }
        for (name, span) in tree.attributes_of(node) {
            if *name == sym::CLASS && !self.classes.is_empty() {
                let classes = snapshot.pooled(*span).split_ascii_whitespace();
                bits |= classes.filter_map(|class| self.classes.get(class)).fold(0, |all, bits| all | bits);
            } else if *name == sym::ID && !self.ids.is_empty() {
                bits |= self.ids.get(snapshot.pooled(*span)).copied().unwrap_or_default();
            }
            for (known, own) in &self.attributes {
                if known == name {
                    bits |= own;
                }
            }
        }
        bits
    }
}

/// What each element of a tree has to be asked, in document order. Marks what may clip or fade what it holds.
pub fn asks(snapshot: &Snapshot, tree: &mut Tree, keys: &StyleKeys, in_hand: bool) -> Vec<(u32, u32)> {
    let mut asked = Vec::new();
    let mut styled = std::mem::take(&mut tree.styled).into_iter().peekable();
    // Where the subtree of the nearest element around that may show a hand ends: tags with a cursor of their own are asked there.
    let mut hand_end = if in_hand { usize::MAX } else { 0 };
    let mut id = 0;
    while id < tree.nodes.len() {
        let node = &tree.nodes[id];
        if node.kind != Kind::Element {
            id += 1;
            continue;
        }
        if node.tag == sym::HEAD {
            id = node.end as usize;
            continue;
        }
        let mut bits = keys.of(snapshot, tree, id);
        while let Some((_, own)) = styled.next_if(|(styled, _)| *styled as usize <= id) {
            bits |= own;
        }
        bits |= by_nature(snapshot, tree, id, keys);
        let linked = matches!(node.tag, sym::A | sym::AREA) && tree.has(node, sym::HREF);
        if bits & Ask::CURSOR != 0 || linked {
            hand_end = hand_end.max(node.end as usize);
        } else if id < hand_end && has_own_cursor(node.tag) {
            bits |= Ask::CURSOR;
        }
        let marks = Ask::marks(bits);
        // Of a field alone it is asked whether it is transparent itself; the others are seen when they are measured.
        if node.tag != sym::INPUT {
            bits &= !Ask::OPACITY;
        }
        tree.nodes[id].flags.0 |= marks;
        if bits & Ask::ANSWERED != 0 {
            asked.push((id as u32, bits & Ask::ANSWERED));
        }
        id += 1;
    }
    asked
}

/// What tag and attributes say that has to be asked.
fn by_nature(snapshot: &Snapshot, tree: &Tree, id: usize, keys: &StyleKeys) -> u32 {
    let node = &tree.nodes[id];
    let mut bits = match node.tag {
        sym::INPUT | sym::TEXTAREA => Ask::FIELD,
        sym::SELECT if !tree.has(node, sym::MULTIPLE) => Ask::SELECT,
        sym::OPTION => {
            let single = tree.ancestors(id).find(|up| tree.nodes[*up].tag == sym::SELECT);
            let single = single.is_some_and(|select| !tree.has(&tree.nodes[select], sym::MULTIPLE));
            if single { 0 } else { Ask::OPTION }
        }
        sym::DIALOG if tree.has(node, sym::OPEN) => Ask::MODAL | Ask::CLIP,
        sym::DIALOG | sym::FIELDSET | sym::MARQUEE | sym::SVG => Ask::CLIP,
        _ => 0,
    };
    if !node.flags.has(Flags::SVG) {
        bits |= hosting(snapshot, tree, id);
    }
    for (name, span) in tree.attributes_of(node) {
        bits |= match *name {
            sym::HIDDEN => Ask::SHOWN,
            sym::POPOVER => Ask::SHOWN | Ask::CLIP,
            sym::ARIA_LABELLEDBY if span.start == span.end => Ask::LABELLED,
            _ => 0,
        };
    }
    let parent = tree.nodes.get(node.parent as usize);
    match parent.map(|parent| parent.tag) {
        Some(sym::OBJECT) => bits |= Ask::RENDERED,
        Some(sym::SELECT) if !matches!(node.tag, sym::OPTION | sym::OPTGROUP | sym::HR) => {
            bits |= Ask::RENDERED;
        }
        None => bits |= keys.slotted & Ask::ANSWERED,
        _ => {}
    }
    bits
}

/// Whether a shadow root may hang on it.
fn hosting(snapshot: &Snapshot, tree: &Tree, id: usize) -> u32 {
    let node = &tree.nodes[id];
    match node.tag {
        sym::DIV
        | sym::SPAN
        | sym::ARTICLE
        | sym::ASIDE
        | sym::BLOCKQUOTE
        | sym::BODY
        | sym::FOOTER
        | sym::H1
        | sym::H2
        | sym::H3
        | sym::H4
        | sym::H5
        | sym::H6
        | sym::HEADER
        | sym::MAIN
        | sym::NAV
        | sym::P
        | sym::SECTION => {
            // A closed root on a plain element is asked for where the element looks empty: that is not cheap.
            let empty = node.end as usize == id + 1 && !node.flags.has(Flags::GAP_AT_END);
            if empty { Ask::HOST | Ask::CLOSED_HOST } else { Ask::HOST }
        }
        tag if tag.is_fixed() => 0,
        tag if snapshot.symbols.name(tag).contains('-') => Ask::HOST | Ask::CLOSED_HOST,
        _ => 0,
    }
}

/// Tags whose cursor the browser sets itself, whatever it is around them.
fn has_own_cursor(tag: Symbol) -> bool {
    matches!(
        tag,
        sym::BUTTON
            | sym::INPUT
            | sym::SELECT
            | sym::TEXTAREA
            | sym::LABEL
            | sym::OPTION
            | sym::OPTGROUP
            | sym::SUMMARY
    )
}
