//! The daemon and the command line.
