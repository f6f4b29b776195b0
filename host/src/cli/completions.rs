//! `cairn completions`: a completion script for a shell.

use clap_complete::Shell;

use super::Context;
use crate::exit::{ErrorKind, Exit, Failure};

/// Prints a completion script for a shell
#[derive(clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args, context: &Context, command: &mut clap::Command) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "cairn", &mut script);
    let script = String::from_utf8(script).map_err(|error| {
        Failure::new(ErrorKind::Internal, format!("the script is no text: {error}"), "report this")
    })?;
    context.output.line(script.trim_end());
    Ok(Exit::Success)
}
