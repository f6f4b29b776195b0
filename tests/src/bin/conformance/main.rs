//! Roles and names against the browser's own and against the W3C's vectors.
//!
//! `conformance [--only PART] [--vectors FILE] [FOLDER…]`. The vectors are one JSON object a line: `file`, `html`, and either
//! `expect: [{selector, label}]` or elements with `data-expectedlabel` in the page itself; they are looked for in
//! `../shared/wpt-accname/vectors.jsonl` too, and skipped where they are not there. Each folder's HTML files, and those of
//! `tests/pages/probe`, are compared with Chromium's own tree; so are the real applications of `tests/conformance`, where they
//! are installed (`CAIRN_APP=WORD`: those alone whose path holds the word). Exit code 1 where a bar is missed.

mod acts;
mod apps;
mod dom;
mod hostile;
mod pages;
mod truth;
mod vectors;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cairn_tests::say::{exit, say};
use cairn_tests::{Failed, Outcome, Stage};
use serde_json::Value;

#[tokio::main]
async fn main() -> ExitCode {
    let mut vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/wpt-accname/vectors.jsonl");
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("pages/probe")];
    let mut only = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), argument.starts_with('-')) {
            ("--vectors", _) => vectors = arguments.next().map(PathBuf::from).unwrap_or_default(),
            ("--only", _) => only = arguments.next(),
            (_, false) => folders.push(PathBuf::from(argument)),
            _ => {
                say("usage: conformance [--only hostile|apps|pages|vectors] [--vectors FILE] [FOLDER…]");
                return ExitCode::from(2);
            }
        }
    }
    exit(compare(only.as_deref(), &vectors, &folders).await, "the comparison")
}

async fn compare(only: Option<&str>, vectors: &Path, folders: &[PathBuf]) -> Outcome<bool> {
    let apps_alone = std::env::var_os("CAIRN_APP").is_some();
    let wants = |part: &str| only.map_or(!apps_alone || part == "apps", |only| only == part);
    let scratch = tempfile::tempdir().map_err(Failed::io("making a folder"))?;
    let stage = Stage::set(scratch.path()).await?;
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut good = true;
    if wants("hostile") {
        good &= hostile::compare(&stage, &tests.join("pages/hostile")).await?;
    }
    let installed = tests.join("conformance");
    if wants("apps") && installed.join("node_modules").is_dir() {
        good &= apps::compare(&stage, &installed).await?;
        good &= acts::compare(&installed).await?;
    } else if wants("apps") {
        say("the real applications are not installed: skipped");
    }
    for folder in folders.iter().filter(|_| wants("pages")) {
        good &= pages::compare(&stage, folder).await?;
    }
    if wants("vectors") && vectors.is_file() {
        good &= vectors::compare(&stage, vectors).await?;
    } else if wants("vectors") {
        say("the W3C's vectors are not there: skipped");
    }
    stage.chrome.stop().await;
    Ok(good)
}

/// What `cairn probe --attach` says of the open tab at `url`.
async fn probe(stage: &Stage, url: &str, flags: &[&str]) -> Outcome<Vec<Value>> {
    let port = stage.daemon.port_text();
    let arguments = [&["probe", url, "--attach", "--json", "--port", &port], flags].concat();
    let said = stage.cairn.run(&arguments).await?;
    let result = said.whole()?;
    match result["elements"].as_array() {
        Some(elements) if said.code == 0 => Ok(elements.clone()),
        _ => Err(Failed::because(format!("{url}: {} {}", said.errors, result["reason"]))),
    }
}

/// White space collapsed and trimmed, as both sides are compared.
fn plain(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ").trim().to_owned()
}
