//! The demo application's server.
