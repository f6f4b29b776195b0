//! What a run learned of the input that its steps need: where page events brought nothing about and the browser's own did, the
//! script says so from then on, and later runs do not try the page's first.

use cairn_core::script::{Script, ScriptFile, write};

use super::api::{Ending, RunResult};
use super::cast::Job;
use super::session::Engine;
use crate::exit::Failure;
use crate::store::Slot;

/// The word of a step that needs the browser's own input.
const TRUSTED: &str = "trusted";

/// Writes into the steps of a script what a run of it learned; false where nothing is new.
pub fn teach(script: &mut Script, trusted: &[u32]) -> bool {
    let mut changed = false;
    for number in trusted {
        let Some(step) = (*number as usize).checked_sub(1).and_then(|at| script.steps.get_mut(at)) else {
            continue;
        };
        if step.input.as_deref() != Some(TRUSTED) {
            step.input = Some(TRUSTED.into());
            changed = true;
        }
    }
    changed
}

impl Engine {
    /// Keeps what was learned of a stored test in its pending script; says so in words. A script file is its caller's to keep.
    pub(super) async fn keep_learned(
        &self,
        job: &Job,
        result: &RunResult,
    ) -> Result<Option<String>, Failure> {
        let Some(test) = &job.test else { return Ok(None) };
        if job.options.no_record || result.result != Ending::Success || result.trusted.is_empty() {
            return Ok(None);
        }
        let Some(promoted) = self.store.script(test, Slot::Promoted).await? else { return Ok(None) };
        let pending = self.store.script(test, Slot::Pending).await?.map(|pending| pending.script);
        let mut script = pending.unwrap_or_else(|| promoted.script.clone());
        // In a script of its own the numbers may mean other steps.
        let same = |number: &&u32| {
            let at = (**number as usize).wrapping_sub(1);
            script.steps.get(at).map(|step| &step.action)
                == promoted.script.steps.get(at).map(|step| &step.action)
        };
        let trusted: Vec<u32> = result.trusted.iter().filter(same).copied().collect();
        if !teach(&mut script, &trusted) {
            return Ok(None);
        }
        self.store.set_slot(test, Slot::Pending, Some(write(&ScriptFile::from(script)))).await?;
        Ok(Some(format!(
            "{} steps need the browser's own input; a script that says so is pending: `cairn scripts diff {test}`",
            trusted.len()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::Step;

    #[test]
    fn a_script_is_taught_once() {
        let mut script = Script { steps: vec![Step::default(), Step::default()], ..Script::default() };
        assert!(teach(&mut script, &[2, 9]));
        let inputs: Vec<Option<&str>> = script.steps.iter().map(|step| step.input.as_deref()).collect();
        assert_eq!(inputs, [None, Some("trusted")]);
        assert!(!teach(&mut script, &[2]));
    }
}
