//! The heal ladder: how a target is found again among the elements of a page, or is declined.
//!
//! `resolve` is the only way to find a target, `describe` its counterpart for the recorder, `weakness` the recorder's
//! question whether a target could be found without its selectors. One function a rung in `rungs`; population, margin,
//! veto and usability in `margin`.

mod case;
mod class;
mod describe;
mod evidence;
mod index;
mod likely;
mod link;
mod margin;
pub mod pages;
mod place;
mod recorded;
mod resolve;
mod rungs;
mod verdict;

pub use class::{RoleClass, role_class};
pub use describe::{describe, weakness};
pub use index::{Hits, Index, NoSelectors, Selectors};
pub use resolve::resolve;
pub use verdict::{Decline, Heal, Match, Rung, RunnerUp, Verdict};
