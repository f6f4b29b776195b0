//! Rows to records.

use std::fmt::Write as _;

use cairn_core::script::Script;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};

use super::{HealRate, JournalEntry, JournalKind, Recording, RecordingState, RunRecord, Slot, TestSummary};

/// The time, RFC 3339 in UTC.
pub fn now() -> String {
    jiff::Timestamp::now().to_string()
}

/// `sha256:` of a text.
pub fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let mut hash = "sha256:".to_owned();
    for byte in digest {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

/// A stored script. It was read with care when it came in: here a fault means a damaged row.
pub fn parse_script(text: &str) -> Result<Script, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// How many steps a script's text has.
pub fn steps_in(text: &str) -> u32 {
    parse_script(text).map_or(0, |script| script.steps.len() as u32)
}

/// Text, hash and time of a slot.
pub fn script_text(
    db: &Connection,
    test: &str,
    slot: Slot,
) -> rusqlite::Result<Option<(String, String, String)>> {
    db.query_row(
        "SELECT text, hash, stored_at FROM scripts WHERE test = ?1 AND slot = ?2",
        params![test, slot.as_str()],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )
    .optional()
}

/// Whether a slot holds a script.
pub fn slot_is_filled(db: &Connection, test: &str, slot: Slot) -> rusqlite::Result<bool> {
    Ok(script_text(db, test, slot)?.is_some())
}

/// All tests with their slots and their last run.
pub fn summaries(db: &Connection) -> rusqlite::Result<Vec<TestSummary>> {
    let mut statement = db.prepare(
        "SELECT t.name,
                (SELECT steps FROM scripts s WHERE s.test = t.name AND s.slot = 'promoted'),
                (SELECT steps FROM scripts s WHERE s.test = t.name AND s.slot = 'pending'),
                (SELECT count(*) FROM runs r WHERE r.test = t.name),
                (SELECT ending FROM runs r WHERE r.test = t.name ORDER BY started_at DESC, id DESC LIMIT 1)
         FROM tests t ORDER BY t.name",
    )?;
    let found = statement.query_map([], |row| {
        Ok(TestSummary {
            name: row.get(0)?,
            promoted_steps: row.get(1)?,
            pending_steps: row.get(2)?,
            runs: row.get(3)?,
            last_result: row.get(4)?,
            heal_rate: HealRate::default(),
        })
    })?;
    let mut summaries = found.collect::<rusqlite::Result<Vec<_>>>()?;
    for summary in &mut summaries {
        summary.heal_rate = heal_rate(db, &summary.name, 10)?;
    }
    Ok(summaries)
}

/// The last runs, newest first.
pub fn runs(db: &Connection, test: Option<&str>, limit: u32) -> rusqlite::Result<Vec<RunRecord>> {
    let mut statement = db.prepare(
        "SELECT id, test, script, started_at, result, evidence, owner FROM runs WHERE ?1 IS NULL OR test = ?1
         ORDER BY started_at DESC, id DESC LIMIT ?2",
    )?;
    let found = statement.query_map(params![test, limit], run)?;
    found.collect()
}

/// Runs without a result, newest first.
pub fn unfinished_runs(db: &Connection, limit: u32) -> rusqlite::Result<Vec<RunRecord>> {
    let mut statement = db.prepare(
        "SELECT id, test, script, started_at, result, evidence, owner FROM runs WHERE ending IS NULL
         ORDER BY started_at DESC, id DESC LIMIT ?1",
    )?;
    let found = statement.query_map([limit], run)?;
    found.collect()
}

fn run(row: &Row<'_>) -> rusqlite::Result<RunRecord> {
    Ok(RunRecord {
        id: row.get(0)?,
        test: row.get(1)?,
        script: row.get(2)?,
        started_at: row.get(3)?,
        result: row.get(4)?,
        evidence: row.get(5)?,
        owner: row.get(6)?,
    })
}

/// Healed steps over the last `runs` finished runs of a test.
pub fn heal_rate(db: &Connection, test: &str, runs: u32) -> rusqlite::Result<HealRate> {
    db.query_row(
        "SELECT count(*), coalesce(sum(steps), 0), coalesce(sum(healed), 0) FROM
             (SELECT steps, healed FROM runs WHERE test = ?1 AND ending IS NOT NULL
              ORDER BY started_at DESC, id DESC LIMIT ?2)",
        params![test, runs],
        |row| Ok(HealRate { runs: row.get(0)?, steps: row.get(1)?, healed: row.get(2)? }),
    )
}

/// A recording's journal, in order.
pub fn journal(db: &Connection, recording: &str) -> rusqlite::Result<Vec<JournalEntry>> {
    let mut statement =
        db.prepare("SELECT kind, step, body FROM journal WHERE recording = ?1 ORDER BY id")?;
    let found = statement.query_map([recording], |row| {
        let kind: String = row.get(0)?;
        let kind = match kind.as_str() {
            "head" => JournalKind::Head,
            "retracted" => JournalKind::Retracted,
            _ => JournalKind::Step,
        };
        Ok(JournalEntry { kind, step: row.get(1)?, body: row.get(2)? })
    })?;
    found.collect()
}

/// Open and interrupted recordings, newest first.
pub fn unfinished_recordings(db: &Connection) -> rusqlite::Result<Vec<Recording>> {
    let mut statement = db.prepare(
        "SELECT id, name, url, started_at, state, owner,
                (SELECT count(DISTINCT step) FROM journal j WHERE j.recording = r.id AND j.kind = 'step')
         FROM recordings r WHERE state <> 'finished' ORDER BY started_at DESC, id DESC",
    )?;
    let found = statement.query_map([], recording)?;
    found.collect()
}

fn recording(row: &Row<'_>) -> rusqlite::Result<Recording> {
    let state: String = row.get(4)?;
    Ok(Recording {
        id: row.get(0)?,
        name: row.get(1)?,
        url: row.get(2)?,
        started_at: row.get(3)?,
        state: match state.as_str() {
            "open" => RecordingState::Open,
            "finished" => RecordingState::Finished,
            _ => RecordingState::Interrupted,
        },
        owner: row.get(5)?,
        entries: row.get(6)?,
    })
}
