//! The daemon and the command line of Cairn.

pub mod browser;
pub mod cli;
pub mod daemon;
pub mod demo;
pub mod engine;
pub mod exit;
pub mod mcp;
pub mod model;
pub mod store;
