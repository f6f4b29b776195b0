//! Element lists written as data, and the check that a case makes of two of them.

use cairn_core::element::{Element, Scope, Usable};
use cairn_core::ladder::{Heal, Hits, Index, Rung, Selectors, Verdict, describe, resolve};
use cairn_core::script::Target;

/// An element with a role, a name and a path; the rest by the methods below.
pub fn element(role: &str, name: &str, path: &str) -> Element {
    let tag = match role {
        "link" => "a",
        "button" | "tab" => "button",
        "combobox" | "listbox" => "select",
        _ => "input",
    };
    Element {
        role: role.into(),
        name: name.into(),
        tag: tag.into(),
        path: path.into(),
        usable: Usable::Yes,
        ..Element::default()
    }
}

/// What a case says of an element, in the order in which it matters.
pub trait With: Sized {
    fn with(self, attribute: &str, value: &str) -> Self;
    fn scoped(self, label: &str) -> Self;
    fn in_section(self, label: &str) -> Self;
    fn row(self, text: &str) -> Self;
    fn heading(self, text: &str) -> Self;
    fn beside(self, text: &str) -> Self;
    fn but(self, usable: Usable) -> Self;
}

impl With for Element {
    fn with(mut self, attribute: &str, value: &str) -> Self {
        self.attributes.insert(attribute.into(), value.into());
        self
    }
    fn scoped(mut self, label: &str) -> Self {
        self.scope = Some(Scope { label: label.into(), weak: false });
        self
    }
    fn in_section(mut self, label: &str) -> Self {
        self.scope = Some(Scope { label: label.into(), weak: true });
        self
    }
    fn row(mut self, text: &str) -> Self {
        self.row_key = Some(text.into());
        self
    }
    fn heading(mut self, text: &str) -> Self {
        self.heading = Some(text.into());
        self
    }
    fn beside(mut self, text: &str) -> Self {
        self.beside = Some(text.into());
        self
    }
    fn but(mut self, usable: Usable) -> Self {
        self.usable = usable;
        self
    }
}

/// Answers `testid=`, `role=`, `id=`, `name=` and `xpath=` over a list.
pub struct Page(pub Index);

impl Selectors for Page {
    fn hits(&self, selector: &str) -> Hits {
        let (kind, value) = selector.split_once('=').expect("a selector is kind=value");
        let hit = |element: &Element| match kind {
            "xpath" => element.path == value,
            "testid" => element.attribute("data-testid") == Some(value),
            "role" => element.usable != Usable::Hidden && by_name(element) == value,
            other => element.attribute(other) == Some(value),
        };
        let elements = self.0.elements().iter().enumerate();
        Hits {
            listed: elements.filter(|(_, element)| hit(element)).map(|(place, _)| place).collect(),
            others: 0,
        }
    }
}

/// Role and name as a selector says them.
fn by_name(element: &Element) -> String {
    format!("{}[name=\"{}\"]", element.role, element.name)
}

/// The same with the selector by role and name that a recorder puts first where it is unique.
pub fn record_by_name(before: &[Element], place: usize) -> Target {
    let mut target = record(before, place);
    let first = std::mem::replace(&mut target.selector, format!("role={}", by_name(&before[place])));
    target.selectors.insert(0, first);
    target
}

/// What a recorder would store of the element at `place`.
pub fn record(before: &[Element], place: usize) -> Target {
    let index = Index::new(before.to_vec());
    let mut target = describe(&index, place);
    let element = &before[place];
    let mut selectors = Vec::new();
    for (kind, attribute) in [("testid", "data-testid"), ("id", "id"), ("name", "name")] {
        selectors.extend(element.attribute(attribute).map(|value| format!("{kind}={value}")));
    }
    selectors.push(format!("xpath={}", element.path));
    target.selector = selectors.remove(0);
    target.selectors = selectors;
    target
}

/// Records the element at `place` of `before` and finds it among `after`.
pub fn find(before: &[Element], place: usize, after: &[Element]) -> Verdict {
    let target = record(before, place);
    let page = Page(Index::new(after.to_vec()));
    resolve(&target, &page.0, &page, Heal::Ladder)
}

/// It must be found, on its own page at 1.0 and among `after` at `right`, by `rung`.
#[track_caller]
pub fn heals(before: &[Element], place: usize, after: &[Element], right: usize, rung: Rung) {
    let own = find(before, place, before);
    assert_eq!(
        own.matched().map(|found| (found.index, found.rung)),
        Some((place, Rung::Selector)),
        "own page: {own:?}"
    );
    let verdict = find(before, place, after);
    assert_eq!(verdict.matched().map(|found| (found.index, found.rung)), Some((right, rung)), "{verdict:?}");
}

/// Nothing may be acted on.
#[track_caller]
pub fn declines(before: &[Element], place: usize, after: &[Element]) {
    let verdict = find(before, place, after);
    assert_eq!(verdict.accepted(0.6), None, "{}", verdict.sentence());
}
