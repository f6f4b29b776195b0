//! Killing things: whatever is killed, the rest ends clearly or goes on, and no browser is left behind.

use std::path::Path;
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use cairn_tests::{Cairn, Daemon, Pages, Stage};
use tokio::time::sleep;

/// Processes whose command line holds `needle`.
fn processes(needle: &str) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let matching = entries.filter(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(needle)
    });
    matching.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

async fn none_left(needle: &str) {
    let began = Instant::now();
    while !processes(needle).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(10), "left behind: {:?}", processes(needle));
        sleep(Duration::from_millis(50)).await;
    }
}

async fn some_there(needle: &str) -> Vec<i32> {
    let began = Instant::now();
    loop {
        let found = processes(needle);
        // The zygotes and the renderers: the browser is up.
        if found.len() > 4 {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "no browser came");
        sleep(Duration::from_millis(50)).await;
    }
}

/// A page that never answers, so that a command is still at work when it is killed.
async fn silent() -> Pages {
    let router = Router::new().fallback(get(|| async { sleep(Duration::from_mins(10)).await }));
    Pages::serve_router(router).await.unwrap()
}

/// Its browser's profile is made below this folder, so that its processes can be told from others'.
fn cairn_with_temporary_folder(folder: &Path) -> (Cairn, String) {
    let temporary = folder.join("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let needle = format!("--user-data-dir={}", temporary.display());
    (Cairn::in_folder(folder).unwrap().with("TMPDIR", temporary.to_string_lossy()), needle)
}

/// Profile folders that are left. A browser that is killed may leave an empty folder of its own beside them.
fn profiles(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder.join("tmp")).unwrap().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("cairn-profile-")).count()
}

#[tokio::test]
async fn a_killed_command_leaves_no_browser() {
    let folder = tempfile::tempdir().unwrap();
    let (cairn, needle) = cairn_with_temporary_folder(folder.path());
    let silent = silent().await;
    let running = cairn.start(&["probe", &silent.url("")]).unwrap();
    some_there(&needle).await;
    running.kill().unwrap();
    none_left(&needle).await;
    // Nobody could remove its profile; the next browser does.
    let said = cairn.run(&["doctor"]).await.unwrap();
    assert!(said.lines.iter().any(|line| line.contains("connects")), "{said:?}");
    none_left(&needle).await;
    assert_eq!(profiles(folder.path()), 0, "profiles are swept");
}

#[tokio::test]
async fn an_interrupted_command_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (cairn, needle) = cairn_with_temporary_folder(folder.path());
    let silent = silent().await;
    let running = cairn.start(&["probe", &silent.url(""), "--json"]).unwrap();
    some_there(&needle).await;
    running.interrupt().unwrap();
    let said = running.finish_within(Duration::from_secs(10)).await.unwrap();
    assert_eq!(said.code, 130, "{said:?}");
    none_left(&needle).await;
    assert_eq!(profiles(folder.path()), 0);
}

#[tokio::test]
async fn a_killed_browser_is_a_clear_end() {
    let folder = tempfile::tempdir().unwrap();
    let (cairn, needle) = cairn_with_temporary_folder(folder.path());
    let silent = silent().await;
    let running = cairn.start(&["probe", &silent.url(""), "--json"]).unwrap();
    let browser = some_there(&needle).await;
    // The extension has connected and the page is waited for.
    sleep(Duration::from_secs(3)).await;
    let began = Instant::now();
    for process in browser {
        let process = rustix::process::Pid::from_raw(process).unwrap();
        let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
    }
    let said = running.finish_within(Duration::from_secs(10)).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_ne!(said.code, 0);
    assert!(said.lines.join("").contains("the browser ended"), "{said:?}");
    none_left(&needle).await;
}

#[tokio::test]
async fn a_daemon_that_is_killed_and_started_again_is_found_without_a_new_pairing() {
    let folder = tempfile::tempdir().unwrap();
    let Stage { cairn, daemon, chrome } = Stage::set(folder.path()).await.unwrap();
    let port = daemon.port();
    daemon.kill().unwrap();
    drop(daemon);
    let daemon = Daemon::start_at(&cairn, port).await.unwrap();
    daemon.connected().await.unwrap();
    chrome.stop().await;
}
