//! A recorded form of 40 steps, and a way through 12 pages, replayed, against the same steps as Playwright locators.

use cairn_tests::say::say;
use cairn_tests::{Failed, Outcome, Pages, Person, Recording, Replay, Stage, What, pages};
use serde_json::Value;

use super::RUNS;
use super::report::Report;
use super::rival::Rival;

/// What is measured: its name, what it is in words, and the part of the rival's time that ours may take (5 is a fifth).
#[derive(Clone, Copy)]
pub struct Course {
    name: &'static str,
    words: &'static str,
    bar: f64,
}

/// One page, 40 steps.
pub const FORM: Course = Course { name: "form", words: "a recorded form", bar: 5.0 };

/// Twelve pages, each filled in and left.
pub const FLOW: Course = Course { name: "flow", words: "a recorded way through 12 pages", bar: 2.0 };

/// Records it once, then takes turns with the rival.
pub async fn measure(
    stage: &Stage,
    rival: &mut Rival,
    served: &Pages,
    report: &mut Report,
    course: Course,
) -> Outcome<()> {
    let Course { name, words, bar } = course;
    let url = served.url(&format!("{name}.html"));
    let recording = Recording::start(stage, name, &url, &[]).await?;
    fill(recording.person(), name).await?;
    let recorded = recording.stop(stage).await?;
    let steps = recorded.script.script.steps.len();
    say(&format!("{name}: {steps} steps recorded"));
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for run in 0..=RUNS {
        // From the first batch to the verdict, the goal's checks included.
        let mine = replay(stage, &recorded.file.to_string_lossy()).await?.result.replay_ms;
        let other = rival.form(name, &url).await?;
        say(&format!("{name}: {mine:.1} ms against {other:.1} ms"));
        // The first turn warms both up.
        if run > 0 {
            ours.push(mine);
            theirs.push(other);
        }
    }
    report.compare(&format!("{words} of {steps} steps, replayed"), &ours, &theirs, bar);
    Ok(())
}

/// One replay in the paired browser.
pub(super) async fn replay(stage: &Stage, file: &str) -> Outcome<Replay> {
    let port = stage.daemon.port_text();
    let replay = Replay::of(stage.cairn.run(&["run", file, "--attach", "--json", "--port", &port]).await?)?;
    if replay.code != 0 {
        let (step, observed) = (replay.result.step, replay.result.observed);
        return Err(Failed::because(format!("it was not replayed: step {step:?}, {observed:?}")));
    }
    Ok(replay)
}

/// The person fills the form, control by control.
async fn fill(person: &Person, name: &str) -> Outcome<()> {
    let path = pages::tests_folder().join(format!("bench/{name}.json"));
    let text = std::fs::read_to_string(&path).map_err(Failed::io(format!("reading {name}.json")))?;
    let form: Value = serde_json::from_str(&text).map_err(|error| Failed::because(error.to_string()))?;
    for step in form["steps"].as_array().into_iter().flatten() {
        let text = |key: &str| step[key].as_str().unwrap_or_default();
        let what = What::role(text("role"), text("name"));
        match text("do") {
            "fill" => person.fill(&what, text("value")).await?,
            "select" => person.choose(&what, text("value")).await?,
            "see" => person.see(&what).await?,
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
