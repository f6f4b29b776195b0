//! Which entries of the index a recorded selector hits: the snapshot answers what it can, the DOM the rest.

use cairn_core::element::Usable;
use cairn_core::ladder::{Hits, Selectors};
use cairn_core::selector::{Parsed, parse, resolve_parsed};
use cairn_core::{candidate, role, text};
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;

use super::View;
use super::collector;

impl Selectors for View {
    fn hits(&self, selector: &str) -> Hits {
        let Some(parsed) = parse(selector) else { return Hits::default() };
        match &parsed {
            Parsed::Role { role, name } => self.by_role(role, name.as_deref()),
            Parsed::Css(parts) => {
                let parts: Array = parts.iter().map(|part| JsValue::from_str(part.trim())).collect();
                self.of_dom(collector::query(parts))
            }
            Parsed::XPath(parts) => match resolve_parsed(self.snapshot(), &parsed, self.test_ids()) {
                Some(nodes) => self.of_nodes(nodes),
                None if parts.len() == 1 => self.of_dom(collector::evaluate(parts[0].trim())),
                None => Hits::default(),
            },
            _ => self.of_nodes(resolve_parsed(self.snapshot(), &parsed, self.test_ids()).unwrap_or_default()),
        }
    }
}

impl View {
    fn by_role(&self, role: &str, name: Option<&str>) -> Hits {
        let elements = self.index().elements().iter().enumerate();
        let fit = elements.filter(|(_, element)| {
            element.role == role
                && element.usable != Usable::Hidden
                && name.is_none_or(|name| text::same_name(&element.name, name))
        });
        Hits { listed: fit.map(|(place, _)| place).collect(), others: 0 }
    }

    /// The one element that a selector hits, where it has this role, and whether it is in the index.
    pub(super) fn sole_hit(&self, selector: &str, role: &str) -> Option<(Element, bool)> {
        let parsed = parse(selector)?;
        let snapshot = self.snapshot();
        let nodes = match &parsed {
            Parsed::Css(parts) => {
                let parts: Array = parts.iter().map(|part| JsValue::from_str(part.trim())).collect();
                let found = collector::query(parts).ok()?.dyn_into::<Array>().ok()?;
                let elements = found.iter().filter_map(|one| one.dyn_into::<Element>().ok());
                elements.filter_map(|one| self.node_of_element(&one)).collect()
            }
            Parsed::Role { role, name: Some(name) } => candidate::told(snapshot, role, name),
            _ => resolve_parsed(snapshot, &parsed, self.test_ids())?,
        };
        let [node] = nodes[..] else { return None };
        let element = self.element(node).filter(|_| role::of(snapshot, node) == role)?;
        Some((element, self.place_of(node).is_some()))
    }

    fn of_nodes(&self, nodes: Vec<usize>) -> Hits {
        let mut hits = Hits::default();
        for node in nodes {
            match self.place_of(node) {
                Some(place) => hits.listed.push(place),
                None => hits.others += 1,
            }
        }
        hits
    }

    fn of_dom(&self, found: Result<JsValue, JsValue>) -> Hits {
        let Some(found) = found.ok().and_then(|found| found.dyn_into::<Array>().ok()) else {
            return Hits::default();
        };
        let mut hits = Hits::default();
        for element in found.iter().filter_map(|found| found.dyn_into::<Element>().ok()) {
            match self.exact_position(&element) {
                Some(place) => hits.listed.push(place),
                None => hits.others += 1,
            }
        }
        cairn_core::order::sort(&mut hits.listed);
        hits.listed.dedup();
        hits
    }
}
