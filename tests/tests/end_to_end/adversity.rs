//! What the machine may do to a run: a disk without room, a clock that goes backwards, a script that is changed and a database
//! that is damaged under it, a page that dies on its way to the next. Each ends clearly, and nothing is sent that should not be.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use cairn_host::engine::api::Ending;
use cairn_tests::recording::event;
use cairn_tests::{Cairn, Chrome, Daemon, Pages, Replay, Running, Said};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::faults::{Shop, script};

/// A shop that counts its orders, and a script that places one.
struct Bench {
    folder: TempDir,
    shop: Shop,
    site: Pages,
}

impl Bench {
    async fn set() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let shop = Shop::new();
        let site = Pages::serve_router(shop.router()).await.unwrap();
        fs::write(folder.path().join("order.json"), script(&site.url(""))).unwrap();
        Self { folder, shop, site }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn cairn(&self) -> Cairn {
        Cairn::in_folder(self.folder.path()).unwrap()
    }
}

/// A daemon and a browser that is paired with it.
struct Paired {
    cairn: Cairn,
    daemon: Daemon,
    chrome: Chrome,
}

impl Paired {
    async fn set(cairn: Cairn) -> Self {
        let daemon = Daemon::start(&cairn).await.unwrap();
        let chrome = Chrome::start().await.unwrap();
        daemon.pair(&chrome).await.unwrap();
        Self { cairn, daemon, chrome }
    }

    fn start(&self, arguments: &[&str]) -> Running {
        let port = self.daemon.port_text();
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--port", &port]).collect();
        self.cairn.start(&arguments).unwrap()
    }

    async fn say(&self, arguments: &[&str]) -> Said {
        self.start(arguments).finish().await.unwrap()
    }

    fn order(&self, key: &str, way: &str, more: &[&str]) -> Running {
        let (key, way) = (format!("key={key}"), format!("way={way}"));
        let run = ["run", "order.json", "--attach", "--json", "--input", &key, "--input", &way];
        self.start(&[&run[..], more].concat())
    }
}

/// No run panics, whatever else happens to it.
fn ends_clearly(said: &Said, what: &str) -> Value {
    assert!(!said.errors.contains("panicked"), "{what}: {}", said.errors);
    let lines = said.json();
    let last = lines.last().unwrap_or_else(|| panic!("{what}: it ended without a word: {}", said.errors));
    event(last).clone()
}

/// Data folders of every size up to one that is large enough: where there is no room, nothing is sent, and the reason is said.
#[tokio::test]
async fn a_disk_without_room_ends_a_run_before_it_sends() {
    let bench = Bench::set().await;
    let (data, small) = (bench.path("data"), bench.path("small.sh"));
    fs::create_dir(&data).unwrap();
    // A disk of its own for this one command, which goes with it.
    let mount = format!(
        "#!/bin/sh\nexec unshare --user --map-root-user --mount sh -c \
         'mount -t tmpfs -o size=\"$ROOM\" none \"{0}\" && exec \"$CAIRN\" \"$@\" --data \"{0}\"' sh \"$@\"\n",
        data.display()
    );
    fs::write(&small, mount).unwrap();
    fs::set_permissions(&small, fs::Permissions::from_mode(0o755)).unwrap();
    let (mut refused, mut failed) = (0, 0);
    for (number, room) in [4, 64, 80, 96, 104, 112, 116, 120, 124, 128, 192, 4096].into_iter().enumerate() {
        let cairn = bench.cairn().through(small.clone()).with("ROOM", format!("{room}k"));
        let key = format!("key=order-{number}");
        let run = ["run", "order.json", "--json", "--input", &key, "--input", "way=form"];
        let said = cairn.run(&run).await.unwrap();
        let what = format!("{room} KB: exit {}, {:?}, {}", said.code, said.lines.last(), said.errors);
        let last = ends_clearly(&said, &what);
        let orders = bench.shop.count(&key[4..]);
        assert!(orders <= 1, "{what}");
        match last["result"]["result"].as_str() {
            Some("success") => assert_eq!((orders, said.code), (1, 0), "{what}"),
            Some(_) => {
                failed += 1;
                assert_eq!(last["result"]["condition"], "evidence", "{what}");
                assert_eq!(said.code, 1, "{what}");
            }
            None => {
                refused += 1;
                assert_eq!((orders, said.code), (0, 2), "{what}");
                assert!(last["error"]["message"].is_string(), "{what}");
            }
        }
        if last["result"]["result"] != "success" {
            let told = last.to_string().to_lowercase();
            assert!(told.contains("space") || told.contains("full"), "the reason is not said: {what}");
            assert!(room < 4096, "{what}");
        }
    }
    assert!(refused >= 2, "only {refused} were refused at the start: the disks were not small");
    assert!(refused + failed >= 3, "{refused} refused, {failed} failed");
}

/// A library that shifts the wall clock of a process by the seconds in a file. The processes that it starts keep the real one.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static const char *file;
static int (*real)(clockid_t, struct timespec *);
__attribute__((constructor)) static void begin(void) { file = getenv("CLOCK_FILE"); unsetenv("LD_PRELOAD"); }
int clock_gettime(clockid_t id, struct timespec *now) {
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, now);
    if (failed || id != CLOCK_REALTIME || !file) return failed;
    long by = 0;
    FILE *shift = fopen(file, "r");
    if (!shift) return 0;
    if (fscanf(shift, "%ld", &by) == 1) now->tv_sec += by;
    fclose(shift);
    return 0;
}
"#;

/// The clock of every `cairn`, which stands where the file says.
struct Clock(PathBuf);

impl Clock {
    fn make(folder: &Path) -> (Self, Cairn) {
        let (source, library, shift) =
            (folder.join("clock.c"), folder.join("clock.so"), folder.join("shift"));
        fs::write(&source, CLOCK).unwrap();
        let made = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .arg(&library)
            .arg(&source)
            .arg("-ldl")
            .status();
        assert!(made.unwrap().success(), "the C compiler that Rust links with makes no library");
        let clock = Self(shift.clone());
        clock.stand(0);
        let cairn = Cairn::in_folder(folder).unwrap();
        let cairn =
            cairn.with("LD_PRELOAD", library.to_string_lossy()).with("CLOCK_FILE", shift.to_string_lossy());
        (clock, cairn)
    }

    fn stand(&self, seconds: i64) {
        fs::write(&self.0, seconds.to_string()).unwrap();
    }
}

/// An hour back: approvals that were not given yet let nobody in, and a run under way goes on with its bounds.
#[tokio::test]
async fn a_clock_that_goes_backwards_lets_nobody_in_and_ends_nothing() {
    let bench = Bench::set().await;
    let (clock, cairn) = Clock::make(bench.folder.path());
    let mut risky: Value = serde_json::from_str(&script(&bench.site.url(""))).unwrap();
    (risky["Risk"], risky["Reviewed"]) = ("risky".into(), true.into());
    fs::write(bench.path("order.json"), risky.to_string()).unwrap();
    let paired = Paired::set(cairn).await;
    let approve = ["approve", "order.json", "--yes", "--json", "--input", "key=a", "--input", "way=slow"];
    let approved = paired.say(&approve).await;
    assert_eq!(approved.code, 0, "{approved:?}");
    let id = approved.whole().unwrap()["approval"].as_str().unwrap().to_owned();

    clock.stand(-3600);
    let refused = paired.order("a", "slow", &["--approval", &id]).finish().await.unwrap();
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.lines.join("").contains("the clock stands before"), "{refused:?}");
    assert_eq!(bench.shop.count("a"), 0);

    clock.stand(0);
    let mut wanted = bench.shop.wanted.subscribe();
    let running = paired.order("a", "slow", &["--approval", &id]);
    timeout(Duration::from_secs(30), wanted.changed()).await.unwrap().unwrap();
    clock.stand(-3600);
    let begun = Instant::now();
    let run = Replay::of(running.finish().await.unwrap()).unwrap();
    assert_eq!(run.result.result, Ending::Success, "{:?}\n{:#?}", run.result, run.log());
    assert_eq!(bench.shop.count("a"), 1);
    let bound = (begun.elapsed() + Duration::from_secs(30)).as_secs_f64() * 1000.0;
    assert!(
        (1.0..bound).contains(&run.result.duration_ms),
        "it says that it took {} ms",
        run.result.duration_ms
    );
    // What comes an hour earlier than what is stored is stored all the same.
    let again = paired.say(&approve).await.whole().unwrap()["approval"].as_str().unwrap().to_owned();
    let run = paired.order("a", "slow", &["--approval", &again]).finish().await.unwrap();
    assert_eq!(Replay::of(run).unwrap().result.result, Ending::Success);
    paired.chrome.stop().await;
}

/// The file is changed, and later the database damaged, while a run plays: it plays what it has read, and says what it cannot keep.
#[tokio::test]
async fn what_is_changed_under_a_run_does_not_change_it() {
    let bench = Bench::set().await;
    let paired = Paired::set(bench.cairn()).await;
    let mut wanted = bench.shop.wanted.subscribe();
    let running = paired.order("b", "slow", &[]);
    timeout(Duration::from_secs(30), wanted.changed()).await.unwrap().unwrap();
    let changed = script(&bench.site.url("")).replace("Place order", "Delete the account");
    fs::write(bench.path("order.json"), changed).unwrap();
    let run = Replay::of(running.finish().await.unwrap()).unwrap();
    assert_eq!(run.result.result, Ending::Success, "{:?}\n{:#?}", run.result, run.log());
    assert_eq!(bench.shop.count("b"), 1);
    fs::write(bench.path("order.json"), script(&bench.site.url(""))).unwrap();

    let running = paired.order("c", "slow", &[]);
    timeout(Duration::from_secs(30), wanted.changed()).await.unwrap().unwrap();
    // Every page but the first, in the file and in what is waiting to go into it.
    for name in ["cairn.db", "cairn.db-wal"] {
        let path = bench.path("data").join(name);
        let mut bytes = fs::read(&path).unwrap();
        if let Some(pages) = bytes.get_mut(4096..) {
            pages.fill(0xA5);
        }
        fs::write(&path, bytes).unwrap();
    }
    let said = running.finish().await.unwrap();
    let what = format!("exit {}, {:?}, {}", said.code, said.lines.last(), said.errors);
    let last = ends_clearly(&said, &what);
    let orders = bench.shop.count("c");
    assert!(orders <= 1 && (last["result"]["result"] != "success" || orders == 1), "{orders} orders: {what}");
    assert!(!paired.daemon.errors().contains("panicked"), "{}", paired.daemon.errors());
    // The next one to open it says so, and leaves it as it is.
    let file = bench.path("data/cairn.db");
    paired.daemon.kill().unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let before = fs::read(&file).unwrap();
    let refused = bench.cairn().run(&["serve", "--port", "0", "--data", "data"]).await.unwrap();
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.errors.contains("cairn.db"), "{}", refused.errors);
    assert_eq!(fs::read(&file).unwrap(), before);
    paired.chrome.stop().await;
}

/// The page dies while the next one is on its way: the click is not done again, and the run ends or goes on, within its bound.
#[tokio::test]
async fn a_page_that_dies_on_its_way_to_the_next() {
    let bench = Bench::set().await;
    let paired = Paired::set(bench.cairn()).await;
    for (key, delay) in [("d", 50), ("e", 600), ("f", 1990)] {
        let mut wanted = bench.shop.wanted.subscribe();
        let running = paired.order(key, "slow", &[]);
        timeout(Duration::from_secs(30), wanted.changed()).await.unwrap().unwrap();
        let asked = *wanted.borrow();
        tokio::time::sleep(Duration::from_millis(delay)).await;
        let targets = paired.chrome.targets().await.unwrap();
        let tab = targets.iter().find(|one| one.url.starts_with(&bench.site.url(""))).unwrap();
        let pipe = paired.chrome.pipe();
        let attach = json!({"targetId": tab.id, "flatten": true});
        let session = pipe.call("Target.attachToTarget", attach, None).await.unwrap();
        let session = session["sessionId"].as_str().map(str::to_owned);
        // A page that crashed never answers.
        let _ = timeout(Duration::from_secs(1), pipe.call("Page.crash", json!({}), session.as_deref())).await;
        let said = running.finish_within(Duration::from_secs(90)).await.unwrap();
        let what = format!("{delay} ms: exit {}, {:?}", said.code, said.lines.last());
        let last = ends_clearly(&said, &what);
        let orders = bench.shop.count(key);
        assert_eq!(*wanted.borrow(), asked, "the cart was asked for again: {what}");
        match last["result"]["result"].as_str() {
            Some("success") => assert_eq!(orders, 1, "{what}"),
            Some("hard_failure") => {
                assert_eq!((orders, &last["result"]["condition"]), (0, &json!("lost")), "{what}");
            }
            other => panic!("{other:?}: {what}"),
        }
    }
    paired.chrome.stop().await;
}
