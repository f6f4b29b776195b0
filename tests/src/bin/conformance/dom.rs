//! Chromium's accessibility tree, joined with the paths that the probe writes.

use std::collections::HashMap;

use cairn_tests::Outcome;
use cairn_tests::tab::Tab;
use serde_json::{Value, json};

/// What the browser says of one element.
pub struct Told {
    /// Its role, in the browser's own word.
    pub role: String,
    /// Its name.
    pub name: String,
}

/// What the browser tells of every element that it does not ignore, by path.
pub async fn told(tab: &Tab) -> Outcome<HashMap<String, Told>> {
    tab.call("Accessibility.enable", json!({})).await?;
    let tree = tab.call("Accessibility.getFullAXTree", json!({})).await?;
    let document = tab.call("DOM.getDocument", json!({ "depth": -1, "pierce": true })).await?;
    let paths = paths(&document["root"]);
    let nodes = tree["nodes"].as_array().into_iter().flatten();
    let told = nodes.filter(|node| node["ignored"] != true).filter_map(|node| {
        let path = paths.get(&node["backendDOMNodeId"].as_i64()?)?.clone();
        let text = |key: &str| node[key]["value"].as_str().unwrap_or_default().to_owned();
        Some((path, Told { role: text("role"), name: text("name") }))
    });
    Ok(told.collect())
}

/// The path of every element, by the browser's number.
pub fn paths(root: &Value) -> HashMap<i64, String> {
    let mut paths = HashMap::new();
    walk(root, "", &mut paths);
    paths
}

fn walk(node: &Value, path: &str, paths: &mut HashMap<i64, String>) {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for child in node["children"].as_array().into_iter().flatten().filter(|child| child["nodeType"] == 1) {
        let name = child["localName"].as_str().unwrap_or_default();
        let count = counts.entry(name).or_default();
        *count += 1;
        let step = if child["isSVG"] == true { format!("*[local-name()='{name}']") } else { name.to_owned() };
        let own = format!("{path}/{step}[{count}]");
        for root in child["shadowRoots"].as_array().into_iter().flatten() {
            walk(root, &format!("{own} >> "), paths);
        }
        walk(child, &own, paths);
        if let Some(id) = child["backendNodeId"].as_i64() {
            paths.insert(id, own);
        }
    }
}
