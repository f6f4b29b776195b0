//! `cairn push`: test files into the store.

use std::path::PathBuf;

use serde_json::json;

use super::Context;
use super::files;
use super::output::plain;
use super::reach::open_store;
use crate::daemon::Hub;
use crate::engine::Engine;
use crate::exit::{Exit, Failure};

/// Loads test files into the store and resets both of their slots
#[derive(clap::Args)]
pub(super) struct Args {
    /// Test files (NAME.test.json)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    // All are read before one is stored: a mistake in the third leaves the first two as they were.
    let tests = args.files.iter().map(|path| files::test(path)).collect::<Result<Vec<_>, _>>()?;
    let engine = Engine::new(Hub::new(), open_store(&context.data)?, &context.data);
    for read in tests {
        let name = read.test.name;
        let (promoted, pending) = (read.upload.promoted.is_some(), read.upload.pending.is_some());
        engine.push(&name, read.upload).await?;
        if context.output.is_json() {
            context.output.data(&json!({"name": name, "promoted": promoted, "pending": pending}));
        } else {
            let what = match (promoted, pending) {
                (true, true) => "promoted and pending script",
                (true, false) => "promoted script",
                (false, true) => "pending script",
                (false, false) => "no script",
            };
            context.output.line(&plain(&format!("pushed: {name} — {what}")));
        }
    }
    Ok(Exit::Success)
}
