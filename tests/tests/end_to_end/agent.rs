//! An agent over MCP, through the binary: what it drives becomes a script that is replayed without it, and it never sees a
//! secret that it types.

use std::fs;
use std::time::Duration;

use cairn_core::script::read;
use cairn_host::demo::{Account, Build, DemoSite};
use cairn_tests::{Cairn, Running};
use serde_json::{Value, json};

const BOUND: Duration = Duration::from_mins(1);

/// An agent that speaks to `cairn mcp`.
pub(super) struct Agent {
    running: Running,
    id: u64,
    /// Everything that the server said.
    pub(super) heard: String,
}

impl Agent {
    pub(super) async fn start(cairn: &Cairn, arguments: &[&str]) -> Self {
        let mut agent = Self { running: cairn.start(arguments).unwrap(), id: 0, heard: String::new() };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}
        });
        agent.ask("initialize", hello).await;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        agent.running.write(&format!("{ready}\n")).await.unwrap();
        agent
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        let answer = self.running.json_until(BOUND, |line| line["id"] == id).await.unwrap();
        self.heard.push_str(&answer.to_string());
        answer
    }

    async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.id += 1;
        let id = self.id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.running.write(&format!("{message}\n")).await.unwrap();
        id
    }

    /// Calls a tool and does not wait for its answer.
    pub(super) async fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.send("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Gives up a call that was begun.
    pub(super) async fn cancel(&mut self, id: u64) {
        let params = json!({"requestId": id, "reason": "it takes too long"});
        let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        self.running.write(&format!("{message}\n")).await.unwrap();
    }

    /// Calls a tool that must not fail.
    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> String {
        let (failed, text) = self.try_call(tool, arguments.clone()).await;
        assert!(!failed, "{tool} {arguments}: {text}");
        text
    }

    /// Calls a tool: whether it failed, and what it said.
    pub(super) async fn try_call(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (answer["result"]["isError"] == true, text)
    }
}

/// The ref in the line that holds this.
pub(super) fn reference(page: &str, what: &str) -> String {
    let line =
        page.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("no {what} in\n{page}"));
    let at = line.find("[ref=").unwrap() + 5;
    line[at..].split(']').next().unwrap().to_owned()
}

#[tokio::test]
async fn what_an_agent_drives_is_replayed_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = json!({"password": Account::PASSWORD}).to_string();
    fs::write(folder.path().join("inputs.json"), &inputs).unwrap();
    let cairn = Cairn::in_folder(folder.path()).unwrap();
    let site = DemoSite::start(0, Build::V1).await.unwrap();
    let mut agent = Agent::start(&cairn, &["mcp", "--inputs", "inputs.json", "--secret", "password"]).await;
    let page = agent.call("browser_navigate", json!({"url": site.url()})).await;
    agent.call("cairn_record", json!({"action": "start", "name": "signing-in", "goal": "Sign in"})).await;
    let email = json!({"ref": reference(&page, "\"Email\""), "text": Account::EMAIL});
    let page = agent.call("browser_type", email).await;
    let password = json!({"ref": reference(&page, "\"Password\""), "text": "%password%"});
    let page = agent.call("browser_type", password).await;
    let page = agent.call("browser_click", json!({"ref": reference(&page, "button \"Sign in\"")})).await;
    assert!(page.contains("Equipment"), "{page}");
    let kept = agent.call("cairn_record", json!({"action": "stop"})).await;
    assert!(kept.contains("3 steps, stored as promoted"), "{kept}");
    agent.call("browser_close", json!({})).await;

    let ran = agent.call("cairn_run", json!({"name": "signing-in"})).await;
    let ran: Value = serde_json::from_str(&ran).unwrap();
    assert_eq!((ran["result"].as_str(), ran["stepsExecuted"].as_u64()), (Some("success"), Some(3)), "{ran}");
    assert!(!agent.heard.contains(Account::PASSWORD), "the agent has seen the secret");
    drop(agent);

    let text = cairn.run(&["scripts", "show", "signing-in"]).await.unwrap().lines.join("\n");
    assert!(!text.contains(Account::PASSWORD));
    let script = read(&text).unwrap().script;
    assert_eq!(script.steps[1].action.value.as_deref(), Some("%password%"));
    assert_eq!(script.steps[0].by.as_deref(), Some("agent:tester"));
    assert_eq!(script.steps[2].sends, Some(true), "signing in posts");
    let said = cairn.run(&["run", "signing-in", "--inputs", "inputs.json", "--json"]).await.unwrap();
    assert_eq!(said.code, 0, "{}", said.errors);
}
