//! Tab: the next thing in the order of sequential focus.

use cairn_core::order;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

use crate::act::field::{self, Kind};
use crate::act::focus::{self, FOCUSABLE};
use crate::act::pointer::Hands;
use crate::native;

/// Moves the focus on from `from`, or back.
pub fn step(hands: &Hands, from: &Element, back: bool) {
    let Some(document) = native::document() else { return };
    let mut order = Vec::new();
    let modal = native::query_all(&document, "dialog:modal").pop();
    match &modal {
        Some(modal) => collect(modal, &mut order),
        None => collect(&document, &mut order),
    }
    let mut stops: Vec<(i32, Element)> =
        order.into_iter().filter_map(|element| stop(&element, from).map(|index| (index, element))).collect();
    // Positive numbers come first, in rising order; the sort is stable, so the rest keeps the document's order.
    order::sort_by_key(&mut stops, |(index, _)| if *index > 0 { *index } else { i32::MAX });
    let at = stops.iter().position(|(_, element)| element == from);
    let next = match (at, back) {
        (Some(at), false) => stops.get(at + 1),
        (Some(at), true) => at.checked_sub(1).and_then(|at| stops.get(at)),
        (None, false) => stops.iter().find(|(_, element)| follows(from, element)),
        (None, true) => stops.iter().rev().find(|(_, element)| follows(element, from)),
    };
    let Some((_, next)) = next else {
        // Past the end the focus leaves the page.
        focus::leave(hands);
        return;
    };
    focus::give(hands, next);
    if field::kind_of(next) == Kind::Line {
        field::select_all(next);
    }
}

/// Everything focusable below `root`, down through open shadow roots.
fn collect(root: &Node, into: &mut Vec<Element>) {
    for element in native::query_all(root, "*") {
        if native::matches(&element, FOCUSABLE) {
            into.push(element.clone());
        }
        if let Ok(shadow) = native::get("Element", "shadowRoot", &element).dyn_into::<Node>() {
            collect(&shadow, into);
        }
    }
}

/// The tab index of an element at which Tab stops; `None` where it passes by.
fn stop(element: &Element, from: &Element) -> Option<i32> {
    if element == from {
        return Some(tab_index(element));
    }
    let index = tab_index(element);
    if index < 0 || native::closest(element, "[inert]").is_some() {
        return None;
    }
    let visible =
        native::call("Element", "checkVisibility", element, &[]).is_ok_and(|visible| visible.is_truthy());
    (visible && !is_passed_radio(element)).then_some(index)
}

fn tab_index(element: &Element) -> i32 {
    native::get("HTMLElement", "tabIndex", element).as_f64().map_or(0, |index| index as i32)
}

/// Of a radio group Tab stops at the chosen one alone.
fn is_passed_radio(element: &Element) -> bool {
    if !native::matches(element, "input[type=radio]")
        || native::get("HTMLInputElement", "checked", element).is_truthy()
    {
        return false;
    }
    let Some(name) = native::attribute(element, "name").filter(|name| !name.is_empty()) else { return false };
    let Some(root) = native::root(element) else { return false };
    let form = native::form_of(element);
    native::query_all(&root, "input[type=radio]:checked").iter().any(|radio| {
        native::attribute(radio, "name").as_deref() == Some(&name) && native::form_of(radio) == form
    })
}

fn follows(before: &Element, after: &Element) -> bool {
    native::call("Node", "compareDocumentPosition", before, &[after])
        .ok()
        .and_then(|position| position.as_f64())
        .is_some_and(|position| (position as u16) & Node::DOCUMENT_POSITION_FOLLOWING != 0)
}
