//! Approvals and the agreement of heals, as SQL.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Approval, HealRecord};

/// Keeps a new approval.
pub fn add(db: &Connection, approval: &Approval) -> rusqlite::Result<()> {
    db.execute(
        "INSERT INTO approvals (id, label, script_hash, inputs_hash, inputs, created_ms, expires_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            approval.id,
            approval.label,
            approval.script_hash,
            approval.inputs_hash,
            approval.inputs,
            approval.created_ms,
            approval.expires_ms
        ],
    )?;
    Ok(())
}

/// An approval by its id.
pub fn find(db: &Connection, id: &str) -> rusqlite::Result<Option<Approval>> {
    db.query_row(
        "SELECT id, label, script_hash, inputs_hash, inputs, created_ms, expires_ms, used_by
         FROM approvals WHERE id = ?1",
        [id],
        |row| {
            Ok(Approval {
                id: row.get(0)?,
                label: row.get(1)?,
                script_hash: row.get(2)?,
                inputs_hash: row.get(3)?,
                inputs: row.get(4)?,
                created_ms: row.get(5)?,
                expires_ms: row.get(6)?,
                used_by: row.get(7)?,
            })
        },
    )
    .optional()
}

/// Marks an approval as used by a run. False where it was used before: of two runs that come at once, one gets it.
pub fn spend(db: &Connection, id: &str, run: &str, now_ms: i64) -> rusqlite::Result<bool> {
    let changed = db.execute(
        "UPDATE approvals SET used_by = ?2, used_ms = ?3 WHERE id = ?1 AND used_by IS NULL",
        params![id, run, now_ms],
    )?;
    Ok(changed == 1)
}

/// The heals of a test's last `runs` successful runs that began at or after `since`, with the number of those runs.
pub fn heals_since(
    db: &Connection,
    test: &str,
    since: &str,
    runs: u32,
) -> rusqlite::Result<(u32, Vec<HealRecord>)> {
    let chosen = "SELECT id FROM runs WHERE test = ?1 AND ending = 'success' AND started_at >= ?2
                  ORDER BY started_at DESC, id DESC LIMIT ?3";
    let counted =
        db.query_row(&format!("SELECT count(*) FROM ({chosen})"), params![test, since, runs], |row| {
            row.get(0)
        })?;
    let mut statement = db.prepare(&format!(
        "SELECT run, test, step, rung, confidence, margin, reason, runner_up, repointed
         FROM heals WHERE run IN ({chosen}) ORDER BY run DESC, step"
    ))?;
    let found = statement.query_map(params![test, since, runs], |row| {
        Ok(HealRecord {
            run: row.get(0)?,
            test: row.get(1)?,
            step: row.get(2)?,
            rung: row.get(3)?,
            confidence: row.get(4)?,
            margin: row.get(5)?,
            reason: row.get(6)?,
            runner_up: row.get(7)?,
            repointed: row.get(8)?,
        })
    })?;
    Ok((counted, found.collect::<rusqlite::Result<Vec<_>>>()?))
}
