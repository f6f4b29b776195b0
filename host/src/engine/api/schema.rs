//! The published shape of what `cairn run --json` prints: docs/run-events.schema.json is this, and a test holds the two equal.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{RunEvent, SCHEMA_VERSION};
use crate::exit::ErrorKind;

/// The line of a run that could not be begun at all.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Refused {
    /// What it is about.
    error: Refusal,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Refusal {
    /// For programs.
    kind: ErrorKind,
    /// For people.
    message: String,
    /// Where: a file, a flag; empty where there is no place.
    place: String,
    /// What to do next.
    next: String,
    /// The exit code of the command.
    exit_code: u8,
}

/// JSON Schema of one line.
pub fn run_events() -> Value {
    let event = schemars::schema_for!(RunEvent).to_value();
    let refused = schemars::schema_for!(Refused).to_value();
    let mut definitions = serde_json::Map::new();
    let mut kinds = Vec::new();
    for mut schema in [event, refused] {
        if let Some(Value::Object(own)) = schema.as_object_mut().and_then(|schema| schema.remove("$defs")) {
            definitions.extend(own);
        }
        schema.as_object_mut().map(|schema| schema.remove("$schema"));
        kinds.push(schema);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One line of `cairn run --json`",
        "description": "Keys may be added within a version; what is there keeps its name and meaning.",
        "type": "object",
        "required": ["schemaVersion"],
        "properties": { "schemaVersion": { "const": SCHEMA_VERSION } },
        "anyOf": kinds,
        "$defs": definitions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::api::{HealedStep, RunResult, line};
    use crate::exit::Failure;
    use cairn_core::ladder::Rung;
    use cairn_core::wire::page::{Divergence, StepReport};

    #[test]
    fn the_published_schema_is_this_one() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/run-events.schema.json");
        let published: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let next = "write it anew: cairn run --json-schema > docs/run-events.schema.json";
        assert_eq!(published, run_events(), "{next}");
    }

    #[test]
    fn what_is_printed_fits_it() {
        let validator = jsonschema::validator_for(&run_events()).unwrap();
        let healed = HealedStep {
            step: 1,
            instruction: "i".into(),
            rung: Rung::RoleName,
            confidence: 0.9,
            margin: 1.0,
            reason: "r".into(),
            runner_up: None,
            repointed: Some(Box::default()),
        };
        let report = StepReport { divergence: Some(Divergence::default()), ..StepReport::default() };
        let result = RunResult { healed: vec![healed], step: Some(2), ..RunResult::default() };
        let lines = [
            line(&RunEvent::Started { run: "r".into(), script: "s".into(), steps: 2, evidence: "e".into() }),
            line(&RunEvent::Log { text: "t".into() }),
            line(&RunEvent::Step {
                run: "r".into(),
                instruction: "i".into(),
                by: "replay".into(),
                report: Box::new(report),
            }),
            line(&RunEvent::Finished { result: Box::new(result) }),
            line(&json!({"error": {"kind": ErrorKind::Usage, "message": "m", "place": "", "next": "n",
                "exitCode": Failure::new(ErrorKind::Usage, "m", "n").kind.exit() as u8}})),
        ];
        for text in lines {
            let value = serde_json::from_str(&text).unwrap();
            let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{text}: {errors:?}");
        }
        for wrong in [json!({"schemaVersion": 1}), json!({"schemaVersion": 2, "type": "log", "text": "t"})] {
            assert!(!validator.is_valid(&wrong), "{wrong}");
        }
    }
}
