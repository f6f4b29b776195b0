//! Page files: what was seen at each step of a flow, as plain lists. Enough to judge a heal again without a browser.

use serde::Deserialize;

use crate::element::{Element, Rect, Scope, Usable};
use crate::map::Named;

/// What was seen at each step of a flow.
#[derive(Clone, Debug, Deserialize)]
pub struct PageFile {
    /// The application.
    pub app: String,
    /// One entry a step.
    pub steps: Vec<PageStep>,
}

/// One step of a page file.
#[derive(Clone, Debug, Deserialize)]
pub struct PageStep {
    /// The step, e.g. `04 open Users`.
    pub id: String,
    /// The right element; absent where it was not there.
    #[serde(default)]
    pub target: Option<Candidate>,
    /// Every interactive element of the page, in document order.
    #[serde(default)]
    pub cands: Vec<Candidate>,
}

impl PageStep {
    /// The elements as an index lists them.
    pub fn elements(&self) -> Vec<Element> {
        self.cands.iter().map(Candidate::element).collect()
    }

    /// The place of the right element among them.
    pub fn right(&self) -> Option<usize> {
        let target = self.target.as_ref()?;
        self.cands.iter().position(|candidate| candidate.xpath == target.xpath)
    }
}

/// One element of a page file.
#[derive(Clone, Debug, Deserialize)]
pub struct Candidate {
    role: Option<String>,
    name: Option<String>,
    scope: Option<String>,
    /// Absolute XPath.
    pub xpath: String,
    tag: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    cls: String,
    #[serde(default)]
    nameattr: String,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    href: String,
    #[serde(rename = "box")]
    bounds: Option<[f64; 4]>,
    row: Option<String>,
    heading: Option<String>,
    beside: Option<String>,
    usable: Option<bool>,
    #[serde(default)]
    disabled: bool,
    testid: Option<String>,
}

impl Candidate {
    /// The element as the index lists it.
    pub fn element(&self) -> Element {
        let bounds = Rect::from(self.bounds.unwrap_or_default());
        Element {
            role: self.role.clone().unwrap_or_else(|| "generic".to_owned()),
            name: self.name.clone().unwrap_or_default(),
            tag: self.tag.to_lowercase(),
            scope: self.scope.clone().map(|label| Scope { label, weak: false }),
            usable: self.usable(bounds),
            bounds,
            attributes: self.attributes(),
            path: self.xpath.clone(),
            row_key: cut(self.row.as_deref()),
            heading: cut(self.heading.as_deref()),
            beside: cut(self.beside.as_deref()),
            ..Element::default()
        }
    }

    fn usable(&self, bounds: Rect) -> Usable {
        match self.usable {
            _ if self.disabled => Usable::Disabled,
            Some(true) => Usable::Yes,
            Some(false) => Usable::Covered { by: "something else".to_owned() },
            None if bounds.width <= 0.0 || bounds.height <= 0.0 => Usable::Hidden,
            None => Usable::Unknown,
        }
    }

    fn attributes(&self) -> Named<String> {
        let pairs = [
            ("id", self.id.as_str()),
            ("class", &self.cls),
            ("name", &self.nameattr),
            ("type", &self.kind),
            ("href", &self.href),
            ("data-testid", self.testid.as_deref().unwrap_or_default()),
        ];
        let given = pairs.into_iter().filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| (name.to_owned(), value.chars().take(CUT).collect())).collect()
    }
}

/// The index keeps this many characters of any text.
const CUT: usize = 200;

fn cut(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).map(|text| text.chars().take(CUT).collect())
}
