//! Leases: every paired browser that is connected, the tabs that sessions hold in them, what is asked and what happens.

mod document;
mod events;
mod hub;
mod lease;
mod link;
mod route;

pub use document::ChildFrame;
pub use events::{LeaseEvent, LeaseEvents, OpenDialog};
pub use hub::{Hub, PanelRecord};
pub use lease::{Lease, Open, dialog_answer};
pub(in crate::daemon) use link::OUTGOING_FRAMES;
