//! `cairn rejudge`: what would be acted on today, over what a run left behind or over page files.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Context;
use super::files;
use super::output::plain;
use crate::engine::rejudge::{Rejudged, read_pages, rejudge_pages, rejudge_run};
use crate::exit::{ErrorKind, Exit, Failure};

/// Judge heals again, without a browser: a failed run's snapshot, or page files (the first one is what was recorded)
#[derive(clap::Args)]
pub(super) struct Args {
    /// Folders of runs (or a file in one), or page files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The script that the run played, where its result does not name a file
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let mut pages: Vec<&Path> = Vec::new();
    for file in &args.files {
        match run_folder(file) {
            Some(folder) => {
                let script = files::script(&played(&folder, args.script.as_deref())?)?;
                print(&rejudge_run(&folder, &script.script)?, context);
            }
            None => pages.push(file),
        }
    }
    if let Some(first) = pages.first() {
        let before = read_pages(first)?;
        // One page file alone is judged against itself: every target must find itself.
        let others = if pages.len() > 1 { &pages[1..] } else { &pages[..] };
        for file in others {
            for judged in rejudge_pages(file, &before, &read_pages(file)?) {
                print(&judged, context);
            }
        }
    }
    Ok(Exit::Success)
}

/// The folder of a run, where `file` is one or lies in one.
fn run_folder(file: &Path) -> Option<PathBuf> {
    let folder = if file.is_dir() { Some(file) } else { file.parent() };
    folder.filter(|folder| folder.join("steps.jsonl").is_file()).map(Path::to_owned)
}

/// The script file of a run: the one that was named, else the one that its result names.
fn played(folder: &Path, named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let result = std::fs::read_to_string(folder.join("result.json")).unwrap_or_default();
    let result: Value = serde_json::from_str(&result).unwrap_or_default();
    let script = result["script"].as_str().map(PathBuf::from).filter(|path| path.is_file());
    script.ok_or_else(|| {
        let message = "the run's result names no script file";
        let next =
            "name the script that it played with --script FILE (`cairn pull NAME` writes a test's script)";
        Failure::new(ErrorKind::Usage, message, next).at(folder.display().to_string())
    })
}

fn print(judged: &Rejudged, context: &Context) {
    if context.output.is_json() {
        context.output.data(judged);
        return;
    }
    let element = judged.element.as_ref().map(|element| format!(" -> {} {:?}", element.role, element.name));
    let mark = if judged.changed { "changed" } else { "same   " };
    context.output.line(&plain(&format!(
        "{mark} {}: {}{}",
        judged.step,
        judged.today,
        element.unwrap_or_default()
    )));
    if let Some(then) = judged.then.as_ref().filter(|_| judged.changed) {
        context.output.line(&plain(&format!("        then: {then}")));
    }
}
