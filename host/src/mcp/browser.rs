//! `browser_*`: the names and arguments that agents know, on the refs of the list.

use std::time::Duration;

use base64::Engine as _;
use cairn_core::script::{Action, Condition, Method, OptionChoice};
use cairn_core::wire::page::{StepReport, StepStatus};
use cairn_core::wire::worker::Navigation;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{tool, tool_router};
use serde::Deserialize;
use tokio::sync::OwnedMutexGuard;

use super::server::Agent;
use super::words::{changes, failed, failure, page, said, wire};
use crate::engine::browse::Browsing;
use crate::engine::driven::Pending;

/// The longest time that a page may be waited for.
const LONGEST_WAIT: f64 = 60.0;

#[derive(Deserialize, schemars::JsonSchema)]
pub(super) struct Navigate {
    /// The URL to go to.
    url: String,
}

#[derive(Default, Deserialize, schemars::JsonSchema)]
pub(super) struct Snapshot {
    /// Also what lies outside the viewport.
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize, schemars::JsonSchema)]
pub(super) struct Click {
    /// What the element is, in words, for people.
    #[serde(default)]
    element: String,
    /// The ref of the element from the list.
    #[serde(rename = "ref")]
    reference: String,
    /// Click twice.
    #[serde(default, rename = "doubleClick")]
    double: bool,
    /// `left` or `right`.
    #[serde(default)]
    button: Option<String>,
}

#[derive(Deserialize, schemars::JsonSchema)]
pub(super) struct Hover {
    /// What the element is, in words, for people.
    #[serde(default)]
    element: String,
    /// The ref of the element from the list.
    #[serde(rename = "ref")]
    reference: String,
}

#[derive(Deserialize, schemars::JsonSchema)]
pub(super) struct Type {
    /// What the element is, in words, for people.
    #[serde(default)]
    element: String,
    /// The ref of the field from the list.
    #[serde(rename = "ref")]
    reference: String,
    /// The text that the field is to hold.
    text: String,
    /// Press Enter afterwards.
    #[serde(default)]
    submit: bool,
    /// Send it key by key.
    #[serde(default)]
    slowly: bool,
}

#[derive(Deserialize, schemars::JsonSchema)]
pub(super) struct SelectOption {
    /// What the element is, in words, for people.
    #[serde(default)]
    element: String,
    /// The ref of the select from the list.
    #[serde(rename = "ref")]
    reference: String,
    /// The labels of the options to choose.
    values: Vec<String>,
}

#[derive(Deserialize, schemars::JsonSchema)]
pub(super) struct Tick {
    /// The ref of the checkbox, switch or radio from the list.
    #[serde(rename = "ref")]
    reference: String,
    /// Whether it is to be checked.
    checked: bool,
}

#[derive(Deserialize, schemars::JsonSchema)]
pub(super) struct PressKey {
    /// A key or chord: `Enter`, `Escape`, `Control+k`.
    key: String,
    /// The ref of the element that is to have the focus.
    #[serde(rename = "ref")]
    reference: String,
}

#[derive(Default, Deserialize, schemars::JsonSchema)]
pub(super) struct WaitFor {
    /// Wait for this many seconds at most.
    #[serde(default)]
    time: Option<f64>,
    /// Wait until this text is shown.
    #[serde(default)]
    text: Option<String>,
    /// Wait until this text is no longer shown.
    #[serde(default, rename = "textGone")]
    text_gone: Option<String>,
}

/// The tab, held for the length of one call: an agent that calls two tools at once is served one after the other.
type Tab = OwnedMutexGuard<Option<Browsing>>;

#[tool_router(router = browser_tools, vis = "pub(super)")]
impl Agent {
    /// Opens a URL and lists the page: one line an element, with its ref.
    #[tool(annotations(title = "Open a page", read_only_hint = false, open_world_hint = true))]
    async fn browser_navigate(&self, Parameters(given): Parameters<Navigate>) -> CallToolResult {
        let mut tab = self.lock().await;
        if let Some(browsing) = tab.as_mut() {
            let to = Action { method: Method::Goto, value: Some(given.url.clone()), ..Action::default() };
            let pending = self.about_to(browsing, None, &to).await;
            if let Err(error) = browsing.go(Navigation::Goto { url: given.url }).await {
                return wire(&error);
            }
            let seen = look(&mut tab, true, false).await;
            self.finish(&mut tab, pending).await;
            return seen;
        }
        let engine = match self.access.engine().await {
            Ok(engine) => engine,
            Err(error) => return failure(&error),
        };
        match engine.browse(&given.url).await {
            Ok(browsing) => {
                let secrets = self.access.inputs().into_iter().filter(|(_, input)| input.secret);
                secrets.for_each(|(name, input)| browsing.hide(&name, &input.value));
                *tab = Some(browsing);
                look(&mut tab, true, false).await
            }
            Err(error) => wire(&error),
        }
    }

    /// Goes back in the tab's history.
    #[tool(annotations(title = "Back", read_only_hint = false))]
    async fn browser_navigate_back(&self) -> CallToolResult {
        let mut tab = self.lock().await;
        let Some(browsing) = tab.as_mut() else { return no_page() };
        match browsing.go(Navigation::Back).await {
            Ok(()) => look(&mut tab, true, false).await,
            Err(error) => wire(&error),
        }
    }

    /// Lists the page again, whole: one line an element, with its ref.
    #[tool(annotations(title = "List the page", read_only_hint = true))]
    async fn browser_snapshot(&self, Parameters(given): Parameters<Snapshot>) -> CallToolResult {
        let mut tab = self.lock().await;
        look(&mut tab, true, given.all).await
    }

    /// Clicks an element. The answer is what changed.
    #[tool(annotations(title = "Click", read_only_hint = false, destructive_hint = true))]
    async fn browser_click(&self, Parameters(given): Parameters<Click>) -> CallToolResult {
        let method = match (given.double, given.button.as_deref()) {
            (true, _) => Method::Dblclick,
            (false, Some("right")) => Method::Contextmenu,
            (false, None | Some("left")) => Method::Click,
            (false, Some(other)) => return failed(format!("there is no button `{other}`: left or right")),
        };
        self.act(&given.reference, &given.element, Action { method, ..Action::default() }).await
    }

    /// Moves the pointer over an element. The answer is what changed.
    #[tool(annotations(title = "Hover", read_only_hint = false, destructive_hint = false))]
    async fn browser_hover(&self, Parameters(given): Parameters<Hover>) -> CallToolResult {
        let action = Action { method: Method::Hover, ..Action::default() };
        self.act(&given.reference, &given.element, action).await
    }

    /// Makes a field hold a text. The answer is what changed.
    #[tool(annotations(title = "Type", read_only_hint = false, destructive_hint = false))]
    async fn browser_type(&self, Parameters(given): Parameters<Type>) -> CallToolResult {
        let method = if given.slowly { Method::Type } else { Method::Fill };
        let action = Action { method, value: Some(given.text), ..Action::default() };
        let typed = self.act(&given.reference, &given.element, action).await;
        if !given.submit || typed.is_error == Some(true) {
            return typed;
        }
        let enter = Action { method: Method::Press, value: Some("Enter".into()), ..Action::default() };
        self.act(&given.reference, &given.element, enter).await
    }

    /// Chooses options of a select. The answer is what changed.
    #[tool(annotations(title = "Choose an option", read_only_hint = false, destructive_hint = false))]
    async fn browser_select_option(&self, Parameters(given): Parameters<SelectOption>) -> CallToolResult {
        let Some(first) = given.values.first().cloned() else {
            return failed("values is empty: name an option");
        };
        let several = given
            .values
            .iter()
            .map(|label| OptionChoice { label: Some(label.clone()), ..OptionChoice::default() });
        let options = if given.values.len() > 1 { several.collect() } else { Vec::new() };
        let action = Action { method: Method::Select, value: Some(first), options, ..Action::default() };
        self.act(&given.reference, &given.element, action).await
    }

    /// Makes a checkbox, switch or radio checked or unchecked. The answer is what changed.
    #[tool(annotations(title = "Check", read_only_hint = false, destructive_hint = false))]
    async fn browser_check(&self, Parameters(given): Parameters<Tick>) -> CallToolResult {
        let method = if given.checked { Method::Check } else { Method::Uncheck };
        self.act(&given.reference, "", Action { method, ..Action::default() }).await
    }

    /// Presses a key or a chord on an element. The answer is what changed.
    #[tool(annotations(title = "Press a key", read_only_hint = false, destructive_hint = true))]
    async fn browser_press_key(&self, Parameters(given): Parameters<PressKey>) -> CallToolResult {
        let action = Action { method: Method::Press, value: Some(given.key), ..Action::default() };
        self.act(&given.reference, "", action).await
    }

    /// Waits until a text is shown or gone, and says what changed.
    #[tool(annotations(title = "Wait", read_only_hint = true))]
    async fn browser_wait_for(
        &self,
        Parameters(given): Parameters<WaitFor>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        // Nothing is done by waiting, so that it can be given up in the middle: the tab is free for the next call.
        tokio::select! {
            biased;
            () = context.ct.cancelled() => said("given up"),
            waited = self.wait_for(given) => waited,
        }
    }

    /// A picture of the visible part of the page.
    #[tool(annotations(title = "Picture", read_only_hint = true))]
    async fn browser_take_screenshot(&self) -> CallToolResult {
        let tab = self.lock().await;
        let Some(browsing) = tab.as_ref() else { return no_page() };
        match browsing.picture().await {
            Ok(png) => {
                let text = base64::engine::general_purpose::STANDARD.encode(png);
                CallToolResult::success(vec![ContentBlock::image(text, "image/png")])
            }
            Err(error) => wire(&error),
        }
    }

    /// Closes the tab.
    #[tool(annotations(title = "Close", read_only_hint = false, destructive_hint = false))]
    async fn browser_close(&self) -> CallToolResult {
        match self.lock().await.take() {
            Some(browsing) => {
                browsing.close().await;
                said("closed")
            }
            None => said("no page was open"),
        }
    }
}

impl Agent {
    async fn lock(&self) -> Tab {
        std::sync::Arc::clone(&self.tab).lock_owned().await
    }

    async fn wait_for(&self, given: WaitFor) -> CallToolResult {
        let mut tab = self.lock().await;
        let Some(browsing) = tab.as_mut() else { return no_page() };
        let bound = Duration::from_secs_f64(given.time.unwrap_or(10.0).clamp(0.0, LONGEST_WAIT));
        let (text, gone) = match (given.text, given.text_gone) {
            (Some(text), _) => (text, None),
            (None, Some(text)) => (text, Some(true)),
            (None, None) => {
                tokio::time::sleep(bound).await;
                return look(&mut tab, false, false).await;
            }
        };
        let condition = Condition { text: Some(text), gone, ..Condition::default() };
        match browsing.wait_for(condition, bound).await {
            Ok(result) if result.holds => look(&mut tab, false, false).await,
            Ok(result) => failed(format!("expected {}, but {}", result.expected, result.observed)),
            Err(error) => wire(&error),
        }
    }

    async fn finish(&self, tab: &mut Tab, pending: Option<Pending>) {
        if let Some(browsing) = tab.as_mut() {
            self.has_done(browsing, pending).await;
        }
    }

    async fn act(&self, reference: &str, element: &str, mut action: Action) -> CallToolResult {
        let mut tab = self.lock().await;
        let Some(browsing) = tab.as_mut() else { return no_page() };
        // What an agent may type without knowing it stands there by its name.
        let known = self.access.inputs();
        let named =
            action.value.as_deref().and_then(|text| known.get(text.strip_prefix('%')?.strip_suffix('%')?));
        if let Some(input) = named {
            action.value = Some(input.value.clone());
        }
        let pending = self.about_to(browsing, Some(reference), &action).await;
        match browsing.act(reference, action).await {
            Ok(report) => match refusal(&report) {
                None => {
                    let seen = look(&mut tab, false, false).await;
                    self.finish(&mut tab, pending).await;
                    seen
                }
                Some(why) => failed(format!(
                    "{} was not done: {why}",
                    if element.is_empty() { reference } else { element }
                )),
            },
            Err(error) => wire(&error),
        }
    }
}

/// Why an act was not done, where it was not.
fn refusal(report: &StepReport) -> Option<String> {
    if report.status != StepStatus::Diverged {
        return None;
    }
    let divergence = report.divergence.clone().unwrap_or_default();
    Some(format!("expected {}, observed {}", divergence.expected, divergence.observed))
}

async fn look(tab: &mut Tab, whole: bool, all: bool) -> CallToolResult {
    let Some(browsing) = tab.as_mut() else { return no_page() };
    match browsing.look(all).await {
        Ok(seen) => said(if whole { page(&seen) } else { changes(&seen) }),
        Err(error) => wire(&error),
    }
}

fn no_page() -> CallToolResult {
    failed("no page is open\nnext: browser_navigate opens one")
}
