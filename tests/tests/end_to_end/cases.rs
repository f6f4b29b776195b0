//! Every case of `tests/cases`, and of the folder that `CAIRN_CASES` names: recorded, compared, replayed, drifted.

use std::path::{Path, PathBuf};

use cairn_tests::case::{Case, judge};
use cairn_tests::pages::tests_folder;

use crate::scratch::Scratch;

#[tokio::test]
async fn every_case_is_as_it_must_be() {
    let mut folders = vec![tests_folder().join("cases")];
    folders.extend(std::env::var_os("CAIRN_CASES").map(PathBuf::from));
    let scratch = Scratch::set().await;
    let mut wrong = Vec::new();
    let mut tried = 0;
    for folder in &folders {
        for case in Case::all(folder, &[]).unwrap().iter().filter(|case| case.out_of_reach().is_none()) {
            tried += 1;
            wrong.extend(problems(&scratch, folder, case).await);
        }
    }
    assert!(tried >= 30, "only {tried} cases were found");
    assert!(wrong.is_empty(), "{} of {tried} cases:\n{}", wrong.len(), wrong.join("\n"));
    scratch.stage.chrome.stop().await;
}

async fn problems(scratch: &Scratch, folder: &Path, case: &Case) -> Option<String> {
    let sentences = match judge(&scratch.stage, folder, case).await {
        Ok(finding) => finding.wrong,
        Err(error) => vec![error.to_string()],
    };
    (!sentences.is_empty()).then(|| format!("{} {}: {}", case.id, case.slug, sentences.join("; ")))
}
