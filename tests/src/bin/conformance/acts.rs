//! A sample of what is listed on the real applications' pages is acted on by ref, and the page says where the event arrived.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cairn_core::script::{Action, Method};
use cairn_core::wire::page::Diverged;
use cairn_host::browser::Launch;
use cairn_host::daemon::{Config, Daemon, Hub, OwnBrowser};
use cairn_host::engine::Engine;
use cairn_host::engine::browse::Browsing;
use cairn_host::store::SqliteStore;
use cairn_tests::tab::Tab;
use cairn_tests::{Failed, Outcome};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::apps::{PAGES, serve, settle};
use super::say;

/// How many elements of a page are acted on; small pages have fewer. Some 300 in all.
const SHARE: usize = 22;

/// What the ears say of an act that no event came of.
const NOTHING: &str = "nothing arrived";

/// What lay outside the window when it was listed may turn out to be covered: then nothing is pressed, and that is said.
const REFUSED: &str = "refused";

/// Hears every press before the page does, keeps it from the page, so that the page stays what it was listed as, and tells at
/// which element it arrived.
const EARS: &str = r"(() => {
  let heard = [];
  for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'focus', 'focusin', 'input', 'change', 'submit']) {
    addEventListener(type, (event) => {
      if (type === 'click') heard.push(event.composedPath());
      event.preventDefault();
      event.stopImmediatePropagation();
    }, true);
  }
  const elementAt = (path) => {
    let at = null;
    for (const part of path.split(' >> ')) {
      at = at ? at.shadowRoot : document;
      for (const step of part.split('/').filter(Boolean)) {
        const [, named, plain, place] = step.match(/^(?:\*\[local-name\(\)='(.*?)'\]|(.*?))\[(\d+)\]$/) ?? [];
        at = [...(at?.children ?? [])].filter((child) => child.localName === (named ?? plain))[place - 1];
      }
    }
    return at ?? null;
  };
  window.arrivedAt = (path) => {
    const wanted = elementAt(path);
    const ways = heard;
    heard = [];
    if (!wanted) return 'no element is there';
    const labels = [...(wanted.labels ?? [])];
    const good = ways.some((way) => way.includes(wanted) || labels.some((label) => way.includes(label)));
    return good ? '' : ways.length ? `it arrived at <${ways[0][0].localName}>` : 'nothing arrived';
  };
})()";

/// Acts on the sample; true where every event arrived where it was meant to.
pub async fn compare(folder: &Path) -> Outcome<bool> {
    let site = serve(folder).await?;
    let scratch = tempfile::tempdir().map_err(Failed::io("making a folder"))?;
    let store = SqliteStore::open(scratch.path()).map_err(|error| Failed::because(error.to_string()))?;
    let config = Config { port: 0, data: None, hub: Hub::new(), handler: None };
    let daemon = Daemon::start(config).await.map_err(|error| Failed::because(error.message))?;
    let browser = OwnBrowser::start(&daemon, Launch { headless: true, ..Launch::default() })
        .await
        .map_err(|error| Failed::because(error.message))?;
    let engine = Engine::new(browser.hub().clone(), Arc::new(store), scratch.path());
    let (mut all, mut good, mut refused) = (0, 0, 0);
    let only = std::env::var("CAIRN_APP").unwrap_or_default();
    for (page, stands) in PAGES.iter().filter(|(page, _)| page.contains(&only)) {
        match on_page(&engine, &browser, &site.url(page), stands).await {
            Ok(acts) => {
                for (line, trouble) in acts {
                    all += 1;
                    good += usize::from(trouble.is_empty());
                    refused += usize::from(trouble.starts_with(REFUSED));
                    if !trouble.is_empty() {
                        say(&format!("  {page} {line}: {trouble}"));
                    }
                }
            }
            Err(error) => {
                all += 1;
                say(&format!("  {page}: could not be acted on: {error}"));
            }
        }
    }
    browser.stop().await;
    daemon.stop().await;
    say(&format!(
        "acted on by ref: {good} of {all} events arrived at the element that was listed, {refused} acts were refused with the reason"
    ));
    Ok(good + refused == all && refused * 50 <= all)
}

async fn on_page(
    engine: &Arc<Engine>,
    browser: &OwnBrowser,
    url: &str,
    stands: &str,
) -> Outcome<Vec<(String, String)>> {
    let wire = |error: cairn_core::wire::WireError| Failed::because(error.message);
    let mut browsing = engine.browse(url).await.map_err(wire)?;
    let tab = tab_at(browser, url).await?;
    settle(&tab, stands).await?;
    let lines = browsing.look(true).await.map_err(wire)?.lines;
    tab.call("Runtime.evaluate", json!({ "expression": EARS })).await?;
    let states = |line: &str| line.split("[ref=").next().unwrap_or_default().to_owned();
    let usable = |line: &&String| !states(line).contains("disabled") && !line.contains(" in frame ");
    let usable: Vec<&String> = lines.iter().filter(usable).collect();
    let share = SHARE.min(usable.len());
    let mut acts = Vec::new();
    for at in 0..share {
        let line = usable[at * usable.len() / share];
        acts.push((line.clone(), act(&mut browsing, &tab, line).await?));
    }
    browsing.close().await;
    Ok(acts)
}

/// What went wrong; empty where nothing did.
async fn act(browsing: &mut Browsing, tab: &Tab, line: &str) -> Outcome<String> {
    let reference = line.split("[ref=").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
    let (target, _) = match browsing.describe(reference).await {
        Ok(described) => described,
        Err(error) => return Ok(format!("not described: {}", error.message)),
    };
    let report = browsing.act(reference, Action { method: Method::Click, ..Action::default() }).await;
    let expression = format!("arrivedAt({})", json!(target.path));
    let answer =
        tab.call("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true })).await?;
    let trouble = answer["result"]["value"].as_str().unwrap_or("the page was left").to_owned();
    Ok(match report {
        Err(error) if !trouble.is_empty() => format!("{trouble}; {}", error.message),
        Ok(report)
            if trouble == NOTHING
                && report.divergence.as_ref().is_some_and(|one| one.condition == Diverged::Unusable) =>
        {
            format!("{REFUSED}: {}", report.divergence.map(|one| one.observed).unwrap_or_default())
        }
        Ok(report) if !trouble.is_empty() => {
            let divergence = report.divergence.map(|one| format!("{}: {}", one.expected, one.observed));
            format!("{trouble}; {}", divergence.unwrap_or_default())
        }
        _ => trouble,
    })
}

/// The tab that shows this URL.
async fn tab_at(browser: &OwnBrowser, url: &str) -> Outcome<Tab> {
    for _ in 0..100 {
        let answer = browser.pipe().call("Target.getTargets", json!({}), None).await?;
        let fits = |one: &&Value| one["type"] == "page" && one["url"] == url;
        if let Some(id) = answer["targetInfos"].as_array().into_iter().flatten().find(fits) {
            return Tab::attach(browser.pipe(), id["targetId"].as_str().unwrap_or_default()).await;
        }
        sleep(Duration::from_millis(100)).await;
    }
    Err(Failed::because(format!("no tab shows {url}")))
}
