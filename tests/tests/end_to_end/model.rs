//! The tier `llm`: a model drives the demo application from a goal, its run becomes a script, and the script is replayed without it.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::response::Html;
use cairn_core::ladder::Rung;
use cairn_host::demo::{Account, Build, DemoSite};
use cairn_host::engine::api::{Cache, Ending, Tier};
use cairn_tests::pages::tests_folder;
use cairn_tests::{Cairn, Errand, ModelServer, Mood, Pages, Replay, Wire};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::agent::Agent;

/// What the rules carry out, word by word; every model of a real provider reads it, too.
const GOAL: &str = "Sign in with %email% and %password%, open \"Equipment\" in \"All applications\", fill \"Search equipment\" with \
    \"camera\", press \"Search\", follow \"Next page\", press \"Book\" in \"Camera C-7\", select \"Research\" in \"Department\", fill \
    \"Day\" with \"2027-03-15\", tick \"Needs a technician\", fill \"Note for the desk\" with \"Two batteries, please\", press \
    \"Review booking\", press \"Confirm booking\", follow \"Go to handover terms\", tick \"I have read the terms\" and press \"Accept \
    terms\" until you see \"All set\".";

struct Desk {
    site: DemoSite,
    server: ModelServer,
    cairn: Cairn,
    _folder: TempDir,
}

impl Desk {
    async fn set(goal: &str, wire: Wire) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = DemoSite::start(0, Build::V1).await.unwrap();
        let server = ModelServer::start().await.unwrap();
        let test = json!({
            "Name": "booking", "Goal": goal, "StartUrl": site.url(),
            "Inputs": {
                "email": {"type": "string", "required": true},
                "password": {"type": "string", "required": true, "secret": true}
            },
            "Configuration": {"ReplayScript": null, "PendingReplayScript": null}
        });
        fs::write(folder.path().join("booking.test.json"), test.to_string()).unwrap();
        let inputs = json!({"email": Account::EMAIL, "password": Account::PASSWORD});
        fs::write(folder.path().join("inputs.json"), inputs.to_string()).unwrap();
        let cairn = server.asked_by(Cairn::in_folder(folder.path()).unwrap(), wire);
        Self { site, server, cairn, _folder: folder }
    }

    async fn run(&self, what: &str, more: &[&str]) -> Replay {
        let mut arguments = vec!["run", what, "--inputs", "inputs.json", "--json"];
        arguments.extend(more);
        Replay::of(self.cairn.run(&arguments).await.unwrap()).unwrap()
    }
}

#[tokio::test]
async fn a_model_books_a_camera_and_its_script_needs_it_no_more() {
    let desk = Desk::set(GOAL, Wire::Anthropic).await;
    let run = desk.run("booking.test.json", &[]).await;
    let first = &run.result;
    assert_eq!(first.result, Ending::Success, "{first:?}\n{:#?}", run.log());
    assert_eq!((first.tier, first.cache), (Tier::Llm, Cache::Miss));
    assert_eq!(first.slot.as_deref(), Some("promoted"));
    assert_eq!(first.model_calls as usize, desk.server.calls());
    let booked = desk.site.state();
    assert!(booked.bookings[0].accepted && booked.bookings[0].equipment == Errand::EQUIPMENT, "{booked:?}");
    assert!(!desk.server.heard().contains(Account::PASSWORD), "the model was told the secret");

    desk.server.reset();
    desk.site.reset();
    let run = desk.run("booking", &[]).await;
    let again = &run.result;
    assert_eq!(again.result, Ending::Success, "{again:?}\n{:#?}", run.log());
    assert_eq!((again.cache, again.model_calls, again.healed.len()), (Cache::Hit, 0, 0), "{again:?}");
    assert_eq!((desk.server.calls(), desk.server.connections()), (0, 0), "a replay asks nobody");
    assert!(desk.site.state().bookings[0].accepted);
}

/// Twelve steps on a page of one form.
pub(super) const NOTE: &str = "Fill \"Title\" with \"%title%\", select \"Work\" in \"Category\", fill \"Owner\" with \"Ada\", fill \"Room\" with \"4\", \
    fill \"Street\" with \"Long\", fill \"Town\" with \"Ulm\", fill \"Country\" with \"DE\", fill \"Comment\" with \"none\", tick \
    \"Pinned\", tick \"Shared\", fill \"PIN\" with %pin% and press \"Save note\" until it says \"Saved %title%\".";

/// A form that may be redesigned: one button gets another name, id and place.
pub(super) struct Notes {
    pub(super) pages: Pages,
    before: String,
    after: String,
    now: Arc<Mutex<String>>,
}

impl Notes {
    /// `elsewhere` is where its text tells models to go.
    pub(super) async fn serve(elsewhere: &str) -> Self {
        let read = |name: &str| {
            let page = fs::read_to_string(tests_folder().join("pages/model").join(name)).unwrap();
            page.replace("ELSEWHERE", elsewhere)
        };
        let (before, after) = (read("notes.html"), read("notes.after.html"));
        let risky = before.replace(">Save note<", ">Send note<");
        let now = Arc::new(Mutex::new(before.clone()));
        let shown = Arc::clone(&now);
        let page = move || std::future::ready(Html(shown.lock().unwrap().clone()));
        let drawn = read("drawn.html");
        let router = axum::Router::new()
            .route("/drawn", axum::routing::get(move || std::future::ready(Html(drawn.clone()))))
            .route("/risky", axum::routing::get(move || std::future::ready(Html(risky.clone()))))
            .route("/notes", axum::routing::get(page));
        Self { pages: Pages::serve_router(router).await.unwrap(), before, after, now }
    }

    fn redesign(&self, done: bool) {
        let page = if done { &self.after } else { &self.before };
        self.now.lock().unwrap().clone_from(page);
    }

    /// Another redesign: these words stand in place of those.
    pub(super) fn replace(&self, words: &str, by: &str) {
        assert!(self.before.contains(words));
        *self.now.lock().unwrap() = self.before.replace(words, by);
    }
}

pub(super) fn write_test(folder: &Path, name: &str, goal: &str, url: &str) {
    let test = json!({
        "Name": name, "Goal": goal, "StartUrl": url,
        "Inputs": {
            "title": {"type": "string", "required": true}, "pin": {"type": "string", "required": true, "secret": true}
        },
        "Configuration": {"ReplayScript": null, "PendingReplayScript": null}
    });
    fs::write(folder.join(format!("{name}.test.json")), test.to_string()).unwrap();
}

/// Each misbehaviour ends as a result within its bound, whatever the protocol.
#[tokio::test]
async fn whatever_a_model_answers_the_run_ends_as_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let notes = Notes::serve(&format!("http://{}/trap", elsewhere.local_addr().unwrap())).await;
    let goal = "Fill \"Title\" with \"%title%\" and press \"Save note\" until it says \"Saved %title%\".";
    write_test(folder.path(), "note", goal, &notes.pages.url("notes"));
    let inputs = json!({"title": "Milk", "pin": "4711-0815"}).to_string();
    fs::write(folder.path().join("inputs.json"), inputs).unwrap();
    let server = ModelServer::start().await.unwrap();
    let cairn = Cairn::in_folder(folder.path()).unwrap().with("CAIRN_MODEL_TIMEOUT", "1");
    let arguments = ["mcp", "--inputs", "inputs.json", "--secret", "pin"];
    let mut agent = Agent::start(&server.asked_by(cairn, Wire::OpenAi), &arguments).await;
    let late = Mood::Late(Duration::from_millis(300));
    for (mood, result, condition, calls) in [
        (Mood::Sound, "success", "", 3),
        (late, "success", "", 2),
        (Mood::Wrong, "hard_failure", "model", 3),
        (Mood::OutOfRange, "hard_failure", "model", 3),
        (Mood::HalfJson, "hard_failure", "model", 3),
        (Mood::Chatter, "hard_failure", "model", 3),
        (Mood::Obedient, "hard_failure", "model", 4),
        (Mood::Foreign, "recoverable", "model", 3),
        (Mood::Status(401), "hard_failure", "model", 1),
        (Mood::Status(429), "recoverable", "model", 3),
        (Mood::Status(500), "recoverable", "model", 3),
        (Mood::Never, "recoverable", "model", 3),
    ] {
        server.reset();
        server.be(mood.clone());
        let begun = Instant::now();
        let (_, text) = agent.try_call("cairn_run", json!({"name": "note.test.json", "tier": "llm"})).await;
        let ran: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{mood:?}: {text}"));
        assert_eq!(ran["result"], result, "{mood:?}: {ran}");
        assert_eq!(ran["condition"].as_str().unwrap_or_default(), condition, "{mood:?}: {ran}");
        assert!(server.calls() >= calls, "{mood:?}: {} calls", server.calls());
        assert!(begun.elapsed() < Duration::from_secs(30), "{mood:?} took {:?}", begun.elapsed());
        assert!(!server.heard().contains("4711-0815"), "{mood:?}: the secret left");
        assert!(elsewhere.accept().is_err(), "{mood:?}: the page led the browser elsewhere");
    }
    assert!(!agent.heard.contains("4711-0815"));
}

/// One element has another name, id and place: one question is asked, and the rest is replayed.
#[tokio::test]
async fn one_stale_step_of_twelve_is_one_call() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Notes::serve("nowhere").await;
    write_test(folder.path(), "note", NOTE, &notes.pages.url("notes"));
    fs::write(folder.path().join("inputs.json"), json!({"title": "Milk", "pin": "4711-0815"}).to_string())
        .unwrap();
    let server = ModelServer::start().await.unwrap();
    let cairn = server.asked_by(Cairn::in_folder(folder.path()).unwrap(), Wire::Gemini);
    let arguments = |what: &'static str| ["run", what, "--inputs", "inputs.json", "--json"];
    let first = Replay::of(cairn.run(&arguments("note.test.json")).await.unwrap()).unwrap();
    assert_eq!(first.result.result, Ending::Success, "{:#?}", first.log());
    assert_eq!(first.result.steps_total, 12);
    notes.redesign(true);
    server.reset();
    let stale = Replay::of(cairn.run(&arguments("note")).await.unwrap()).unwrap();
    assert_eq!(stale.result.result, Ending::Success, "{:?}\n{:#?}", stale.result, stale.log());
    assert_eq!((server.calls(), stale.result.model_calls), (1, 1));
    assert_eq!((stale.result.tier, stale.result.cache), (Tier::ReplayWithHeal, Cache::Healed));
    let [healed] = stale.result.healed.as_slice() else { panic!("{:?}", stale.result.healed) };
    assert_eq!((healed.step, healed.rung), (12, Rung::Decision));
    assert!(healed.reason.contains("chosen by the model: it is what"), "{}", healed.reason);

    assert!(stale.said("1 healed steps agree"), "{:#?}", stale.log());
    let stored = cairn.run(&["scripts", "list", "--json"]).await.unwrap();
    let promoted = cairn.run(&["scripts", "show", "note"]).await.unwrap().lines.join("\n");
    assert!(
        promoted.contains("Save note") && !promoted.contains("Store it"),
        "the promoted one stays: {promoted}"
    );
    assert!(stored.lines.join("\n").contains("\"pendingSteps\":12"), "{:?}", stored.lines);

    // With `replayHeal: deterministic` nobody is asked for the step; the fallback begins anew, with the model from the start.
    server.reset();
    let mut strict = arguments("note").to_vec();
    strict.extend(["--heal", "deterministic"]);
    let fallen = Replay::of(cairn.run(&strict).await.unwrap()).unwrap();
    assert!(fallen.said("the stored script is stale for this build; restarting clean on the LLM tier"));
    assert_eq!(
        (fallen.result.tier, fallen.result.cache),
        (Tier::Llm, Cache::Diverged),
        "{:#?}",
        fallen.log()
    );
    strict.push("--no-llm-fallback");
    server.reset();
    let alone = Replay::of(cairn.run(&strict).await.unwrap()).unwrap();
    assert_eq!((alone.result.result, alone.result.step), (Ending::HardFailure, Some(12)));
    assert_eq!((server.calls(), server.connections()), (0, 0));
}

/// A task is remembered by its goal, replayed with other values, healed, decided anew where it is risky, and run by name.
#[tokio::test]
async fn a_task_is_done_once_and_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Notes::serve("nowhere").await;
    let server = ModelServer::start().await.unwrap();
    let alone = Cairn::in_folder(folder.path()).unwrap();
    let cairn = server.asked_by(alone.clone(), Wire::Ollama);
    let perform = async |cairn: &Cairn, verb: &[&str], page: &str, title: &str, more: &[&str]| {
        let (url, title) = (notes.pages.url(page), format!("title={title}"));
        let mut arguments: Vec<&str> = verb.to_vec();
        if verb[0] == "do" {
            arguments.extend(["--url", &url]);
        }
        arguments.extend(["--input", &title, "--json"]);
        arguments.extend(more);
        server.reset();
        let run = Replay::of(cairn.run(&arguments).await.unwrap()).unwrap();
        (run, server.calls())
    };
    let save = |title: &str| {
        format!("Fill \"Title\" with \"{title}\" and press \"Save note\" until it says \"Saved {title}\".")
    };
    let (milk, bread) = (save("Milk"), save("Bread"));
    let (first, calls) = perform(&cairn, &["do", &milk], "notes", "Milk", &["--save-as", "note"]).await;
    assert_eq!(
        (first.result.result, first.result.cache),
        (Ending::Success, Cache::Miss),
        "{:#?}",
        first.log()
    );
    assert_eq!(calls, 3);
    // Another value is the same task; upper case and white space are none of its own.
    let shouted = bread.replace("Fill", "  FILL");
    let (again, calls) = perform(&cairn, &["do", &shouted], "notes", "Bread", &[]).await;
    assert_eq!((again.result.cache, calls), (Cache::Hit, 0), "{:#?}", again.log());
    assert_eq!(again.result.result, Ending::Success);
    // The button has another name and place: one decision, and the entry learns it.
    notes.redesign(true);
    let (moved, calls) = perform(&cairn, &["do", &bread], "notes", "Bread", &[]).await;
    assert_eq!(
        (moved.result.cache, calls, moved.result.healed.len()),
        (Cache::Healed, 1, 1),
        "{:#?}",
        moved.log()
    );
    let (learnt, calls) = perform(&cairn, &["do", &bread], "notes", "Bread", &[]).await;
    assert_eq!((learnt.result.cache, calls), (Cache::Hit, 0), "{:#?}", learnt.log());
    notes.redesign(false);
    let (off, calls) = perform(&cairn, &["do", &milk], "notes", "Milk", &["--cache", "off"]).await;
    assert_eq!((off.result.cache, calls), (Cache::Off, 3));
    // Nothing but the model's word: not remembered.
    let (vague, _) = perform(&cairn, &["do", "Tick \"Pinned\"."], "notes", "x y", &[]).await;
    assert_eq!(
        (vague.result.result, vague.result.cache),
        (Ending::Success, Cache::Uncached),
        "{:#?}",
        vague.log()
    );

    // What is called risky is decided anew each time, unless the call allows it.
    let send = "Fill \"Title\" with \"%title%\" and press \"Send note\" until it says \"Saved %title%\".";
    let (sent, _) = perform(&cairn, &["do", send], "risky", "Milk", &[]).await;
    assert_eq!((sent.result.result, sent.result.cache), (Ending::Success, Cache::Miss), "{:#?}", sent.log());
    let (anew, calls) = perform(&cairn, &["do", send], "risky", "Milk", &[]).await;
    assert_eq!(
        (anew.result.result, anew.result.cache),
        (Ending::Success, Cache::Diverged),
        "{:#?}",
        anew.log()
    );
    assert!(
        anew.result.cache_reason.as_deref().is_some_and(|why| why.contains("risky")),
        "{:?}",
        anew.result
    );
    assert_eq!((anew.result.steps_executed, calls), (2, 2), "the first step was replayed");
    let (allowed, calls) = perform(&cairn, &["do", send], "risky", "Milk", &["--allow-risky"]).await;
    assert_eq!((allowed.result.cache, calls), (Cache::Hit, 0), "{:#?}", allowed.log());

    // By its name, without any model, on the page that it has learnt.
    notes.redesign(true);
    let shown = alone.run(&["skills", "show", "note", "--json"]).await.unwrap().whole().unwrap();
    assert_eq!(shown["inputs"]["required"], json!(["title"]), "{shown}");
    let (named, _) = perform(&alone, &["skills", "run", "note"], "", "Eggs", &[]).await;
    assert_eq!(
        (named.result.result, named.result.cache),
        (Ending::Success, Cache::Hit),
        "{:#?}",
        named.log()
    );
    assert_eq!(alone.run(&["skills", "remove", "note"]).await.unwrap().code, 0);
    assert_eq!(alone.run(&["skills", "run", "note", "--input", "title=x"]).await.unwrap().code, 5);
}

/// A page beside which there is much: another tab, dialogs of the browser, an element that trusts no script, a menu under the pointer.
const BESIDE: &str = "Press \"Open details\", fill \"Comment\" with \"%title%\", press \"Keep it\", close the tab \"2\", press \"Only by \
    hand\", press \"Rename\", accept \"%title%\", press \"Remove all\", dismiss \"it\", point at \"Tools\", press \"Hidden tool\" and \
    read \"Balance\" as \"balance\" until it says \"called %title%\".";

fn write_beside(folder: &Path, name: &str, goal: &str, url: &str, more: &Value) {
    let mut test = json!({
        "Name": name, "Goal": goal, "StartUrl": url, "Inputs": {"title": {"type": "string", "required": true}},
        "Configuration": {"ReplayScript": null, "PendingReplayScript": null}
    });
    test.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    fs::write(folder.join(format!("{name}.test.json")), test.to_string()).unwrap();
}

#[tokio::test]
async fn a_model_meets_tabs_dialogs_and_pages_that_trust_no_script() {
    let folder = tempfile::tempdir().unwrap();
    let pages = Pages::serve(tests_folder().join("pages/model")).await.unwrap();
    let more = json!({
        "Outputs": {"balance": {"type": "string"}},
        "Checkpoints": [
            {"Name": "by hand", "After": 1, "Gating": true, "Checks": [{"Text": "done by hand"}]},
            {"Name": "never", "After": 1, "Checks": [{"Text": "this is nowhere"}]},
        ],
    });
    let url = pages.url("beside.html");
    write_beside(folder.path(), "beside", BESIDE, &url, &more);
    let server = ModelServer::start().await.unwrap();
    let alone = Cairn::in_folder(folder.path()).unwrap();
    let cairn = server.asked_by(alone.clone(), Wire::OpenAi);
    let run = async |cairn: &Cairn, what: &str, more: &[&str]| {
        let arguments = [&["run", what, "--input", "title=Milk", "--json"][..], more].concat();
        Replay::of(cairn.run(&arguments).await.unwrap()).unwrap()
    };
    let first = run(&cairn, "beside.test.json", &[]).await;
    assert_eq!(first.result.result, Ending::Success, "{:?}\n{:#?}", first.result, first.log());
    assert_eq!(first.result.outputs["balance"], "12 coins");
    let held: Vec<(&str, bool)> =
        first.result.checkpoints.iter().map(|one| (one.name.as_str(), one.holds)).collect();
    assert_eq!(held, [("by hand", true), ("never", false)]);
    server.reset();
    let arguments = ["run", "beside", "--input", "title=Bread", "--json"];
    let again = Replay::of(cairn.run(&arguments).await.unwrap()).unwrap();
    let text = alone.run(&["scripts", "show", "beside"]).await.unwrap().lines.join("\n");
    assert_eq!(again.result.result, Ending::Success, "{:?}\n{:#?}\n{text}", again.result, again.log());
    assert_eq!((server.calls(), again.result.cache), (0, Cache::Hit), "{:#?}", again.log());
    assert_eq!(again.result.outputs["balance"], "12 coins");

    // One that must hold along the way and does not is the end.
    let gate = json!({"Checkpoints": [{"Name": "gate", "After": 1, "Gating": true, "Checks": [{"Text": "this is nowhere"}]}]});
    let short = "Press \"Rename\", accept \"%title%\" until it says \"called %title%\".";
    write_beside(folder.path(), "gated", short, &url, &gate);
    let gated = run(&cairn, "gated.test.json", &[]).await;
    assert_eq!(
        (gated.code, gated.result.condition.as_deref()),
        (1, Some("checkpoint")),
        "{:?}",
        gated.result
    );
}
