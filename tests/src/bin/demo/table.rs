//! The summary.

use cairn_host::demo::Build;
use cairn_host::engine::api::{Ending, RunResult};

use super::paper::Paper;

/// One replay.
pub struct Row {
    /// The build it ran on.
    pub build: Build,
    /// Its result.
    pub result: RunResult,
}

/// Prints one line a replay.
pub fn print(paper: &Paper, rows: &[Row]) {
    paper.act("Summary");
    paper.note(&format!(
        "{:<6} {:<18} {:<17} {:>7} {:>7} {:>10} {:>12}",
        "build", "result", "tier", "steps", "healed", "replay ms", "whole run ms"
    ));
    for Row { build, result } in rows {
        paper.note(&format!(
            "{:<6} {:<18} {:<17} {:>7} {:>7} {:>10.0} {:>12.0}",
            build.as_str(),
            ending(result),
            result.tier.as_str(),
            format!("{}/{}", result.steps_executed, result.steps_total),
            result.healed.len(),
            result.replay_ms,
            result.duration_ms,
        ));
    }
    let calls: u32 = rows.iter().map(|row| row.result.model_calls).sum();
    paper.note(&format!("model calls: {calls}"));
}

fn ending(result: &RunResult) -> String {
    match (result.result, result.step) {
        (Ending::Success, _) => "success".into(),
        (Ending::BusinessOutcome, _) => "business outcome".into(),
        (Ending::Recoverable, _) => "recoverable".into(),
        (Ending::HardFailure, Some(step)) => format!("declined, step {step}"),
        (Ending::HardFailure, None) => "hard failure".into(),
    }
}
