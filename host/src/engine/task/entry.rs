//! What a task may remember: a script with exact checks and without any input's value.

use std::collections::BTreeMap;

use cairn_core::redact::Redactor;
use cairn_core::script::{Condition, InputType, Method, Script, Step};
use cairn_core::wire::page::InputValue;
use serde_json::Value;

use crate::engine::record::says_risk;
use crate::model::Act;

/// Values under this many characters stand in other words by chance.
const SHORTEST: usize = 3;

/// Keys whose texts are Cairn's own words.
const OWN: [&str; 7] = ["Method", "Role", "By", "Kind", "Risk", "Input", "type"];

/// Whether success is decided by more than a URL.
pub fn is_exact(checks: &[Condition]) -> bool {
    checks.iter().any(|check| {
        (check.role.is_some() && check.name.is_some())
            || check.text.is_some()
            || check.value.is_some()
            || check.checked.is_some()
            || check.enabled.is_some()
            || check.count.is_some()
            || check.gone == Some(true)
    })
}

/// The input whose value a script still holds. `said`: the goal that the person wrote, in which a value may stand by right.
pub fn holds_value(script: &Script, inputs: &BTreeMap<String, InputValue>) -> Option<String> {
    let json = serde_json::to_value(script).ok()?;
    let secrets = inputs.iter().filter(|(_, input)| input.secret);
    let redactor = Redactor::new(secrets.map(|(name, input)| (name.as_str(), input.value.as_str())));
    if let Some(name) = redactor.finds_json(&json) {
        return Some(name.to_owned());
    }
    inputs
        .iter()
        .filter(|(_, input)| input.value.chars().count() >= SHORTEST)
        .find(|(_, input)| stands(&json, &input.value))
        .map(|(name, _)| name.clone())
}

/// The value stands in a text as a whole delimited word.
fn stands(json: &Value, value: &str) -> bool {
    match json {
        Value::String(text) => text.match_indices(value).any(|(at, found)| {
            let before = text[..at].chars().next_back();
            let after = text[at + found.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        }),
        Value::Array(all) => all.iter().any(|one| stands(one, value)),
        Value::Object(all) => {
            all.iter().any(|(key, one)| !OWN.contains(&key.as_str()) && (stands(one, value)))
        }
        _ => false,
    }
}

/// What a field takes is what its input must be: whoever runs a skill is told before a browser opens. A text that goes elsewhere
/// than into one whole field stays a text.
pub fn type_inputs(script: &mut Script) {
    let Script { inputs, steps, .. } = script;
    for (name, input) in inputs.iter_mut().filter(|(_, input)| input.kind == InputType::String) {
        let token = format!("%{name}%");
        let takes = |step: &Step| step.action.value.as_deref().is_some_and(|value| value.contains(&token));
        let mut fields = steps.iter().filter(|step| takes(step)).map(|step| field_of(step, &token));
        let Some(first) = fields.next().flatten() else { continue };
        if fields.all(|field| field == Some(first)) {
            match first {
                Field::Number => input.kind = InputType::Number,
                Field::Format(format) => input.format = Some(format.to_owned()),
            }
        }
    }
}

/// What a field takes, where that is not just any text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Number,
    /// A `format` of JSON Schema.
    Format(&'static str),
}

fn field_of(step: &Step, token: &str) -> Option<Field> {
    let is_whole = step.action.method == Method::Fill && step.action.value.as_deref() == Some(token);
    let target = step.action.target.as_ref().filter(|_| is_whole)?;
    match target.attributes.get("type").map(String::as_str) {
        Some("number") => Some(Field::Number),
        Some("email") => Some(Field::Format("email")),
        Some("date") => Some(Field::Format("date")),
        Some("url") => Some(Field::Format("uri")),
        _ => None,
    }
}

/// The first step that a call does not allow to be replayed, from 1, with the reason.
pub fn barred(steps: &[Step], only: &[Act], allow_risky: bool) -> Option<(u32, String)> {
    (1_u32..).zip(steps).find_map(|(number, step)| {
        if !allow_risky && says_risk(step, &[]) {
            let name = step.action.target.as_ref().map_or("", |target| target.name.as_str());
            return Some((number, format!("step {number} is called \"{name}\", which is risky")));
        }
        let allowed = only.is_empty() || act_of(step.action.method).is_none_or(|act| only.contains(&act));
        (!allowed).then(|| {
            (
                number,
                format!("step {number} is a {}, which the call does not allow", step.action.method.as_str()),
            )
        })
    })
}

fn act_of(method: Method) -> Option<Act> {
    Some(match method {
        Method::Click => Act::Click,
        Method::Dblclick => Act::Dblclick,
        Method::Hover => Act::Hover,
        Method::Fill | Method::Type => Act::Fill,
        Method::Select => Act::Select,
        Method::Check => Act::Check,
        Method::Uncheck => Act::Uncheck,
        Method::Press => Act::Press,
        Method::Goto => Act::Goto,
        Method::Back => Act::Back,
        Method::Extract => Act::Extract,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Input, Target};

    fn click(name: &str) -> Step {
        let target = Target { role: "button".into(), name: name.into(), ..Target::default() };
        Step { action: Action { target: Some(target), ..Action::default() }, ..Step::default() }
    }

    fn inputs(value: &str, secret: bool) -> BTreeMap<String, InputValue> {
        [("who".to_owned(), InputValue { value: value.into(), secret })].into()
    }

    #[test]
    fn an_entry_that_holds_a_value_is_told_by_the_inputs_name() {
        let script = Script { steps: vec![click("Remove Ada Lovelace")], ..Script::default() };
        assert_eq!(holds_value(&script, &inputs("Ada", false)).as_deref(), Some("who"));
        assert_eq!(holds_value(&script, &inputs("Love", false)), None, "a part of a word");
        assert_eq!(holds_value(&script, &inputs("lace", true)).as_deref(), Some("who"), "a secret, anywhere");
        assert_eq!(holds_value(&script, &inputs("button", false)), None, "our own word");
    }

    #[test]
    fn a_field_tells_the_type_of_its_input() {
        let fill = |value: &str, kind: &str| {
            let attributes = [("type".to_owned(), kind.to_owned())].into();
            let target = Target { role: "textbox".into(), attributes, ..Target::default() };
            let action = Action {
                method: Method::Fill,
                target: Some(target),
                value: Some(value.into()),
                ..Action::default()
            };
            Step { action, ..Step::default() }
        };
        let steps = vec![
            fill("%count%", "number"),
            fill("%day%", "date"),
            fill("%word%", "text"),
            fill("%mail%", "email"),
            fill("for %mail%", "text"),
        ];
        let inputs = ["count", "day", "word", "mail"].map(|name| (name.to_owned(), Input::default()));
        let mut script = Script { steps, inputs: inputs.into(), ..Script::default() };
        type_inputs(&mut script);
        assert_eq!(script.inputs["count"].kind, InputType::Number);
        assert_eq!(script.inputs["day"].format.as_deref(), Some("date"));
        assert_eq!(script.inputs["word"], Input::default());
        assert_eq!(script.inputs["mail"], Input::default(), "it is a part of another text as well");
    }

    #[test]
    fn only_more_than_a_url_is_exact() {
        let url = Condition { url_pattern: Some("http://a/".into()), ..Condition::default() };
        let role = Condition { role: Some("heading".into()), ..Condition::default() };
        assert!(!is_exact(&[url.clone(), role.clone()]));
        assert!(is_exact(&[url, Condition { name: Some("Done".into()), ..role }]));
        assert!(is_exact(&[Condition { text: Some("Saved".into()), ..Condition::default() }]));
    }

    #[test]
    fn what_the_call_does_not_allow_is_not_replayed() {
        let steps = [click("Next"), click("Delete account")];
        let (number, why) = barred(&steps, &[], false).unwrap();
        assert!(number == 2 && why.contains("Delete account"), "{why}");
        assert_eq!(barred(&steps, &[], true), None);
        assert_eq!(barred(&steps, &[Act::Fill], true).unwrap().0, 1);
    }
}
