//! The full list of a page of 12,000 elements, 3,000 of them interactive, against Playwright's `ariaSnapshot()`, and against
//! the floor: a plain loop that reads the box and three computed styles of every element.

use std::time::Instant;

use cairn_core::wire::page::Selectors;
use cairn_core::wire::worker::Engine;
use cairn_host::daemon::client;
use cairn_host::engine::api::{ClientEvent, ClientRequest, ProbeRequest, ProbeResult};
use cairn_tests::say::say;
use cairn_tests::{Failed, Outcome, Pages, Stage};

use super::RUNS;
use super::report::Report;
use super::rival::Rival;

/// Ours may take this part of the rival's time: 1/8 with selectors, 1/10 where they are made when first asked for.
const BAR: f64 = 8.0;
const LAZY_BAR: f64 = 10.0;
/// The list near the viewport may take as long as a loop of `checkVisibility` over the page.
const NEAR_BAR: f64 = 1.0;
/// The text of the list may have this part of the bytes of the rival's.
const BYTES_BAR: f64 = 0.4;
/// And 1.5 times the floor.
const FLOOR_BAR: f64 = 1.0 / 1.5;
/// The twin may take this many times the WASM form's time.
const TWIN_BAR: f64 = 1.0 / 3.0;

/// Takes turns with the rival on a page that both have open already.
pub async fn measure(stage: &Stage, rival: &mut Rival, served: &Pages, report: &mut Report) -> Outcome<()> {
    let url = served.url("large.html");
    let tab = stage.chrome.open(&url).await?;
    tab.until("document.readyState === 'complete'").await?;
    let (mut inside, mut whole, mut twin) = (Vec::new(), Vec::new(), Vec::new());
    let (mut lazy, mut near) = (Vec::new(), Vec::new());
    let (mut theirs, mut floors, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = 0;
    let mut about = String::new();
    for run in 0..=RUNS {
        let began = Instant::now();
        let listing = list(stage, &url, Engine::Wasm, Selectors::First, true).await?;
        let mine = began.elapsed().as_secs_f64() * 1000.0;
        let by_twin = list(stage, &url, Engine::Js, Selectors::First, true).await?.took_ms;
        let unselected = list(stage, &url, Engine::Wasm, Selectors::None, true).await?.took_ms;
        let around = list(stage, &url, Engine::Wasm, Selectors::None, false).await?.took_ms;
        let theirs_now = rival.list(&url).await?;
        let (other, floor, [elements, controls]) = (theirs_now.ms, theirs_now.floor, theirs_now.count);
        bytes = theirs_now.bytes;
        say(&format!(
            "list: {:.1} ms in the page, {mine:.1} ms in all, {by_twin:.1} ms by the twin; {other:.1} ms theirs, floor {floor:.1} ms",
            listing.took_ms
        ));
        about = format!("{elements} elements, {controls} interactive; {} listed", listing.elements.len());
        if run > 0 {
            inside.push(listing.took_ms);
            whole.push(mine);
            twin.push(by_twin);
            theirs.push(other);
            floors.push(floor);
            lazy.push(unselected);
            near.push(around);
            checks.push(theirs_now.checks);
        }
    }
    report.compare(&format!("full list of a page ({about}), in the page"), &inside, &theirs, BAR);
    report.compare(
        "the same without selectors, which are made when first asked for",
        &lazy,
        &theirs,
        LAZY_BAR,
    );
    report.compare(
        "near the viewport alone, cold, against a loop of checkVisibility",
        &near,
        &checks,
        NEAR_BAR,
    );
    let text = text(stage, &url).await?;
    report.share("bytes of the list as text, against the aria snapshot for agents", text, bytes, BYTES_BAR);
    report.compare(
        "the same in the page, against a plain loop over boxes and styles",
        &inside,
        &floors,
        FLOOR_BAR,
    );
    report.compare("the twin in the page, against the WASM form", &twin, &inside, TWIN_BAR);
    report.compare(
        "the same through command socket, worker and page, probe started anew",
        &whole,
        &theirs,
        BAR,
    );
    tab.close().await
}

/// Bytes of the list as the command prints it.
async fn text(stage: &Stage, url: &str) -> Outcome<usize> {
    let port = stage.daemon.port_text();
    let said = stage.cairn.run(&["probe", url, "--attach", "--all", "--port", &port]).await?;
    Ok(said.lines.iter().map(|line| line.len() + 1).sum())
}

/// Lists the open tab, through the daemon. The build is given: of a tab that was open before it was leased nobody saw the
/// headers, so that the twin would be taken.
async fn list(
    stage: &Stage,
    url: &str,
    engine: Engine,
    selectors: Selectors,
    all: bool,
) -> Outcome<ProbeResult> {
    let because = |failure: &dyn std::fmt::Display| Failed::because(failure.to_string());
    let client = client::connect(stage.daemon.port()).map_err(|failure| because(&failure))?;
    let request = ProbeRequest {
        url: url.to_owned(),
        at_url: true,
        all,
        selectors,
        engine,
        bound_ms: 20_000,
        ..ProbeRequest::default()
    };
    let asked = client.request::<_, ClientEvent>(&ClientRequest::Probe(request)).await;
    let mut events = asked.map_err(|failure| because(&failure))?;
    while let Some(event) = events.next().await {
        match event.map_err(|failure| because(&failure))? {
            ClientEvent::Probed { listing } => return Ok(*listing),
            ClientEvent::Failed { failure } => return Err(because(&failure)),
            _ => {}
        }
    }
    Err(Failed::because("the daemon gave no list"))
}
