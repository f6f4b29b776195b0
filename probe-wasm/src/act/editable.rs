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

/// The text of an editing host, a line for each of its paragraphs: what lies between them is the style's affair.
pub fn text_of(host: &Element) -> String {
    let shown = |element: &Element| {
        let text = native::get("HTMLElement", "innerText", element).as_string().unwrap_or_default();
        // Some editors hold their caret by a mark that nobody sees, and a space at the end of a line does not break.
        let text = text.replace('\u{feff}', "").replace('\u{a0}', " ");
        // An empty line of an editor is a line break that the text shows twice.
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    };
    let mut holder = host.clone();
    let mut blocks = blocks_in(&holder);
    while let [only] = blocks.as_slice() {
        let inner = blocks_in(only);
        if inner.is_empty() {
            break;
        }
        (holder, blocks) = (only.clone(), inner);
    }
    if blocks.is_empty() {
        return shown(&holder);
    }
    blocks.iter().map(shown).collect::<Vec<_>>().join("\n")
}

const BLOCK: &str = "p,div,h1,h2,h3,h4,h5,h6,blockquote,pre,ul,ol,li,table,section,figure,hr";

/// The paragraphs that an element is made of; none where anything else stands beside them.
fn blocks_in(element: &Element) -> Vec<Element> {
    let children = native::get("Node", "childNodes", element);
    let mut blocks = Vec::new();
    for child in js_sys::Array::from(&children).iter() {
        match child.dyn_into::<Element>() {
            Ok(child) if native::matches(&child, BLOCK) => blocks.push(child),
            Ok(_) => return Vec::new(),
            Err(text) => {
                let text = native::get("Node", "textContent", &text).as_string().unwrap_or_default();
                if !text.trim().is_empty() {
                    return Vec::new();
                }
            }
        }
    }
    blocks
}

/// Selects all that the host holds.
pub fn select_all(host: &Element) {
    let selection = web_sys::window().and_then(|window| window.get_selection().ok().flatten());
    if let Some(selection) = selection {
        let _ = native::call("Selection", "selectAllChildren", &selection, &[host]);
    }
}

/// Puts the caret behind the last of what the host holds.
pub fn caret_to_end(host: &Element) {
    select_all(host);
    if let Some(selection) = web_sys::window().and_then(|window| window.get_selection().ok().flatten()) {
        let _ = native::call("Selection", "collapseToEnd", &selection, &[]);
    }
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
