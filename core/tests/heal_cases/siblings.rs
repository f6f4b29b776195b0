//! What else is of the kind of the reported cases: the same trap with another surface, and its control.

use cairn_core::element::{Element, Usable};
use cairn_core::ladder::{Heal, Index, NoSelectors, Rung, Verdict, describe, resolve, weakness};
use cairn_core::script::Target;

use crate::page::{Page, With, declines, element, find, heals, record, record_by_name};

fn covered() -> Usable {
    Usable::Covered { by: "dialog \"Authorize\"".into() }
}

/// A button in the dialog was renamed; the page's own one of the old name, behind the modal, is the unique match.
#[test]
fn renamed_in_the_dialog_while_the_page_keeps_the_name() {
    let dialog = "dialog:Available authorizations";
    let before = [
        element("button", "Authorize", "/html/body/div/button").with("class", "btn authorize").but(covered()),
        element("button", "Authorize", "/html/body/div[2]/form/button[1]")
            .with("class", "btn modal-btn")
            .scoped(dialog)
            .beside("Value: Close"),
        element("button", "Close", "/html/body/div[2]/form/button[2]")
            .with("class", "btn modal-btn")
            .scoped(dialog),
    ];
    let after = [
        element("button", "Authorize", "/html/body/div/button").with("class", "btn authorize").but(covered()),
        element("button", "Apply credentials", "/html/body/div[2]/form/button[1]")
            .with("class", "btn modal-btn")
            .scoped(dialog)
            .beside("Value: Close"),
        element("button", "Close", "/html/body/div[2]/form/button[2]")
            .with("class", "btn modal-btn")
            .scoped(dialog),
    ];
    declines(&before, 1, &after);
}

/// The target stands where it stood, but a consent dialog with a button of the same name lies over it.
#[test]
fn covered_by_a_dialog_with_a_twin() {
    let own = |usable: Usable| {
        element("button", "Save", "/html/body/form/button")
            .scoped("form:Profile")
            .heading("Profile")
            .beside("Nickname")
            .but(usable)
    };
    let before = [own(Usable::Yes)];
    let after = [
        own(covered()),
        element("button", "Save", "/html/body/div/button").scoped("dialog:Cookies").beside("We use cookies"),
    ];
    declines(&before, 0, &after);
    let alone = [own(covered())];
    assert!(matches!(find(&before, 0, &alone), Verdict::Lost(_)), "{:?}", find(&before, 0, &alone));
}

/// A disabled copy beside the usable one does not count.
#[test]
fn a_copy_that_cannot_be_used() {
    let button = |path: &str| element("button", "Continue", path).heading("Delivery").beside("Street City");
    let before = [button("/html/body/form/button").with("id", "go")];
    let after =
        [button("/html/body/form/button[1]").but(Usable::Disabled), button("/html/body/form/button[2]")];
    heals(&before, 0, &after, 1, Rung::RoleName);
    let hidden =
        [button("/html/body/form/button[1]").but(Usable::Hidden), button("/html/body/form/button[2]")];
    heals(&before, 0, &hidden, 1, Rung::RoleName);
}

/// Readable ids are dealt out anew too; the names that stood beside the target are known not to be it.
#[test]
fn readable_ids_change_owners() {
    let field = |name: &str, id: &str, at: usize| {
        element("textbox", name, &format!("/html/body/form/p[{at}]/input")).with("id", id).beside(name)
    };
    let before = [field("Street", "first", 1), field("City", "second", 2), field("Postcode", "third", 3)];
    let after = [field("Postcode", "first", 1), field("Street", "second", 2), field("City", "third", 3)];
    heals(&before, 1, &after, 2, Rung::RoleName);
}

/// The target was renamed and keeps its id; the old name stands elsewhere now.
#[test]
fn renamed_while_a_decoy_takes_the_name() {
    let before = [element("button", "Send", "/html/body/form/button")
        .with("id", "submit-order")
        .heading("Order")
        .beside("Total 40 EUR")];
    let after = [
        element("button", "Buy now", "/html/body/form/button")
            .with("id", "submit-order")
            .heading("Order")
            .beside("Total 40 EUR"),
        element("button", "Send", "/html/body/aside/button")
            .with("id", "send-feedback")
            .heading("Feedback")
            .beside("Tell us"),
    ];
    declines(&before, 0, &after);
}

/// The same without any id: the renamed one stands where the target stood, at the same path, with the same surroundings.
#[test]
fn renamed_without_an_id_while_a_decoy_takes_the_name() {
    let before = [
        element("button", "Send", "/html/body/form/button").heading("Order").beside("Total 40 EUR"),
        element("button", "Help", "/html/body/aside/button").heading("Help"),
    ];
    let after = [
        element("button", "Buy now", "/html/body/form/button").heading("Order").beside("Total 40 EUR"),
        element("button", "Send", "/html/body/aside/button")
            .heading("Feedback")
            .beside("Tell us what you think"),
    ];
    declines(&before, 0, &after);
}

/// A twin of the same name, role and path is inserted before the target: its path still resolves, to the twin.
#[test]
fn a_lookalike_inherits_the_path() {
    let row = |key: &str, at: usize| {
        element("button", "Edit", &format!("/html/body/table/tr[{at}]/td/button")).row(key).beside(key)
    };
    let before = [row("Ada Lovelace", 1), row("Grace Hopper", 2), row("Mary Somerville", 3)];
    let after =
        [row("Emmy Noether", 1), row("Ada Lovelace", 2), row("Grace Hopper", 3), row("Mary Somerville", 4)];
    heals(&before, 1, &after, 2, Rung::Place);
    heals(&before, 2, &after, 3, Rung::Place);
}

/// Rows changed places.
#[test]
fn rows_change_places() {
    let row = |key: &str, at: usize| element("link", "Open", &format!("/html/body/ul/li[{at}]/a")).row(key);
    let before = [row("Invoice 17", 1), row("Invoice 18", 2)];
    let after = [row("Invoice 18", 1), row("Invoice 17", 2)];
    heals(&before, 0, &after, 1, Rung::Place);
}

/// The row is gone; those that are left are other rows.
#[test]
fn the_row_is_gone() {
    let row = |key: &str, at: usize| {
        element("button", "Delete", &format!("/html/body/ul/li[{at}]/button")).row(key).beside(key)
    };
    let before = [row("Ada Lovelace", 1), row("Grace Hopper", 2), row("Mary Somerville", 3)];
    declines(&before, 1, &[row("Ada Lovelace", 1), row("Mary Somerville", 2)]);
    declines(&before, 1, &[row("Ada Lovelace", 1)]);
    declines(&before, 1, &[row("Grace Kelly", 1)]);
    heals(&before, 1, &[row("Grace Hopper", 1)], 0, Rung::Place);
}

/// Two witnesses disagree.
#[test]
fn row_and_text_beside_disagree() {
    let control = |row: &str, beside: &str, at: usize| {
        element("button", "Pay", &format!("/html/body/ul/li[{at}]/button")).row(row).beside(beside)
    };
    let before = [control("May", "12 EUR", 1), control("June", "80 EUR", 2)];
    declines(&before, 0, &[control("May", "80 EUR", 1), control("June", "12 EUR", 2)]);
}

/// Nothing tells the twins: their order does, as long as they are as many.
#[test]
fn identical_twins_by_order() {
    let today =
        |path: &str| element("link", "Today", path).with("href", "#").heading("Important dates").beside("|");
    let before = [today("/html/body/p[1]/a"), today("/html/body/p[2]/a")];
    let after = [today("/html/body/div/p[1]/a"), today("/html/body/div/p[2]/a")];
    heals(&before, 0, &after, 0, Rung::Place);
    heals(&before, 1, &after, 1, Rung::Place);
    let three =
        [today("/html/body/div/p[1]/a"), today("/html/body/div/p[2]/a"), today("/html/body/div/p[3]/a")];
    declines(&before, 1, &three);
    declines(&before, 1, &three[..1]);
}

/// A count is no identity, but two twins that differ in it are not told apart by order when they changed places.
#[test]
fn counts_that_changed_places() {
    let tab = |name: &str, at: usize| element("tab", name, &format!("/html/body/div/button[{at}]"));
    heals(&[tab("Inbox (3)", 1)], 0, &[tab("Inbox (12)", 2)], 0, Rung::RoleName);
    let before = [tab("Part (1)", 1), tab("Part (2)", 2)];
    declines(&before, 0, &[tab("Part (2)", 1), tab("Part (1)", 2)]);
}

/// Siblings of the superset: the broader one is new, and says "all".
#[test]
fn the_broader_one_is_new() {
    let button = |name: &str| element("button", name, "/html/body/button").heading("Mailbox").beside("Move");
    for (then, now) in [
        ("Delete", "Delete all"),
        ("Удалить", "Удалить все"),
        ("删除", "删除全部"),
        ("Speichern", "Alles speichern"),
        ("Save", "Don't save"),
    ] {
        declines(&[button(then)], 0, &[button(now)]);
    }
    for (then, now) in [
        ("Log in", "Log in now"),
        ("Сохранить", "Сохранить профиль"),
        ("保存", "保存配置"),
        ("حفظ", "حفظ الملف"),
        ("שמור", "שמור פרופיל"),
    ] {
        heals(&[button(then)], 0, &[button(now)], 0, Rung::Substring);
    }
}

/// "Home" is not "Add a child page to 'Home'".
#[test]
fn a_word_inside_a_sentence() {
    let before = [element("link", "Home", "/html/body/nav/a").scoped("navigation:Main").with("href", "/")];
    let after = [element("link", "Add a child page to 'Home'", "/html/body/nav/a")
        .scoped("navigation:Main")
        .with("href", "/pages/add")];
    declines(&before, 0, &after);
}

/// Log out: a link becomes a button of the same name. And the trap: both stood there before.
#[test]
fn another_role_of_the_class() {
    let before =
        [element("link", "Log out", "/html/body/div/a").with("href", "/logout").beside("Welcome, admin")];
    let after = [element("button", "Log out", "/html/body/div/form/button").beside("Welcome, admin")];
    heals(&before, 0, &after, 0, Rung::RoleClass);
    let both = [
        element("link", "Search", "/html/body/nav/a").with("href", "/search").beside("Home"),
        element("button", "Search", "/html/body/form/button").beside("Query"),
    ];
    declines(&both, 0, &both[1..]);
}

/// An unnamed control: by its form name, its link, its row; else not at all.
#[test]
fn unnamed_controls() {
    let search = [
        element("textbox", "", "/html/body/form/input").with("name", "search"),
        element("textbox", "", "/html/body/p/input"),
    ];
    let found = [
        element("textbox", "", "/html/body/input"),
        element("searchbox", "Search", "/html/body/div/input").with("name", "search"),
    ];
    heals(&search, 0, &found, 1, Rung::StableId);

    let icon = |href: &str, row: &str, at: usize| {
        element("link", "\u{e105}", &format!("/html/body/table/tr[{at}]/td/a")).with("href", href).row(row)
    };
    let before = [icon("/a/1/view", "Ada", 1), icon("/a/2/view", "Grace", 2)];
    let after = [
        icon("/a/1/edit", "Ada", 1),
        icon("/a/1/view", "Ada", 2),
        icon("/a/2/edit", "Grace", 3),
        icon("/a/2/view", "Grace", 4),
    ];
    heals(&before, 1, &after, 3, Rung::Place);

    let bare = [
        element("button", "\u{f000}", "/html/body/button[1]").beside("Volume"),
        element("button", "\u{f001}", "/html/body/button[2]").beside("Speed"),
    ];
    declines(&bare, 0, &[element("button", "\u{f005}", "/html/body/div/button").beside("Share")]);
}

/// A form name survives, the label changed a little; and where it says something else, it is no heal.
#[test]
fn form_name_with_another_label() {
    let before = [element("searchbox", "Search: name", "/html/body/input").with("name", "q")];
    heals(
        &before,
        0,
        &[element("textbox", "name", "/html/body/div/input").with("name", "q")],
        0,
        Rung::StableId,
    );
    declines(&before, 0, &[element("textbox", "Coupon code", "/html/body/div/input").with("name", "q")]);
}

/// Sections without a region: the fallback label tells a new twin apart, but says less than a region.
#[test]
fn a_section_to_itself() {
    let save = |path: &str, section: &str| element("button", "Save", path).in_section(section);
    let before = [
        save("/html/body/section/button", "heading:Billing"),
        element("button", "Reset", "/html/body/section[2]/button"),
    ];
    let after = [
        save("/html/body/div[1]/button", "heading:Shipping"),
        save("/html/body/div[2]/button", "heading:Billing"),
    ];
    heals(&before, 0, &after, 1, Rung::Place);
}

/// A region that the target had to itself still tells the survivor; one that it shared does not.
#[test]
fn the_survivor_and_its_region() {
    let add =
        |region: &str, at: usize| element("link", "Add", &format!("/html/body/div[{at}]/a")).scoped(region);
    let apart = [add("group:Users", 1), add("group:Teams", 2)];
    heals(&apart, 1, &[add("group:Teams", 1)], 0, Rung::RoleName);
    declines(&apart, 1, &[add("group:Users", 1)]);
    let together = [add("group:All", 1), add("group:All", 2)];
    declines(&together, 1, &[add("group:All", 1)]);
}

/// What a short script did not record neither supports nor forbids.
#[test]
fn short_scripts() {
    let target = Target {
        role: "button".into(),
        name: "Send".into(),
        selector: "xpath=/html/body/button[1]".into(),
        ..Target::default()
    };
    let other = [
        element("button", "Cancel", "/html/body/button[1]"),
        element("button", "SEND", "/html/body/div/button"),
    ];
    let page = Page(Index::new(other.to_vec()));
    let verdict = resolve(&target, &page.0, &page, Heal::Ladder);
    assert_eq!(verdict.sentence(), "re-pointed (unique role+name match)");
    assert_eq!(verdict.matched().map(|found| found.index), Some(1));
    let grown = Index::new(vec![element("button", "Send message", "/html/body/button")]);
    assert_eq!(
        resolve(&target, &grown, &NoSelectors, Heal::Ladder).accepted(0.6).map(|found| found.rung),
        Some(Rung::Substring)
    );
    assert_eq!(resolve(&target, &grown, &NoSelectors, Heal::Deterministic).accepted(0.6), None);
    assert_eq!(resolve(&target, &page.0, &page, Heal::Off).accepted(0.6), None);
    let scoped = Target { scope: Some("group:All".into()), ..target };
    let twins = vec![
        element("button", "Send", "/a").scoped("group:All"),
        element("button", "Send", "/b").scoped("group:Recent"),
    ];
    assert_eq!(
        resolve(&scoped, &Index::new(twins), &NoSelectors, Heal::Ladder).matched().map(|found| found.index),
        Some(0)
    );
}

/// The recorder asks whether a target could be found without its selectors.
#[test]
fn weak_targets() {
    let strong =
        [element("button", "Send", "/html/body/button"), element("button", "Cancel", "/html/body/button[2]")];
    assert_eq!(weakness(&record(&strong, 0), &Index::new(strong.to_vec()), 0), None);
    let bare: Vec<Element> = vec![element("button", "\u{f000}", "/html/body/button")];
    let index = Index::new(bare);
    assert!(weakness(&describe(&index, 0), &index, 0).is_some());
}

/// A selector by role and name is a match by name alone: it hits a decoy as well, while the target goes on under a new name.
#[test]
fn a_selector_by_name_is_no_more_than_the_name() {
    let rows = |first: &str| {
        [
            element("link", first, "/html/body/table/tr[1]/td/a")
                .with("href", "/zoo/species/55")
                .in_section("heading:60 rows")
                .heading("60 rows")
                .beside("species 55 insect 6"),
            element("link", "56", "/html/body/table/tr[2]/td/a")
                .with("href", "/zoo/species/56")
                .in_section("heading:60 rows")
                .heading("60 rows")
                .beside("species 56 insect 4"),
            element("button", first, "/html/body/form/button").heading("Search").beside("Name"),
        ]
    };
    let before = rows("55");
    let decoys = [
        element("link", "55", "/html/body/footer/a").with("href", "#elsewhere").heading("Advanced export"),
        element("button", "55", "/html/body/footer/button").heading("Advanced export"),
    ];
    for place in [0, 2] {
        let target = record_by_name(&before, place);
        let resolved = |after: Vec<Element>| {
            let page = Page(Index::new(after));
            resolve(&target, &page.0, &page, Heal::Ladder)
        };
        let own = resolved(before.to_vec());
        assert_eq!(
            own.matched().map(|found| (found.index, found.rung)),
            Some((place, Rung::Selector)),
            "{own:?}"
        );
        let renamed = resolved([rows("Quartz").to_vec(), decoys.to_vec()].concat());
        assert!(matches!(renamed, Verdict::Ambiguous(_)), "{renamed:?}");
        // It moved, and nobody took its place: that is no decoy.
        let mut moved = before.to_vec();
        moved[place].path = "/html/body/main/p/a".into();
        let moved = resolved(moved);
        assert_eq!(moved.matched().map(|found| found.index), Some(place), "{moved:?}");
    }
}

/// A field without a name was given the text beside it as its label; a button is never named so.
#[test]
fn the_text_beside_becomes_the_label() {
    let field = |role: &str, name: &str, at: u32| {
        element(role, name, &format!("/html/body/form/section[{at}]/*"))
            .heading(if at == 1 { "Basic" } else { "Key" })
            .beside(if at == 1 { "Username" } else { "Value:" })
    };
    let before = [field("textbox", "", 1), field("textbox", "", 2), field("button", "", 3)];
    let after =
        [field("textbox", "Username", 1), field("textbox", "Value:", 2), field("button", "Value:", 3)];
    heals(&before, 1, &after, 1, Rung::Place);
    declines(&before, 2, &after);
    // Under another heading it is another one.
    let elsewhere =
        [field("textbox", "Username", 1).heading("Key"), field("textbox", "Value:", 2).heading("Bearer")];
    declines(&before, 1, &elsewhere);
}

/// Ours is scrolled out of the list, and another row has its path: a word that all rows share does not make it ours.
#[test]
fn another_row_of_a_virtual_list_has_its_path() {
    let rows = |first: u32| {
        [0, 1, 2].map(|at| {
            let text = format!("Invoice {}", first + at);
            element("button", "Pay", &format!("/html/body/div/div[{}]/button", at + 1))
                .row(&text)
                .beside(&text)
        })
    };
    declines(&rows(1183), 1, &rows(1003));
    heals(&rows(1183), 1, &rows(1182), 2, Rung::Place);
}

/// Rows changed places and nothing tells the fields of a row from each other: the third field of four is another row's now.
#[test]
fn a_field_in_its_row_is_not_taken_from_another_row() {
    let page = |rows: [&str; 2]| -> Vec<Element> {
        [(0, 1), (0, 2), (1, 1), (1, 2)]
            .map(|(row, column)| {
                let path = format!("/html/body/table/tbody/tr[{}]/td[{column}]/input", row + 1);
                element("textbox", "", &path).scoped(&format!("row:{}", rows[row])).row(rows[row])
            })
            .into()
    };
    declines(&page(["Tea", "Milk"]), 2, &page(["Milk", "Tea"]));
    // The column's header, read as the text beside, tells them.
    let told = |rows: [&str; 2], columns: [&str; 2]| -> Vec<Element> {
        page(rows)
            .into_iter()
            .enumerate()
            .map(|(at, one)| one.beside(&format!("{} {}", columns[at % 2], rows[at / 2])))
            .collect()
    };
    let before = told(["Tea", "Milk"], ["Price", "Stock"]);
    heals(&before, 2, &told(["Milk", "Tea"], ["Price", "Stock"]), 0, Rung::Place);
    heals(&before, 2, &told(["Tea", "Milk"], ["Stock", "Price"]), 3, Rung::Place);
}

/// Another menu has a link of the name and is still open; ours is not there yet.
#[test]
fn a_link_of_the_name_in_another_menu() {
    let link = |name: &str, href: &str, path: &str, beside: &str| {
        element("link", name, path).with("href", href).scoped("navigation:Main").beside(beside)
    };
    let before = [
        link("File", "#file", "/html/body/nav/ul/li[1]/a", ""),
        link("Edit", "#edit", "/html/body/nav/ul/li[2]/a", ""),
        link("Export", "#export2", "/html/body/nav/ul/li[2]/ul/li/a", "Edit"),
    ];
    let after = [
        link("File", "#file", "/html/body/nav/ul/li[1]/a", ""),
        link("New", "#new", "/html/body/nav/ul/li[1]/ul/li[1]/a", "File"),
        link("Export", "#export", "/html/body/nav/ul/li[1]/ul/li[2]/a", "New"),
        link("Edit", "#edit", "/html/body/nav/ul/li[2]/a", ""),
    ];
    declines(&before, 2, &after);
}
