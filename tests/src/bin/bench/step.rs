//! What a step of a batch costs beyond what the page itself takes for it: 80 clicks, each of which changes the page a little.

use cairn_tests::say::say;
use cairn_tests::{Failed, Outcome, Pages, Recording, Replay, Stage, What, pages};

use super::RUNS;
use super::form::replay;
use super::report::{Report, median};

/// Clicks of the page.
const CLICKS: u32 = 80;

/// The first ones compile and fill caches, in the page as well as in the probe.
const WARMING: usize = 10;

/// What a step may cost, in the median, in milliseconds.
const BAR: f64 = 2.0;

/// Records the clicks, replays them, and has the page do the same by itself.
pub async fn measure(stage: &Stage, served: &Pages, report: &mut Report) -> Outcome<()> {
    let url = served.url("steps.html");
    let recording = Recording::start(stage, "steps", &url, &[]).await?;
    for number in 1..=CLICKS {
        recording.person().click(&What::css(&format!("#switch-{number}"))).await?;
    }
    let recorded = recording.stop(stage).await?;
    say(&format!("steps: {} steps recorded", recorded.script.script.steps.len()));
    let own = pages::tests_folder().join("bench/own.js");
    let own = std::fs::read_to_string(&own).map_err(Failed::io("reading own.js"))?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for run in 0..=RUNS {
        let mine = took(&replay(stage, &recorded.file.to_string_lossy()).await?);
        let tab = stage.chrome.open(&url).await?;
        tab.until(&format!("document.querySelectorAll('#all button').length === {CLICKS}")).await?;
        let page = tab.evaluate_in_page(&own).await?;
        tab.close().await?;
        let page: Vec<f64> =
            page.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect();
        let (mine, page) = (median_of_warm(&mine)?, median_of_warm(&page)?);
        say(&format!("steps: {mine:.2} ms a step, of which {page:.2} ms are the page's own"));
        if run > 0 {
            ours.push(mine);
            theirs.push(page);
        }
    }
    let beyond: Vec<f64> = ours.iter().zip(&theirs).map(|(mine, page)| mine - page).collect();
    let what = "a step of a batch, beyond the page's own time (median of 80 clicks)";
    report.at_most_ms(what, &beyond, BAR);
    Ok(())
}

fn median_of_warm(took: &[f64]) -> Outcome<f64> {
    let warm = took.get(WARMING..).filter(|warm| !warm.is_empty());
    warm.map(median).ok_or_else(|| Failed::because(format!("only {} clicks were timed", took.len())))
}

/// How long each step of a replay took in the page.
fn took(replay: &Replay) -> Vec<f64> {
    let steps = replay.events.iter().filter(|event| event["type"] == "step");
    steps.filter_map(|event| event["report"]["tookMs"].as_f64()).collect()
}
