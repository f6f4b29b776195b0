//! Tasks: a goal is carried out once by a model and remembered; the same goal with other values is played from memory.

mod entry;
mod remember;
mod run;
mod skills;

pub use skills::{Skill, owner};
