//! A report of runs as JUnit XML: healed steps are properties, and the ways to end are told apart.

use std::path::Path;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestRerun, TestSuite};

use super::batch::{Outcome, Ran};
use crate::engine::api::{Ending, RunResult};
use crate::engine::evidence::write_whole;
use crate::exit::{ErrorKind, Exit, Failure};

/// Writes the report of these runs.
///
/// # Errors
/// `Usage` where the file cannot be written.
pub(super) fn write(path: &Path, runs: &[Ran]) -> Result<(), Failure> {
    let unwritable = |reason: String| {
        Failure::new(
            ErrorKind::Usage,
            format!("the report cannot be written: {reason}"),
            "choose another --junit",
        )
        .at(path.display().to_string())
    };
    let text = report(runs).to_string().map_err(|error| unwritable(error.to_string()))?;
    write_whole(path, text.as_bytes()).map_err(|error| unwritable(error.to_string()))
}

fn report(runs: &[Ran]) -> Report {
    let mut suite = TestSuite::new("cairn");
    suite.add_test_cases(runs.iter().map(case));
    let mut report = Report::new("cairn");
    report.set_time(runs.iter().map(|run| run.took).sum());
    report.add_test_suite(suite);
    report
}

fn case(run: &Ran) -> TestCase {
    let mut status = verdict(&run.outcome);
    for earlier in &run.earlier {
        let mut rerun = TestRerun::new(kind(earlier));
        let (word, message) = words(earlier);
        rerun.set_type(word).set_message(message).set_time(time(earlier));
        status.add_rerun(rerun);
    }
    let mut case = TestCase::new(run.label.as_str(), status);
    case.set_classname("cairn").set_time(run.took);
    if let Outcome::Result(result) = &run.outcome {
        case.add_properties(properties(result));
    }
    if !run.log.is_empty() {
        case.set_system_out(run.log.join("\n"));
    }
    case
}

fn properties(result: &RunResult) -> Vec<Property> {
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let mut properties = vec![
        Property::new("run", result.run.as_str()),
        Property::new("result", word(serde_json::to_value(result.result).unwrap_or_default())),
        Property::new("tier", result.tier.as_str()),
        Property::new("cache", word(serde_json::to_value(result.cache).unwrap_or_default())),
        Property::new("modelCalls", result.model_calls.to_string()),
        Property::new("evidence", result.evidence.display().to_string()),
    ];
    properties.extend(result.outcome.as_deref().map(|code| Property::new("outcome", code)));
    properties.extend(result.healed.iter().map(|healed| {
        let words = format!("{}: {} (confidence {})", healed.instruction, healed.reason, healed.confidence);
        Property::new(format!("healed.step.{}", healed.step), words)
    }));
    properties.extend(result.by_person.iter().map(|did| {
        let name = did.step.map_or_else(|| "byPerson".to_owned(), |step| format!("byPerson.step.{step}"));
        Property::new(name, did.what.as_str())
    }));
    properties.extend(result.checkpoints.iter().map(|checkpoint| {
        let holds = if checkpoint.holds { "holds" } else { "does not hold" };
        Property::new(format!("checkpoint.{}", checkpoint.name), holds)
    }));
    properties
}

fn verdict(outcome: &Outcome) -> TestCaseStatus {
    let passed = matches!(outcome, Outcome::Result(result) if result.exit_code == Exit::Success as u8);
    if passed {
        return TestCaseStatus::success();
    }
    let mut status = TestCaseStatus::non_success(kind(outcome));
    let (word, message) = words(outcome);
    status.set_type(word).set_message(message);
    status
}

/// A failure is the test's, an error its surroundings'.
fn kind(outcome: &Outcome) -> NonSuccessKind {
    match outcome {
        Outcome::Result(result) if result.result != Ending::Recoverable => NonSuccessKind::Failure,
        _ => NonSuccessKind::Error,
    }
}

/// What kind of end, and in which words.
fn words(outcome: &Outcome) -> (String, String) {
    let result = match outcome {
        Outcome::Result(result) => result,
        Outcome::Failure(failure) => {
            let kind = serde_json::to_value(failure.kind).unwrap_or_default();
            return (kind.as_str().unwrap_or("failure").to_owned(), failure.message.clone());
        }
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    match result.result {
        Ending::Success => ("healed".into(), format!("{} steps were healed", result.healed.len())),
        Ending::BusinessOutcome => {
            ("business_outcome".into(), format!("{}: {}", text(&result.outcome), text(&result.detail)))
        }
        Ending::Recoverable => {
            ("recoverable".into(), format!("{}: {}", text(&result.condition), text(&result.detail)))
        }
        Ending::HardFailure => {
            let step = result.step.map_or_else(String::new, |step| format!("step {step}: "));
            let condition = result.condition.clone().unwrap_or_else(|| "hard_failure".into());
            let (expected, observed) = (text(&result.expected), text(&result.observed));
            (condition, format!("{step}expected {expected}, observed {observed}"))
        }
    }
}

fn time(outcome: &Outcome) -> Duration {
    match outcome {
        Outcome::Result(result) => Duration::from_secs_f64((result.duration_ms / 1000.0).max(0.0)),
        Outcome::Failure(_) => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::api::HealedStep;
    use cairn_core::ladder::Rung;

    fn ran(label: &str, outcome: Outcome) -> Ran {
        Ran {
            label: label.into(),
            outcome,
            earlier: vec![],
            log: vec!["a \u{1} line".into()],
            took: Duration::ZERO,
        }
    }

    fn result(ending: Ending, exit: Exit) -> Outcome {
        let healed = HealedStep {
            step: 2,
            instruction: "click <Save> & go".into(),
            rung: Rung::RoleName,
            confidence: 0.9,
            margin: 1.0,
            reason: "unique role+name match".into(),
            runner_up: None,
            repointed: None,
        };
        Outcome::Result(Box::new(RunResult {
            result: ending,
            exit_code: exit as u8,
            healed: vec![healed],
            outcome: (ending == Ending::BusinessOutcome).then(|| "sold_out".into()),
            condition: (ending == Ending::HardFailure).then(|| "goal".into()),
            ..RunResult::default()
        }))
    }

    #[test]
    fn each_way_to_end_is_told_apart() {
        let mut flaky = ran("flaky", result(Ending::Success, Exit::Success));
        flaky.earlier.push(result(Ending::HardFailure, Exit::Failed));
        let text = report(&[
            ran("passed", result(Ending::Success, Exit::Success)),
            flaky,
            ran("expected", result(Ending::BusinessOutcome, Exit::Success)),
            ran("unexpected", result(Ending::BusinessOutcome, Exit::BusinessOutcome)),
            ran("healed", result(Ending::Success, Exit::Healed)),
            ran("failed", result(Ending::HardFailure, Exit::Failed)),
            ran("later", result(Ending::Recoverable, Exit::Recoverable)),
            ran("broken", Outcome::Failure(Failure::new(ErrorKind::NoBrowser, "no browser", ""))),
        ])
        .to_string()
        .unwrap();
        for part in [
            r#"tests="8""#,
            r#"failures="3""#,
            r#"errors="2""#,
            "flakyFailure",
            r#"name="healed.step.2" value="click &lt;Save&gt; &amp; go: unique role+name match (confidence 0.9)""#,
            r#"type="business_outcome""#,
            r#"name="outcome" value="sold_out""#,
            r#"type="healed""#,
            r#"type="goal""#,
            r#"type="recoverable""#,
            r#"type="noBrowser""#,
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(!text.contains('\u{1}'), "what XML cannot hold is left out");
    }
}
