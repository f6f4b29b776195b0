//! `cairn`: parse, run, exit code.

fn main() {}
