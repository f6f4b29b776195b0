//! Tries a folder of cases: one line a case and build of the probe; exit code 1 where one is not as it must be.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cairn_tests::case::{Case, judge_often};
use cairn_tests::pages::tests_folder;
use cairn_tests::say::{exit, say};
use cairn_tests::{Failed, Outcome, Stage};
use clap::{Parser, ValueEnum};

/// Records each case with trusted input, compares the script, replays it on the same page and on the page after a redesign.
#[derive(Parser)]
#[command(name = "cases")]
struct Arguments {
    /// Only these cases, by number; all where none is named
    ids: Vec<String>,
    /// Only this build of the probe: the WASM one, or its twin in plain JavaScript; both where none is named
    #[arg(long, value_enum)]
    engine: Option<Build>,
    /// The folder of the cases: those of this repository by default
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Replay each so many times on the same page
    #[arg(long, default_value_t = 1)]
    replays: u32,
    /// Keep scripts and evidence here
    #[arg(long, env = "CASES_FOLDER")]
    keep: Option<PathBuf>,
}

/// A build of the probe.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Build {
    /// WebAssembly
    Wasm,
    /// wasm2js, for pages whose policy forbids WebAssembly
    #[value(alias = "js")]
    Twin,
}

impl Build {
    /// Its name on the command line of `cairn`.
    fn name(self) -> &'static str {
        match self {
            Self::Wasm => "wasm",
            Self::Twin => "js",
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    exit(try_all(&Arguments::parse()).await.map(|wrong| wrong == 0), "the cases")
}

async fn try_all(arguments: &Arguments) -> Outcome<usize> {
    let scratch = tempfile::tempdir().map_err(Failed::io("making a folder"))?;
    let stage = Stage::set(arguments.keep.as_deref().unwrap_or(scratch.path())).await?;
    let folder = arguments.folder.clone().unwrap_or_else(|| tests_folder().join("cases"));
    let builds = arguments.engine.map_or_else(|| vec![Build::Wasm, Build::Twin], |one| vec![one]);
    let cases = Case::all(&folder, &arguments.ids)?;
    if let Some(unknown) = arguments.ids.iter().find(|id| !cases.iter().any(|case| case.id == **id)) {
        return Err(Failed::because(format!("no case has the number {unknown}")));
    }
    let (mut good, mut bad) = (0, 0);
    for case in cases {
        for build in &builds {
            let wrong = try_one(&stage, &folder, &case, *build, arguments.replays).await;
            let title = format!("{} {} ({})", case.id, case.slug, build.name());
            if wrong.is_empty() {
                good += 1;
                say(&format!("ok    {title}"));
            } else {
                bad += 1;
                say(&format!("WRONG {title}\n        {}", wrong.join("\n        ")));
            }
        }
    }
    say(&format!("{good} as they must be, {bad} not"));
    stage.chrome.stop().await;
    Ok(bad)
}

async fn try_one(stage: &Stage, folder: &Path, case: &Case, build: Build, replays: u32) -> Vec<String> {
    // A page may forbid WASM by its policy: asked for by name it is refused there, as it must be.
    let build = if case.forbids_wasm(folder) { Build::Twin } else { build };
    match judge_often(stage, folder, case, build.name(), replays).await {
        Ok((finding, _)) => finding.wrong,
        Err(error) => vec![error.to_string()],
    }
}
