//! Snapshots as compact JSON, for evidence and for judging heals again offline.

use serde::{Deserialize, Serialize};

use super::{Flags, Kind, Measure, Measured, NONE, Node, Snapshot, Span, Symbols, sym};
use crate::element::Rect;

/// The written form: version 1. A node is `[kind, parent, number, flags, tag, text, [name, value, …]]`, a measure
/// `[node, x, y, width, height, bits, cover]`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    snapshot_version: u32,
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
    pub fn to_json(&self, mask: &dyn Fn(&str) -> String) -> String {
        let nodes = (0..self.nodes.len())
            .map(|id| {
                let node = self.node(id);
                let attributes = self
                    .attributes_of(id)
                    .flat_map(|(name, value)| [self.symbols.name(name).to_owned(), mask(value)])
                    .collect();
                let parent = if node.parent == NONE { -1 } else { i64::from(node.parent) };
                (
                    node.kind as u8,
                    parent,
                    node.number,
                    node.flags.0,
                    self.tag(id).to_owned(),
                    mask(self.text(id)),
                    attributes,
                )
            })
            .collect();
        let measures = self
            .measures
            .iter()
            .map(|measure| {
                let Rect { x, y, width, height } = measure.bounds;
                let cover = if measure.cover == NONE { -1 } else { i64::from(measure.cover) };
                (measure.node, round(x), round(y), round(width), round(height), measure.bits.0, cover)
            })
            .collect();
        let stored = Stored {
            snapshot_version: VERSION,
            url: mask(&self.url),
            title: mask(&self.title),
            viewport: self.viewport,
            truncated: self.truncated,
            nodes,
            measures,
        };
        serde_json::to_string(&stored).unwrap_or_default()
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
        let json = page.to_json(&|text| text.replace("hunter2", "%password%"));
        assert!(!json.contains("hunter2"));
        let again = Snapshot::from_json(&json).unwrap();
        let button = again.by_id(0, "a").unwrap();
        assert_eq!(crate::name::of(&again, button), "Pay %password%");
        assert_eq!((again.nodes.len(), again.title.as_str()), (page.nodes.len(), "Shop"));
    }
}
