//! Today's inputs, checked against the script before a browser opens.

use std::collections::{BTreeMap, BTreeSet};

use cairn_core::script::{Input, InputType, Script};
use cairn_core::value;
use cairn_core::wire::page::InputValue;

use crate::exit::{ErrorKind, Failure};

/// The values of a run: given ones, then defaults.
///
/// # Errors
/// `BadInput` for one that is missing, of the wrong type, or unknown to the script.
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
        let value = given.get(name).or(declared.default_value.as_ref());
        match value {
            Some(value) => {
                check_type(name, declared, value)?;
                values.insert(name.clone(), InputValue { value: value.clone(), secret: declared.secret });
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

/// Every input that the script's values, URLs and checks ask for.
fn tokens(script: &Script) -> BTreeSet<String> {
    let mut texts: Vec<&str> = vec![&script.start_url];
    for step in &script.steps {
        texts.extend(step.action.value.as_deref());
        texts.extend(step.precondition.url_pattern.as_deref());
        texts.extend(step.postcondition.url_pattern.as_deref());
        texts.extend(step.postcondition.value.as_deref());
        texts.extend(step.action.target.iter().map(|target| target.name.as_str()));
    }
    let outcomes = script.outcomes.iter().chain(&script.recoverable).map(|outcome| &outcome.when);
    for condition in script.goal_postconditions.iter().chain(outcomes) {
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

fn check_type(name: &str, declared: &Input, value: &str) -> Result<(), Failure> {
    let fits = match declared.kind {
        InputType::String => true,
        InputType::Number => value.trim().parse::<f64>().is_ok_and(f64::is_finite),
        InputType::Integer => value.trim().parse::<i64>().is_ok(),
        InputType::Boolean => matches!(value, "true" | "false"),
    };
    if fits {
        return Ok(());
    }
    let kind = match declared.kind {
        InputType::String => "a text",
        InputType::Number => "a number",
        InputType::Integer => "a whole number",
        InputType::Boolean => "true or false",
    };
    // A secret is not repeated, wrong or not.
    let shown = if declared.secret { String::new() } else { format!(", not `{value}`") };
    Err(Failure::new(
        ErrorKind::BadInput,
        format!("the input `{name}` must be {kind}{shown}"),
        format!("give it with --input {name}=VALUE"),
    )
    .at(format!("input {name}")))
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
}
