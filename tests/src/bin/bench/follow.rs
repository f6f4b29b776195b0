//! Following a page of 60,000 elements: what a listing costs after a change, as a part of the full one; what hearing of changes
//! costs; what the probe's memory comes to, and what is left of it afterwards. The shipped files are run by hand in a page.

use std::fs;
use std::time::{Duration, Instant};

use base64::Engine as _;
use cairn_tests::say::say;
use cairn_tests::{Failed, Outcome, Pages, Stage, Tab, pages};
use serde_json::{Value, json};

use super::RUNS;
use super::report::{Report, median};

/// Rows of twelve elements.
const ROWS: usize = 5_000;
/// A list after one change of a text may take this part of the full one.
const CHANGE_BAR: f64 = 0.05;
/// So many mutations a second may take this part of the main thread.
const MUTATIONS_A_SECOND: f64 = 100.0;
const WATCHING_BAR: f64 = 0.02;
const MEMORY_BAR_MB: f64 = 60.0;
const LEFT_BAR: f64 = 0.1;
const BOUND: Duration = Duration::from_mins(3);

/// Lists, changes, lists again.
pub async fn measure(stage: &Stage, served: &Pages, report: &mut Report) -> Outcome<()> {
    let tab = stage.chrome.open(&format!("{}?rows={ROWS}", served.url("large.html"))).await?;
    tab.until("document.readyState === 'complete'").await?;
    let before = heap(&tab).await?;
    let found = run(&tab).await?;
    let after = heap(&tab).await?;
    say(&format!("following: {found}"));
    let number = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
    let series = |key: &str| -> Vec<f64> {
        found[key].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let whole = median(&series("coldAll"));
    let about = format!("{} elements, {} listed", found["elements"], found["listed"]);
    for (key, what) in [
        ("unchanged", "a list near the window where nothing changed"),
        ("nearText", "the same after one text near the window changed"),
        ("farText", "the same after one text far away changed"),
        ("value", "the same after a script set a value"),
        ("rows100", "the same after 100 rows were added"),
        ("allText", "the full list after one text changed"),
    ] {
        let what = format!("{what} ({about}), against the first full list");
        report.part(&what, number(key), whole, CHANGE_BAR);
    }
    report.part("what 1,000 added rows cost, against 100", number("rows1000"), number("rows100"), 10.0);
    let thread = number("mutation") * MUTATIONS_A_SECOND;
    report.part(
        "hearing of 100 mutations a second, against the page's thread",
        thread,
        1_000.0,
        WATCHING_BAR,
    );
    report.at_most(
        "memory of the module with this page in it",
        number("memory") / 1_048_576.0,
        MEMORY_BAR_MB,
        "MB",
    );
    report.part(
        "what the page's heap has grown by afterwards (KB)",
        (after - before).max(0.0),
        before,
        LEFT_BAR,
    );
    tab.close().await
}

/// Runs the function of `follow.js`, and waits for what it finds.
async fn run(tab: &Tab) -> Outcome<Value> {
    let then = "found => { globalThis.found = found; }, error => { globalThis.found = String(error.stack); }";
    tab.evaluate_in_page(&format!("void ({}).then({then})", call()?)).await?;
    let end = Instant::now() + BOUND;
    while Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(500)).await;
        // A page that is busy does not answer in time.
        let found = tab.evaluate_in_page("globalThis.found ?? null").await.unwrap_or_default();
        if found.is_object() {
            tab.evaluate_in_page("delete globalThis.found").await?;
            return Ok(found);
        }
        if let Some(error) = found.as_str() {
            return Err(Failed::because(error));
        }
    }
    Err(Failed::because("the page did not end"))
}

/// The page's heap, with what typed arrays hold, after everything was collected; KB.
async fn heap(tab: &Tab) -> Outcome<f64> {
    for _ in 0..3 {
        tab.call("HeapProfiler.collectGarbage", json!({})).await?;
    }
    let usage = tab.call("Runtime.getHeapUsage", json!({})).await?;
    let of = |key: &str| usage[key].as_f64().unwrap_or_default();
    Ok((of("usedSize") + of("backingStorageSize")) / 1024.0)
}

/// The function of `follow.js`, called with the probe's files.
fn call() -> Outcome<String> {
    let tests = pages::tests_folder();
    let read = |path: &str| fs::read(tests.join(path)).map_err(Failed::io(format!("reading {path}")));
    let text = |path: &str| read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let function = text("bench/follow.js")?;
    let collect = text("../extension/dist/collect.js")?;
    let glue = text("../extension/dist/probe_wasm.js")?;
    let module = base64::engine::general_purpose::STANDARD.encode(read("../extension/dist/probe_bg.wasm")?);
    Ok(format!("({function})({}, {}, {}, {RUNS})", json!(collect), json!(glue), json!(module)))
}
