//! The command line, one file a verb.

mod command;
pub mod output;

mod completions;
mod demo_site;
mod doctor;
mod extension;
mod interrupt;
mod pair;
mod probe;
mod serve;

pub use command::{Context, main};
