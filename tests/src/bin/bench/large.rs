//! The full list of a page of 12,000 elements, 3,000 of them interactive, against Playwright's `ariaSnapshot()`, and against
//! the floor: a plain loop that reads the box and three computed styles of every element.

use std::time::Instant;

use cairn_core::wire::worker::Engine;
use cairn_host::daemon::client;
use cairn_host::engine::api::{ClientEvent, ClientRequest, ProbeRequest, ProbeResult};
use cairn_tests::{Failed, Outcome, Pages, Stage};

use super::RUNS;
use super::report::{Report, say};
use super::rival::Rival;

/// Ours may take this part of the rival's time: 1/8.
const BAR: f64 = 8.0;
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
    let (mut theirs, mut floors) = (Vec::new(), Vec::new());
    let mut about = String::new();
    for run in 0..=RUNS {
        let began = Instant::now();
        let listing = list(stage, &url, Engine::Wasm).await?;
        let mine = began.elapsed().as_secs_f64() * 1000.0;
        let by_twin = list(stage, &url, Engine::Js).await?.took_ms;
        let (other, floor, [elements, controls]) = rival.list(&url).await?;
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
        }
    }
    report.compare(&format!("full list of a page ({about}), in the page"), &inside, &theirs, BAR);
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

/// Lists the open tab, through the daemon. The build is given: of a tab that was open before it was leased nobody saw the
/// headers, so that the twin would be taken.
async fn list(stage: &Stage, url: &str, engine: Engine) -> Outcome<ProbeResult> {
    let because = |failure: &dyn std::fmt::Display| Failed::because(failure.to_string());
    let client = client::connect(stage.daemon.port()).map_err(|failure| because(&failure))?;
    let request = ProbeRequest {
        url: url.to_owned(),
        at_url: true,
        all: true,
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
