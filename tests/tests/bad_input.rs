//! Bad input through the binary: each gets an error that names the place and the next step, its exit code, and no
//! browser is started for it.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

use std::fs;
use std::path::Path;

use cairn_tests::{Cairn, Said};
use rstest::rstest;
use tempfile::TempDir;

const CLICK: &str = r#"{"Version": 1, "StartUrl": "http://127.0.0.1:9/", "Steps": [
  {"Action": {"Method": "click", "Target": {"Role": "button", "Name": "Save"}}}
]}"#;

const WITH_INPUTS: &str = r#"{"Version": 1, "StartUrl": "http://127.0.0.1:9/",
  "Inputs": {"email": {"type": "string", "required": true}, "age": {"type": "integer"}, "pin": {"type": "integer", "secret": true}},
  "Steps": [{"Action": {"Method": "fill", "Value": "%email%", "Target": {"Role": "textbox", "Name": "Email"}}}]
}"#;

struct Desk {
    folder: TempDir,
    cairn: Cairn,
}

impl Desk {
    /// A folder with these files, and a browser that would betray itself: it does not exist.
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let cairn = Cairn::in_folder(folder.path())
            .unwrap()
            .with("CAIRN_BROWSER", "/nowhere/chromium")
            .with("XDG_RUNTIME_DIR", folder.path().to_string_lossy());
        Self { folder, cairn }
    }

    async fn run(&self, arguments: &[&str]) -> Said {
        self.cairn.run(arguments).await.unwrap()
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn holds(said: &Said, code: i32, parts: &[&str]) {
    assert_eq!(said.code, code, "{}", said.errors);
    for part in parts.iter().chain(&["error:", "next:"]) {
        assert!(said.errors.contains(part), "{part:?} is not in:\n{}", said.errors);
    }
}

#[rstest]
#[case::no_json("{\n  \"Goal\": \"x\"\n  \"StartUrl\": \"y\"\n}", &["no JSON", "s.json:3:3", "\"StartUrl\"", "here"])]
#[case::cut_off("{\"Version\": 1,\n \"Steps\": [{\"Action\": {", &["cut off", "s.json:2:"])]
#[case::empty("", &["empty", "s.json"])]
#[case::newer(r#"{"Version": 7, "StartUrl": "http://a/", "Steps": []}"#, &["version 7", "up to version 1", "s.json"])]
#[case::unknown_method(
    "{\"StartUrl\": \"http://a/\", \"Steps\": [\n {\"Action\": {\"Method\": \"teleport\"}}]}",
    &["\"teleport\"", "s.json:2:", "use one of: click"]
)]
#[case::wrong_shape(r#"{"StartUrl": 7, "Steps": []}"#, &["s.json:1:"])]
#[case::no_target(r#"{"StartUrl": "http://a/", "Steps": [{"Action": {"Method": "click"}}]}"#, &["step 1", "Target"])]
#[case::not_built(r#"{"StartUrl": "http://a/", "Steps": [{"Action": {"Method": "dialog"}}]}"#, &["step 1", "dialog"])]
#[case::devtools_recorder(
    r#"{"title": "buy", "steps": [{"type": "navigate", "url": "http://a/"}]}"#,
    &["no script", "Chrome DevTools Recorder", "cairn record"]
)]
#[case::selenium_ide(r#"{"id": "1", "version": "2.0", "tests": [], "suites": []}"#, &["Selenium IDE"])]
#[case::playwright("import { test } from '@playwright/test';\n", &["no JSON", "s.json:1:1"])]
#[case::no_method(
    r#"{"StartUrl": "http://a/", "Steps": [{"Action": {"Target": {"Role": "button", "Name": "Pay"}}}]}"#,
    &["step 1", "Method"]
)]
#[case::a_check_of_nothing(
    r#"{"StartUrl": "http://a/", "Steps": [], "GoalPostconditions": [{"Rolle": "heading"}]}"#,
    &["goal check 1", "asks for nothing", "misspelt"]
)]
#[case::a_regex_that_is_none(
    r#"{"StartUrl": "http://a/", "Steps": [], "Outputs": {"price": {"match": "(\\d+"}}}"#,
    &["output `price`", "regular expression", "unclosed group"]
)]
#[case::a_regex_without_end(
    r#"{"StartUrl": "http://a/", "Steps": [], "Outputs": {"price": {"match": "((a{1000}){1000}){1000}"}}}"#,
    &["output `price`", "repeat too much"]
)]
#[case::an_input_regex_that_is_none(
    r#"{"StartUrl": "http://a/", "Inputs": {"n": {"pattern": "[", "default": "x"}}, "Steps": []}"#,
    &["input `n`", "JSON Schema", "Inputs"]
)]
#[case::a_fixture_that_is_missing(
    r#"{"StartUrl": "http://a/", "Steps": [{"Action": {"Method": "upload", "Value": "cv.pdf",
        "Target": {"Role": "button", "Name": "CV"}}}]}"#,
    &["step 1", "\"cv.pdf\"", "fixtures"]
)]
#[case::a_checkpoint_behind_the_end(
    r#"{"StartUrl": "http://a/", "Steps": [], "GoalPostconditions": [{"Text": "x"}],
        "Checkpoints": [{"Name": "paid", "After": 1, "Checks": []}]}"#,
    &["checkpoint `paid`"]
)]
#[tokio::test]
async fn a_script_that_cannot_be_used(#[case] text: &str, #[case] parts: &[&str]) {
    let desk = Desk::with(&[("s.json", text)]);
    holds(&desk.run(&["run", "s.json"]).await, 2, parts);
    let said = desk.run(&["run", "s.json", "--json"]).await;
    assert_eq!((said.code, said.json().last().unwrap()["error"]["exitCode"].as_i64()), (2, Some(2)));
}

#[rstest]
#[case::missing(&[], &["`email` is missing", "--input email=VALUE"])]
#[case::wrong_type(&["--input", "email=a", "--input", "age=seven"], &["`age` must be a whole number", "seven"])]
#[case::unknown(&["--input", "email=a", "--input", "emial=b"], &["no input `emial`", "age, email, pin"])]
#[case::no_name(&["--input", "email"], &["--input NAME=VALUE"])]
#[case::threshold(&["--input", "email=a", "--heal-threshold", "0.2"], &["0.2", "0.6 to 1.0"])]
#[case::no_model(&["--input", "email=a", "--tier", "llm"], &["needs a model"])]
#[case::coordinates(&["--input", "email=a", "--no-grounding"], &["grounding"])]
#[case::no_inputs_file(&["--inputs", "none.json"], &["none.json", "cannot be read"])]
#[tokio::test]
async fn an_input_that_does_not_fit(#[case] flags: &[&str], #[case] parts: &[&str]) {
    let desk = Desk::with(&[("s.json", WITH_INPUTS)]);
    holds(&desk.run(&[&["run", "s.json"], flags].concat()).await, 2, parts);
}

/// What a hand has misspelt is kept, as what a newer version wrote is; but who runs it hears of it.
#[tokio::test]
async fn a_key_that_does_nothing_is_told() {
    let script = r#"{"Version": 1, "StartUrl": "http://127.0.0.1:9/", "Steps": [],
      "GoalPostconditions": [{"Role": "heading", "Nmae": "Paid"}]}"#;
    let desk = Desk::with(&[("s.json", script)]);
    let said = desk.run(&["run", "s.json"]).await;
    holds(&said, 6, &["warning: s.json: GoalPostconditions[0].Nmae is no key of a script"]);
}

#[tokio::test]
async fn a_secret_of_the_wrong_type_is_not_repeated() {
    let desk = Desk::with(&[("s.json", WITH_INPUTS)]);
    let said = desk.run(&["run", "s.json", "--input", "email=a", "--input", "pin=hunter2"]).await;
    holds(&said, 2, &["`pin` must be a whole number"]);
    assert!(!said.errors.contains("hunter2"));
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let desk = Desk::with(&[("s.json", CLICK), ("t.test.json", r#"{"Name": "t", "Configuration": {}}"#)]);
    holds(&desk.run(&["pull"]).await, 5, &["no test is stored"]);
    holds(&desk.run(&["run", "none.json"]).await, 2, &["none.json", "No such file"]);
    holds(&desk.run(&["run", "checkout"]).await, 5, &["no test `checkout`", "cairn scripts list"]);
    holds(&desk.run(&["run", "t.test.json"]).await, 5, &["`t` has no promoted script", "cairn record t"]);
    holds(&desk.run(&["run", "s.json"]).await, 6, &["/nowhere/chromium"]);
    holds(
        &desk.run(&["run", "s.json", "--attach", "--port", "47991"]).await,
        4,
        &["no browser is paired", "cairn serve"],
    );
    holds(&desk.run(&["stop", "--port", "47992"]).await, 2, &["no daemon runs", "cairn serve --port 47992"]);
    holds(&desk.run(&["scripts", "show", "checkout"]).await, 5, &["no promoted script"]);
    holds(&desk.run(&["scripts", "promote", "checkout"]).await, 5, &["no pending script"]);
    holds(&desk.run(&["scripts", "recover", "x"]).await, 5, &["no interrupted recording"]);
    let out = desk.path().join("s.json").join("deeper.json");
    let record = ["record", "r", "--url", "http://127.0.0.1:9/", "--out", out.to_str().unwrap()];
    holds(&desk.run(&record).await, 2, &["cannot be written", "deeper.json"]);
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_used() {
    let desk = Desk::with(&[("s.json", CLICK), ("file", "")]);
    holds(&desk.run(&["run", "s.json", "--data", "file/data"]).await, 2, &["file/data", "--data DIR"]);
    fs::create_dir(desk.path().join("bad")).unwrap();
    fs::write(desk.path().join("bad/cairn.db"), "no database at all, but long enough to look at twice")
        .unwrap();
    holds(
        &desk.run(&["run", "s.json", "--data", "bad"]).await,
        2,
        &["bad/cairn.db", "cannot be read", "move"],
    );
    holds(&desk.run(&["serve", "--port", "0", "--data", "bad"]).await, 2, &["bad/cairn.db"]);
}

#[tokio::test]
async fn a_database_of_a_newer_version() {
    let desk = Desk::with(&[("s.json", CLICK)]);
    assert_eq!(desk.run(&["scripts", "list"]).await.code, 0);
    let file = desk.path().join(".cairn/cairn.db");
    // The version lies at a fixed place in the file's head (SQLite file format, offset 60).
    let mut bytes = fs::read(&file).unwrap();
    bytes[60..64].copy_from_slice(&41_u32.to_be_bytes());
    fs::write(&file, &bytes).unwrap();
    for verb in [&["run", "s.json"][..], &["scripts", "list"], &["serve", "--port", "0"]] {
        holds(&desk.run(verb).await, 2, &["version 41", "reads up to version", "cairn.db"]);
    }
    assert_eq!(fs::read(&file).unwrap(), bytes, "it is left as it is");
}

#[tokio::test]
async fn tests_go_into_the_store_and_come_back() {
    let test = r#"{"Name": "t", "Goal": "g", "Mine": 1, "Configuration": {"healThreshold": 0.7, "ReplayScript": "@file:scripts/t.json", "PendingReplayScript": null}}"#;
    let desk = Desk::with(&[("t.test.json", test)]);
    holds(&desk.run(&["push", "t.test.json"]).await, 2, &["scripts/t.json"]);
    fs::create_dir(desk.path().join("scripts")).unwrap();
    fs::write(desk.path().join("scripts/t.json"), CLICK).unwrap();
    assert_eq!(desk.run(&["push", "t.test.json"]).await.code, 0);
    assert_eq!(desk.run(&["pull", "--dir", "out"]).await.code, 0);
    let back = fs::read_to_string(desk.path().join("out/t.test.json")).unwrap();
    assert!(back.contains("\"Mine\": 1") && back.contains("@file:scripts/t.json"), "{back}");
    let script = fs::read_to_string(desk.path().join("out/scripts/t.json")).unwrap();
    assert!(script.contains("\"Save\""), "{script}");
}
