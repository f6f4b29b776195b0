//! Records a person: steps as the page sees them, completed with what only the host sees.

mod beat;
mod draft;
mod history;
mod note;
mod onlooker;
mod recorder;
mod recover;
mod risky_words;
mod start;
mod trail;

pub(super) use draft::finished;
pub use draft::{Head, salvage};
pub(super) use note::Notes;
pub(super) use onlooker::{Onlooker, steps_done};
pub(super) use recover::lives;
pub use recover::{Unfinished, unfinished};
pub use risky_words::{languages, says_risk};
