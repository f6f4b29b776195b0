//! Records and replays. Events out, no printing.

pub mod api;
mod build;
pub mod evidence;
mod hoststep;
mod inputs;
pub mod lines;
pub mod probe;
mod replay;
mod scribe;
pub mod stop;
mod tab;
mod take;
mod tier;
