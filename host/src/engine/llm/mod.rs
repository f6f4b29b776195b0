//! The tier in which a model drives: one decision after the other, each with the guards and the evidence of a step.

mod act;
mod advice;
mod beside;
mod drive;
mod give_way;
mod guard;
mod page;
mod repair;
mod take_over;
mod task;

pub(super) use advice::Advice;
pub(super) use drive::Drive;
pub(super) use repair::{Mending, Repaired};
pub(super) use take_over::{complete, judged};
pub(super) use task::Task;
