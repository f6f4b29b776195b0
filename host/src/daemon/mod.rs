//! The daemon: server, guard, sessions, leases. Everything between the engine and the extension.

mod document;
mod hub;
mod lease;
mod link;
mod route;

pub use hub::{Hub, PanelRecord};
pub use lease::{Lease, LeaseEvent, LeaseEvents, Open};
