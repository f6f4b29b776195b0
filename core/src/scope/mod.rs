//! The nearest labelled region of an element, and what stands beside it.

mod beside;
mod column;
mod region;

pub use beside::{Besides, beside, heading, visible_text};
pub use region::Scopes;

/// Evidence texts are cut at this many characters.
pub(crate) const CUT: usize = 200;

/// The text cut at `limit` characters.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => text[..at].to_owned(),
        None => text.to_owned(),
    }
}
