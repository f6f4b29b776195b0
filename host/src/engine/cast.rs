//! A run before it begins: which script, with which inputs, by whose leave, from where. All that can be refused is refused
//! here.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use cairn_core::redact::Redactor;
use cairn_core::script::{Method, Recoverable, Script};
use cairn_core::value;
use cairn_core::wire::page::{Configure, InputValue};

use super::api::{RunOptions, RunRequest, RunResult, RunSource, TestUpload};
use super::approval::{Asking, Permit};
use super::finding::check_options;
use super::masks::masks;
use super::origins::Origins;
use super::replay::Plan;
use super::resume::Resume;
use super::session::Engine;
use super::sign_in::{SignIn, own_inputs};
use super::test_file::TestFile;
use super::{checkpoint, fixtures, inputs, outputs, verdict};
use crate::exit::{ErrorKind, Failure};
use crate::store::{HealRate, RunRecord, Slot, StoreError, StoredTest};

/// The default bound of a wait.
const BOUND: Duration = Duration::from_secs(10);

/// Runs that the heal rate looks at.
const RATE_RUNS: u32 = 10;

/// What is to be run, found and checked.
pub(super) struct Job {
    pub(super) label: String,
    pub(super) test: Option<String>,
    pub(super) script: Script,
    pub(super) options: RunOptions,
    pub(super) rate: HealRate,
    /// There is a script to replay; else a model makes the first one.
    pub(super) scripted: bool,
}

/// A run before it begins.
pub(super) struct Cast {
    pub(super) job: Job,
    pub(super) start: String,
    pub(super) plan: Plan,
    pub(super) sign_ins: BTreeMap<String, SignIn>,
    pub(super) permit: Permit,
    pub(super) resume: Option<Resume>,
}

impl Cast {
    /// What hides the secrets of this run and of the tests that sign in for it: here, and in every page.
    pub(super) fn masks(&self) -> (Redactor, Configure) {
        let elsewhere = self.sign_ins.values().flat_map(SignIn::inputs);
        masks(self.plan.inputs.iter().chain(elsewhere))
    }
}

/// What is known of a run before its browser opens.
pub(super) struct Ready {
    pub(super) start: String,
    pub(super) plan: Plan,
}

impl Engine {
    /// Everything that a run is made of, before anything is begun.
    pub(super) async fn cast(&self, request: &RunRequest, id: &str) -> Result<Cast, Failure> {
        let job = self.job(request.source.clone(), request.options.clone()).await?;
        check_options(&job.options, self.equipment.adviser.is_some(), job.scripted)?;
        let sign_ins = self.sign_ins(&job.script, &request.inputs).await?;
        let Ready { start, plan } = self.ready(&job, &own_inputs(&job.script, &sign_ins, &request.inputs))?;
        let sign_ins = sign_ins.into_iter().map(|(code, sign_in)| (code, sign_in.of_run(id))).collect();
        let permit = self.permit(&job, &Asking::of(request), &plan.inputs).await?;
        let resume = request.options.resume.as_deref();
        let resume = resume.map(|run| self.resume(run, &job, &plan.inputs)).transpose()?;
        Ok(Cast { job, start, plan: Plan { run: id.to_owned(), ..plan }, sign_ins, permit, resume })
    }

    /// The run's row, after those of runs that died have their end.
    pub(super) async fn open_books(&self, job: &Job, result: &RunResult) -> Result<(), Failure> {
        for died in self.settle_died().await? {
            tracing::warn!("the run {} had died: {}", died.run, died.observed.unwrap_or_default());
        }
        let record = RunRecord {
            id: result.run.clone(),
            test: job.test.clone(),
            script: job.label.clone(),
            started_at: result.started_at.clone(),
            result: None,
            evidence: result.evidence.display().to_string(),
            owner: Some(std::process::id()),
        };
        Ok(self.store.begin_run(record).await?)
    }

    /// A run that was refused at the last moment has an end, too.
    pub(super) async fn withdraw(&self, result: &mut RunResult, failure: &Failure) {
        verdict::unkept(result, failure);
        result.condition = Some("refused".into());
        result.exit_code = failure.kind.exit() as u8;
        let text = super::api::line(result);
        if let Err(error) = self.store.finish_run(&result.run, "hard_failure", text, 0, 0).await {
            tracing::warn!("a refused run has no end in the store: {error}");
        }
    }

    /// A script with its inputs, ready to run.
    pub(super) async fn prepared(
        &self,
        source: &RunSource,
        given: &BTreeMap<String, String>,
    ) -> Result<(Job, BTreeMap<String, InputValue>), Failure> {
        let job = self.job(source.clone(), RunOptions::default()).await?;
        let ready = self.ready(&job, given)?;
        Ok((job, ready.plan.inputs))
    }

    /// The names of the inputs that a script or test asks for.
    ///
    /// # Errors
    /// Where there is no such test.
    pub async fn declared_inputs(&self, source: &RunSource) -> Result<BTreeSet<String>, Failure> {
        let job = self.job(source.clone(), RunOptions::default()).await?;
        Ok(inputs::names(&job.script))
    }

    pub(super) async fn job(&self, source: RunSource, flags: RunOptions) -> Result<Job, Failure> {
        match source {
            RunSource::File { path, script } => Ok(Job {
                label: path,
                test: None,
                script: *script,
                options: flags,
                rate: HealRate::default(),
                scripted: true,
            }),
            RunSource::Test { name, upload } => self.stored_job(name, upload, flags).await,
        }
    }

    async fn stored_job(
        &self,
        name: String,
        upload: Option<Box<TestUpload>>,
        flags: RunOptions,
    ) -> Result<Job, Failure> {
        let mut known = self.store.test(&name).await?;
        if let (None, Some(upload)) = (&known, upload) {
            self.push(&name, *upload).await?;
            known = self.store.test(&name).await?;
        }
        let known = known.ok_or_else(|| StoreError::Missing { what: "test", name: name.clone() })?;
        let test = definition(&known)?;
        let promoted = self.store.script(&name, Slot::Promoted).await?;
        let unscripted = || test.first_script().filter(|_| self.equipment.adviser.is_some());
        let scripted = promoted.is_some();
        let Some(script) = promoted.map(|stored| stored.script).or_else(unscripted) else {
            return Err(Failure::new(
                ErrorKind::NothingSelected,
                format!("the test `{name}` has no promoted script"),
                format!(
                    "record one with `cairn record {name} --url URL`, promote a pending one, or set CAIRN_MODEL and give the \
                     test a Goal and a StartUrl: then a model makes it"
                ),
            ));
        };
        let rate = self.store.heal_rate(&name, RATE_RUNS).await?;
        let (script, options) = (test.complete(script), test.options(flags));
        Ok(Job { label: name.clone(), test: Some(name), script, options, rate, scripted })
    }

    /// Everything that can be refused before a browser is there, and what a run is played by.
    pub(super) fn ready(&self, job: &Job, given: &BTreeMap<String, String>) -> Result<Ready, Failure> {
        let script = &job.script;
        check_script(script)?;
        outputs::check(script)?;
        let inputs = inputs::check(script, given)?;
        let files = fixtures::read(script, &job.options.fixtures, &inputs)?;
        let start = value::expand(script.start(), &inputs).map_err(|error| {
            Failure::new(ErrorKind::BadInput, error.to_string(), "declare it under Inputs")
        })?;
        let origins = Origins::of(script, &start, &inputs)?;
        let seen = script.recoverable.iter().filter_map(Recoverable::outcome);
        let plan = Plan {
            run: String::new(),
            steps: script.steps.clone(),
            goal: script.goal_postconditions.clone(),
            checkpoints: checkpoint::in_order(script)?,
            origins,
            outcomes: script.outcomes.iter().cloned().chain(seen).collect(),
            recoverable: script.recoverable.clone(),
            inputs,
            input: job.options.input_mode,
            files,
            keep_open: job.options.keep_open,
            bound: match job.options.bound_ms {
                0 => BOUND,
                ms => Duration::from_millis(u64::from(ms)),
            },
        };
        Ok(Ready { start, plan })
    }
}

fn definition(test: &StoredTest) -> Result<TestFile, Failure> {
    if test.definition.is_empty() {
        return Ok(TestFile::default());
    }
    serde_json::from_str(&test.definition).map_err(|error| {
        Failure::new(
            ErrorKind::DataFolder,
            format!("the stored test `{}` cannot be read: {error}", test.name),
            "load it again with `cairn push`",
        )
    })
}

/// What no run could play: said before a browser opens. A test's file may hold checks that its script does not.
fn check_script(script: &Script) -> Result<(), Failure> {
    script.check().map_err(|error| Failure::new(ErrorKind::BadFile, error.message, error.hint))?;
    // A dialog is answered as a part of the step that brings it.
    let unbuilt = |method| matches!(method, Method::Dialog);
    let Some(at) = script.steps.iter().position(|step| unbuilt(step.action.method)) else { return Ok(()) };
    let method = script.steps[at].action.method.as_str();
    Err(Failure::new(
        ErrorKind::BadFile,
        format!("step {}: this version cannot play `{method}` yet", at + 1),
        "take the step out of the script",
    ))
}
