//! Escape: closes the topmost popover or modal dialog, as the browser's close watcher would, and empties a search field.

use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::act::event;
use crate::act::field;
use crate::native;

/// What Escape does while `target` has the focus.
pub fn escape(target: &Element) {
    let Some(document) = native::document() else { return };
    let popovers = native::query_all(&document, "[popover]:popover-open");
    let automatic = popovers
        .iter()
        .rev()
        .find(|popover| native::attribute(popover, "popover").as_deref() != Some("manual"));
    if let Some(popover) = automatic {
        let _ = native::call("HTMLElement", "hidePopover", popover, &[]);
        return;
    }
    let dialogs = native::query_all(&document, "dialog:modal");
    // The one with the focus is the topmost; where none has it, the last in the document.
    let topmost =
        dialogs.iter().rev().find(|dialog| native::contains(dialog, target)).or_else(|| dialogs.last());
    if let Some(dialog) = topmost {
        close(dialog);
        return;
    }
    let is_search = native::tag(target) == "input" && field::input_type(target) == "search";
    if is_search && field::value_of(target).is_some_and(|value| !value.is_empty()) {
        field::set_value(target, "");
        event::input(target, "input", "deleteContentBackward", None);
    }
}

fn close(dialog: &Element) {
    if event::plain(dialog.unchecked_ref(), "cancel", false, true, false) {
        let _ = native::call("HTMLDialogElement", "close", dialog, &[&"".into()]);
    }
}
