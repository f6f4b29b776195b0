//! The entrance: who may connect, how long a stranger may stand there, and what proves a friend.

pub(in crate::daemon) mod connection;
pub mod guard;
pub(in crate::daemon) mod keys;
pub(in crate::daemon) mod note;
pub mod proof;
