//! A user's flow through an application: recorded on its old version step by step, then looked for in the new one, while a person
//! who knows what is right takes both along.

use std::collections::BTreeMap;
use std::time::Duration;

use cairn_core::script::Target;
use cairn_tests::drift::applications::may_decline;
use cairn_tests::drift::live::{LiveFile, LiveStep, judge};
use cairn_tests::drift::score::{Outcome as Worth, Tally};
use cairn_tests::drift::stored::{folder, read};
use cairn_tests::drift::task::Answer;
use cairn_tests::{Failed, Outcome, What};
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;

use crate::page::{Page, Reached, World};
use crate::say;
use crate::site::Site;

/// What a page gets to come to rest after an act of the person's, where the flow names nothing else.
const REST: Duration = Duration::from_millis(400);

#[derive(Deserialize)]
struct Flow {
    path: BTreeMap<String, String>,
    steps: Vec<FlowStep>,
}

#[derive(Deserialize)]
struct FlowStep {
    id: String,
    #[serde(rename = "do")]
    act: String,
    value: Option<String>,
    goto: Option<String>,
    loc: BTreeMap<String, Option<String>>,
    #[serde(default)]
    wait: u64,
    #[serde(default)]
    after: u64,
}

impl FlowStep {
    fn locator(&self, version: &str) -> Option<&str> {
        self.loc.get(version).or_else(|| self.loc.get("*"))?.as_deref()
    }
}

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Live, with the target there and with it gone.
    pub live: (Tally, Tally),
    /// Natively over the probe's own snapshots.
    pub native: (Tally, Tally),
}

/// Walks both versions. The file is what `rejudge` can judge again.
pub async fn walk(world: &World, app: &str, measured: &mut Measured) -> Outcome<LiveFile> {
    let flow: Flow =
        read(&folder().join(format!("{app}.json"))).map_err(|error| Failed::because(error.to_string()))?;
    let recorded = record(world, app, &flow).await?;
    let site = Site::start(app, "new").await?;
    let mut page = open(world, &site, &flow, "new").await?;
    let mut file = LiveFile { app: app.to_owned(), steps: Vec::new() };
    for step in &flow.steps {
        let Some(locator) = step.locator("new") else { continue };
        come_to(&page, &site, step).await?;
        let right = match page.mark(locator).await {
            Ok(right) => right,
            Err(error) => {
                say(&format!("  {app} {}: not in the new version: {error}", step.id));
                continue;
            }
        };
        if let Some(target) = recorded.get(&step.id) {
            let snapshot = page.snapshot().await?;
            let live = LiveStep { id: step.id.clone(), target: target.clone(), right, snapshot };
            compare(&mut page, app, step, &live, measured).await?;
            file.steps.push(live);
        }
        act(&page, step, locator).await?;
    }
    page.close().await;
    Ok(file)
}

/// Both verdicts on one step.
async fn compare(
    page: &mut Page,
    app: &str,
    step: &FlowStep,
    live: &LiveStep,
    measured: &mut Measured,
) -> Outcome<()> {
    let may = may_decline(app, &step.id);
    let judged = judge(live, may).map_err(|error| Failed::because(error.to_string()))?;
    let value = step.value.as_deref();
    let there = worth(page.rehearse(&live.target, &step.act, value).await?, may);
    let gone = match page.rehearse_without(&live.target, &step.act, value).await? {
        Reached::Nothing => Worth::Right,
        Reached::Right | Reached::Wrong if judged.gone == Worth::Harmless => Worth::Harmless,
        Reached::Right | Reached::Wrong => Worth::Wrong,
    };
    if there != judged.there || gone != judged.gone || there != Worth::Right || gone == Worth::Wrong {
        say(&format!(
            "  {app} {}: live {there:?}, natively {:?} ({}); gone: live {gone:?}, natively {:?}",
            step.id, judged.there, judged.answer.reason, judged.gone
        ));
    }
    let told = Answer::plain(None);
    measured.live.0.add(there, &told);
    measured.live.1.add(gone, &told);
    measured.native.0.add(judged.there, &judged.answer);
    measured.native.1.add(judged.gone, &judged.answer);
    Ok(())
}

fn worth(reached: Reached, may_decline: bool) -> Worth {
    match reached {
        Reached::Right => Worth::Right,
        Reached::Wrong => Worth::Wrong,
        Reached::Nothing if may_decline => Worth::Right,
        Reached::Nothing => Worth::Declined,
    }
}

/// What the recorder would remember of each step on the old version.
async fn record(world: &World, app: &str, flow: &Flow) -> Outcome<BTreeMap<String, Target>> {
    let site = Site::start(app, "old").await?;
    let page = open(world, &site, flow, "old").await?;
    let mut recorded = BTreeMap::new();
    for step in &flow.steps {
        let Some(locator) = step.locator("old") else { continue };
        come_to(&page, &site, step).await?;
        let path = match page.mark(locator).await {
            Ok(path) => path,
            Err(error) => {
                say(&format!("  {app} {}: not in the old version: {error}", step.id));
                continue;
            }
        };
        match page.describe(&path).await {
            Ok(target) => drop(recorded.insert(step.id.clone(), target)),
            Err(error) => say(&format!("  {app} {}: not recorded: {error}", step.id)),
        }
        act(&page, step, locator).await?;
    }
    page.close().await;
    Ok(recorded)
}

async fn open(world: &World, site: &Site, flow: &Flow, version: &str) -> Outcome<Page> {
    let path = flow.path.get(version).or_else(|| flow.path.get("*")).map_or("/", String::as_str);
    world.open(&format!("{}{path}", site.url)).await
}

async fn come_to(page: &Page, site: &Site, step: &FlowStep) -> Outcome<()> {
    if let Some(path) = &step.goto {
        page.tab().go(&format!("{}{path}", site.url)).await?;
        sleep(REST).await;
    }
    page.tab().until("document.readyState === 'complete'").await?;
    sleep(Duration::from_millis(step.wait)).await;
    Ok(())
}

/// The person does what is right.
async fn act(page: &Page, step: &FlowStep, locator: &str) -> Outcome<()> {
    let (person, what) = (page.person(), What::locator(locator));
    let value = step.value.as_deref().unwrap_or_default();
    match step.act.as_str() {
        "fill" => person.refill(&what, value).await?,
        "press" => {
            person.click(&what).await?;
            person.press(value).await?;
        }
        "select" => choose(page, value).await?,
        "click" | "check" => person.click(&what).await?,
        _ => {}
    }
    sleep(REST.max(Duration::from_millis(step.after))).await;
    Ok(())
}

/// Chooses an option of the right element by its label or value, as no person's keyboard can in every list.
async fn choose(page: &Page, label: &str) -> Outcome<()> {
    let choose = format!(
        "(() => {{ const list = globalThis.theRightOne, wanted = {};
          for (const option of list.options) option.selected = option.label.trim() === wanted || option.value === wanted;
          for (const kind of ['input', 'change']) list.dispatchEvent(new Event(kind, {{ bubbles: true }})); }})()",
        json!(label)
    );
    page.tab().evaluate_in_page(&choose).await.map(drop)
}
