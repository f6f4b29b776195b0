//! A recording whose daemon is killed: what was captured up to then is still there.

use std::fs;
use std::time::Duration;

use cairn_core::script::read;
use cairn_host::demo::{Account, Build, DemoSite};
use cairn_tests::recording::event;
use cairn_tests::{Recording, Stage, What};

const BOUND: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_killed_daemon_loses_no_captured_step() {
    let folder = tempfile::tempdir().unwrap();
    let site = DemoSite::start(0, Build::V1).await.unwrap();
    let stage = Stage::set(folder.path()).await.unwrap();
    let mut recording = Recording::start(&stage, "signing-in", &site.url(), &[]).await.unwrap();
    let person = recording.person();
    person.fill(&What::role("textbox", "Email"), Account::EMAIL).await.unwrap();
    person.fill(&What::css("input[type=password]"), Account::PASSWORD).await.unwrap();
    let two = |line: &serde_json::Value| event(line)["type"] == "step" && event(line)["number"] == 2;
    recording.running().json_until(BOUND, two).await.unwrap();
    // The last amendments are on their way.
    tokio::time::sleep(Duration::from_millis(500)).await;

    stage.daemon.kill().unwrap();

    let file = recording.file().to_owned();
    let said = recording.said().await.unwrap();
    assert_eq!(said.code, 2, "{}", said.errors);
    let written = fs::read_to_string(&file).unwrap();
    let script = read(&written).unwrap().script;
    assert_eq!(script.steps.len(), 2, "{written}");
    assert!(!written.contains(Account::PASSWORD));
    assert!(script.inputs["password"].secret);

    let data = folder.path().join("data").to_string_lossy().into_owned();
    let list =
        stage.cairn.run(&["scripts", "list", "--data", &data, "--json"]).await.unwrap().whole().unwrap();
    let id = list["interrupted"][0]["recording"].as_str().unwrap().to_owned();
    assert_eq!(list["interrupted"][0]["name"], "signing-in");
    let out = folder.path().join("recovered.json");
    let recover = ["scripts", "recover", &id, "--data", &data, "--out", out.to_str().unwrap()];
    assert_eq!(stage.cairn.run(&recover).await.unwrap().code, 0);
    let recovered = fs::read_to_string(&out).unwrap();
    assert_eq!(read(&recovered).unwrap().script.steps.len(), 2, "{recovered}");
    assert!(!recovered.contains(Account::PASSWORD));
    let database = fs::read(format!("{data}/cairn.db")).unwrap();
    let secret = Account::PASSWORD.as_bytes();
    assert!(!database.windows(secret.len()).any(|window| window == secret), "no secret in the journal");
    stage.chrome.stop().await;
}
