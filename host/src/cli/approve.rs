//! `cairn approve`: a person lets a program run a risky script, once.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use super::Context;
use super::flags::Inputs;
use super::output::plain;
use super::reach::open_store;
use super::run::source;
use crate::daemon::Hub;
use crate::engine::Engine;
use crate::engine::api::{ApprovalRequest, Approved};
use crate::exit::{ErrorKind, Exit, Failure};

/// Approves one run of a risky script with these inputs
///
/// The approval is for this script as it is now, with these inputs, for one run, and it expires. A program that runs the
/// script through the daemon or MCP gives its id with --approval.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Script file, test file or name of a test
    #[arg(value_name = "PATH|NAME")]
    what: String,
    #[command(flatten)]
    inputs: Inputs,
    /// How long it is valid: 30s, 10m, 2h
    #[arg(long = "for", value_name = "TIME", default_value = "10m")]
    valid: String,
    /// Do not ask: whoever runs this command has read what will be done
    #[arg(long)]
    yes: bool,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let request = ApprovalRequest {
        source: source(&args.what)?,
        inputs: args.inputs.read()?,
        valid_ms: milliseconds(&args.valid)?,
    };
    let engine = Engine::new(Hub::new(), open_store(&context.data)?, &context.data);
    let described = engine.describe_approval(&request).await?;
    if !described.reviewed {
        let message = format!("`{}` has not been reviewed", described.script);
        let next = "read it, then set \"Reviewed\": true in the script or its test file";
        return Err(Failure::new(ErrorKind::NotAllowed, message, next));
    }
    show(context, &described);
    if !args.yes && !is_confirmed()? {
        return Err(Failure::new(
            ErrorKind::NotAllowed,
            "nothing was approved",
            "answer with yes to approve",
        ));
    }
    let approved = engine.approve(&request).await?;
    if context.output.is_json() {
        context.output.data(&approved);
    } else {
        context.output.line(&approved.id);
        context.output.note(&format!(
            "valid for one run until {}: cairn run … --approval {}",
            approved.expires_at, approved.id
        ));
    }
    Ok(Exit::Success)
}

/// What a person approves, on stderr in every mode.
fn show(context: &Context, described: &Approved) {
    let output = context.output;
    output.note(&plain(&format!("{}  {}", described.script, described.script_hash)));
    for (number, step) in (1..).zip(&described.steps) {
        output.note(&plain(&format!("{number:>3}  {step}")));
    }
    output.note(&plain(&format!("with the inputs {}", described.inputs)));
}

fn is_confirmed() -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let message = "nobody is at the terminal to approve this";
        return Err(Failure::new(ErrorKind::NotAllowed, message, "run it on a terminal, or say --yes"));
    }
    // A prompt that cannot be shown is followed by an answer that is not yes.
    let _ = write!(anstream::stderr().lock(), "Approve one such run? (yes/no) ");
    let mut answer = String::new();
    let read = stdin.lock().read_line(&mut answer);
    Ok(read.is_ok() && matches!(answer.trim(), "yes" | "y"))
}

/// `30s`, `10m`, `2h`, or seconds.
fn milliseconds(text: &str) -> Result<u64, Failure> {
    let (number, unit) = match text.trim().char_indices().find(|(_, letter)| letter.is_alphabetic()) {
        Some((at, _)) => text.trim().split_at(at),
        None => (text.trim(), "s"),
    };
    let factor = match unit {
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let product =
        number.parse::<u64>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    product.ok_or_else(|| {
        Failure::new(ErrorKind::Usage, format!("`{text}` is no time"), "give --for 30s, 10m or 2h")
            .at("--for")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let read = |text| milliseconds(text).ok();
        assert_eq!(
            (read("30s"), read("10m"), read("2h"), read("45")),
            (Some(30_000), Some(600_000), Some(7_200_000), Some(45_000))
        );
        assert_eq!((read("soon"), read("-1m"), read("99999999999999999999h")), (None, None, None));
    }
}
