//! `cairn_*`: stored scripts, listed, run and explained.

use std::collections::BTreeMap;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ProgressNotificationParam};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{tool, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::server::Agent;
use super::words::{failed, failure, said};
use crate::engine::api::{
    Caller, ClientEvent, ClientRequest, RunEvent, RunOptions, RunRequest, RunResult, RunSource,
};
use crate::engine::inputs_schema;
use crate::exit::Failure;
use crate::store::Slot;

#[derive(Deserialize, schemars::JsonSchema)]
pub(super) struct Run {
    /// Name of a stored test (see cairn_list), or path of a script or test file.
    name: String,
    /// Today's inputs by name.
    #[serde(default)]
    inputs: BTreeMap<String, Value>,
    /// The approval that a person gave for this run of a risky script (`cairn approve`).
    #[serde(default)]
    approval: Option<String>,
}

#[derive(Default, Deserialize, schemars::JsonSchema)]
pub(super) struct Explain {
    /// Id of the run; the last one of the test where it is absent.
    #[serde(default)]
    run: Option<String>,
    /// Name of the test.
    #[serde(default)]
    name: Option<String>,
}

#[tool_router(router = script_tools, vis = "pub(super)")]
impl Agent {
    /// Stored tests with the JSON Schema of their inputs, and how their last runs went.
    #[tool(annotations(title = "List scripts", read_only_hint = true))]
    async fn cairn_list(&self) -> CallToolResult {
        match self.list().await {
            Ok(value) => said(value.to_string()),
            Err(error) => failure(&error),
        }
    }

    /// Replays a stored test or a script file with today's inputs, without a model. The answer is its result and outputs.
    #[tool(annotations(
        title = "Run a script",
        read_only_hint = false,
        destructive_hint = true,
        open_world_hint = true
    ))]
    async fn cairn_run(
        &self,
        Parameters(given): Parameters<Run>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        match self.run(given, context).await {
            Ok(result) => answer(&result),
            Err(error) => failure(&error),
        }
    }

    /// What happened in a run: its result, its steps, and how each moved element was found again.
    #[tool(annotations(title = "Explain a run", read_only_hint = true))]
    async fn cairn_explain(&self, Parameters(given): Parameters<Explain>) -> CallToolResult {
        match self.explain(&given).await {
            Ok(text) => said(text),
            Err(error) => failure(&error),
        }
    }
}

impl Agent {
    async fn list(&self) -> Result<Value, Failure> {
        let desk = self.access.desk();
        let mut tests = Vec::new();
        for test in desk.store().tests().await? {
            let script = desk.store().script(&test.name, Slot::Promoted).await?;
            let script = script.as_ref().map(|stored| &stored.script);
            tests.push(json!({
                "name": test.name,
                "goal": script.map(|script| script.goal.clone()),
                "steps": test.promoted_steps,
                "pending": test.pending_steps.is_some(),
                "lastResult": test.last_result,
                "inputs": script.map(inputs_schema),
                "outputs": script.map(|script| script.outputs.keys().collect::<Vec<_>>()),
            }));
        }
        Ok(json!({ "tests": tests }))
    }

    async fn run(&self, given: Run, context: RequestContext<RoleServer>) -> Result<RunResult, Failure> {
        let source = self.access.source(&given.name)?;
        let request = RunRequest {
            inputs: self.inputs_for(&source, given.inputs).await?,
            source,
            options: RunOptions::default(),
            // Whoever speaks here is a program.
            caller: Caller::Program,
            approval: given.approval,
        };
        // What can be refused is refused before a browser opens.
        self.access.desk().check(&request).await?;
        let engine = self.access.engine().await?;
        let (stop, mut events) = engine.start(ClientRequest::Run(Box::new(request)));
        let progress = Progress::of(&context);
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                () = context.ct.cancelled() => {
                    stop.ask("cancelled by the agent");
                    events.recv().await
                }
            };
            match event {
                Some(ClientEvent::Run { event: RunEvent::Finished { result } }) => return Ok(*result),
                Some(ClientEvent::Run { event: RunEvent::Started { steps, .. } }) => {
                    progress.say(0, steps, "started").await;
                }
                Some(ClientEvent::Run { event: RunEvent::Step { instruction, report, .. } }) => {
                    progress.say(report.number, 0, &instruction).await;
                }
                Some(ClientEvent::Failed { failure }) => return Err(failure),
                Some(_) => {}
                None => {
                    let message = "the run ended without a result";
                    return Err(Failure::new(crate::exit::ErrorKind::Internal, message, "report this"));
                }
            }
        }
    }

    /// What the agent gives, and what it may use without knowing it: secrets that this server was started with.
    async fn inputs_for(
        &self,
        source: &RunSource,
        given: BTreeMap<String, Value>,
    ) -> Result<BTreeMap<String, String>, Failure> {
        let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut inputs: BTreeMap<String, String> =
            given.into_iter().map(|(name, value)| (name, text(value))).collect();
        let stored = match source {
            RunSource::Test { name, .. } => self.access.desk().store().script(name, Slot::Promoted).await?,
            RunSource::File { .. } => None,
        };
        let script = match source {
            RunSource::File { script, .. } => Some(script.as_ref()),
            RunSource::Test { .. } => stored.as_ref().map(|stored| &stored.script),
        };
        for (name, input) in self.access.inputs() {
            let named = inputs.get(&name).is_none_or(|text| *text == format!("%{name}%"));
            if named && script.is_some_and(|script| script.inputs.contains_key(&name)) {
                inputs.insert(name, input.value);
            }
        }
        Ok(inputs)
    }

    async fn explain(&self, given: &Explain) -> Result<String, Failure> {
        let desk = self.access.desk();
        let runs = desk.store().runs(given.name.as_deref(), 200).await?;
        let found = runs.into_iter().find(|run| given.run.as_ref().is_none_or(|id| *id == run.id));
        let Some(run) = found else {
            let next = "cairn_list names the tests; a run's id stands in the answer of cairn_run";
            return Err(Failure::new(crate::exit::ErrorKind::NothingSelected, "there is no such run", next));
        };
        let path = std::path::Path::new(&run.evidence).join("steps.jsonl");
        let lines = tokio::fs::read_to_string(path).await.unwrap_or_default();
        let steps: Vec<String> = lines.lines().filter_map(step_words).collect();
        let result = run.result.unwrap_or_else(|| "it has no result yet".into());
        Ok(format!("run {} of {} ({})\n{}\n{result}", run.id, run.script, run.started_at, steps.join("\n")))
    }
}

/// Tells the agent how far a run is, where it asked for that.
struct Progress<'a> {
    context: &'a RequestContext<RoleServer>,
}

impl<'a> Progress<'a> {
    fn of(context: &'a RequestContext<RoleServer>) -> Self {
        Self { context }
    }

    async fn say(&self, step: u32, total: u32, message: &str) {
        let Some(token) = self.context.meta.get_progress_token() else { return };
        let mut progress = ProgressNotificationParam::new(token, f64::from(step)).with_message(message);
        if total > 0 {
            progress = progress.with_total(f64::from(total));
        }
        // An agent that does not listen misses nothing but this.
        let _ = self.context.peer.notify_progress(progress).await;
    }
}

/// `3 click button "Save": healed (unique role+name match)`
fn step_words(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    if line["type"] != "step" {
        return None;
    }
    let report = &line["report"];
    let (number, instruction) = (&line["number"], line["instruction"].as_str().unwrap_or_default());
    let status = report["status"].as_str().unwrap_or_default();
    let found = report["found"].as_object().and_then(|found| found.values().next()?["reason"].as_str());
    let why = report["divergence"]["observed"].as_str().or(found.filter(|_| status != "hit"));
    Some(format!(
        "{number} {instruction}: {status}{}",
        why.map(|why| format!(" ({why})")).unwrap_or_default()
    ))
}

/// The result in the few keys that an agent decides by.
fn answer(result: &RunResult) -> CallToolResult {
    let Ok(Value::Object(whole)) = serde_json::to_value(result) else {
        return failed("the result has no JSON form");
    };
    let kept = [
        "run",
        "result",
        "outcome",
        "detail",
        "step",
        "condition",
        "expected",
        "observed",
        "hint",
        "outputs",
        "cache",
        "stepsExecuted",
        "stepsTotal",
        "sent",
    ];
    let short: serde_json::Map<String, Value> =
        whole.into_iter().filter(|(key, value)| kept.contains(&key.as_str()) && !value.is_null()).collect();
    let text = Value::Object(short).to_string();
    if result.exit_code == 0 || result.result == crate::engine::api::Ending::BusinessOutcome {
        said(text)
    } else {
        failed(text)
    }
}
