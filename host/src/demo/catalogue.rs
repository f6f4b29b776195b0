//! What the desk lends: a fixed list, so that every run sees the same pages.

use serde::Serialize;

/// Items on one page of the list.
pub const PAGE_SIZE: usize = 5;

/// One thing that can be borrowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Id in URLs.
    pub id: String,
    /// Name, unique.
    pub name: String,
    /// Kind of thing.
    pub category: &'static str,
    /// Where it lies.
    pub shelf: String,
    /// It can be booked.
    pub available: bool,
}

/// One page of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemPage {
    /// The items, in order.
    pub items: Vec<Item>,
    /// Items on all pages.
    pub total: usize,
    /// This page, from 1.
    pub page: usize,
    /// Number of pages, at least 1.
    pub pages: usize,
}

const KINDS: [(&str, &str, char, usize); 7] = [
    ("Camera", "Pictures", 'C', 9),
    ("Tripod", "Pictures", 'T', 6),
    ("Microphone", "Sound", 'M', 5),
    ("Projector", "Rooms", 'P', 4),
    ("Laptop", "Rooms", 'L', 5),
    ("Drill", "Workshop", 'D', 4),
    ("Lamp", "Workshop", 'W', 4),
];

/// Every item of the desk.
pub fn all() -> Vec<Item> {
    let mut items = Vec::new();
    for (row, (kind, category, letter, count)) in KINDS.into_iter().enumerate() {
        for number in 1..=count {
            items.push(Item {
                id: format!("{}-{number}", letter.to_ascii_lowercase()),
                name: format!("{kind} {letter}-{number}"),
                category,
                shelf: format!("{}{}", char::from(b'A' + row as u8), number),
                available: number % 4 != 0,
            });
        }
    }
    items
}

/// The item with this id.
pub fn find(id: &str) -> Option<Item> {
    all().into_iter().find(|item| item.id == id)
}

/// One page of what matches every word of `query` in name or category. A page beyond the last is the last.
pub fn search(query: &str, page: usize) -> ItemPage {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let matching: Vec<Item> = all()
        .into_iter()
        .filter(|item| {
            let text = format!("{} {}", item.name, item.category).to_lowercase();
            words.iter().all(|word| text.contains(word))
        })
        .collect();
    let pages = matching.len().div_ceil(PAGE_SIZE).max(1);
    let page = page.clamp(1, pages);
    let total = matching.len();
    let items = matching.into_iter().skip((page - 1) * PAGE_SIZE).take(PAGE_SIZE).collect();
    ItemPage { items, total, page, pages }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_pages_through_what_matches() {
        let first = search("camera", 1);
        assert_eq!((first.total, first.page, first.pages, first.items.len()), (9, 1, 2, 5));
        let last = search("CAMERA", 7);
        assert_eq!((last.page, last.items.len()), (2, 4));
        assert_eq!(last.items[1].name, "Camera C-7");
        assert_eq!(search("no such thing", 1).pages, 1);
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<String> = all().into_iter().map(|item| item.id).collect();
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
