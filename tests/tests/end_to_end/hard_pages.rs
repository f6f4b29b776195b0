//! Hard pages: each HTML file of `tests/pages/probe` has the right list beside it, and both builds must give it.

use std::path::{Path, PathBuf};

use cairn_tests::{Cairn, Pages};
use serde::Deserialize;

/// What `cairn probe --all` must list.
#[derive(Deserialize)]
struct Expected {
    /// `role name`, in document order.
    list: Vec<String>,
    /// The scope of each, where the page is about scopes; empty where there is none.
    #[serde(default)]
    scopes: Vec<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("pages/probe")
}

fn pages() -> Vec<String> {
    let paths = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let pages = paths.filter(|path| path.extension().is_some_and(|extension| extension == "html"));
    let names = pages.filter_map(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()));
    let mut pages: Vec<String> = names.collect();
    pages.sort();
    pages
}

#[tokio::test]
async fn both_builds_list_what_a_person_can_use_with_its_right_name() {
    let data = tempfile::tempdir().unwrap();
    let cairn = Cairn::in_folder(data.path()).unwrap();
    let site = Pages::serve(folder()).await.unwrap();
    let pages = pages();
    assert!(pages.len() >= 6, "{pages:?}");
    for page in pages {
        let beside = folder().join(page.replace(".html", ".json"));
        let expected: Expected = serde_json::from_str(&std::fs::read_to_string(beside).unwrap()).unwrap();
        for engine in ["wasm", "js"] {
            let said =
                cairn.run(&["probe", &site.url(&page), "--json", "--all", "--engine", engine]).await.unwrap();
            assert_eq!(said.code, 0, "{page} {engine}: {}", said.errors);
            let result = said.whole().unwrap();
            let text =
                |element: &serde_json::Value, key: &str| element[key].as_str().unwrap_or_default().to_owned();
            let elements = result["elements"].as_array().unwrap();
            let list: Vec<String> = elements
                .iter()
                .map(|element| format!("{} {}", text(element, "role"), text(element, "name")))
                .collect();
            assert_eq!(list, expected.list, "{page} {engine}");
            if !expected.scopes.is_empty() {
                let scopes: Vec<String> = elements.iter().map(|element| text(element, "scope")).collect();
                assert_eq!(scopes, expected.scopes, "{page} {engine}");
            }
        }
    }
}
