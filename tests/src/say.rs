//! What a program of checks says, and how it ends.

use std::fmt::Display;
use std::io::Write as _;
use std::process::ExitCode;

/// One line on stdout.
pub fn say(text: &str) {
    // Nobody reads: nothing to do about it.
    let _ = writeln!(anstream::stdout(), "{text}");
}

/// The exit of checks that held, that did not, or that could not be made: 0, 1, or 2 with the reason said.
pub fn exit<E: Display>(checked: Result<bool, E>, what: &str) -> ExitCode {
    match checked {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            say(&format!("{what} could not go on: {error}"));
            ExitCode::from(2)
        }
    }
}
