//! The language of Cairn: plain data and pure functions, for the page (wasm32) and the host alike.
//! No I/O, no clock, no web-sys.

pub mod element;
pub mod ladder;
pub mod script;
pub mod wire;
