//! What goes wrong between a script and its page: frames that are gone, regular expressions that run wild, a debugger that the
//! browser refuses, a tab that its person closes or hides. Each ends clearly, with its place, within its bound, and keeps what was
//! done.

use std::fs;
use std::time::{Duration, Instant};

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use cairn_host::browser::{Launch, extension_dir};
use cairn_host::engine::api::{Ending, RunResult};
use cairn_tests::recording::event;
use cairn_tests::{Cairn, Chrome, Daemon, Pages, Recording, Replay, Running, What};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

/// A frame that a button of its page takes away, and one that goes by itself while a step waits in it.
const FRAMES: &str = r#"<!doctype html><title>Shop</title><h1>Shop</h1>
<button onclick="document.querySelector('#help').remove()">Close the help</button>
<iframe id="help" src="/help"></iframe><iframe id="news" src="/news"></iframe>
<script>addEventListener('message', () => setTimeout(() => document.querySelector('#news').remove(), 400));</script>"#;

const HELP: &str = "<!doctype html><button>Ask</button>";

const NEWS: &str = r#"<!doctype html><button onclick="top.postMessage('bye', '*')">Read</button>"#;

/// A page whose button comes by timers, or by what only a page that is seen gets.
const LATER: &str = r#"<!doctype html><title>Later</title><h1>Later</h1>
<button onclick="begin()">Begin</button><p id="place"></p><script>
const show = (name) => { place.innerHTML += `<button onclick="document.title = 'done ${name}'">${name}</button>`; };
function begin() {
  let left = 5;
  const tick = () => { left -= 1; if (left > 0) setTimeout(tick, 50); else show('By timer'); };
  setTimeout(tick, 50);
  requestAnimationFrame(() => requestAnimationFrame(() => show('By frame')));
}
</script>"#;

fn plain() -> String {
    format!(
        "<!doctype html><title>Text</title><h1>Text</h1><p>{}!</p><button>Go on</button>",
        "a".repeat(100_000)
    )
}

/// A page with a menu that opens under the pointer alone.
const MENU: &str = r#"<!doctype html><title>Menu</title><style>nav div { display: none } nav:hover div { display: block }</style>
<nav><button>Menu</button><div><button onclick="document.title = 'saved'">Save</button></div></nav>
<button onclick="confirm('Sure?')">Delete</button>"#;

async fn site() -> Pages {
    let page = |text: &'static str| get(move || async move { Html(text) });
    let router = Router::new()
        .route("/frames", page(FRAMES))
        .route("/help", page(HELP))
        .route("/news", page(NEWS))
        .route("/later", page(LATER))
        .route("/menu", page(MENU))
        .route("/text", get(|| async { Html(plain()) }));
    Pages::serve_router(router).await.unwrap()
}

fn step(method: &str, role: &str, name: &str) -> Value {
    json!({"Action": {"Method": method, "Target": {"Role": role, "Name": name}}, "Precondition": {"WaitForTarget": true}})
}

fn click(name: &str) -> Value {
    step("click", "button", name)
}

fn in_frame(index: u32, mut step: Value) -> Value {
    step["Action"]["Target"]["Frame"] = json!([{"Index": index, "Url": "/somewhere"}]);
    step
}

/// A folder, a site, a daemon, and a browser that is paired with it.
struct Bench {
    folder: TempDir,
    site: Pages,
    cairn: Cairn,
    daemon: Daemon,
    chrome: Chrome,
}

impl Bench {
    async fn set(launch: Launch) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cairn = Cairn::in_folder(folder.path()).unwrap();
        let daemon = Daemon::start(&cairn).await.unwrap();
        let chrome = Chrome::launch(launch).await.unwrap();
        daemon.pair(&chrome).await.unwrap();
        Self { site: site().await, folder, cairn, daemon, chrome }
    }

    fn start(&self, name: &str, page: &str, script: &Value, more: &[&str]) -> Running {
        let mut script = script.clone();
        script["StartUrl"] = self.site.url(page).into();
        let file = self.folder.path().join(format!("{name}.json"));
        fs::write(&file, script.to_string()).unwrap();
        let (file, port) = (file.to_string_lossy().into_owned(), self.daemon.port_text());
        let bound = if more.contains(&"--timeout") { &[][..] } else { &["--timeout", "2"] };
        let run = ["run", &file, "--attach", "--json", "--port", &port];
        self.cairn.start(&[&run[..], bound, more].concat()).unwrap()
    }

    async fn run(&self, name: &str, page: &str, script: &Value, more: &[&str]) -> Replay {
        let begun = Instant::now();
        let replay = Replay::of(self.start(name, page, script, more).finish().await.unwrap()).unwrap();
        assert!(begun.elapsed() < Duration::from_secs(20), "{name} took {:?}", begun.elapsed());
        assert!(!replay.errors.contains("panicked"), "{name}: {}", replay.errors);
        replay
    }
}

/// It failed at this step, on this condition, and says so in words; what was done before is in the evidence.
fn fails(replay: &Replay, at: (u32, &str), says: &[&str]) {
    let result = &replay.result;
    let what = format!("{result:#?}\n{:#?}", replay.log());
    assert_eq!((result.result, replay.code), (Ending::HardFailure, 1), "{what}");
    assert_eq!((result.step, result.condition.as_deref()), (Some(at.0), Some(at.1)), "{what}");
    let told = format!(
        "{} | {} | {}",
        result.expected.as_deref().unwrap_or_default(),
        result.observed.as_deref().unwrap_or_default(),
        result.hint.as_deref().unwrap_or_default()
    );
    for part in says {
        assert!(told.contains(part), "{part:?} is not in {told}\n{what}");
    }
    // An output is read by a step that passes, and found wanting at the end.
    let last = if at.1 == "output" { at.0 } else { at.0 - 1 };
    assert_eq!(done(result), (1..=last).collect::<Vec<_>>(), "{what}");
}

/// The steps that the evidence says are done.
fn done(result: &RunResult) -> Vec<u32> {
    let steps = fs::read_to_string(result.evidence.join("steps.jsonl")).unwrap();
    assert!(result.evidence.join("result.json").is_file());
    let lines = steps.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let passed = lines.filter(|line| line["type"] == "step" && line["report"]["status"] != "diverged");
    passed.filter_map(|line| line["number"].as_u64()).map(|number| number as u32).collect()
}

#[tokio::test]
async fn a_step_in_a_frame_that_is_gone() {
    let bench = Bench::set(Launch::default()).await;
    let steps = json!({"Steps": [in_frame(7, click("Ask"))]});
    fails(
        &bench.run("never", "frames", &steps, &[]).await,
        (1, "target"),
        &["a frame at place 7", "no frame is there"],
    );

    let steps =
        json!({"Steps": [in_frame(0, click("Ask")), click("Close the help"), in_frame(0, click("Ask"))]});
    fails(&bench.run("closed", "frames", &steps, &[]).await, (3, "target"), &["a frame at place 0"]);

    // It goes while a step waits in it for what never comes.
    let steps = json!({"Steps": [in_frame(1, click("Read")), in_frame(1, click("Never"))]});
    fails(
        &bench.run("left", "frames", &steps, &[]).await,
        (2, "target"),
        &["a frame at place 1", "record the step again"],
    );
    bench.chrome.stop().await;
}

/// A selector that a hand has broken finds nothing, whatever its kind: the target is found by what else is known of it, or not.
#[tokio::test]
async fn a_selector_that_is_none() {
    let bench = Bench::set(Launch::default()).await;
    let broken = [
        "css=[[",
        "css=button:nth-child(",
        "xpath=//*[",
        "xpath=",
        "role=button[name=",
        "nonsense=1",
        "",
        "=",
    ];
    let with_selectors = |name: &str| {
        let mut step = click(name);
        step["Action"]["Target"]["Selector"] = "css=}{".into();
        step["Action"]["Target"]["Selectors"] = json!(broken);
        json!({"Steps": [step]})
    };
    for engine in ["wasm", "js"] {
        let replay = bench.run("broken", "menu", &with_selectors("Menu"), &["--engine", engine]).await;
        let result = &replay.result;
        assert_eq!(
            (result.result, result.healed.len()),
            (Ending::Success, 1),
            "{result:?}\n{:#?}",
            replay.log()
        );
        let replay = bench.run("broken", "menu", &with_selectors("Nowhere"), &["--engine", engine]).await;
        fails(&replay, (1, "target"), &["Nowhere"]);
    }
    bench.chrome.stop().await;
}

/// Whatever a regular expression says, it costs time in proportion to the text; and no other check of a script is one.
#[tokio::test]
async fn a_regex_that_runs_wild() {
    let bench = Bench::set(Launch::default()).await;
    let read = json!({"Action": {"Method": "extract", "Value": "found"}});
    for wild in ["(a+)+$", "(a|aa)+$", "(.*a){12}$", "([a-z]+)*=", "(a?){40}a{40}$"] {
        let script = json!({"Steps": [read], "Outputs": {"found": {"match": wild}}});
        let replay = bench.run("wild", "text", &script, &[]).await;
        fails(&replay, (1, "output"), &["the output found is what", wild]);
        let told = replay.result.observed.unwrap_or_default();
        assert!(told.len() < 2000, "a page is not told whole: {} characters", told.len());
    }
    let script = json!({"Steps": [read], "Outputs": {"found": {"match": "(a+)+!"}},
        "GoalPostconditions": [{"UrlPattern": format!("{}text", "**".repeat(500))}]});
    let replay = bench.run("tame", "text", &script, &[]).await;
    assert_eq!(replay.result.result, Ending::Success, "{:?}", replay.log());

    // Texts and URLs are compared as they are, whatever they look like.
    for check in [json!({"Text": "(a+)+$"}), json!({"UrlPattern": format!("{}=", "**a*".repeat(300))})] {
        let assert = json!({"Action": {"Method": "assert"}, "Check": check});
        let script = json!({"Steps": [assert]});
        fails(&bench.run("assert", "text", &script, &[]).await, (1, "postcondition"), &[]);
    }

    let mut recording = recording(&bench, "text").await;
    let port = bench.daemon.port_text();
    let extract = |pattern: &'static str| {
        let (cairn, port) = (bench.cairn.clone(), port.clone());
        async move { cairn.run(&["extract", "found", "--match", pattern, "--port", &port]).await.unwrap() }
    };
    let said = extract("(a+").await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(
        said.errors.contains("no regular expression") && said.errors.contains("--match"),
        "{}",
        said.errors
    );
    let said = extract("(a+)+$").await;
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.errors.contains("nothing was recorded") && said.errors.len() < 2000, "{}", said.errors);
    let said = extract("a(!)").await;
    assert_eq!((said.code, said.lines.first().map(String::as_str)), (0, Some("!")), "{said:?}");
    recording.enter().await.unwrap();
    let said = recording.finish().await.unwrap();
    assert_eq!(said.code, 0, "{said:?}");
    let script = fs::read_to_string(bench.folder.path().join("text.json")).unwrap();
    assert!(script.contains("a(!)") && !script.contains("(a+)+$"), "{script}");
    bench.chrome.stop().await;
}

/// `cairn record` of a page, under way.
async fn recording(bench: &Bench, page: &str) -> Running {
    let (port, out) = (bench.daemon.port_text(), format!("{page}.json"));
    let url = bench.site.url(page);
    let record = ["record", page, "--url", &url, "--out", &out, "--attach", "--json", "--port", &port];
    let mut running = bench.cairn.start(&record).unwrap();
    running.json_until(Duration::from_secs(20), |line| event(line)["type"] == "started").await.unwrap();
    running
}

/// An extension that puts a frame of its own into every page, as password managers do: there the browser lets nobody debug.
fn meddler(folder: &TempDir) -> String {
    let place = folder.path().join("meddler");
    fs::create_dir(&place).unwrap();
    let manifest = json!({
        "manifest_version": 3, "name": "meddler", "version": "1",
        "content_scripts": [{"matches": ["<all_urls>"], "js": ["frame.js"], "run_at": "document_end"}],
        "web_accessible_resources": [{"resources": ["frame.html"], "matches": ["<all_urls>"]}],
    });
    fs::write(place.join("manifest.json"), manifest.to_string()).unwrap();
    fs::write(place.join("frame.html"), "<!doctype html><p>Saved passwords").unwrap();
    let script = "const f = document.createElement('iframe'); f.src = chrome.runtime.getURL('frame.html');\
        f.style = 'position:fixed;right:0;bottom:0;width:50px;height:20px'; document.body.append(f);";
    fs::write(place.join("frame.js"), script).unwrap();
    place.to_string_lossy().into_owned()
}

#[tokio::test]
async fn a_debugger_that_the_browser_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let both = format!("{},{}", extension_dir().unwrap().display(), meddler(&folder));
    let switches = vec![format!("--load-extension={both}"), format!("--disable-extensions-except={both}")];
    let bench = Bench::set(Launch { switches, ..Launch::default() }).await;
    let refusal =
        ["refuses trusted input in this tab", "switch off extensions that put frames into its pages"];

    let script = json!({"Steps": [click("Menu"), click("Delete")]});
    let replay = bench.run("trusted", "menu", &script, &["--input-mode", "trusted"]).await;
    fails(&replay, (1, "act"), &refusal);
    let script = json!({"Steps": [click("Menu"), step("hover", "button", "Menu"), click("Save")]});
    fails(&bench.run("hover", "menu", &script, &[]).await, (2, "act"), &refusal);
    // Where dialogs are to be answered nothing is begun without it.
    let mut asks = click("Delete");
    asks["Dialogs"] = json!([{"Kind": "confirm", "Accept": true}]);
    let script = json!({"Steps": [asks]});
    fails(&bench.run("dialog", "menu", &script, &[]).await, (1, "lost"), &refusal);
    // What needs none does without.
    let script =
        json!({"Steps": [click("Menu")], "GoalPostconditions": [{"Role": "button", "Name": "Menu"}]});
    let replay = bench.run("page", "menu", &script, &[]).await;
    assert_eq!(replay.result.result, Ending::Success, "{:?}\n{:?}", replay.result, replay.log());
    bench.chrome.stop().await;
}

#[tokio::test]
async fn a_tab_that_its_person_closes() {
    let bench = Bench::set(Launch::default()).await;
    let script = json!({"Steps": [click("Begin"), click("Never")]});
    let mut running = bench.start("closed", "later", &script, &["--timeout", "30"]);
    let begun = |line: &Value| event(line)["type"] == "step" && event(line)["report"]["number"] == 1;
    running.json_until(Duration::from_secs(20), begun).await.unwrap();
    let tab = bench.chrome.tab_at(&bench.site.url("later")).await.unwrap();
    let closed = Instant::now();
    tab.close().await.unwrap();
    let replay = Replay::of(running.finish().await.unwrap()).unwrap();
    assert!(closed.elapsed() < Duration::from_secs(5), "{:?}", closed.elapsed());
    fails(&replay, (2, "lost"), &["closed", "run again"]);

    // What was recorded up to then is a script.
    let stage = cairn_tests::Stage { cairn: bench.cairn, daemon: bench.daemon, chrome: bench.chrome };
    let recording = Recording::start(&stage, "begin", &bench.site.url("later"), &[]).await.unwrap();
    recording.person().click(&What::role("button", "Begin")).await.unwrap();
    recording.person().click(&What::role("button", "By timer")).await.unwrap();
    sleep(Duration::from_millis(300)).await;
    recording.person().tab().close().await.unwrap();
    let recorded = recording.ended().await.unwrap();
    let names: Vec<&str> = recorded
        .script
        .script
        .steps
        .iter()
        .filter_map(|step| step.action.target.as_ref().map(|target| target.name.as_str()))
        .collect();
    assert_eq!(names, ["Begin", "By timer"]);
    stage.chrome.stop().await;
}

/// In a tab that nobody sees timers are slow and frames never come: what comes by timers is waited for, and what waits for a
/// frame is missed within the bound.
#[tokio::test]
async fn a_tab_that_is_hidden_in_mid_run() {
    let bench = Bench::set(Launch::default()).await;
    for (name, ends) in [("By timer", Ending::Success), ("By frame", Ending::HardFailure)] {
        let mut last = click(name);
        last["Postcondition"] = json!({"Stirs": true});
        let script = json!({"Steps": [json!({"Action": {"Method": "wait"}, "Check": {"Text": "Later"}}), click("Wait"), click("Begin"), last]});
        let known = bench.chrome.targets().await.unwrap();
        let mut running = bench.start("hidden", "later", &script, &["--timeout", "10"]);
        let tab = bench.chrome.new_tab_at(&bench.site.url("later"), &known).await.unwrap();
        let begun = |line: &Value| event(line)["type"] == "step" && event(line)["report"]["number"] == 1;
        running.json_until(Duration::from_secs(20), begun).await.unwrap();
        let of_tab =
            bench.chrome.pipe().call("Browser.getWindowForTarget", json!({"targetId": tab.target()}), None);
        let window = of_tab.await.unwrap()["windowId"].clone();
        let minimised = json!({"windowId": window, "bounds": {"windowState": "minimized"}});
        bench.chrome.pipe().call("Browser.setWindowBounds", minimised, None).await.unwrap();
        tab.until("document.visibilityState == 'hidden'").await.unwrap();
        tab.evaluate("(place.innerHTML += '<button>Wait</button>', 0)").await.unwrap();
        let replay = Replay::of(running.finish().await.unwrap()).unwrap();
        assert_eq!(replay.result.result, ends, "{name}: {:?}\n{:#?}", replay.result, replay.log());
        if ends == Ending::HardFailure {
            fails(&replay, (4, "target"), &["By frame"]);
        }
    }
    bench.chrome.stop().await;
}
