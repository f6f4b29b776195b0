//! `make bench`: speed and size, as ratios against playwright-core on the same pages in the same browser program.
//!
//! The two take turns, after one warm-up each; medians are compared. Exit code 1 where a bar is missed. Words on the command
//! line (`form`, `flow`, `step`, `list`, `follow`, `sizes`) name the parts to measure; without one all are.

mod follow;
mod form;
mod large;
mod report;
mod rival;
mod sizes;
mod step;

use std::process::ExitCode;

use cairn_tests::say::exit;
use cairn_tests::{Failed, Outcome, Pages, Stage, pages};
use report::Report;
use rival::Rival;

/// Runs that count, after the warm-up.
const RUNS: usize = 7;

#[tokio::main]
async fn main() -> ExitCode {
    let reported = measure().await.and_then(|report| {
        report.print();
        report.write_when_asked().map_err(Failed::io("writing the report"))?;
        Ok(report.all_bars_hold())
    });
    exit(reported, "the benchmark")
}

async fn measure() -> Outcome<Report> {
    let bench = pages::tests_folder().join("bench");
    let served = Pages::serve(bench.join("pages")).await?;
    let folder = tempfile::tempdir().map_err(Failed::io("making a folder"))?;
    let stage = Stage::set(folder.path()).await?;
    let mut rival = Rival::start(&bench).await?;
    let mut report = Report::new(rival.browser());
    if wants("form") {
        form::measure(&stage, &mut rival, &served, &mut report, form::FORM).await?;
    }
    if wants("flow") {
        form::measure(&stage, &mut rival, &served, &mut report, form::FLOW).await?;
    }
    if wants("step") {
        step::measure(&stage, &served, &mut report).await?;
    }
    if wants("list") {
        large::measure(&stage, &mut rival, &served, &mut report).await?;
    }
    if wants("follow") {
        follow::measure(&stage, &served, &mut report).await?;
    }
    if wants("sizes") {
        sizes::measure(&mut report)?;
    }
    stage.chrome.stop().await;
    Ok(report)
}

/// True where this part is named on the command line, or none is.
fn wants(part: &str) -> bool {
    let mut named = std::env::args().skip(1).filter(|word| !word.starts_with("--")).peekable();
    named.peek().is_none() || named.any(|word| word == part)
}
