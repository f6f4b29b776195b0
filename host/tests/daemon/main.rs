//! The daemon from the outside: its sockets, its guard, its browser and its command line.

mod cli;
mod hostile;
mod leases;
mod pairing;
mod worker;
