//! The language of Cairn: plain data and pure functions, for the page (wasm32) and the host alike.
//! No I/O, no clock, no web-sys.

pub mod candidate;
pub mod element;
pub mod key;
pub mod keyboard;
pub mod ladder;
pub mod map;
pub mod name;
pub mod order;
pub mod redact;
pub mod role;
pub mod scope;
pub mod script;
pub mod selector;
pub mod snapshot;
pub mod spelling;
pub mod text;
pub mod url_pattern;
pub mod value;
pub mod wire;
