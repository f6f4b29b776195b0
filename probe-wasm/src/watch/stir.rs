//! Whether the page changed in any way: where nothing says that an element can be clicked, a change right after the click does.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, MutationObserver, MutationObserverInit, MutationRecord, Node};

use crate::native;

/// So many records of one delivery are looked at for a real change.
const MOST_LOOKED_AT: u32 = 50;

/// What a page does in answer to the pointer's way, it does within this time, in milliseconds.
const AT_ONCE: f64 = 4.0;

/// A watch over the document's mutations, and over the shadow roots it is shown.
pub struct Stir {
    observer: Option<MutationObserver>,
    changes: Rc<Cell<u32>>,
    at: Rc<Cell<f64>>,
    pointed: Rc<Cell<f64>>,
    roots: Vec<Node>,
    _listen: Closure<dyn FnMut(Array)>,
}

impl Stir {
    /// Begins to watch.
    pub fn new() -> Self {
        let changes = Rc::new(Cell::new(0_u32));
        let at = Rc::new(Cell::new(f64::NEG_INFINITY));
        let pointed = Rc::new(Cell::new(f64::NEG_INFINITY));
        let (counter, clock, passing) = (Rc::clone(&changes), Rc::clone(&at), Rc::clone(&pointed));
        let listen = Closure::new(move |records: Array| {
            let looked_at = records.length().min(MOST_LOOKED_AT);
            let real = (0..looked_at)
                .filter_map(|place| records.get(place).dyn_into::<MutationRecord>().ok())
                .any(|one| is_change(&one));
            let of_pointer = native::now() - passing.get() < AT_ONCE;
            if (real || records.length() > MOST_LOOKED_AT) && !of_pointer {
                counter.set(counter.get().wrapping_add(1));
                clock.set(native::now());
            }
        });
        let observer = MutationObserver::new(listen.as_ref().unchecked_ref()).ok();
        let mut stir = Self { observer, changes, at, pointed, roots: Vec::new(), _listen: listen };
        if let Some(document) = native::document() {
            stir.watch(&document);
        }
        stir
    }

    /// The pointer passes over something: what the page does at once to that is none of an act's doing.
    pub fn passes(&self) {
        self.pointed.set(native::now());
    }

    /// Deliveries with a real change so far.
    pub fn changes(&self) -> u32 {
        self.changes.get()
    }

    /// When the last of them came, in milliseconds.
    pub fn last_change(&self) -> f64 {
        self.at.get()
    }

    /// Also watches the roots that hold this element.
    pub fn watch_roots_of(&mut self, element: &Element) {
        let mut at: Node = element.clone().into();
        while let Some(root) = native::root(&at) {
            let Some(host) = native::host_of(&root) else { return };
            self.watch(&root);
            at = host.into();
        }
    }

    fn watch(&mut self, root: &Node) {
        if self.roots.contains(root) {
            return;
        }
        let options = MutationObserverInit::new();
        options.set_subtree(true);
        options.set_child_list(true);
        options.set_character_data(true);
        options.set_character_data_old_value(true);
        options.set_attributes(true);
        options.set_attribute_old_value(true);
        if let Some(observer) = &self.observer
            && observer.observe_with_options(root, &options).is_ok()
        {
            self.roots.push(root.clone());
        }
    }
}

impl Drop for Stir {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

/// An attribute that was set to what it was is no change.
fn is_change(record: &MutationRecord) -> bool {
    let Some(target) = record.target() else { return false };
    match record.type_().as_str() {
        "attributes" => {
            let now = record
                .attribute_name()
                .and_then(|name| native::attribute(target.unchecked_ref::<Element>(), &name));
            now != record.old_value()
        }
        "characterData" => {
            let now: JsValue = native::get("CharacterData", "data", &target);
            now.as_string() != record.old_value()
        }
        _ => true,
    }
}
