//! Reads what the probe's `collect/read.js` hands over: one array of integers, one string, and the table of names.
//!
//! A record is `tag, parent, number, flags`, then for an element the count of its attributes and `name, length` of each, for a
//! shadow root `0`, for a text or generated content its length. A tag of -1 is a text, -2 a shadow root, -3 and -4 generated
//! content before and after. Texts stand in the string in the order of their records, each followed by one separator, so
//! that half a surrogate pair at the end of one and half at the start of the next never join. Lengths are UTF-16 units.

use super::{Flags, Kind, NONE, Node, Snapshot, Span, Symbol, Symbols, sym};

/// The batch does not have the shape described above.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reader's batch is damaged at {at}")]
pub struct DecodeError {
    /// The place in the array of integers.
    pub at: usize,
}

pub(super) struct Texts<'a> {
    pool: &'a str,
    at: usize,
}

impl<'a> Texts<'a> {
    /// The texts that begin at a byte of the pool.
    pub fn new(pool: &'a str, at: usize) -> Self {
        Self { pool, at }
    }

    /// The next text of `units` UTF-16 units, and the separator behind it.
    pub fn take(&mut self, units: usize) -> Option<Span> {
        let bytes = self.pool.as_bytes();
        let start = self.at;
        let straight = bytes.get(start..start + units).is_some_and(<[u8]>::is_ascii);
        let end = if straight {
            start + units
        } else {
            let mut left = units;
            let mut end = start;
            for character in self.pool.get(start..)?.chars() {
                if left == 0 {
                    break;
                }
                left = left.checked_sub(character.len_utf16())?;
                end += character.len_utf8();
            }
            if left > 0 {
                return None;
            }
            end
        };
        self.at = end + 1;
        Some(Span { start: start as u32, end: end as u32 })
    }
}

struct Ints<'a> {
    ints: &'a [i32],
    at: usize,
}

impl Ints<'_> {
    fn next(&mut self) -> Result<i32, DecodeError> {
        let value = self.ints.get(self.at).copied().ok_or(DecodeError { at: self.at })?;
        self.at += 1;
        Ok(value)
    }

    fn count(&mut self) -> Result<usize, DecodeError> {
        usize::try_from(self.next()?).map_err(|_| DecodeError { at: self.at - 1 })
    }
}

impl Snapshot {
    /// Makes a snapshot of a batch. `names` is the reader's table of names.
    pub fn decode<S: AsRef<str>>(ints: &[i32], text: String, names: &[S]) -> Result<Self, DecodeError> {
        let mut symbols = Symbols::default();
        let table: Vec<Symbol> = names.iter().map(|name| symbols.intern(name.as_ref())).collect();
        let mut snapshot = Self { symbols, ..Self::default() };
        snapshot.nodes.reserve(ints.len() / 8);
        snapshot.attributes.reserve(ints.len() / 8);
        let mut ints = Ints { ints, at: 0 };
        let mut texts = Texts { pool: &text, at: 0 };
        while ints.at < ints.ints.len() {
            let at = ints.at;
            let damaged = || DecodeError { at };
            let tag = ints.next()?;
            let parent = ints.next()?;
            let parent = if parent < 0 { NONE } else { parent as u32 };
            if parent != NONE && parent as usize >= snapshot.nodes.len() {
                return Err(damaged());
            }
            let number = ints.next()? as u32;
            let flags = Flags(ints.next()? as u32);
            let count = ints.count()?;
            let kind = match tag {
                -1 => Kind::Text,
                -2 => Kind::Shadow,
                -3 => Kind::Before,
                -4 => Kind::After,
                _ => Kind::Element,
            };
            let mut node = Node::new(kind, parent, number, flags);
            node.first_attribute = snapshot.attributes.len() as u32;
            node.place = snapshot.nodes.len() as u32;
            match kind {
                Kind::Element => {
                    node.tag =
                        *usize::try_from(tag).ok().and_then(|tag| table.get(tag)).ok_or_else(damaged)?;
                    node.attribute_count = count as u16;
                    for _ in 0..count {
                        let name = *table.get(ints.count()?).ok_or_else(damaged)?;
                        let units = ints.count()?;
                        snapshot.attributes.push((name, texts.take(units).ok_or_else(damaged)?));
                    }
                }
                Kind::Shadow => {}
                Kind::Text | Kind::Before | Kind::After => {
                    node.text = texts.take(count).ok_or_else(damaged)?;
                }
            }
            snapshot.nodes.push(node);
        }
        snapshot.pool = text;
        snapshot.seal();
        Ok(snapshot)
    }

    /// Sets the end of every node's subtree.
    pub(super) fn seal(&mut self) {
        for at in 0..self.nodes.len() {
            self.nodes[at].end = at as u32 + 1;
        }
        for at in (0..self.nodes.len()).rev() {
            let (parent, end) = (self.nodes[at].parent, self.nodes[at].end);
            if let Some(parent) = self.nodes.get_mut(parent as usize) {
                parent.end = parent.end.max(end);
            }
        }
        self.lookups = std::cell::OnceCell::new();
    }
}

impl Node {
    /// A node without text and attributes.
    pub(super) fn new(kind: Kind, parent: u32, number: u32, flags: Flags) -> Self {
        Self {
            kind,
            tag: sym::NONE,
            parent,
            end: 0,
            number,
            place: NONE,
            flags,
            text: Span::default(),
            first_attribute: 0,
            attribute_count: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_widths_are_cut_where_they_end() {
        let names = ["p", "id"];
        // <p id="é😀">a😀b</p>
        let ints = [0, -1, 7, 0, 1, 1, 3, -1, 0, 8, 0, 4];
        let snapshot = Snapshot::decode(&ints, "é😀\u{1}a😀b\u{1}".to_owned(), &names).unwrap();
        assert_eq!(snapshot.attribute(0, sym::ID), Some("é😀"));
        assert_eq!(snapshot.text(1), "a😀b");
        assert_eq!(snapshot.nodes[0].end, 2);
        assert_eq!(snapshot.nodes[1].number, 8);
    }

    #[test]
    fn a_damaged_batch_is_an_error() {
        let names = ["p"];
        for ints in
            [&[0, -1, 7][..], &[9, -1, 1, 0, 0], &[0, 5, 1, 0, 0], &[-1, -1, 1, 0, 99], &[0, -1, 1, 0, -4]]
        {
            assert!(Snapshot::decode(ints, String::new(), &names).is_err(), "{ints:?}");
        }
    }
}
