//! Opens the database: made on first use, refused where a newer Cairn wrote it, copied before it is upgraded.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::StoreError;

/// Each file lifts the database by one version. Append-only.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_approvals.sql"),
    include_str!("migrations/0003_owner.sql"),
    include_str!("migrations/0004_tasks.sql"),
];

/// The newest version this build reads and writes.
pub const SCHEMA: u32 = MIGRATIONS.len() as u32;

/// How long a write waits for another process.
const BUSY: Duration = Duration::from_secs(5);

/// Opens `cairn.db` in `folder`, which is made where it is absent.
pub fn open(folder: &Path) -> Result<(Connection, PathBuf), StoreError> {
    make_folder(folder)?;
    let path = folder.join("cairn.db");
    let fresh = fs::metadata(&path).map_or(true, |meta| meta.len() == 0);
    let mut connection = connect(&path)?;
    let found = version(&connection, &path)?;
    if found > SCHEMA {
        return Err(StoreError::Newer { writer: writer_of(&connection), path, found, known: SCHEMA });
    }
    if !fresh {
        check(&connection, &path)?;
    }
    if found < SCHEMA && !fresh {
        keep_copy(&connection, &path, found)?;
    }
    set_pragmas(&connection).map_err(|error| StoreError::from_sqlite(&path, &error))?;
    migrate(&mut connection).map_err(|error| StoreError::from_sqlite(&path, &error))?;
    if found < SCHEMA {
        // Out of the write-ahead log: were that damaged, a file with no table in it would pass for a new one.
        connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(|error| StoreError::from_sqlite(&path, &error))?;
    }
    Ok((connection, path))
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let unwritable = |error: &std::io::Error| StoreError::Unwritable {
        path: folder.to_path_buf(),
        reason: error.to_string(),
    };
    fs::create_dir_all(folder).map_err(|error| unwritable(&error))?;
    // A folder in a repository should not be committed by accident, and it says so itself.
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        let written = fs::File::create(&ignore).and_then(|mut file| file.write_all(b"*\n"));
        written.map_err(|error| unwritable(&error))?;
    }
    Ok(())
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| StoreError::from_sqlite(path, &error))?;
    connection.busy_timeout(BUSY).map_err(|error| StoreError::from_sqlite(path, &error))?;
    Ok(connection)
}

fn version(connection: &Connection, path: &Path) -> Result<u32, StoreError> {
    connection
        .pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))
        .map_err(|error| StoreError::from_sqlite(path, &error))
}

/// The version of Cairn that wrote a newer file: `meta` is promised to stay as it is.
fn writer_of(connection: &Connection) -> String {
    connection
        .query_row("SELECT value FROM meta WHERE key = 'writer'", [], |row| row.get(0))
        .unwrap_or_default()
}

/// A damaged file is refused at once, not at the first row that happens to lie on the damaged page.
fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let said: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| StoreError::from_sqlite(path, &error))?;
    if said == "ok" { Ok(()) } else { Err(StoreError::Corrupt { path: path.to_path_buf(), reason: said }) }
}

/// SQLite's own copy, so that what lies in the write-ahead log is in it.
fn keep_copy(connection: &Connection, path: &Path, version: u32) -> Result<(), StoreError> {
    let copy = path.with_file_name(format!("cairn.db.v{version}.bak"));
    if copy.exists() {
        fs::remove_file(&copy)
            .map_err(|error| StoreError::Unwritable { path: copy.clone(), reason: error.to_string() })?;
    }
    connection
        .execute("VACUUM INTO ?1", [copy.to_string_lossy().as_ref()])
        .map_err(|error| StoreError::from_sqlite(path, &error))?;
    Ok(())
}

fn set_pragmas(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A journal line counts as kept when the call returns: a killed machine loses none either.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    // Two processes may open a new folder at once: the version is read again under the write lock.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let found: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for (number, sql) in (1_u32..).zip(MIGRATIONS).filter(|(number, _)| *number > found) {
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", number)?;
    }
    if found < SCHEMA {
        transaction.execute(
            "INSERT INTO meta (key, value) VALUES ('writer', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [env!("CARGO_PKG_VERSION")],
        )?;
    }
    transaction.commit()
}
