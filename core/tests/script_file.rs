//! The script file: golden files of every version, and what is said of a file that cannot be used.

use cairn_core::script::{Method, ReadErrorKind, read, write};

const FULL: &str = include_str!("golden/v1_full.json");
const SHORT: &str = include_str!("golden/v1_short.json");

#[test]
fn a_full_script_is_written_as_it_was_read_unknown_keys_too() {
    let file = read(FULL).unwrap();
    assert_eq!(write(&file), FULL);
    assert_eq!(file.script.steps[0].action.method, Method::Fill);
}

#[test]
fn the_short_form_loads_alone() {
    let file = read(SHORT).unwrap();
    let target = file.script.steps[0].action.target.as_ref().unwrap();
    assert_eq!((target.role.as_str(), target.scope.as_deref(), target.twins), ("button", None, None));
    assert_eq!(file.script.start(), "http://localhost:4200/");
    assert_eq!(read(&write(&file)).unwrap(), file);
}

#[test]
fn one_changed_step_changes_its_own_lines_alone() {
    let mut file = read(FULL).unwrap();
    let step = file.script.steps[0].clone();
    file.script.steps.push(step);
    let before = write(&file);
    file.script.steps[1].action.value = Some("other".to_owned());
    let after = write(&file);
    let changed = before.lines().zip(after.lines()).filter(|(a, b)| a != b).count();
    assert_eq!((changed, before.lines().count()), (1, after.lines().count()));
}

#[rstest::rstest]
#[case("", ReadErrorKind::CutOff, "empty")]
#[case("hello", ReadErrorKind::NotJson, "line 1, column 1")]
#[case("{\"Steps\": [", ReadErrorKind::CutOff, "cut off")]
#[case("{\"Steps\": [],}", ReadErrorKind::NotJson, "line 1")]
#[case("{} x", ReadErrorKind::NotJson, "line 1")]
#[case("{\"Version\": 2}", ReadErrorKind::NewerVersion, "version 2")]
#[case("{\"Version\": 7, \"Steps\": 3}", ReadErrorKind::NewerVersion, "version 7")]
#[case("{\"Version\": \"1\"}", ReadErrorKind::WrongShape, "whole number")]
#[case("{}", ReadErrorKind::Unusable, "no script")]
#[case("[]", ReadErrorKind::WrongShape, "line 1")]
#[case("{\"Steps\": 3}", ReadErrorKind::WrongShape, "line 1")]
#[case(
    "{\"StartUrl\":\"http://h/\",\"Steps\":[\n{\"Action\":{\"Method\":\"clik\"}}]}",
    ReadErrorKind::UnknownMethod,
    "\"clik\" at line 2"
)]
#[case(
    "{\"StartUrl\":\"http://h/\",\"Steps\":[{\"Action\":{\"Method\":\"click\"}}]}",
    ReadErrorKind::Unusable,
    "step 1: click has no Target"
)]
#[case(
    "{\"StartUrl\":\"http://h/\",\"Steps\":[{\"Action\":{\"Method\":\"fill\",\"Target\":{\"Role\":\"textbox\"}}}]}",
    ReadErrorKind::Unusable,
    "step 1: fill has no Value"
)]
#[case(
    "{\"Steps\":[{\"Action\":{\"Method\":\"click\",\"Target\":{\"Role\":\"button\"}}}]}",
    ReadErrorKind::Unusable,
    "where it starts"
)]
#[case(
    r#"{"title": "buy", "steps": [{"type": "click", "selectors": [["aria/Buy"]]}]}"#,
    ReadErrorKind::Unusable,
    "Chrome DevTools Recorder"
)]
#[case(r#"{"id": "1", "name": "buy", "suites": [], "tests": []}"#, ReadErrorKind::Unusable, "Selenium IDE")]
#[case(
    r#"{"Name": "buy", "Configuration": {"ReplayScript": null}}"#,
    ReadErrorKind::Unusable,
    "NAME.test.json"
)]
#[case(
    r#"{"StartUrl":"http://h/","Steps":[{"Action":{"Target":{"Role":"button","Name":"Buy"}}}]}"#,
    ReadErrorKind::Unusable,
    "step 1: Action has no Method"
)]
#[case(
    r#"{"StartUrl":"http://h/","Steps":[{"Acton":{}}]}"#,
    ReadErrorKind::Unusable,
    "step 1: it has no Action"
)]
#[case(
    r#"{"StartUrl":"http://h/","Steps":[{"Action":{"Method":"assert"}}]}"#,
    ReadErrorKind::Unusable,
    "step 1: assert has neither a Check nor a Target"
)]
#[case(
    r#"{"StartUrl":"http://h/","Steps":[{"Action":{"Method":"wait"},"Check":{"Txt":"Done"}}]}"#,
    ReadErrorKind::Unusable,
    "step 1: the Check of wait: it asks for nothing"
)]
#[case(
    r#"{"StartUrl":"http://h/","Steps":[{"Action":{"Method":"back"},"Input":"tursted"}]}"#,
    ReadErrorKind::Unusable,
    "step 1: Input is \"tursted\""
)]
#[case(
    r#"{"StartUrl":"http://h/","Steps":[],"GoalPostconditions":[{"Role":"alert"},{"Checked":true}]}"#,
    ReadErrorKind::Unusable,
    "goal check 2: it does not say of which element"
)]
#[case(
    r#"{"StartUrl":"http://h/","Steps":[],"Outcomes":[{"Code":"full","When":{"text":"Sold out"}}]}"#,
    ReadErrorKind::Unusable,
    "the outcome `full`: it asks for nothing"
)]
#[case(
    r#"{"StartUrl":"http://h/","Steps":[],"Recoverable":[{"Code":"busy"}]}"#,
    ReadErrorKind::Unusable,
    "`busy`: it has neither When nor On"
)]
fn what_cannot_be_used_is_explained(#[case] text: &str, #[case] kind: ReadErrorKind, #[case] says: &str) {
    let error = read(text).unwrap_err();
    assert_eq!(error.kind, kind, "{error:?}");
    assert!(error.message.contains(says), "{error:?}");
    assert!(!error.hint.is_empty());
}

#[test]
fn a_key_that_is_misspelt_is_named_with_its_place() {
    let text = r#"{"StartUrl": "http://h/", "Gaol": "x",
        "Steps": [{"Action": {"Method": "back"}}, {"Action": {"Method": "back"}, "Precondition": {"UrlPatern": "*"}}]}"#;
    let file = read(text).unwrap();
    let unknown: Vec<String> = file.unknown_keys().collect();
    assert_eq!(unknown, ["Gaol", "Steps[1].Precondition.UrlPatern"]);
}

proptest::proptest! {
    #[test]
    fn a_cut_file_never_panics_and_never_loads(end in 0_usize..FULL.len() - 2) {
        if FULL.is_char_boundary(end) {
            proptest::prop_assert!(read(&FULL[..end]).is_err());
        }
    }

    #[test]
    fn garbage_never_panics(text in ".{0,200}") {
        let _ = read(&text);
    }
}
