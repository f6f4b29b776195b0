//! Records and replays. Events out, no printing.

pub mod api;
