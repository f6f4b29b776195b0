//! `cairn_record`: what an agent does from here to there becomes a script.

use cairn_core::script::{Action, Method};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResult;
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{tool, tool_router};
use serde::Deserialize;

use super::server::Agent;
use super::words::{failed, failure, said, wire};
use crate::engine::browse::Browsing;
use crate::engine::driven::{Driven, Pending};

/// What to do with a recording.
#[derive(Clone, Copy, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
enum What {
    /// From now on acts are kept.
    Start,
    /// What was kept becomes a script.
    Stop,
    /// What was kept is thrown away.
    Discard,
}

#[derive(Deserialize, schemars::JsonSchema)]
pub(super) struct Record {
    /// `start`, `stop` or `discard`.
    action: What,
    /// Name of the test; needed to start.
    #[serde(default)]
    name: Option<String>,
    /// What the run is for.
    #[serde(default)]
    goal: Option<String>,
}

#[tool_router(router = record_tools, vis = "pub(super)")]
impl Agent {
    /// Starts or ends a recording: what is done in between with the browser tools becomes a script that later runs
    /// replay without a model. Start it with the page open on which the script is to begin, and stop it where the goal
    /// can be seen.
    #[tool(annotations(title = "Record a script", read_only_hint = false, destructive_hint = false))]
    async fn cairn_record(
        &self,
        Parameters(given): Parameters<Record>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        match given.action {
            What::Start => {
                let by = context
                    .peer
                    .peer_info()
                    .map_or_else(|| "agent".to_owned(), |info| format!("agent:{}", info.client_info.name));
                self.start_recording(given, &by).await
            }
            What::Stop => self.stop_recording().await,
            What::Discard => match self.recording.lock().await.take() {
                Some(driven) => said(format!("{} steps were thrown away", driven.len())),
                None => said("nothing was being recorded"),
            },
        }
    }
}

impl Agent {
    async fn start_recording(&self, given: Record, by: &str) -> CallToolResult {
        let Some(name) = given.name.filter(|name| !name.trim().is_empty() && !name.contains(['/', '\\']))
        else {
            return failed("a recording needs a name without slashes");
        };
        let tab = self.tab.lock().await;
        let Some(browsing) = tab.as_ref() else {
            return failed(
                "no page is open\nnext: open the page on which the script is to begin with browser_navigate",
            );
        };
        let page = match browsing.sight().await {
            Ok(page) => page,
            Err(error) => return wire(&error),
        };
        let mut recording = self.recording.lock().await;
        if recording.is_some() {
            return failed("a recording is under way\nnext: stop or discard it first");
        }
        let goal = given.goal.unwrap_or_default();
        *recording = Some(Driven::begin(&name, &goal, &page.url, by, self.access.inputs()));
        said(format!("recording {name} from {}", page.url))
    }

    async fn stop_recording(&self) -> CallToolResult {
        let mut recording = self.recording.lock().await;
        let Some(driven) = recording.as_ref() else { return failed("nothing is being recorded") };
        match self.access.desk().keep_driven(driven).await {
            Ok(kept) => {
                *recording = None;
                let warning = kept.warning.map(|warning| format!("\n{warning}")).unwrap_or_default();
                said(format!(
                    "{}: {} steps, stored as {}{warning}",
                    kept.name,
                    kept.steps,
                    kept.slot.as_str()
                ))
            }
            Err(error) => failure(&error),
        }
    }

    /// What must be known of an act before it is done, where it is recorded.
    pub(super) async fn about_to(
        &self,
        browsing: &Browsing,
        reference: Option<&str>,
        action: &Action,
    ) -> Option<Pending> {
        let recording = self.recording.lock().await;
        let driven = recording.as_ref()?;
        let page = browsing.sight().await.ok()?;
        let described = match reference {
            Some(reference) => browsing.describe(reference).await.ok(),
            None => None,
        };
        let (target, weak) = described.map_or((None, None), |(target, weak)| (Some(target), weak));
        if target.is_none() && action.method != Method::Goto && action.method != Method::Back {
            return None;
        }
        Some(driven.before(action, target, weak, &page))
    }

    /// The act is done.
    pub(super) async fn has_done(&self, browsing: &mut Browsing, pending: Option<Pending>) {
        let Some(pending) = pending else { return };
        let page = browsing.sight().await;
        let sent = browsing.take_sent();
        if let (Some(driven), Ok(page)) = (self.recording.lock().await.as_mut(), page) {
            driven.after(pending, &page, sent);
        }
    }
}
