//! From captured steps to a script: conditions, goal checks, inputs, and no secret in it.

use std::collections::{BTreeMap, BTreeSet};

use cairn_core::redact::Redactor;
use cairn_core::script::distill::{self, Goal, Recorded as Distilled};
use cairn_core::script::{Effect, Input, InputType, Method, Output, Requested, Script, Step};
use cairn_core::value;
use cairn_core::wire::page::{Captured, InputValue};
use serde::{Deserialize, Serialize};

use super::risky_words;
use crate::engine::lines;
use crate::engine::origins;
use crate::engine::requests::changes_state;
use crate::exit::{ErrorKind, Failure};

/// Everything of a recording but its steps: the head of its journal. Values of inputs are not in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Head {
    /// The test's name.
    pub name: String,
    /// What the run is for.
    pub goal: String,
    /// Where it starts, in stored form.
    pub start_url: String,
    /// The build's identity.
    pub build_identity: Option<String>,
    /// Declared inputs.
    pub inputs: BTreeMap<String, Input>,
    /// Outputs that steps by command read.
    pub outputs: BTreeMap<String, Output>,
    /// Origins that the tab was at, in stored form.
    pub origins: BTreeSet<String>,
    /// Languages whose risky words count; none means all.
    pub languages: Vec<String>,
}

impl Head {
    /// Declares an input; the value stays out.
    pub fn declare(&mut self, name: &str, secret: bool) {
        let input = Input { kind: InputType::String, required: true, secret, ..Input::default() };
        self.inputs.insert(name.to_owned(), input);
    }
}

/// The script of a recording, and what its goal checks are worth.
pub fn script(head: &Head, steps: &[Captured]) -> (Script, Goal) {
    let mut script = Script {
        goal: head.goal.clone(),
        start_url: head.start_url.clone(),
        build_identity: head.build_identity.clone(),
        inputs: head.inputs.clone(),
        outputs: head.outputs.clone(),
        ..Script::default()
    };
    let reports = reports(steps);
    let kept =
        |(place, captured): &(usize, &Captured)| captured.step.lacks().is_none() && !is_lost(steps, *place);
    for (_, captured) in steps.iter().enumerate().filter(kept) {
        let mut step = captured.step.clone();
        if step.sends == Some(true) && !captured.effect.requests.iter().any(|one| sends(one, &reports)) {
            step.sends = None;
        }
        if step.sends.is_none() && risky_words::says_risk(&step, &head.languages) {
            step.sends = Some(true);
        }
        step.precondition = distill::precondition(&step);
        step.postcondition = distill::postcondition(&step, &captured.effect);
        step.effect = captured.effect.clone();
        if step.instruction.is_empty() {
            step.instruction = lines::step_words(&step);
        }
        if step.by.is_none() {
            step.by = Some("person".into());
        }
        script.steps.push(step);
    }
    say_tabs(&mut script.steps);
    // The goal is looked at in the page where the run ends, and not in one of its frames or in another tab.
    let tab = |captured: &Captured| captured.step.tab.unwrap_or(1);
    // A tab that is closed at the end leaves the run in its first one.
    let stays = |captured: &&Captured| captured.step.action.method != Method::CloseTab;
    let last_tab = steps.last().filter(stays).map_or(1, tab);
    let in_page = |captured: &&Captured| {
        let framed = captured.step.action.target.as_ref().is_some_and(|target| !target.frame.is_empty());
        !framed && tab(captured) == last_tab
    };
    let told: Vec<&Captured> = steps.iter().filter(in_page).collect();
    let recorded: Vec<Distilled<'_>> =
        told.iter().map(|captured| Distilled { step: &captured.step, effect: &captured.effect }).collect();
    let assertable = told.iter().rev().map(|captured| &captured.assertable).find(|seen| !seen.is_empty());
    let goal = distill::goal(&recorded, assertable.map_or(&[], Vec::as_slice));
    script.goal_postconditions.clone_from(&goal.checks);
    script.origins = origins::beyond(&script, &head.origins);
    (script, goal)
}

/// The first click on a page of which nothing at all came, and which was done once more to better effect: the page was not
/// alive yet. A run that clicks twice would undo it.
fn is_lost(steps: &[Captured], place: usize) -> bool {
    let (own, Some(next)) = (&steps[place], steps.get(place + 1)) else { return false };
    let is_first = place == 0 || steps[place - 1].step.url_before != own.step.url_before;
    let nothing = Effect { stirs: Some(false), focus: own.effect.focus.clone(), ..Effect::default() };
    let tells = next.effect.url_after.is_some()
        || !next.effect.appeared.is_empty()
        || !next.effect.vanished.is_empty();
    let is_same = |one: &Step, other: &Step| {
        let clicks = one.action.method == Method::Click && other.action.method == Method::Click;
        let path = |step: &Step| {
            step.action.target.as_ref().map(|target| (target.path.clone(), target.name.clone()))
        };
        clicks && one.url_before == other.url_before && path(one).is_some() && path(one) == path(other)
    };
    is_first
        && tells
        && own.effect == nothing
        && own.step.dialogs.is_empty()
        && is_same(&own.step, &next.step)
}

/// A step says its tab only where that is not the tab of the step before it.
fn say_tabs(steps: &mut [Step]) {
    let mut before = 1;
    for step in steps {
        let tab = step.tab.unwrap_or(before);
        step.tab = (tab != before).then_some(tab);
        before = tab;
    }
}

/// Captured steps that no script can hold, as sentences: a file with one of them could not be run.
pub fn left_out(steps: &[Captured]) -> Vec<String> {
    let sentence = |captured: &Captured| {
        let (number, words) = (captured.number, lines::step_words(&captured.step));
        let lacks = captured.step.lacks()?;
        Some(format!(
            "step {number} ({words}) is left out: {lacks}; record it again once the page has loaded"
        ))
    };
    steps.iter().filter_map(sentence).collect()
}

/// Steps in which a request must be seen before it can be taken for the page's reports of itself.
const REPORTED: usize = 3;

/// Where a page reports on itself: `POST /api/events` after each click sends nothing that must not be sent twice. The
/// name alone is no proof (a calendar makes events): it must also come with at least half of all steps.
fn reports(steps: &[Captured]) -> BTreeSet<&str> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for captured in steps {
        let named = captured.effect.requests.iter().filter(|one| is_named_report(&one.url_pattern));
        for pattern in named.map(|one| one.url_pattern.as_str()).collect::<BTreeSet<_>>() {
            *count.entry(pattern).or_default() += 1;
        }
    }
    count
        .into_iter()
        .filter(|(_, times)| *times >= REPORTED && times * 2 >= steps.len())
        .map(|(pattern, _)| pattern)
        .collect()
}

fn is_named_report(pattern: &str) -> bool {
    let path = pattern.split(['?', '#']).next().unwrap_or_default();
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    matches!(
        last,
        "analytics"
            | "beacon"
            | "collect"
            | "event"
            | "events"
            | "log"
            | "logs"
            | "metrics"
            | "rum"
            | "stats"
            | "telemetry"
            | "track"
            | "tracking"
    )
}

fn sends(request: &Requested, reports: &BTreeSet<&str>) -> bool {
    changes_state(&request.method)
        && !reports.contains(request.url_pattern.as_str())
        && !is_counter(&request.url_pattern)
}

/// Services that count visitors and errors: what is sent to them is never the page's business.
const COUNTERS: [&str; 22] = [
    "google-analytics.com",
    "analytics.google.com",
    "googletagmanager.com",
    "doubleclick.net",
    "segment.io",
    "segment.com",
    "mixpanel.com",
    "amplitude.com",
    "hotjar.com",
    "hotjar.io",
    "sentry.io",
    "clarity.ms",
    "nr-data.net",
    "newrelic.com",
    "datadoghq.com",
    "datadoghq.eu",
    "fullstory.com",
    "plausible.io",
    "matomo.cloud",
    "heapanalytics.com",
    "bugsnag.com",
    "cloudflareinsights.com",
];

fn is_counter(pattern: &str) -> bool {
    let host = pattern.split("://").nth(1).and_then(|rest| rest.split(['/', ':']).next()).unwrap_or_default();
    COUNTERS.iter().any(|counter| {
        host.strip_suffix(counter).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// The script without its secrets: the page has put tokens in their place already, and this is the second wall.
///
/// # Errors
/// `BadInput` where a secret still stands in it: such a script is not stored.
pub fn without_secrets(script: Script, inputs: &BTreeMap<String, InputValue>) -> Result<Script, Failure> {
    let secrets = inputs.iter().filter(|(_, input)| input.secret);
    let redactor = Redactor::new(secrets.map(|(name, input)| (name.as_str(), input.value.as_str())));
    if redactor.is_empty() {
        return Ok(script);
    }
    let mut json = serde_json::to_value(&script).map_err(|error| holds_secret(&error.to_string()))?;
    redactor.apply_json(&mut json);
    if let Some(name) = redactor.finds_json(&json) {
        return Err(holds_secret(&format!("the value of `{name}` still stands in it")));
    }
    serde_json::from_value(json).map_err(|error| holds_secret(&error.to_string()))
}

/// A recording's script without its secrets, and what should be known of its goal checks.
///
/// # Errors
/// As `without_secrets`.
pub fn finished(
    head: &Head,
    steps: &[Captured],
    inputs: &BTreeMap<String, InputValue>,
) -> Result<(Script, Option<String>), Failure> {
    let (script, goal) = script(head, steps);
    Ok((without_secrets(script, inputs)?, goal.warning()))
}

fn holds_secret(why: &str) -> Failure {
    Failure::new(
        ErrorKind::BadInput,
        format!("the recorded script holds a secret and is not stored: {why}"),
        "record again, and type the secret only into its own field",
    )
}

/// What a caller can still make of the steps that it has heard of, when the engine that recorded them is gone.
pub fn salvage(head: &Head, steps: &BTreeMap<u32, Step>) -> Script {
    let captured: Vec<Captured> = steps
        .iter()
        .map(|(number, step)| Captured {
            number: *number,
            effect: step.effect.clone(),
            step: step.clone(),
            ..Captured::default()
        })
        .collect();
    let mut head = head.clone();
    for name in captured.iter().filter_map(|one| one.step.action.value.as_deref()).flat_map(tokens) {
        // Only the page's own secrets are tokens that nobody declared.
        if !head.inputs.contains_key(&name) {
            head.declare(&name, true);
        }
    }
    script(&head, &captured).0
}

fn tokens(text: &str) -> Vec<String> {
    let pieces = value::pieces(text, |_| false).into_iter();
    pieces
        .filter_map(|piece| match piece {
            value::Piece::Input(name) => Some(name.to_owned()),
            value::Piece::Literal(_) => None,
        })
        .collect()
}

/// A step that will be hard to find again, by number.
pub fn weak(script: &Script) -> BTreeMap<u32, String> {
    (1_u32..).zip(&script.steps).filter_map(|(number, step)| Some((number, step.weak.clone()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Method, Seen, Target};

    fn fill(value: &str) -> Captured {
        let target = Target { role: "textbox".into(), name: "Password".into(), ..Target::default() };
        let action = Action {
            method: Method::Fill,
            target: Some(target),
            value: Some(value.into()),
            ..Action::default()
        };
        let step = Step { action, url_before: "http://a/login".into(), ..Step::default() };
        Captured { number: 1, step, ..Captured::default() }
    }

    #[test]
    fn conditions_and_goal_come_from_the_effects() {
        let mut click = fill("");
        click.step.action.method = Method::Click;
        click.effect = Effect {
            url_after: Some("http://a/home".into()),
            appeared: vec![Seen { role: "heading".into(), name: "Welcome".into(), scope: None }],
            ..Effect::default()
        };
        click.assertable.clone_from(&click.effect.appeared);
        let head = Head { start_url: "http://a/login".into(), ..Head::default() };
        let (script, goal) = script(&head, &[fill("%password%"), click]);
        assert!(!goal.only_url);
        assert_eq!(script.steps[1].postcondition.url_pattern.as_deref(), Some("http://a/home"));
        assert_eq!(script.steps[0].by.as_deref(), Some("person"));
        assert_eq!(script.goal_postconditions.len(), 2);
        assert!(script.steps[0].precondition.wait_for_target);
    }

    #[test]
    fn a_click_that_the_page_did_not_hear_is_left_out() {
        let click = |effect: Effect| {
            let mut click = fill("");
            (click.step.action.method, click.step.action.value) = (Method::Click, None);
            click.effect = effect;
            click
        };
        let lost = || click(Effect { stirs: Some(false), ..Effect::default() });
        let menu = Seen { role: "menu".into(), name: "File".into(), scope: None };
        let opens = || click(Effect { stirs: Some(true), appeared: vec![menu.clone()], ..Effect::default() });
        let count = |steps: &[Captured]| script(&Head::default(), steps).0.steps.len();
        assert_eq!(count(&[lost(), opens()]), 1);
        assert_eq!(count(&[opens(), lost(), opens()]), 3, "the page was alive");
        assert_eq!(count(&[lost(), lost()]), 2, "nothing came of it later, either");
        let mut asked = lost();
        asked.effect.dialogs = vec!["Sure?".into()];
        assert_eq!(count(&[asked, opens()]), 2);
    }

    #[test]
    fn a_step_that_nothing_is_known_of_is_left_out_and_named() {
        let mut lost = fill("x");
        lost.step.action.target = Some(Target::default());
        lost.number = 2;
        let steps = [fill("a"), lost];
        let head = Head { start_url: "http://a/login".into(), ..Head::default() };
        let (script, _) = script(&head, &steps);
        assert_eq!(script.steps.len(), 1);
        let said = left_out(&steps);
        assert!(said.len() == 1 && said[0].starts_with("step 2 ("), "{said:?}");
        let text = cairn_core::script::write(&script.into());
        assert!(cairn_core::script::read(&text).is_ok(), "what is written can be run");
    }

    #[test]
    fn what_a_page_reports_of_itself_is_no_sending() {
        let sending = |path: &str| {
            let mut click = fill("");
            click.step.action.method = Method::Click;
            click.step.sends = Some(true);
            let request =
                |path: &str| Requested { method: "POST".into(), url_pattern: format!("http://a{path}") };
            click.effect.requests = vec![request("/api/events"), request(path)];
            click
        };
        let quiet = sending("/api/events");
        let steps = [quiet.clone(), quiet.clone(), sending("/api/orders"), quiet];
        let (script, _) = script(&Head::default(), &steps);
        let marks: Vec<Option<bool>> = script.steps.iter().map(|step| step.sends).collect();
        assert_eq!(marks, [None, None, Some(true), None]);
        // What goes to a service that counts visitors is no sending.
        let mut counted = fill("");
        counted.step.action.method = Method::Click;
        counted.step.sends = Some(true);
        let request = Requested {
            method: "POST".into(),
            url_pattern: "https://region1.google-analytics.com/g/collect".into(),
        };
        counted.effect.requests = vec![request];
        assert_eq!(super::script(&Head::default(), &[counted.clone()]).0.steps[0].sends, None);
        // A button that says so sends, whatever was seen.
        let target = Target { role: "button".into(), name: "Pay now".into(), ..Target::default() };
        counted.step.action.target = Some(target);
        assert_eq!(super::script(&Head::default(), &[counted]).0.steps[0].sends, Some(true));
        // A calendar that makes one event sends it.
        let (script, _) = super::script(&Head::default(), &[sending("/api/events")]);
        assert_eq!(script.steps[0].sends, Some(true));
    }

    #[test]
    fn a_secret_that_slipped_through_becomes_a_token() {
        let mut inputs = BTreeMap::new();
        inputs.insert("password".to_owned(), InputValue { value: "hunter2!".into(), secret: true });
        let (script, _) = script(&Head::default(), &[fill("hunter2!")]);
        let clean = without_secrets(script, &inputs).unwrap();
        assert_eq!(clean.steps[0].action.value.as_deref(), Some("%password%"));
    }
}
