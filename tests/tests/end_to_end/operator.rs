//! What an operator does by hand, through a real daemon and a paired browser: approves a risky run, signs in again, goes on with
//! a run that was stopped, takes a run over and gives it back, and reads reports by machine.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::http::header::{COOKIE, LOCATION, SET_COOKIE};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use cairn_host::engine::api::Ending;
use cairn_tests::{Pages, Person, Replay, Running, Said, What};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::scratch::Scratch;

const PASSWORD: &str = "s3cret-pw";

/// A desk behind a sign-in that expires, and a shop.
#[derive(Clone, Default)]
struct Site {
    sessions: Arc<Mutex<BTreeSet<u32>>>,
    orders: Arc<Mutex<Vec<String>>>,
    redesigned: Arc<Mutex<bool>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    q: String,
    name: String,
    town: String,
    password: String,
}

impl Site {
    async fn serve(&self) -> Pages {
        let router = Router::new()
            .route("/desk", get(desk))
            .route("/sign-in", get(sign_in).post(signed_in))
            .route("/found", get(found))
            .route("/form", get(form))
            .route("/review", get(review))
            .route("/orders", post(order))
            .with_state(self.clone());
        Pages::serve_router(router).await.unwrap()
    }

    fn orders(&self) -> usize {
        self.orders.lock().unwrap().len()
    }

    fn redesign(&self, done: bool) {
        *self.redesigned.lock().unwrap() = done;
    }
}

async fn desk(State(site): State<Site>, headers: HeaderMap) -> Html<&'static str> {
    let cookie = headers.get(COOKIE).and_then(|cookie| cookie.to_str().ok()).unwrap_or_default();
    let session = cookie.split("session=").nth(1).and_then(|id| id.split(';').next()?.parse().ok());
    if session.is_some_and(|id| site.sessions.lock().unwrap().contains(&id)) {
        return Html(
            "<title>Desk</title><h1>Desk</h1><form action=/found><label>Member <input name=q></label><button>Find</button></form>",
        );
    }
    Html("<h1>Signed out</h1><p>Your session has expired.</p><a href=/sign-in>Sign in again</a>")
}

async fn sign_in() -> Html<&'static str> {
    Html(
        "<h1>Sign in</h1><form method=post><label>Password <input type=password name=password></label><button>Sign in</button></form>",
    )
}

async fn signed_in(State(site): State<Site>, Form(asked): Form<Asked>) -> Response {
    if asked.password != PASSWORD {
        return Html("<h1>Wrong</h1>").into_response();
    }
    let mut sessions = site.sessions.lock().unwrap();
    let id = sessions.last().copied().unwrap_or_default() + 1;
    sessions.insert(id);
    let headers = [(LOCATION, "/desk".to_owned()), (SET_COOKIE, format!("session={id}; path=/"))];
    (axum::http::StatusCode::SEE_OTHER, headers).into_response()
}

async fn found(Query(asked): Query<Asked>) -> Html<String> {
    let nobody = asked.q == "nobody";
    Html(if nobody {
        "<p>No such member</p>".into()
    } else {
        format!("<h1>Member</h1><p>Balance <output aria-label=Balance>{} coins</output></p>", asked.q.len())
    })
}

async fn form(State(site): State<Site>) -> Html<String> {
    let button = if *site.redesigned.lock().unwrap() { "Onwards" } else { "Go on" };
    Html(format!(
        "<title>Form</title><h1>Form</h1><form action=/review><label>Name <input name=name></label>\
         <label>Town <input name=town></label><button>{button}</button></form>"
    ))
}

async fn review(Query(asked): Query<Asked>) -> Html<String> {
    Html(format!(
        "<h1>Review</h1><p>{} of {}</p><form method=post action=/orders><label><input type=checkbox> I agree</label>\
         <input type=hidden name=name value='{0}'><button>Place order</button></form>",
        asked.name, asked.town
    ))
}

async fn order(State(site): State<Site>, Form(asked): Form<Asked>) -> Html<&'static str> {
    site.orders.lock().unwrap().push(asked.name);
    Html("<h1>Thank you</h1>")
}

fn step(method: &str, value: &str, role: &str, name: &str) -> Value {
    let mut action = json!({"Method": method, "Target": {"Role": role, "Name": name}});
    if !value.is_empty() {
        action["Value"] = value.into();
    }
    json!({"Action": action, "Precondition": {"WaitForTarget": true}})
}

/// Fill, fill, go on, agree, order.
fn shop(url: &str) -> Value {
    let mut order = step("click", "", "button", "Place order");
    order["Sends"] = true.into();
    let mut go_on = step("click", "", "button", "Go on");
    go_on["Postcondition"] = json!({"Appeared": [{"Role": "heading", "Name": "Review"}]});
    json!({
        "Version": 1, "StartUrl": url,
        "Inputs": {"name": {"type": "string", "required": true}},
        "Steps": [
            step("fill", "%name%", "textbox", "Name"), step("fill", "Ulm", "textbox", "Town"), go_on,
            step("check", "", "checkbox", "I agree"), order,
        ],
        "GoalPostconditions": [{"Role": "heading", "Name": "Thank you"}],
    })
}

struct Desk {
    scratch: Scratch,
    site: Site,
    pages: Pages,
}

impl Desk {
    async fn set() -> Self {
        let site = Site::default();
        let pages = site.serve().await;
        Self { scratch: Scratch::set().await, site, pages }
    }

    fn write(&self, name: &str, content: &Value) -> String {
        let path: PathBuf = self.scratch.folder.path().join(name);
        fs::write(&path, content.to_string()).unwrap();
        path.to_string_lossy().into_owned()
    }

    fn with_port<'a>(port: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
        arguments.iter().copied().chain(["--port", port]).collect()
    }

    async fn cairn(&self, arguments: &[&str]) -> Said {
        let port = self.scratch.stage.daemon.port_text();
        self.scratch.stage.cairn.run(&Self::with_port(&port, arguments)).await.unwrap()
    }

    fn start(&self, arguments: &[&str]) -> Running {
        let port = self.scratch.stage.daemon.port_text();
        self.scratch.stage.cairn.start(&Self::with_port(&port, arguments)).unwrap()
    }

    async fn run(&self, what: &str, more: &[&str]) -> Replay {
        let mut arguments = vec!["run", what, "--attach", "--json"];
        arguments.extend(more);
        Replay::of(self.cairn(&arguments).await).unwrap()
    }
}

/// A program needs a person's approval, for this script and these inputs, once.
#[tokio::test]
async fn approvals_sign_ins_and_take_overs_through_a_daemon() {
    let desk = Desk::set().await;
    approvals(&desk).await;
    sign_ins(&desk).await;
    take_over(&desk).await;
    resumed(&desk).await;
    flags(&desk).await;
    let Desk { scratch, .. } = desk;
    scratch.stage.chrome.stop().await;
}

async fn approvals(desk: &Desk) {
    let mut script = shop(&desk.pages.url("form"));
    script["Risk"] = "risky".into();
    let file = desk.write("risky.json", &script);
    let ada = ["--input", "name=Ada"];
    let refused = desk.cairn(&[&["run", &file, "--attach"][..], &ada].concat()).await;
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.errors.contains("nobody has reviewed it"), "{}", refused.errors);
    let refused = desk.cairn(&[&["approve", &file, "--yes"][..], &ada].concat()).await;
    assert_eq!(refused.code, 4, "{refused:?}");
    script["Reviewed"] = true.into();
    let file = desk.write("risky.json", &script);
    let refused = desk.cairn(&[&["run", &file, "--attach"][..], &ada].concat()).await;
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.errors.contains("cairn approve"), "{}", refused.errors);

    let approved = desk.cairn(&[&["approve", &file, "--yes", "--json"][..], &ada].concat()).await;
    assert_eq!(approved.code, 0, "{approved:?}");
    let id = approved.whole().unwrap()["approval"].as_str().unwrap().to_owned();
    for (name, other) in [("other inputs", "name=Bob"), ("an id of nobody", "name=Ada")] {
        let given = if name == "other inputs" { id.as_str() } else { "01hnobody" };
        let said = desk.cairn(&["run", &file, "--attach", "--approval", given, "--input", other]).await;
        assert_eq!(said.code, 4, "{name}: {said:?}");
    }
    assert_eq!(desk.site.orders(), 0, "nothing ran");
    let ran = desk.run(&file, &["--approval", &id, "--input", "name=Ada"]).await;
    assert_eq!((ran.code, ran.result.result), (0, Ending::Success), "{:?}", ran.result);
    assert_eq!(desk.site.orders(), 1);
    let again = desk.cairn(&[&["run", &file, "--attach", "--approval", &id][..], &ada].concat()).await;
    assert_eq!(again.code, 4, "an approval counts once: {again:?}");
    let approved = desk.cairn(&[&["approve", &file, "--yes"][..], &ada].concat()).await;
    let id = approved.lines[0].trim().to_owned();
    script["Steps"][1]["Action"]["Value"] = "Bern".into();
    let file = desk.write("risky.json", &script);
    let changed = desk.cairn(&[&["run", &file, "--attach", "--approval", &id][..], &ada].concat()).await;
    assert_eq!(changed.code, 4, "another script: {changed:?}");
    assert_eq!(desk.site.orders(), 1);
}

/// A session that expired is signed in anew by the test that the rule names, and its secret is nobody's to see.
async fn sign_ins(desk: &Desk) {
    let sign_in = json!({
        "Name": "sign-in", "StartUrl": desk.pages.url("sign-in"),
        "Inputs": {"password": {"type": "string", "required": true, "secret": true}},
        "Configuration": {"ReplayScript": {
            "Version": 1, "StartUrl": desk.pages.url("sign-in"),
            "Steps": [step("fill", "%password%", "textbox", "Password"), step("click", "", "button", "Sign in")],
            "GoalPostconditions": [{"Role": "heading", "Name": "Desk"}],
        }}
    });
    let sign_in = desk.write("sign-in.test.json", &sign_in);
    let pushed = desk.cairn(&["push", &sign_in]).await;
    assert_eq!(pushed.code, 0, "{pushed:?}");
    let script = json!({
        "Version": 1, "StartUrl": desk.pages.url("desk"),
        "Inputs": {"member": {"type": "string", "required": true}},
        "Outputs": {"balance": {"type": "string", "match": "Balance (\\d+ coins)"}},
        "Steps": [
            step("fill", "%member%", "textbox", "Member"), step("click", "", "button", "Find"),
            {"Action": {"Method": "extract", "Value": "balance"}},
        ],
        "GoalPostconditions": [{"Role": "heading", "Name": "Member"}],
        "Outcomes": [{"Code": "member_not_found", "When": {"Text": "No such member"}}],
        "Recoverable": [{"Code": "session_expired", "When": {"Text": "session has expired"}, "SignIn": "sign-in"}],
    });
    let file = desk.write("balance.json", &script);
    let inputs = |member: &'static str| ["--input", member, "--input", "password=s3cret-pw"];
    let ran = desk.run(&file, &inputs("member=Ada")).await;
    assert_eq!(ran.result.result, Ending::Success, "{:?}\n{:#?}", ran.result, ran.log());
    assert!(ran.said("signing in again with `sign-in`"), "{:#?}", ran.log());
    assert_eq!(ran.result.outputs["balance"], "3 coins");
    // Signed in, nothing need be done for it; expired in mid-life, it is done again.
    let ran = desk.run(&file, &inputs("member=Ada")).await;
    assert!(!ran.said("signing in again"), "{:#?}", ran.log());
    desk.site.sessions.lock().unwrap().clear();
    let expected = [&inputs("member=nobody")[..], &["--expect", "member_not_found"]].concat();
    let ran = desk.run(&file, &expected).await;
    assert_eq!((ran.code, ran.result.result), (0, Ending::BusinessOutcome), "{:?}", ran.result);
    assert!(ran.said("signing in again"), "{:#?}", ran.log());
    let ran = desk.run(&file, &inputs("member=nobody")).await;
    assert_eq!((ran.code, ran.result.outcome.as_deref()), (7, Some("member_not_found")));
    // A sign-in that does not work: a transient condition that outlived its cure.
    desk.site.sessions.lock().unwrap().clear();
    let ran = desk.run(&file, &["--input", "member=Ada", "--input", "password=wrong-pw"]).await;
    assert_eq!((ran.code, ran.result.result), (8, Ending::Recoverable), "{:?}", ran.result);
    for evidence in [&ran.result.evidence, &ran.result.evidence] {
        let steps = fs::read_to_string(evidence.join("steps.jsonl")).unwrap();
        assert!(!steps.contains("wrong-pw"), "{steps}");
    }
}

/// A step that replay cannot do is a person's; what they did is told as theirs, and is not done again.
async fn take_over(desk: &Desk) {
    let file = desk.write("shop.json", &shop(&desk.pages.url("form")));
    let orders = desk.site.orders();
    desk.site.redesign(true);
    let known = desk.scratch.stage.chrome.targets().await.unwrap();
    let mut running =
        desk.start(&["run", &file, "--attach", "--json", "--input", "name=Ada", "--timeout", "60"]);
    let filled = |line: &Value| line["type"] == "step" && line["report"]["number"] == 2;
    running.json_until(Duration::from_secs(30), filled).await.unwrap();
    let none = desk.cairn(&["give"]).await;
    assert_eq!(none.code, 2, "nobody has it: {none:?}");
    let taken = desk.cairn(&["take", "--json"]).await;
    assert_eq!(taken.code, 0, "{taken:?}");
    let handed = |line: &Value| line["type"] == "hand" && line["to"] == "person";
    running.json_until(Duration::from_secs(20), handed).await.unwrap();
    let tab = desk.scratch.stage.chrome.new_tab_at(&desk.pages.url("form"), &known).await.unwrap();
    tab.bring_to_front().await.unwrap();
    let person = Person::at(tab);
    person.refill(&What::role("textbox", "Town"), "Basel").await.unwrap();
    person.click(&What::role("button", "Onwards")).await.unwrap();
    person.click(&What::role("checkbox", "I agree")).await.unwrap();
    assert_eq!(desk.site.orders(), orders, "the engine waits");
    let given = desk.cairn(&["give"]).await;
    assert_eq!(given.code, 0, "{given:?}");
    let said = running.finish().await.unwrap();
    let replay = Replay::of(said).unwrap();
    assert_eq!(replay.result.result, Ending::Success, "{:?}\n{:#?}", replay.result, replay.log());
    assert_eq!(desk.site.orders(), orders + 1);
    let did: Vec<_> = replay.result.by_person.iter().map(|one| (one.step, one.what.as_str())).collect();
    assert_eq!(did.len(), 3, "{did:?}");
    assert_eq!((did[1].0, did[2].0), (None, Some(4)), "{did:?}");
    let steps = fs::read_to_string(replay.result.evidence.join("steps.jsonl")).unwrap();
    let by: Vec<(u64, String)> = steps
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["type"] == "step")
        .map(|line| (line["number"].as_u64().unwrap(), line["by"].as_str().unwrap().to_owned()))
        .collect();
    let named: Vec<(u64, &str)> = by.iter().map(|(number, by)| (*number, by.as_str())).collect();
    assert_eq!(named, [(1, "heal"), (2, "heal"), (3, "person"), (4, "person"), (5, "heal")], "{steps}");
    desk.site.redesign(false);
}

/// A run that was stopped goes on in the tab that it left behind, and does nothing twice.
async fn resumed(desk: &Desk) {
    let file = desk.write("shop.json", &shop(&desk.pages.url("form")));
    let orders = desk.site.orders();
    desk.site.redesign(true);
    let arguments =
        ["run", &file, "--attach", "--keep-open", "--json", "--input", "name=Ada", "--timeout", "60"];
    let mut running = desk.start(&arguments);
    let filled = |line: &Value| line["type"] == "step" && line["report"]["number"] == 2;
    let line = running.json_until(Duration::from_secs(30), filled).await.unwrap();
    let run = line["run"].as_str().unwrap().to_owned();
    running.interrupt().unwrap();
    let said = running.finish().await.unwrap();
    assert_eq!(said.code, 130, "{said:?}");
    desk.site.redesign(false);
    let tab = desk.scratch.stage.chrome.tab_at(&desk.pages.url("form")).await.unwrap();
    let value = tab.evaluate("document.querySelector('[name=name]').value").await.unwrap();
    assert_eq!(value, "Ada", "the tab stands as it was left");
    tab.evaluate("(document.querySelector('button').textContent = 'Go on', '')").await.unwrap();
    let other = desk.cairn(&["run", &file, "--attach", "--resume", &run, "--input", "name=Bob"]).await;
    assert_eq!(other.code, 2, "other inputs: {other:?}");
    let ran = desk.run(&file, &["--resume", &run, "--input", "name=Ada"]).await;
    assert_eq!(ran.result.result, Ending::Success, "{:?}\n{:#?}", ran.result, ran.log());
    assert!(ran.said("Step 2: skipped, done by that run"), "{:#?}", ran.log());
    assert_eq!(ran.result.steps_executed, 3, "{:#?}", ran.log());
    assert_eq!(desk.site.orders(), orders + 1);
    let over =
        desk.cairn(&["run", &file, "--attach", "--resume", &ran.result.run, "--input", "name=Ada"]).await;
    assert_eq!(over.code, 2, "that run has come to its end: {over:?}");
}

/// What programs read of runs, and how they choose among them.
async fn flags(desk: &Desk) {
    let test = |name: &str, steps: Value, goal: &str| {
        let script = json!({
            "Version": 1, "StartUrl": desk.pages.url("form"), "Steps": steps,
            "GoalPostconditions": [{"Role": "heading", "Name": goal}],
            "Outcomes": [{"Code": "no_member", "When": {"Text": "No such member"}}],
        });
        let test = json!({"Name": name, "StartUrl": desk.pages.url("form"), "Outcomes": script["Outcomes"],
            "Configuration": {"ReplayScript": script}});
        desk.write(&format!("{name}.test.json"), &test)
    };
    let go_on =
        |button: &str| json!([step("fill", "Ada", "textbox", "Name"), step("click", "", "button", button)]);
    let visit = json!([{"Action": {"Method": "goto", "Value": desk.pages.url("found?q=nobody")}}]);
    let files = [
        test("shop-passes", go_on("Go on"), "Review"),
        test("shop-fails", go_on("No such button"), "Review"),
        test("member-is-nobody", visit, "Member"),
    ];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let pushed = desk.cairn(&[&["push"][..], &files].concat()).await;
    assert_eq!(pushed.code, 0, "{pushed:?}");
    let junit = desk.scratch.folder.path().join("junit.xml");
    let junit_text = junit.to_string_lossy();
    let all =
        ["run", "--grep", "shop-|member-", "--attach", "--json", "--timeout", "1", "--junit", &junit_text];
    let said = desk.cairn(&[&all[..], &["--retries", "1"]].concat()).await;
    assert_eq!(said.code, 7, "the first of them by name is the outcome: {said:?}");
    let schema =
        fs::read_to_string(cairn_tests::pages::tests_folder().join("../docs/run-events.schema.json"));
    let schema = serde_json::from_str(&schema.unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for line in said.json() {
        let errors: Vec<String> = schema.iter_errors(&line).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{line}: {errors:?}");
    }
    let results = finished(&said);
    let attempts: Vec<&str> = results.iter().map(|(script, _)| script.as_str()).collect();
    assert_eq!(attempts, ["member-is-nobody", "shop-fails", "shop-fails", "shop-passes"]);
    let report = fs::read_to_string(&junit).unwrap();
    for part in [
        "tests=\"3\"",
        "failures=\"2\"",
        "name=\"healed.step.1\"",
        "name=\"outcome\" value=\"no_member\"",
        "<rerunFailure",
        "type=\"target\"",
    ] {
        assert!(report.contains(part), "{part} is not in {report}");
    }
    // Of those, the two that did not succeed, one in each part.
    let mut seen = BTreeSet::new();
    for shard in ["1/2", "2/2"] {
        let said = desk
            .cairn(&[
                "run",
                "--last-failed",
                "--grep",
                "shop-|member-",
                "--shard",
                shard,
                "--attach",
                "--json",
                "--timeout",
                "1",
            ])
            .await;
        let results = finished(&said);
        assert_eq!(results.len(), 1, "{said:?}");
        seen.extend(results.into_iter().map(|(script, _)| script));
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["member-is-nobody", "shop-fails"]);
    let expected =
        desk.cairn(&["run", "member-is-nobody", "--attach", "--json", "--expect", "no_member"]).await;
    assert_eq!(expected.code, 0, "{expected:?}");
    let other = desk.cairn(&["run", "member-is-nobody", "--attach", "--json", "--expect", "another"]).await;
    assert_eq!(other.code, 7, "{other:?}");
    let none = desk.cairn(&["run", "--grep", "nothing-is-called-so", "--attach"]).await;
    assert_eq!(none.code, 5, "{none:?}");
    for (flags, code) in [
        (&["--fail-on-heal"][..], 3),
        (&["--heal-budget", "2"], 0),
        (&["--heal-budget", "1"], 3),
        (&["--heal", "off", "--no-llm-fallback", "--timeout", "1"], 1),
    ] {
        let ran = desk.run("shop-passes", flags).await;
        assert_eq!(ran.code, code, "{flags:?}: {:?}", ran.result);
    }
    // Several at a time, each in a browser of its own.
    let said = desk
        .cairn(&["run", "shop-passes", "member-is-nobody", "-j", "2", "--json", "--expect", "no_member"])
        .await;
    let results = finished(&said);
    assert_eq!((said.code, results.len()), (0, 2), "{said:?}");
}

/// Each finished run with its exit code.
fn finished(said: &Said) -> Vec<(String, u64)> {
    let lines = said.json();
    let finished = lines.iter().filter(|line| line["type"] == "finished");
    let one = |line: &Value| {
        let result = &line["result"];
        (result["script"].as_str().unwrap().to_owned(), result["exitCode"].as_u64().unwrap())
    };
    finished.map(one).collect()
}
