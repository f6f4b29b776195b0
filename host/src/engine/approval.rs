//! Who may let a risky script run. It must have been read (`Reviewed`); where a program asks for it, a person must also
//! have approved this very script with these very inputs, for one run, within a time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use cairn_core::script::Script;
use cairn_core::wire::page::InputValue;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::api::{ApprovalRequest, Approved, Caller, RunRequest};
use super::cast::Job;
use super::lines;
use super::session::Engine;
use crate::exit::{ErrorKind, Failure};
use crate::store::Approval;

/// How far a clock may stand before the moment of an approval and still be believed.
const CLOCK_SLACK_MS: i64 = 2_000;

/// The longest time that an approval may wait for its run.
const LONGEST_MS: i64 = 24 * 60 * 60 * 1000;

/// What lets a run begin; an approval is spent when its tab is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Permit {
    /// Nothing is needed.
    Free,
    /// This approval, once.
    Approval(String),
}

/// True where a script says of itself, or of one of its steps, that it is risky.
pub fn is_risky(script: &Script) -> bool {
    let risky = |risk: &Option<String>| risk.as_deref().is_some_and(|risk| risk != "safe");
    risky(&script.risk) || script.steps.iter().any(|step| risky(&step.risk))
}

/// `sha256:` of a script as it is played, whatever its file looks like.
pub fn script_hash(script: &Script) -> String {
    hash(&serde_json::to_string(script).unwrap_or_default())
}

/// Today's inputs without their secrets, as a person is shown them.
pub fn redacted(inputs: &BTreeMap<String, InputValue>) -> String {
    let shown: Map<String, Value> = inputs
        .iter()
        .map(|(name, input)| {
            let text = if input.secret { format!("%{name}%") } else { input.value.clone() };
            (name.clone(), Value::from(text))
        })
        .collect();
    Value::Object(shown).to_string()
}

/// `sha256:` of a text.
pub(super) fn hash(text: &str) -> String {
    let mut hash = "sha256:".to_owned();
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

fn refused(message: impl Into<String>, next: impl Into<String>) -> Failure {
    Failure::new(ErrorKind::NotAllowed, message, next)
}

impl Engine {
    /// Whether a run may begin. Nothing is used up by asking.
    pub(super) async fn permit(
        &self,
        job: &Job,
        request: &Asking<'_>,
        inputs: &BTreeMap<String, InputValue>,
    ) -> Result<Permit, Failure> {
        if !is_risky(&job.script) {
            return Ok(Permit::Free);
        }
        if job.script.reviewed != Some(true) {
            let next =
                "read it (`cairn scripts show`), then set \"Reviewed\": true in the script or its test file";
            return Err(refused(format!("`{}` is risky and nobody has reviewed it", job.label), next));
        }
        if request.caller == Caller::Terminal {
            return Ok(Permit::Free);
        }
        let next = format!("a person approves one run: `cairn approve {}`, then --approval ID", job.label);
        let Some(id) = request.approval else {
            return Err(refused(format!("`{}` is risky and its run is not approved", job.label), next));
        };
        let Some(approval) = self.store.approval(id).await? else {
            return Err(refused(format!("there is no approval `{id}`"), next));
        };
        judge(&approval, &script_hash(&job.script), &hash(&redacted(inputs)), now_ms())
            .map_err(|message| refused(message, next))?;
        Ok(Permit::Approval(approval.id))
    }

    /// Uses up what a run was let in with, in the moment before its first step.
    pub(super) async fn spend(&self, permit: &Permit, run: &str) -> Result<(), Failure> {
        let Permit::Approval(id) = permit else { return Ok(()) };
        if self.store.spend_approval(id, run, now_ms()).await? {
            return Ok(());
        }
        Err(refused(format!("the approval `{id}` has been used by another run"), "approve this run, too"))
    }

    /// What a person would approve: nothing is stored.
    ///
    /// # Errors
    /// As `check`.
    pub async fn describe_approval(&self, request: &ApprovalRequest) -> Result<Approved, Failure> {
        let (job, inputs) = self.prepared(&request.source, &request.inputs).await?;
        Ok(Approved {
            id: String::new(),
            script: job.label.clone(),
            script_hash: script_hash(&job.script),
            inputs: serde_json::from_str(&redacted(&inputs)).unwrap_or_default(),
            expires_at: String::new(),
            risky: is_risky(&job.script),
            reviewed: job.script.reviewed == Some(true),
            steps: job.script.steps.iter().map(described).collect(),
        })
    }

    /// A person approves one run of a script with these inputs.
    ///
    /// # Errors
    /// As `check`; `Usage` for a time that is none.
    pub async fn approve(self: &Arc<Self>, request: &ApprovalRequest) -> Result<Approved, Failure> {
        let valid_ms = i64::try_from(request.valid_ms).unwrap_or(i64::MAX);
        if !(1_000..=LONGEST_MS).contains(&valid_ms) {
            let message = "an approval is valid for a second to a day";
            return Err(Failure::new(ErrorKind::Usage, message, "give --for 10m, say"));
        }
        let mut approved = self.describe_approval(request).await?;
        let now = now_ms();
        let inputs = approved.inputs.to_string();
        let approval = Approval {
            id: ulid::Ulid::generate().to_string().to_lowercase(),
            label: approved.script.clone(),
            script_hash: approved.script_hash.clone(),
            inputs_hash: hash(&inputs),
            inputs,
            created_ms: now,
            expires_ms: now.saturating_add(valid_ms),
            used_by: None,
        };
        approved.id.clone_from(&approval.id);
        let expires = jiff::Timestamp::from_millisecond(approval.expires_ms);
        approved.expires_at = expires.map(|at| at.to_string()).unwrap_or_default();
        self.store.add_approval(approval).await?;
        Ok(approved)
    }
}

/// Who asks for a run, and with what.
pub(super) struct Asking<'a> {
    pub(super) caller: Caller,
    pub(super) approval: Option<&'a str>,
}

impl<'a> Asking<'a> {
    pub(super) fn of(request: &'a RunRequest) -> Self {
        Self { caller: request.caller, approval: request.approval.as_deref() }
    }
}

fn described(step: &cairn_core::script::Step) -> String {
    let sends = if step.sends == Some(true) { " (sends)" } else { "" };
    format!("{}{sends}", lines::step_words(step))
}

/// Why an approval does not let this run in.
fn judge(approval: &Approval, script_hash: &str, inputs_hash: &str, now_ms: i64) -> Result<(), String> {
    let id = &approval.id;
    if let Some(run) = &approval.used_by {
        return Err(format!("the approval `{id}` was used by the run {run}"));
    }
    if now_ms >= approval.expires_ms {
        return Err(format!("the approval `{id}` has expired"));
    }
    if now_ms < approval.created_ms - CLOCK_SLACK_MS {
        return Err(format!("the clock stands before the moment in which `{id}` was given"));
    }
    if approval.script_hash != script_hash {
        return Err(format!(
            "the approval `{id}` is for another script, or for this one before it was changed"
        ));
    }
    if approval.inputs_hash != inputs_hash {
        return Err(format!("the approval `{id}` is for other inputs: {}", approval.inputs));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::api::RunSource;
    use cairn_core::script::Step;
    use rstest::rstest;

    fn approval() -> Approval {
        Approval {
            id: "a".into(),
            script_hash: "s".into(),
            inputs_hash: "i".into(),
            created_ms: 10_000,
            expires_ms: 20_000,
            ..Approval::default()
        }
    }

    #[rstest]
    #[case::good(approval(), "s", "i", 15_000, None)]
    #[case::used(Approval { used_by: Some("r".into()), ..approval() }, "s", "i", 15_000, Some("used by the run r"))]
    #[case::expired(approval(), "s", "i", 20_000, Some("expired"))]
    #[case::clock_backwards(approval(), "s", "i", 7_000, Some("clock"))]
    #[case::clock_adjusted(approval(), "s", "i", 9_000, None)]
    #[case::script(approval(), "other", "i", 15_000, Some("another script"))]
    #[case::inputs(approval(), "s", "other", 15_000, Some("other inputs"))]
    fn an_approval_is_for_one_run_of_one_script(
        #[case] approval: Approval,
        #[case] script: &str,
        #[case] inputs: &str,
        #[case] now: i64,
        #[case] said: Option<&str>,
    ) {
        match (judge(&approval, script, inputs, now), said) {
            (Ok(()), None) => {}
            (Err(message), Some(said)) => assert!(message.contains(said), "{message}"),
            (judged, _) => panic!("{judged:?}"),
        }
    }

    #[test]
    fn one_risky_step_makes_a_risky_script() {
        let step = |risk: Option<&str>| Step { risk: risk.map(str::to_owned), ..Step::default() };
        let script =
            |risk: Option<&str>, steps| Script { risk: risk.map(str::to_owned), steps, ..Script::default() };
        assert!(!is_risky(&script(None, vec![step(None)])));
        assert!(!is_risky(&script(Some("safe"), vec![step(Some("safe"))])));
        assert!(is_risky(&script(Some("safe"), vec![step(None), step(Some("risky"))])));
        assert!(is_risky(&script(Some("risky"), vec![])));
        assert!(is_risky(&script(Some("Risky!"), vec![])), "a word that nobody knows is not taken for safe");
    }

    #[test]
    fn secrets_are_no_part_of_what_is_approved() {
        let value = |text: &str, secret| InputValue { value: text.into(), secret };
        let with = |password: &str, item: &str| {
            redacted(
                &[("password".to_owned(), value(password, true)), ("item".to_owned(), value(item, false))]
                    .into(),
            )
        };
        assert_eq!(with("hunter2", "mug"), r#"{"item":"mug","password":"%password%"}"#);
        assert_eq!(with("hunter2", "mug"), with("other", "mug"));
        assert_ne!(with("x", "mug"), with("x", "car"));
    }

    fn risky(reviewed: bool) -> RunRequest {
        let script = Script {
            start_url: "http://a/".into(),
            risk: Some("risky".into()),
            reviewed: Some(reviewed),
            inputs: [("item".to_owned(), cairn_core::script::Input::default())].into(),
            ..Script::default()
        };
        let source = RunSource::File { path: "s.json".into(), script: Box::new(script) };
        let inputs = [("item".to_owned(), "mug".to_owned())].into();
        RunRequest { source, inputs, caller: Caller::Terminal, ..RunRequest::default() }
    }

    #[tokio::test]
    async fn a_risky_run_is_let_in_by_review_and_person_or_review_and_approval() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(crate::store::SqliteStore::open(folder.path()).unwrap());
        let engine = Engine::new(crate::daemon::Hub::new(), store, folder.path());
        let refused = async |request: &RunRequest| match engine.check(request).await {
            Ok(()) => None,
            Err(failure) => Some((failure.kind, failure.message)),
        };
        let said = refused(&risky(false)).await.unwrap();
        assert!(said.0 == ErrorKind::NotAllowed && said.1.contains("nobody has reviewed"), "{said:?}");
        assert_eq!(refused(&risky(true)).await, None, "the person at the terminal is the approval");
        let by_program = RunRequest { caller: Caller::Program, ..risky(true) };
        assert!(refused(&by_program).await.unwrap().1.contains("not approved"));
        let unknown = RunRequest { approval: Some("x".into()), ..by_program.clone() };
        assert!(refused(&unknown).await.unwrap().1.contains("no approval `x`"));

        let asked = ApprovalRequest {
            source: by_program.source.clone(),
            inputs: by_program.inputs.clone(),
            valid_ms: 60_000,
        };
        let approved = engine.approve(&asked).await.unwrap();
        let with = RunRequest { approval: Some(approved.id.clone()), ..by_program.clone() };
        assert_eq!(refused(&with).await, None);
        assert_eq!(refused(&with).await, None, "asking uses nothing up");
        let other = RunRequest { inputs: [("item".to_owned(), "car".to_owned())].into(), ..with.clone() };
        assert!(refused(&other).await.unwrap().1.contains("other inputs"));
        engine.spend(&Permit::Approval(approved.id.clone()), "r1").await.unwrap();
        assert!(refused(&with).await.unwrap().1.contains("used by the run r1"));
        let again = engine.spend(&Permit::Approval(approved.id), "r2").await.unwrap_err();
        assert_eq!(again.kind, ErrorKind::NotAllowed);
    }
}
