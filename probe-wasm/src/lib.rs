//! The probe: the eyes and hands of Cairn in one frame of a page. Exports only.
//!
//! # The loader's side
//! `start(options, send)` once, then `receive(text)` for each message of the host, `observe(event)` for each event that the
//! stub's listeners hear, `stop()` at the end. `send(text, kind)` is called for each message to the host, as JSON.
//!
//! A panic is a trap, and a trapped instance is not entered again. It surfaces as a `RuntimeError` out of the export, or out
//! of a promise's callback where a batch was under way; its own text, which may hold what the page showed, is not even
//! made (see `extension/build/panics.mjs`). The loader tells the host where the trap was, drops the instance, makes a new
//! one and starts it: in a task of its own, since the old one is still on the stack.

mod act;
mod build;
mod check;
mod departure;
mod eyes;
mod mask;
mod native;
mod number;
mod outgoing;
mod page;
mod play;
mod wait;
mod watch;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Event;

use page::Page;

thread_local! {
    static PAGE: RefCell<Option<Rc<Page>>> = const { RefCell::new(None) };
}

fn page() -> Option<Rc<Page>> {
    PAGE.with(|page| page.borrow().clone())
}

/// Starts the probe of this frame. `options`: `{engine: "wasm" | "js"}`.
#[wasm_bindgen]
pub fn start(options: &JsValue, send: Function) {
    let engine = js_sys::Reflect::get(options, &"engine".into()).ok().and_then(|engine| engine.as_string());
    let page = Rc::new(Page::new(engine.unwrap_or_else(|| "wasm".to_owned()), send));
    PAGE.with(|slot| slot.replace(Some(page)));
    // When this task is over: the loader says at its end that the probe is there.
    wasm_bindgen_futures::spawn_local(async { eyes::warm() });
}

/// Takes a message of the host: a `ToPage` as JSON.
#[wasm_bindgen]
pub fn receive(text: &str) {
    if let Some(page) = page() {
        page.receive(text);
    }
}

/// Takes an event from the stub's listeners (capture phase at the window). `held`: the page as it was then, where the event
/// comes late because the probe was not there yet; else `null`.
#[wasm_bindgen]
pub fn observe(event: Event, held: JsValue) {
    if let Some(page) = page() {
        page.observe(event, held);
    }
}

/// Ends everything: listeners, observers, waits.
#[wasm_bindgen]
pub fn stop() {
    if let Some(page) = PAGE.with(RefCell::take) {
        page.stop();
    }
}
