//! `NAME.test.json`: a goal, a start URL, inputs, outcomes, and how the test is to be run.

use std::collections::BTreeMap;

use cairn_core::script::{Checkpoint, Input, Outcome, Output, Recoverable, Script};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::api::{ReplayHeal, RunOptions};

/// A test as its file says it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct TestFile {
    /// Its name.
    pub name: String,
    /// What the run is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub goal: String,
    /// Where it starts.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub start_url: String,
    /// Typed inputs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Input>,
    /// Typed outputs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, Output>,
    /// Declared business results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcome>,
    /// Conditions that a retry may cure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recoverable: Vec<Recoverable>,
    /// Named checks along the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<Checkpoint>,
    /// `safe` or `risky`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// A person has read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<bool>,
    /// Origins that a run may visit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<String>,
    /// How it is run.
    pub configuration: Configuration,
}

/// How a test is run. Each key has a flag of `cairn run`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Configuration {
    /// False: coordinate mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_grounding: Option<bool>,
    /// False: never write a script.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_replay_script: Option<bool>,
    /// How far a run may go to find a target again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_heal: Option<ReplayHeal>,
    /// False: a divergence is the result.
    #[serde(rename = "AllowLLMFallback", skip_serializing_if = "Option::is_none")]
    pub allow_llm_fallback: Option<bool>,
    /// 0.6 to 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heal_threshold: Option<f64>,
    /// A pass with more healed steps has exit code 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heal_budget: Option<u32>,
    /// Agreeing runs after which a heal is proposed to the pending slot; 0 is never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propose_after: Option<u32>,
    /// Where the build's identity is read.
    #[serde(rename = "BuildIdentity", skip_serializing_if = "Option::is_none")]
    pub build_identity: Option<BuildFrom>,
    /// `@file:PATH`, the script itself, or null.
    #[serde(rename = "ReplayScript")]
    pub replay_script: Value,
    /// As `ReplayScript`.
    #[serde(rename = "PendingReplayScript")]
    pub pending_replay_script: Value,
}

/// Where the build's identity is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BuildFrom {
    /// `meta:NAME`, `header:NAME`, `json:URL#KEY` or `assets`.
    pub from: String,
}

impl TestFile {
    /// Flags win over the file.
    pub fn options(&self, flags: RunOptions) -> RunOptions {
        let own = &self.configuration;
        RunOptions {
            heal: flags.heal.or(own.replay_heal),
            no_llm_fallback: flags.no_llm_fallback || own.allow_llm_fallback == Some(false),
            heal_threshold: flags.heal_threshold.or(own.heal_threshold),
            heal_budget: flags.heal_budget.or(own.heal_budget),
            propose_after: flags.propose_after.or(own.propose_after),
            build_from: flags
                .build_from
                .clone()
                .or_else(|| own.build_identity.clone().map(|build| build.from)),
            no_record: flags.no_record || own.record_replay_script == Some(false),
            no_grounding: flags.no_grounding || own.element_grounding == Some(false),
            ..flags
        }
    }

    /// What a model starts from where there is no script yet: the goal and where it begins, and no step.
    pub fn first_script(&self) -> Option<Script> {
        let known = !self.goal.is_empty() && !self.start_url.is_empty();
        known.then(|| Script {
            goal: self.goal.clone(),
            start_url: self.start_url.clone(),
            ..Script::default()
        })
    }

    /// The script with what the test declares beyond it: a recording knows no outcomes. What the test says of a name wins,
    /// and so does its caution: a test that is risky stays so whatever its script says.
    pub fn complete(&self, mut script: Script) -> Script {
        script.inputs.extend(self.inputs.clone());
        script.outputs.extend(self.outputs.clone());
        add_missing(&mut script.outcomes, &self.outcomes, |outcome| &outcome.code);
        add_missing(&mut script.recoverable, &self.recoverable, |rule| &rule.code);
        add_missing(&mut script.checkpoints, &self.checkpoints, |checkpoint| &checkpoint.name);
        if !self.origins.is_empty() {
            script.origins.clone_from(&self.origins);
        }
        if script.risk.as_deref() != Some("risky") {
            script.risk = self.risk.clone().or(script.risk);
        }
        script.reviewed = self.reviewed.or(script.reviewed);
        if script.goal.is_empty() {
            script.goal.clone_from(&self.goal);
        }
        script
    }
}

fn add_missing<T: Clone>(known: &mut Vec<T>, declared: &[T], key: impl Fn(&T) -> &String) {
    for new in declared {
        if known.iter().all(|old| key(old) != key(new)) {
            known.push(new.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHECKOUT: &str = r#"{
      "Name": "checkout", "Goal": "Buy one blue mug", "StartUrl": "https://shop.example/",
      "Outcomes": [{"Code": "sold_out", "When": {"Text": "Sold out"}}],
      "Configuration": {
        "elementGrounding": true, "recordReplayScript": true, "replayHeal": "deterministic", "AllowLLMFallback": false,
        "healThreshold": 0.7, "BuildIdentity": {"from": "meta:build"}, "ReplayScript": "@file:scripts/checkout.json",
        "PendingReplayScript": null
      }
    }"#;

    #[test]
    fn the_file_says_how_a_test_is_run_and_flags_win() {
        let test: TestFile = serde_json::from_str(CHECKOUT).unwrap();
        let options = test.options(RunOptions::default());
        assert_eq!(options.heal, Some(ReplayHeal::Deterministic));
        assert_eq!(options.heal_threshold, Some(0.7));
        assert_eq!(options.build_from.as_deref(), Some("meta:build"));
        assert!(options.no_llm_fallback && !options.no_record && !options.no_grounding);
        let options = test.options(RunOptions { heal: Some(ReplayHeal::Off), ..RunOptions::default() });
        assert_eq!(options.heal, Some(ReplayHeal::Off));
    }

    #[test]
    fn the_tests_outcomes_complete_the_script() {
        let test: TestFile = serde_json::from_str(CHECKOUT).unwrap();
        let script = test.complete(Script::default());
        assert_eq!(script.outcomes[0].code, "sold_out");
        assert_eq!(script.goal, "Buy one blue mug");
        assert_eq!(test.complete(script).outcomes.len(), 1, "not twice");
    }
}
