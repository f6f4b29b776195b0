//! Reads the DOM, keeps the index, the refs and the mutation feed.
//!
//! `collect.js` walks the tree; `read` makes a snapshot of what it hands over and an index of that; [`Eyes`] holds the last
//! [`View`] and makes a new one only when the page changed; [`usable_point`] asks the page where a press would land now.

mod collector;
mod look;
mod point;
mod read;
mod selectors;
mod view;

#[cfg(test)]
mod tests;

pub use look::Eyes;
pub use point::{PointAnswer, usable_point};
pub use view::{Found, View};
