//! Tells whether the document is about to be left: a step that was acted just before must not be followed by another one
//! on the old page.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Reflect;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, EventTarget, HtmlFormElement};

use crate::native;
use crate::wait::Bell;

/// How far the document is on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// Nothing is under way.
    No,
    /// A navigation to another document has begun.
    Begun,
    /// The document is hidden for good.
    Gone,
}

/// A listener of ours: where it hangs, the event's type, and what it runs.
type Heard = (EventTarget, &'static str, Closure<dyn FnMut(Event)>);

/// Watches the page's navigations.
pub struct Departure {
    state: Rc<Cell<Leaving>>,
    submitted: RefCell<Option<Event>>,
    heard: Vec<Heard>,
}

impl Departure {
    /// Begins to watch; `bell` rings at each change.
    pub fn watch(bell: &Rc<Bell>) -> Self {
        let state = Rc::new(Cell::new(Leaving::No));
        let mut departure = Self { state, submitted: RefCell::new(None), heard: Vec::new() };
        let navigation =
            web_sys::window().and_then(|window| Reflect::get(&window, &"navigation".into()).ok());
        if let Some(Ok(navigation)) = navigation.map(wasm_bindgen::JsCast::dyn_into::<EventTarget>) {
            departure.on(&navigation, "navigate", bell, |state, event| {
                if leaves_document(event) {
                    state.set(Leaving::Begun);
                }
            });
            departure.on(&navigation, "navigateerror", bell, |state, _| state.set(Leaving::No));
        }
        departure
    }

    fn on(
        &mut self,
        target: &EventTarget,
        kind: &'static str,
        bell: &Rc<Bell>,
        act: fn(&Cell<Leaving>, &Event),
    ) {
        let state = Rc::clone(&self.state);
        let bell = Rc::clone(bell);
        let heard = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            if state.get() != Leaving::Gone {
                act(&state, &event);
            }
            bell.ring();
        });
        if target.add_event_listener_with_callback(kind, heard.as_ref().unchecked_ref()).is_ok() {
            self.heard.push((target.clone(), kind, heard));
        }
    }

    /// Hears the page's events: a `submit` that nobody prevents begins a navigation one task later.
    pub fn observe(&self, event: &Event) {
        match event.type_().as_str() {
            "pagehide" => self.state.set(Leaving::Gone),
            "submit" => {
                self.submitted.replace(Some(event.clone()));
            }
            _ => {}
        }
    }

    /// Forgets what earlier acts began.
    pub fn reset(&self) {
        self.submitted.replace(None);
        if self.state.get() == Leaving::Begun {
            self.state.set(Leaving::No);
        }
    }

    /// The document is shown (again): one that comes back from the back/forward cache keeps its probe.
    pub fn arrive(&self) {
        self.state.set(Leaving::No);
        self.submitted.replace(None);
    }

    /// How far it is.
    pub fn state(&self) -> Leaving {
        self.state.get()
    }

    /// True where a form was submitted, by the browser, into this very window: its navigation begins with the next task.
    pub fn takes_submission(&self) -> bool {
        let Some(event) = self.submitted.take() else { return false };
        if event.default_prevented() {
            return false;
        }
        let Some(form) = event.target().and_then(|target| target.dyn_into::<HtmlFormElement>().ok()) else {
            return false;
        };
        let submitter = Reflect::get(&event, &"submitter".into()).unwrap_or(JsValue::NULL);
        let own = |name: &str, on: &JsValue| {
            on.dyn_ref::<web_sys::Element>()
                .and_then(|element| native::attribute(element, name))
                .filter(|value| !value.is_empty())
        };
        let method = own("formmethod", &submitter).or_else(|| own("method", &form)).unwrap_or_default();
        let target = own("formtarget", &submitter).or_else(|| own("target", &form)).unwrap_or_default();
        let here = matches!(target.to_ascii_lowercase().as_str(), "" | "_self" | "_top" | "_parent");
        here && !method.eq_ignore_ascii_case("dialog")
    }
}

impl Drop for Departure {
    fn drop(&mut self) {
        for (target, kind, heard) in &self.heard {
            let _ = target.remove_event_listener_with_callback(kind, heard.as_ref().unchecked_ref());
        }
    }
}

/// True for a navigation to another document that nobody prevented. A download stays; a page's router intercepts.
fn leaves_document(event: &Event) -> bool {
    let read =
        |object: &JsValue, name: &str| Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let destination = read(event, "destination");
    let stays = read(&destination, "sameDocument").is_truthy();
    let is_download = read(event, "downloadRequest").is_string();
    !stays && !is_download && !event.default_prevented()
}
