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
fn what_cannot_be_used_is_explained(#[case] text: &str, #[case] kind: ReadErrorKind, #[case] says: &str) {
    let error = read(text).unwrap_err();
    assert_eq!(error.kind, kind, "{error:?}");
    assert!(error.message.contains(says), "{error:?}");
    assert!(!error.hint.is_empty());
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
