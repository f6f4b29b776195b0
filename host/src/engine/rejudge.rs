//! The resolver over what a run left behind, or over page files: what would be acted on today, and what changed since.
//!
//! No browser is opened. A stored snapshot answers the recorded selectors itself.

use std::path::{Path, PathBuf};

use cairn_core::candidate;
use cairn_core::element::Element;
use cairn_core::ladder::pages::PageFile;
use cairn_core::ladder::{Heal, Hits, Index, Selectors, Verdict, describe, resolve};
use cairn_core::script::{Script, Target};
use cairn_core::selector;
use cairn_core::snapshot::{NodeId, Snapshot};
use serde::Serialize;
use serde_json::Value;

use crate::exit::{ErrorKind, Failure};

/// Attributes that hold a test id where no configuration says otherwise.
const TEST_IDS: [&str; 4] = ["data-testid", "data-test-id", "data-test", "data-cy"];

/// One target, judged again.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rejudged {
    /// The file that the page comes from.
    pub file: PathBuf,
    /// The step: its number and instruction, or its id in a page file.
    pub step: String,
    /// What is said today, in words.
    pub today: String,
    /// What was said when it ran; `None` where that was not written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// The element that would be acted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// The verdict with rung, confidence, margin and shortlist.
    pub verdict: Verdict,
    /// Today says something else than then; for page files: something else than the file holds for right.
    pub changed: bool,
}

/// The failed step of a run, over the snapshot that was kept of it. `script` is what the run played.
///
/// # Errors
/// `BadFile` where the run's folder lacks what is needed, or holds what cannot be read.
pub fn rejudge_run(folder: &Path, script: &Script) -> Result<Rejudged, Failure> {
    let path = folder.join("snapshot.json");
    let text = read(&path, "only a run that failed keeps a snapshot")?;
    let snapshot = Snapshot::from_json(&text).map_err(|error| unreadable(&path, &error))?;
    let (number, then) = last_divergence(&read(&folder.join("steps.jsonl"), "name the folder of one run")?)
        .ok_or_else(|| {
        bad(&folder.join("steps.jsonl"), "no step of this run diverged", "there is nothing to judge again")
    })?;
    let step = script.steps.get((number as usize).wrapping_sub(1));
    let step = step.ok_or_else(|| {
        let message = format!("the run diverged at step {number}, which the script does not have");
        bad(folder, &message, "name the script that this run played with --script FILE")
    })?;
    let target = step.action.target.as_ref().ok_or_else(|| {
        bad(folder, &format!("step {number} acts on no element"), "there is nothing to judge again")
    })?;
    let page = StoredPage::new(snapshot);
    let verdict = resolve(target, &page.index, &page, Heal::Ladder);
    let changed = then.as_ref().is_some_and(|then| act(then) != act(&verdict));
    Ok(Rejudged {
        file: path,
        step: format!("{number} {}", step.instruction).trim_end().to_owned(),
        today: verdict.sentence(),
        then: then.map(|then| then.sentence()),
        element: element(&verdict, &page.index),
        changed,
        verdict,
    })
}

/// What was done: on which role and name, or nothing.
fn act(verdict: &Verdict) -> Option<(usize, String)> {
    verdict.matched().map(|found| (found.index, format!("{:?}", found.rung)))
}

fn element(verdict: &Verdict, index: &Index) -> Option<Element> {
    verdict.accepted(0.6).and_then(|found| index.get(found.index)).cloned()
}

/// The number of the last step that diverged, and how its target was found then.
fn last_divergence(lines: &str) -> Option<(u64, Option<Verdict>)> {
    let steps = lines.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let diverged = |line: &Value| line["type"] == "step" && line["report"]["status"] == "diverged";
    let step = steps.into_iter().find(diverged)?;
    let found = serde_json::from_value(step["report"]["found"].clone()).ok();
    Some((step["number"].as_u64()?, found))
}

/// A stored snapshot with its index: it answers selectors natively.
pub struct StoredPage {
    snapshot: Snapshot,
    /// What the ladder looks through.
    pub index: Index,
    nodes: Vec<NodeId>,
    test_ids: Vec<String>,
    /// What is taken for gone.
    gone: Option<NodeId>,
}

impl StoredPage {
    /// Of a snapshot.
    pub fn new(snapshot: Snapshot) -> Self {
        let test_ids: Vec<String> = TEST_IDS.iter().map(|name| (*name).to_owned()).collect();
        let options = candidate::Options { test_ids: test_ids.clone(), ..candidate::Options::default() };
        let entries = candidate::entries(&snapshot, &candidate::find(&snapshot), &options);
        Self { index: Index::new(entries.elements), nodes: entries.nodes, snapshot, test_ids, gone: None }
    }

    /// As if the element at this place were not there.
    #[must_use]
    pub fn without(mut self, place: usize) -> Self {
        let mut elements = self.index.elements().to_vec();
        if place < elements.len() {
            elements.remove(place);
            self.gone = Some(self.nodes.remove(place));
            self.index = Index::new(elements);
        }
        self
    }
}

impl Selectors for StoredPage {
    fn hits(&self, selector: &str) -> Hits {
        let mut hits = Hits::default();
        let found = selector::resolve(&self.snapshot, selector, &self.test_ids);
        for node in found.into_iter().filter(|node| Some(*node) != self.gone) {
            match self.nodes.iter().position(|listed| *listed == node) {
                Some(place) => hits.listed.push(place),
                None => hits.others += 1,
            }
        }
        hits
    }
}

/// Each step's target as `before` holds it, found among the elements that `after` holds for the same step.
pub fn rejudge_pages(file: &Path, before: &PageFile, after: &PageFile) -> Vec<Rejudged> {
    let mut judged = Vec::new();
    for step in &before.steps {
        let Some(now) = after.steps.iter().find(|now| now.id == step.id) else { continue };
        let Some(at) = step.right() else { continue };
        let target = recorded(&step.elements(), at);
        let index = Index::new(now.elements());
        let verdict = resolve(&target, &index, &ByPath(&index), Heal::Ladder);
        let picked = verdict.accepted(0.6).map(|found| found.index);
        judged.push(Rejudged {
            file: file.to_owned(),
            step: step.id.clone(),
            today: verdict.sentence(),
            then: None,
            element: element(&verdict, &index),
            changed: picked != now.right(),
            verdict,
        });
    }
    judged
}

fn recorded(elements: &[Element], at: usize) -> Target {
    let selector = format!("xpath={}", elements[at].path);
    Target { selector, ..describe(&Index::new(elements.to_vec()), at) }
}

/// A page file knows absolute paths and no DOM.
struct ByPath<'i>(&'i Index);

impl Selectors for ByPath<'_> {
    fn hits(&self, selector: &str) -> Hits {
        let Some(path) = selector.strip_prefix("xpath=") else { return Hits::default() };
        let elements = self.0.elements().iter().enumerate();
        Hits {
            listed: elements.filter(|(_, element)| element.path == path).map(|(at, _)| at).collect(),
            others: 0,
        }
    }
}

/// Reads a page file.
///
/// # Errors
/// `BadFile` with the place.
pub fn read_pages(path: &Path) -> Result<PageFile, Failure> {
    let text = read(path, "name a page file, or the folder of a run")?;
    serde_json::from_str(&text).map_err(|error| unreadable(path, &error))
}

fn read(path: &Path, next: &str) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| bad(path, &error.to_string(), next))
}

fn unreadable(path: &Path, error: &serde_json::Error) -> Failure {
    bad(path, &format!("this cannot be read: {error}"), "name a page file, or the folder of a run")
}

fn bad(path: &Path, message: &str, next: &str) -> Failure {
    Failure::new(ErrorKind::BadFile, message, next).at(path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Step};

    fn folder(html: &str, lines: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let json = Snapshot::from_html(html).to_json(&str::to_owned, &cairn_core::wire::NUMBERS);
        std::fs::write(folder.path().join("snapshot.json"), json).unwrap();
        std::fs::write(folder.path().join("steps.jsonl"), lines).unwrap();
        folder
    }

    fn script(name: &str) -> Script {
        let target = Target { role: "button".into(), name: name.into(), ..Target::default() };
        let action = Action { target: Some(target), ..Action::default() };
        Script {
            steps: vec![Step { instruction: "Send it".into(), action, ..Step::default() }],
            ..Script::default()
        }
    }

    const DIVERGED: &str = r#"{"type":"step","number":1,"report":{"number":1,"status":"diverged","found":{"lost":{"confidence":0.0,"reason":"nothing matches role+name"}}}}"#;

    #[test]
    fn a_failed_step_is_judged_again_over_its_snapshot() {
        let page = "<!doctype html><body><main><button>Send</button> <button>Cancel</button></main>";
        let kept = folder(page, DIVERGED);
        let judged = rejudge_run(kept.path(), &script("SEND")).unwrap();
        assert_eq!(judged.step, "1 Send it");
        assert_eq!(judged.today, "re-pointed (unique role+name match)");
        assert_eq!(
            judged.then.as_deref(),
            Some("was NOT re-pointed: nothing matches role+name (confidence 0)")
        );
        assert!(judged.changed);
        assert_eq!(judged.element.map(|element| element.name), Some("Send".to_owned()));
        assert!(!rejudge_run(kept.path(), &script("Archive")).unwrap().changed);
    }

    #[test]
    fn what_is_missing_is_named() {
        let kept = folder("<p>", "");
        let failure = rejudge_run(kept.path(), &script("Send")).unwrap_err();
        assert!(failure.message.contains("no step of this run diverged"), "{}", failure.message);
        let failure = rejudge_run(Path::new("/nowhere"), &script("Send")).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::BadFile);
    }

    #[test]
    fn page_files_are_judged_step_by_step() {
        let file = |path: &str, name: &str| -> PageFile {
            let element = format!(
                r#"{{"role":"button","name":"{name}","tag":"BUTTON","xpath":"{path}","box":[0,0,9,9],"usable":true}}"#
            );
            serde_json::from_str(&format!(
                r#"{{"app":"a","steps":[{{"id":"1","target":{element},"cands":[{element}]}}]}}"#
            ))
            .unwrap()
        };
        let (before, moved, gone) = (file("/a", "Send"), file("/b", "SEND:"), file("/a", "Archive"));
        let judged = rejudge_pages(Path::new("p"), &before, &moved);
        assert_eq!(judged[0].today, "re-pointed (unique role+name match)");
        assert!(!judged[0].changed);
        assert!(rejudge_pages(Path::new("p"), &before, &gone)[0].element.is_none());
    }
}
