//! Real applications' pages: agreement on role and name, recall and precision against what Chromium's tree calls focusable or a
//! widget and what listens to clicks, of all that a hit test finds.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use axum::Router;
use cairn_tests::tab::Tab;
use cairn_tests::{Failed, Outcome, Pages, Stage};
use serde_json::{Value, json};
use tokio::time::sleep;
use tower_http::services::ServeDir;

use super::pages::{EQUIVALENT, is_glyph};
use super::truth::{self, Known};
use super::{plain, probe, say};

/// The pages: where they lie, and what is true once the page stands.
pub const PAGES: [(&str, &str); 20] = [
    ("node_modules/gentelella/dist/production/index.html", "document.querySelector('nav, aside')"),
    ("node_modules/gentelella/dist/production/form_advanced.html", "document.querySelector('input')"),
    ("node_modules/gentelella/dist/production/tables_dynamic.html", "document.querySelector('table')"),
    ("node_modules/gentelella/dist/production/inbox.html", "true"),
    ("node_modules/startbootstrap-sb-admin-2/index.html", "true"),
    ("node_modules/startbootstrap-sb-admin-2/buttons.html", "true"),
    ("node_modules/startbootstrap-sb-admin-2/tables.html", "document.querySelector('.paginate_button')"),
    ("node_modules/startbootstrap-agency/dist/index.html", "true"),
    ("node_modules/reveal.js/demo.html", "true"),
    ("pages/swagger.html", "document.querySelectorAll('.opblock').length === 80"),
    ("pages/shoelace.html", "document.querySelector('sl-tree')?.shadowRoot"),
    ("pages/ag-grid.html", "document.querySelector('[role=gridcell]')"),
    ("pages/tabulator.html", "document.querySelector('.tabulator-cell')"),
    ("pages/tinymce.html", "document.querySelector('.tox-toolbar__primary button')"),
    ("pages/monaco.html", "document.querySelector('.view-line')"),
    ("pages/quill.html", "document.querySelector('.ql-editor')"),
    ("pages/video.html", "document.querySelector('.vjs-control-bar')"),
    ("pages/govuk.html", "document.body.dataset.ready !== undefined"),
    ("pages/calendar.html", "document.querySelector('#calendar a, #calendar button')"),
    ("node_modules/swagger-ui-dist/index.html", "true"),
];

/// Bars in percent: agreement, recall, precision.
const BARS: [(&str, f64); 4] = [("role", 99.0), ("name", 99.0), ("recall", 98.0), ("precision", 98.0)];

/// Height of the window: all of a page is in it, so that a hit test answers everywhere.
const HEIGHT: u32 = 6_000;

/// Right answers and all answers, by question.
#[derive(Default)]
struct Tally(BTreeMap<&'static str, (u32, u32)>);

impl Tally {
    fn note(&mut self, question: &'static str, right: bool) {
        let (good, all) = self.0.entry(question).or_default();
        *good += u32::from(right);
        *all += 1;
    }

    fn add(&mut self, other: &Self) {
        for (question, (good, all)) in &other.0 {
            let sum = self.0.entry(question).or_default();
            sum.0 += good;
            sum.1 += all;
        }
    }

    fn line(&self) -> String {
        let one = |(question, _): &(&'static str, f64)| {
            let (good, all) = self.0.get(question).copied().unwrap_or_default();
            let share = if all == 0 { 100.0 } else { f64::from(good) * 100.0 / f64::from(all) };
            format!("{question} {share:.1} % ({good}/{all})")
        };
        BARS.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn holds(&self) -> bool {
        BARS.iter().all(|(question, bar)| {
            self.0.get(question).is_some_and(|(good, all)| f64::from(*good) * 100.0 >= bar * f64::from(*all))
        })
    }
}

/// Compares every page; true where the bars are reached. `folder` holds the pages and what was installed.
pub async fn compare(stage: &Stage, folder: &Path) -> Outcome<bool> {
    let site = serve(folder).await?;
    let mut total = Tally::default();
    let mut missed = 0;
    let only = std::env::var("CAIRN_APP").unwrap_or_default();
    for (page, stands) in PAGES.iter().filter(|(page, _)| page.contains(&only)) {
        match compare_page(stage, &site.url(page), page, stands).await {
            Ok(tally) => {
                say(&format!("{page}: {}", tally.line()));
                total.add(&tally);
            }
            Err(error) => {
                missed += 1;
                say(&format!("{page}: could not be compared: {error}"));
            }
        }
    }
    say(&format!("real applications: {}", total.line()));
    Ok(total.holds() && missed == 0)
}

async fn compare_page(stage: &Stage, url: &str, page: &str, stands: &str) -> Outcome<Tally> {
    let tab = stage.chrome.open(url).await?;
    let size = json!({ "width": 1280, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false });
    tab.call("Emulation.setDeviceMetricsOverride", size).await?;
    settle(&tab, stands).await?;
    let known = truth::of(&tab).await?;
    let listed = probe(stage, url, &["--all", "--selector", "path"]).await?;
    tab.close().await?;
    Ok(judge(page, &known, &listed))
}

/// Serves the pages and what is installed beside them.
pub async fn serve(folder: &Path) -> Outcome<Pages> {
    if !folder.join("node_modules").is_dir() {
        return Err(Failed::because(format!(
            "{}: run `make conformance`, which installs them",
            folder.display()
        )));
    }
    Pages::serve_router(Router::new().fallback_service(ServeDir::new(folder))).await
}

/// Waits until the page stands and no longer grows.
pub async fn settle(tab: &Tab, stands: &str) -> Outcome<()> {
    tab.until("document.readyState === 'complete'").await?;
    tab.until(stands).await?;
    let mut last = Value::Null;
    for _ in 0..20 {
        sleep(Duration::from_millis(400)).await;
        let now = tab.evaluate("document.querySelectorAll('*').length").await?;
        if now == last {
            break;
        }
        last = now;
    }
    Ok(())
}

fn judge(page: &str, known: &HashMap<String, Known>, listed: &[Value]) -> Tally {
    let mut tally = Tally::default();
    let text = |element: &Value, key: &str| element[key].as_str().unwrap_or_default().to_owned();
    let path = |element: &Value| text(element, "selector").trim_start_matches("xpath=").to_owned();
    let own = listed.iter().filter(|one| one["frame"].as_array().is_none_or(Vec::is_empty));
    let ours: HashMap<String, &Value> = own.map(|one| (path(one), one)).collect();
    let lone = Known::default();
    for (path, element) in &ours {
        let known = known.get(path).unwrap_or(&lone);
        let (role, name) = (text(element, "role"), text(element, "name"));
        let is_click = element["affordance"] == "click";
        let right = is_right(known, is_click);
        tally.note("precision", right);
        if !right {
            say(&format!("  {page} {path}: {role} {name:?} is listed, the browser says {}", known.line()));
        }
        // What is only clickable keeps its text for a name; the browser gives it none.
        if known.role.is_empty() || is_click {
            continue;
        }
        let same_role = known.role == role || EQUIVALENT.contains(&(known.role.as_str(), role.as_str()));
        let same_name = plain(&known.name) == plain(&name) || is_glyph(&known.name);
        tally.note("role", same_role);
        tally.note("name", same_name);
        if !same_role || !same_name {
            say(&format!(
                "  {page} {path}: {role} {name:?}, the browser says {} {:?}",
                known.role, known.name
            ));
        }
    }
    for (path, known) in known {
        if !is_wanted(known) || is_excused(path, known, &ours) {
            continue;
        }
        tally.note("recall", ours.contains_key(path));
        if !ours.contains_key(path) {
            say(&format!("  {page} {path}: not listed: {}", known.line()));
        }
    }
    tally
}

/// Chromium's tree calls it focusable or a widget, or something listens to clicks on it; and a hit test finds it.
fn is_wanted(known: &Known) -> bool {
    let widget = is_widget(&known.role) && !is_mere_cell(known);
    known.hit && (known.focusable || widget || known.heard && known.hand)
}

/// WAI-ARIA 1.2, gridcell and row: parts of a grid, which are acted on where they can have the focus or listen; a table whose author
/// calls it a grid has hundreds that do neither.
fn is_mere_cell(known: &Known) -> bool {
    matches!(known.role.as_str(), "gridcell" | "row" | "columnheader" | "rowheader")
        && !known.focusable
        && !known.heard
}

fn is_widget(role: &str) -> bool {
    let own = EQUIVALENT.iter().find(|(told, _)| *told == role).map_or(role, |(_, own)| own);
    cairn_core::role::is_widget(own)
}

/// A listed element that the same truth knows: what is only clickable by its own listener, by one around it, or by the document's
/// where the cursor says so.
fn is_right(known: &Known, is_click: bool) -> bool {
    let seen = known.hit || known.label_hit || known.outside;
    let usable = known.focusable || is_widget(&known.role) || known.disabled || known.heard;
    let delegated = is_click && known.hand && (known.around || known.everywhere);
    seen && (usable || delegated)
}

/// The fixed table of departures (docs/conformance.md has it in words): what the truth counts and the list rightly leaves out.
fn is_excused(path: &str, known: &Known, ours: &HashMap<String, &Value>) -> bool {
    let inside = |outer: &str, inner: &str| {
        inner.len() > outer.len()
            && inner.starts_with(outer)
            && matches!(inner.as_bytes().get(outer.len()), Some(b'/' | b' '))
    };
    let widget = is_widget(&known.role) && !is_mere_cell(known);
    // CSS Overflow 3, keyboard focusable scrollers; HTML 6.6.2: a scroller, a document and a frame have the focus, and no use of their own.
    if known.focusable && !widget && known.index.is_empty() && (known.scrolls || is_frame(&known.role)) {
        return true;
    }
    // HTML 6.6.3: a negative tabindex makes focusable by script alone; without a widget role nothing is acted on.
    if known.focusable && !widget && !known.heard && known.index.starts_with('-') {
        return true;
    }
    // What is in an editor is its text (HTML 6.8.4: an editing host is acted on as a whole).
    if known.edited {
        return true;
    }
    // A listener around elements that are listed themselves, or within one: the click is theirs. So with a host that gives its focus to
    // what is in its shadow (HTML 6.6.3, delegates focus).
    !widget
        && (!known.focusable || known.index.starts_with('-'))
        && ours.keys().any(|own| inside(path, own) || inside(own, path))
}

fn is_frame(role: &str) -> bool {
    matches!(role, "RootWebArea" | "Iframe" | "EmbeddedObject" | "PluginObject")
}
