//! What extract steps read, as the typed outputs that the script declares.

use std::collections::BTreeMap;

use cairn_core::script::{InputType, Method, Output, Script};
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::inputs::{kind_words, typed};
use super::lines::clean;
use crate::exit::{ErrorKind, Failure};

/// An output that is not what was declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// The step that read it; `None` where none did.
    pub step: Option<u32>,
    /// What was declared, in words.
    pub expected: String,
    /// What was read, in words.
    pub observed: String,
}

/// Refuses declarations that no text could meet, before a browser opens.
///
/// # Errors
/// `BadFile` with the output's name.
pub fn check(script: &Script) -> Result<(), Failure> {
    for (name, output) in &script.outputs {
        let Some(pattern) = &output.pattern else { continue };
        if let Err(error) = regex(pattern) {
            let message = format!("the `match` of the output `{name}` is no regular expression: {error}");
            return Err(Failure::new(ErrorKind::BadFile, message, "mend it under Outputs")
                .at(format!("output {name}")));
        }
    }
    Ok(())
}

/// A regular expression over what a page shows. It takes time in proportion to the text, whatever it says; what would need
/// much memory is refused.
///
/// # Errors
/// Why it is none, in words.
pub fn regex(pattern: &str) -> Result<Regex, String> {
    let made = RegexBuilder::new(pattern).size_limit(MOST_REGEX).dfa_size_limit(MOST_REGEX).build();
    made.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "it would repeat too much".to_owned(),
        error => error.to_string(),
    })
}

/// Bytes that a compiled regular expression may have.
const MOST_REGEX: usize = 1 << 20;

/// Declared outputs that no step reads.
pub fn unread(script: &Script) -> impl Iterator<Item = &str> {
    let read = |name: &str| (1..=script.steps.len() as u32).any(|at| reads(script, at) == Some(name));
    script.outputs.keys().map(String::as_str).filter(move |name| !read(name))
}

/// The name of the output that a step reads.
fn reads(script: &Script, number: u32) -> Option<&str> {
    let step = script.steps.get(number.checked_sub(1)? as usize)?;
    let name = step.action.value.as_deref().filter(|name| !name.is_empty());
    name.filter(|_| step.action.method == Method::Extract)
}

/// All outputs that were read. An undeclared one is a text.
///
/// # Errors
/// The first one that is not of its type.
pub fn read(
    script: &Script,
    extracted: &BTreeMap<u32, String>,
) -> (BTreeMap<String, Value>, Option<Misread>) {
    let mut outputs = BTreeMap::new();
    let mut misread = None;
    for (number, text) in extracted {
        let name = reads(script, *number).map_or_else(|| format!("step{number}"), str::to_owned);
        match script.outputs.get(&name).map_or(Ok(Value::from(text.clone())), |output| one(output, text)) {
            Ok(value) => {
                outputs.insert(name, value);
            }
            Err(expected) => {
                // It may be the text of a whole page.
                let observed = format!("\u{201c}{}\u{201d}", clean(text));
                let expected = format!("the output {name} is {expected}");
                misread.get_or_insert(Misread { step: Some(*number), expected, observed });
            }
        }
    }
    (outputs, misread)
}

/// Outputs that were read by name; one that is not of its type stays a text.
pub fn named(script: &Script, extracted: &BTreeMap<String, String>) -> BTreeMap<String, Value> {
    let value = |(name, text): (&String, &String)| {
        let typed = script.outputs.get(name).and_then(|output| one(output, text).ok());
        (name.clone(), typed.unwrap_or_else(|| Value::from(text.clone())))
    };
    extracted.iter().map(value).collect()
}

/// One output from the text that was read; the error says what it should have been.
pub fn one(output: &Output, text: &str) -> Result<Value, String> {
    let mut found = text;
    if let Some(pattern) = &output.pattern {
        let groups = regex(pattern).ok().and_then(|regex| regex.captures(text));
        let group = groups.and_then(|groups| groups.get(1).or_else(|| groups.get(0)));
        found = group.map(|group| group.as_str()).ok_or_else(|| format!("what {pattern} matches"))?;
    }
    let value = match output.kind {
        InputType::Number | InputType::Integer => typed(output.kind, &plain_number(found)),
        kind => typed(kind, found),
    };
    let fits = match output.kind {
        InputType::String => true,
        InputType::Integer | InputType::Number => value.is_number(),
        InputType::Boolean => value.is_boolean(),
    };
    if fits { Ok(value) } else { Err(kind_words(output.kind).to_owned()) }
}

/// A number as pages write it: currency signs and thousands' separators go, a decimal comma becomes a point. Only what
/// can be read in one way is changed: the last of two kinds of separators is the decimal one, a lone one followed by
/// exactly three digits parts thousands where another like it stands, else it stays what it is.
fn plain_number(text: &str) -> String {
    let kept: String = text
        .chars()
        .filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | '\u{2212}'))
        .collect();
    let kept = kept.replace('\u{2212}', "-");
    let letters = text.chars().any(char::is_alphabetic);
    if kept.is_empty() || letters && text.trim().parse::<f64>().is_err() && !is_currency(text) {
        return text.to_owned();
    }
    let (points, commas) = (kept.matches('.').count(), kept.matches(',').count());
    match (points, commas) {
        (_, 0) if points <= 1 => kept,
        (_, 0) => kept.replace('.', ""),
        (0, 1) => {
            let decimals = kept.split(',').next_back().map_or(0, str::len);
            if decimals == 3 { kept.replace(',', "") } else { kept.replace(',', ".") }
        }
        (0, _) => kept.replace(',', ""),
        _ if kept.rfind('.') > kept.rfind(',') => kept.replace(',', ""),
        _ => kept.replace('.', "").replace(',', "."),
    }
}

/// `EUR 12.50`, `12,50 kr.`: one short word of letters beside the number.
fn is_currency(text: &str) -> bool {
    let words: Vec<&str> =
        text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).collect();
    words.len() == 1 && words[0].chars().filter(|c| c.is_alphabetic()).count() <= 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Step};
    use rstest::rstest;
    use serde_json::json;

    fn script(output: Output) -> Script {
        let action = Action { method: Method::Extract, value: Some("x".into()), ..Action::default() };
        let mut script = Script { steps: vec![Step { action, ..Step::default() }], ..Script::default() };
        script.outputs.insert("x".into(), output);
        script
    }

    fn output(kind: InputType, pattern: Option<&str>) -> Output {
        Output { kind, pattern: pattern.map(str::to_owned), description: None }
    }

    #[rstest]
    #[case::text(output(InputType::String, None), " Order 17 ", Some(json!(" Order 17 ")))]
    #[case::group(output(InputType::Integer, Some(r"Order (\d+)")), "Order 17 placed", Some(json!(17)))]
    #[case::whole(output(InputType::String, Some(r"[A-Z]\d+")), "no A17.", Some(json!("A17")))]
    #[case::no_match(output(InputType::String, Some("Order")), "Nothing", None)]
    #[case::money(output(InputType::Number, None), "€ 1.234,50", Some(json!(1234.5)))]
    #[case::dollars(output(InputType::Number, None), "$1,234.50", Some(json!(1234.5)))]
    #[case::thousand(output(InputType::Integer, None), "1,234", Some(json!(1234)))]
    #[case::comma(output(InputType::Number, None), "12,5", Some(json!(12.5)))]
    #[case::word(output(InputType::Number, None), "EUR 12.50", Some(json!(12.5)))]
    #[case::sentence(output(InputType::Number, None), "item 7 of the list", None)]
    #[case::no_number(output(InputType::Integer, None), "soon", None)]
    #[case::fraction(output(InputType::Integer, None), "1.5", None)]
    #[case::truth(output(InputType::Boolean, None), "true", Some(json!(true)))]
    fn texts_become_values(#[case] output: Output, #[case] text: &str, #[case] expected: Option<Value>) {
        let (outputs, misread) = read(&script(output), &BTreeMap::from([(1, text.to_owned())]));
        assert_eq!(outputs.get("x").cloned(), expected);
        assert_eq!(misread.is_some(), expected.is_none());
    }

    #[test]
    fn what_cannot_be_met_is_said_beforehand() {
        assert!(check(&script(output(InputType::String, Some("(")))).is_err());
        let mut unmet = script(Output::default());
        unmet.outputs.insert("never".into(), Output::default());
        assert_eq!(unread(&unmet).collect::<Vec<_>>(), ["never"]);
    }
}
