//! Signing in again: a session that expired is declared as a condition that a retry may cure, with the test that signs in.

use std::collections::BTreeMap;

use cairn_core::script::Script;
use cairn_core::wire::page::InputValue;
use cairn_core::wire::worker::Navigation;

use super::api::{RunOptions, RunSource};
use super::cast::Ready;
use super::replay::{Conductor, End, Finding, Outcomes, Plan};
use super::scribe::Scribe;
use super::session::Engine;
use super::stop::StopSignal;
use super::tab::{Tab, TabEvents};
use crate::exit::Failure;

/// The test that signs in, ready to be played in the run's own tab.
pub(super) struct SignIn {
    name: String,
    start: String,
    plan: Plan,
}

impl SignIn {
    /// Its inputs: secrets among them must be hidden as the run's own.
    pub(super) fn inputs(&self) -> &BTreeMap<String, InputValue> {
        &self.plan.inputs
    }

    /// As a part of this run.
    #[must_use]
    pub(super) fn of_run(mut self, run: &str) -> Self {
        run.clone_into(&mut self.plan.run);
        self
    }

    /// Plays it. False where it did not come to its end: the run then ends as it was.
    pub(super) async fn play<T: Tab, E: TabEvents>(
        &self,
        tab: &T,
        events: &mut E,
        scribe: &mut Scribe,
        stop: StopSignal,
        finding: Finding,
    ) -> Result<bool, Failure> {
        scribe.say(format!("signing in again with `{}`", self.name)).await;
        if tab.navigate(Navigation::Goto { url: self.start.clone() }).await.is_err() {
            return Ok(false);
        }
        scribe.begin_aside();
        let played = self.conduct(tab, events, scribe, stop, finding).await;
        scribe.end_aside();
        let holds = matches!(&played?.end, End::Completed(goal) if goal.iter().all(|check| check.holds));
        if !holds {
            scribe.say(format!("signing in with `{}` did not come to its end", self.name)).await;
        }
        Ok(holds)
    }

    async fn conduct<T: Tab, E: TabEvents>(
        &self,
        tab: &T,
        events: &mut E,
        scribe: &mut Scribe,
        stop: StopSignal,
        finding: Finding,
    ) -> Result<Outcomes, Failure> {
        let mut conductor = Conductor::new(tab, events, &self.plan, scribe, stop);
        match conductor.first_page().await? {
            Ok(_) => Box::pin(conductor.play(finding)).await,
            Err(outcomes) => Ok(outcomes),
        }
    }
}

impl Engine {
    /// The tests that sign in, by the code of the rule that names them.
    ///
    /// # Errors
    /// Where one is not there, or its inputs are not.
    pub(super) async fn sign_ins(
        &self,
        script: &Script,
        given: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, SignIn>, Failure> {
        let mut found = BTreeMap::new();
        for rule in &script.recoverable {
            let Some(name) = &rule.sign_in else { continue };
            let source = RunSource::Test { name: name.clone(), upload: None };
            let job = Box::pin(self.job(source, RunOptions::default())).await?;
            let known = super::inputs::names(&job.script);
            let own = given.iter().filter(|(name, _)| known.contains(*name));
            let own = own.map(|(name, value)| (name.clone(), value.clone())).collect();
            let Ready { start, plan } = self.ready(&job, &own)?;
            found.insert(rule.code.clone(), SignIn { name: name.clone(), start, plan });
        }
        Ok(found)
    }
}

/// The inputs that are the script's own: what only a test that signs in asks for is given to that one.
pub(super) fn own_inputs(
    script: &Script,
    sign_ins: &BTreeMap<String, SignIn>,
    given: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let known = super::inputs::names(script);
    let elsewhere = |name: &String| sign_ins.values().any(|sign_in| sign_in.plan.inputs.contains_key(name));
    let own = given.iter().filter(|(name, _)| known.contains(*name) || !elsewhere(name));
    own.map(|(name, value)| (name.clone(), value.clone())).collect()
}
