//! Records a case, compares the script, replays it on the same page and on the page after.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn};
use cairn_core::redact::Redactor;
use cairn_core::script::{Step, Target};
use cairn_host::engine::api::Ending;
use tokio::time::sleep;
use tower_http::services::ServeDir;

use super::drive::drive;
use super::{Case, Healing, Place, Wanted};
use crate::{Failed, Outcome, Pages, Recorded, Recording, Replay, Stage, Tab};

/// What was found wrong with a case: nothing, where it is empty.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// One sentence each.
    pub wrong: Vec<String>,
}

impl Finding {
    fn demand(&mut self, holds: bool, sentence: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(sentence());
        }
    }
}

/// A folder of cases whose pages can be exchanged for the pages after, at the same URLs.
struct Served {
    pages: Pages,
    after: Arc<AtomicBool>,
}

impl Served {
    async fn start(folder: &Path, case: &Case) -> Outcome<Self> {
        let after = Arc::new(AtomicBool::new(false));
        let (before_path, after_path) = (format!("/{}", case.html), case.drift_html.clone());
        let switch = Arc::clone(&after);
        let exchange = move |mut request: Request, next: Next| {
            let drifted = after_path
                .clone()
                .filter(|_| switch.load(Ordering::SeqCst) && request.uri().path() == before_path);
            async move {
                if let Some(uri) = drifted.and_then(|name| format!("/{name}").parse().ok()) {
                    *request.uri_mut() = uri;
                }
                let mut response = next.run(request).await;
                // A browser that keeps the page would show it again where the page after is due.
                response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
                response
            }
        };
        let router = Router::new().fallback_service(ServeDir::new(folder)).layer(from_fn(exchange));
        Ok(Self { pages: Pages::serve_router(router).await?, after })
    }
}

/// Does all of it; gives what was found wrong, and what was recorded.
pub async fn judge(stage: &Stage, folder: &Path, case: &Case, engine: &str) -> Outcome<(Finding, Recorded)> {
    judge_often(stage, folder, case, engine, 1).await
}

/// As `judge`, with so many replays on the same page.
pub async fn judge_often(
    stage: &Stage,
    folder: &Path,
    case: &Case,
    engine: &str,
    replays: u32,
) -> Outcome<(Finding, Recorded)> {
    let served = Served::start(folder, case).await?;
    // A page of an application's own server has its whole address.
    let url = if case.html.contains("://") { case.html.clone() } else { served.pages.url(&case.html) };
    let mut finding = Finding::default();
    let recorded = record(stage, case, &url, engine, &mut finding).await?;
    compare(case, &recorded, &mut finding);
    for time in 1..=replays {
        let (replay, outcome) = replay(stage, case, &recorded, &url, engine).await?;
        let which = if replays == 1 { "replay".to_owned() } else { format!("replay {time} of {replays}") };
        finding.demand(replay.code == 0, || format!("{which} ended with {}: {}", replay.code, why(&replay)));
        let healed = replay.result.healed.len();
        // Where the steps are told, each selector must hold as well.
        finding.demand(healed == 0 || case.expect.record.is_empty(), || format!("{which} healed {healed}"));
        finding.demand(outcome == case.expect.outcome, || {
            format!("{which} led to {outcome:?}, not {:?}", case.expect.outcome)
        });
    }
    if case.expect.record.is_empty() && !finding.wrong.is_empty() {
        finding.wrong.push(format!("recorded: {}", said(&recorded)));
    }
    if let (Some(_), Some(healing)) = (&case.drift_html, &case.heal) {
        served.after.store(true, Ordering::SeqCst);
        let (after, outcome) = self::replay(stage, case, &recorded, &url, engine).await?;
        weigh(case, healing, &after, &outcome, &mut finding);
    }
    Ok((finding, recorded))
}

async fn record(
    stage: &Stage,
    case: &Case,
    url: &str,
    engine: &str,
    finding: &mut Finding,
) -> Outcome<Recorded> {
    let recording =
        Recording::start(stage, &format!("case-{}-{engine}", case.id), url, &["--engine", engine]).await?;
    let tab = recording.person().tab().clone();
    drive(stage, recording.person(), case, &fixtures(stage)?).await?;
    let outcome = settled(&tab, case, Some(&case.expect.outcome)).await?;
    finding
        .demand(outcome == case.expect.outcome, || format!("while recording the page came to {outcome:?}"));
    recording.stop(stage).await
}

/// What is uploaded lies beside the scripts, where a replay finds it.
fn fixtures(stage: &Stage) -> Outcome<std::path::PathBuf> {
    let folder = stage.cairn.folder().join("fixtures");
    std::fs::create_dir_all(&folder).map_err(Failed::io("making a folder for files to upload"))?;
    Ok(folder)
}

fn compare(case: &Case, recorded: &Recorded, finding: &mut Finding) {
    let steps = &recorded.script.script.steps;
    let fits = case.expect.record.is_empty()
        || steps.len() == case.expect.record.len()
            && steps.iter().zip(&case.expect.record).all(|(step, wanted)| is_as(step, wanted));
    finding.demand(fits, || format!("recorded: {}", said(recorded)));
    let text = std::fs::read_to_string(&recorded.file).unwrap_or_default();
    for secret in &case.expect.secrets {
        let spelled = Redactor::new([("secret", secret)]);
        finding.demand(spelled.finds(&text).is_none(), || format!("the script holds the secret {secret:?}"));
    }
}

fn said(recorded: &Recorded) -> String {
    recorded.script.script.steps.iter().map(words).collect::<Vec<_>>().join("; ")
}

fn is_as(step: &Step, wanted: &Wanted) -> bool {
    let target = step.action.target.as_ref();
    let value = step.action.value.as_deref();
    let role = wanted.role.as_deref().is_none_or(|role| target.is_some_and(|target| target.role == role));
    let name =
        wanted.name.as_deref().is_none_or(|name| target.is_some_and(|target| target.name.contains(name)));
    let scope = wanted
        .scope
        .as_deref()
        .is_none_or(|scope| target.is_some_and(|target| target.scope.as_deref() == Some(scope)));
    let text = wanted.value.as_ref().and_then(|wanted| wanted.as_str()).is_none_or(|wanted| {
        // A literal percent sign is written twice in a script.
        value == Some(wanted) || value == Some(&wanted.replace('%', "%%"))
    });
    let key = wanted.key.as_deref().is_none_or(|key| value == Some(key));
    let file = wanted.file.as_deref().is_none_or(|file| value == Some(file));
    step.action.method.as_str() == wanted.action
        && role
        && name
        && scope
        && text
        && key
        && file
        && is_around(step, wanted)
}

/// The ends of a drag, the tab, the frames, the dialogs.
fn is_around(step: &Step, wanted: &Wanted) -> bool {
    let fits = |target: Option<&Target>, place: Option<&Place>| {
        place.is_none_or(|place| {
            let is =
                |wanted: &Option<String>, own: &str| wanted.as_deref().is_none_or(|wanted| wanted == own);
            target.is_some_and(|target| is(&place.role, &target.role) && is(&place.name, &target.name))
        })
    };
    let dialogs = wanted.dialogs.as_ref().is_none_or(|wanted| {
        step.dialogs.len() == wanted.len()
            && step.dialogs.iter().zip(wanted).all(|(own, wanted)| {
                own.kind == wanted.kind
                    && wanted.accept.is_none_or(|accept| own.accept == accept)
                    && (wanted.text.is_none() || own.text == wanted.text)
            })
    });
    let depth = step.action.target.as_ref().map_or(0, |target| target.frame.len());
    fits(step.action.target.as_ref(), wanted.from.as_ref())
        && fits(step.to.as_deref(), wanted.to.as_ref())
        && wanted.tab.is_none_or(|tab| step.tab == Some(tab))
        && wanted.opens_tab.is_none_or(|opens| step.effect.new_tab.is_some() == opens)
        && wanted.frame.as_ref().is_none_or(|frames| depth == frames.len())
        && dialogs
}

fn words(step: &Step) -> String {
    let target = step.action.target.as_ref();
    let place = target.map(|target| format!(" {} {:?}", target.role, target.name)).unwrap_or_default();
    let scope = target
        .and_then(|target| target.scope.as_ref())
        .map(|scope| format!(" in {scope}"))
        .unwrap_or_default();
    let value = step.action.value.as_ref().map(|value| format!(" = {value:?}")).unwrap_or_default();
    format!("{}{place}{scope}{value}", step.action.method.as_str())
}

/// Replays in the paired browser, and says what the page came to.
async fn replay(
    stage: &Stage,
    case: &Case,
    recorded: &Recorded,
    url: &str,
    engine: &str,
) -> Outcome<(Replay, String)> {
    let known = stage.chrome.targets().await?;
    let port = stage.daemon.port_text();
    let file = recorded.file.to_string_lossy();
    let mut arguments: Vec<String> =
        ["run", &file, "--attach", "--keep-open", "--json", "--port", &port, "--engine", engine]
            .map(str::to_owned)
            .into();
    for (name, input) in &recorded.script.script.inputs {
        if input.secret {
            let value = case.expect.secrets.first().map(String::as_str).unwrap_or_default();
            arguments.extend(["--input".to_owned(), format!("{name}={value}")]);
        }
    }
    let replay = Replay::of(stage.cairn.run(&arguments).await?)?;
    let origin = url.rsplit_once('/').map_or(url, |(origin, _)| origin);
    // Where the run opened tabs of its own, the page of the case is still the one that is asked.
    let tab = match stage.chrome.new_tab_now(url, &known).await? {
        Some(tab) => tab,
        None => stage.chrome.new_tab_at(origin, &known).await?,
    };
    let outcome = settled(&tab, case, None).await?;
    tab.close().await?;
    Ok((replay, outcome))
}

/// The page's outcome; waited for where one is expected.
async fn settled(tab: &Tab, case: &Case, wanted: Option<&str>) -> Outcome<String> {
    let began = Instant::now();
    let says = case.expect.says.as_deref().unwrap_or("document.documentElement.dataset.outcome");
    loop {
        let outcome = tab.evaluate(&format!("String(({says}) ?? 'none')")).await;
        let outcome = outcome.ok().and_then(|value| value.as_str().map(str::to_owned));
        let done = wanted.is_none_or(|wanted| outcome.as_deref() == Some(wanted));
        match outcome {
            Some(outcome) if done || began.elapsed() > Duration::from_secs(3) => return Ok(outcome),
            None if began.elapsed() > Duration::from_secs(5) => {
                return Err(Failed::because("the page gives no outcome"));
            }
            _ => sleep(Duration::from_millis(25)).await,
        }
    }
}

/// The run on the page after must act rightly, or decline and leave the page alone.
fn weigh(case: &Case, healing: &Healing, replay: &Replay, outcome: &str, finding: &mut Finding) {
    let right = healing.after_outcome.as_deref().unwrap_or("none");
    let declined = replay.result.result == Ending::HardFailure && outcome == "none";
    // The case's outcome after is that of the one step; the whole script may lead to what it led to before.
    let acted =
        replay.result.result == Ending::Success && (outcome == right || outcome == case.expect.outcome);
    let holds = match healing.verdict.as_str() {
        "target" => acted,
        "no-op" => replay.result.result == Ending::Success && outcome == right,
        "decline" => declined,
        _ => acted || declined,
    };
    finding.demand(holds, || {
        let (verdict, ending) = (&healing.verdict, replay.result.result);
        format!(
            "after the redesign: wanted {verdict} and {right:?}, got {ending:?} and {outcome:?}: {}",
            why(replay)
        )
    });
}

fn why(replay: &Replay) -> String {
    let (step, observed) = (replay.result.step, replay.result.observed.as_deref().unwrap_or_default());
    format!("step {step:?}, {observed} {}", replay.log().last().copied().unwrap_or_default())
}
