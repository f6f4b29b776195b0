//! A recorded form of 40 steps, replayed, against the same steps as Playwright locators.

use cairn_tests::{Failed, Outcome, Pages, Person, Recording, Replay, Stage, What, pages};
use serde_json::Value;

use super::RUNS;
use super::report::{Report, say};
use super::rival::Rival;

/// Ours may take this part of the rival's time: 1/5.
const BAR: f64 = 5.0;

/// Records the form once, then takes turns with the rival.
pub async fn measure(stage: &Stage, rival: &mut Rival, served: &Pages, report: &mut Report) -> Outcome<()> {
    let url = served.url("form.html");
    let recording = Recording::start(stage, "form", &url, &[]).await?;
    fill(recording.person()).await?;
    let recorded = recording.stop(stage).await?;
    let steps = recorded.script.script.steps.len();
    say(&format!("form: {steps} steps recorded"));
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for run in 0..=RUNS {
        let mine = replay(stage, &recorded.file.to_string_lossy()).await?;
        let other = rival.form(&url).await?;
        say(&format!("form: {mine:.1} ms against {other:.1} ms"));
        // The first turn warms both up.
        if run > 0 {
            ours.push(mine);
            theirs.push(other);
        }
    }
    report.compare(&format!("a recorded form of {steps} steps, replayed"), &ours, &theirs, BAR);
    Ok(())
}

/// One replay in the paired browser: milliseconds from the first batch to the verdict, the goal's checks included.
async fn replay(stage: &Stage, file: &str) -> Outcome<f64> {
    let port = stage.daemon.port_text();
    let said = stage.cairn.run(&["run", file, "--attach", "--json", "--port", &port]).await?;
    let replay = Replay::of(said)?;
    if replay.code != 0 {
        let (step, observed) = (replay.result.step, replay.result.observed);
        return Err(Failed::because(format!("the form was not replayed: step {step:?}, {observed:?}")));
    }
    Ok(replay.result.replay_ms)
}

/// The person fills the form, control by control.
async fn fill(person: &Person) -> Outcome<()> {
    let path = pages::tests_folder().join("bench/form.json");
    let text = std::fs::read_to_string(&path).map_err(Failed::io("reading form.json"))?;
    let form: Value = serde_json::from_str(&text).map_err(|error| Failed::because(error.to_string()))?;
    for step in form["steps"].as_array().into_iter().flatten() {
        let text = |key: &str| step[key].as_str().unwrap_or_default();
        let what = What::role(text("role"), text("name"));
        match text("do") {
            "fill" => person.fill(&what, text("value")).await?,
            "select" => person.choose(&what, text("value")).await?,
            _ => person.click(&what).await?,
        }
    }
    person
        .see(&What::role(
            form["end"]["role"].as_str().unwrap_or_default(),
            form["end"]["name"].as_str().unwrap_or_default(),
        ))
        .await
}
