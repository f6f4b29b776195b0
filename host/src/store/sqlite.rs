//! SQLite behind the trait: one thread owns the connection, so nothing blocks the runtime and writes never race.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::oneshot;

use super::approvals;
use super::open::open;
use super::rows;
use super::tasks;
use super::{
    Answer, Approval, AuditRow, HealRate, HealRecord, JournalEntry, Recording, RecordingState, RunRecord,
    Slot, Store, StoreError, StoredScript, StoredTest, TaskEntry, TestSummary,
};

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// The store in a project's `.cairn/cairn.db`.
pub struct SqliteStore {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<thread::JoinHandle<()>>,
    path: PathBuf,
}

impl Drop for SqliteStore {
    /// The database is closed in order, after what was asked for is done.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has closed it too.
            let _ = thread.join();
        }
    }
}

impl SqliteStore {
    /// Opens or makes the database in `folder`. Blocks for as long as that takes: call it before the runtime is busy.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let (mut connection, path) = open(folder)?;
        let (jobs, inbox) = mpsc::channel::<Job>();
        let thread = thread::Builder::new()
            .name("cairn-store".into())
            .spawn(move || {
                while let Ok(job) = inbox.recv() {
                    job(&mut connection);
                }
            })
            .map_err(|error| StoreError::Failed { path: path.clone(), reason: error.to_string() })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread), path })
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Answer<T> {
        let path = self.path.clone();
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // The caller may have gone away in the meantime: the work is done all the same.
            let _ = reply.send(work(connection));
        });
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        Box::pin(async move {
            let gone =
                || StoreError::Failed { path: path.clone(), reason: "the store's thread has ended".into() };
            if !sent {
                return Err(gone());
            }
            match answer.await {
                Ok(Ok(value)) => Ok(value),
                Ok(Err(Fault::Sqlite(error))) => Err(StoreError::from_sqlite(&path, &error)),
                Ok(Err(Fault::Store(error))) => Err(error),
                Err(_) => Err(gone()),
            }
        })
    }
}

/// What a piece of work can come back with.
enum Fault {
    Sqlite(rusqlite::Error),
    Store(StoreError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn missing(what: &'static str, name: &str) -> Fault {
    Fault::Store(StoreError::Missing { what, name: name.to_owned() })
}

fn ensure_test(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO tests (name, created_at) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
        params![name, rows::now()],
    )?;
    Ok(())
}

fn fill_slot(connection: &Connection, test: &str, slot: Slot, script: &str) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO scripts (test, slot, text, hash, steps, stored_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (test, slot) DO UPDATE SET text = excluded.text, hash = excluded.hash, steps = excluded.steps,
             stored_at = excluded.stored_at",
        params![test, slot.as_str(), script, rows::hash(script), rows::steps_in(script), rows::now()],
    )?;
    Ok(())
}

fn clear_slot(connection: &Connection, test: &str, slot: Slot) -> rusqlite::Result<usize> {
    connection.execute("DELETE FROM scripts WHERE test = ?1 AND slot = ?2", params![test, slot.as_str()])
}

impl Store for SqliteStore {
    fn put_test(&self, test: StoredTest) -> Answer<()> {
        self.call(move |db| {
            db.execute(
                "INSERT INTO tests (name, definition, created_at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (name) DO UPDATE SET definition = excluded.definition",
                params![test.name, test.definition, rows::now()],
            )?;
            Ok(())
        })
    }

    fn test(&self, name: &str) -> Answer<Option<StoredTest>> {
        let name = name.to_owned();
        self.call(move |db| {
            let found = db.query_row("SELECT name, definition FROM tests WHERE name = ?1", [name], |row| {
                Ok(StoredTest { name: row.get(0)?, definition: row.get(1)? })
            });
            Ok(found.optional()?)
        })
    }

    fn tests(&self) -> Answer<Vec<TestSummary>> {
        self.call(|db| Ok(rows::summaries(db)?))
    }

    fn offer_script(&self, test: &str, script: String) -> Answer<Slot> {
        let test = test.to_owned();
        self.call(move |db| {
            let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            ensure_test(&transaction, &test)?;
            let slot = if rows::slot_is_filled(&transaction, &test, Slot::Promoted)? {
                Slot::Pending
            } else {
                Slot::Promoted
            };
            fill_slot(&transaction, &test, slot, &script)?;
            transaction.commit()?;
            Ok(slot)
        })
    }

    fn set_slot(&self, test: &str, slot: Slot, script: Option<String>) -> Answer<()> {
        let test = test.to_owned();
        self.call(move |db| {
            let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            match script {
                Some(script) => {
                    ensure_test(&transaction, &test)?;
                    fill_slot(&transaction, &test, slot, &script)?;
                }
                None => {
                    clear_slot(&transaction, &test, slot)?;
                }
            }
            Ok(transaction.commit()?)
        })
    }

    fn script(&self, test: &str, slot: Slot) -> Answer<Option<StoredScript>> {
        let test = test.to_owned();
        let path = self.path.clone();
        self.call(move |db| {
            let Some((content, hash, stored_at)) = rows::script_text(db, &test, slot)? else {
                return Ok(None);
            };
            let script = rows::parse_script(&content).map_err(|reason| {
                Fault::Store(StoreError::Corrupt {
                    path,
                    reason: format!("the {} script of `{test}`: {reason}", slot.as_str()),
                })
            })?;
            Ok(Some(StoredScript { script, text: content, hash, stored_at }))
        })
    }

    fn promote(&self, test: &str) -> Answer<()> {
        let test = test.to_owned();
        self.call(move |db| {
            let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let Some((script, ..)) = rows::script_text(&transaction, &test, Slot::Pending)? else {
                return Err(missing("pending script of", &test));
            };
            fill_slot(&transaction, &test, Slot::Promoted, &script)?;
            clear_slot(&transaction, &test, Slot::Pending)?;
            Ok(transaction.commit()?)
        })
    }

    fn reject(&self, test: &str) -> Answer<()> {
        let test = test.to_owned();
        self.call(move |db| match clear_slot(db, &test, Slot::Pending)? {
            0 => Err(missing("pending script of", &test)),
            _ => Ok(()),
        })
    }

    fn begin_run(&self, run: RunRecord) -> Answer<()> {
        self.call(move |db| {
            db.execute(
                "INSERT INTO runs (id, test, script, started_at, evidence, owner) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![run.id, run.test, run.script, run.started_at, run.evidence, run.owner],
            )?;
            Ok(())
        })
    }

    fn add_steps(&self, run: &str, steps: Vec<(u32, String)>) -> Answer<()> {
        let run = run.to_owned();
        self.call(move |db| {
            let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            for (number, report) in steps {
                transaction.execute(
                    "INSERT INTO steps (run, number, report) VALUES (?1, ?2, ?3)
                     ON CONFLICT (run, number) DO UPDATE SET report = excluded.report",
                    params![run, number, report],
                )?;
            }
            Ok(transaction.commit()?)
        })
    }

    fn add_heal(&self, heal: HealRecord) -> Answer<()> {
        self.call(move |db| {
            db.execute(
                "INSERT INTO heals (run, test, step, rung, confidence, margin, reason, runner_up, repointed)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    heal.run,
                    heal.test,
                    heal.step,
                    heal.rung,
                    heal.confidence,
                    heal.margin,
                    heal.reason,
                    heal.runner_up,
                    heal.repointed
                ],
            )?;
            Ok(())
        })
    }

    fn finish_run(&self, run: &str, ending: &str, result: String, steps: u32, healed: u32) -> Answer<()> {
        let (run, ending) = (run.to_owned(), ending.to_owned());
        self.call(move |db| {
            db.execute(
                "UPDATE runs SET ended_at = ?2, ending = ?3, result = ?4, steps = ?5, healed = ?6 WHERE id = ?1",
                params![run, rows::now(), ending, result, steps, healed],
            )?;
            Ok(())
        })
    }

    fn runs(&self, test: Option<&str>, limit: u32) -> Answer<Vec<RunRecord>> {
        let test = test.map(str::to_owned);
        self.call(move |db| Ok(rows::runs(db, test.as_deref(), limit)?))
    }

    fn unfinished_runs(&self, limit: u32) -> Answer<Vec<RunRecord>> {
        self.call(move |db| Ok(rows::unfinished_runs(db, limit)?))
    }

    fn heals_since(&self, test: &str, since: &str, runs: u32) -> Answer<(u32, Vec<HealRecord>)> {
        let (test, since) = (test.to_owned(), since.to_owned());
        self.call(move |db| Ok(approvals::heals_since(db, &test, &since, runs)?))
    }

    fn add_approval(&self, approval: Approval) -> Answer<()> {
        self.call(move |db| Ok(approvals::add(db, &approval)?))
    }

    fn approval(&self, id: &str) -> Answer<Option<Approval>> {
        let id = id.to_owned();
        self.call(move |db| Ok(approvals::find(db, &id)?))
    }

    fn spend_approval(&self, id: &str, run: &str, now_ms: i64) -> Answer<bool> {
        let (id, run) = (id.to_owned(), run.to_owned());
        self.call(move |db| Ok(approvals::spend(db, &id, &run, now_ms)?))
    }

    fn put_task(&self, entry: TaskEntry) -> Answer<()> {
        self.call(move |db| Ok(tasks::put(db, &entry)?))
    }

    fn task(&self, owner: &str, key: &str) -> Answer<Option<TaskEntry>> {
        let (owner, key) = (owner.to_owned(), key.to_owned());
        self.call(move |db| Ok(tasks::find(db, &owner, &key)?))
    }

    fn skill(&self, owner: &str, name: &str) -> Answer<Option<TaskEntry>> {
        let (owner, name) = (owner.to_owned(), name.to_owned());
        self.call(move |db| Ok(tasks::skill(db, &owner, &name)?))
    }

    fn skills(&self, owner: &str) -> Answer<Vec<TaskEntry>> {
        let owner = owner.to_owned();
        self.call(move |db| Ok(tasks::skills(db, &owner)?))
    }

    fn remove_skill(&self, owner: &str, name: &str) -> Answer<bool> {
        let (owner, name) = (owner.to_owned(), name.to_owned());
        self.call(move |db| Ok(tasks::remove_skill(db, &owner, &name)?))
    }

    fn add_audit(&self, run: &str, rows: Vec<AuditRow>) -> Answer<()> {
        let run = run.to_owned();
        self.call(move |db| Ok(tasks::audit(db, &run, &rows)?))
    }

    fn audit_of(&self, run: &str) -> Answer<Vec<AuditRow>> {
        let run = run.to_owned();
        self.call(move |db| Ok(tasks::audit_of(db, &run)?))
    }

    fn heal_rate(&self, test: &str, runs: u32) -> Answer<HealRate> {
        let test = test.to_owned();
        self.call(move |db| Ok(rows::heal_rate(db, &test, runs)?))
    }

    fn begin_recording(&self, recording: Recording) -> Answer<()> {
        self.call(move |db| {
            db.execute(
                "INSERT INTO recordings (id, name, url, started_at, state, owner) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    recording.id,
                    recording.name,
                    recording.url,
                    recording.started_at,
                    recording.state.as_str(),
                    recording.owner
                ],
            )?;
            Ok(())
        })
    }

    fn journal(&self, recording: &str, entry: JournalEntry) -> Answer<()> {
        let recording = recording.to_owned();
        self.call(move |db| {
            db.execute(
                "INSERT INTO journal (recording, kind, step, body) VALUES (?1, ?2, ?3, ?4)",
                params![recording, entry.kind.as_str(), entry.step, entry.body],
            )?;
            Ok(())
        })
    }

    fn journal_of(&self, recording: &str) -> Answer<Vec<JournalEntry>> {
        let recording = recording.to_owned();
        self.call(move |db| Ok(rows::journal(db, &recording)?))
    }

    fn set_recording(&self, recording: &str, state: RecordingState) -> Answer<()> {
        let recording = recording.to_owned();
        self.call(move |db| {
            let changed = db.execute(
                "UPDATE recordings SET state = ?2 WHERE id = ?1",
                params![recording, state.as_str()],
            )?;
            if changed == 0 { Err(missing("recording", &recording)) } else { Ok(()) }
        })
    }

    fn unfinished_recordings(&self) -> Answer<Vec<Recording>> {
        self.call(|db| Ok(rows::unfinished_recordings(db)?))
    }
}
