//! Every case of `tests/cases`, and of the folder that `CAIRN_CASES` names: recorded with trusted input, compared step by
//! step, replayed, and replayed again on the page after a redesign.

use std::fs;
use std::path::{Path, PathBuf};

use cairn_core::redact::Redactor;
use cairn_core::script::{Method, Script};
use cairn_tests::Recorded;
use cairn_tests::case::{Case, judge};
use cairn_tests::pages::tests_folder;
use rstest::rstest;

use crate::scratch::Scratch;

/// In two halves, so that two browsers can share them.
#[rstest]
#[case::even(0)]
#[case::odd(1)]
#[tokio::test]
async fn every_case_is_as_it_must_be(#[case] half: usize) {
    let mut folders = vec![tests_folder().join("cases")];
    folders.extend(std::env::var_os("CAIRN_CASES").map(PathBuf::from));
    let scratch = Scratch::set().await;
    let mut wrong = Vec::new();
    let mut tried = 0;
    for folder in &folders {
        for case in Case::all(folder, &[]).unwrap().iter().skip(half).step_by(2) {
            tried += 1;
            let sentences = problems(&scratch, folder, case).await;
            wrong.extend(
                sentences.into_iter().map(|sentence| format!("{} {}: {sentence}", case.id, case.slug)),
            );
        }
    }
    assert!(tried >= 28, "only {tried} cases were found");
    assert!(wrong.is_empty(), "{} sentences about {tried} cases:\n{}", wrong.len(), wrong.join("\n"));
    scratch.stage.chrome.stop().await;
}

async fn problems(scratch: &Scratch, folder: &Path, case: &Case) -> Vec<String> {
    // A page whose policy forbids WASM gets the twin; `make cases` tries both everywhere.
    let engine = if case.forbids_wasm(folder) { "js" } else { "wasm" };
    match judge(&scratch.stage, folder, case, engine).await {
        Ok((finding, recorded)) => {
            is_complete(&recorded.script.script, case);
            let mut wrong = finding.wrong;
            wrong.extend(leaks(case, &recorded, scratch.stage.cairn.folder()));
            wrong
        }
        Err(error) => vec![error.to_string()],
    }
}

/// Every step can be found again, knows where it was done, and says what it means.
fn is_complete(script: &Script, case: &Case) {
    for step in &script.steps {
        assert!(!step.instruction.is_empty() && !step.url_before.is_empty(), "{}: {step:?}", case.id);
        assert_eq!(step.by.as_deref(), Some("person"), "{}", case.id);
        let by_the_browser =
            matches!(step.action.method, Method::Goto | Method::Back | Method::Forward | Method::Reload);
        assert!(by_the_browser || step.precondition.url_pattern.is_some(), "{}", case.id);
        if let Some(target) = &step.action.target {
            assert!(target.all_selectors().next().is_some(), "{}: {target:?}", case.id);
            assert!(target.twins.is_some() && !target.path.is_empty(), "{}: {target:?}", case.id);
        } else {
            let has_none = by_the_browser || step.action.method == Method::Press;
            assert!(has_none, "{}: only shortcuts and the browser's controls have no target", case.id);
        }
    }
}

/// A secret may stand in nothing that was written or said.
fn leaks(case: &Case, recorded: &Recorded, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for secret in &case.expect.secrets {
        let spelled = Redactor::new([("secret", secret)]);
        let is_in = |text: &str| spelled.finds(text).is_some();
        let said = recorded.said.lines.iter().chain([&recorded.said.errors]).any(|line| is_in(line));
        if said {
            found.push(format!("{}: the command said {secret:?}", case.id));
        }
        for file in files_below(folder) {
            let bytes = fs::read(&file).unwrap_or_default();
            if is_in(&String::from_utf8_lossy(&bytes)) {
                found.push(format!("{}: {secret:?} stands in {}", case.id, file.display()));
            }
        }
    }
    found
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { vec![entry.path()] })
        .collect()
}
