//! What must hold of the ladder on any page.

use cairn_core::element::{Element, Scope, Usable};
use cairn_core::ladder::{Heal, Hits, Index, Rung, Selectors, Verdict, describe, resolve};
use cairn_core::script::Target;
use proptest::prelude::*;
use proptest::sample::{Index as Any, select};

struct Page(Index);

impl Selectors for Page {
    fn hits(&self, selector: &str) -> Hits {
        let value = selector.strip_prefix("xpath=").unwrap_or_default();
        let elements = self.0.elements().iter().enumerate();
        Hits {
            listed: elements.filter(|(_, e)| e.path == value).map(|(place, _)| place).collect(),
            others: 0,
        }
    }
}

fn usable() -> impl Strategy<Value = Usable> {
    prop_oneof![
        6 => Just(Usable::Yes),
        2 => Just(Usable::Unknown),
        1 => Just(Usable::Disabled),
        1 => Just(Usable::Inert),
        1 => Just(Usable::Covered { by: "<div>".into() }),
        1 => Just(Usable::Hidden),
    ]
}

fn text(words: &'static [&'static str]) -> impl Strategy<Value = Option<String>> {
    prop::option::weighted(0.6, select(words).prop_map(str::to_owned))
}

/// Few names and few surroundings, so that twins and near names are common.
fn element() -> impl Strategy<Value = Element> {
    let name = select(
        &[
            "Save",
            "Save profile",
            "Delete",
            "Delete all",
            "Edit",
            "edit:",
            "",
            "\u{e001}",
            "保存",
            "Log in (3)",
        ][..],
    );
    let role = select(&["button", "link", "textbox", "searchbox", "checkbox"][..]);
    let texts = (
        text(&["Ada", "Grace", "Mary"]),
        text(&["Billing", "Shipping address"]),
        text(&["12 EUR", "80 EUR", "Total 40 EUR"]),
        text(&["group:All", "navigation:Main"]),
        text(&["submit", "fld-2", "email"]),
        text(&["/a", "/b", "#"]),
    );
    (role, name, texts, usable()).prop_map(|(role, name, (row, heading, beside, scope, id, href), usable)| {
        let mut element =
            Element { role: role.into(), name: name.into(), tag: "div".into(), usable, ..Element::default() };
        element.row_key = row;
        element.heading = heading;
        element.beside = beside;
        element.scope = scope.map(|label| Scope { label, weak: false });
        element.attributes.extend(id.map(|id| ("id".to_owned(), id)));
        element.attributes.extend(href.filter(|_| role == "link").map(|href| ("href".to_owned(), href)));
        element
    })
}

fn page(most: usize) -> impl Strategy<Value = Vec<Element>> {
    prop::collection::vec(element(), 1..most).prop_map(|mut elements| {
        for (place, element) in elements.iter_mut().enumerate() {
            element.path = format!("/html/body/div[{}]", place + 1);
        }
        elements
    })
}

fn target(elements: &[Element], place: usize) -> Target {
    let mut target = describe(&Index::new(elements.to_vec()), place);
    target.selector = format!("xpath={}", elements[place].path);
    target
}

fn judge(target: &Target, elements: Vec<Element>) -> Verdict {
    let page = Page(Index::new(elements));
    resolve(target, &page.0, &page, Heal::Ladder)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is returned, a person could use.
    #[test]
    fn never_an_unusable_element(before in page(12), after in page(12), at: Any) {
        let target = target(&before, at.index(before.len()));
        if let Some(found) = judge(&target, after.clone()).matched() {
            prop_assert!(after[found.index].usable.is_usable());
        }
    }

    /// Something with another name, role class, id and link is no reason to act.
    #[test]
    fn an_unrelated_element_never_turns_a_decline_into_an_act(
        before in page(10), after in page(10), at: Any, to: Any, other in element()
    ) {
        let target = target(&before, at.index(before.len()));
        let declined = judge(&target, after.clone()).accepted(0.6).is_none();
        let mut grown = after.clone();
        let unrelated = Element { role: "slider".into(), name: "Opacity".into(), attributes: [].into(), path: "/html/body/p".into(), ..other };
        grown.insert(to.index(after.len() + 1), unrelated);
        if declined {
            let verdict = judge(&target, grown);
            prop_assert!(verdict.accepted(0.6).is_none(), "{}", verdict.sentence());
        }
    }

    /// Document order is no part of a 0.9.
    #[test]
    fn permuting_the_page_never_changes_a_unique_match(
        before in page(8), (after, shuffled) in page(8).prop_flat_map(|page| (Just(page.clone()), Just(page).prop_shuffle())), at: Any
    ) {
        let target = target(&before, at.index(before.len()));
        if let Some(found) = judge(&target, after.clone()).matched().filter(|found| found.rung == Rung::RoleName) {
            let again = judge(&target, shuffled.clone());
            let path = again.matched().map(|found| shuffled[found.index].path.clone());
            prop_assert_eq!(path.as_ref(), Some(&after[found.index].path), "{}", again.sentence());
        }
    }

    /// A named target, and an unnamed one of which anything is known, finds itself on its own page at 1.0.
    #[test]
    fn a_target_finds_itself(elements in page(12), at: Any) {
        let place = at.index(elements.len());
        let own = &elements[place];
        let known = own.attributes.contains_key("href") && own.attribute("href") != Some("#")
            || own.attribute("id").is_some_and(|id| !cairn_core::text::looks_generated(id));
        let target = target(&elements, place);
        if own.usable.is_usable() && (!cairn_core::text::normalise(&own.name).is_empty() || known) {
            let verdict = judge(&target, elements.clone());
            prop_assert_eq!(verdict.matched().map(|found| (found.index, found.rung)), Some((place, Rung::Selector)), "{}", verdict.sentence());
        }
    }
}
