//! The cases with a page after the redesign.

use cairn_core::element::Usable;
use cairn_core::ladder::{Rung, Verdict};

use crate::page::{With, declines, element, find, heals};

/// 05: the box is ticked already; the target itself has not changed.
#[test]
fn label_checkbox_once() {
    let page = [element("checkbox", "Email me receipts", "/html/body/form/label/input")
        .with("name", "mail")
        .heading("Receipts")];
    heals(&page, 0, &page, 0, Rung::Selector);
}

/// 15: another icon font, other ids; "the first button with that glyph" is another one.
#[test]
fn name_icon_glyph() {
    let nav = "navigation:Account";
    let before = [
        element("button", "\u{f101} Profile", "/html/body/nav/button[1]").with("id", "m1").scoped(nav),
        element("button", "\u{f102} Billing", "/html/body/nav/button[2]").with("id", "m2").scoped(nav),
        element("button", "\u{f102}", "/html/body/nav/button[3]").with("id", "m3").scoped(nav),
    ];
    let after = [
        element("button", "\u{e902}", "/html/body/nav/button[1]").with("id", "a9").scoped(nav),
        element("button", "\u{e901} Profile", "/html/body/nav/button[2]").with("id", "a7").scoped(nav),
        element("button", "\u{e902} Billing", "/html/body/nav/span/button[1]").with("id", "a8").scoped(nav),
    ];
    heals(&before, 1, &after, 2, Rung::RoleName);
}

/// 26: Save in the dialog and Save in the page behind it; afterwards both can be reached, and the scope decides.
#[test]
fn dialog_save_twins() {
    let dialog = "dialog:Edit address";
    let before = [
        element("button", "Edit address", "/html/body/main/button[1]")
            .with("id", "edit")
            .heading("Contact card")
            .but(Usable::Inert),
        element("button", "Save", "/html/body/main/button[2]")
            .with("id", "ps")
            .heading("Contact card")
            .but(Usable::Inert),
        element("textbox", "Street", "/html/body/dialog/label/input")
            .with("id", "st")
            .scoped(dialog)
            .beside("Street"),
        element("button", "Save", "/html/body/dialog/button[1]")
            .with("id", "ds")
            .scoped(dialog)
            .beside("Street Cancel"),
        element("button", "Cancel", "/html/body/dialog/button[2]")
            .with("id", "dc")
            .scoped(dialog)
            .beside("Street Save"),
    ];
    let after = [
        element("button", "Edit address", "/html/body/main/button")
            .with("id", "e2")
            .with("class", "b")
            .heading("Contact card"),
        element("button", "Save", "/html/body/main/p/button")
            .with("id", "p2")
            .with("class", "b")
            .heading("Contact card"),
        element("textbox", "Street", "/html/body/div/div/label/input").scoped(dialog).beside("Street"),
        element("button", "Cancel", "/html/body/div/div/div/button[1]").scoped(dialog).beside("Street Save"),
        element("button", "Save", "/html/body/div/div/div/button[2]").scoped(dialog).beside("Street Cancel"),
    ];
    heals(&before, 3, &after, 4, Rung::RoleName);
}

/// 27: only hidden copies are left, one of them with the recorded id.
#[test]
fn hidden_heal_decoy() {
    let before = [
        element("textbox", "Topic", "/html/body/form/label/input"),
        element("button", "Send topic", "/html/body/form/div/button[1]")
            .with("id", "bs")
            .beside("Topic Start over"),
        element("button", "Start over", "/html/body/form/div/button[2]")
            .with("id", "br")
            .beside("Topic Send topic"),
    ];
    let after = [
        element("textbox", "Topic", "/html/body/form/label/input"),
        element("button", "Send topic", "/html/body/form/div[1]/button[1]")
            .with("id", "bs")
            .beside("Topic Start chat"),
        element("button", "Start chat", "/html/body/form/div[1]/button[2]")
            .with("id", "br2")
            .beside("Topic Send topic"),
        element("button", "Start over", "/html/body/form/div[2]/button").with("id", "br").but(Usable::Hidden),
        element("button", "Start over", "/html/body/form/div[3]/button").but(Usable::Hidden),
        element("button", "Start over", "/html/body/form/div[4]/button").but(Usable::Hidden),
    ];
    declines(&before, 2, &after);
}

/// 29: generated ids are dealt out in another order; the recorded id is another field now.
#[test]
fn id_swap() {
    let field = |name: &str, id: &str, row: usize| {
        element("textbox", name, &format!("/html/body/form/div[{row}]/input")).with("id", id).beside(name)
    };
    let before =
        [field("First name", "fld-1", 1), field("Bank account", "fld-2", 2), field("Remark", "fld-3", 3)];
    let after =
        [field("First name", "fld-3", 1), field("Remark", "fld-2", 2), field("Bank account", "fld-1", 3)];
    heals(&before, 1, &after, 2, Rung::RoleName);
}

/// 31: an advert was inserted; the old path hits another card, whose name contains ours.
#[test]
fn positional_drift() {
    let card = |name: &str, href: &str, at: usize| {
        element("link", name, &format!("/html/body/div/div[{at}]/a")).with("href", href).heading("For you")
    };
    let before = [
        card("Winter sailing", "#1", 1),
        card("Bread at home", "#2", 2),
        card("Harbour lights", "#3", 3),
        card("Old bridges", "#4", 4),
    ];
    let after = [
        card("Buy a kayak today", "#ad", 1),
        card("Winter sailing", "#1", 2),
        card("Harbour lights, part two", "#5", 3),
        card("Bread at home", "#2", 4),
        card("Harbour lights", "#3", 5),
    ];
    heals(&before, 2, &after, 4, Rung::RoleName);
}

/// 33: a look-alike stands at the old place, before the target.
#[test]
fn decoy_inserted() {
    let before =
        [element("button", "Place order", "/html/body/div[1]/button").with("id", "so").heading("Order 81")];
    let after = [
        element("button", "Place order", "/html/body/div[1]/button").with("class", "z").heading("Order 81"),
        element("button", "Place order", "/html/body/div[2]/button").with("class", "z").heading("Order 81"),
    ];
    declines(&before, 0, &after);
    assert_eq!(
        find(&before, 0, &after).sentence(),
        "was NOT re-pointed: 2 elements match role+name — ambiguous (confidence 0.3)"
    );
}

/// 37: the exact button is gone; the broader one was there before as something else.
#[test]
fn superset_only() {
    let before = [
        element("button", "Delete", "/html/body/button[1]")
            .with("id", "d1")
            .heading("Mailbox")
            .beside("Mailbox Delete everything"),
        element("button", "Delete everything", "/html/body/button[2]")
            .with("id", "d2")
            .heading("Mailbox")
            .beside("Mailbox Delete"),
    ];
    let after = [
        element("button", "Delete everything", "/html/body/button[1]")
            .with("id", "d2")
            .heading("Mailbox")
            .beside("Mailbox Move"),
        element("button", "Move", "/html/body/button[2]")
            .with("id", "m1")
            .heading("Mailbox")
            .beside("Mailbox Delete everything"),
    ];
    declines(&before, 0, &after);
}

/// 85: the label grew from "Save" to "Save profile" and nothing else contains the word.
#[test]
fn substring_accept() {
    let form = "form:Profile";
    let before = [
        element("textbox", "Nickname", "/html/body/form/label/input").with("id", "n").scoped(form),
        element("button", "Save", "/html/body/form/button[1]")
            .with("id", "s1")
            .scoped(form)
            .beside("Nickname Cancel"),
        element("button", "Cancel", "/html/body/form/button[2]")
            .with("id", "c1")
            .scoped(form)
            .beside("Nickname Save"),
    ];
    let after = [
        element("textbox", "Nickname", "/html/body/form/label/input").with("id", "n2").scoped(form),
        element("button", "Cancel", "/html/body/form/button[1]")
            .with("class", "k")
            .scoped(form)
            .beside("Nickname Save profile"),
        element("button", "Save profile", "/html/body/form/button[2]")
            .with("class", "k")
            .scoped(form)
            .beside("Nickname Cancel"),
    ];
    heals(&before, 1, &after, 2, Rung::Substring);
}

/// 86: two equal buttons changed places; the text beside picks the right one, document order the wrong one.
#[test]
fn position_accept() {
    let before = [
        element("button", "Edit", "/html/body/div[1]/button")
            .with("id", "e1")
            .beside("Opening hours: 9 to 5"),
        element("button", "Edit", "/html/body/div[2]/button")
            .with("id", "e2")
            .beside("Postal address: Mill Lane 2"),
    ];
    let after = [
        element("button", "Edit", "/html/body/div/div[1]/button").beside("Postal address: Mill Lane 2"),
        element("button", "Edit", "/html/body/div/div[2]/button").beside("Opening hours: 9 to 5"),
    ];
    heals(&before, 1, &after, 0, Rung::Place);
    let Verdict::Healed(found) = find(&before, 1, &after) else { panic!("not healed") };
    assert!((found.confidence - 0.75).abs() < 1e-9);
}
