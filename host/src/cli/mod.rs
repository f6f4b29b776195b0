//! The command line, one file a verb.

mod command;
pub mod output;

mod approve;
mod assert;
mod batch;
mod completions;
mod demo_site;
mod do_task;
mod doctor;
mod extension;
mod extract;
mod files;
mod flags;
mod follow;
mod hand;
mod interrupt;
mod junit;
mod listing;
mod mcp;
mod pair;
mod probe;
mod pull;
mod push;
mod reach;
mod record;
mod rejudge;
mod run;
mod scripts;
mod selection;
mod serve;
mod skills;
mod stop;

pub use command::{Context, main};
