//! `cairn`: parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    cairn_host::cli::main()
}
