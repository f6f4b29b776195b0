//! The daemon: server, guard, sessions, leases.
