//! A finished `cairn run … --json`, taken apart.

use cairn_host::engine::api::RunResult;
use serde_json::Value;

use crate::recording::event;
use crate::{Failed, Outcome, Said};

/// What a run said.
pub struct Replay {
    /// The exit code.
    pub code: i32,
    /// Every event, in order.
    pub events: Vec<Value>,
    /// Its result.
    pub result: RunResult,
    /// What it wrote on stderr.
    pub errors: String,
}

impl Replay {
    /// Reads what a run said; fails where it said no result.
    pub fn of(said: Said) -> Outcome<Self> {
        let events: Vec<Value> = said.json().iter().map(|line| event(line).clone()).collect();
        let finished = events.iter().rev().find(|event| event["type"] == "finished");
        let result = finished.map(|event| event["result"].clone()).or_else(|| events.last().cloned());
        let result = result.filter(|result| result["run"].is_string()).ok_or_else(|| {
            Failed::because(format!("the run (exit code {}) gave no result: {}", said.code, said.errors))
        })?;
        let result = serde_json::from_value(result).map_err(|error| Failed::because(error.to_string()))?;
        Ok(Self { code: said.code, events, result, errors: said.errors })
    }

    /// The log lines, in order.
    pub fn log(&self) -> Vec<&str> {
        self.events
            .iter()
            .filter(|event| event["type"] == "log")
            .filter_map(|event| event["text"].as_str())
            .collect()
    }

    /// True where a log line holds this text.
    pub fn said(&self, text: &str) -> bool {
        self.log().iter().any(|line| line.contains(text))
    }
}
