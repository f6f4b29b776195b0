//! The command line, one file a verb.

mod command;
pub mod output;

mod approve;
mod completions;
mod demo_site;
mod doctor;
mod extension;
mod files;
mod interrupt;
mod pair;
mod probe;
mod pull;
mod push;
mod reach;
mod record;
mod rejudge;
mod run;
mod scripts;
mod serve;
mod stop;

pub use command::{Context, main};
