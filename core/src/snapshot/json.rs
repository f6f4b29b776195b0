//! Snapshots as compact JSON, for evidence and for judging heals again offline.

use serde::Deserialize;

use super::{Flags, Kind, Measure, Measured, NONE, Node, Snapshot, Span, Symbols, sym};
use crate::element::Rect;
use crate::wire::{Json, Numbers};

/// The written form: version 1. A node is `[kind, parent, number, flags, tag, text, [name, value, …]]`, a measure
/// `[node, x, y, width, height, bits, cover]`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    url: String,
    title: String,
    viewport: (f64, f64),
    truncated: bool,
    nodes: Vec<StoredNode>,
    measures: Vec<(u32, f64, f64, f64, f64, u32, i64)>,
}

type StoredNode = (u8, i64, u32, u32, String, String, Vec<String>);

const VERSION: u32 = 1;

impl Snapshot {
    /// The snapshot as JSON, every text passed through `mask` first.
    pub fn to_json(&self, mask: &dyn Fn(&str) -> String, numbers: &'static Numbers) -> String {
        let mut json = Json::writer(numbers);
        json.push("{\"snapshotVersion\":");
        json.write_whole(u64::from(VERSION));
        json.push(",\"url\":");
        json.write_string(&mask(&self.url));
        json.push(",\"title\":");
        json.write_string(&mask(&self.title));
        json.push(",\"viewport\":[");
        json.write_number(self.viewport.0);
        json.comma();
        json.write_number(self.viewport.1);
        json.push(if self.truncated { "],\"truncated\":true" } else { "],\"truncated\":false" });
        json.push(",\"nodes\":[");
        for id in 0..self.nodes.len() {
            json.comma();
            self.write_node(id, mask, &mut json);
        }
        json.push("],\"measures\":[");
        for measure in &self.measures {
            json.comma();
            write_measure(measure, &mut json);
        }
        json.push("]}");
        json.into_text()
    }

    fn write_node(&self, id: usize, mask: &dyn Fn(&str) -> String, json: &mut Json<'_>) {
        let node = self.node(id);
        json.push("[");
        json.write_whole(node.kind as u64);
        json.comma();
        write_place(node.parent, json);
        json.comma();
        json.write_whole(u64::from(node.number));
        json.comma();
        json.write_whole(u64::from(node.flags.0));
        json.comma();
        json.write_string(self.tag(id));
        json.comma();
        json.write_string(&mask(self.text(id)));
        json.push(",[");
        for (name, value) in self.attributes_of(id) {
            json.comma();
            json.write_string(self.symbols.name(name));
            json.comma();
            json.write_string(&mask(value));
        }
        json.push("]]");
    }

    /// Reads what [`Self::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let stored: Stored = serde_json::from_str(text)?;
        let mut snapshot = Self { symbols: Symbols::default(), ..Self::default() };
        for (kind, parent, number, flags, tag, text, attributes) in stored.nodes {
            let kind = match kind {
                0 => Kind::Element,
                1 => Kind::Text,
                2 => Kind::Shadow,
                3 => Kind::Before,
                _ => Kind::After,
            };
            let parent = u32::try_from(parent)
                .ok()
                .filter(|parent| (*parent as usize) < snapshot.nodes.len())
                .unwrap_or(NONE);
            let mut node = Node::new(kind, parent, number, Flags(flags));
            node.tag = if tag.is_empty() { sym::NONE } else { snapshot.symbols.intern(&tag) };
            node.text = snapshot.add_text(&text);
            node.first_attribute = snapshot.attributes.len() as u32;
            for pair in attributes.chunks_exact(2) {
                let name = snapshot.symbols.intern(&pair[0]);
                let span = snapshot.add_text(&pair[1]);
                snapshot.attributes.push((name, span));
            }
            node.attribute_count = (snapshot.attributes.len() - node.first_attribute as usize) as u16;
            snapshot.nodes.push(node);
        }
        snapshot.measures = stored
            .measures
            .into_iter()
            .map(|(node, x, y, width, height, bits, cover)| Measure {
                node,
                bounds: Rect { x, y, width, height },
                bits: Measured(bits),
                cover: u32::try_from(cover).unwrap_or(NONE),
            })
            .collect();
        snapshot.url = stored.url;
        snapshot.title = stored.title;
        snapshot.viewport = stored.viewport;
        snapshot.truncated = stored.truncated;
        snapshot.seal();
        Ok(snapshot)
    }

    fn add_text(&mut self, text: &str) -> Span {
        let start = self.pool.len() as u32;
        self.pool.push_str(text);
        Span { start, end: self.pool.len() as u32 }
    }
}

/// The place of a node; -1 for none.
fn write_place(place: u32, json: &mut Json<'_>) {
    if place == NONE { json.push("-1") } else { json.write_whole(u64::from(place)) }
}

fn write_measure(measure: &Measure, json: &mut Json<'_>) {
    json.push("[");
    json.write_whole(u64::from(measure.node));
    let Rect { x, y, width, height } = measure.bounds;
    for side in [x, y, width, height] {
        json.comma();
        json.write_number(round(side));
    }
    json.comma();
    json.write_whole(u64::from(measure.bits.0));
    json.comma();
    write_place(measure.cover, json);
    json.push("]");
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_a_page_and_masks_its_texts() {
        let mut page = Snapshot::from_html("<button id=a>Pay <b>hunter2</b></button>");
        page.title = "Shop".to_owned();
        let json = page.to_json(&|text| text.replace("hunter2", "%password%"), &crate::wire::NUMBERS);
        assert!(!json.contains("hunter2"));
        let again = Snapshot::from_json(&json).unwrap();
        let button = again.by_id(0, "a").unwrap();
        assert_eq!(crate::name::of(&again, button), "Pay %password%");
        assert_eq!((again.nodes.len(), again.title.as_str()), (page.nodes.len(), "Shop"));
    }
}
