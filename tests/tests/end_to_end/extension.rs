//! The extension in the page: there before its scripts, unseen by it, and going on where the worker, the document or the
//! tab ends.

use std::time::Duration;

use axum::Router;
use axum::http::header;
use axum::response::{Html, IntoResponse as _};
use axum::routing::get;
use cairn_core::script::Method;
use cairn_tests::{Pages, Recording, Stage, What};
use serde_json::json;
use tokio::time::sleep;

/// Looks for everything of ours that a page could see, before and after its own listeners.
const WATCHFUL: &str = r"<!doctype html><title>Watchful</title>
<script>
const before = new Set(Object.getOwnPropertyNames(window)), seen = [];
new MutationObserver(records => records.forEach(record => {
  if (document.readyState === 'complete') seen.push(record.type + ' ' + (record.attributeName ?? record.target.nodeName));
})).observe(document, { attributes: true, childList: true, subtree: true });
addEventListener('message', event => seen.push('message ' + event.data));
addEventListener('securitypolicyviolation', event => seen.push('policy ' + event.blockedURI));
addEventListener('error', event => seen.push('error ' + event.message));
document.addEventListener('click', event => event.stopImmediatePropagation(), true);
window.report = () => ({
  globals: Object.getOwnPropertyNames(window).filter(name => !before.has(name) && !['report', 'seen', 'before'].includes(name)),
  requests: performance.getEntriesByType('resource').map(entry => entry.name).filter(name => !name.endsWith('favicon.ico')),
  seen,
});
</script>
<button>One</button><button>Two</button>";

async fn site() -> Pages {
    let strict = [(header::CONTENT_SECURITY_POLICY, "default-src 'self'; script-src 'unsafe-inline'")];
    let router = Router::new()
        .route("/watchful", get(|| async { Html(WATCHFUL) }))
        .route("/strict", get(move || async move { (strict, Html(WATCHFUL)).into_response() }));
    Pages::serve_router(router).await.unwrap()
}

fn button(name: &str) -> What {
    What::role("button", name)
}

/// Until what a person just did is captured.
async fn captured(recording: &mut Recording, name: &str) {
    let bound = Duration::from_secs(10);
    let is_it = |line: &serde_json::Value| {
        let event = cairn_tests::recording::event(line);
        event["type"] == "step" && event["step"]["Action"]["Target"]["Name"] == name
    };
    recording.running().json_until(bound, is_it).await.unwrap();
}

#[tokio::test]
async fn the_page_sees_nothing_in_either_build() {
    let folder = tempfile::tempdir().unwrap();
    let stage = Stage::set(folder.path()).await.unwrap();
    let site = site().await;
    for page in ["watchful", "strict"] {
        let mut recording = Recording::start(&stage, page, &site.url(page), &[]).await.unwrap();
        recording.person().click(&button("One")).await.unwrap();
        captured(&mut recording, "One").await;
        let question = json!({"expression": "report()", "returnByValue": true});
        let report = recording.person().tab().call("Runtime.evaluate", question).await.unwrap();
        let report = &report["result"]["value"];
        assert_eq!(*report, json!({"globals": [], "requests": [], "seen": []}), "{page}");
        let recorded = recording.stop(&stage).await.unwrap();
        assert_eq!(
            recorded.script.script.steps.len(),
            1,
            "a page cannot keep a click from the recording: {page}"
        );
    }
}

#[tokio::test]
async fn a_recording_outlives_the_worker_and_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let stage = Stage::set(folder.path()).await.unwrap();
    let site = site().await;
    let mut recording = Recording::start(&stage, "outlives", &site.url("watchful"), &[]).await.unwrap();
    recording.person().click(&button("One")).await.unwrap();
    captured(&mut recording, "One").await;

    assert!(stage.chrome.stop_worker().await.unwrap());
    recording.person().click(&button("Two")).await.unwrap();
    captured(&mut recording, "Two").await;

    // Takes every listener of the window away.
    let rewrite =
        "document.open(); document.write('<title>Rewritten</title><button>Three</button>'); document.close()";
    recording.person().tab().evaluate(rewrite).await.unwrap();
    recording.person().click(&button("Three")).await.unwrap();
    captured(&mut recording, "Three").await;

    recording.person().tab().go(&site.url("strict")).await.unwrap();
    recording.person().click(&button("One")).await.unwrap();
    captured(&mut recording, "One").await;
    let recorded = recording.stop(&stage).await.unwrap();
    let methods: Vec<Method> = recorded.script.script.steps.iter().map(|step| step.action.method).collect();
    assert_eq!(methods, [Method::Click, Method::Click, Method::Click, Method::Goto, Method::Click]);
}

#[tokio::test]
async fn a_crashed_tab_ends_the_recording_with_what_there_was() {
    let folder = tempfile::tempdir().unwrap();
    let stage = Stage::set(folder.path()).await.unwrap();
    let site = site().await;
    let mut recording = Recording::start(&stage, "crashed", &site.url("watchful"), &[]).await.unwrap();
    recording.person().click(&button("One")).await.unwrap();
    captured(&mut recording, "One").await;
    let tab = recording.person().tab();
    // It never answers: its process is gone.
    let crash = tab.call("Page.crash", json!({}));
    let _ = tokio::time::timeout(Duration::from_secs(1), crash).await;
    let recorded = recording.ended().await.unwrap();
    assert_eq!(recorded.script.script.steps.len(), 1);
}

#[tokio::test]
async fn a_restarted_daemon_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let cairn_tests::Stage { cairn, daemon, chrome } = Stage::set(folder.path()).await.unwrap();
    let port = daemon.port();
    daemon.kill().unwrap();
    sleep(Duration::from_millis(300)).await;
    drop(daemon);
    let daemon = cairn_tests::Daemon::start_at(&cairn, port).await.unwrap();
    daemon.connected().await.unwrap();
    let site = site().await;
    let text = daemon.port_text();
    let url = site.url("watchful");
    let said = cairn.run(&["probe", &url, "--attach", "--json", "--port", &text]).await.unwrap();
    assert_eq!(said.code, 0, "{}", said.errors);
    chrome.stop().await;
}
