//! The numbered list of a page's elements, with what the ladder asks of each computed once.

use std::sync::OnceLock;

use super::class::{RoleClass, role_class};
use super::link::{LinkMatch, compare_links, link_key};
use crate::element::{Element, Usable};
use crate::text::{Bag, Name};

/// Which elements of the index a recorded selector hits. The DOM answers in the page, a snapshot natively.
pub trait Selectors {
    /// Everything that `selector` resolves to, listed or not.
    fn hits(&self, selector: &str) -> Hits;
}

/// What one selector hits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Places in the index, in document order.
    pub listed: Vec<usize>,
    /// How many more nodes it hits that the index does not list.
    pub others: usize,
}

impl Hits {
    /// The one element that it hits, where it hits no other node.
    pub fn only(&self) -> Option<usize> {
        match self.listed.as_slice() {
            [one] if self.others == 0 => Some(*one),
            _ => None,
        }
    }
}

/// Selectors that hit nothing: for pages that are stored without their DOM, and for the question whether a target is weak.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSelectors;

impl Selectors for NoSelectors {
    fn hits(&self, _: &str) -> Hits {
        Hits::default()
    }
}

/// A page's elements in document order: every interactive candidate, the unusable ones too.
#[derive(Debug, Default)]
pub struct Index {
    elements: Vec<Element>,
    entries: Vec<Entry>,
    /// (hash of the normalised name, place), sorted: twins lie side by side in document order.
    by_name: Vec<(u64, u32)>,
    /// (hash of attribute and value, place), sorted, for the attributes that may tell an element.
    by_attribute: Vec<(u64, u32)>,
}

/// What is computed of one element when the index is built, and what is kept once it was asked for.
#[derive(Debug)]
pub(super) struct Entry {
    pub name: Name,
    pub class: RoleClass,
    /// Rendered: it counts among the twins. The hidden ones do not.
    pub shown: bool,
    surroundings: OnceLock<Surroundings>,
}

/// The texts around an element, ready to be compared.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    pub row: Bag,
    pub heading: Bag,
    pub beside: Bag,
}

/// The attributes by which an element may be found again: a person or a program chose them.
pub(super) const TELLING: [&str; 3] = ["data-testid", "id", "name"];

impl Index {
    /// Lists `elements`, in document order. Names are normalised here, once.
    pub fn new(elements: Vec<Element>) -> Self {
        let mut by_name = Vec::with_capacity(elements.len());
        let mut by_attribute = Vec::new();
        let mut entries = Vec::with_capacity(elements.len());
        for (place, element) in elements.iter().enumerate() {
            let name = Name::read(&element.name);
            by_name.push((hash(&["", &name.base]), place as u32));
            for attribute in TELLING {
                if let Some(value) = element.attribute(attribute) {
                    by_attribute.push((hash(&[attribute, value]), place as u32));
                }
            }
            if let Some(key) = element.attribute("href").and_then(link_key) {
                by_attribute.push((hash(&["href", &key]), place as u32));
            }
            entries.push(Entry {
                name,
                class: role_class(&element.role, &element.tag),
                shown: element.usable != Usable::Hidden,
                surroundings: OnceLock::new(),
            });
        }
        crate::order::sort(&mut by_name);
        crate::order::sort(&mut by_attribute);
        Self { elements, entries, by_name, by_attribute }
    }

    /// The elements, in document order.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// One element.
    pub fn get(&self, place: usize) -> Option<&Element> {
        self.elements.get(place)
    }

    pub(super) fn element(&self, place: usize) -> &Element {
        &self.elements[place]
    }

    pub(super) fn entry(&self, place: usize) -> &Entry {
        &self.entries[place]
    }

    pub(super) fn surroundings(&self, place: usize) -> &Surroundings {
        self.entries[place].surroundings.get_or_init(|| {
            let element = &self.elements[place];
            let read = |text: &Option<String>| text.as_deref().map(Bag::read).unwrap_or_default();
            Surroundings {
                row: read(&element.row_key),
                heading: read(&element.heading),
                beside: read(&element.beside),
            }
        })
    }

    /// The rendered elements with the normalised name `base` (empty: the unnamed ones), of any role, in document order.
    pub(super) fn named<'a>(&'a self, base: &'a str) -> impl Iterator<Item = usize> + 'a {
        run(&self.by_name, hash(&["", base])).filter(move |place| {
            let entry = &self.entries[*place];
            entry.shown && entry.name.base == base
        })
    }

    /// The rendered elements that carry `attribute` with exactly this value, in document order.
    pub(super) fn carrying<'a>(
        &'a self,
        attribute: &'a str,
        value: &'a str,
    ) -> impl Iterator<Item = usize> + 'a {
        run(&self.by_attribute, hash(&[attribute, value])).filter(move |place| {
            self.entries[*place].shown && self.elements[*place].attribute(attribute) == Some(value)
        })
    }

    /// The rendered elements that lead where `href` leads, in document order.
    pub(super) fn leading<'a>(&'a self, href: &'a str) -> impl Iterator<Item = usize> + 'a {
        let key = link_key(href).map(|key| hash(&["href", &key]));
        key.into_iter().flat_map(|key| run(&self.by_attribute, key)).filter(move |place| {
            let now = self.elements[*place].attribute("href");
            self.entries[*place].shown && compare_links(href, now) == LinkMatch::Same
        })
    }

    /// The rendered elements.
    pub(super) fn shown(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.elements.len()).filter(|place| self.entries[*place].shown)
    }
}

fn run(sorted: &[(u64, u32)], key: u64) -> impl Iterator<Item = usize> + '_ {
    let start = sorted.partition_point(|(hash, _)| *hash < key);
    sorted[start..].iter().take_while(move |(hash, _)| *hash == key).map(|(_, place)| *place as usize)
}

/// FNV-1a over parts that cannot run into one another.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xFF]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
