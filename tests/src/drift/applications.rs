//! Real applications at two versions: a flow's targets and every candidate at each step, as Chromium saw them.

use std::rc::Rc;

use cairn_core::element::Element;
use cairn_core::ladder::{Index, describe};

use super::pairs::same_effect;
use super::stored::{Candidate, DataError, PageFile, PageStep, folder, read};
use super::task::{Page, Rival, Task, Truth};

/// The applications, each with a flow in tests/drift.
pub const APPLICATIONS: [&str; 4] = ["datasette", "django-admin", "flask-admin", "swagger-ui"];

/// Old and new page file of each pair of versions.
const PAIRS: [(&str, &str, &str); 6] = [
    ("datasette", "old", "new"),
    ("django-admin", "old", "mid"),
    ("django-admin", "mid", "new"),
    ("django-admin", "old", "new"),
    ("flask-admin", "old", "new"),
    ("swagger-ui", "old", "new"),
];

/// Steps where declining is as good as healing: too little of the target is left for anybody to be sure.
const MAY_DECLINE: [(&str, &str); 6] = [
    ("django-admin", "12 pick group"),
    ("django-admin", "13 choose group"),
    ("django-admin", "19 select row"),
    ("flask-admin", "10 clear search"),
    ("flask-admin", "18 select row 3"),
    ("swagger-ui", "04 authorize in dialog"),
];

/// Is declining this step as good as healing it?
pub fn may_decline(app: &str, step: &str) -> bool {
    MAY_DECLINE.contains(&(app, step))
}

/// The applications' steps as tasks.
pub struct Applications {
    /// Each with its target still there.
    pub there: Vec<Task>,
    /// The same with the target removed from the page.
    pub gone: Vec<Task>,
}

/// Loads them.
pub fn load() -> Result<Applications, DataError> {
    let mut all = Applications { there: Vec::new(), gone: Vec::new() };
    for (app, old, new) in PAIRS {
        let before: PageFile = read(&folder().join(format!("{app}.{old}.pages.json.gz")))?;
        let after: PageFile = read(&folder().join(format!("{app}.{new}.pages.json.gz")))?;
        for step in &before.steps {
            let Some(now) = after.steps.iter().find(|other| other.id == step.id) else { continue };
            add(&mut all, app, &format!("{old}-{new}"), step, now);
        }
    }
    Ok(all)
}

/// The old pages of every application: hosts for mutants.
pub fn old_pages() -> Result<Vec<(String, Vec<Element>)>, DataError> {
    let mut pages: Vec<(String, Vec<Element>)> = Vec::new();
    for app in APPLICATIONS {
        let file: PageFile = read(&folder().join(format!("{app}.old.pages.json.gz")))?;
        for step in &file.steps {
            let elements: Vec<Element> = step.cands.iter().map(Candidate::element).collect();
            if elements.len() > 2 && !pages.iter().any(|(_, known)| *known == elements) {
                pages.push((app.to_owned(), elements));
            }
        }
    }
    Ok(pages)
}

fn add(all: &mut Applications, app: &str, versions: &str, step: &PageStep, now: &PageStep) {
    let (Some(target), Some(right)) = (&step.target, &now.target) else { return };
    let before = Index::new(step.cands.iter().map(Candidate::element).collect());
    let Some(at) = before.elements().iter().position(|element| element.path == target.xpath) else { return };
    let whole = page(&now.cands, None);
    let Some(place) = whole.index.elements().iter().position(|element| element.path == right.xpath) else {
        return;
    };
    let truth = if may_decline(app, &step.id) { Truth::HealOrDecline(place) } else { Truth::Heal(place) };
    let without = page(&now.cands, Some(&right.xpath));
    let harmless = same_effect(&whole.index.elements()[place], without.index.elements());
    let mut described = describe(&before, at);
    described.selector = format!("xpath={}", target.xpath);
    let drifted = right.xpath != target.xpath;
    let make = |page: Page, truth: Truth| Task {
        group: app.to_owned(),
        label: format!("{app} {versions} {}", step.id),
        operators: Vec::new(),
        target: described.clone(),
        old: Rc::new(Rival::of(&before.elements()[at])),
        page: Rc::new(page),
        truth,
        drifted,
    };
    all.there.push(make(whole, truth));
    all.gone.push(make(without, Truth::Decline { harmless }));
}

fn page(candidates: &[Candidate], without: Option<&str>) -> Page {
    let elements: Vec<Element> =
        candidates.iter().filter(|c| Some(c.xpath.as_str()) != without).map(Candidate::element).collect();
    let rivals = elements.iter().map(Rival::of).collect();
    Page { index: Index::new(elements), rivals }
}
