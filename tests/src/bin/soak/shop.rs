//! A small form that is filled in and sent over and over again, quickly or by a server that takes its time.

use std::time::Duration;

use axum::Router;
use axum::response::Html;
use axum::routing::{get, post};
use serde_json::json;
use tokio::time::sleep;

/// How long the slow server takes.
const DELAY: Duration = Duration::from_millis(300);

/// Both servers.
pub fn router() -> Router {
    Router::new()
        .route("/form", get(|| async { form("/done") }))
        .route("/done", post(done))
        .route(
            "/slow",
            get(|| async {
                sleep(DELAY).await;
                form("/late")
            }),
        )
        .route(
            "/late",
            post(|| async {
                sleep(DELAY).await;
                done().await
            }),
        )
}

fn form(action: &str) -> Html<String> {
    Html(format!(
        r#"<!doctype html><title>Form</title><h1>Form</h1><form method="post" action="{action}">
        <label>Name <input name="name"></label><label>Town <input name="town"></label>
        <label><input type="checkbox" name="news"> Newsletter</label>
        <label>Colour <select name="colour"><option>Red<option>Blue</select></label><button>Go on</button></form>"#
    ))
}

async fn done() -> Html<&'static str> {
    Html("<!doctype html><title>Done</title><h1>Done</h1>")
}

/// The script for one of them.
pub fn script(url: &str) -> String {
    let step = |method: &str, role: &str, name: &str, value: Option<&str>| {
        json!({
            "Action": {"Method": method, "Target": {"Role": role, "Name": name}, "Value": value},
            "Precondition": {"WaitForTarget": true}
        })
    };
    let steps = [
        step("fill", "textbox", "Name", Some("Ada")),
        step("fill", "textbox", "Town", Some("Ulm")),
        step("check", "checkbox", "Newsletter", None),
        step("select", "combobox", "Colour", Some("Blue")),
        step("click", "button", "Go on", None),
    ];
    let goal = [json!({"Role": "heading", "Name": "Done"})];
    json!({"Version": 1, "StartUrl": url, "Steps": steps, "GoalPostconditions": goal}).to_string()
}
