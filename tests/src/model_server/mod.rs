//! A model that needs no key: a server that speaks the providers' protocols, reads the numbered list in the prompt, and decides by
//! rules. It knows none of the pages that it is used on. It counts what it is asked, and misbehaves on demand.

mod goal;
mod mood;
mod paper;
mod protocol;
mod rules;
mod server;

pub use mood::Mood;
pub use protocol::Wire;
pub use server::ModelServer;
