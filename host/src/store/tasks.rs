//! What tasks have learnt, and the audit of their steps, as SQL.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{AuditRow, TaskEntry};

const COLUMNS: &str = "owner, key, name, goal, url, script, stored_at, uses";

/// Keeps an entry: it replaces the one of the same owner and key, and takes its name from whoever had it.
pub fn put(db: &mut Connection, entry: &TaskEntry) -> rusqlite::Result<()> {
    let change = db.transaction()?;
    if let Some(name) = &entry.name {
        change.execute(
            "UPDATE tasks SET name = NULL WHERE owner = ?1 AND name = ?2 AND key <> ?3",
            params![entry.owner, name, entry.key],
        )?;
    }
    change.execute(
        "INSERT INTO tasks (owner, key, name, goal, url, script, stored_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (owner, key) DO UPDATE SET name = coalesce(excluded.name, name), goal = excluded.goal,
         url = excluded.url, script = excluded.script, stored_at = excluded.stored_at",
        params![
            entry.owner,
            entry.key,
            entry.name,
            entry.goal,
            entry.url,
            entry.script,
            entry.stored_at
        ],
    )?;
    change.commit()
}

/// The entry of a key; it has been used once more.
pub fn find(db: &Connection, owner: &str, key: &str) -> rusqlite::Result<Option<TaskEntry>> {
    db.execute("UPDATE tasks SET uses = uses + 1 WHERE owner = ?1 AND key = ?2", [owner, key])?;
    let sql = format!("SELECT {COLUMNS} FROM tasks WHERE owner = ?1 AND key = ?2");
    db.query_row(&sql, [owner, key], entry).optional()
}

/// The skill of a name.
pub fn skill(db: &Connection, owner: &str, name: &str) -> rusqlite::Result<Option<TaskEntry>> {
    let sql = format!("SELECT {COLUMNS} FROM tasks WHERE owner = ?1 AND name = ?2");
    db.query_row(&sql, [owner, name], entry).optional()
}

/// All skills of an owner, by name.
pub fn skills(db: &Connection, owner: &str) -> rusqlite::Result<Vec<TaskEntry>> {
    let sql = format!("SELECT {COLUMNS} FROM tasks WHERE owner = ?1 AND name IS NOT NULL ORDER BY name");
    let mut statement = db.prepare(&sql)?;
    let found = statement.query_map([owner], entry)?;
    found.collect()
}

/// Removes a skill with its entry; false where there is none.
pub fn remove_skill(db: &Connection, owner: &str, name: &str) -> rusqlite::Result<bool> {
    Ok(db.execute("DELETE FROM tasks WHERE owner = ?1 AND name = ?2", [owner, name])? > 0)
}

/// Adds rows to the audit, all in one transaction.
pub fn audit(db: &mut Connection, run: &str, rows: &[AuditRow]) -> rusqlite::Result<()> {
    let change = db.transaction()?;
    for row in rows {
        change.execute(
            "INSERT INTO audit (run, number, at, hand, what, outcome) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![run, row.number, row.at, row.hand, row.what, row.outcome],
        )?;
    }
    change.commit()
}

/// The audit of a run, in order.
pub fn audit_of(db: &Connection, run: &str) -> rusqlite::Result<Vec<AuditRow>> {
    let mut statement =
        db.prepare("SELECT number, at, hand, what, outcome FROM audit WHERE run = ?1 ORDER BY id")?;
    let found = statement.query_map([run], |row| {
        Ok(AuditRow {
            number: row.get(0)?,
            at: row.get(1)?,
            hand: row.get(2)?,
            what: row.get(3)?,
            outcome: row.get(4)?,
        })
    })?;
    found.collect()
}

fn entry(row: &Row<'_>) -> rusqlite::Result<TaskEntry> {
    Ok(TaskEntry {
        owner: row.get(0)?,
        key: row.get(1)?,
        name: row.get(2)?,
        goal: row.get(3)?,
        url: row.get(4)?,
        script: row.get(5)?,
        stored_at: row.get(6)?,
        uses: row.get(7)?,
    })
}
