//! Editing hosts (`contenteditable`): text goes in through the browser's own editing, unless the editor takes it itself.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use super::event;
use super::field::Edit;
use crate::native;

/// The editing host that `element` is or lies in.
pub fn host_of(element: &Element) -> Option<Element> {
    if !element.is_instance_of::<HtmlElement>()
        || !native::get("HTMLElement", "isContentEditable", element).is_truthy()
    {
        return None;
    }
    let mut host = element.clone();
    while let Some(parent) = native::parent(&host) {
        if !native::get("HTMLElement", "isContentEditable", &parent).is_truthy() {
            break;
        }
        host = parent;
    }
    Some(host)
}

/// The text an editing host shows.
pub fn text_of(host: &Element) -> String {
    let text = native::get("HTMLElement", "innerText", host).as_string().unwrap_or_default();
    // An empty line of an editor is a line break that the text shows twice.
    text.strip_suffix('\n').unwrap_or(&text).to_owned()
}

/// Selects all that the host holds.
pub fn select_all(host: &Element) {
    let selection = web_sys::window().and_then(|window| window.get_selection().ok().flatten());
    if let Some(selection) = selection {
        let _ = native::call("Selection", "selectAllChildren", &selection, &[host]);
    }
}

/// Puts the caret behind the last of what the host holds, where it is not in the host already.
pub fn place_caret(host: &Element) {
    let Some(selection) = web_sys::window().and_then(|window| window.get_selection().ok().flatten()) else {
        return;
    };
    let anchor = native::get("Selection", "anchorNode", &selection);
    if anchor.dyn_into::<web_sys::Node>().is_ok_and(|node| native::contains(host, &node)) {
        return;
    }
    select_all(host);
    let _ = native::call("Selection", "collapseToEnd", &selection, &[]);
}

/// Edits at the selection. An editor that owns its model prevents `beforeinput` and does the rest itself: then the edit
/// was taken as well.
pub fn edit(element: &Element, edit: Edit<'_>) -> bool {
    let Some(host) = host_of(element) else { return false };
    match edit {
        Edit::Insert(text) => {
            for (at, line) in text.split('\n').enumerate() {
                if at > 0 {
                    run(&host, "insertParagraph", "insertParagraph", None);
                }
                if !line.is_empty() {
                    run(&host, "insertText", "insertText", Some(line));
                }
            }
        }
        Edit::Backward => run(&host, "deleteContentBackward", "delete", None),
        Edit::Forward => run(&host, "deleteContentForward", "forwardDelete", None),
    }
    true
}

/// Empties the host.
pub fn clear(host: &Element) {
    select_all(host);
    if !text_of(host).is_empty() {
        run(host, "deleteContentBackward", "delete", None);
    }
}

/// The editing commands of the browser fire `input` and no `beforeinput`: that one is sent before them.
fn run(host: &Element, input_type: &str, command: &str, data: Option<&str>) {
    if !event::input(host, "beforeinput", input_type, data) {
        return;
    }
    let Some(document) = native::document() else { return };
    let value = data.map_or(JsValue::NULL, JsValue::from);
    let _ = native::call("Document", "execCommand", &document, &[&command.into(), &JsValue::FALSE, &value]);
}
