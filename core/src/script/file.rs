//! Reading and writing a script file: clear errors with their place, unknown keys of the same major kept.

use serde::Deserialize;
use serde_json::Value;

use super::v1::{Script, VERSION};
use super::{Method, Step};

/// A script with what its file held beyond it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptFile {
    /// The script.
    pub script: Script,
    /// Keys that this build does not know, with their place: written back as they were.
    unknown: Vec<(Vec<Place>, Value)>,
}

impl From<Script> for ScriptFile {
    fn from(script: Script) -> Self {
        Self { script, unknown: Vec::new() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Key(String),
    Item(usize),
}

/// Why a script file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReadError {
    /// The kind, for programs.
    pub kind: ReadErrorKind,
    /// What is wrong, and where.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// Line in the file, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// The step that is meant, from 1.
    pub step: Option<usize>,
}

/// The kinds of `ReadError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// No JSON.
    NotJson,
    /// The file ends too early.
    CutOff,
    /// A newer major version.
    NewerVersion,
    /// A method that does not exist.
    UnknownMethod,
    /// JSON of another shape.
    WrongShape,
    /// The shape is right and the content is not: a click without a target, no start URL.
    Unusable,
}

/// Reads a script file's text.
///
/// # Errors
/// See `ReadErrorKind`; each names its place and the next step.
pub fn read(text: &str) -> Result<ScriptFile, ReadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    check_version(text)?;
    let mut unknown_places = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    let script: Script = serde_ignored::deserialize(&mut reader, |path| unknown_places.push(place_of(&path)))
        .map_err(|error| explain(&error, text))?;
    reader.end().map_err(|error| explain(&error, text))?;
    let whole: Value = serde_json::from_str(text).map_err(|error| explain(&error, text))?;
    check_known(&script, &whole)?;
    script.check()?;
    let unknown = unknown_places
        .into_iter()
        .filter_map(|place| value_at(&whole, &place).cloned().map(|value| (place, value)))
        .collect();
    Ok(ScriptFile { script, unknown })
}

/// The text of a script file: PascalCase keys in a fixed order, two spaces, a newline at the end.
pub fn write(file: &ScriptFile) -> String {
    let mut whole = serde_json::to_value(&file.script).unwrap_or_default();
    for (place, value) in &file.unknown {
        put_back(&mut whole, place, value);
    }
    let mut text = serde_json::to_string_pretty(&whole).unwrap_or_default();
    text.push('\n');
    text
}

impl ScriptFile {
    /// Keys that this build does not know, each with its place: `Steps[2].Acton`. They are kept, and nobody looks at them.
    pub fn unknown_keys(&self) -> impl Iterator<Item = String> {
        self.unknown.iter().map(|(place, _)| {
            place.iter().fold(String::new(), |path, part| match part {
                Place::Key(key) if path.is_empty() => key.clone(),
                Place::Key(key) => format!("{path}.{key}"),
                Place::Item(at) => format!("{path}[{at}]"),
            })
        })
    }
}

impl Step {
    /// What the step needs and does not have; a file that holds such a step is refused.
    pub fn lacks(&self) -> Option<String> {
        lacks(self).map(|(what, _)| what)
    }
}

impl Script {
    /// Refuses what no run could play, or what would be played as if it were not there: a check that asks for nothing.
    ///
    /// # Errors
    /// `Unusable` with its place.
    pub fn check(&self) -> Result<(), ReadError> {
        for (number, step) in (1..).zip(&self.steps) {
            if let Some((what, hint)) = lacks(step) {
                return Err(at_step(number, &what, hint));
            }
        }
        if self.start().is_empty() {
            return Err(unplaced(
                ReadErrorKind::Unusable,
                "the script does not say where it starts: neither StartUrl nor the first step's UrlBefore is set"
                    .to_owned(),
                "add \"StartUrl\"".to_owned(),
            ));
        }
        match self.idle_check() {
            Some((place, what)) => Err(unplaced(
                ReadErrorKind::Unusable,
                format!("{place}: {what}"),
                "say what must hold, by Role and Name, Text or UrlPattern; look for a key that is misspelt"
                    .to_owned(),
            )),
            None => Ok(()),
        }
    }

    /// The first check that asks for nothing, or for something that never can be, with its place.
    fn idle_check(&self) -> Option<(String, &'static str)> {
        let goal = (1..).zip(&self.goal_postconditions).map(|(at, one)| (format!("goal check {at}"), one));
        let outcomes = self.outcomes.iter().map(|one| (format!("the outcome `{}`", one.code), &one.when));
        let recoverable = self.recoverable.iter().filter_map(|one| {
            Some((format!("the recoverable condition `{}`", one.code), one.when.as_ref()?))
        });
        let along = self.checkpoints.iter().flat_map(|one| {
            one.checks.iter().map(move |check| (format!("the checkpoint `{}`", one.name), check))
        });
        let unsaid = self.recoverable.iter().find(|one| one.when.is_none() && one.on.is_none());
        let mut all = goal.chain(outcomes).chain(recoverable).chain(along);
        let idle = all.find_map(|(place, check)| Some((place, check.lacks()?)));
        idle.or_else(|| {
            unsaid.map(|one| {
                (format!("the recoverable condition `{}`", one.code), "it has neither When nor On")
            })
        })
    }

    /// Where the run starts: `StartUrl`, else the page of the first step.
    pub fn start(&self) -> &str {
        if self.start_url.is_empty() {
            return self.steps.first().map_or("", |step| {
                if step.action.method == Method::Goto {
                    return step.action.value.as_deref().unwrap_or_default();
                }
                step.url_before.as_str()
            });
        }
        &self.start_url
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct VersionOnly {
    #[serde(default)]
    version: Option<Value>,
}

fn check_version(text: &str) -> Result<(), ReadError> {
    let head: VersionOnly = serde_json::from_str(text).map_err(|error| explain(&error, text))?;
    if !text.trim_start().starts_with('{') {
        return Err(ReadError {
            line: 1,
            column: 1,
            ..unplaced(
                ReadErrorKind::WrongShape,
                "a script is one JSON object; this file holds something else from line 1, column 1 on"
                    .to_owned(),
                "point to a file that `cairn record` wrote".to_owned(),
            )
        });
    }
    let version = match &head.version {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Number(number)) if number.as_u64().is_some() => number.as_u64().unwrap_or_default(),
        Some(other) => {
            return Err(unplaced(
                ReadErrorKind::WrongShape,
                format!("Version is {other}, not a whole number"),
                format!("write \"Version\": {VERSION}"),
            ));
        }
    };
    if version > u64::from(VERSION) {
        return Err(unplaced(
            ReadErrorKind::NewerVersion,
            format!("this script is of version {version}; this build of Cairn reads up to version {VERSION}"),
            format!(
                "update Cairn to a release that reads script version {version}, or record the script again"
            ),
        ));
    }
    if version == 0 {
        return Err(unplaced(
            ReadErrorKind::WrongShape,
            "Version 0 does not exist".to_owned(),
            format!("write \"Version\": {VERSION}"),
        ));
    }
    Ok(())
}

/// What the typed script no longer shows: whether there was one at all, and whether each step says what it does. A step
/// without a method would be played as a click.
fn check_known(script: &Script, whole: &Value) -> Result<(), ReadError> {
    if script.steps.is_empty() && script.start_url.is_empty() && script.goal_postconditions.is_empty() {
        return Err(unplaced(
            ReadErrorKind::Unusable,
            format!(
                "this JSON holds no script: it has neither Steps nor StartUrl nor GoalPostconditions{}",
                foreign(whole)
            ),
            "point to a file that `cairn record` wrote, or record one: cairn record NAME --url URL --out FILE".to_owned(),
        ));
    }
    let steps = whole.get("Steps").and_then(Value::as_array);
    for (number, step) in (1..).zip(steps.into_iter().flatten()) {
        let action = step.get("Action");
        if action.and_then(|action| action.get("Method")).is_none() {
            let what = if action.is_some() { "Action has no Method" } else { "it has no Action" };
            return Err(at_step(number, what, format!("add Action.Method, one of: {}", all_methods())));
        }
    }
    Ok(())
}

/// Whose file it is instead, where its keys tell.
fn foreign(whole: &Value) -> String {
    let has = |keys: &[&str]| keys.iter().all(|key| whole.get(key).is_some());
    let whose = if has(&["title", "steps"]) {
        "a recording of the Chrome DevTools Recorder"
    } else if has(&["tests", "suites"]) {
        "a project of Selenium IDE"
    } else if has(&["Configuration"]) {
        "a test of Cairn: its file is called NAME.test.json"
    } else if has(&["run", "result"]) {
        "the result of a run"
    } else {
        return String::new();
    };
    format!(" (it looks like {whose})")
}

fn at_step(number: usize, what: &str, hint: String) -> ReadError {
    ReadError {
        step: Some(number),
        ..unplaced(ReadErrorKind::Unusable, format!("step {number}: {what}"), hint)
    }
}

/// What a step needs and does not have.
fn lacks(step: &Step) -> Option<(String, String)> {
    let action = &step.action;
    let method = action.method.as_str();
    let needs_target = matches!(
        action.method,
        Method::Click
            | Method::Dblclick
            | Method::Contextmenu
            | Method::Hover
            | Method::Fill
            | Method::Select
            | Method::Check
            | Method::Uncheck
            | Method::Upload
            | Method::Drag
    );
    let needs_value = matches!(action.method, Method::Fill | Method::Type | Method::Press | Method::Goto);
    if needs_target && action.target.is_none() {
        return Some((format!("{method} has no Target"), "add Action.Target with Role and Name".to_owned()));
    }
    if let Some(target) = &action.target
        && target.role.is_empty()
        && target.name.is_empty()
        && target.all_selectors().next().is_none()
    {
        return Some((
            format!("{method} has a Target without Role, Name and Selector"),
            "give at least Role and Name".to_owned(),
        ));
    }
    if needs_value && action.value.is_none() {
        return Some((format!("{method} has no Value"), "add Action.Value".to_owned()));
    }
    if action.method == Method::Select && action.value.is_none() && action.option.is_none() {
        return Some((
            "select has neither Value nor Option".to_owned(),
            "add Action.Value, the option's label".to_owned(),
        ));
    }
    looks(step).or_else(|| oddity(step))
}

/// A step that only looks must say at what: it would pass whatever the page shows.
fn looks(step: &Step) -> Option<(String, String)> {
    let method = step.action.method;
    if !matches!(method, Method::Assert | Method::Wait) {
        return None;
    }
    let hint = "add Check: Role and Name, Text or UrlPattern".to_owned();
    match &step.check {
        None if step.action.target.is_none() => {
            Some((format!("{} has neither a Check nor a Target", method.as_str()), hint))
        }
        None => None,
        Some(check) => check.lacks().map(|what| (format!("the Check of {}: {what}", method.as_str()), hint)),
    }
}

/// Values that would be taken for others, or for none.
fn oddity(step: &Step) -> Option<(String, String)> {
    if let Some(input) = step.input.as_deref().filter(|input| !matches!(*input, "page" | "trusted")) {
        return Some((
            format!("Input is \"{input}\""),
            "write \"page\" or \"trusted\", or leave it out".to_owned(),
        ));
    }
    if step.tab == Some(0) {
        return Some(("Tab is 0".to_owned(), "tabs are counted from 1".to_owned()));
    }
    None
}

fn explain(error: &serde_json::Error, text: &str) -> ReadError {
    let detail = error.to_string();
    let (line, column) = (error.line(), error.column());
    let plain = detail.rsplit_once(" at line ").map_or(detail.as_str(), |(plain, _)| plain);
    let at = |kind, message: String, hint: &str| ReadError {
        kind,
        message,
        hint: hint.to_owned(),
        line,
        column,
        step: None,
    };
    if text.trim().is_empty() {
        return at(
            ReadErrorKind::CutOff,
            "the file is empty".to_owned(),
            "point to a file that `cairn record` wrote",
        );
    }
    if error.is_eof() {
        return at(
            ReadErrorKind::CutOff,
            format!("the file is cut off: it ends in the middle of a value at line {line}, column {column}"),
            "restore the file from version control or a backup, or record the script again",
        );
    }
    if error.is_syntax() {
        return at(
            ReadErrorKind::NotJson,
            format!("this is no JSON: {plain} at line {line}, column {column}"),
            "mend the file at that place, or point to a file that `cairn record` wrote",
        );
    }
    if let Some(name) = plain.strip_prefix("unknown variant `").and_then(|rest| rest.split('`').next())
        && plain.contains("`dblclick`")
    {
        return at(
            ReadErrorKind::UnknownMethod,
            format!("the method \"{name}\" at line {line}, column {column} does not exist"),
            &format!("use one of: {}", all_methods()),
        );
    }
    at(
        ReadErrorKind::WrongShape,
        format!("{plain} at line {line}, column {column}"),
        "mend the value at that place; README.md shows the script format",
    )
}

fn all_methods() -> String {
    Method::ALL.iter().map(|method| method.as_str()).collect::<Vec<_>>().join(", ")
}

fn unplaced(kind: ReadErrorKind, message: String, hint: String) -> ReadError {
    ReadError { kind, message, hint, line: 0, column: 0, step: None }
}

fn place_of(path: &serde_ignored::Path<'_>) -> Vec<Place> {
    use serde_ignored::Path;
    match path {
        Path::Root => Vec::new(),
        Path::Seq { parent, index } => [place_of(parent), vec![Place::Item(*index)]].concat(),
        Path::Map { parent, key } => [place_of(parent), vec![Place::Key(key.clone())]].concat(),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            place_of(parent)
        }
    }
}

fn value_at<'a>(whole: &'a Value, place: &[Place]) -> Option<&'a Value> {
    place.iter().try_fold(whole, |value, part| match part {
        Place::Key(key) => value.get(key),
        Place::Item(index) => value.get(index),
    })
}

fn put_back(whole: &mut Value, place: &[Place], value: &Value) {
    let Some((Place::Key(last), parents)) = place.split_last() else { return };
    let parent = parents.iter().try_fold(whole, |inner, part| match part {
        Place::Key(key) => inner.get_mut(key),
        Place::Item(index) => inner.get_mut(index),
    });
    // The part that held the key may be gone since: then so is the key.
    if let Some(Value::Object(entries)) = parent {
        entries.entry(last.clone()).or_insert_with(|| value.clone());
    }
}
