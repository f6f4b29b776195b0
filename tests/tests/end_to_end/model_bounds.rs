//! What bounds a model: a judge that disagrees, money, acts that no script can hold, and people who end its run or take it over.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use cairn_core::ladder::Rung;
use cairn_host::engine::api::{Cache, Ending, RunResult, Tier};
use cairn_tests::{Cairn, Chrome, Daemon, ModelServer, Mood, Person, Replay, What, Wire};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::model::{NOTE, Notes, write_test};

const GOAL: &str = "Fill \"Title\" with \"%title%\" and press \"Save note\" until it says \"Saved %title%\".";

/// The notes, a model of rules, and a test without a script.
struct Bench {
    folder: TempDir,
    notes: Notes,
    server: ModelServer,
}

impl Bench {
    async fn set(goal: &str, page: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let notes = Notes::serve("nowhere").await;
        write_test(folder.path(), "note", goal, &notes.pages.url(page));
        let inputs = json!({"title": "Milk", "pin": "4711-0815"}).to_string();
        fs::write(folder.path().join("inputs.json"), inputs).unwrap();
        Self { folder, notes, server: ModelServer::start().await.unwrap() }
    }

    /// `cairn`, which asks the model.
    fn cairn(&self) -> Cairn {
        self.server.asked_by(Cairn::in_folder(self.folder.path()).unwrap(), Wire::OpenAi)
    }

    async fn run(&self, cairn: &Cairn, more: &[&str]) -> Replay {
        let run = ["run", "note.test.json", "--tier", "llm", "--inputs", "inputs.json", "--json"];
        Replay::of(cairn.run(&[&run[..], more].concat()).await.unwrap()).unwrap()
    }
}

/// How a run ended, and on which condition.
fn ended(result: &RunResult) -> (Ending, &str) {
    (result.result, result.condition.as_deref().unwrap_or_default())
}

/// Was anything kept of it?
fn is_recorded(result: &RunResult) -> bool {
    result.slot.is_some() || result.evidence.join("script.json").exists()
}

/// The checks hold, and one who is asked once more says no, or nothing: the run has failed, and no script comes of it.
#[tokio::test]
async fn what_a_judge_does_not_agree_to_is_not_recorded() {
    let bench = Bench::set(GOAL, "notes").await;
    let judged = bench.cairn().with("CAIRN_MODEL_JUDGE", "1").with("CAIRN_MODEL_TIMEOUT", "1");
    bench.server.be(Mood::Contrary);
    let run = bench.run(&judged, &[]).await;
    assert_eq!(ended(&run.result), (Ending::HardFailure, "judge"), "{:?}\n{:#?}", run.result, run.log());
    assert_eq!(run.result.observed.as_deref(), Some("the note is not what was asked for"));
    assert!(!is_recorded(&run.result), "{:?}", run.result);
    let asked = bench.server.calls();
    assert_eq!(run.result.model_calls as usize, asked, "the judge's call counts");

    bench.server.reset();
    bench.server.then(std::iter::repeat_n(Mood::Sound, asked - 1));
    bench.server.be(Mood::Never);
    let run = bench.run(&judged, &[]).await;
    assert_eq!(
        ended(&run.result),
        (Ending::HardFailure, "judge"),
        "silence is no agreement: {:?}",
        run.result
    );
    assert!(!is_recorded(&run.result), "{:?}", run.result);

    // A task is not remembered either.
    let url = bench.notes.pages.url("notes");
    let task = ["do", GOAL, "--url", &url, "--input", "title=Milk", "--json"];
    for mood in [Mood::Contrary, Mood::Sound] {
        bench.server.reset();
        bench.server.be(mood.clone());
        let run = Replay::of(judged.run(&task).await.unwrap()).unwrap();
        assert_eq!(run.result.cache, Cache::Miss, "{mood:?}: {:?}", run.result);
        assert_eq!(run.result.result == Ending::Success, mood == Mood::Sound, "{mood:?}: {:?}", run.result);
    }
    let run = Replay::of(judged.run(&task).await.unwrap()).unwrap();
    assert_eq!(run.result.cache, Cache::Hit, "what it agreed to is: {:?}", run.result);

    bench.server.reset();
    let run = bench.run(&judged, &[]).await;
    assert_eq!(run.result.result, Ending::Success, "{:?}", run.result);
    assert_eq!(bench.server.calls(), asked, "it was judged");
    assert!(is_recorded(&run.result), "{:?}", run.result);
}

/// A question that would cost more than is left is not asked.
#[tokio::test]
async fn money_is_not_spent_beyond_its_budget() {
    let bench = Bench::set(GOAL, "notes").await;
    let unpriced = bench.cairn();
    let run = ["run", "note.test.json", "--tier", "llm", "--inputs", "inputs.json", "--max-cost", "1"];
    let refused = unpriced.run(&run).await.unwrap();
    assert_eq!(refused.code, 2, "without prices no budget of money can be kept: {refused:?}");
    assert!(refused.errors.contains("CAIRN_MODEL_PRICE"), "{}", refused.errors);
    assert_eq!(bench.server.connections(), 0);

    let priced = bench.cairn().with("CAIRN_MODEL_PRICE", "3,15");
    let broke = bench.run(&priced, &["--max-cost", "0.0001"]).await;
    assert_eq!(ended(&broke.result), (Ending::HardFailure, "budget"), "{:?}", broke.result);
    assert_eq!((bench.server.calls(), broke.result.model_calls, broke.code), (0, 0, 1));

    let rich = bench.run(&priced, &["--max-cost", "1", "--no-record"]).await;
    assert_eq!(rich.result.result, Ending::Success, "{:?}", rich.result);
    let spent = |result: &RunResult| result.model.as_ref().and_then(|model| model.spent.money).unwrap();
    let (whole, calls) = (spent(&rich.result), bench.server.calls());
    assert!(whole > 0.0);

    // The last question does not fit any more: what was spent stays below the limit, and the run says what it lacks.
    bench.server.reset();
    let observed = broke.result.observed.unwrap_or_default();
    let next: f64 = observed.rsplit('$').next().unwrap().parse().unwrap_or_else(|_| panic!("{observed}"));
    let limit = next + whole / 2.0;
    let short = bench.run(&priced, &["--max-cost", &limit.to_string(), "--no-record"]).await;
    assert_eq!(ended(&short.result), (Ending::HardFailure, "budget"), "{:?}", short.result);
    assert!((1..calls).contains(&bench.server.calls()), "{} of {calls}", bench.server.calls());
    assert!(spent(&short.result) <= limit, "{:?}", short.result);
    assert!(
        short.result.hint.as_deref().is_some_and(|hint| hint.contains("--max-cost")),
        "{:?}",
        short.result
    );
}

/// Without grounding the model acts on a picture. Such a run may pass, and is no script: it says which step is in the way.
#[tokio::test]
async fn acts_at_points_pass_and_are_no_script() {
    let goal = "Press at \"150,100\" until it says \"The drawing was pressed\".";
    let bench = Bench::set(goal, "drawn").await;
    let run = bench.run(&bench.cairn(), &["--no-grounding"]).await;
    assert_eq!(run.result.result, Ending::Success, "{:?}\n{:#?}", run.result, run.log());
    assert!(bench.server.saw_a_picture());
    assert!(!bench.server.heard().contains("[0]"), "no element was listed");
    assert!(!is_recorded(&run.result), "{:?}", run.result);
    assert!(run.said("not kept: the run is no script: step 1 ("), "{:#?}", run.log());
    // Beside it nothing is pressed: the point is where it was meant.
    let beside = "Press at \"20,100\" until it says \"The drawing was pressed\".";
    write_test(bench.folder.path(), "beside", beside, &bench.notes.pages.url("drawn"));
    let run = ["run", "beside.test.json", "--no-grounding", "--inputs", "inputs.json", "--json"];
    let run = Replay::of(bench.cairn().run(&run).await.unwrap()).unwrap();
    assert_ne!(run.result.result, Ending::Success, "{:?}", run.result);
}

/// A person who has waited long enough for a model ends the run at once.
#[tokio::test]
async fn a_run_ends_while_the_model_thinks() {
    let bench = Bench::set(GOAL, "notes").await;
    let cairn = bench.cairn();
    bench.server.then([Mood::Sound]);
    bench.server.be(Mood::Never);
    let url = bench.notes.pages.url("notes");
    for command in [
        vec!["run", "note.test.json", "--tier", "llm", "--inputs", "inputs.json", "--json"],
        vec!["do", GOAL, "--url", &url, "--input", "title=Milk", "--json"],
    ] {
        bench.server.reset();
        bench.server.then([Mood::Sound]);
        bench.server.be(Mood::Never);
        let running = cairn.start(&command).unwrap();
        let begun = Instant::now();
        while bench.server.calls() < 2 {
            assert!(
                begun.elapsed() < Duration::from_secs(40),
                "the model is not asked: {}",
                running.errors()
            );
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        running.interrupt().unwrap();
        let interrupted = Instant::now();
        let said = running.finish().await.unwrap();
        assert_eq!(said.code, 130, "{said:?}");
        assert!(interrupted.elapsed() < Duration::from_secs(6), "it took {:?}", interrupted.elapsed());
        let run = Replay::of(said).unwrap();
        assert_eq!(ended(&run.result), (Ending::HardFailure, "interrupted"), "{:?}", run.result);
        assert_eq!(run.result.steps_executed, 1, "what was done before is told: {:?}", run.result);
        assert!(!is_recorded(&run.result));
    }
}

/// One field in the middle has another label and name: one question, and replay goes on behind it.
#[tokio::test]
async fn replay_goes_on_behind_a_stale_step_in_the_middle() {
    let bench = Bench::set(NOTE, "notes").await;
    let first = bench.run(&bench.cairn(), &[]).await;
    assert_eq!(first.result.result, Ending::Success, "{:?}\n{:#?}", first.result, first.log());
    bench
        .notes
        .replace("Street <input name=\"street\" />", "Street and number of the house <input name=\"way\" />");
    bench.server.reset();
    let run = ["run", "note", "--inputs", "inputs.json", "--json"];
    let run = Replay::of(bench.cairn().run(&run).await.unwrap()).unwrap();
    assert_eq!(run.result.result, Ending::Success, "{:?}\n{:#?}", run.result, run.log());
    assert_eq!((bench.server.calls(), run.result.model_calls), (1, 1), "{:#?}", run.log());
    assert_eq!((run.result.tier, run.result.cache), (Tier::ReplayWithHeal, Cache::Healed));
    let healed: Vec<_> = run.result.healed.iter().map(|healed| (healed.step, healed.rung)).collect();
    assert_eq!(healed, [(5, Rung::Decision)]);
    let played: Vec<u64> = run
        .events
        .iter()
        .filter(|event| event["type"] == "step" && event["report"]["status"] != "diverged")
        .filter_map(|event| event["report"]["number"].as_u64())
        .collect();
    assert_eq!(played, (1..=12).collect::<Vec<_>>(), "each step once: {:#?}", run.log());
}

/// A daemon that asks the model, and a browser that is paired with it.
struct Paired {
    daemon: Daemon,
    chrome: Chrome,
    cairn: Cairn,
}

impl Paired {
    async fn set(bench: &Bench) -> Self {
        let cairn = bench.cairn();
        let daemon = Daemon::start(&cairn).await.unwrap();
        let chrome = Chrome::start().await.unwrap();
        daemon.pair(&chrome).await.unwrap();
        Self { daemon, chrome, cairn }
    }

    fn arguments(&self, arguments: &[&str]) -> Vec<String> {
        let port = self.daemon.port_text();
        arguments.iter().copied().chain(["--port", &port]).map(str::to_owned).collect()
    }

    async fn pages(&self) -> usize {
        self.chrome.targets().await.unwrap().iter().filter(|target| target.kind == "page").count()
    }
}

/// Both in the paired browser: a task that is remembered, and a drive that gives way to a person.
#[tokio::test]
async fn a_model_drives_the_paired_browser_and_gives_way() {
    let goal = "Fill \"Title\" with \"%title%\", fill \"Comment\" with \"none\" and press \"Save note\" until it says \"Saved %title%\".";
    let bench = Bench::set(goal, "notes").await;
    let paired = Paired::set(&bench).await;
    attached_task(&bench, &paired).await;
    gives_way(&bench, &paired).await;
    paired.chrome.stop().await;
}

async fn attached_task(bench: &Bench, paired: &Paired) {
    let url = bench.notes.pages.url("notes");
    let before = paired.pages().await;
    for (title, cache, calls) in [("title=Milk", Cache::Miss, 3), ("title=Bread", Cache::Hit, 0)] {
        bench.server.reset();
        let task = ["do", GOAL, "--url", &url, "--input", title, "--attach", "--json"];
        let run = Replay::of(paired.cairn.run(&paired.arguments(&task)).await.unwrap()).unwrap();
        assert_eq!((run.result.result, run.result.cache), (Ending::Success, cache), "{:#?}", run.log());
        assert_eq!(bench.server.calls(), calls);
        let began = Instant::now();
        while paired.pages().await > before {
            assert!(began.elapsed() < Duration::from_secs(5), "its tab is left behind");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    let task = ["do", GOAL, "--url", &url, "--input", "title=Eggs", "--attach", "--keep-open", "--json"];
    let run = Replay::of(paired.cairn.run(&paired.arguments(&task)).await.unwrap()).unwrap();
    assert_eq!(run.result.cache, Cache::Hit, "{:#?}", run.log());
    let tab = paired.chrome.tab_at(&url).await.unwrap();
    let said = tab.evaluate("document.getElementById('said').textContent").await.unwrap();
    assert_eq!(said, "Saved Eggs", "the tab stands as it ended");
    tab.close().await.unwrap();
}

/// What the person did is theirs, is told to the model, and stands in the script; what the model had decided meanwhile is void.
async fn gives_way(bench: &Bench, paired: &Paired) {
    bench.server.reset();
    bench.server.be(Mood::Late(Duration::from_millis(1500)));
    let known = paired.chrome.targets().await.unwrap();
    let run = ["run", "note.test.json", "--tier", "llm", "--inputs", "inputs.json", "--attach", "--json"];
    let mut running = paired.cairn.start(&paired.arguments(&run)).unwrap();
    let filled = |line: &Value| line["type"] == "step" && line["report"]["number"] == 1;
    running.json_until(Duration::from_secs(40), filled).await.unwrap();
    let taken = paired.cairn.run(&paired.arguments(&["take"])).await.unwrap();
    assert_eq!(taken.code, 0, "{taken:?}");
    let handed = |line: &Value| line["type"] == "hand" && line["to"] == "person";
    running.json_until(Duration::from_secs(20), handed).await.unwrap();
    let tab = paired.chrome.new_tab_at(&bench.notes.pages.url("notes"), &known).await.unwrap();
    tab.bring_to_front().await.unwrap();
    Person::at(tab).refill(&What::role("textbox", "Comment"), "by hand").await.unwrap();
    let asked = bench.server.calls();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(bench.server.calls(), asked, "nobody is asked while a person has the run");
    let given = paired.cairn.run(&paired.arguments(&["give"])).await.unwrap();
    assert_eq!(given.code, 0, "{given:?}");
    let run = Replay::of(running.finish().await.unwrap()).unwrap();
    assert_eq!(run.result.result, Ending::Success, "{:?}\n{:#?}", run.result, run.log());
    let did: Vec<_> = run.result.by_person.iter().map(|one| (one.step, one.what.as_str())).collect();
    assert!(matches!(did.as_slice(), [(Some(2), what)] if what.contains("Comment")), "{did:?}");
    assert!(bench.server.heard().contains("a person did this: fill"), "the model is told");
    let script = script_of(&run.result.evidence);
    let by: Vec<&str> =
        script["Steps"].as_array().unwrap().iter().filter_map(|step| step["By"].as_str()).collect();
    assert_eq!(by, ["model", "person", "model"], "{script}");
    assert_eq!(script["Steps"][1]["Action"]["Value"], "by hand");
}

fn script_of(evidence: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(evidence.join("script.json")).unwrap()).unwrap()
}
