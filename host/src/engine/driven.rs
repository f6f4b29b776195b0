//! A run that an agent drives becomes a script as one that a person drives: each act with the target as the page describes
//! it, what it was seen to cause, and who did it.

use std::collections::BTreeMap;

use cairn_core::script::{
    Action, Condition, Dialog, Effect, Method, Requested, Script, ScriptFile, Seen, Step, Target, write,
};
use cairn_core::value;
use cairn_core::wire::page::{Captured, InputValue};

use super::record::{Head, finished};
use super::session::Engine;
use super::sight::{Sight, is_worth_a_check};
use crate::exit::{ErrorKind, Failure};
use crate::store::Slot;

/// Most elements of one kind of evidence.
const MOST_SEEN: usize = 20;

/// Most elements that may become checks of the goal.
const MOST_ASSERTABLE: usize = 60;

/// The steps of an agent's run so far.
pub struct Driven {
    head: Head,
    inputs: BTreeMap<String, InputValue>,
    by: String,
    steps: Vec<Captured>,
    /// Acts at points of the picture, by number.
    points: Vec<(u32, String)>,
}

/// An act that is about to be done.
pub struct Pending {
    step: Step,
    before: Vec<Seen>,
    new_tab: Option<String>,
}

impl Pending {
    /// The step, as far as it is known before it is done.
    pub fn step(&self) -> &Step {
        &self.step
    }

    /// In this tab, where there are several.
    pub fn in_tab(&mut self, tab: Option<u32>) {
        self.step.tab = tab;
    }

    /// Page events brought nothing about, and the browser's own input did.
    pub fn by_browser(&mut self) {
        self.step.input = Some("trusted".to_owned());
    }

    /// It brought a native dialog, which was answered so.
    pub fn answered(&mut self, dialog: Dialog) {
        self.step.dialogs.push(dialog);
    }

    /// It opened a tab.
    pub fn opened(&mut self, url: &str) {
        self.new_tab = Some(url.to_owned());
    }
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The test's name.
    pub name: String,
    /// How many steps.
    pub steps: u32,
    /// Where it was stored.
    pub slot: Slot,
    /// What should be known of its goal checks.
    pub warning: Option<String>,
}

impl Driven {
    /// Begins with the page that is open.
    pub fn begin(
        name: &str,
        goal: &str,
        start_url: &str,
        by: &str,
        inputs: BTreeMap<String, InputValue>,
    ) -> Self {
        let mut head = Head {
            name: name.to_owned(),
            goal: goal.to_owned(),
            start_url: value::templatize(start_url, &inputs),
            ..Head::default()
        };
        for (name, input) in &inputs {
            head.declare(name, input.secret);
        }
        Self { head, inputs, by: by.to_owned(), steps: Vec::new(), points: Vec::new() }
    }

    /// Goes on after steps that were replayed.
    #[must_use]
    pub fn after_steps(mut self, steps: &[Step]) -> Self {
        let captured = |(number, step): (u32, &Step)| Captured {
            number,
            step: step.clone(),
            effect: step.effect.clone(),
            settled: true,
            ..Captured::default()
        };
        self.steps = (1_u32..).zip(steps).map(captured).collect();
        self
    }

    /// An act is about to be done to what the page describes so.
    pub fn before(
        &self,
        action: &Action,
        target: Option<Target>,
        weak: Option<String>,
        page: &Sight,
    ) -> Pending {
        let typed = matches!(action.method, Method::Fill | Method::Type | Method::Select | Method::Goto);
        let value = action.value.as_ref().map(|value| {
            if typed { value::templatize_typed(value, &self.inputs) } else { value::escape(value) }
        });
        let target = target.map(|target| stored_target(target, &self.inputs));
        let action = Action { target, value, ..action.clone() };
        let step = Step {
            url_before: value::templatize(&page.url, &self.inputs),
            action,
            by: Some(self.by.clone()),
            weak,
            ..Step::default()
        };
        Pending { step, before: self.seen(page), new_tab: None }
    }

    /// The act is done, and the page has come to rest. `sent`: requests that change something and followed it.
    pub fn after(&mut self, pending: Pending, page: &Sight, sent: Vec<Requested>) -> Effect {
        let now = self.seen(page);
        let Pending { mut step, before, new_tab } = pending;
        let new_tab = new_tab.map(|url| value::templatize(&url, &self.inputs));
        let dialogs = step.dialogs.iter().map(|dialog| dialog.message.clone()).collect();
        let acts = !matches!(step.action.method, Method::Goto | Method::Back | Method::Hover);
        step.sends = (acts && !sent.is_empty()).then_some(true);
        let url_after = value::templatize(&page.url, &self.inputs);
        let effect = Effect {
            url_after: (url_after != step.url_before).then_some(url_after),
            value: matches!(step.action.method, Method::Fill | Method::Select)
                .then(|| step.action.value.clone())
                .flatten(),
            checked: match step.action.method {
                Method::Check => Some(true),
                Method::Uncheck => Some(false),
                _ => None,
            },
            appeared: only_in(&now, &before),
            requests: sent,
            vanished: only_in(&before, &now),
            dialogs,
            new_tab,
            ..Effect::default()
        };
        let tells = |seen: &Seen| is_worth_a_check(&seen.role);
        let assertable = now.into_iter().filter(tells).take(MOST_ASSERTABLE).collect();
        let told = effect.clone();
        self.push(Captured { step, effect, assertable, ..Captured::default() });
        told
    }

    /// The act is done, and another tab is in front since: what stands in that one says nothing of it.
    pub fn opened(&mut self, pending: Pending, sent: Vec<Requested>) {
        let Pending { mut step, new_tab, .. } = pending;
        step.sends = (!sent.is_empty()).then_some(true);
        let new_tab = new_tab.map(|url| value::templatize(&url, &self.inputs));
        let effect = Effect { new_tab, requests: sent, ..Effect::default() };
        self.push(Captured { step, effect, ..Captured::default() });
    }

    /// A person did this meanwhile.
    pub fn by_person(&mut self, done: Vec<Captured>) {
        for captured in done {
            self.push(captured);
        }
    }

    fn push(&mut self, captured: Captured) {
        let number = self.steps.len() as u32 + 1;
        self.steps.push(Captured { number, settled: true, ..captured });
    }

    /// An act at a point of the picture was done: no script can hold it.
    pub fn at_a_point(&mut self, words: &str) {
        let number = self.steps.len() as u32 + self.points.len() as u32 + 1;
        self.points.push((number, words.to_owned()));
    }

    /// Whether the run can become a script.
    ///
    /// # Errors
    /// `Usage`, with the steps that have no element.
    pub fn is_recordable(&self) -> Result<(), Failure> {
        if self.points.is_empty() {
            return Ok(());
        }
        let named: Vec<String> =
            self.points.iter().map(|(number, words)| format!("step {number} ({words})")).collect();
        let message = format!("the run is no script: {} had a point and no element", named.join(", "));
        Err(Failure::new(
            ErrorKind::Usage,
            message,
            "run it with element grounding, so that each act has an element",
        ))
    }

    /// The script of what was done, and what should be known of its goal checks. `checks`: those that decided, where there
    /// were any.
    ///
    /// # Errors
    /// `BadInput` where a secret stands in it, `Usage` where it holds what no script can.
    pub fn script(&self, checks: &[Condition]) -> Result<(Script, Option<String>), Failure> {
        self.is_recordable()?;
        let (mut script, warning) = finished(&self.head, &self.steps, &self.inputs)?;
        if checks.is_empty() {
            return Ok((script, warning));
        }
        // Where the run ended counts as well, where the checks do not say it.
        let url = script.goal_postconditions.iter().find(|check| check.url_pattern.is_some()).cloned();
        let says_url = checks.iter().any(|check| check.url_pattern.is_some());
        script.goal_postconditions =
            url.into_iter().filter(|_| !says_url).chain(checks.iter().cloned()).collect();
        Ok((script, None))
    }

    /// What stands on a page, as a script would say it.
    fn seen(&self, page: &Sight) -> Vec<Seen> {
        let stored = |text: &String| stored(text, &self.inputs);
        page.seen
            .iter()
            .map(|seen| Seen {
                role: seen.role.clone(),
                name: stored(&seen.name),
                scope: seen.scope.as_ref().map(stored),
            })
            .collect()
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Nothing was done yet.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

impl Engine {
    /// Stores what an agent drove: promoted where the test has no script yet, else pending.
    ///
    /// # Errors
    /// `BadInput` where a secret stands in it, `Usage` where nothing was done.
    pub async fn keep_driven(&self, driven: &Driven) -> Result<Kept, Failure> {
        if driven.is_empty() {
            let next = "act on the page between start and stop";
            return Err(Failure::new(ErrorKind::Usage, "nothing was done: there is nothing to keep", next));
        }
        let (script, warning) = driven.script(&[])?;
        let slot = self.store.offer_script(&driven.head.name, write(&ScriptFile::from(script))).await?;
        Ok(Kept { name: driven.head.name.clone(), steps: driven.steps.len() as u32, slot, warning })
    }
}

/// A text of a page as it stands on disk. Secrets are tokens already: the page has put them there.
pub(super) fn stored(text: &str, inputs: &BTreeMap<String, InputValue>) -> String {
    let mut stored = value::templatize(text, inputs);
    for (name, _) in inputs.iter().filter(|(_, input)| input.secret) {
        stored = stored.replace(&format!("%%{name}%%"), &format!("%{name}%"));
    }
    stored
}

/// A described target as it stands on disk: whatever in it echoes an input is that input.
pub(super) fn stored_target(target: Target, inputs: &BTreeMap<String, InputValue>) -> Target {
    let one = |text: String| stored(&text, inputs);
    Target {
        name: one(target.name),
        selector: one(target.selector),
        selectors: target.selectors.into_iter().map(one).collect(),
        scope: target.scope.map(one),
        attributes: target.attributes.into_iter().map(|(key, text)| (key, one(text))).collect(),
        near_names: target.near_names.map(|names| names.into_iter().map(one).collect()),
        row_key: target.row_key.map(one),
        heading: target.heading.map(one),
        beside: target.beside.map(one),
        ..target
    }
}

/// What one list has and the other has not; what tells more of an act comes first, since the list is cut.
fn only_in(these: &[Seen], others: &[Seen]) -> Vec<Seen> {
    // What is only in another region now has neither come nor gone.
    let stands = |one: &Seen| others.iter().any(|other| other.role == one.role && other.name == one.name);
    let mut found: Vec<&Seen> = these.iter().filter(|one| !stands(one)).collect();
    found.sort_by_key(|one| !is_worth_a_check(&one.role));
    found.into_iter().take(MOST_SEEN).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::Hub;
    use crate::store::{SqliteStore, Store as _};
    use std::sync::Arc;

    fn page(url: &str, names: &[(&str, &str)]) -> Sight {
        let seen =
            |(role, name): &(&str, &str)| Seen { role: (*role).into(), name: (*name).into(), scope: None };
        Sight { url: url.into(), seen: names.iter().map(seen).collect(), ..Sight::default() }
    }

    #[test]
    fn a_trace_with_points_is_no_script_and_says_which_steps() {
        let mut driven = Driven::begin("buy", "", "http://a/", "model", BTreeMap::new());
        let shop = page("http://a/", &[("button", "Buy")]);
        let target = Some(Target { role: "button".into(), name: "Buy".into(), ..Target::default() });
        let pending = driven.before(&Action::default(), target, None, &shop);
        driven.after(pending, &shop, vec![]);
        assert!(driven.is_recordable().is_ok());
        driven.at_a_point("click at 10, 20");
        let failure = driven.script(&[]).unwrap_err();
        assert!(failure.message.contains("step 2 (click at 10, 20)"), "{failure}");
    }

    #[tokio::test]
    async fn what_an_agent_did_becomes_a_script_with_checks() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let engine = Engine::new(Hub::new(), store.clone(), folder.path());
        let inputs = [
            ("item".to_owned(), InputValue { value: "mug".into(), secret: false }),
            ("pin".to_owned(), InputValue { value: "hunter2!".into(), secret: true }),
        ];
        let mut driven = Driven::begin("buy", "Buy a mug", "http://a/", "agent:test", inputs.into());
        assert!(engine.keep_driven(&driven).await.is_err(), "nothing was done");
        let shop = page("http://a/", &[("textbox", "Item"), ("button", "Buy")]);
        let target = |role: &str, name: &str| {
            Some(Target { role: role.into(), name: name.into(), ..Target::default() })
        };
        for (method, value, role, name) in [
            (Method::Fill, Some("mug"), "textbox", "Item"),
            (Method::Fill, Some("hunter2!"), "textbox", "PIN"),
        ] {
            let action = Action { method, value: value.map(str::to_owned), ..Action::default() };
            let pending = driven.before(&action, target(role, name), None, &shop);
            driven.after(pending, &shop, vec![]);
        }
        let pending = driven.before(&Action::default(), target("button", "Buy"), None, &shop);
        driven.after(pending, &page("http://a/done", &[("heading", "Thank you")]), vec![]);
        let kept = engine.keep_driven(&driven).await.unwrap();
        assert_eq!((kept.steps, kept.slot), (3, Slot::Promoted));
        let stored = store.script("buy", Slot::Promoted).await.unwrap().unwrap();
        let script = stored.script;
        assert!(!stored.text.contains("hunter2!"));
        assert_eq!(script.steps[0].action.value.as_deref(), Some("%item%"));
        assert_eq!(script.steps[1].action.value.as_deref(), Some("%pin%"));
        assert_eq!(script.steps[0].by.as_deref(), Some("agent:test"));
        assert_eq!(script.steps[2].postcondition.url_pattern.as_deref(), Some("http://a/done"));
        assert_eq!(script.steps[2].sends, Some(true), "a button that says so sends");
        let named = script.goal_postconditions.iter().any(|check| check.name.as_deref() == Some("Thank you"));
        assert!(named, "{:?}", script.goal_postconditions);
        assert_eq!(engine.keep_driven(&driven).await.unwrap().slot, Slot::Pending);
    }
}
