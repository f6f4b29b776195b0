//! The heal ladder: how a target is found again among the elements of a page, or is declined.

mod verdict;

pub use verdict::{Decline, Heal, Match, Rung, RunnerUp, Verdict};
