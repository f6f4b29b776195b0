//! Whatever is read from outside: it is refused in words, never by a panic. More cases: `PROPTEST_CASES=1000000`.

use std::collections::BTreeMap;

use cairn_core::script::{self, Script, ScriptFile};
use cairn_core::wire::page::{FromPage, InputValue, ToPage};
use cairn_core::wire::worker::{FromWorker, ToWorker};
use cairn_core::{url_pattern, value};
use proptest::prelude::*;
use serde_json::Value;

const SCRIPT: &str = r#"{"Version": 1, "Goal": "g", "StartUrl": "http://a/%who%", "Inputs": {"who": {"type": "string", "required": true}},
  "Steps": [{"Instruction": "i", "UrlBefore": "http://a/", "Action": {"Method": "fill", "Value": "%who% 100%%",
    "Target": {"Role": "textbox", "Name": "N", "Selectors": ["id=n", "css=#n"], "Frame": [], "Twins": 2, "Ordinal": 1,
    "BoundingBox": {"XMin": 1, "YMin": 2, "XMax": 3, "YMax": 4}}},
    "Precondition": {"WaitForTarget": true, "UrlPattern": "http://a/**"}, "Postcondition": {"Value": "%who%"},
    "Effect": {"Appeared": [{"Role": "menu", "Name": "M"}]}, "Sends": true}],
  "GoalPostconditions": [{"Role": "heading", "Name": "Done", "Count": 1}],
  "Outcomes": [{"Code": "c", "When": {"Text": "No"}}], "Recoverable": [{"Code": "r", "On": "serverError"}],
  "Checkpoints": [{"Name": "k", "After": 1, "Checks": [{"Gone": true, "Role": "alert"}]}], "Mine": {"kept": [1, null]}}"#;

/// Any JSON of a modest size.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[A-Za-z]{1,8}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Puts `new` in the place of the value that `path` leads to; each number chooses among what is there.
fn mutate(value: &mut Value, path: &[usize], new: Value) {
    let Some((first, rest)) = path.split_first() else {
        *value = new;
        return;
    };
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            let at = first % entries.len();
            if let Some((_, inner)) = entries.iter_mut().nth(at) {
                mutate(inner, rest, new);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = first % items.len();
            mutate(&mut items[at], rest, new);
        }
        other => *other = new,
    }
}

fn inputs() -> BTreeMap<String, InputValue> {
    [("who".to_owned(), InputValue { value: "%who% é".into(), secret: true })].into()
}

proptest! {
    #[test]
    fn a_script_of_any_text_is_read_or_refused(text in ".{0,200}") {
        if let Err(error) = script::read(&text) {
            prop_assert!(!error.message.is_empty() && !error.hint.is_empty());
        }
    }

    #[test]
    fn a_script_of_any_bytes_cut_anywhere_is_read_or_refused(cut in 0_usize..1400, byte in any::<u8>()) {
        let mut bytes = SCRIPT.as_bytes().to_vec();
        let at = cut % bytes.len();
        bytes[at] = byte;
        let whole = String::from_utf8_lossy(&bytes).into_owned();
        let _ = script::read(&whole);
        let cut: String = whole.chars().take(at).collect();
        prop_assert!(script::read(&cut).is_err(), "half a script is none");
    }

    #[test]
    fn a_script_with_anything_in_any_place_is_read_or_refused(
        path in prop::collection::vec(any::<usize>(), 0..6), new in json()
    ) {
        let mut whole: Value = serde_json::from_str(SCRIPT).unwrap();
        mutate(&mut whole, &path, new);
        if let Ok(file) = script::read(&whole.to_string()) {
            let written = script::write(&file);
            let again = script::read(&written).map_err(|error| TestCaseError::fail(error.message))?;
            prop_assert_eq!(&again.script, &file.script, "what is written is what was read");
            prop_assert_eq!(script::write(&again), written, "and nothing of it gets lost");
        }
    }

    #[test]
    fn messages_of_any_text_are_read_or_refused(text in "\\PC{0,200}") {
        let _ = serde_json::from_str::<ToPage>(&text);
        let _ = serde_json::from_str::<FromPage>(&text);
        let _ = serde_json::from_str::<ToWorker>(&text);
        let _ = serde_json::from_str::<FromWorker>(&text);
    }

    #[test]
    fn messages_of_any_json_are_read_or_refused(value in json(), tag in "[a-z]{3,8}", id in any::<u64>()) {
        for shaped in [
            serde_json::json!({"type": tag, "id": id, "event": value, "call": value, "message": value}),
            serde_json::json!({"id": id, "request": {&tag: value}, "answer": {&tag: value}}),
            serde_json::json!({"event": {"step": {"run": "r", "report": value}}}),
            serde_json::json!({"id": id, "request": {"play": value}}),
            serde_json::json!({"id": id, "request": {"configure": value}}),
        ] {
            let text = shaped.to_string();
            let _ = serde_json::from_str::<ToPage>(&text);
            let _ = serde_json::from_str::<FromPage>(&text);
            let _ = serde_json::from_str::<ToWorker>(&text);
            let _ = serde_json::from_str::<FromWorker>(&text);
        }
    }

    #[test]
    fn tokens_of_any_text_are_expanded_once_or_refused(text in "[%a-z0-9é €/.?*-]{0,80}") {
        let inputs = inputs();
        if let Ok(expanded) = value::expand(&text, &inputs) {
            // What an input's value holds is text: escaped, it comes out as it went in.
            prop_assert_eq!(value::expand(&value::escape(&expanded), &inputs).ok(), Some(expanded));
        }
        let _ = url_pattern::matches(&text, "http://a/b?c#d", &inputs);
        let _ = url_pattern::generalise_with(&text, &inputs);
        let _ = value::templatize(&text, &inputs);
    }
}

#[test]
fn the_whole_script_is_kept() {
    let file: ScriptFile = script::read(SCRIPT).unwrap();
    assert_ne!(file.script, Script::default());
    assert!(script::write(&file).contains("\"kept\""));
}
