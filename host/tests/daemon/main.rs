//! The daemon from the outside: its sockets, its guard, its browser and its command line.

#![expect(clippy::unwrap_used, reason = "a test fails where it stands")]

mod cli;
mod heavy;
mod hostile;
mod leases;
mod pairing;
mod worker;
