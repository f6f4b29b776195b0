//! Plays a batch of steps in the page: waits, finds, acts, judges, and says how each step went.

mod aim;
mod batch;
mod hand;
mod judge;
mod line;
mod nudge;
mod point;
mod quiet;
mod ready;
mod run;
mod single;
mod stable;
mod step;
mod unroll;

pub use batch::{check, play};
pub use line::Stop;
pub use run::Run;
pub use single::act;

#[cfg(all(test, target_arch = "wasm32"))]
mod tests;
