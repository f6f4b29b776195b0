//! `drift`: how often a heal is right, wrong or declined, for the ladder and its rivals.
//!
//! `drift` prints every table, `drift --write docs/heal-quality.md` puts them into the document, `drift --check` measures the
//! ladder alone on less and fails if a bar is lost, `drift --explain wrong` shows what went wrong.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cairn_tests::drift::{bars, report};
use cairn_tests::say::{exit, say};
use clap::{Parser, ValueEnum};

/// Heal quality over recorded drift and mutants, natively.
#[derive(Parser)]
struct Arguments {
    /// Only the ladder, on a part of the mutants; exit code 1 if a bar is lost.
    #[arg(long)]
    check: bool,
    /// Put the tables into this document, behind its `<!-- tables -->` line.
    #[arg(long)]
    write: Option<PathBuf>,
    /// Show each heal that was wrong, or each that was declined needlessly.
    #[arg(long)]
    explain: Option<Missed>,
    /// Take only every n-th mutant.
    #[arg(long, default_value_t = 1)]
    stride: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Missed {
    /// Another element was acted on.
    Wrong,
    /// Nothing was acted on.
    Declined,
}

const MARK: &str = "<!-- tables -->";

fn main() -> ExitCode {
    exit(run(&Arguments::parse()), "drift")
}

fn run(arguments: &Arguments) -> Result<bool, Box<dyn std::error::Error>> {
    if arguments.check {
        return Ok(bars::check()?);
    }
    if let Some(missed) = arguments.explain {
        say(&report::explain(matches!(missed, Missed::Declined), arguments.stride)?);
        return Ok(true);
    }
    let tables = report::tables(arguments.stride)?;
    match &arguments.write {
        Some(path) => write(path, &tables)?,
        None => say(&tables),
    }
    Ok(true)
}

/// Replaces everything behind the mark.
fn write(path: &Path, tables: &str) -> std::io::Result<()> {
    let text = std::fs::read_to_string(path)?;
    let head = text.split(MARK).next().unwrap_or_default();
    std::fs::write(path, format!("{head}{MARK}\n\n{}\n", tables.trim_end()))
}
