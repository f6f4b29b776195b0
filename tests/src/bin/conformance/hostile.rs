//! Pages that would rather not be read: huge, deep, clobbered, watchful. Each file of `tests/pages/hostile` has beside it what
//! both builds must list, and its title says what it noticed of them.

use std::path::Path;

use cairn_tests::say::say;
use cairn_tests::{Failed, Outcome, Pages, Stage};
use serde::Deserialize;
use serde_json::Value;

/// What must be listed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expected {
    /// `role name`, in document order; names beyond 40 letters are cut here.
    list: Vec<String>,
    /// There may be others between them.
    #[serde(default)]
    among: bool,
    /// How many say that they were cut.
    #[serde(default)]
    cut: usize,
    /// The list may end too soon where it says so.
    #[serde(default)]
    may_end: bool,
}

/// Lists every page in both builds; true where all are as they must be.
pub async fn compare(stage: &Stage, folder: &Path) -> Outcome<bool> {
    let site = Pages::serve(folder).await?;
    let files = std::fs::read_dir(folder).map_err(Failed::io("reading the folder of pages"))?;
    let mut names: Vec<String> =
        files.filter_map(|file| Some(file.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.retain(|name| Path::new(name).extension().is_some_and(|kind| kind != "json"));
    names.sort();
    let mut good = true;
    for name in names {
        let beside = folder.join(&name).with_extension("json");
        let text =
            std::fs::read_to_string(&beside).map_err(Failed::io(format!("reading {}", beside.display())))?;
        let expected: Expected =
            serde_json::from_str(&text).map_err(|error| Failed::because(format!("{name}: {error}")))?;
        for engine in ["wasm", "js"] {
            let wrong = wrong(stage, &site.url(&name), engine, &expected).await?;
            for wrong in &wrong {
                say(&format!("  {name} {engine}: {wrong}"));
            }
            good &= wrong.is_empty();
        }
    }
    say(&format!(
        "{}: {}",
        folder.display(),
        if good { "all as they must be" } else { "not all as they must be" }
    ));
    Ok(good)
}

/// What is wrong with the list that one build gives.
async fn wrong(stage: &Stage, url: &str, engine: &str, expected: &Expected) -> Outcome<Vec<String>> {
    let tab = stage.chrome.open(url).await?;
    tab.until("document.readyState === 'complete'").await?;
    let title = tab.evaluate("document.title").await?;
    let port = stage.daemon.port_text();
    let flags = ["probe", url, "--attach", "--all", "--json", "--engine", engine, "--port", &port];
    let said = stage.cairn.run(&flags).await?;
    let result = said.whole()?;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    let seen = tab.evaluate("document.title").await?;
    tab.close().await?;
    let mut wrong = Vec::new();
    if seen != title {
        wrong.push(format!("the page noticed: {seen}"));
    }
    let Some(elements) = result["elements"].as_array() else {
        return Ok(vec![format!("no list: {} {result}", said.errors)]);
    };
    let ended = result["truncated"] == true;
    if ended && !expected.may_end || result["reason"].is_string() && !ended {
        wrong.push(format!("the list is not whole: {}", result["reason"]));
    }
    let list: Vec<String> = elements.iter().map(line).collect();
    let found = if expected.among {
        let mut rest = list.iter();
        expected.list.iter().all(|wanted| rest.any(|line| line == wanted))
    } else {
        list == expected.list
    };
    if !found && !ended {
        wrong.push(format!("{} listed: {:?}", list.len(), &list[..list.len().min(40)]));
    }
    let cut = elements.iter().filter(|element| element["states"]["cut"] == true).count();
    if cut != expected.cut {
        wrong.push(format!("{cut} are said to be cut"));
    }
    say(&format!(
        "  {url} {engine}: {} listed in {:.0} ms",
        list.len(),
        result["tookMs"].as_f64().unwrap_or(f64::NAN)
    ));
    Ok(wrong)
}

fn line(element: &Value) -> String {
    let text = |key: &str| element[key].as_str().unwrap_or_default();
    let name: String = text("name").chars().take(40).collect();
    format!("{} {}", text("role"), name.trim_end())
}
