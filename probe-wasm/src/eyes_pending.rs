//! Stands where `eyes` will stand until it does: it sees nothing, and says so.

use std::future::Future;
use std::rc::Rc;

use cairn_core::element::{Ref, States};
use cairn_core::ladder::{Decline, Heal, Index, Verdict};
use cairn_core::script::Target;
use cairn_core::wire::page::{Configure, ListOptions, Listing};
use cairn_core::wire::{ErrorCode, WireError};
use web_sys::Element;

pub struct Eyes;
pub struct View(Index);

pub struct Found {
    pub node: Element,
    pub states: States,
}

#[expect(dead_code)]
pub enum PointAnswer {
    Point { x: f64, y: f64, hit: Element },
    Covered { by: String },
    Hidden,
    Outside,
}

impl Eyes {
    pub fn new() -> Self {
        Self
    }

    pub fn configure(&mut self, _: &Configure) {}

    pub fn look(&mut self) -> Rc<View> {
        Rc::new(View(Index::new(Vec::new())))
    }

    pub fn list(&mut self, _: &ListOptions) -> Listing {
        let title = crate::native::document().map(|document| document.title()).unwrap_or_default();
        Listing { url: crate::native::url(), title, ..Listing::default() }
    }

    pub fn node(&self, reference: &Ref) -> Result<Element, WireError> {
        Err(crate::page::wire_error(ErrorCode::StaleRef, format!("nothing has the ref {}", reference.0)))
    }

    pub fn snapshot_json(&mut self) -> String {
        "{}".to_owned()
    }

    pub fn on_change(&self) -> impl Future<Output = ()> + use<> {
        std::future::pending()
    }
}

impl View {
    pub fn index(&self) -> &Index {
        &self.0
    }

    pub fn node_at(&self, _: usize) -> Option<Element> {
        None
    }

    pub fn position_of(&self, _: &Element) -> Option<usize> {
        None
    }

    pub fn resolve(&self, _: &Target, _: Heal) -> Verdict {
        Verdict::Lost(Decline { confidence: 0.0, shortlist: Vec::new(), reason: "the page cannot be read yet".to_owned() })
    }

    pub fn describe(&self, _: usize) -> (Target, Option<String>) {
        (Target::default(), None)
    }

    pub fn matching(&self, _: Option<&str>, _: Option<&str>, _: Option<&str>) -> Vec<Found> {
        Vec::new()
    }

    pub fn shows_text(&self, _: &str) -> bool {
        false
    }
}

pub fn usable_point(_: &Element) -> PointAnswer {
    PointAnswer::Hidden
}
