//! A run in the paired browser leaves the tab as it ended, and says what it did on one line an event.

use cairn_host::demo::{Account, Build, DemoSite};
use cairn_host::engine::api::{Cache, Ending};
use cairn_tests::{Replay, Stage};

#[tokio::test]
async fn an_attached_run_keeps_its_tab() {
    let folder = tempfile::tempdir().unwrap();
    let site = DemoSite::start(0, Build::V1).await.unwrap();
    let stage = Stage::set(folder.path()).await.unwrap();
    // The short form: what is not recorded degrades.
    let step = |method: &str, value: &str, role: &str, name: &str| {
        serde_json::json!({"Action": {"Method": method, "Value": value, "Target": {"Role": role, "Name": name}},
            "Precondition": {"WaitForTarget": true}})
    };
    let mut sign_in = step("click", "", "button", "Sign in");
    sign_in["Sends"] = true.into();
    sign_in["Postcondition"] = serde_json::json!({"UrlPattern": "**/apps"});
    let script = serde_json::json!({
        "StartUrl": site.url(),
        "Inputs": {"password": {"type": "string", "required": true, "secret": true}},
        "Steps": [
            step("fill", Account::EMAIL, "textbox", "Email"), step("fill", "%password%", "textbox", "Password"), sign_in,
            {"Action": {"Method": "back"}, "Postcondition": {"UrlPattern": site.url()}},
        ],
        "GoalPostconditions": [{"Role": "button", "Name": "Sign in"}],
    });
    let file = folder.path().join("short.json");
    std::fs::write(&file, script.to_string()).unwrap();
    let (port, file) = (stage.daemon.port_text(), file.to_string_lossy().into_owned());
    let password = format!("password={}", Account::PASSWORD);
    let arguments =
        ["run", &file, "--attach", "--json", "--keep-open", "--port", &port, "--input", &password];

    let said = stage.cairn.run(&arguments).await.unwrap();
    assert!(said.json().iter().all(|line| line["schemaVersion"] == 1));
    assert!(!said.lines.join("\n").contains(Account::PASSWORD));
    let replay = Replay::of(said).unwrap();

    assert_eq!((replay.code, replay.result.result), (0, Ending::Success), "{}", replay.errors);
    assert_eq!((replay.result.cache, replay.result.steps_executed), (Cache::Healed, 4));
    let steps = std::fs::read_to_string(replay.result.evidence.join("steps.jsonl")).unwrap();
    assert_eq!(steps.lines().filter(|line| line.contains("\"type\":\"step\"")).count(), 4, "{steps}");
    assert!(!steps.contains(Account::PASSWORD));
    let open = stage.chrome.targets().await.unwrap();
    assert!(format!("{open:?}").contains(&replay.result.url), "{open:?}");
    stage.chrome.stop().await;
}
