//! Goals over MCP: an agent has them carried out, within what it allows, runs them again by name, and gives them up.

use std::time::{Duration, Instant};

use cairn_host::store::{SqliteStore, Store as _};
use cairn_tests::{Cairn, ModelServer, Mood, Pages, Wire};
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::model::Notes;

const GOAL: &str = "Fill \"Title\" with \"%title%\" and press \"Save note\" until it says \"Saved %title%\".";

/// A form with a field of numbers.
const COUNTER: &str = r#"<!doctype html><title>Counter</title><h1>Counter</h1><form id="form">
<label>How many <input name="many" type="number"></label><button>Keep</button></form><p role="status" id="said"></p><script>
form.onsubmit = (event) => { event.preventDefault(); said.textContent = `Kept ${form.many.value}`; };</script>"#;

fn answer(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| panic!("no result: {text}"))
}

#[tokio::test]
async fn an_agent_has_goals_carried_out_and_runs_skills() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Notes::serve("nowhere").await;
    let server = ModelServer::start().await.unwrap();
    let cairn = server.asked_by(Cairn::in_folder(folder.path()).unwrap(), Wire::OpenAi);
    let mut agent = Agent::start(&cairn, &["mcp"]).await;
    let url = notes.pages.url("notes");
    let task = |title: &str, more: Value| {
        let mut task = json!({"goal": GOAL, "url": url, "inputs": {"title": title}});
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        task
    };

    let made = answer(&agent.call("cairn_do", task("Milk", json!({"saveAs": "note"}))).await);
    assert_eq!(
        (&made["result"], &made["cache"], server.calls()),
        (&json!("success"), &json!("miss"), 3),
        "{made}"
    );
    server.reset();
    let hit = answer(&agent.call("cairn_do", task("Bread", json!({}))).await);
    assert_eq!(
        (&hit["result"], &hit["cache"], server.calls()),
        (&json!("success"), &json!("hit"), 0),
        "{hit}"
    );

    // What the call does not allow is neither replayed nor decided.
    server.reset();
    let (failed, text) = agent.try_call("cairn_do", task("Eggs", json!({"only": ["fill"]}))).await;
    let narrow = answer(&text);
    assert!(failed && server.calls() > 0, "{narrow}");
    assert_eq!(
        (&narrow["result"], &narrow["condition"]),
        (&json!("hard_failure"), &json!("model")),
        "{narrow}"
    );
    assert_eq!(narrow["cache"], "diverged", "{narrow}");
    assert!(narrow["cacheReason"].as_str().is_some_and(|why| why.contains("step 2 is a click")), "{narrow}");
    let (_, text) = agent.try_call("cairn_do", task("Eggs", json!({"cache": "off", "maxSteps": 1}))).await;
    let short = answer(&text);
    assert_eq!((&short["condition"], &short["stepsExecuted"]), (&json!("budget"), &json!(1)), "{short}");

    server.reset();
    let listed = answer(&agent.call("cairn_list", json!({})).await);
    assert_eq!(listed["skills"][0]["inputs"]["required"], json!(["title"]), "{listed}");
    let named = json!({"name": "note", "inputs": {"title": "Tea"}});
    let named = answer(&agent.call("cairn_skill", named).await);
    assert_eq!((&named["result"], &named["cache"]), (&json!("success"), &json!("hit")), "{named}");
    let (failed, text) = agent.try_call("cairn_skill", json!({"name": "note"})).await;
    assert!(failed && text.contains("`title` is missing"), "{text}");
    let (failed, text) = agent.try_call("cairn_skill", json!({"name": "nothing"})).await;
    assert!(failed && text.contains("no skill `nothing`"), "{text}");
    assert_eq!((server.calls(), server.connections()), (0, 0), "a skill asks nobody");

    // A field tells the type of its input: what does not fit is refused before a browser opens, and a task of other values is none
    // of the skill's.
    let router = axum::Router::new().fallback(|| async { axum::response::Html(COUNTER) });
    let counter = Pages::serve_router(router).await.unwrap();
    let goal = "Fill \"How many\" with \"%count%\" and press \"Keep\" until it says \"Kept %count%\".";
    let keep = json!({"goal": goal, "url": counter.url(""), "inputs": {"count": 400}, "saveAs": "keep"});
    let kept = answer(&agent.call("cairn_do", keep).await);
    assert_eq!(kept["result"], "success", "{kept}");
    let listed = answer(&agent.call("cairn_list", json!({})).await);
    let skills = listed["skills"].as_array().unwrap();
    let skill = skills.iter().find(|skill| skill["name"] == "keep").unwrap();
    assert_eq!(skill["inputs"]["properties"]["count"]["type"], "number", "{listed}");
    server.reset();
    let (failed, text) =
        agent.try_call("cairn_skill", json!({"name": "keep", "inputs": {"count": "many"}})).await;
    assert!(failed && text.contains("`count` must be a number"), "{text}");
    let again = json!({"name": "keep", "inputs": {"count": 512}});
    let again = answer(&agent.call("cairn_skill", again).await);
    assert_eq!((&again["result"], &again["cache"]), (&json!("success"), &json!("hit")), "{again}");
    assert_eq!((server.calls(), server.connections()), (0, 0), "a skill asks nobody");

    // Each step has its row, with who did it.
    let store = SqliteStore::open(&folder.path().join(".cairn")).unwrap();
    for (ran, hand) in [(&made, "model"), (&hit, "replay"), (&named, "replay")] {
        let rows = store.audit_of(ran["run"].as_str().unwrap()).await.unwrap();
        let rows: Vec<_> =
            rows.iter().map(|row| (row.number, row.hand.as_str(), row.outcome.as_str())).collect();
        assert_eq!(rows, [(1, hand, "hit"), (2, hand, "hit")], "{ran}");
    }

    // Given up while the model thinks: the run ends, and its tab with it.
    server.be(Mood::Never);
    let call = agent.begin("cairn_do", task("Salt", json!({"cache": "off"}))).await;
    let begun = Instant::now();
    while server.calls() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(30), "the model is not asked");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    agent.cancel(call).await;
    let begun = Instant::now();
    let told = loop {
        let told = agent.call("cairn_explain", json!({})).await;
        if !told.contains("it has no result yet") {
            break told;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "it goes on: {told}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(told.contains("cancelled by the agent"), "{told}");
}
