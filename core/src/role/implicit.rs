//! The role that an element has by itself: HTML-AAM, with fixed pseudo-roles where ARIA has none.

use super::{input_type, is_details_summary};
use crate::snapshot::{NodeId, Snapshot, Symbol, sym};

/// The element's own role.
pub(super) fn of(snapshot: &Snapshot, id: NodeId) -> &'static str {
    let tag = snapshot.node(id).tag;
    by_tag(tag).unwrap_or_else(|| by_context(snapshot, id, tag))
}

/// The role of tags that have one wherever they stand.
fn by_tag(tag: Symbol) -> Option<&'static str> {
    Some(match tag {
        sym::ARTICLE => "article",
        sym::BLOCKQUOTE => "blockquote",
        sym::BUTTON => "button",
        sym::CAPTION | sym::FIGCAPTION => "caption",
        sym::CODE => "code",
        sym::DATALIST => "listbox",
        sym::DD => "definition",
        sym::DEL | sym::S => "deletion",
        sym::DETAILS | sym::FIELDSET | sym::OPTGROUP | sym::HGROUP | sym::ADDRESS => "group",
        sym::DFN | sym::DT => "term",
        sym::DIALOG => "dialog",
        sym::EM => "emphasis",
        sym::FIGURE => "figure",
        sym::H1 | sym::H2 | sym::H3 | sym::H4 | sym::H5 | sym::H6 => "heading",
        sym::HR => "separator",
        sym::HTML => "document",
        sym::INS => "insertion",
        sym::MAIN => "main",
        sym::MARK => "mark",
        sym::MATH => "math",
        sym::MENU | sym::OL | sym::UL => "list",
        sym::METER => "meter",
        sym::NAV => "navigation",
        sym::OPTION => "option",
        sym::OUTPUT => "status",
        sym::P => "paragraph",
        sym::PROGRESS => "progressbar",
        sym::SEARCH => "search",
        sym::STRONG => "strong",
        sym::SUB => "subscript",
        sym::SUP => "superscript",
        sym::SVG => "img",
        sym::TABLE => "table",
        sym::TEXTAREA => "textbox",
        sym::TIME => "time",
        _ => return None,
    })
}

/// The role of tags whose attributes, name or place decide.
fn by_context(snapshot: &Snapshot, id: NodeId, tag: Symbol) -> &'static str {
    let or_generic = |holds: bool, role: &'static str| if holds { role } else { "generic" };
    match tag {
        sym::A => link(snapshot, id),
        sym::AREA => or_generic(snapshot.has_attribute(id, sym::HREF), "link"),
        sym::ASIDE => aside(snapshot, id),
        sym::FOOTER if in_section(snapshot, id) => "sectionfooter",
        sym::FOOTER => "contentinfo",
        sym::FORM => or_generic(super::has_author_name(snapshot, id), "form"),
        sym::HEADER if in_section(snapshot, id) => "sectionheader",
        sym::HEADER => "banner",
        sym::IMG | sym::IMAGE_TAG => image(snapshot, id),
        sym::INPUT => input(snapshot, id),
        sym::LI => list_item(snapshot, id),
        sym::SECTION => or_generic(super::has_author_name(snapshot, id), "region"),
        sym::SELECT => select(snapshot, id),
        sym::SUMMARY => or_generic(is_details_summary(snapshot, id), "button"),
        sym::TBODY | sym::TFOOT | sym::THEAD => or_generic(table_role(snapshot, id).is_some(), "rowgroup"),
        sym::TR => or_generic(table_role(snapshot, id).is_some(), "row"),
        sym::TD => cell(snapshot, id),
        sym::TH => header_cell(snapshot, id),
        _ => "generic",
    }
}

/// A link without a target that can still be clicked or focused counts as one, as browsers have it.
fn link(snapshot: &Snapshot, id: NodeId) -> &'static str {
    let linked = snapshot.has_attribute(id, sym::HREF) || snapshot.has_attribute(id, sym::XLINK_HREF);
    let handled = snapshot.has_attribute(id, sym::ONCLICK) && snapshot.has_attribute(id, sym::TABINDEX);
    if linked || handled { "link" } else { "generic" }
}

fn aside(snapshot: &Snapshot, id: NodeId) -> &'static str {
    let sectioned =
        ancestors(snapshot, id).any(|tag| matches!(tag, sym::ARTICLE | sym::ASIDE | sym::NAV | sym::SECTION));
    if sectioned && !super::has_author_name(snapshot, id) { "generic" } else { "complementary" }
}

fn ancestors(snapshot: &Snapshot, id: NodeId) -> impl Iterator<Item = Symbol> + '_ {
    snapshot.ancestors(id).map(|up| snapshot.node(up).tag)
}

/// Inside sectioning content or a landmark of its own, a header or footer is not the page's.
fn in_section(snapshot: &Snapshot, id: NodeId) -> bool {
    snapshot.ancestors(id).any(|up| {
        matches!(snapshot.node(up).tag, sym::ARTICLE | sym::ASIDE | sym::MAIN | sym::NAV | sym::SECTION)
            || super::written(snapshot, up).is_some_and(|role| {
                matches!(role, "article" | "complementary" | "main" | "navigation" | "region")
            })
    })
}

fn image(snapshot: &Snapshot, id: NodeId) -> &'static str {
    let unnamed = snapshot.attribute(id, sym::ALT) == Some("");
    if unnamed && !super::has_author_name(snapshot, id) && !super::is_focusable(snapshot, id) {
        "none"
    } else {
        "img"
    }
}

fn input(snapshot: &Snapshot, id: NodeId) -> &'static str {
    match input_type(snapshot, id) {
        "button" | "image" | "reset" | "submit" => "button",
        "checkbox" => "checkbox",
        "radio" => "radio",
        "range" => "slider",
        "number" => "spinbutton",
        "search" => {
            if has_list(snapshot, id) {
                "combobox"
            } else {
                "searchbox"
            }
        }
        "email" | "tel" | "text" | "url" => {
            if has_list(snapshot, id) {
                "combobox"
            } else {
                "textbox"
            }
        }
        "password" => "textbox",
        "color" => "color",
        "date" | "datetime-local" => "date",
        "month" => "month",
        "week" => "week",
        "time" => "time",
        "file" => "file",
        _ => "none",
    }
}

fn has_list(snapshot: &Snapshot, id: NodeId) -> bool {
    snapshot
        .attribute(id, sym::LIST)
        .and_then(|list| snapshot.by_id(id, list))
        .is_some_and(|list| snapshot.is(list, sym::DATALIST))
}

fn select(snapshot: &Snapshot, id: NodeId) -> &'static str {
    let rows =
        snapshot.attribute(id, sym::SIZE).and_then(|size| size.trim().parse::<u32>().ok()).unwrap_or(0);
    if snapshot.has_attribute(id, sym::MULTIPLE) || rows > 1 { "listbox" } else { "combobox" }
}

fn list_item(snapshot: &Snapshot, id: NodeId) -> &'static str {
    let Some(parent) = snapshot.flat_parent(id) else { return "generic" };
    if !matches!(snapshot.node(parent).tag, sym::UL | sym::OL | sym::MENU) {
        return if super::of(snapshot, parent) == "list" { "listitem" } else { "generic" };
    }
    match super::of(snapshot, parent) {
        "none" => "none",
        "list" => "listitem",
        _ => "generic",
    }
}

/// The role of the table that a part belongs to, `None` outside of one or where its author took the role away.
fn table_role(snapshot: &Snapshot, id: NodeId) -> Option<&str> {
    let table = snapshot.ancestors(id).find(|up| snapshot.is(*up, sym::TABLE))?;
    let role = super::of(snapshot, table);
    (role != "none").then_some(role)
}

fn cell(snapshot: &Snapshot, id: NodeId) -> &'static str {
    match table_role(snapshot, id) {
        Some("grid" | "treegrid") => "gridcell",
        Some("table") => "cell",
        _ => "generic",
    }
}

/// A header cell heads its column, unless it says `row` or stands in a row beside data cells outside the table's head.
fn header_cell(snapshot: &Snapshot, id: NodeId) -> &'static str {
    let Some(role) = table_role(snapshot, id) else { return "generic" };
    if !matches!(role, "table" | "grid" | "treegrid") {
        return "generic";
    }
    match snapshot.attribute(id, sym::SCOPE).map(str::to_ascii_lowercase).as_deref() {
        Some("col" | "colgroup") => return "columnheader",
        Some("row" | "rowgroup") => return "rowheader",
        _ => {}
    }
    let row = snapshot.parent(id);
    let in_head =
        row.and_then(|row| snapshot.parent(row)).is_some_and(|group| snapshot.is(group, sym::THEAD));
    let beside_data = row.is_some_and(|row| snapshot.children(row).any(|child| snapshot.is(child, sym::TD)));
    if beside_data && !in_head { "rowheader" } else { "columnheader" }
}
