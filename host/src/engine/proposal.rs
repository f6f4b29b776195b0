//! Heals that the last runs agree on become a proposal in the pending slot: a person sees the diff, and nothing is ever
//! promoted by itself.

use std::collections::BTreeMap;

use cairn_core::ladder::Rung;
use cairn_core::script::{Script, ScriptFile, Target, write};

use super::api::{Ending, RunResult};
use super::cast::Job;
use super::session::Engine;
use crate::exit::Failure;
use crate::store::{HealRecord, Slot, StoredScript};

/// Agreeing runs after which a heal is proposed, where the test does not say it.
const AGREEING: u32 = 3;

/// Who made a step of a proposal.
const BY_HEAL: &str = "heal";

impl Engine {
    /// Proposes what the last runs agree on; says so in words.
    pub(super) async fn propose(&self, job: &Job, result: &RunResult) -> Result<Option<String>, Failure> {
        let Some(test) = &job.test else { return Ok(None) };
        let agreeing = job.options.propose_after.unwrap_or(AGREEING);
        if agreeing == 0
            || job.options.no_record
            || result.result != Ending::Success
            || result.healed.is_empty()
        {
            return Ok(None);
        }
        let Some(promoted) = self.store.script(test, Slot::Promoted).await? else { return Ok(None) };
        // Heals of an earlier script say nothing of this one.
        let (runs, heals) = self.store.heals_since(test, &promoted.stored_at, agreeing).await?;
        let mut agreed = if runs < agreeing { BTreeMap::new() } else { agreed(&heals, runs) };
        // Each choice of a model costs a call: it is proposed at once, and a person decides.
        let chosen = result.healed.iter().filter(|healed| healed.rung == Rung::Decision);
        agreed.extend(chosen.filter_map(|healed| Some((healed.step, *healed.repointed.clone()?))));
        if agreed.is_empty() {
            return Ok(None);
        }
        let Some(script) = repointed(&promoted.script, &agreed) else { return Ok(None) };
        let pending = self.store.script(test, Slot::Pending).await?;
        if pending.as_ref().is_some_and(|pending| !is_proposal(pending)) {
            return Ok(Some(format!(
                "{} heals could be proposed, but another script is pending: `cairn scripts diff {test}`",
                agreed.len()
            )));
        }
        if pending.is_some_and(|pending| pending.script == script) {
            return Ok(None);
        }
        self.store.set_slot(test, Slot::Pending, Some(write(&ScriptFile::from(script)))).await?;
        Ok(Some(format!(
            "{} healed steps agree over {runs} runs and are proposed: `cairn scripts diff {test}`",
            agreed.len()
        )))
    }
}

/// Steps that each of the runs found again in the same place.
fn agreed(heals: &[HealRecord], runs: u32) -> BTreeMap<u32, Target> {
    let mut found: BTreeMap<u32, Vec<Target>> = BTreeMap::new();
    for heal in heals {
        let target = heal.repointed.as_ref().and_then(|text| serde_json::from_str(text).ok());
        if let Some(target) = target {
            found.entry(heal.step).or_default().push(target);
        }
    }
    found.retain(|_, targets| {
        targets.len() == runs as usize && targets.iter().all(|target| is_same(target, &targets[0]))
    });
    // The newest run's is what stands there now.
    found.into_iter().filter_map(|(step, targets)| Some((step, targets.into_iter().next()?))).collect()
}

fn is_same(one: &Target, other: &Target) -> bool {
    one.role == other.role
        && one.name == other.name
        && one.scope == other.scope
        && one.row_key == other.row_key
}

/// The script with these targets; `None` where nothing is left to change.
fn repointed(script: &Script, agreed: &BTreeMap<u32, Target>) -> Option<Script> {
    let mut proposal = script.clone();
    let mut changed = false;
    for (number, target) in agreed {
        let Some(step) = proposal.steps.get_mut((*number as usize).checked_sub(1)?) else { continue };
        if step.action.target.as_ref() != Some(target) {
            step.action.target = Some(target.clone());
            step.by = Some(BY_HEAL.into());
            step.weak = None;
            changed = true;
        }
    }
    changed.then_some(proposal)
}

fn is_proposal(pending: &StoredScript) -> bool {
    pending.script.steps.iter().any(|step| step.by.as_deref() == Some(BY_HEAL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Step};

    fn target(name: &str) -> Target {
        Target { role: "button".into(), name: name.into(), ..Target::default() }
    }

    fn heal(run: &str, step: u32, name: &str) -> HealRecord {
        HealRecord {
            run: run.into(),
            step,
            repointed: serde_json::to_string(&target(name)).ok(),
            ..HealRecord::default()
        }
    }

    #[test]
    fn only_what_every_run_says_is_agreed() {
        let heals = [heal("3", 1, "New"), heal("2", 1, "New"), heal("1", 1, "New")];
        assert_eq!(agreed(&heals, 3).keys().copied().collect::<Vec<_>>(), [1]);
        assert!(agreed(&heals, 4).is_empty(), "one run found it where it was");
        let heals = [heal("2", 1, "New"), heal("1", 1, "Other")];
        assert!(agreed(&heals, 2).is_empty(), "two runs found two things");
    }

    #[test]
    fn a_proposal_changes_the_agreed_targets_alone() {
        let action = |name: &str| Action { target: Some(target(name)), ..Action::default() };
        let step = |name: &str| Step { action: action(name), ..Step::default() };
        let script = Script { steps: vec![step("Old"), step("Stays")], ..Script::default() };
        let proposal = repointed(&script, &BTreeMap::from([(1, target("New"))])).unwrap();
        assert_eq!(proposal.steps[0].by.as_deref(), Some("heal"));
        assert_eq!(proposal.steps[0].action.target, Some(target("New")));
        assert_eq!(proposal.steps[1], script.steps[1]);
        assert_eq!(repointed(&proposal, &BTreeMap::from([(1, target("New"))])), None);
    }
}
