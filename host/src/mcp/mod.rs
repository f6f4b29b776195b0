//! The face for agents: the Model Context Protocol over stdin and stdout. Thin: it names tools, reads their arguments, and
//! lets the engine do the work.

mod browser;
mod record;
mod scripts;
mod server;
mod tasks;
#[cfg(test)]
mod tests;
mod words;

pub use server::{Access, Agent, serve};
