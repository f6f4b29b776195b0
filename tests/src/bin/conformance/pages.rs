//! Pages against Chromium's own tree: each listed element's role and name.

use std::path::Path;

use cairn_tests::{Failed, Outcome, Pages, Stage};

use super::{dom, plain, probe, say};

/// Share of listed elements that must agree, in percent.
const BAR: f64 = 99.0;

/// The browser's word for a role, and ours where it is another: the fixed table of equivalences.
pub const EQUIVALENT: [(&str, &str); 14] = [
    // WAI-ARIA 1.3 lets `image` stand for `img`.
    ("image", "img"),
    // SVG-AAM: the root of a drawing is an image where it has a name.
    ("SvgRoot", "img"),
    // HTML-AAM 4.1 gives these inputs no role; ours are fixed pseudo-roles.
    ("Date", "date"),
    ("DateTime", "date"),
    ("DateTime", "month"),
    ("DateTime", "week"),
    ("InputTime", "time"),
    ("ColorWell", "color"),
    ("button", "file"),
    // HTML-AAM gives a summary none; a person presses it like a button.
    ("DisclosureTriangle", "button"),
    ("DisclosureTriangleGrouped", "button"),
    // What is only clickable keeps the role that it has.
    ("none", "generic"),
    ("LabelText", "generic"),
    ("group", "generic"),
];

/// Where we keep to the specification and the browser does not: the page, and the name that the browser gives.
const DEPARTURES: [(&str, &str); 2] = [
    // accname 1.2, 2I: the title of a child is part of a name from content.
    ("14-name-child-title.html", ""),
    // accname 1.2, 2A and 2E: a hidden label still names its control.
    ("names.html", ""),
];

/// Compares every HTML file of a folder; true where the bar is reached.
pub async fn compare(stage: &Stage, folder: &Path) -> Outcome<bool> {
    let site = Pages::serve(folder).await?;
    let files = std::fs::read_dir(folder).map_err(Failed::io("reading the folder of pages"))?;
    let mut names: Vec<String> =
        files.filter_map(|file| Some(file.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.retain(|name| name.ends_with("html"));
    names.sort();
    let (mut all, mut roles, mut texts) = (0, 0, 0);
    for name in names {
        let url = site.url(&name);
        let tab = stage.chrome.open(&url).await?;
        tab.until("document.readyState === 'complete'").await?;
        // The debugging protocol cannot write down a tree that is nested a thousand deep.
        let told = match dom::told(&tab).await {
            Ok(told) => told,
            Err(error) => {
                say(&format!("  {name}: left out, {error}"));
                tab.close().await?;
                continue;
            }
        };
        for element in probe(stage, &url, &["--tree"]).await? {
            let text = |key: &str| element[key].as_str().unwrap_or_default();
            let path = text("selector").strip_prefix("xpath=").unwrap_or_default();
            let Some(told) = told.get(path) else { continue };
            // What names nobody and is no part of a page's structure is told apart by the browser's own taste.
            if !is_compared(text("role")) {
                continue;
            }
            all += 1;
            let same_role =
                told.role == text("role") || EQUIVALENT.contains(&(told.role.as_str(), text("role")));
            let same_name = plain(&told.name) == plain(text("name"))
                || is_glyph(&told.name)
                || DEPARTURES.contains(&(name.as_str(), told.name.as_str()));
            roles += usize::from(same_role);
            texts += usize::from(same_name);
            if !same_role || !same_name {
                let ours = format!("{} {:?}", text("role"), text("name"));
                say(&format!("  {name} {path}: {ours}, the browser says {} {:?}", told.role, told.name));
            }
        }
        tab.close().await?;
    }
    say(&format!("{}: of {all}, {roles} agree on the role and {texts} on the name", folder.display()));
    let reached =
        |count: usize| count as f64 * 100.0 >= BAR * f64::from(u32::try_from(all).unwrap_or(u32::MAX));
    Ok(reached(roles) && reached(texts))
}

/// Roles of what a person acts on, and of headings, images and landmarks.
fn is_compared(role: &str) -> bool {
    cairn_core::role::is_widget(role)
        || matches!(role, "heading" | "img" | "navigation" | "dialog" | "region" | "main")
}

/// A name made of an icon font's glyphs alone counts as none.
pub fn is_glyph(name: &str) -> bool {
    !name.is_empty() && cairn_core::name::is_unreadable(name)
}
