//! Script and test files as people name them, with errors that show the place.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cairn_core::script::{ReadError, ScriptFile, read};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode, SourceSpan,
};
use serde_json::Value;

use super::output::warn;
use crate::engine::api::TestUpload;
use crate::engine::test_file::TestFile;
use crate::exit::{ErrorKind, Failure};

/// Reads a script file.
///
/// # Errors
/// `BadFile` with line, column and the text around it.
pub(super) fn script(path: &Path) -> Result<ScriptFile, Failure> {
    let text = content(path)?;
    read(&text).map_err(|error| explain(path, &text, &error))
}

/// As `script`, for one that is about to be used: a key that is misspelt does nothing, and a check that has one checks less than
/// its author means.
///
/// # Errors
/// As `script`.
pub(super) fn script_to_use(path: &Path) -> Result<ScriptFile, Failure> {
    let file = script(path)?;
    for key in file.unknown_keys() {
        warn(&format!("{}: {key} is no key of a script: it is kept, and does nothing", path.display()));
    }
    Ok(file)
}

/// A test file with its scripts.
#[derive(Debug)]
pub(super) struct ReadTest {
    /// The test.
    pub(super) test: TestFile,
    /// As the store takes it.
    pub(super) upload: TestUpload,
}

/// Reads a `NAME.test.json` and the script files it names.
///
/// # Errors
/// `BadFile` with the place.
pub(super) fn test(path: &Path) -> Result<ReadTest, Failure> {
    let content = content(path)?;
    let mut test: TestFile = serde_json::from_str(&content).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = format!("this is no test file: {error}{}", around(path, &content, line, column));
        Failure::new(ErrorKind::BadFile, message, "mend the file at that place").at(place(path, line, column))
    })?;
    if test.name.is_empty() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.trim_end_matches(".test.json").clone_into(&mut test.name);
    }
    let promoted = slot(path, &test.configuration.replay_script)?;
    let pending = slot(path, &test.configuration.pending_replay_script)?;
    // The scripts have slots of their own; all else of the file is kept, unknown keys too.
    let mut whole: Value = serde_json::from_str(&content).unwrap_or_default();
    if let Some(configuration) = whole.get_mut("Configuration").and_then(Value::as_object_mut) {
        configuration.remove("ReplayScript");
        configuration.remove("PendingReplayScript");
    }
    let upload = TestUpload { definition: whole.to_string(), promoted, pending };
    Ok(ReadTest { test, upload })
}

/// A slot's script as text: `@file:PATH` beside the test file, the script itself, or nothing.
fn slot(test_file: &Path, value: &Value) -> Result<Option<String>, Failure> {
    let bad = |message: String| {
        let next = "write \"@file:scripts/NAME.json\", the script itself, or null";
        Err(Failure::new(ErrorKind::BadFile, message, next).at(test_file.display().to_string()))
    };
    let file = match value {
        Value::Null => return Ok(None),
        Value::String(text) => match text.strip_prefix("@file:") {
            Some(file) => {
                let path = test_file.parent().unwrap_or(Path::new("")).join(file);
                script_to_use(&path)?
            }
            None => return bad(format!("`{text}` names no script")),
        },
        Value::Object(_) => {
            let text = value.to_string();
            match read(&text) {
                Ok(file) => file,
                Err(error) => return bad(format!("the script in the test file: {}", error.message)),
            }
        }
        _ => return bad("a script slot holds something that is no script".into()),
    };
    Ok(Some(cairn_core::script::write(&file)))
}

/// `--input NAME=VALUE` and `--inputs FILE`; flags win.
///
/// # Errors
/// `BadInput`, `BadFile`.
pub(super) fn inputs(flags: &[String], file: Option<&Path>) -> Result<BTreeMap<String, String>, Failure> {
    let mut inputs = match file {
        Some(file) => inputs_file(file)?,
        None => BTreeMap::new(),
    };
    for flag in flags {
        let Some((name, value)) = flag.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            // The whole flag may be a secret that was meant as a value.
            return Err(Failure::new(
                ErrorKind::BadInput,
                "an --input has no name",
                "write --input NAME=VALUE",
            ));
        };
        inputs.insert(name.to_owned(), value.to_owned());
    }
    Ok(inputs)
}

fn inputs_file(path: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let text = content(path)?;
    let bad = |message: String, at: String| {
        Failure::new(ErrorKind::BadInput, message, "write one JSON object: {\"name\": \"value\"}").at(at)
    };
    let read: BTreeMap<String, Value> = serde_json::from_str(&text).map_err(|error| {
        // The text around it is not shown: it may hold a secret.
        bad(format!("the inputs cannot be read: {error}"), place(path, error.line(), error.column()))
    })?;
    read.into_iter()
        .map(|(name, value)| match value {
            Value::String(text) => Ok((name, text)),
            Value::Number(number) => Ok((name, number.to_string())),
            Value::Bool(truth) => Ok((name, truth.to_string())),
            _ => Err(bad(
                format!("the input `{name}` is neither a text, a number nor true or false"),
                path.display().to_string(),
            )),
        })
        .collect()
}

fn content(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| {
        let next = match error.kind() {
            std::io::ErrorKind::NotFound => "check the path; `cairn scripts list` names the stored tests",
            std::io::ErrorKind::InvalidData => {
                "point to a file that `cairn record` wrote; this one is no UTF-8"
            }
            _ => "check the path and its permissions",
        };
        Failure::new(ErrorKind::BadFile, format!("the file cannot be read: {error}"), next)
            .at(path.display().to_string())
    })
}

/// A script's error with the text around its place.
fn explain(path: &Path, text: &str, error: &ReadError) -> Failure {
    let message = format!("{}{}", error.message, around(path, text, error.line, error.column));
    let at = match error.step {
        Some(step) if error.line == 0 => format!("{}, step {step}", path.display()),
        _ => place(path, error.line, error.column),
    };
    Failure::new(ErrorKind::BadFile, message, error.hint.clone()).at(at)
}

fn place(path: &Path, line: usize, column: usize) -> String {
    if line == 0 { path.display().to_string() } else { format!("{}:{line}:{column}", path.display()) }
}

/// The lines around a place, with a mark under it; nothing where there is no place to show.
fn around(path: &Path, text: &str, line: usize, column: usize) -> String {
    let Some(shown) = line.checked_sub(1).and_then(|before| text.lines().nth(before)) else {
        return String::new();
    };
    // A file in one line of a megabyte is not shown, its place is.
    if shown.len() > 400 {
        return String::new();
    }
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let at = floor_char(text, start + column.saturating_sub(1).min(shown.len()));
    let excerpt = Excerpt {
        source: NamedSource::new(path.display().to_string(), text.to_owned()),
        span: SourceSpan::new(at.into(), 0),
    };
    let mut rendered = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_context_lines(2);
    if handler.render_report(&mut rendered, &excerpt).is_err() {
        return String::new();
    }
    let lines: Vec<&str> =
        rendered.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
    // The first line repeats the empty message.
    let body: Vec<&str> = lines.into_iter().filter(|line| !line.trim_start().starts_with('×')).collect();
    format!("\n{}", body.join("\n"))
}

fn floor_char(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A place in a file, for miette.
#[derive(Debug)]
struct Excerpt {
    source: NamedSource<String>,
    span: SourceSpan,
}

impl std::fmt::Display for Excerpt {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Excerpt {}

impl Diagnostic for Excerpt {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_with_span(Some("here".into()), self.span);
        Some(Box::new(std::iter::once(label)))
    }
}

/// A path made absolute, for a daemon that stands in another folder.
///
/// # Errors
/// `Usage` where it has no path.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| {
        Failure::new(ErrorKind::Usage, format!("the file has no path: {error}"), "give a path that exists")
            .at(path.display().to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_mistake_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.json");
        fs::write(&path, "{\n  \"Goal\": \"x\"\n  \"StartUrl\": \"y\"\n}\n").unwrap();
        let failure = script(&path).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::BadFile);
        assert!(failure.place.ends_with("bad.json:3:3"), "{}", failure.place);
        assert!(failure.message.contains("\"StartUrl\""), "{}", failure.message);
        assert!(failure.message.contains("here"), "{}", failure.message);
    }

    #[test]
    fn a_test_file_brings_its_scripts() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("scripts")).unwrap();
        fs::write(folder.path().join("scripts/a.json"), r#"{"StartUrl": "http://a/", "Steps": []}"#).unwrap();
        let path = folder.path().join("a.test.json");
        let text = r#"{"Goal": "g", "Own": 1, "Configuration": {"ReplayScript": "@file:scripts/a.json", "PendingReplayScript": null}}"#;
        fs::write(&path, text).unwrap();
        let read = test(&path).unwrap();
        assert_eq!(read.test.name, "a");
        assert!(read.upload.promoted.unwrap().contains("http://a/"));
        assert!(read.upload.definition.contains("\"Own\":1"), "unknown keys are kept");
        assert!(!read.upload.definition.contains("@file"));
    }

    #[test]
    fn inputs_come_from_flags_and_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inputs.json");
        fs::write(&path, r#"{"age": 7, "ok": true, "name": "file"}"#).unwrap();
        let inputs = inputs(&["name=a=b".to_owned()], Some(&path)).unwrap();
        assert_eq!(
            (inputs["age"].as_str(), inputs["ok"].as_str(), inputs["name"].as_str()),
            ("7", "true", "a=b")
        );
        assert!(super::inputs(&["nothing".to_owned()], None).is_err());
    }
}
