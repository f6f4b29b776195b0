//! The demo application's server: "Quayside", a lending desk, in three builds, with all its state in memory.
//!
//! It exists so that anybody can see a recording replayed against a redesign, and so that what a run did can be proved
//! by the application itself: `GET /state` says what was booked, and which controls were pressed.

mod assets;
mod catalogue;
mod routes;
mod site;
mod state;

pub use site::DemoSite;
pub use state::{Account, Booking, Build, Happening, StateView};
