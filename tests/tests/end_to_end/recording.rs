//! A person's runs on pages reduced from public reports, recorded with trusted input: each script must hold what was
//! done, in order, and nothing else.

use std::fs;
use std::path::Path;

use cairn_core::script::{Method, Script};
use cairn_tests::case::{Case, judge_recording};
use cairn_tests::{Recorded, pages};

use crate::scratch::Scratch;

#[tokio::test]
async fn what_a_person_does_is_what_the_script_holds() {
    let scratch = Scratch::set().await;
    let folder = pages::tests_folder().join("cases");
    let mut wrong = Vec::new();
    for case in Case::all(&folder, &[]).unwrap() {
        if case.out_of_reach().is_some() {
            continue;
        }
        match judge_recording(&scratch.stage, &folder, &case).await {
            Ok((finding, recorded)) => {
                wrong.extend(
                    finding
                        .wrong
                        .into_iter()
                        .map(|sentence| format!("{} {}: {sentence}", case.id, case.slug)),
                );
                wrong.extend(leaks(&case, &recorded, scratch.stage.cairn.folder()));
                is_complete(&recorded.script.script, &case);
            }
            Err(error) => wrong.push(format!("{} {}: {error}", case.id, case.slug)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every step can be found again, knows where it was done, and says what it means.
fn is_complete(script: &Script, case: &Case) {
    for step in &script.steps {
        assert!(!step.instruction.is_empty() && !step.url_before.is_empty(), "{}: {step:?}", case.id);
        assert_eq!(step.by.as_deref(), Some("person"), "{}", case.id);
        assert!(step.precondition.url_pattern.is_some(), "{}", case.id);
        if let Some(target) = &step.action.target {
            assert!(target.all_selectors().next().is_some(), "{}: {target:?}", case.id);
            assert!(target.twins.is_some() && !target.path.is_empty(), "{}: {target:?}", case.id);
        } else {
            assert_eq!(step.action.method, Method::Press, "{}: only a shortcut has no target", case.id);
        }
    }
}

/// A secret may stand in nothing that was written or said.
fn leaks(case: &Case, recorded: &Recorded, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for secret in &case.expect.secrets {
        let said =
            recorded.said.lines.iter().chain([&recorded.said.errors]).any(|line| line.contains(secret));
        if said {
            found.push(format!("{}: the command said {secret:?}", case.id));
        }
        for file in files_below(folder) {
            let bytes = fs::read(&file).unwrap_or_default();
            if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                found.push(format!("{}: {secret:?} stands in {}", case.id, file.display()));
            }
        }
    }
    found
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { vec![entry.path()] })
        .collect()
}
