//! Says that the probe panicked, before the trap ends it.

use std::cell::RefCell;

use cairn_core::wire;
use cairn_core::wire::page::{FromPage, PageEvent};
use js_sys::Function;
use wasm_bindgen::JsValue;

use crate::number::NUMBERS;

thread_local! {
    static SEND: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// From now on a panic is told through `send`, with the kind `"panicked"`.
pub fn report_through(send: Function) {
    SEND.with(|slot| slot.replace(Some(send)));
    std::panic::set_hook(Box::new(|panic| {
        // The place and no values: a panic's own text may hold what the page showed.
        let place = panic
            .location()
            .map_or_else(|| "an unknown place".to_owned(), |at| format!("{}:{}", at.file(), at.line()));
        let event = PageEvent::Panicked { message: format!("the probe panicked at {place}") };
        let text = wire::write(&mut FromPage::Event { event }, &NUMBERS);
        let send = SEND.with(|slot| slot.try_borrow().ok().and_then(|send| send.clone()));
        if let Some(send) = send {
            let _ = send.call2(&JsValue::NULL, &text.into(), &"panicked".into());
        }
    }));
}
