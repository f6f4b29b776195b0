//! A person is quicker than the probe: what they act on before it runs, and what the page takes away at once, is recorded as
//! it was.

use cairn_tests::pages::tests_folder;
use cairn_tests::{Pages, Recording, Replay, What};
use serde_json::json;

use crate::scratch::Scratch;

#[tokio::test]
async fn what_is_gone_before_the_probe_runs_is_recorded_as_it_was() {
    let scratch = Scratch::set().await;
    let stage = &scratch.stage;
    // Under this policy the probe is the plain script, which takes its time to start; on a slow machine it takes more.
    let pages = Pages::serve(tests_folder().join("pages/early")).await.unwrap();
    let recording = Recording::start(stage, "early", &pages.url("letters.csp.html"), &[]).await.unwrap();
    let person = recording.person().clone();
    let slow = |rate: u32| person.tab().call("Emulation.setCPUThrottlingRate", json!({ "rate": rate }));
    slow(10).await.unwrap();
    person.click(&What::role("link", "Open the inbox")).await.unwrap();
    person.click(&What::css("li:nth-child(2) button")).await.unwrap();
    slow(1).await.unwrap();
    person.tab().until_text("Archived the letter From Grace").await.unwrap();
    let recorded = recording.stop(stage).await.unwrap();
    let steps = &recorded.script.script.steps;
    let said: Vec<String> = steps.iter().map(|step| step.instruction.clone()).collect();
    assert_eq!(said, ["Click the link \"Open the inbox\"", "Click the button \"Archive\""], "{steps:?}");
    let target = steps[1].action.target.as_ref().unwrap();
    assert_eq!((target.role.as_str(), target.twins, target.ordinal), ("button", Some(2), Some(2)));
    assert!(target.row_key.as_deref().is_some_and(|key| key.contains("Grace")), "{target:?}");
    assert_eq!(steps[1].weak, None);

    let port = stage.daemon.port_text();
    let file = recorded.file.to_string_lossy();
    let said = stage.cairn.run(&["run", &file, "--attach", "--json", "--port", &port]).await.unwrap();
    let replay = Replay::of(said).unwrap();
    assert_eq!((replay.code, replay.result.healed.len()), (0, 0), "{:?}", replay.log());
    scratch.stage.chrome.stop().await;
}
