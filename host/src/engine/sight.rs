//! A page as the host reads it from a snapshot: what stands there, and what it says. The page has masked it already.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use cairn_core::candidate;
use cairn_core::element::Usable;
use cairn_core::name;
use cairn_core::role;
use cairn_core::scope::{Scopes, visible_text};
use cairn_core::script::Seen;
use cairn_core::snapshot::{Flags, Kind, NodeId, Snapshot};

/// Characters of one line of text.
const LONGEST_LINE: usize = 160;

/// Headings and messages that are told, at most.
const MOST_TOLD: usize = 16;

/// Lines of a page's whole text, at most.
const MOST_TEXT: usize = 150;

/// What is seen of a page.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    /// Its URL, masked.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Named elements of any kind that are worth a check, in document order, each once.
    pub seen: Vec<Seen>,
    /// Headings and messages, one a line: `heading "Your cart"`.
    pub told: Vec<String>,
    /// What the page says, line by line, without what stands in the list of its elements.
    pub text: Vec<String>,
    /// Tells whether anything at all is another than it was.
    pub print: u64,
}

impl Sight {
    /// Reads a snapshot's JSON.
    ///
    /// # Errors
    /// Where it is none.
    pub fn read(json: &str) -> Result<Self, serde_json::Error> {
        let snapshot = Snapshot::from_json(json)?;
        Ok(Self { print: print(&snapshot), ..Self::of(&snapshot) })
    }

    fn of(snapshot: &Snapshot) -> Self {
        let entries =
            candidate::entries(snapshot, &candidate::find(snapshot), &candidate::Options::default());
        let mut sight = Self { url: snapshot.url.clone(), title: snapshot.title.clone(), ..Self::default() };
        let mut scopes = Scopes::new(snapshot);
        let mut places: Vec<(NodeId, usize)> = entries.nodes.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let place = |id: NodeId| {
            places.binary_search_by_key(&id, |(node, _)| *node).ok().map(|found| places[found].1)
        };
        for id in 0..snapshot.nodes.len() {
            let node = snapshot.node(id);
            let shown = !node.flags.has(Flags::HIDDEN) && !node.flags.has(Flags::INVISIBLE);
            if node.kind != Kind::Element {
                continue;
            }
            if let Some(element) = place(id).and_then(|place| entries.elements.get(place)) {
                if element.usable != Usable::Hidden {
                    sight.see(
                        &element.role,
                        &element.name,
                        element.scope.as_ref().map(|it| it.label.clone()),
                    );
                }
            } else if shown {
                let (role, name) = named(snapshot, id);
                sight.tell(snapshot, id, role);
                if is_worth_a_check(role) {
                    sight.see(role, &name, scopes.of(id).map(|scope| scope.label));
                }
                if let Some(line) = own_text(snapshot, id, role) {
                    sight.say(line);
                }
            }
        }
        sight
    }

    fn see(&mut self, role: &str, name: &str, scope: Option<String>) {
        let one = Seen { role: role.to_owned(), name: name.to_owned(), scope };
        if !name::is_unreadable(name) && !self.seen.contains(&one) {
            self.seen.push(one);
        }
    }

    fn tell(&mut self, snapshot: &Snapshot, id: NodeId, role: &str) {
        if self.told.len() >= MOST_TOLD
            || !matches!(role, "heading" | "alert" | "status" | "dialog" | "alertdialog")
        {
            return;
        }
        let says =
            if role.ends_with("dialog") { name::of(snapshot, id) } else { name::content(snapshot, id) };
        if !name::is_unreadable(&says) {
            self.told.push(format!("{role} \"{}\"", cut(&says)));
        }
    }

    fn say(&mut self, line: String) {
        if self.text.len() < MOST_TEXT && self.text.last() != Some(&line) {
            self.text.push(line);
        }
    }
}

/// A page's print. Where the focus is and where boxes lie is no part of it: every act moves them.
fn print(snapshot: &Snapshot) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&snapshot.url, &snapshot.title, &snapshot.pool).hash(&mut hasher);
    for node in &snapshot.nodes {
        (node.flags.0 & !Flags::FOCUSED).hash(&mut hasher);
    }
    hasher.finish()
}

/// Alerts and status lines are told by what they say.
fn named(snapshot: &Snapshot, id: NodeId) -> (&str, String) {
    let role = role::of(snapshot, id);
    let name = name::of(snapshot, id);
    if name.is_empty() && matches!(role, "alert" | "status" | "log") {
        return (role, name::content(snapshot, id));
    }
    (role, name)
}

/// The text of an element that holds text itself and no block with text.
fn own_text(snapshot: &Snapshot, id: NodeId, role: &str) -> Option<String> {
    if matches!(role, "heading" | "alert" | "status" | "group" | "listbox") {
        return None;
    }
    // What stands inside a line of text is a part of that line.
    if !has_own_text(snapshot, id) || snapshot.parent(id).is_some_and(|parent| has_own_text(snapshot, parent))
    {
        return None;
    }
    let text = visible_text(snapshot, id, LONGEST_LINE * 2);
    let text = cut(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    (!name::is_unreadable(&text)).then_some(text)
}

fn has_own_text(snapshot: &Snapshot, id: NodeId) -> bool {
    let is_text = |child| snapshot.node(child).kind == Kind::Text && !snapshot.text(child).trim().is_empty();
    snapshot.children(id).any(is_text)
}

/// A role that states a result; what can be used comes and goes with the page.
pub fn is_worth_a_check(role: &str) -> bool {
    matches!(
        role,
        "alert"
            | "alertdialog"
            | "cell"
            | "columnheader"
            | "dialog"
            | "figure"
            | "form"
            | "grid"
            | "group"
            | "heading"
            | "img"
            | "list"
            | "log"
            | "main"
            | "menu"
            | "meter"
            | "navigation"
            | "progressbar"
            | "radiogroup"
            | "region"
            | "rowheader"
            | "search"
            | "status"
            | "table"
            | "tabpanel"
            | "tree"
    )
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST_LINE {
        return text.to_owned();
    }
    text.chars().take(LONGEST_LINE - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_page_is_told_by_its_headings_and_messages() {
        let page = Snapshot::from_html(
            "<h1>Your cart</h1><p>Two <b>mugs</b>, 24 €</p><div role=status>Saved</div><button>Pay</button>",
        );
        let sight = Sight::of(&page);
        assert_eq!(sight.told, ["heading \"Your cart\"", "status \"Saved\""]);
        let names: Vec<&str> = sight.seen.iter().map(|seen| seen.name.as_str()).collect();
        assert_eq!(names, ["Your cart", "Saved", "Pay"]);
        assert!(sight.text.iter().any(|line| line == "Two mugs, 24 €"), "{:?}", sight.text);
    }
}
