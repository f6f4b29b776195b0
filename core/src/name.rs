//! Accessible names over a snapshot, by accname 1.2.
