//! Today's inputs, checked against the script's JSON Schema before a browser opens.

use std::collections::{BTreeMap, BTreeSet};

use cairn_core::script::{Input, InputType, Script};
use cairn_core::value;
use cairn_core::wire::page::InputValue;
use serde_json::{Map, Value, json};

use crate::exit::{ErrorKind, Failure};

/// The values of a run: given ones, then defaults.
///
/// # Errors
/// `BadInput` for one that is missing, does not fit its schema, or is unknown to the script; `BadFile` where the schema
/// itself is none.
pub fn check(
    script: &Script,
    given: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, InputValue>, Failure> {
    let asked = tokens(script);
    if let Some(name) = given.keys().find(|name| !script.inputs.contains_key(*name) && !asked.contains(*name))
    {
        return Err(Failure::new(
            ErrorKind::BadInput,
            format!("the script has no input `{name}`"),
            format!("it knows {}", known(script, &asked)),
        )
        .at(format!("--input {name}")));
    }
    let mut values = BTreeMap::new();
    for (name, declared) in &script.inputs {
        let value = given.get(name).cloned().or_else(|| declared.default_value.as_ref().map(as_text));
        match value {
            Some(value) => {
                check_value(name, declared, &value)?;
                values.insert(name.clone(), InputValue { value, secret: declared.secret });
            }
            None if declared.required || asked.contains(name) => return Err(missing(name, declared.secret)),
            None => {}
        }
    }
    for name in asked {
        if values.contains_key(&name) {
            continue;
        }
        let value = given.get(&name).ok_or_else(|| missing(&name, false))?;
        values.insert(name, InputValue { value: value.clone(), secret: false });
    }
    Ok(values)
}

/// The JSON Schema of all of a script's inputs, for people and programs that call it.
pub fn schema(script: &Script) -> Value {
    let properties: Map<String, Value> =
        script.inputs.iter().map(|(name, input)| (name.clone(), schema_of(input))).collect();
    let required: Vec<&String> =
        script.inputs.iter().filter(|(_, input)| input.required).map(|(name, _)| name).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object", "properties": properties, "required": required, "additionalProperties": false
    })
}

/// A default as text: a text as it is, everything else as JSON writes it.
fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The JSON Schema of one input.
fn schema_of(input: &Input) -> Value {
    let mut schema = Map::new();
    schema.insert("type".into(), json!(input.kind));
    let mut keyword = |name: &str, value: Option<Value>| {
        schema.extend(value.map(|value| (name.to_owned(), value)));
    };
    keyword("description", input.description.clone().map(Value::from));
    keyword("enum", (!input.choices.is_empty()).then(|| Value::from(input.choices.clone())));
    keyword("pattern", input.pattern.clone().map(Value::from));
    keyword("format", input.format.clone().map(Value::from));
    keyword("minLength", input.min_length.map(Value::from));
    keyword("maxLength", input.max_length.map(Value::from));
    keyword("minimum", input.minimum.map(Value::from));
    keyword("maximum", input.maximum.map(Value::from));
    keyword("default", input.default_value.clone());
    keyword("writeOnly", input.secret.then_some(Value::Bool(true)));
    Value::Object(schema)
}

/// What a text means as a value of this type; a text that is none stays one, and the schema says so.
pub fn typed(kind: InputType, text: &str) -> Value {
    let read = match kind {
        InputType::String => None,
        InputType::Integer => text.trim().parse::<i64>().ok().map(Value::from),
        InputType::Number => {
            let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            number.and_then(serde_json::Number::from_f64).map(Value::Number)
        }
        InputType::Boolean => text.trim().parse::<bool>().ok().map(Value::Bool),
    };
    read.unwrap_or_else(|| Value::from(text))
}

/// A type in words.
pub fn kind_words(kind: InputType) -> &'static str {
    match kind {
        InputType::String => "a text",
        InputType::Number => "a number",
        InputType::Integer => "a whole number",
        InputType::Boolean => "true or false",
    }
}

fn check_value(name: &str, declared: &Input, text: &str) -> Result<(), Failure> {
    let validator = jsonschema::options().should_validate_formats(true).build(&schema_of(declared));
    let validator = validator.map_err(|error| {
        let message = format!("the input `{name}` has no JSON Schema that can be used: {error}");
        Failure::new(ErrorKind::BadFile, message, "mend it under Inputs").at(format!("input {name}"))
    })?;
    let value = typed(declared.kind, text);
    let Err(error) = validator.validate(&value) else { return Ok(()) };
    let keyword = error.kind().keyword().to_owned();
    // A secret is not repeated, wrong or not.
    let message = match (keyword.as_str(), declared.secret) {
        ("type", true) => format!("the input `{name}` must be {}", kind_words(declared.kind)),
        ("type", false) => {
            format!("the input `{name}` must be {}, not `{text}`", kind_words(declared.kind))
        }
        (keyword, true) => format!("the input `{name}` does not fit its `{keyword}`"),
        (_, false) => format!("the input `{name}` does not fit: {error}"),
    };
    Err(Failure::new(ErrorKind::BadInput, message, format!("give it with --input {name}=VALUE"))
        .at(format!("input {name}")))
}

/// Every input that a script declares or asks for.
pub(super) fn names(script: &Script) -> BTreeSet<String> {
    script.inputs.keys().cloned().chain(tokens(script)).collect()
}

/// Every input that the script's values, URLs and checks ask for.
fn tokens(script: &Script) -> BTreeSet<String> {
    let mut texts: Vec<&str> = vec![&script.start_url];
    texts.extend(script.origins.iter().map(String::as_str));
    for step in &script.steps {
        texts.extend(step.action.value.as_deref());
        texts.extend(step.precondition.url_pattern.as_deref());
        texts.extend(step.postcondition.url_pattern.as_deref());
        texts.extend(step.postcondition.value.as_deref());
        texts.extend(step.action.target.iter().map(|target| target.name.as_str()));
    }
    let outcomes = script.outcomes.iter().map(|outcome| &outcome.when);
    let recoverable = script.recoverable.iter().filter_map(|rule| rule.when.as_ref());
    let checkpoints = script.checkpoints.iter().flat_map(|checkpoint| &checkpoint.checks);
    let goal = &script.goal_postconditions;
    for condition in goal.iter().chain(outcomes).chain(recoverable).chain(checkpoints) {
        texts.extend(condition.url_pattern.as_deref());
        texts.extend(condition.name.as_deref());
        texts.extend(condition.text.as_deref());
        texts.extend(condition.value.as_deref());
    }
    let declared = |name: &str| script.inputs.contains_key(name);
    texts
        .into_iter()
        .flat_map(|text| value::pieces(text, declared))
        .filter_map(|piece| match piece {
            value::Piece::Input(name) => Some(name.to_owned()),
            value::Piece::Literal(_) => None,
        })
        .collect()
}

fn known(script: &Script, asked: &BTreeSet<String>) -> String {
    let names: BTreeSet<&str> =
        script.inputs.keys().map(String::as_str).chain(asked.iter().map(String::as_str)).collect();
    if names.is_empty() { "none".into() } else { names.into_iter().collect::<Vec<_>>().join(", ") }
}

fn missing(name: &str, secret: bool) -> Failure {
    let next = if secret {
        format!(
            "give it with --inputs FILE (a JSON object), or with --input {name}=VALUE; it is never stored"
        )
    } else {
        format!("give it with --input {name}=VALUE, or with --inputs FILE")
    };
    Failure::new(ErrorKind::BadInput, format!("the input `{name}` is missing"), next)
        .at(format!("input {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Step};

    fn script() -> Script {
        let mut script = Script { start_url: "http://a/%tenant%".into(), ..Script::default() };
        let input = |kind, required| Input { kind, required, ..Input::default() };
        script.inputs.insert("email".into(), input(InputType::String, true));
        script.inputs.insert("age".into(), input(InputType::Integer, false));
        script.inputs.insert(
            "city".into(),
            Input { default_value: Some("Ulm".into()), ..input(InputType::String, true) },
        );
        script.inputs.insert("pin".into(), Input { secret: true, ..input(InputType::Integer, false) });
        let action = Action { value: Some("%email%".into()), ..Action::default() };
        script.steps.push(Step { action, ..Step::default() });
        script
    }

    fn given(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn given_values_and_defaults_are_taken() {
        let values = check(&script(), &given(&[("email", "a@b"), ("tenant", "t"), ("age", "7")])).unwrap();
        assert_eq!(values["city"].value, "Ulm");
        assert_eq!(values["age"].value, "7");
        assert!(!values.contains_key("pin"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let failure = check(&script(), &given(&[("tenant", "t")])).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::BadInput);
        assert!(failure.message.contains("`email` is missing"), "{}", failure.message);
        let failure = check(&script(), &given(&[("email", "a@b")])).unwrap_err();
        assert!(failure.message.contains("`tenant`"), "an undeclared token is asked for too");
    }

    #[test]
    fn wrong_types_and_unknown_names_are_refused() {
        let base = [("email", "a@b"), ("tenant", "t")];
        let with = |name, value| {
            let mut pairs = base.to_vec();
            pairs.push((name, value));
            check(&script(), &given(&pairs)).unwrap_err()
        };
        assert!(with("age", "seven").message.contains("whole number, not `seven`"));
        assert!(!with("pin", "x7y").message.contains("x7y"), "a secret is not repeated");
        assert!(with("emial", "x").next.contains("email"));
    }

    #[rstest::rstest]
    #[case::pattern(Input { pattern: Some("^[A-Z]{2}$".into()), ..Input::default() }, "DE", "de", "[A-Z]")]
    #[case::choices(Input { choices: vec!["red".into(), "blue".into()], ..Input::default() }, "red", "green", "blue")]
    #[case::format(Input { format: Some("email".into()), ..Input::default() }, "a@b.example", "nobody", "email")]
    #[case::length(Input { min_length: Some(3), ..Input::default() }, "abc", "ab", "3")]
    #[case::least(Input { kind: InputType::Number, minimum: Some(1.5), ..Input::default() }, "2", "1", "1.5")]
    #[case::most(Input { kind: InputType::Integer, maximum: Some(9.0), ..Input::default() }, "9", "10", "9")]
    #[case::truth(Input { kind: InputType::Boolean, ..Input::default() }, "true", "yes", "true or false")]
    fn the_words_of_json_schema_hold(
        #[case] input: Input,
        #[case] good: &str,
        #[case] bad: &str,
        #[case] said: &str,
    ) {
        let mut script = Script::default();
        script.inputs.insert("x".into(), input.clone());
        assert_eq!(check(&script, &given(&[("x", good)])).unwrap()["x"].value, good);
        let failure = check(&script, &given(&[("x", bad)])).unwrap_err();
        assert!(failure.kind == ErrorKind::BadInput && failure.message.contains(said), "{failure:?}");
        script.inputs.insert("x".into(), Input { secret: true, ..input });
        let failure = check(&script, &given(&[("x", bad)])).unwrap_err();
        assert!(
            !failure.message.contains(&format!("`{bad}`"))
                && !failure.message.contains(&format!("\"{bad}\""))
        );
    }

    #[test]
    fn a_schema_that_is_none_is_the_files_fault() {
        let mut script = Script::default();
        script.inputs.insert("x".into(), Input { pattern: Some("(".into()), ..Input::default() });
        assert_eq!(check(&script, &given(&[("x", "a")])).unwrap_err().kind, ErrorKind::BadFile);
    }

    #[test]
    fn a_default_may_be_any_json() {
        let text = r#"{"type": "integer", "default": 3, "minimum": 1}"#;
        let mut script = Script::default();
        script.inputs.insert("n".into(), serde_json::from_str(text).unwrap());
        assert_eq!(check(&script, &given(&[])).unwrap()["n"].value, "3");
        assert_eq!(schema(&script)["properties"]["n"]["minimum"], 1.0);
    }
}
