//! The browser may stop the extension's worker at any moment: a recording loses no step by it, and a run either goes on
//! or ends with a clear result.

use std::time::{Duration, Instant};

use cairn_host::engine::api::Ending;
use cairn_tests::pages::tests_folder;
use cairn_tests::recording::event;
use cairn_tests::{Pages, Recording, Replay, What};

use tokio::time::sleep;

use crate::scratch::Scratch;

#[tokio::test]
async fn a_stopped_worker_costs_no_step_and_no_run_its_end() {
    let scratch = Scratch::set().await;
    let stage = &scratch.stage;
    let pages = Pages::serve(tests_folder().join("bench/pages")).await.unwrap();
    let mut recording = Recording::start(stage, "stopped", &pages.url("form.html"), &[]).await.unwrap();
    let person = recording.person().clone();
    let fields =
        ["First name", "Last name", "Company", "Street", "House number", "Postcode", "City", "Region"];
    for (place, field) in fields.iter().enumerate() {
        let (what, text) = (What::role("textbox", field), format!("text {place}"));
        let filling = person.fill(&what, &text);
        if place % 3 == 1 {
            // In the midst of it, each time at another moment.
            let stopping = async {
                sleep(Duration::from_millis(40 * place as u64)).await;
                stage.chrome.stop_worker().await.unwrap()
            };
            let (filled, stopped) = tokio::join!(filling, stopping);
            filled.unwrap();
            assert!(stopped, "there was a worker to stop");
        } else {
            filling.await.unwrap();
        }
    }
    assert!(stage.chrome.stop_worker().await.unwrap(), "there was a worker to stop");
    person.click(&What::role("button", "Check order")).await.unwrap();
    // The last step is known once its line is there.
    let seen = |line: &serde_json::Value| event(line)["step"]["Action"]["Target"]["Name"] == "Check order";
    recording.running().json_until(Duration::from_secs(20), seen).await.unwrap();
    let recorded = recording.stop(stage).await.unwrap();
    let names: Vec<&str> = recorded
        .script
        .script
        .steps
        .iter()
        .filter_map(|step| step.action.target.as_ref().map(|target| target.name.as_str()))
        .collect();
    let mut wanted = fields.to_vec();
    wanted.push("Check order");
    assert_eq!(names, wanted);

    let port = stage.daemon.port_text();
    let file = recorded.file.to_string_lossy();
    let mut running = stage.cairn.start(&["run", &file, "--attach", "--json", "--port", &port]).unwrap();
    running.json_until(Duration::from_secs(20), |line| event(line)["type"] == "step").await.unwrap();
    stage.chrome.stop_worker().await.unwrap();
    let replay = Replay::of(running.finish_within(Duration::from_mins(1)).await.unwrap()).unwrap();
    match replay.result.result {
        Ending::Success => assert_eq!(replay.code, 0),
        _ => assert!(replay.result.observed.is_some_and(|text| !text.is_empty()), "an end without a reason"),
    }

    // Where nothing is leased, what a person does with the browser brings it back: here, a tab.
    stage.daemon.connected().await.unwrap();
    stage.chrome.stop_worker().await.unwrap();
    let coming_back = stage.daemon.connected();
    let browsing = async {
        loop {
            stage.chrome.open("about:blank").await.unwrap().close().await.unwrap();
            sleep(Duration::from_millis(500)).await;
        }
    };
    tokio::select! {
        back = coming_back => back.unwrap(),
        () = browsing => {}
    }
    scratch.stage.chrome.stop().await;
}

/// The browser may stop the worker between making a window and telling it so: the next life of the worker knows the window for
/// what it is, so that the run goes on in it, and no second one is made.
#[tokio::test]
async fn a_window_that_was_just_made_is_not_left_behind() {
    let scratch = Scratch::set().await;
    let stage = &scratch.stage;
    let pages = Pages::serve(tests_folder().join("bench/pages")).await.unwrap();
    let url = pages.url("form.html");
    let script = serde_json::json!({
        "StartUrl": url, "Steps": [], "GoalPostconditions": [{"Role": "textbox", "Name": "First name"}],
    });
    let file = scratch.folder.path().join("look.json");
    std::fs::write(&file, script.to_string()).unwrap();
    let (port, file) = (stage.daemon.port_text(), file.to_string_lossy().into_owned());
    let tabs = async || {
        let targets = stage.chrome.targets().await.unwrap();
        targets.into_iter().filter(|target| target.kind == "page").count()
    };
    let before = tabs().await;
    for round in 0..8_u64 {
        let running = stage.cairn.start(&["run", &file, "--attach", "--json", "--port", &port]).unwrap();
        let began = Instant::now();
        while tabs().await == before {
            assert!(began.elapsed() < Duration::from_secs(20), "no window came");
        }
        sleep(Duration::from_millis(round)).await;
        stage.chrome.stop_worker().await.unwrap();
        // Where the page is loaded already nothing else happens that would start the worker again before its alarm.
        stage.chrome.open("about:blank").await.unwrap().close().await.unwrap();
        let finished = running.finish_within(Duration::from_mins(1)).await.unwrap();
        let said = format!("round {round}: {:?} {}", finished.lines, finished.errors);
        let replay = Replay::of(finished).expect(&said);
        assert_eq!(replay.result.result, Ending::Success, "round {round}: {:?}", replay.result);
        let began = Instant::now();
        while tabs().await > before {
            assert!(began.elapsed() < Duration::from_secs(5), "round {round}: a window is left");
            sleep(Duration::from_millis(50)).await;
        }
    }
    scratch.stage.chrome.stop().await;
}
