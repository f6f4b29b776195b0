//! The store through its trait, and the files that it must refuse.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use super::*;

const SCRIPT: &str = r#"{"Version": 1, "StartUrl": "http://a/", "Steps": [{"Action": {"Method": "goto", "Value": "http://a/"}}]}"#;
const OTHER: &str = r#"{"Version": 1, "StartUrl": "http://b/", "Steps": []}"#;

fn open(folder: &Path) -> SqliteStore {
    SqliteStore::open(folder).unwrap()
}

fn refused(folder: &Path) -> StoreError {
    match SqliteStore::open(folder) {
        Ok(_) => panic!("the store was opened"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn the_first_script_is_promoted_and_the_next_one_waits() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    assert_eq!(store.offer_script("t", SCRIPT.into()).await.unwrap(), Slot::Promoted);
    assert_eq!(store.offer_script("t", OTHER.into()).await.unwrap(), Slot::Pending);
    let promoted = store.script("t", Slot::Promoted).await.unwrap().unwrap();
    assert_eq!((promoted.script.start_url.as_str(), promoted.script.steps.len()), ("http://a/", 1));
    assert!(promoted.hash.starts_with("sha256:"));
    store.promote("t").await.unwrap();
    assert_eq!(store.script("t", Slot::Promoted).await.unwrap().unwrap().text, OTHER);
    assert_eq!(store.script("t", Slot::Pending).await.unwrap(), None);
    assert!(matches!(store.promote("t").await, Err(StoreError::Missing { .. })));
    assert!(matches!(store.reject("t").await, Err(StoreError::Missing { .. })));
    let tests = store.tests().await.unwrap();
    assert_eq!((tests.len(), tests[0].promoted_steps, tests[0].pending_steps), (1, Some(0), None));
}

#[tokio::test]
async fn what_is_stored_outlives_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let recording = Recording {
        id: "r1".into(),
        name: "t".into(),
        url: "http://a/".into(),
        started_at: "2026-01-01T00:00:00Z".into(),
        state: RecordingState::Open,
        owner: 1,
        entries: 0,
    };
    store.begin_recording(recording).await.unwrap();
    for (kind, step, body) in [
        (JournalKind::Head, 0, "h"),
        (JournalKind::Step, 1, "a"),
        (JournalKind::Step, 1, "b"),
        (JournalKind::Retracted, 1, ""),
    ] {
        store.journal("r1", JournalEntry { kind, step, body: body.into() }).await.unwrap();
    }
    // No orderly end: as a killed process would leave it.
    std::mem::forget(store);
    let store = open(folder.path());
    let journal = store.journal_of("r1").await.unwrap();
    assert_eq!(journal.iter().map(|entry| entry.body.as_str()).collect::<Vec<_>>(), ["h", "a", "b", ""]);
    assert_eq!(journal[3].kind, JournalKind::Retracted);
    assert_eq!(store.unfinished_recordings().await.unwrap()[0].entries, 1);
    store.set_recording("r1", RecordingState::Finished).await.unwrap();
    assert!(store.unfinished_recordings().await.unwrap().is_empty());
}

#[tokio::test]
async fn the_heal_rate_looks_at_the_last_runs_that_ended() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for number in 0..12 {
        let id = format!("run{number:02}");
        let run = RunRecord {
            id: id.clone(),
            test: Some("t".into()),
            script: "t".into(),
            started_at: format!("2026-01-01T00:00:{number:02}Z"),
            ..RunRecord::default()
        };
        store.begin_run(run).await.unwrap();
        store.add_steps(&id, vec![(1, "{}".into()), (2, "{}".into())]).await.unwrap();
        // The first two healed all they had, and are too long ago to count; the last one is still under way.
        let healed = if number < 2 { 4 } else { 1 };
        if number < 11 {
            store.finish_run(&id, "success", "{}".into(), 4, healed).await.unwrap();
        }
    }
    let rate = store.heal_rate("t", 10).await.unwrap();
    assert_eq!((rate.runs, rate.steps, rate.healed), (10, 40, 13));
    assert!(!rate.crossed());
    assert_eq!(store.runs(Some("t"), 3).await.unwrap()[0].id, "run11");
    assert_eq!(store.heal_rate("other", 10).await.unwrap(), HealRate::default());
}

#[test]
fn a_newer_database_is_refused_by_name_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let file = folder.path().join("cairn.db");
    let database = Connection::open(&file).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    database.execute("UPDATE meta SET value = '7.8.9' WHERE key = 'writer'", []).unwrap();
    drop(database);
    let error = refused(folder.path());
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    assert!(error.to_string().contains("version 99"), "{error}");
    assert!(error.hint().contains("Cairn 7.8.9"), "{}", error.hint());
    let database = Connection::open(&file).unwrap();
    let version: u32 = database.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 99);
}

#[test]
fn what_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cairn.db");
    fs::write(&file, "this is a letter to a friend, and long enough to be a page of something").unwrap();
    let error = refused(folder.path());
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert!(error.hint().contains("cairn.db"));
    assert!(fs::read_to_string(&file).unwrap().starts_with("this is a letter"));
}

#[test]
fn a_damaged_page_is_found_at_once() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let file = folder.path().join("cairn.db");
    let database = Connection::open(&file).unwrap();
    database.pragma_update(None, "journal_mode", "DELETE").unwrap();
    drop(database);
    let mut bytes = fs::read(&file).unwrap();
    let page = 4096;
    bytes[page..2 * page].fill(0xA5);
    fs::write(&file, bytes).unwrap();
    assert!(matches!(refused(folder.path()), StoreError::Corrupt { .. }));
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = refused(&file.join("data"));
    assert!(matches!(error, StoreError::Unwritable { .. }), "{error}");
    assert!(error.to_string().contains("file/data"), "{error}");
}

#[test]
fn an_older_database_is_copied_before_it_is_lifted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cairn.db");
    let database = Connection::open(&file).unwrap();
    // Version 0 with something in it: as a file from before the first version would be.
    database
        .execute_batch("CREATE TABLE keepsake (text TEXT); INSERT INTO keepsake VALUES ('mine');")
        .unwrap();
    drop(database);
    drop(open(folder.path()));
    let copy = Connection::open(folder.path().join("cairn.db.v0.bak")).unwrap();
    let text: String = copy.query_row("SELECT text FROM keepsake", [], |row| row.get(0)).unwrap();
    assert_eq!(text, "mine");
}

#[tokio::test]
async fn two_processes_share_one_database() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open(folder.path()), open(folder.path()));
    for number in 0..20 {
        one.offer_script(&format!("a{number}"), SCRIPT.into()).await.unwrap();
        two.offer_script(&format!("b{number}"), SCRIPT.into()).await.unwrap();
    }
    assert_eq!(one.tests().await.unwrap().len(), 40);
}

#[tokio::test]
async fn an_approval_is_spent_once_even_by_two_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open(folder.path()), open(folder.path()));
    let approval = Approval { id: "a".into(), expires_ms: 9, ..Approval::default() };
    one.add_approval(approval.clone()).await.unwrap();
    assert_eq!(two.approval("a").await.unwrap(), Some(approval));
    let (first, second) = tokio::join!(one.spend_approval("a", "r1", 1), two.spend_approval("a", "r2", 1));
    assert!(first.unwrap() ^ second.unwrap());
    assert!(one.approval("a").await.unwrap().unwrap().used_by.is_some());
    assert!(!one.spend_approval("none", "r", 1).await.unwrap());
}

#[tokio::test]
async fn heals_are_those_of_the_last_successful_runs_of_this_script() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for (id, second, ending) in
        [("a", 1, "success"), ("b", 2, "success"), ("c", 3, "hard_failure"), ("d", 4, "success")]
    {
        let started_at = format!("2026-01-01T00:00:0{second}Z");
        let run = RunRecord { id: id.into(), test: Some("t".into()), started_at, ..RunRecord::default() };
        store.begin_run(run).await.unwrap();
        let heal = HealRecord {
            run: id.into(),
            test: Some("t".into()),
            step: 2,
            repointed: Some("{}".into()),
            ..HealRecord::default()
        };
        store.add_heal(heal).await.unwrap();
        store.finish_run(id, ending, "{}".into(), 3, 1).await.unwrap();
    }
    let (runs, heals) = store.heals_since("t", "2026-01-01T00:00:02Z", 5).await.unwrap();
    let named: Vec<&str> = heals.iter().map(|heal| heal.run.as_str()).collect();
    assert_eq!((runs, named), (2, vec!["d", "b"]));
    assert_eq!(heals[0].repointed.as_deref(), Some("{}"));
    assert_eq!(store.heals_since("t", "2026", 1).await.unwrap().0, 1);
}

#[tokio::test]
async fn what_a_task_has_learnt_is_its_owners_and_a_name_is_one_entrys() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let entry = |owner: &str, key: &str, name: Option<&str>| TaskEntry {
        owner: owner.into(),
        key: key.into(),
        name: name.map(str::to_owned),
        script: SCRIPT.into(),
        ..TaskEntry::default()
    };
    store.put_task(entry("me", "k1", Some("save"))).await.unwrap();
    store.put_task(entry("you", "k1", Some("save"))).await.unwrap();
    // Replaced without a name it keeps the one it has.
    store.put_task(TaskEntry { script: OTHER.into(), ..entry("me", "k1", None) }).await.unwrap();
    let mine = store.task("me", "k1").await.unwrap().unwrap();
    assert_eq!((mine.script.as_str(), mine.name.as_deref(), mine.uses), (OTHER, Some("save"), 1));
    assert_eq!(store.task("you", "k1").await.unwrap().unwrap().script, SCRIPT);
    assert_eq!(store.task("others", "k1").await.unwrap(), None);
    // Another entry takes the name.
    store.put_task(entry("me", "k2", Some("save"))).await.unwrap();
    assert_eq!(store.skill("me", "save").await.unwrap().unwrap().key, "k2");
    assert_eq!(store.task("me", "k1").await.unwrap().unwrap().name, None);
    assert_eq!(store.skills("me").await.unwrap().len(), 1);
    assert!(
        store.remove_skill("me", "save").await.unwrap() && !store.remove_skill("me", "save").await.unwrap()
    );
    assert_eq!(store.skills("you").await.unwrap().len(), 1);
}

#[test]
fn a_new_database_stands_in_its_file_and_not_in_the_log_alone() {
    let folder = tempfile::tempdir().unwrap();
    let kept = open(folder.path());
    let log = folder.path().join("cairn.db-wal");
    assert_eq!(fs::metadata(&log).map_or(0, |log| log.len()), 0, "the log is empty");
    std::mem::forget(kept);
    let mut bytes = fs::read(folder.path().join("cairn.db")).unwrap();
    bytes[4096..].fill(0xA5);
    fs::write(folder.path().join("cairn.db"), bytes).unwrap();
    assert!(matches!(refused(folder.path()), StoreError::Corrupt { .. }));
}
