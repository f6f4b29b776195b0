//! Recordings whose process died: what was captured is in the journal, and becomes a script all the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use cairn_core::script::Script;
use cairn_core::wire::page::Captured;
use serde::{Deserialize, Serialize};

use super::draft::{self, Head};
use crate::exit::Failure;
use crate::store::{JournalEntry, JournalKind, RecordingState, Store};

/// A recording that did not come to its end.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unfinished {
    /// Its id.
    pub recording: String,
    /// The test's name.
    pub name: String,
    /// Start, RFC 3339.
    pub started_at: String,
    /// What was captured.
    pub script: Script,
}

/// Every recording that nobody makes any more and nobody finished, newest first. They are marked as interrupted.
/// `under_way`: those that this process makes now.
///
/// # Errors
/// Where the store fails.
pub async fn unfinished(store: &Arc<dyn Store>, under_way: &[String]) -> Result<Vec<Unfinished>, Failure> {
    let mut found = Vec::new();
    for recording in store.unfinished_recordings().await? {
        if recording.state == RecordingState::Open {
            if under_way.contains(&recording.id) || lives(recording.owner) {
                continue;
            }
            store.set_recording(&recording.id, RecordingState::Interrupted).await?;
        }
        let journal = store.journal_of(&recording.id).await?;
        let (head, steps) = replayed(&journal);
        let (script, _) = draft::script(&head, &steps);
        found.push(Unfinished {
            recording: recording.id,
            name: recording.name,
            started_at: recording.started_at,
            script,
        });
    }
    Ok(found)
}

/// A journal's last word on each step, in the order in which the steps began.
fn replayed(journal: &[JournalEntry]) -> (Head, Vec<Captured>) {
    let mut head = Head::default();
    let mut steps: BTreeMap<u32, Captured> = BTreeMap::new();
    for entry in journal {
        match entry.kind {
            JournalKind::Head => {
                if let Ok(read) = serde_json::from_str(&entry.body) {
                    head = read;
                }
            }
            JournalKind::Step => {
                if let Ok(read) = serde_json::from_str(&entry.body) {
                    steps.insert(entry.step, read);
                }
            }
            JournalKind::Retracted => {
                steps.remove(&entry.step);
            }
        }
    }
    (head, steps.into_values().collect())
}

/// Whether another process of this id runs. Where that cannot be told, it is taken to run: its recording is left alone.
pub(in crate::engine) fn lives(owner: u32) -> bool {
    // Our own id, and not one of ours: an earlier process had it.
    if owner == std::process::id() {
        return false;
    }
    if !cfg!(target_os = "linux") {
        return true;
    }
    // A process that has ended and that nobody has asked about yet is still listed, as Z.
    let listed = std::fs::read_to_string(format!("/proc/{owner}/stat")).unwrap_or_default();
    let state = listed.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::Step;

    fn step(place: u32, instruction: &str) -> JournalEntry {
        let step = Step { instruction: instruction.into(), ..Step::default() };
        let captured = Captured { step, ..Captured::default() };
        JournalEntry { kind: JournalKind::Step, step: place, body: serde_json::to_string(&captured).unwrap() }
    }

    #[test]
    fn the_last_word_on_each_step_counts() {
        let gone = JournalEntry { kind: JournalKind::Retracted, step: 2, body: String::new() };
        let journal = [step(1, "a"), step(2, "b"), step(3, "c"), gone, step(1, "a again")];
        let (_, steps) = replayed(&journal);
        let texts: Vec<&str> = steps.iter().map(|one| one.step.instruction.as_str()).collect();
        assert_eq!(texts, ["a again", "c"]);
    }
}
