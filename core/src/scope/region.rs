//! Scopes: `role:name` of the nearest ancestor that a person would name when telling where something is.

use std::rc::Rc;

use crate::element::Scope;
use crate::snapshot::{Kind, NodeId, Snapshot, sym};
use crate::{name, role};

/// Names of scopes are cut at this many characters.
const NAME_LIMIT: usize = 120;

/// A label that was looked for.
#[derive(Clone, Default)]
enum Known {
    /// Not yet.
    #[default]
    No,
    /// There is none.
    Without,
    /// This one.
    Label(Rc<str>),
}

impl Known {
    fn of(label: Option<Rc<str>>) -> Self {
        label.map_or(Self::Without, Self::Label)
    }

    fn label(&self) -> Option<&Rc<str>> {
        match self {
            Self::Label(label) => Some(label),
            _ => None,
        }
    }
}

/// Finds scopes; what was found for an ancestor is kept for the next element below it.
pub struct Scopes<'a> {
    snapshot: &'a Snapshot,
    /// By node: the label of the nearest region at or above it, where that was found out.
    strong: Vec<Known>,
    /// By node: its own fallback label, where that was found out.
    weak: Vec<Known>,
    /// By node: whether it or anything above it has a fallback label.
    has_weak: Vec<Option<bool>>,
    headings: Vec<Heading>,
}

impl<'a> Scopes<'a> {
    /// For one snapshot.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let texts = super::beside::headings(snapshot).into_iter();
        let headings = texts.map(|(id, text)| {
            let label = format!("heading:{}", super::cut(&text, NAME_LIMIT));
            Heading { id, label, reach: reach(snapshot, id) }
        });
        let headings = headings.collect();
        Self {
            snapshot,
            strong: vec![Known::default(); snapshot.nodes.len()],
            weak: vec![Known::default(); snapshot.nodes.len()],
            has_weak: vec![None; snapshot.nodes.len()],
            headings,
        }
    }

    /// The scope of an element: its nearest named region; without one the heading, card, list item or details around it.
    pub fn of(&mut self, id: NodeId) -> Option<Scope> {
        if let Some(label) = self.nearest_region(id) {
            return Some(Scope { label: label.to_string(), weak: false });
        }
        self.nearest_fallback(id).map(|label| Scope { label, weak: true })
    }

    fn nearest_region(&mut self, id: NodeId) -> Option<Rc<str>> {
        let mut passed = Vec::new();
        let mut found = None;
        let mut up = self.snapshot.flat_parent(id);
        while let Some(at) = up {
            if !matches!(self.strong[at], Known::No) {
                found = self.strong[at].label().cloned();
                break;
            }
            passed.push(at);
            if let Some(label) = region(self.snapshot, at) {
                found = Some(label.into());
                break;
            }
            up = self.snapshot.flat_parent(at);
        }
        for at in passed {
            self.strong[at] = Known::of(found.clone());
        }
        found
    }

    fn nearest_fallback(&mut self, id: NodeId) -> Option<String> {
        // The heading depends on where in the ancestor the element stands, so only what does not is kept.
        let heading = self.heading_before(id);
        if !self.any_weak_above(id) {
            return heading.map(|heading| self.headings[heading].label.clone());
        }
        let mut up = self.snapshot.flat_parent(id);
        while let Some(at) = up {
            let snapshot = self.snapshot;
            self.know_weak(at);
            if let Some(own) = self.weak[at].label() {
                return Some(own.to_string());
            }
            if let Some(heading) = heading
                .map(|heading| &self.headings[heading])
                .filter(|heading| snapshot.contains(at, heading.id))
            {
                return Some(heading.label.clone());
            }
            up = snapshot.flat_parent(at);
        }
        None
    }

    fn know_weak(&mut self, at: NodeId) {
        if matches!(self.weak[at], Known::No) {
            self.weak[at] = Known::of(fallback(self.snapshot, at).map(Into::into));
        }
    }

    /// Whether something above has a fallback label of its own; elsewhere the heading alone counts.
    fn any_weak_above(&mut self, id: NodeId) -> bool {
        let mut passed = Vec::new();
        let mut found = false;
        let mut up = self.snapshot.flat_parent(id);
        while let Some(at) = up {
            if let Some(known) = self.has_weak[at] {
                found = known;
                break;
            }
            passed.push(at);
            self.know_weak(at);
            if self.weak[at].label().is_some() {
                found = true;
                break;
            }
            up = self.snapshot.flat_parent(at);
        }
        for at in passed {
            self.has_weak[at] = Some(found);
        }
        found
    }

    /// The last heading that stands before `id`, heads the part that `id` is in, and does not hold it.
    fn heading_before(&self, id: NodeId) -> Option<usize> {
        let before = self.headings.partition_point(|heading| heading.id < id);
        self.headings[..before]
            .iter()
            .rposition(|heading| id < heading.reach && !self.snapshot.contains(heading.id, id))
    }
}

/// A heading and how far it speaks: to the end of the section, group, item or row that it stands in.
struct Heading {
    id: NodeId,
    label: String,
    reach: NodeId,
}

fn reach(snapshot: &Snapshot, heading: NodeId) -> NodeId {
    let section = snapshot.ancestors(heading).find(|up| {
        let tag = snapshot.node(*up).tag;
        matches!(
            tag,
            sym::SECTION
                | sym::ARTICLE
                | sym::ASIDE
                | sym::NAV
                | sym::FIELDSET
                | sym::TABLE
                | sym::DIALOG
                | sym::LI
                | sym::DETAILS
                | sym::TR
        ) || role::written(snapshot, *up).is_some_and(|role| {
            matches!(
                role,
                "region"
                    | "group"
                    | "dialog"
                    | "alertdialog"
                    | "article"
                    | "listitem"
                    | "row"
                    | "tabpanel"
                    | "radiogroup"
            )
        })
    });
    section.map_or(snapshot.nodes.len(), |section| snapshot.subtree(section).end)
}

/// The label of a region that has a name of its own.
fn region(snapshot: &Snapshot, id: NodeId) -> Option<String> {
    if snapshot.node(id).kind != Kind::Element {
        return None;
    }
    let role = role::of(snapshot, id);
    let text = match role {
        "alertdialog" | "article" | "banner" | "complementary" | "contentinfo" | "dialog" | "feed"
        | "form" | "grid" | "group" | "list" | "listbox" | "main" | "menu" | "menubar" | "navigation"
        | "radiogroup" | "region" | "search" | "table" | "tablist" | "tabpanel" | "toolbar" | "tree"
        | "treegrid" => name::of(snapshot, id),
        // A row is told by its header cell, not by all that it holds.
        "row" => snapshot
            .children(id)
            .find(|cell| {
                snapshot.node(*cell).kind == Kind::Element && role::of(snapshot, *cell) == "rowheader"
            })
            .map(|cell| name::content(snapshot, cell))?,
        _ => return None,
    };
    (!name::is_unreadable(&text)).then(|| format!("{role}:{}", super::cut(&text, NAME_LIMIT)))
}

/// The label of what groups without a role: an unnamed dialog by its heading, a card, a list item, a details.
fn fallback(snapshot: &Snapshot, id: NodeId) -> Option<String> {
    let node = snapshot.node(id);
    if node.kind != Kind::Element {
        return None;
    }
    let labelled = |kind: &str, text: String| {
        (!name::is_unreadable(&text)).then(|| format!("{kind}:{}", super::cut(&text, NAME_LIMIT)))
    };
    let first_heading =
        || snapshot.subtree(id).skip(1).find(|inner| super::beside::is_heading(snapshot, *inner));
    if matches!(role::of(snapshot, id), "dialog" | "alertdialog") {
        return labelled("dialog", name::content(snapshot, first_heading()?));
    }
    if node.tag == sym::DETAILS {
        let summary = snapshot.children(id).find(|child| snapshot.is(*child, sym::SUMMARY))?;
        return labelled("details", name::content(snapshot, summary));
    }
    let class = snapshot.attribute(id, sym::CLASS).unwrap_or_default();
    if class.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("card") || word.ends_with("-card"))
    {
        let title = first_heading().or_else(|| {
            snapshot.subtree(id).skip(1).find(|inner| {
                let class = snapshot.attribute(*inner, sym::CLASS).unwrap_or_default();
                class.contains("card-title") || class.contains("card-header") || class.contains("card__title")
            })
        })?;
        return labelled("card", name::content(snapshot, title));
    }
    if role::of(snapshot, id) == "listitem" {
        return labelled("listitem", name::content(snapshot, first_heading()?));
    }
    None
}
