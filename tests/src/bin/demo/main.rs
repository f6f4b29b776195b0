//! `make demo`: a person is recorded on build v1 of a web application; the recording is replayed there, on a redesign
//! (v2), and on a build in which a lookalike stands in place of a needed control (v3). Every claim is proved by the
//! application's own state. Exit code 1 where one fails.

mod acts;
mod claims;
mod paper;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use acts::Demo;
use cairn_tests::Outcome;
use claims::Claims;
use paper::Paper;

#[tokio::main]
async fn main() -> ExitCode {
    let paper = Paper;
    let mut claims = Claims::default();
    match show(&paper, &mut claims).await {
        Ok(()) if claims.all_hold() => {
            paper.line(&format!("\n{} of {} claims hold.", claims.holding(), claims.count()));
            ExitCode::SUCCESS
        }
        Ok(()) => {
            paper.line(&format!("\n{} of {} claims hold. These do not:", claims.holding(), claims.count()));
            for claim in claims.failing() {
                paper.line(&format!("  ✗ {claim}"));
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            paper.line(&format!("\nThe demo could not go on: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn show(paper: &Paper, claims: &mut Claims) -> Outcome<()> {
    paper.line(
        "Cairn: record once, replay without a model, heal after a redesign, decline before a lookalike.\n",
    );
    let demo = Demo::prepare(paper, folder()).await?;
    let recorded = demo.record(paper, claims).await?;
    let rows = [
        demo.replay_as_recorded(paper, claims, &recorded).await?,
        demo.replay_redesign(paper, claims, &recorded).await?,
        demo.replay_lookalike(paper, claims, &recorded).await?,
    ];
    table::print(paper, &rows);
    paper.line(&format!("\nscript     {}", recorded.file.display()));
    for row in &rows {
        paper.line(&format!("evidence   {} ({})", row.result.evidence.display(), row.build));
    }
    demo.end().await;
    Ok(())
}

/// Where script and evidence lie: beside the built programs, made anew by every demo.
fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    target.canonicalize().unwrap_or(target).join("demo")
}
