//! A case as its JSON file has it.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::{Failed, Outcome};

/// One case.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Its number.
    pub id: String,
    /// Its name.
    pub slug: String,
    /// Its page, a file of the same folder.
    pub html: String,
    /// The same page after a redesign.
    pub drift_html: Option<String>,
    /// What the person does.
    pub steps: Vec<CaseStep>,
    /// What must come of it.
    pub expect: Expect,
    /// What a replay on the page after must do.
    pub heal: Option<Healing>,
}

/// One thing that the person does. Keys that are not used by the driver are left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CaseStep {
    /// `click`, `fill`, `type`, `press`, `check`, `select`, `drag`, `drag_by`, `draw`, `compose`, `back`, `wait`, …
    pub action: String,
    /// Role of the control.
    pub role: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// `false`: the name holds `name`, and is not equal to it.
    pub exact: Option<bool>,
    /// Its region.
    pub scope: Option<Region>,
    /// The text.
    pub value: Option<String>,
    /// The key or chord.
    pub key: Option<String>,
    /// The option or options of a select.
    pub option: Option<Value>,
    /// Where the pointer lands, as CSS.
    pub hit: Option<String>,
    /// The control, as CSS.
    pub css: Option<String>,
    /// Of those that `css` finds, the one that shows this text.
    pub text: Option<String>,
    /// Of those that `css` finds, the one in whose row this text stands.
    pub within_text: Option<String>,
    /// The control, as CSS, for a driver that cannot find it by role and name.
    pub driver_css: Option<String>,
    /// The same, for a page on which DOM methods are shadowed.
    pub driver_raw: Option<Value>,
    /// Where in the control the pointer lands.
    pub position: Option<Position>,
    /// The nth of several, from 0.
    pub nth: Option<usize>,
    /// Type without clicking first.
    pub nofocus: Option<bool>,
    /// Type at the end of what is there.
    pub end: Option<bool>,
    /// In the frames of these titles, from the top page.
    pub frame: Vec<String>,
    /// In another tab, by the name it was opened under; `tab1` is the first.
    pub tab: Option<String>,
    /// Opens a tab that has this name from then on.
    pub opens: Option<String>,
    /// Native dialogs that come of it, in order.
    pub dialogs: Vec<Answer>,
    /// The button that opens a file chooser.
    pub via: Option<Place>,
    /// The file that is picked there.
    pub file: Option<Content>,
    /// Where a drag begins.
    pub from: Option<Place>,
    /// Where it ends.
    pub to: Option<Place>,
    /// A point of the viewport, or how far a drag goes.
    pub x: f64,
    /// Its other half.
    pub y: f64,
    /// Where a container is scrolled to.
    pub top: f64,
    /// The points of the control that the pointer is drawn through, from its left top corner.
    pub points: Vec<(f64, f64)>,
}

/// How a person answers a native dialog.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// By its yes.
    pub accept: bool,
    /// What they write into a prompt.
    pub text: Option<String>,
}

/// An element by role and name, or as CSS.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Place {
    /// Role.
    pub role: Option<String>,
    /// Name.
    pub name: Option<String>,
    /// CSS.
    pub css: Option<String>,
    /// Pixels from its left; its middle where neither is told.
    pub x: Option<f64>,
    /// Pixels from its top.
    pub y: Option<f64>,
}

/// A file as a case describes it.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Content {
    /// Its name.
    pub name: String,
    /// What stands in it.
    pub content: String,
}

/// A region by role and name.
#[derive(Clone, Debug, Deserialize)]
pub struct Region {
    /// Role.
    pub role: String,
    /// Name.
    pub name: String,
}

/// A place in a box, from its left top corner.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Position {
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from the top.
    pub y: f64,
}

/// What must come of the steps.
#[derive(Clone, Debug, Deserialize)]
pub struct Expect {
    /// What the page comes to in the end.
    pub outcome: String,
    /// Where the page tells it, as an expression; absent: `document.documentElement.dataset.outcome`.
    #[serde(default)]
    pub says: Option<String>,
    /// The steps that a script must hold, in order, and no others; absent: whatever leads to the outcome.
    #[serde(default)]
    pub record: Vec<Wanted>,
    /// Literals that may occur in nothing that is stored.
    #[serde(default)]
    pub secrets: Vec<String>,
}

/// One recorded step as it must be; what is absent is not compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// The method.
    pub action: String,
    /// Role of the target.
    pub role: Option<String>,
    /// Name of the target.
    pub name: Option<String>,
    /// Scope of the target, `role:name`.
    pub scope: Option<String>,
    /// The text; `true` for a ticked box says nothing more than the method.
    pub value: Option<Value>,
    /// The key.
    pub key: Option<String>,
    /// Name of the uploaded file.
    pub file: Option<String>,
    /// What a drag begins on.
    pub from: Option<Place>,
    /// What it ends on.
    pub to: Option<Place>,
    /// Its tab, from 1.
    pub tab: Option<u32>,
    /// It opens a tab.
    pub opens_tab: Option<bool>,
    /// How many frames deep it is, by their titles.
    pub frame: Option<Vec<String>>,
    /// The dialogs it brings.
    pub dialogs: Option<Vec<WantedDialog>>,
}

/// A recorded dialog as it must be.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct WantedDialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    #[serde(rename = "type")]
    pub kind: String,
    /// By its yes.
    pub accept: Option<bool>,
    /// What a prompt got.
    pub text: Option<String>,
}

/// What a replay on the page after must do.
#[derive(Clone, Debug, Deserialize)]
pub struct Healing {
    /// `target`, `decline`, `target-or-decline` or `no-op`.
    pub verdict: String,
    /// The outcome when the right element is used; `none` where the page stays untouched.
    pub after_outcome: Option<String>,
}

impl Case {
    /// Every case of a folder, by id; only those named where any are.
    pub fn all(folder: &Path, only: &[String]) -> Outcome<Vec<Self>> {
        let entries =
            std::fs::read_dir(folder).map_err(Failed::io(format!("reading {}", folder.display())))?;
        let mut cases = Vec::new();
        for entry in entries.flatten() {
            let path = entry.path();
            // What else lies there (a list of packages, say) is no case.
            let numbered =
                entry.file_name().to_string_lossy().starts_with(|first: char| first.is_ascii_digit());
            if numbered && path.extension().is_some_and(|ending| ending == "json") {
                let text = std::fs::read_to_string(&path)
                    .map_err(Failed::io(format!("reading {}", path.display())))?;
                let case: Self = serde_json::from_str(&text)
                    .map_err(|error| Failed::because(format!("{}: {error}", path.display())))?;
                if only.is_empty() || only.contains(&case.id) {
                    cases.push(case);
                }
            }
        }
        cases.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(cases)
    }

    /// Its page has a policy in itself under which no WASM compiles.
    pub fn forbids_wasm(&self, folder: &Path) -> bool {
        let text = std::fs::read_to_string(folder.join(&self.html)).unwrap_or_default();
        text.to_lowercase().contains("http-equiv=\"content-security-policy\"")
    }
}
