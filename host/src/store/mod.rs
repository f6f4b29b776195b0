//! Tests, scripts and runs on disk, behind one trait.
