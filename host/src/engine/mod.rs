//! Records and replays. Events out, no printing.

pub mod api;
mod approval;
pub mod browse;
mod build;
mod cast;
mod checkpoint;
mod died;
pub mod difference;
pub mod driven;
pub mod evidence;
mod finding;
mod fixtures;
mod hands;
mod hoststep;
mod inputs;
pub mod keyboard;
pub mod lines;
mod llm;
mod origins;
mod outputs;
pub mod probe;
mod proposal;
pub mod record;
pub mod rejudge;
mod replay;
#[cfg(test)]
mod replay_tests;
mod resume;
mod run;
mod scribe;
mod session;
mod sight;
mod sign_in;
mod stage;
pub mod stop;
mod tab;
mod take;
pub mod test_file;
mod tier;
mod transient;
mod verdict;
mod whole;

pub use inputs::schema as inputs_schema;
pub use scribe::{EVENT_QUEUE, Events};
pub use session::{Engine, Equipment, Rinse, Service};
