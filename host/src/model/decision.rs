//! What a model may answer: one act on the page, one choice among elements, one judgement. Everything else is no answer.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask::Shape;

/// An answer of a known form.
pub trait Typed: DeserializeOwned {
    /// The form.
    fn shape() -> Shape;
}

/// The ways to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Act {
    /// Press the main button on an element.
    Click,
    /// Twice.
    Dblclick,
    /// Move over an element.
    Hover,
    /// Make a field hold `value`.
    Fill,
    /// Choose the option with the label `value`.
    Select,
    /// Make a box checked.
    Check,
    /// Make a box unchecked.
    Uncheck,
    /// Press the key or chord `value` on an element.
    Press,
    /// Open the URL `value`.
    Goto,
    /// Go back in the tab's history.
    Back,
    /// Read an element's text as the output `value`.
    Extract,
    /// Bring the tab with the number `value` to the front.
    SwitchTab,
    /// Close the tab in front.
    CloseTab,
    /// Say yes to the open dialog; `value` is what a prompt gets.
    AcceptDialog,
    /// Say no to it.
    DismissDialog,
    /// Press the main button at a point of the picture.
    ClickAt,
    /// Type `value` where the focus is.
    TypeText,
    /// See the page again after a moment.
    Wait,
    /// See everything, also what lies outside the viewport.
    ListAll,
    /// See a picture of the page.
    Look,
    /// The goal is reached; `checks` prove it.
    Done,
    /// The goal cannot be reached, for the reason `why`.
    Fail,
}

impl Act {
    /// Acts on an element of the list.
    pub const ON_ELEMENTS: [Self; 9] = [
        Self::Click,
        Self::Dblclick,
        Self::Hover,
        Self::Fill,
        Self::Select,
        Self::Check,
        Self::Uncheck,
        Self::Press,
        Self::Extract,
    ];

    const ALL: [Self; 22] = [
        Self::Click,
        Self::Dblclick,
        Self::Hover,
        Self::Fill,
        Self::Select,
        Self::Check,
        Self::Uncheck,
        Self::Press,
        Self::Goto,
        Self::Back,
        Self::Extract,
        Self::SwitchTab,
        Self::CloseTab,
        Self::AcceptDialog,
        Self::DismissDialog,
        Self::ClickAt,
        Self::TypeText,
        Self::Wait,
        Self::ListAll,
        Self::Look,
        Self::Done,
        Self::Fail,
    ];
}

/// How to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// Why, in a few words.
    #[serde(default)]
    pub why: String,
    /// What is done.
    pub act: Act,
    /// The element's number in the list; -1 where none is meant.
    #[serde(default = "none")]
    pub index: i64,
    /// Text, option, key, URL or output's name.
    #[serde(default)]
    pub value: String,
    /// `clickAt`: pixels from the left of the picture.
    #[serde(default)]
    pub x: f64,
    /// `clickAt`: pixels from its top.
    #[serde(default)]
    pub y: f64,
    /// `done`: what can be seen on the page because the goal is reached.
    #[serde(default)]
    pub checks: Vec<Claim>,
}

fn none() -> i64 {
    -1
}

/// Something that can be seen on the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Claim {
    /// Role of an element.
    pub role: String,
    /// Its name.
    pub name: String,
    /// Text that the page, or that element, shows.
    pub text: String,
    /// The element's value.
    pub value: String,
    /// It is not there.
    pub gone: bool,
}

impl Typed for Decision {
    fn shape() -> Shape {
        let claim = object(&json!({
            "role": {"type": "string"}, "name": {"type": "string"}, "text": {"type": "string"},
            "value": {"type": "string"}, "gone": {"type": "boolean"}
        }));
        let schema = object(&json!({
            "why": {"type": "string", "description": "why, in at most 20 words"},
            "act": {"type": "string", "enum": Act::ALL},
            "index": {"type": "integer", "description": "number of the element in the list, -1 for none"},
            "value": {"type": "string", "description": "text, option, key, URL or output; empty for none"},
            "x": {"type": "number", "description": "clickAt only, else 0"},
            "y": {"type": "number", "description": "clickAt only, else 0"},
            "checks": {"type": "array", "items": claim, "description": "done only, else empty"}
        }));
        Shape { name: "decision", schema }
    }
}

/// One element out of several, or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// Its number in the list; -1 where none is the one that is meant.
    pub index: i64,
    /// Why, in a few words.
    #[serde(default)]
    pub why: String,
}

impl Typed for Choice {
    fn shape() -> Shape {
        let schema = object(&json!({
            "index": {"type": "integer", "description": "number of the element in the list, -1 where none of them is the one"},
            "why": {"type": "string", "description": "why, in at most 20 words"}
        }));
        Shape { name: "choice", schema }
    }
}

/// Whether a run did what it was for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agreement {
    /// It did.
    pub agrees: bool,
    /// Why, in a few words.
    #[serde(default)]
    pub why: String,
}

impl Typed for Agreement {
    fn shape() -> Shape {
        let schema = object(&json!({
            "agrees": {"type": "boolean", "description": "the goal is reached"},
            "why": {"type": "string", "description": "why, in at most 20 words"}
        }));
        Shape { name: "agreement", schema }
    }
}

/// Every key is required: some providers take no schema with optional ones.
fn object(properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().map(|keys| keys.keys().collect()).unwrap_or_default();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// Reads an answer: the first JSON object in the text, which may stand in a fence or between words.
///
/// # Errors
/// A sentence for the model: what is wrong with its answer.
pub(super) fn read<T: Typed>(text: &str) -> Result<T, String> {
    let start = text.find('{').ok_or("it holds no JSON object")?;
    let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let value = match stream.next() {
        Some(Ok(value)) => value,
        Some(Err(error)) if error.is_eof() => return Err("its JSON ends too early".into()),
        Some(Err(error)) => return Err(format!("it is no JSON: {error}")),
        None => return Err("it holds no JSON object".into()),
    };
    serde_json::from_value(value).map_err(|error| format!("its form is wrong: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_may_stand_in_a_fence_and_between_words() {
        let decision: Decision =
            read("Sure:\n```json\n{\"why\": \"next\", \"act\": \"click\", \"index\": 3}\n```\nDone.")
                .unwrap();
        assert_eq!((decision.act, decision.index, decision.value.as_str()), (Act::Click, 3, ""));
    }

    #[test]
    fn what_is_no_answer_says_why() {
        for (text, why) in [
            ("I would click Save.", "no JSON object"),
            ("{\"act\": \"click\", \"ind", "ends too early"),
            ("{\"act\": \"explode\", \"index\": 1}", "form is wrong"),
            ("{\"index\": 1}", "form is wrong"),
            ("{act: click}", "no JSON"),
        ] {
            let said = read::<Decision>(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }

    #[test]
    fn every_act_stands_in_the_schema() {
        let schema = Decision::shape().schema;
        let named = schema["properties"]["act"]["enum"].as_array().unwrap().len();
        assert_eq!(named, Act::ALL.len());
        assert_eq!(schema["required"].as_array().unwrap().len(), 7);
    }
}
