//! Cases: pages reduced from public reports, each with what a person does on it, what a script must then hold, and what
//! a replay must lead to, before and after a redesign.

mod data;
mod drive;
mod judge;

pub use data::{Answer, Case, CaseStep, Content, Expect, Healing, Place, Wanted, WantedDialog};
pub use judge::{Finding, judge, judge_often};
