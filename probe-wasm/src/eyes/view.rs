//! The page at one moment: its index and what can be asked of it.

use std::cell::OnceCell;

use cairn_core::candidate::{self, Affordance, Options};
use cairn_core::element::{States, Usable};
use cairn_core::ladder::{self, Heal, Index, Verdict};
use cairn_core::script::{Seen, Target};
use cairn_core::selector::Maker;
use cairn_core::snapshot::{Flags, Kind, NONE, NodeId, Snapshot};
use cairn_core::{name, role, scope, text};
use web_sys::Element;

use super::collector;
use super::read::Page;

/// The page as it was at one look. Old views stay whole: they hold their own nodes.
pub struct View {
    page: Page,
    nodes: Vec<NodeId>,
    options: Options,
    /// Made when first asked for: a listing needs none of it.
    index: OnceCell<Index>,
    text: OnceCell<String>,
}

/// An element of any kind that was asked for.
#[derive(Clone, Debug)]
pub struct Found {
    /// The DOM element.
    pub node: Element,
    /// States.
    pub states: States,
}

impl View {
    pub(super) fn new(page: Page, options: Options) -> Self {
        let nodes = page.candidates.iter().map(|(id, _)| *id).collect();
        Self { page, nodes, options, index: OnceCell::new(), text: OnceCell::new() }
    }

    pub(super) fn into_page(self) -> Page {
        self.page
    }

    /// The numbered list of interactive elements, unusable ones included.
    pub fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let Page { snapshot, candidates, .. } = &self.page;
            Index::new(candidate::entries(snapshot, candidates, &self.options).elements)
        })
    }

    /// The tree that the index was made of.
    pub fn snapshot(&self) -> &Snapshot {
        &self.page.snapshot
    }

    pub(super) fn candidates(&self) -> &[(NodeId, Affordance)] {
        &self.page.candidates
    }

    pub(super) fn page(&self) -> &Page {
        &self.page
    }

    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    pub(super) fn test_ids(&self) -> &[String] {
        &self.options.test_ids
    }

    /// The DOM element of an entry.
    pub fn node_at(&self, place: usize) -> Option<Element> {
        self.element(*self.nodes.get(place)?)
    }

    pub(super) fn element(&self, node: NodeId) -> Option<Element> {
        let place = self.snapshot().node(node).place;
        if place == NONE { None } else { self.page.reading.as_ref()?.element(place) }
    }

    pub(super) fn place_of(&self, node: NodeId) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    pub(super) fn place_of_number(&self, number: u32) -> Option<usize> {
        self.place_of(self.snapshot().by_number(number)?)
    }

    /// The node of an element that was there.
    pub(super) fn node_of_element(&self, element: &Element) -> Option<NodeId> {
        let place = u32::try_from(self.page.reading.as_ref()?.place(element)).ok()?;
        self.snapshot().by_place(place)
    }

    pub(crate) fn exact_position(&self, element: &Element) -> Option<usize> {
        self.place_of(self.node_of_element(element)?)
    }

    /// The entry that a person meant who hit this element: itself, the nearest listed ancestor across shadow roots, or the
    /// control of its label.
    pub fn position_of(&self, element: &Element) -> Option<usize> {
        let mut up = Some(element.clone());
        while let Some(at) = up {
            if let Some(place) = self.exact_position(&at) {
                return Some(place);
            }
            if let Some(place) =
                collector::label_control(&at).and_then(|control| self.exact_position(&control))
            {
                return Some(place);
            }
            up = collector::flat_parent(&at);
        }
        None
    }

    /// As `position_of`, by the way that an event took: parts of it may have left the page since.
    pub fn position_on(&self, path: &[Element]) -> Option<usize> {
        let control = |element: &Element| {
            collector::label_control(element).and_then(|control| self.exact_position(&control))
        };
        path.first()
            .and_then(|hit| self.position_of(hit))
            .or_else(|| path.iter().find_map(|at| self.exact_position(at).or_else(|| control(at))))
    }

    /// Finds a target again.
    pub fn resolve(&self, target: &Target, heal: Heal) -> Verdict {
        ladder::resolve(target, self.index(), self, heal)
    }

    /// As `resolve`, for files: nobody sees the field that takes them, since a button of the page's own stands for it.
    pub fn resolve_file(&self, target: &Target, heal: Heal) -> Verdict {
        ladder::resolve(target, &self.with_files(), self, heal)
    }

    /// The index with every field for files as if it were seen.
    fn with_files(&self) -> Index {
        let mut elements = self.index().elements().to_vec();
        for element in elements.iter_mut().filter(|element| element.role == "file") {
            if element.usable != Usable::Disabled {
                element.usable = Usable::Unknown;
            }
        }
        Index::new(elements)
    }

    /// Everything a script would remember of an entry, and why it would be hard to find again.
    pub fn describe(&self, place: usize) -> (Target, Option<String>) {
        // Among those among which it will be looked for.
        if self.index().get(place).is_some_and(|entry| entry.role == "file") {
            return self.describe_in(&self.with_files(), &self.nodes, place);
        }
        self.describe_in(self.index(), &self.nodes, place)
    }

    /// As `describe`, for an element of any kind that was there: as it would be described if it were listed.
    pub fn describe_element(&self, element: &Element) -> Option<(Target, Option<String>)> {
        let node = self.node_of_element(element)?;
        if let Some(place) = self.place_of(node) {
            return Some(self.describe(place));
        }
        let Page { snapshot, candidates, .. } = &self.page;
        let mut candidates = candidates.clone();
        candidate::adopt(&mut candidates, &[node]);
        let index = Index::new(candidate::entries(snapshot, &candidates, &self.options).elements);
        let nodes: Vec<NodeId> = candidates.iter().map(|(id, _)| *id).collect();
        let place = nodes.binary_search(&node).ok()?;
        Some(self.describe_in(&index, &nodes, place))
    }

    fn describe_in(&self, index: &Index, nodes: &[NodeId], place: usize) -> (Target, Option<String>) {
        let mut target = ladder::describe(index, place);
        if let Some(node) = nodes.get(place) {
            let maker = Maker::new(self.snapshot(), index.elements(), nodes, &self.options.test_ids);
            let mut selectors = maker.all(*node).into_iter();
            target.selector = selectors.next().unwrap_or_default();
            target.selectors = selectors.collect();
        }
        let weak = ladder::weakness(&target, index, place);
        (target, weak)
    }

    /// True where the element was there, seen or not.
    pub fn holds(&self, element: &Element) -> bool {
        self.node_of_element(element).is_some()
    }

    /// True where the element was there, and could be seen and used as far as that is known of it.
    pub fn shows(&self, element: &Element) -> bool {
        let Some(node) = self.node_of_element(element) else { return false };
        if let Some(entry) = self.place_of(node).and_then(|place| self.index().get(place)) {
            return entry.usable.is_usable();
        }
        let flags = self.snapshot().node(node).flags;
        !flags.has(Flags::HIDDEN) && !flags.has(Flags::INVISIBLE)
    }

    /// Named elements of any kind worth asserting: interactive ones, headings, alerts, dialogs, images, named regions.
    pub fn seen(&self) -> Vec<Seen> {
        let mut scopes = scope::Scopes::new(self.snapshot());
        let mut seen = Vec::new();
        for node in self.shown_elements() {
            let (role, name, own_scope) = match self.place_of(node).and_then(|place| self.index().get(place))
            {
                Some(element) if element.usable == Usable::Hidden => continue,
                Some(element) => (element.role.clone(), element.name.clone(), element.scope.clone()),
                None => {
                    let role = role::of(self.snapshot(), node);
                    if !is_worth_asserting(role) {
                        continue;
                    }
                    (role.to_owned(), self.assertable_name(node, role), scopes.of(node))
                }
            };
            if !name::is_unreadable(&name) {
                seen.push(Seen { role, name, scope: own_scope.map(|scope| scope.label) });
            }
        }
        seen
    }

    /// Alerts and status lines are told by what they say.
    fn assertable_name(&self, node: NodeId, role: &str) -> String {
        let name = name::of(self.snapshot(), node);
        if name.is_empty() && matches!(role, "alert" | "status" | "log") {
            name::content(self.snapshot(), node)
        } else {
            name
        }
    }

    /// Every rendered element of any kind with this role, name and scope; what is `None` is not asked.
    pub fn matching(&self, role: Option<&str>, name: Option<&str>, scope: Option<&str>) -> Vec<Found> {
        self.matching_in(role, name, scope, false)
    }

    /// True where `seen` would tell of such an element: an option of a closed select, say, it does not.
    pub fn has_seen(&self, role: Option<&str>, name: &str, scope: Option<&str>) -> bool {
        !self.matching_in(role, Some(name), scope, true).is_empty()
    }

    fn matching_in(
        &self,
        role: Option<&str>,
        name: Option<&str>,
        scope: Option<&str>,
        told: bool,
    ) -> Vec<Found> {
        let mut scopes = scope::Scopes::new(self.snapshot());
        let mut found = Vec::new();
        for node in self.shown_elements() {
            let entry = self.place_of(node).and_then(|place| self.index().get(place));
            if entry.is_some_and(|element| element.usable == Usable::Hidden) {
                continue;
            }
            let own_role =
                entry.map_or_else(|| role::of(self.snapshot(), node), |element| element.role.as_str());
            if role.is_some_and(|role| role != own_role)
                || role.is_none() && matches!(own_role, "generic" | "none") && entry.is_none()
                || told && entry.is_none() && !is_worth_asserting(own_role)
            {
                continue;
            }
            let own_name =
                entry.map_or_else(|| self.assertable_name(node, own_role), |element| element.name.clone());
            if name.is_some_and(|name| !text::same_name(&own_name, name)) {
                continue;
            }
            if let Some(scope) = scope
                && scopes.of(node).is_none_or(|own| own.label != scope)
            {
                continue;
            }
            if let Some(element) = self.element(node) {
                let states = candidate::states(self.snapshot(), node, own_role);
                found.push(Found { node: element, states });
            }
        }
        found
    }

    /// Whether the page shows a text, white space and case aside.
    pub fn shows_text(&self, wanted: &str) -> bool {
        let wanted = text::lower(&name::collapse(wanted));
        let page = self.text.get_or_init(|| self.page_text());
        !wanted.is_empty() && page.contains(&wanted)
    }

    fn page_text(&self) -> String {
        let body =
            (0..self.snapshot().nodes.len()).find(|node| self.snapshot().tag(*node) == "body").unwrap_or(0);
        if self.snapshot().nodes.is_empty() {
            return String::new();
        }
        text::lower(&scope::visible_text(self.snapshot(), body, usize::MAX))
    }

    /// Elements that are rendered and visible, in document order.
    fn shown_elements(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.snapshot().nodes.len()).filter(|id| {
            let node = self.snapshot().node(*id);
            node.kind == Kind::Element
                && (!node.flags.has(Flags::HIDDEN) && !node.flags.has(Flags::INVISIBLE)
                    || self.place_of(*id).is_some())
        })
    }
}

fn is_worth_asserting(role: &str) -> bool {
    role::is_landmark(role)
        || matches!(
            role,
            "alert"
                | "alertdialog"
                | "columnheader"
                | "dialog"
                | "figure"
                | "group"
                | "heading"
                | "img"
                | "list"
                | "log"
                | "menu"
                | "meter"
                | "progressbar"
                | "rowheader"
                | "status"
                | "table"
                | "tabpanel"
                | "grid"
                | "radiogroup"
                | "tree"
        )
}
