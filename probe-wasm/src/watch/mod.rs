//! Watching: a person's trusted events become steps.
//!
//! `read` turns DOM events into plain records, `mind` (with `pointer`, `key`, `field`, `choice`) makes steps of those and
//! reads no page, `effect` measures what came of a step, `secret` says what may not leave, and `recorder` holds them together.

mod choice;
mod control;
mod effect;
mod field;
mod heard;
mod key;
mod ledger;
mod mind;
mod part;
mod pointed;
mod pointer;
mod read;
mod recorder;
mod remnant;
mod secret;
mod stir;
#[cfg(test)]
mod tests;
mod words;

pub use recorder::Recorder;
pub use stir::Stir;
