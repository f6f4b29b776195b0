//! Going on with a run that died or was stopped, in the tab that it left behind. What was done is proved by the evidence of
//! that run; a step that may have happened is judged by what the page shows, and never acted again.

use std::collections::BTreeMap;

use cairn_core::script::{Method, Script};
use cairn_core::value;
use cairn_core::wire::page::InputValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::approval::{redacted, script_hash};
use super::cast::Job;
use super::replay::{Acted, Conductor};
use super::session::Engine;
use super::tab::{Tab, TabEvents};
use crate::exit::{ErrorKind, Failure};

/// Where a run goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Resume {
    /// The run that is gone on with.
    pub(super) run: String,
    /// Its steps that are done, by number, with the words of their proof.
    pub(super) done: BTreeMap<u32, String>,
    /// The step that may have happened: it is judged, not acted.
    pub(super) under_way: Option<u32>,
    /// A step that sends was acted.
    pub(super) sent: bool,
    /// Where the tab stood.
    pub(super) url: String,
}

impl Engine {
    /// Reads where an earlier run of this script with these inputs stood.
    ///
    /// # Errors
    /// `NothingSelected` where there is no such run, `Usage` where it is another script's or has come to its end.
    pub(super) fn resume(
        &self,
        run: &str,
        job: &Job,
        inputs: &BTreeMap<String, InputValue>,
    ) -> Result<Resume, Failure> {
        let known = !run.is_empty() && run.chars().all(|letter| letter.is_ascii_alphanumeric());
        let folder = self.data.join("runs").join(run);
        let text = std::fs::read_to_string(folder.join("steps.jsonl")).ok().filter(|_| known);
        let Some(text) = text else {
            let next = "the folder `runs` of the data folder holds what there is";
            return Err(Failure::new(ErrorKind::NothingSelected, format!("there is no run `{run}`"), next));
        };
        let result = std::fs::read_to_string(folder.join("result.json")).unwrap_or_default();
        let ended = serde_json::from_str::<Value>(&result).is_ok_and(|result| result["result"] == "success");
        if ended {
            let message = format!("the run `{run}` has come to its end");
            return Err(Failure::new(ErrorKind::Usage, message, "run the script without --resume"));
        }
        let mut resume = read(&text, &job.script, &script_hash(&job.script), &redacted(inputs))?;
        run.clone_into(&mut resume.run);
        // The evidence masks what is secret; the tab's URL does not.
        resume.url = value::expand(&resume.url, inputs).unwrap_or(resume.url);
        Ok(resume)
    }
}

/// What the lines of a run say of where it stood.
fn read(text: &str, script: &Script, hash: &str, inputs: &str) -> Result<Resume, Failure> {
    let refused = |message: &str| {
        let next = "run the script from its start, without --resume";
        Err(Failure::new(ErrorKind::Usage, message, next))
    };
    let mut resume = Resume::default();
    let mut begun = false;
    // The last line may be half a line.
    for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let number =
            line["number"].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
        match line["type"].as_str() {
            Some("begun") => {
                if line["scriptHash"] != hash {
                    return refused("the script has been changed since that run");
                }
                if line["inputs"] != inputs {
                    return refused("that run had other inputs");
                }
                begun = true;
            }
            // That run went on with an earlier one: what was proved there is proved here.
            Some("resumed") => resume = serde_json::from_value(line).unwrap_or(resume),
            Some("intent") => {
                resume.sent |= line["sends"] == true;
                resume.under_way = Some(number);
            }
            Some("step") => {
                let report = &line["report"];
                if let Some(url) = report["url"].as_str() {
                    url.clone_into(&mut resume.url);
                }
                match report["status"].as_str() {
                    Some("diverged") if report["divergence"]["acted"] != true => resume.under_way = None,
                    Some("diverged") => resume.under_way = Some(number),
                    Some(status) => {
                        let at = line["at"].as_str().unwrap_or_default();
                        resume.done.insert(number, format!("{status} at {at}"));
                        resume.under_way = resume.under_way.filter(|under_way| *under_way != number);
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }
    if !begun {
        return refused("that run does not say which script it played");
    }
    // What only states how the page shall be may be done again: it holds already, or it is brought about.
    if let Some(number) = resume.under_way
        && !sends(script, number)
        && states(script, number)
    {
        resume.under_way = None;
    }
    Ok(resume)
}

fn sends(script: &Script, number: u32) -> bool {
    step(script, number).is_some_and(|step| step.sends == Some(true))
}

/// Steps that say a state: doing them twice does what doing them once does.
fn states(script: &Script, number: u32) -> bool {
    let states = |method| {
        matches!(method, Method::Goto | Method::Fill | Method::Select | Method::Check | Method::Uncheck)
            || matches!(
                method,
                Method::Wait | Method::Extract | Method::Assert | Method::Scroll | Method::Hover
            )
    };
    step(script, number).is_some_and(|step| states(step.action.method))
}

fn step(script: &Script, number: u32) -> Option<&cairn_core::script::Step> {
    script.steps.get((number as usize).checked_sub(1)?)
}

impl<T: Tab, E: TabEvents> Conductor<'_, T, E> {
    /// Takes over where an earlier run stood.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub(super) async fn go_on(&mut self, resume: &Resume) -> Result<(), Failure> {
        let last_done = resume.done.keys().next_back().copied().unwrap_or_default();
        self.next = resume.under_way.unwrap_or(last_done + 1);
        self.acted =
            resume.under_way.map(|number| Acted { number, found: None, repointed: None, held: false });
        self.result.sent = resume.sent;
        self.scribe.say(format!("going on with the run {} at step {}", resume.run, self.next)).await;
        for (number, proof) in &resume.done {
            self.scribe.say(format!("Step {number}: skipped, done by that run ({proof})")).await;
        }
        self.scribe.resumed(resume).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Step};
    use rstest::rstest;

    fn script() -> Script {
        let step =
            |method, sends| Step { sends, action: Action { method, ..Action::default() }, ..Step::default() };
        Script {
            steps: vec![
                step(Method::Fill, None),
                step(Method::Click, None),
                step(Method::Click, Some(true)),
                step(Method::Fill, None),
            ],
            ..Script::default()
        }
    }

    const BEGUN: &str = r#"{"type":"begun","scriptHash":"h","inputs":"{}"}"#;
    const FILLED: &str = r#"{"type":"intent","number":1,"sends":false}
{"type":"step","number":1,"at":"t","report":{"status":"hit","url":"http://a/1"}}"#;
    const CLICKED: &str = r#"{"type":"intent","number":2,"sends":false}
{"type":"step","number":2,"at":"t","report":{"status":"healed","url":"http://a/2"}}"#;

    fn stood(lines: &[&str]) -> Resume {
        read(&lines.join("\n"), &script(), "h", "{}").unwrap()
    }

    #[rstest]
    #[case::nothing(&[BEGUN], 0, None, false)]
    #[case::between(&[BEGUN, FILLED, CLICKED], 2, None, false)]
    #[case::a_state_may_be_brought_about_again(&[BEGUN, r#"{"type":"intent","number":1}"#], 0, None, false)]
    #[case::a_click_may_have_happened(&[BEGUN, FILLED, r#"{"type":"intent","number":2}"#], 1, Some(2), false)]
    #[case::an_order_may_have_been_sent(&[BEGUN, FILLED, CLICKED, r#"{"type":"intent","number":3,"sends":true}"#, r#"{"ty"#], 2, Some(3), true)]
    #[case::what_diverged_before_the_act(
        &[BEGUN, FILLED, r#"{"type":"step","number":2,"report":{"status":"diverged","divergence":{"acted":false}}}"#], 1, None, false
    )]
    #[case::what_diverged_after_the_act(
        &[BEGUN, FILLED, r#"{"type":"step","number":2,"report":{"status":"diverged","divergence":{"acted":true}}}"#], 1, Some(2), false
    )]
    fn where_a_run_stood(
        #[case] lines: &[&str],
        #[case] done: usize,
        #[case] under_way: Option<u32>,
        #[case] sent: bool,
    ) {
        let resume = stood(lines);
        assert_eq!((resume.done.len(), resume.under_way, resume.sent), (done, under_way, sent));
    }

    #[test]
    fn a_resumed_run_keeps_the_proofs_of_the_first() {
        let first = [BEGUN, FILLED, CLICKED, r#"{"type":"intent","number":3,"sends":true}"#];
        let stood_first = stood(&first);
        let mut line = serde_json::to_value(&stood_first).unwrap();
        line["type"] = "resumed".into();
        // It died before it had judged a step of its own.
        let second = stood(&[BEGUN, &line.to_string()]);
        assert_eq!(second, stood_first);
        let judged = r#"{"type":"step","number":3,"at":"u","report":{"status":"hit","url":"http://a/3"}}"#;
        let third = stood(&[BEGUN, &line.to_string(), judged]);
        assert_eq!((third.done.len(), third.under_way, third.sent), (3, None, true));
    }

    #[test]
    fn another_script_or_other_inputs_are_refused() {
        for (hash, inputs) in [("other", "{}"), ("h", r#"{"a":"b"}"#)] {
            assert!(read(BEGUN, &script(), hash, inputs).is_err());
        }
        assert!(read(FILLED, &script(), "h", "{}").is_err());
    }
}
