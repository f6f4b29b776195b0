//! What a model is to do, and within which bounds.

use std::collections::BTreeMap;

use cairn_core::script::{Checkpoint, Condition, Outcome, Recoverable, Script};
use cairn_core::wire::page::InputValue;

use crate::engine::origins::Origins;
use crate::model::{Act, Briefing};

/// A goal with everything that bounds the way to it.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The test's or task's name.
    pub name: String,
    /// What the run is for; may hold `%name%`.
    pub goal: String,
    /// Today's inputs.
    pub inputs: BTreeMap<String, InputValue>,
    /// The checks that decide; none: those that the model names.
    pub checks: Vec<Condition>,
    /// Business results, and transient conditions as far as a page shows them.
    pub outcomes: Vec<Outcome>,
    /// Checks along the way.
    pub checkpoints: Vec<Checkpoint>,
    /// Outputs that are to be read.
    pub outputs: Vec<String>,
    /// Where the run may go.
    pub origins: Origins,
    /// The only acts that the caller allows; none: all.
    pub only: Vec<Act>,
    /// What a button calls risky may be pressed.
    pub risky: bool,
    /// Elements are listed; else the page is a picture, and the run no script.
    pub grounding: bool,
}

impl Task {
    /// What a script or a test asks for, whatever its steps are.
    pub fn of(
        name: &str,
        script: &Script,
        inputs: &BTreeMap<String, InputValue>,
        origins: &Origins,
        grounding: bool,
    ) -> Self {
        let seen = script.recoverable.iter().filter_map(Recoverable::outcome);
        Self {
            name: name.to_owned(),
            goal: script.goal.clone(),
            inputs: inputs.clone(),
            checks: script.goal_postconditions.clone(),
            outcomes: script.outcomes.iter().cloned().chain(seen).collect(),
            checkpoints: script.checkpoints.clone(),
            outputs: script.outputs.keys().cloned().collect(),
            origins: origins.clone(),
            only: Vec::new(),
            risky: true,
            grounding,
        }
    }

    /// What the model is told of it.
    pub fn briefing(&self) -> Briefing {
        let shown = |input: &InputValue| (!input.secret).then(|| input.value.clone());
        Briefing {
            goal: if self.goal.is_empty() { self.name.clone() } else { self.goal.clone() },
            inputs: self.inputs.iter().map(|(name, input)| (name.clone(), shown(input))).collect(),
            outputs: self.outputs.clone(),
            checks: self.checks.iter().map(words).collect(),
            only: self.only.clone(),
            grounding: self.grounding,
        }
    }
}

/// `heading "Thank you"`, `url https://a/done`, `text "Saved" gone`
pub fn words(check: &Condition) -> String {
    let mut parts = Vec::new();
    parts.extend(check.url_pattern.as_ref().map(|url| format!("url {url}")));
    match (&check.role, &check.name) {
        (Some(role), Some(name)) => parts.push(format!("{role} \"{name}\"")),
        (Some(role), None) => parts.push(role.clone()),
        (None, Some(name)) => parts.push(format!("\"{name}\"")),
        (None, None) => {}
    }
    parts.extend(check.text.as_ref().map(|text| format!("text \"{text}\"")));
    parts.extend(check.value.as_ref().map(|value| format!("value \"{value}\"")));
    parts.extend(check.checked.map(|on| if on { "checked".to_owned() } else { "not checked".to_owned() }));
    parts.extend(check.enabled.map(|on| if on { "enabled".to_owned() } else { "disabled".to_owned() }));
    parts.extend(check.count.map(|count| format!("{count} of them")));
    parts.extend(check.gone.filter(|gone| *gone).map(|_| "gone".to_owned()));
    parts.join(" ")
}
