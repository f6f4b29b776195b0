//! The header of the column that a field stands in: all that tells the fields of a table's row from each other.

use crate::name;
use crate::role;
use crate::snapshot::{Kind, NodeId, Snapshot, sym};

/// The header's text; `None` where the element is no field, stands in no cell, or columns cannot be counted for sure.
pub(super) fn header(snapshot: &Snapshot, field: NodeId) -> Option<String> {
    if !is_field(role::of(snapshot, field)) {
        return None;
    }
    let cell = snapshot.flat_ancestors(field).find(|up| is_cell(snapshot, *up))?;
    let row = snapshot.flat_parent(cell)?;
    let table = snapshot.flat_ancestors(row).find(|up| is_table(snapshot, *up))?;
    let own = columns(snapshot, row)?;
    let (_, from, _) = own.iter().find(|(other, ..)| *other == cell)?;
    let width = own.last()?.2;
    let rows = snapshot.subtree(table).skip(1).filter(|id| is_row(snapshot, *id) && *id < row);
    let mut text = None;
    for head in rows {
        let cells = columns(snapshot, head)?;
        let is_head = cells.iter().all(|(cell, ..)| {
            role::of(snapshot, *cell) == "columnheader"
                || name::is_unreadable(&name::content(snapshot, *cell))
        });
        // What a cell reaches down into the next rows shifts their columns.
        if !is_head || cells.last()?.2 != width {
            break;
        }
        let over = cells.iter().find(|(_, begins, ends)| begins <= from && from < ends);
        text = over.map(|(cell, ..)| name::content(snapshot, *cell)).or(text);
    }
    text.filter(|text| !name::is_unreadable(text))
}

/// The cells of a row, each with its first column and the one behind its last. `None` where one reaches into other rows.
fn columns(snapshot: &Snapshot, row: NodeId) -> Option<Vec<(NodeId, usize, usize)>> {
    let mut found = Vec::new();
    let mut at = 0;
    for cell in snapshot.children(row).filter(|child| snapshot.node(*child).kind == Kind::Element) {
        let span = |name: &str| {
            snapshot.attribute_named(cell, name).map_or(1, |text| text.trim().parse().unwrap_or(1))
        };
        if span("rowspan") != 1 {
            return None;
        }
        let ends = at + span("colspan").max(1);
        found.push((cell, at, ends));
        at = ends;
    }
    (!found.is_empty()).then_some(found)
}

fn is_field(role: &str) -> bool {
    matches!(
        role,
        "textbox"
            | "searchbox"
            | "spinbutton"
            | "checkbox"
            | "radio"
            | "switch"
            | "combobox"
            | "listbox"
            | "slider"
    )
}

fn is_cell(snapshot: &Snapshot, id: NodeId) -> bool {
    matches!(snapshot.node(id).tag, sym::TD | sym::TH)
        || matches!(role::written(snapshot, id), Some("cell" | "gridcell"))
}

fn is_row(snapshot: &Snapshot, id: NodeId) -> bool {
    let node = snapshot.node(id);
    node.kind == Kind::Element && (node.tag == sym::TR || role::written(snapshot, id) == Some("row"))
}

fn is_table(snapshot: &Snapshot, id: NodeId) -> bool {
    snapshot.node(id).tag == sym::TABLE
        || matches!(role::written(snapshot, id), Some("table" | "grid" | "treegrid"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table whose rows end with `;` and whose cells end with `|`: `th>Price|td colspan=2><input>`.
    fn table(rows: &str) -> String {
        let cell = |cell: &str| format!("<{cell}</{}>", &cell[..2]);
        let row = |row: &str| format!("<tr>{}</tr>", row.split('|').map(cell).collect::<Vec<_>>().concat());
        format!("<table>{}</table>", rows.split(';').map(row).collect::<Vec<_>>().concat())
    }

    /// The headers that the page's fields have.
    fn headers(html: &str) -> Vec<Option<String>> {
        let snapshot = Snapshot::from_html(html);
        let fields = snapshot.subtree(0).filter(|id| snapshot.is(*id, sym::INPUT));
        fields.map(|id| header(&snapshot, id)).collect()
    }

    #[rstest::rstest]
    #[case("th>Item|th>Price|th>Stock;td>Tea|td><input>|td><input>", &[Some("Price"), Some("Stock")])]
    #[case("th>Item|th colspan=2>Both|th>Last;td>Tea|td><input>|td><input>|td><input>", &[Some("Both"), Some("Both"), Some("Last")])]
    #[case("th>|th>May;td>Ann|td><input type=checkbox>", &[Some("May")])]
    #[case("th>All|th colspan=2>2026;th>Who|th>May|th>June;td>Ann|td><input>|td><input>", &[Some("May"), Some("June")])]
    #[case("th>A|th>B;td rowspan=2>x|td><input>;td><input>", &[None, None])]
    #[case("td>no|td>head;td>x|td><input>", &[None])]
    #[case("th>A|th>B;td>x|td><input type=submit>", &[None])]
    fn is_read(#[case] rows: &str, #[case] expected: &[Option<&str>]) {
        let found = headers(&table(rows));
        assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn of_a_grid_and_of_the_inner_table() {
        let grid = "<div role=grid><div role=row><span role=columnheader>Hours</span></div>\
            <div role=row><span role=gridcell><input></span></div></div>";
        assert_eq!(headers(grid), [Some("Hours".to_owned())]);
        let outer =
            format!("<table><tr><th>Out</th></tr><tr><td>{}</td></tr></table>", table("th>In;td><input>"));
        assert_eq!(headers(&outer), [Some("In".to_owned())]);
    }
}
