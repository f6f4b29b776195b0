//! The tools as a client sees them, in the protocol's own words.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cairn_core::wire::page::InputValue;
use futures_util::future::BoxFuture;
use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};

use super::server::{Access, Agent};
use crate::daemon::Hub;
use crate::engine::Engine;
use crate::engine::api::RunSource;
use crate::exit::{ErrorKind, Failure};
use crate::store::SqliteStore;

const RISKY: &str = r#"{"Version": 1, "Goal": "Buy a mug", "StartUrl": "http://127.0.0.1:9/", "Risk": "risky", "Reviewed": true,
  "Inputs": {"item": {"type": "string", "required": true, "enum": ["mug", "cup"]}}, "Steps": []}"#;

/// A store, and no browser.
struct Desk(Arc<Engine>);

impl Access for Desk {
    fn desk(&self) -> Arc<Engine> {
        Arc::clone(&self.0)
    }

    fn engine(&self) -> BoxFuture<'_, Result<Arc<Engine>, Failure>> {
        Box::pin(async { Err(Failure::new(ErrorKind::NoBrowser, "no browser was found", "install one")) })
    }

    fn inputs(&self) -> BTreeMap<String, InputValue> {
        BTreeMap::new()
    }

    fn allows_risky(&self) -> bool {
        false
    }

    fn source(&self, what: &str) -> Result<RunSource, Failure> {
        Ok(RunSource::Test { name: what.to_owned(), upload: None })
    }
}

struct Client {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    input: WriteHalf<DuplexStream>,
    id: u64,
}

impl Client {
    async fn greet(folder: &std::path::Path) -> Self {
        let store = Arc::new(SqliteStore::open(folder).unwrap());
        crate::store::Store::offer_script(store.as_ref(), "buy", RISKY.into()).await.unwrap();
        let desk = Desk(Engine::new(Hub::new(), store, folder));
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            let service = Agent::new(Arc::new(desk)).serve(theirs).await.unwrap();
            let _ = service.waiting().await;
        });
        let (output, input) = tokio::io::split(ours);
        let mut client = Self { lines: BufReader::new(output).lines(), input, id: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}
        });
        let info = client.ask("initialize", hello).await;
        assert_eq!(info["result"]["serverInfo"]["name"], "cairn", "{info}");
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        let answer = async {
            loop {
                let line = self.lines.next_line().await.unwrap().expect("the server goes on");
                let message: Value = serde_json::from_str(&line).unwrap();
                if message["id"] == id {
                    return message;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), answer).await.expect("an answer")
    }

    /// Calls a tool: whether it failed, and what it said.
    async fn call(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        assert!(!text.is_empty(), "{answer}");
        (result["isError"] == true, text)
    }
}

#[tokio::test]
async fn every_tool_has_its_schema_and_says_whether_it_changes_anything() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::greet(folder.path()).await;
    let answer = client.ask("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    for wanted in [
        "browser_navigate",
        "browser_snapshot",
        "browser_click",
        "browser_type",
        "cairn_list",
        "cairn_run",
        "cairn_explain",
        "cairn_record",
        "cairn_do",
        "cairn_skill",
    ] {
        assert!(names.contains(&wanted), "{names:?}");
    }
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["description"].as_str().is_some_and(|text| !text.is_empty()), "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
    }
    let click = tools.iter().find(|tool| tool["name"] == "browser_click").unwrap();
    assert!(click["inputSchema"]["properties"]["ref"].is_object(), "{click}");
}

#[tokio::test]
async fn what_cannot_be_done_is_said_with_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::greet(folder.path()).await;
    let (failed, text) = client.call("cairn_list", json!({})).await;
    assert!(!failed && text.contains("\"buy\"") && text.contains("\"enum\":[\"mug\",\"cup\"]"), "{text}");
    for (tool, arguments, said) in [
        ("browser_snapshot", json!({}), "no page is open"),
        ("browser_click", json!({"ref": "1e1"}), "no page is open"),
        ("browser_navigate", json!({"url": "http://127.0.0.1:9/"}), "no browser was found"),
        ("cairn_record", json!({"action": "stop"}), "nothing is being recorded"),
        ("cairn_record", json!({"action": "start", "name": "x"}), "no page is open"),
        ("cairn_run", json!({"name": "none"}), "no test `none`"),
        ("cairn_run", json!({"name": "buy", "inputs": {"item": "car"}}), "does not fit"),
        ("cairn_run", json!({"name": "buy", "inputs": {"item": "mug"}}), "not approved"),
        ("cairn_run", json!({"name": "buy", "inputs": {"item": "mug"}, "approval": "x"}), "no approval `x`"),
        ("cairn_explain", json!({"run": "none"}), "no such run"),
        ("cairn_skill", json!({"name": "none"}), "no skill `none`"),
        ("cairn_do", json!({"goal": "", "url": "http://a/"}), "needs a goal"),
        ("cairn_do", json!({"goal": "x", "url": "http://a/", "checks": ["heading"]}), "no check"),
    ] {
        let (failed, text) = client.call(tool, arguments.clone()).await;
        assert!(failed && text.contains(said), "{tool} {arguments}: {text}");
        assert!(text.contains("next:") || tool == "cairn_record", "{text}");
    }
}
