//! Cases: pages reduced from public reports, each with what a person does on it, what a script must then hold, and what
//! a replay must lead to, before and after a redesign.

mod data;
mod drive;
mod judge;

pub use data::{Case, CaseStep, Expect, Healing, Wanted};
pub use judge::{Finding, judge};
