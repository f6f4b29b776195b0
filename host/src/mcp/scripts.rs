//! `cairn_*`: stored scripts, listed, run and explained.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ProgressNotificationParam};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{tool, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::server::Agent;
use super::words::{failed, failure, said};
use crate::engine::api::{
    Caller, ClientEvent, ClientRequest, RunEvent, RunOptions, RunRequest, RunResult, RunSource, Tier,
};
use crate::engine::{Engine, inputs_schema};
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
    /// `llm` has the configured model drive, though there is a script. Absent: as the script and the page say.
    #[serde(default)]
    tier: Option<TierWord>,
}

#[derive(Clone, Copy, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum TierWord {
    /// Recorded selectors only.
    Replay,
    /// Selectors, then the ladder.
    ReplayWithHeal,
    /// A model drives.
    Llm,
}

impl From<TierWord> for Tier {
    fn from(word: TierWord) -> Self {
        match word {
            TierWord::Replay => Self::Replay,
            TierWord::ReplayWithHeal => Self::ReplayWithHeal,
            TierWord::Llm => Self::Llm,
        }
    }
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
    /// Stored tests and skills with the JSON Schema of their inputs, and how the tests' last runs went.
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
        let skills = desk.skills(&crate::engine::task::owner()).await?;
        let skills: Vec<Value> = skills
            .into_iter()
            .map(|skill| json!({"name": skill.name, "goal": skill.goal, "inputs": skill.inputs}))
            .collect();
        Ok(json!({ "tests": tests, "skills": skills }))
    }

    async fn run(&self, given: Run, context: RequestContext<RoleServer>) -> Result<RunResult, Failure> {
        let source = self.access.source(&given.name)?;
        let request = RunRequest {
            inputs: self.inputs_for(&source, given.inputs).await?,
            source,
            options: RunOptions { tier: given.tier.map(Tier::from), ..RunOptions::default() },
            // Whoever speaks here is a program.
            caller: Caller::Program,
            approval: given.approval,
        };
        // What can be refused is refused before a browser opens.
        self.access.desk().check(&request).await?;
        let engine = self.access.engine().await?;
        self.follow(&engine, ClientRequest::Run(Box::new(request)), &context).await
    }

    /// Has the engine do it, tells the agent how far it is, and ends it where the agent cancels.
    pub(super) async fn follow(
        &self,
        engine: &Arc<Engine>,
        request: ClientRequest,
        context: &RequestContext<RoleServer>,
    ) -> Result<RunResult, Failure> {
        let (stop, mut events) = engine.start(request);
        let progress = Progress::of(context);
        let mut total = 0;
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
                    total = steps;
                    progress.say(0, total, "started").await;
                }
                Some(ClientEvent::Run { event: RunEvent::Step { instruction, report, .. } }) => {
                    progress.say(report.number, total, &instruction).await;
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
        let mut inputs: BTreeMap<String, String> =
            given.into_iter().map(|(name, value)| (name, text_of(value))).collect();
        let declared = self.access.desk().declared_inputs(source).await?;
        for (name, input) in self.access.inputs() {
            let named = inputs.get(&name).is_none_or(|text| *text == format!("%{name}%"));
            if named && declared.contains(&name) {
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

/// A text as it is, everything else as JSON writes it.
pub(super) fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
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
pub(super) fn answer(result: &RunResult) -> CallToolResult {
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
        "cacheReason",
        "tier",
        "modelCalls",
        "stepsExecuted",
        "stepsTotal",
        "sent",
    ];
    let mut short: serde_json::Map<String, Value> =
        whole.into_iter().filter(|(key, value)| kept.contains(&key.as_str()) && !value.is_null()).collect();
    if !result.healed.is_empty() {
        let healed = result.healed.iter().map(|one| json!({"step": one.step, "reason": one.reason}));
        short.insert("healed".into(), healed.collect());
    }
    let text = Value::Object(short).to_string();
    if result.exit_code == 0 || result.result == crate::engine::api::Ending::BusinessOutcome {
        said(text)
    } else {
        failed(text)
    }
}
