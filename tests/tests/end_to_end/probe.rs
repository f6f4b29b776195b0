//! `cairn probe` on pages that load, pages that do not, and pages that would hang it.

use std::time::{Duration, Instant};

use axum::Router;
use axum::http::header;
use axum::response::{Html, IntoResponse as _};
use axum::routing::get;
use cairn_tests::chrome::Target;
use cairn_tests::{Cairn, Pages, Stage};
use serde_json::Value;
use tokio::time::sleep;

const FORM: &str = r#"<!doctype html><title>Profile</title>
<form aria-label="Profile"><label>Email <input name="email" required value="a@b.example"></label>
<label><input type="checkbox" checked> News</label><button>Save</button></form>
<a href="/next">Next</a>"#;

/// Adds a button half a second after it was loaded, as an application that asks its server does.
const LATE: &str = r"<!doctype html><title>Late</title><p>Loading</p><script>
const add = name => document.body.append(Object.assign(document.createElement('button'), {textContent: name}));
setTimeout(() => add('First'), 60); setTimeout(() => add('Second'), 120);
</script>";

/// Never gives its thread back.
const BUSY: &str = r"<!doctype html><title>Busy</title><button>Here</button><script>
addEventListener('load', () => { for (;;); });
</script>";

async fn site() -> Pages {
    let strict = [(header::CONTENT_SECURITY_POLICY, "default-src 'self'")];
    let router = Router::new()
        .route("/form", get(|| async { Html(FORM) }))
        .route("/strict", get(move || async move { (strict, Html(FORM)).into_response() }))
        .route("/late", get(|| async { Html(LATE) }))
        .route("/busy", get(|| async { Html(BUSY) }))
        .route("/silent", get(|| async { sleep(Duration::from_mins(10)).await }))
        .route("/moved", get(|| async { axum::response::Redirect::to("/form") }));
    Pages::serve_router(router).await.unwrap()
}

fn names(result: &Value) -> Vec<String> {
    let elements = result["elements"].as_array().unwrap();
    elements.iter().map(|one| format!("{} {}", one["role"], one["name"]).replace('"', "")).collect()
}

#[tokio::test]
async fn one_list_from_both_builds_in_the_fixed_form() {
    let folder = tempfile::tempdir().unwrap();
    let cairn = Cairn::in_folder(folder.path()).unwrap();
    let site = site().await;
    let cases =
        [("form", None, "wasm"), ("form", Some("js"), "js"), ("strict", None, "js"), ("moved", None, "wasm")];
    let mut lists = Vec::new();
    for (page, engine, expected) in cases {
        let url = site.url(page);
        let mut arguments = vec!["probe", &url, "--json"];
        arguments.extend(engine.iter().flat_map(|engine| ["--engine", engine]));
        let said = cairn.run(&arguments).await.unwrap();
        assert_eq!(said.code, 0, "{}", said.errors);
        let result = said.whole().unwrap();
        assert_eq!(result["engine"], expected, "{page}");
        assert_eq!(result["title"], "Profile");
        let keys: Vec<&String> = result.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["schemaVersion", "url", "title", "engine", "elements", "tookMs"]);
        let first = &result["elements"][0];
        for key in ["index", "ref", "role", "name", "scope", "frame", "box", "states", "selector"] {
            assert!(first.get(key).is_some(), "{key} in {first}");
        }
        assert_eq!(first["box"].as_array().unwrap().len(), 4);
        lists.push(names(&result));
    }
    assert_eq!(lists[0], ["textbox Email", "checkbox News", "button Save", "link Next"]);
    assert!(lists.iter().all(|list| *list == lists[0]), "{lists:?}");

    let forced = cairn.run(&["probe", &site.url("strict"), "--json", "--engine", "wasm"]).await.unwrap();
    assert_eq!(forced.code, 1);
    assert!(forced.whole().unwrap()["reason"].as_str().unwrap().contains("Content-Security-Policy"));
}

#[tokio::test]
async fn what_comes_late_is_waited_for_and_what_never_comes_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let cairn = Cairn::in_folder(folder.path()).unwrap();
    let site = site().await;
    let late = cairn.run(&["probe", &site.url("late"), "--json"]).await.unwrap().whole().unwrap();
    assert_eq!(names(&late), ["button First", "button Second"]);

    let refused = cairn.run(&["probe", "http://127.0.0.1:9/", "--json"]).await.unwrap();
    assert_eq!(refused.code, 1);
    let refused = refused.whole().unwrap();
    assert!(refused["reason"].as_str().unwrap().contains("net::ERR"), "{refused}");
    assert_eq!(refused["elements"].as_array().unwrap().len(), 0);

    for (page, words) in [("busy", "busy"), ("silent", "no page came")] {
        let began = Instant::now();
        let said = cairn.run(&["probe", &site.url(page), "--json"]).await.unwrap();
        assert!(began.elapsed() < Duration::from_secs(30), "{page}: {:?}", began.elapsed());
        assert_eq!(said.code, 1, "{page}");
        let result = said.whole().unwrap();
        assert!(result["reason"].as_str().unwrap().contains(words), "{result}");
    }
}

/// The URLs of the open pages.
fn pages(targets: Vec<Target>) -> Vec<String> {
    let mut pages: Vec<String> =
        targets.into_iter().filter(|one| one.kind == "page").map(|one| one.url).collect();
    pages.sort();
    pages
}

#[tokio::test]
async fn an_attached_probe_leaves_the_browser_as_it_found_it() {
    let folder = tempfile::tempdir().unwrap();
    let stage = Stage::set(folder.path()).await.unwrap();
    let site = site().await;
    let url = site.url("form");
    let tab = stage.chrome.open(&url).await.unwrap();
    tab.until("document.readyState === 'complete'").await.unwrap();
    tab.evaluate("document.querySelector('input').value = 'typed by a person'").await.unwrap();
    let before = stage.chrome.targets().await.unwrap();
    let port = stage.daemon.port_text();
    let said = stage.cairn.run(&["probe", &url, "--attach", "--json", "--port", &port]).await.unwrap();
    assert_eq!(said.code, 0, "{}", said.errors);
    let value = &said.whole().unwrap()["elements"][0]["states"]["value"];
    assert_eq!(value, "typed by a person", "it is the tab that was there");
    // Another page is opened for the look, and closed again.
    let other = site.url("late");
    let said = stage.cairn.run(&["probe", &other, "--attach", "--json", "--port", &port]).await.unwrap();
    assert_eq!(said.code, 0, "{}", said.errors);
    let before = pages(before);
    let began = Instant::now();
    while pages(stage.chrome.targets().await.unwrap()) != before {
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", stage.chrome.targets().await);
        sleep(Duration::from_millis(50)).await;
    }
    let text = stage.cairn.run(&["probe", &url, "--attach", "--port", &port]).await.unwrap();
    assert_eq!(text.lines[0], "— form:Profile", "{text:?}");
    assert!(
        text.lines[1].starts_with("[0] textbox \"Email\" (value \"typed by a person\", required)"),
        "{text:?}"
    );
}
