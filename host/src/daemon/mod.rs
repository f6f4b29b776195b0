//! The daemon: server, guard, sessions, leases. Everything between the engine and the extension.

pub mod client;
mod client_socket;
pub mod entrance;
mod extension_socket;
mod leases;
mod own;
mod requests;
mod server;

pub use leases::{
    ChildFrame, Hub, Lease, LeaseEvent, LeaseEvents, Open, OpenDialog, PanelRecord, dialog_answer,
};
pub use own::OwnBrowser;
pub use requests::{DaemonStatus, Handler};
pub use server::{Config, DEFAULT_PORT, Daemon, Invitation};
