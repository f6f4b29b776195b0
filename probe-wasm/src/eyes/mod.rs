//! Reads the DOM, keeps the index, the refs and the mutation feed.
//!
//! The JavaScript of `collect/` walks the tree; `read` makes a snapshot of what it hands over and an index of that; [`Eyes`] holds the last
//! [`View`] and makes a new one only when the page changed; [`usable_point`] asks the page where a press would land now.

pub mod collector;
mod frames;
mod list;
mod look;
mod point;
mod read;
mod refs;
mod renew;
mod selectors;
mod view;
mod warm;

/// The JavaScript side, as the extension loads it.
#[cfg(test)]
pub const COLLECT: &str = concat!(
    include_str!("../../collect/dom.js"),
    include_str!("../../collect/styles.js"),
    include_str!("../../collect/markup.js"),
    include_str!("../../collect/read.js"),
    include_str!("../../collect/measure.js"),
    include_str!("../../collect/frames.js"),
    include_str!("../../collect/parts.js"),
    include_str!("../../collect/changes.js"),
    include_str!("../../collect/hold.js"),
    include_str!("../../collect/hover.js"),
);

#[cfg(test)]
mod agree;
#[cfg(test)]
mod follow;
#[cfg(test)]
mod tests;

pub use look::{Eyes, held_for};
pub use point::{PointAnswer, usable_point};
pub use view::{Found, View};
pub use warm::warm;
