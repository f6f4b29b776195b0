//! One frame's DOM as plain data: nodes in document order, attributes, the styles that matter, boxes, shadow roots.
//!
//! All text lies in one pool and nodes hold spans of it, so that reading a page of 60,000 elements costs a few large
//! allocations. A shadow root is a node of its own, the first child of its host; generated content is a text child.

mod decode;
mod flags;
mod html;
mod json;
mod lookups;
pub mod markup;
mod quick;
mod symbol;
mod tree;

pub use decode::DecodeError;
pub use flags::{Display, Flags, Measured};
pub use quick::{QuickMap, QuickSet};
pub use symbol::{Symbol, Symbols, sym};
pub use tree::Children;

use std::cell::{Cell, OnceCell};

use crate::element::Rect;
use lookups::Lookups;

/// A node's place in [`Snapshot::nodes`].
pub type NodeId = usize;

/// No node.
pub const NONE: u32 = u32::MAX;

/// A piece of the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An element.
    Element,
    /// A text node that holds more than white space.
    Text,
    /// A shadow root.
    Shadow,
    /// Generated content before the element's own.
    Before,
    /// Generated content after the element's own.
    After,
}

/// One node.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Tag of an element; `sym::NONE` for the others.
    pub tag: Symbol,
    /// The parent, [`NONE`] for the root. A shadow root's is its host.
    pub parent: u32,
    /// One past the last node of its subtree.
    pub end: u32,
    /// The number that the probe gave the DOM node; stays the same as long as the node lives. 0 in stored pages.
    pub number: u32,
    /// Where the reader of the page finds the DOM node again.
    pub place: u32,
    /// Styles and states.
    pub flags: Flags,
    /// The text of a text node.
    pub text: Span,
    /// Its attributes in [`Snapshot::attributes`].
    pub first_attribute: u32,
    /// How many.
    pub attribute_count: u16,
}

/// Where an element stands and whether a person could use it; only of nodes that were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measure {
    /// The node.
    pub node: u32,
    /// Border box; its label's where `bits` says so.
    pub bounds: Rect,
    /// What was seen.
    pub bits: Measured,
    /// The node that covers it, [`NONE`] if none.
    pub cover: u32,
}

/// One frame's DOM.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// URL of the document.
    pub url: String,
    /// Title of the document.
    pub title: String,
    /// Width and height of the viewport in CSS pixels.
    pub viewport: (f64, f64),
    /// The read was cut short, by time or by a limit.
    pub truncated: bool,
    /// Nodes in document order: parents before children, a shadow root before its host's other children.
    pub nodes: Vec<Node>,
    /// Names of tags and attributes.
    pub symbols: Symbols,
    /// All attributes, in the order of their nodes.
    pub attributes: Vec<(Symbol, Span)>,
    /// All text.
    pub pool: String,
    /// Measures, ordered by node.
    pub measures: Vec<Measure>,
    lookups: OnceCell<Lookups>,
    /// Where the last measure was found: the next one asked for is mostly the next one there.
    last_measure: Cell<usize>,
    /// (number of a DOM node, node), sorted.
    numbers: OnceCell<Vec<(u32, u32)>>,
    /// Place -> node.
    places: OnceCell<Vec<u32>>,
}
