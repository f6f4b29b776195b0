//! What the probe itself remembered and saw of the applications, kept by `drift_live`: the target as it was recorded on the old
//! version, the whole page as it was read in the new one, and which of its elements is the right one.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use cairn_core::element::Element;
use cairn_core::ladder::{Heal, resolve};
use cairn_core::script::Target;
use cairn_core::snapshot::Snapshot;
use cairn_host::engine::rejudge::StoredPage;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use super::score::{Outcome, Tally};
use super::stored::{DataError, folder, read};
use super::task::Answer;

/// One application's steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LiveFile {
    /// The application.
    pub app: String,
    /// Its steps.
    pub steps: Vec<LiveStep>,
}

/// One step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LiveStep {
    /// As the flow names it.
    pub id: String,
    /// What the recorder would remember on the old version.
    pub target: Target,
    /// Absolute path of the right element in the new one.
    pub right: String,
    /// The new version's page.
    pub snapshot: String,
}

/// Where an application's file lies.
pub fn path(app: &str) -> PathBuf {
    folder().join("live").join(format!("{app}.json.gz"))
}

/// Writes an application's file.
///
/// # Errors
/// Where it cannot be written.
pub fn write(path: &Path, file: &LiveFile) -> std::io::Result<()> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(serde_json::to_string(file)?.as_bytes())?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, packed.finish()?)
}

/// The verdict on one step: with the target there, and with it gone.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Right, wrong or declined.
    pub there: Outcome,
    /// The same where the right element cannot be chosen.
    pub gone: Outcome,
    /// How it was found.
    pub answer: Answer,
}

/// Each step whose outcome is `wanted`, with its target, the right element, and what was taken.
///
/// # Errors
/// A file is missing or cannot be read.
pub fn explain(
    apps: &[&str],
    may_decline: impl Fn(&str, &str) -> bool,
    wanted: Outcome,
) -> Result<String, DataError> {
    let mut text = String::new();
    for app in apps {
        let path = path(app);
        let file: LiveFile = read(&path)?;
        for step in &file.steps {
            let shape = |source| DataError::Shape { path: path.clone(), source };
            let judged = judge(step, may_decline(app, &step.id)).map_err(shape)?;
            if judged.there != wanted && judged.gone != wanted {
                continue;
            }
            let page = StoredPage::new(Snapshot::from_json(&step.snapshot).map_err(shape)?);
            let right = page.index.elements().iter().find(|element| element.path == step.right);
            let picked = judged.answer.pick.and_then(|pick| page.index.get(pick));
            let _ = writeln!(
                text,
                "probe's own pages: {app} {} [{:?}, gone {:?}] {}\n  recorded {}\n  right {}\n  picked {}",
                step.id,
                judged.there,
                judged.gone,
                judged.answer.reason,
                serde_json::json!(step.target),
                serde_json::json!(right),
                serde_json::json!(picked)
            );
        }
    }
    Ok(text)
}

/// Judges one step over its stored page.
///
/// # Errors
/// The stored page cannot be read.
pub fn judge(step: &LiveStep, may_decline: bool) -> Result<Judged, serde_json::Error> {
    let page = StoredPage::new(Snapshot::from_json(&step.snapshot)?);
    let right = page.index.elements().iter().position(|element| element.path == step.right);
    let verdict = resolve(&step.target, &page.index, &page, Heal::Ladder);
    let found = verdict.accepted(0.6);
    let answer = Answer {
        pick: found.map(|found| found.index),
        rung: found.map(|found| found.rung),
        reason: verdict.sentence(),
    };
    let there = match answer.pick {
        pick if pick.is_some() && pick == right => Outcome::Right,
        Some(_) => Outcome::Wrong,
        None if may_decline => Outcome::Right,
        None => Outcome::Declined,
    };
    let gone = right.map_or(Outcome::Right, |right| gone(&step.target, right, page));
    Ok(Judged { there, gone, answer })
}

/// What is done where the right element has been taken out of the page.
fn gone(target: &Target, right: usize, page: StoredPage) -> Outcome {
    let href =
        |element: Option<&Element>| element.and_then(|element| element.attribute("href").map(str::to_owned));
    let was = href(page.index.get(right));
    let without = page.without(right);
    let verdict = resolve(target, &without.index, &without, Heal::Ladder);
    let Some(found) = verdict.accepted(0.6) else { return Outcome::Right };
    let same = was.is_some() && href(without.index.get(found.index)) == was;
    if same { Outcome::Harmless } else { Outcome::Wrong }
}

/// The tallies of all stored steps, with the target there and with it gone.
///
/// # Errors
/// A file is missing or cannot be read.
pub fn tallies(apps: &[&str], may_decline: impl Fn(&str, &str) -> bool) -> Result<(Tally, Tally), DataError> {
    let (mut there, mut gone) = (Tally::default(), Tally::default());
    for app in apps {
        let path = path(app);
        let file: LiveFile = read(&path)?;
        for step in &file.steps {
            let judged = judge(step, may_decline(app, &step.id))
                .map_err(|source| DataError::Shape { path: path.clone(), source })?;
            there.add(judged.there, &judged.answer);
            gone.add(judged.gone, &judged.answer);
        }
    }
    Ok((there, gone))
}
