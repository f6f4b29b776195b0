//! The daemon: server, guard, sessions, leases. Everything between the engine and the extension.

pub mod client;
mod client_socket;
mod connection;
mod document;
mod extension_socket;
pub mod guard;
mod hub;
mod keys;
mod lease;
mod link;
mod own;
pub mod proof;
mod requests;
mod route;
mod runtime;
mod server;

pub use hub::{Hub, PanelRecord};
pub use lease::{Lease, LeaseEvent, LeaseEvents, Open};
pub use own::OwnBrowser;
pub use requests::{DaemonStatus, Handler};
pub use server::{Config, DEFAULT_PORT, Daemon, Invitation};
