//! The script: what one passing run became, and what later runs play back.

mod condition;
pub mod course;
mod declared;
pub mod distill;
mod durable;
mod file;
mod step;
mod v1;

pub use condition::{Condition, Effect, Outcome, Postcondition, Precondition, Requested, Seen};
pub use declared::{Checkpoint, Input, InputType, Output, Recoverable, Trouble};
pub use file::{ReadError, ReadErrorKind, ScriptFile, read, write};
pub use step::{Action, BoundingBox, Dialog, Extract, Method, OptionChoice, Step, Target};
pub use v1::{Script, VERSION};
