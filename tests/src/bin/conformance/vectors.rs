//! The W3C's accname vectors, through the probe's tree.

use std::collections::BTreeMap;
use std::path::Path;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use cairn_tests::{Failed, Outcome, Pages, Stage};
use serde::Deserialize;
use serde_json::Value;

use super::{plain, probe, say};

/// As many as the browser itself gets right.
const BARS: [(&str, usize); 2] = [("manual", 139), ("name", 369)];

#[derive(Deserialize)]
struct Vector {
    file: String,
    html: String,
    #[serde(default)]
    expect: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    selector: String,
    label: String,
}

/// Where the labelled elements are, as the probe writes paths, and what they should be called.
const EXPECTATIONS: &str = r"(expect => {
  const pathOf = element => {
    let path = '';
    for (let node = element; node?.nodeType === 1; ) {
      let place = 1;
      for (let before = node.previousElementSibling; before; before = before.previousElementSibling) if (before.localName === node.localName) place++;
      const name = node.namespaceURI.endsWith('svg') ? `*[local-name()='${node.localName}']` : node.localName;
      path = `/${name}[${place}]${path}`;
      const parent = node.parentNode;
      if (parent?.host) path = ` >> ${path}`;
      node = parent?.host ?? parent;
    }
    return path;
  };
  const found = [];
  const all = root => {
    for (const element of root.querySelectorAll('*')) {
      if (element.hasAttribute('data-expectedlabel')) found.push([pathOf(element), element.getAttribute('data-expectedlabel')]);
      if (element.shadowRoot) all(element.shadowRoot);
    }
  };
  all(document);
  for (const { selector, label } of expect) found.push([pathOf(document.querySelector(selector)), label]);
  return found;
})";

/// Compares all of them; true where the bars are reached.
pub async fn compare(stage: &Stage, file: &Path) -> Outcome<bool> {
    let text = std::fs::read_to_string(file).map_err(Failed::io("reading the vectors"))?;
    let mut tally: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in text.lines() {
        let vector: Vector =
            serde_json::from_str(line).map_err(|error| Failed::because(error.to_string()))?;
        let kind = vector.file.split('/').nth(1).unwrap_or_default().to_owned();
        let (right, all) = tally.entry(kind).or_default();
        for (path, label, name) in judge(stage, &vector).await? {
            *all += 1;
            if name.as_deref().map(plain) == Some(plain(&label)) {
                *right += 1;
            } else {
                say(&format!("  {} {path}: {label:?} is {name:?}", vector.file));
            }
        }
    }
    for (kind, (right, all)) in &tally {
        say(&format!("W3C accname/{kind}: {right} of {all}"));
    }
    Ok(BARS.iter().all(|(kind, bar)| tally.get(*kind).is_some_and(|(right, _)| right >= bar)))
}

/// Path, label that should be, name that is.
async fn judge(stage: &Stage, vector: &Vector) -> Outcome<Vec<(String, String, Option<String>)>> {
    let html = vector.html.clone();
    let site =
        Pages::serve_router(Router::new().route("/page", get(move || async move { Html(html) }))).await?;
    let url = site.url("page");
    let tab = stage.chrome.open(&url).await?;
    tab.until("document.readyState === 'complete'").await?;
    let expect: Vec<Value> = vector
        .expect
        .iter()
        .map(|one| serde_json::json!({ "selector": one.selector, "label": one.label }))
        .collect();
    let expected = tab.evaluate(&format!("{EXPECTATIONS}({})", Value::from(expect))).await?;
    let elements = probe(stage, &url, &["--tree"]).await?;
    tab.close().await?;
    let names: BTreeMap<&str, &str> = elements
        .iter()
        .filter_map(|one| Some((one["selector"].as_str()?.strip_prefix("xpath=")?, one["name"].as_str()?)))
        .collect();
    let pairs: Vec<(String, String)> =
        serde_json::from_value(expected).map_err(|error| Failed::because(error.to_string()))?;
    Ok(pairs
        .into_iter()
        .map(|(path, label)| {
            let name = names.get(path.as_str()).map(|name| (*name).to_owned());
            (path, label, name)
        })
        .collect())
}
