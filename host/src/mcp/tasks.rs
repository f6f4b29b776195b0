//! `cairn_do` and `cairn_skill`: goals, carried out from memory or by the model that this server was started with.

use std::collections::BTreeMap;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResult;
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{tool, tool_router};
use serde::Deserialize;
use serde_json::Value;

use super::scripts::{answer, text_of};
use super::server::Agent;
use super::words::failure;
use crate::engine::api::{CacheMode, Caller, ClientRequest, RunOptions, RunResult, TaskRequest};
use crate::engine::check_words;
use crate::exit::Failure;
use crate::model::Act;

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Do {
    /// What is to be done, in words; inputs as `%name%` or by their values.
    goal: String,
    /// The page to begin on.
    url: String,
    /// Today's inputs by name. A value of this server is used by its name alone, as `%name%`.
    #[serde(default)]
    inputs: BTreeMap<String, Value>,
    /// What must hold in the end: `heading "Thank you"`, `text "Saved"`, `gone button "Undo"`.
    #[serde(default)]
    checks: Vec<String>,
    /// Keep what was learnt as a skill of this name.
    #[serde(default)]
    save_as: Option<String>,
    /// `auto`, `off` or `refresh`.
    #[serde(default)]
    cache: Cached,
    /// The only acts that are allowed, replayed or decided; none: all.
    #[serde(default)]
    only: Vec<Act>,
    /// Acts that the model may do at most.
    #[serde(default)]
    max_steps: Option<u32>,
}

#[derive(Clone, Copy, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Cached {
    /// What was learnt is used and kept.
    #[default]
    Auto,
    /// Neither.
    Off,
    /// Not used, and kept anew.
    Refresh,
}

#[derive(Deserialize, schemars::JsonSchema)]
pub(super) struct Skilled {
    /// Name of the skill (see cairn_list).
    name: String,
    /// Today's inputs by name.
    #[serde(default)]
    inputs: BTreeMap<String, Value>,
}

#[tool_router(router = task_tools, vis = "pub(super)")]
impl Agent {
    /// Carries out a goal: from memory where it was done before, else by the model that this server was started with.
    /// What is called risky (Pay, Delete, Send) is refused, unless the person who started this server allowed it.
    #[tool(annotations(
        title = "Do a task",
        read_only_hint = false,
        destructive_hint = true,
        open_world_hint = true
    ))]
    async fn cairn_do(
        &self,
        Parameters(given): Parameters<Do>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        let mut checks = Vec::new();
        for text in &given.checks {
            match check_words::read(text) {
                Ok(check) => checks.push(check),
                Err(wrong) => return failure(&wrong),
            }
        }
        let request = TaskRequest {
            goal: given.goal,
            url: given.url,
            checks,
            save_as: given.save_as,
            cache: match given.cache {
                Cached::Auto => CacheMode::Auto,
                Cached::Off => CacheMode::Off,
                Cached::Refresh => CacheMode::Refresh,
            },
            only: given.only,
            options: RunOptions { max_steps: given.max_steps, ..RunOptions::default() },
            ..TaskRequest::default()
        };
        told(self.perform(request, given.inputs, context).await)
    }

    /// Runs a skill with today's inputs.
    #[tool(annotations(
        title = "Run a skill",
        read_only_hint = false,
        destructive_hint = true,
        open_world_hint = true
    ))]
    async fn cairn_skill(
        &self,
        Parameters(given): Parameters<Skilled>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        let request = TaskRequest { skill: Some(given.name), ..TaskRequest::default() };
        told(self.perform(request, given.inputs, context).await)
    }
}

fn told(done: Result<RunResult, Failure>) -> CallToolResult {
    match done {
        Ok(result) => answer(&result),
        Err(error) => failure(&error),
    }
}

impl Agent {
    async fn perform(
        &self,
        request: TaskRequest,
        given: BTreeMap<String, Value>,
        context: RequestContext<RoleServer>,
    ) -> Result<RunResult, Failure> {
        let mut inputs: BTreeMap<String, String> =
            given.into_iter().map(|(name, value)| (name, text_of(value))).collect();
        let mut secret_inputs = Vec::new();
        // What this server knows is used where the call names it, and where a skill asks for it.
        let asked: Vec<String> = match &request.skill {
            Some(name) => self.skill_inputs(name).await?,
            None => Vec::new(),
        };
        for (name, input) in self.access.inputs() {
            let token = format!("%{name}%");
            let wanted = inputs.get(&name).map_or_else(
                || request.goal.contains(&token) || asked.contains(&name),
                |value| *value == token,
            );
            if wanted {
                if input.secret {
                    secret_inputs.push(name.clone());
                }
                inputs.insert(name, input.value);
            }
        }
        let allow_risky = self.access.allows_risky();
        // Whoever speaks here is a program.
        let caller = Caller::Program;
        let request = TaskRequest { inputs, secret_inputs, allow_risky, caller, ..request };
        self.access.desk().check_task(&request).await?;
        let engine = self.access.engine().await?;
        self.follow(&engine, ClientRequest::Task(Box::new(request)), &context).await
    }

    async fn skill_inputs(&self, name: &str) -> Result<Vec<String>, Failure> {
        let skill = self.access.desk().skill(&crate::engine::task::owner(), name).await?;
        let properties = skill.inputs["properties"].as_object().cloned().unwrap_or_default();
        Ok(properties.into_iter().map(|(name, _)| name).collect())
    }
}
