//! Tries a folder of cases: `cases FOLDER [wasm|js] [ID…]`. One line a case and build of the probe; exit code 1 where one is not
//! as it must be.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use cairn_tests::case::{Case, judge};
use cairn_tests::{Failed, Outcome, Stage};

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        say("usage: cases FOLDER [wasm|js] [ID…]");
        return ExitCode::from(2);
    };
    match try_all(&folder, &arguments.collect::<Vec<_>>()).await {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("the cases could not be tried: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn try_all(folder: &std::path::Path, only: &[String]) -> Outcome<usize> {
    let scratch = tempfile::tempdir().map_err(Failed::io("making a folder"))?;
    // Named, the folder stays for whoever wants to read the scripts.
    let kept = std::env::var_os("CASES_FOLDER").map(PathBuf::from);
    let stage = Stage::set(kept.as_deref().unwrap_or(scratch.path())).await?;
    let (engines, ids): (Vec<String>, Vec<String>) =
        only.iter().cloned().partition(|one| matches!(one.as_str(), "wasm" | "js"));
    let engines = if engines.is_empty() { vec!["wasm".to_owned(), "js".to_owned()] } else { engines };
    let (mut good, mut bad) = (0, 0);
    for case in Case::all(folder, &ids)? {
        for engine in &engines {
            let title = format!("{} {} ({engine})", case.id, case.slug);
            // A page may forbid WASM by its policy: asked for by name it is refused there, as it must be.
            let engine = if case.forbids_wasm(folder) { "js" } else { engine };
            let wrong = match judge(&stage, folder, &case, engine).await {
                Ok((finding, _)) => finding.wrong,
                Err(error) => vec![error.to_string()],
            };
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

fn say(text: &str) {
    // Nobody reads: nothing to do about it.
    let _ = writeln!(std::io::stdout(), "{text}");
}
