//! Text as people read it: normal forms, words, likeness, ids that nobody chose.
//!
//! The tables are small and our own: the same code runs in the page, where every kilobyte is loaded into every document.

mod compose;
mod generated;
mod letter_table;
mod letters;
mod likeness;
mod normalise;
mod words;

pub use generated::looks_generated;
pub use letters::{lower, lower_letter, push_upper, upper};
pub use likeness::{Bag, likeness};
pub use normalise::{Name, normalise, same_name};
pub use words::{WordsWithin, word_count, words, words_within};
