//! Heal quality, measured: the ladder and its rivals on drift that we did not make, and on mutants that we did.
//!
//! Everything is native and over stored element lists; no browser is opened. Run it with
//! `cargo run --release -p cairn-tests --bin drift`.

pub mod applications;
pub mod bars;
pub mod live;
pub mod measure;
pub mod mutation;
pub mod pairs;
pub mod report;
pub mod rivals;
pub mod score;
pub mod stored;
pub mod task;
