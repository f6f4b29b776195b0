//! Steps by command while a person is recorded, a tab that the person closes, what only the browser's own input does, in a frame
//! of another site too; and what a script learns of that.

use cairn_core::script::Method;
use cairn_tests::pages::tests_folder;
use cairn_tests::{Pages, Person, Recorded, Recording, Replay, Said, Stage, What};
use serde_json::json;

use crate::scratch::Scratch;

#[tokio::test]
async fn outputs_and_checks_by_command() {
    let scratch = Scratch::set().await;
    let stage = &scratch.stage;
    let pages = Pages::serve(tests_folder().join("pages/looks")).await.unwrap();
    let recording = Recording::start(stage, "looks", &pages.url("order.html"), &[]).await.unwrap();
    look(stage, &recording).await;
    let recorded = recording.stop(stage).await.unwrap();
    let methods = methods(&recorded);
    assert_eq!(methods[2..5], [Method::Extract, Method::Extract, Method::Assert], "{methods:?}");

    let replay = replay(stage, &recorded).await;
    assert_eq!(replay.code, 0, "{:?} {:?}", replay.log(), replay.result);
    assert_eq!(replay.result.outputs["number"], json!("AB-1742"));
    assert_eq!(replay.result.outputs["total"], json!(1299.5));
    scratch.stage.chrome.stop().await;
}

#[tokio::test]
async fn closed_tabs_and_learned_input() {
    let scratch = Scratch::set().await;
    let stage = &scratch.stage;
    let pages = Pages::serve(tests_folder().join("pages/looks")).await.unwrap();
    let recording = Recording::start(stage, "hands", &pages.url("order.html"), &[]).await.unwrap();
    leave_and_press(stage, &pages, recording.person()).await;
    let recorded = recording.stop(stage).await.unwrap();
    let methods = methods(&recorded);
    assert!(methods.contains(&Method::CloseTab), "{methods:?}");

    let first = replay(stage, &recorded).await;
    assert_eq!(first.code, 0, "{:?} {:?}", first.log(), first.result);
    let trusted = &first.result.trusted;
    assert!(!trusted.is_empty(), "{:?}", first.result);
    let text = std::fs::read_to_string(&recorded.file).unwrap();
    assert_eq!(text.matches("\"Input\": \"trusted\"").count(), trusted.len(), "{text}");

    let second = replay(stage, &recorded).await;
    assert_eq!((second.code, second.result.trusted.len()), (0, 0), "{:?}", second.log());
    let (before, after) = (first.result.replay_ms, second.result.replay_ms);
    assert!(before - after > 200.0, "the second run took {after} of {before} ms");
    scratch.stage.chrome.stop().await;
}

async fn look(stage: &Stage, recording: &Recording) {
    let person = recording.person().clone();
    let port = stage.daemon.port_text();
    let cairn = async |arguments: &[&str]| -> Said {
        stage.cairn.run(&[arguments, &["--port", &port]].concat()).await.unwrap()
    };
    person.fill(&What::css("#item"), "mug").await.unwrap();
    person.click(&What::role("button", "Buy")).await.unwrap();
    person.tab().until_text("AB-1742").await.unwrap();

    // What cannot be is refused, and the recording goes on as if it had not been asked.
    for (arguments, code, part) in [
        (&["extract", "number", "--match", "Order (["][..], 2, "no regular expression"),
        (&["extract", "number", "--match", "((a{1,500}){1,500}){1,500}"][..], 2, "repeat too much"),
        (&["extract", "number", "--match", r"(\w+)(?=x)"][..], 2, "look-around"),
        (&["extract", "number"][..], 2, "say where"),
        (&["extract", "number", "--match", "Invoice (.*)"][..], 1, "nothing was recorded"),
        (&["extract", "number", "--named", "Nowhere"][..], 1, "nothing on the page is called"),
        (&["assert", "--text", "Sold out"][..], 1, "it is not so now"),
        (&["assert"][..], 2, "say of what"),
        (&["assert", "--text", "x", "--recording", "other"][..], 5, "no recording is named"),
    ] {
        let refused = cairn(arguments).await;
        assert_eq!(refused.code, code, "{arguments:?}: {}", refused.errors);
        assert!(refused.errors.contains(part), "{arguments:?}: {}", refused.errors);
    }
    let read = cairn(&["extract", "number", "--match", r"Order ([A-Z]+-\d+)"]).await;
    assert_eq!((read.code, read.lines.as_slice()), (0, &["AB-1742".to_owned()][..]), "{}", read.errors);
    let read = cairn(&[
        "extract",
        "total",
        "--role",
        "status",
        "--named",
        "Total",
        "--type",
        "number",
        "--match",
        r"([\d.,]+)",
    ])
    .await;
    assert_eq!(read.code, 0, "{}", read.errors);
    let checked = cairn(&["assert", "--role", "heading", "--named", "Your order"]).await;
    assert_eq!(checked.code, 0, "{}", checked.errors);
}

async fn leave_and_press(stage: &Stage, pages: &Pages, person: &Person) {
    let known = stage.chrome.targets().await.unwrap();
    person.click(&What::role("link", "Receipt")).await.unwrap();
    let receipt = stage.chrome.new_tab_at(&pages.url("receipt.html"), &known).await.unwrap();
    receipt.bring_to_front().await.unwrap();
    let there = Person::at(receipt.clone());
    there.click(&What::role("button", "Mark as paid")).await.unwrap();
    receipt.until_text("paid").await.unwrap();
    receipt.close().await.unwrap();
    person.tab().bring_to_front().await.unwrap();
    person.click(&What::role("button", "Only by hand")).await.unwrap();
    person.tab().until_text("by hand.").await.unwrap();
    // The frame's document is another process's: what is in it is hit by its place.
    person.see(&What::css("#other")).await.unwrap();
    person.click_inside(&What::css("#other"), (40.0, 88.0)).await.unwrap();
    person.tab().until_text("trusted within.").await.unwrap();
}

async fn replay(stage: &Stage, recorded: &Recorded) -> Replay {
    let (port, file) = (stage.daemon.port_text(), recorded.file.to_string_lossy());
    let arguments = ["run", &file, "--attach", "--json", "--port", &port];
    Replay::of(stage.cairn.run(&arguments).await.unwrap()).unwrap()
}

fn methods(recorded: &Recorded) -> Vec<Method> {
    recorded.script.script.steps.iter().map(|step| step.action.method).collect()
}
