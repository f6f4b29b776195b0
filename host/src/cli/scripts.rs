//! `cairn scripts`: what is stored, what waits for a person, and what an interrupted recording left.

use std::path::PathBuf;

use cairn_core::script::{ScriptFile, write};
use serde_json::json;
use similar::TextDiff;

use super::Context;
use super::files;
use super::output::plain;
use super::reach::open_store;
use crate::engine::difference::differences;
use crate::engine::evidence::write_whole;
use crate::engine::inputs_schema;
use crate::engine::record::{Unfinished, unfinished};
use crate::exit::{ErrorKind, Exit, Failure};
use crate::store::{RecordingState, Slot, StoredScript, TestSummary};

/// Lists, shows and reviews stored scripts
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Tests with their scripts, and recordings that were interrupted
    List,
    /// Print a test's script
    Show {
        /// The test
        name: String,
        /// The pending script instead of the promoted one
        #[arg(long)]
        pending: bool,
    },
    /// What a pending script would change, in words
    Diff {
        /// The test
        name: String,
        /// The lines of the two files instead
        #[arg(long)]
        lines: bool,
    },
    /// Make the pending script the one that is run
    Promote {
        /// The test
        name: String,
    },
    /// Drop the pending script
    Reject {
        /// The test
        name: String,
    },
    /// Make a script of what an interrupted recording captured
    Recover {
        /// The recording, as `list` names it
        recording: String,
        /// Write the script to this file too
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.verb {
        Verb::List => list(context).await?,
        Verb::Show { name, pending } => show(context, &name, pending).await?,
        Verb::Diff { name, lines } => diff(context, &name, lines).await?,
        Verb::Promote { name } => {
            open_store(&context.data)?.promote(&name).await?;
            done(context, &name, "promoted");
        }
        Verb::Reject { name } => {
            open_store(&context.data)?.reject(&name).await?;
            done(context, &name, "rejected");
        }
        Verb::Recover { recording, out } => recover(context, &recording, out).await?,
    }
    Ok(Exit::Success)
}

async fn list(context: &Context) -> Result<(), Failure> {
    let store = open_store(&context.data)?;
    let tests = store.tests().await?;
    let lost = unfinished(&store, &[]).await?;
    if context.output.is_json() {
        context.output.data(&json!({"tests": tests, "interrupted": lost}));
        return Ok(());
    }
    for test in &tests {
        context.output.line(&plain(&summary(test)));
    }
    for one in &lost {
        let steps = one.script.steps.len();
        context.output.line(&plain(&format!(
            "{}  interrupted recording of {}, {steps} steps: `cairn scripts recover {}`",
            one.name, one.started_at, one.recording
        )));
    }
    if tests.is_empty() && lost.is_empty() {
        context.output.note("Nothing is stored yet: `cairn record NAME --url URL` records a first script.");
    }
    Ok(())
}

/// `checkout  12 steps, pending 13 steps, 4 runs, last success, 3 of 48 steps healed`
fn summary(test: &TestSummary) -> String {
    let mut parts = vec![match test.promoted_steps {
        Some(steps) => format!("{steps} steps"),
        None => "no script".to_owned(),
    }];
    parts.extend(test.pending_steps.map(|steps| format!("pending {steps} steps")));
    if test.runs > 0 {
        parts.push(format!("{} runs", test.runs));
        parts.extend(test.last_result.as_ref().map(|last| format!("last {last}")));
        parts.push(format!("{} of {} steps healed", test.heal_rate.healed, test.heal_rate.steps));
    }
    format!("{}  {}", test.name, parts.join(", "))
}

async fn slot(context: &Context, name: &str, slot: Slot) -> Result<StoredScript, Failure> {
    let found = open_store(&context.data)?.script(name, slot).await?;
    found.ok_or_else(|| {
        let message = format!("the test `{name}` has no {} script", slot.as_str());
        Failure::new(ErrorKind::NothingSelected, message, "`cairn scripts list` shows what there is")
    })
}

async fn show(context: &Context, name: &str, pending: bool) -> Result<(), Failure> {
    let which = if pending { Slot::Pending } else { Slot::Promoted };
    let stored = slot(context, name, which).await?;
    if context.output.is_json() {
        let script = &stored.script;
        let inputs = inputs_schema(script);
        context.output.data(&json!({
            "name": name, "slot": which, "hash": stored.hash, "storedAt": stored.stored_at, "inputs": inputs, "script": script
        }));
    } else {
        context.output.line(stored.text.trim_end());
    }
    Ok(())
}

async fn diff(context: &Context, name: &str, lines: bool) -> Result<(), Failure> {
    let (promoted, pending) =
        (slot(context, name, Slot::Promoted).await?, slot(context, name, Slot::Pending).await?);
    let changes = differences(&promoted.script, &pending.script);
    let compared = TextDiff::from_lines(&promoted.text, &pending.text);
    let text = compared.unified_diff().context_radius(3).header("promoted", "pending").to_string();
    if context.output.is_json() {
        let hashes = [promoted.hash, pending.hash];
        let equal = text.is_empty();
        context
            .output
            .data(&json!({"name": name, "hashes": hashes, "equal": equal, "changes": changes, "diff": text}));
    } else if text.is_empty() {
        context.output.note("The two scripts are equal.");
    } else if lines {
        context.output.line(plain(&text).trim_end());
    } else {
        for change in &changes {
            context.output.line(&plain(&change.text));
        }
        if changes.is_empty() {
            context.output.line("only the writing of the file differs");
        }
    }
    Ok(())
}

fn done(context: &Context, name: &str, what: &str) {
    if context.output.is_json() {
        context.output.data(&json!({"name": name, "done": what}));
    } else {
        context.output.line(&plain(&format!("{what}: {name}")));
    }
}

async fn recover(context: &Context, recording: &str, out: Option<PathBuf>) -> Result<(), Failure> {
    let store = open_store(&context.data)?;
    let lost = unfinished(&store, &[]).await?.into_iter().find(|one| one.recording == recording);
    let Some(Unfinished { name, script, .. }) = lost else {
        let message = format!("no interrupted recording is named `{recording}`");
        return Err(Failure::new(ErrorKind::NothingSelected, message, "`cairn scripts list` names them"));
    };
    let text = write(&ScriptFile::from(script.clone()));
    if let Some(out) = &out {
        let out = files::absolute(out)?;
        write_whole(&out, text.as_bytes()).map_err(|error| {
            Failure::new(
                ErrorKind::Usage,
                format!("the script cannot be written: {error}"),
                "choose another --out",
            )
            .at(out.display().to_string())
        })?;
    }
    let slot = if script.steps.is_empty() { None } else { Some(store.offer_script(&name, text).await?) };
    store.set_recording(recording, RecordingState::Finished).await?;
    if context.output.is_json() {
        context.output.data(&json!({"name": name, "slot": slot, "out": out, "script": script}));
    } else {
        let stored = slot.map_or_else(String::new, |slot| format!(", stored as {}", slot.as_str()));
        context.output.line(&plain(&format!("recovered: {name} — {} steps{stored}", script.steps.len())));
    }
    Ok(())
}
