//! DOM members taken from their prototypes and called on elements.
//!
//! A form with fields named `getAttribute`, `parentNode` or `submit` shadows those members on itself, in a content
//! script's world too. The prototypes there are ours alone, so a member taken from them does what it says.

use cairn_core::map::Map;
use cairn_core::text;
use std::cell::RefCell;

use crate::eyes::collector;
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, Event, EventTarget, HtmlElement, HtmlFormElement, Node, ShadowRoot};

/// What a member is used for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Method,
    Getter,
    Setter,
}

type Key = (&'static str, &'static str, Kind);

thread_local! {
    static MEMBERS: RefCell<Map<Key, Option<Function>>> = const { RefCell::new(Map::new()) };
}

fn member(class: &'static str, name: &'static str, kind: Kind) -> Option<Function> {
    MEMBERS.with(|members| {
        if let Some(known) = members.borrow().get(&(class, name, kind)) {
            return known.clone();
        }
        let found = look_up(class, name, kind);
        members.borrow_mut().insert((class, name, kind), found.clone());
        found
    })
}

fn look_up(class: &str, name: &str, kind: Kind) -> Option<Function> {
    let constructor = Reflect::get(&js_sys::global(), &class.into()).ok()?;
    let prototype = Reflect::get(&constructor, &"prototype".into()).ok()?;
    let prototype = prototype.dyn_into::<Object>().ok()?;
    let part = match kind {
        Kind::Method => return Reflect::get(&prototype, &name.into()).ok()?.dyn_into().ok(),
        Kind::Getter => "get",
        Kind::Setter => "set",
    };
    let descriptor = Reflect::get_own_property_descriptor(&prototype, &name.into()).ok()?;
    if descriptor.is_undefined() {
        return None;
    }
    Reflect::get(&descriptor, &part.into()).ok()?.dyn_into().ok()
}

/// Calls `class.prototype.name` on `this`; `undefined` where the browser lacks it.
pub fn call(
    class: &'static str,
    name: &'static str,
    this: &JsValue,
    arguments: &[&JsValue],
) -> Result<JsValue, JsValue> {
    let Some(function) = member(class, name, Kind::Method) else { return Ok(JsValue::UNDEFINED) };
    match arguments {
        [] => function.call0(this),
        [one] => function.call1(this, one),
        [one, two] => function.call2(this, one, two),
        many => {
            let list = Array::new();
            for argument in many {
                list.push(argument);
            }
            function.apply(this, &list)
        }
    }
}

/// Reads the accessor `class.prototype.name` of `this`; `undefined` where it is absent or throws.
pub fn get(class: &'static str, name: &'static str, this: &JsValue) -> JsValue {
    member(class, name, Kind::Getter).and_then(|getter| getter.call0(this).ok()).unwrap_or(JsValue::UNDEFINED)
}

/// Writes the accessor `class.prototype.name` of `this`.
pub fn set(class: &'static str, name: &'static str, this: &JsValue, value: &JsValue) -> Result<(), JsValue> {
    match member(class, name, Kind::Setter) {
        Some(setter) => setter.call1(this, value).map(|_| ()),
        None => Ok(()),
    }
}

/// Dispatches `event`; false where a listener prevented its default.
pub fn dispatch(target: &EventTarget, event: &Event) -> bool {
    call("EventTarget", "dispatchEvent", target, &[event]).is_ok_and(|taken| taken.as_bool().unwrap_or(true))
}

/// The parent in the flat tree: a slot, a parent element, or the host of a shadow root.
pub fn parent(element: &Element) -> Option<Element> {
    if let Ok(slot) = get("Element", "assignedSlot", element).dyn_into::<Element>() {
        return Some(slot);
    }
    let parent = get("Node", "parentNode", element);
    match parent.dyn_into::<Element>() {
        Ok(parent) => Some(parent),
        Err(other) => host_of(&other),
    }
}

/// The host of a shadow root; `None` for anything else. A getter called on what it is not for throws, and the stack that the
/// exception carries is dear.
pub fn host_of(root: &JsValue) -> Option<Element> {
    if !root.is_instance_of::<ShadowRoot>() {
        return None;
    }
    get("ShadowRoot", "host", root).dyn_into().ok()
}

/// True where `inner` is `outer` or lies in it, in the flat tree.
pub fn encloses(outer: &Element, inner: &Element) -> bool {
    let mut at = Some(inner.clone());
    while let Some(element) = at {
        if element == *outer {
            return true;
        }
        at = parent(&element);
    }
    false
}

/// True while the node is in its document.
pub fn is_connected(node: &Node) -> bool {
    get("Node", "isConnected", node).is_truthy()
}

/// `container.contains(node)`, within one root.
pub fn contains(container: &Node, node: &Node) -> bool {
    call("Node", "contains", container, &[node]).is_ok_and(|held| held.is_truthy())
}

/// True where `selector` matches the element.
pub fn matches(element: &Element, selector: &str) -> bool {
    call("Element", "matches", element, &[&selector.into()]).is_ok_and(|hit| hit.is_truthy())
}

/// The nearest ancestor-or-self within the root that `selector` matches.
pub fn closest(element: &Element, selector: &str) -> Option<Element> {
    call("Element", "closest", element, &[&selector.into()]).ok()?.dyn_into().ok()
}

/// An attribute's value.
pub fn attribute(element: &Element, name: &str) -> Option<String> {
    call("Element", "getAttribute", element, &[&name.into()]).ok()?.as_string()
}

/// Lower-case tag name without a prefix.
pub fn tag(element: &Element) -> String {
    text::lower(&get("Element", "localName", element).as_string().unwrap_or_default())
}

/// Elements below `root` (a document, shadow root or element) that `selector` matches, in document order.
pub fn query_all(root: &Node, selector: &str) -> Vec<Element> {
    let class = if root.is_instance_of::<Document>() {
        "Document"
    } else if root.is_instance_of::<Element>() {
        "Element"
    } else {
        "DocumentFragment"
    };
    let Ok(list) = call(class, "querySelectorAll", root, &[&selector.into()]) else { return Vec::new() };
    Array::from(&list).iter().filter_map(|node| node.dyn_into().ok()).collect()
}

/// The document or shadow root that holds the node.
pub fn root(node: &Node) -> Option<Node> {
    call("Node", "getRootNode", node, &[]).ok()?.dyn_into().ok()
}

/// The page's document.
pub fn document() -> Option<Document> {
    web_sys::window()?.document()
}

/// The shadow root of an element, a closed one too; `null` or `undefined` where it has none.
fn shadow_root(element: &Element) -> JsValue {
    let open = get("Element", "shadowRoot", element);
    if open.is_truthy() { open } else { collector::closed_root(element).map_or(open, Into::into) }
}

/// The element with the focus, down through shadow roots.
pub fn active_element() -> Option<Element> {
    let document = document()?;
    let mut active = get("Document", "activeElement", &document).dyn_into::<Element>().ok()?;
    loop {
        let root = shadow_root(&active);
        if root.is_falsy() {
            return Some(active);
        }
        match get("ShadowRoot", "activeElement", &root).dyn_into::<Element>() {
            Ok(inner) => active = inner,
            Err(_) => return Some(active),
        }
    }
}

/// What lies topmost at a point of the viewport, down through shadow roots.
pub fn topmost(point: (f64, f64)) -> Option<Element> {
    let (x, y) = (JsValue::from(point.0), JsValue::from(point.1));
    let document = document()?;
    let mut hit: Element =
        call("Document", "elementFromPoint", &document, &[&x, &y]).ok()?.dyn_into().ok()?;
    loop {
        let root = shadow_root(&hit);
        let inner = if root.is_truthy() {
            call("ShadowRoot", "elementFromPoint", &root, &[&x, &y]).ok()
        } else {
            None
        };
        match inner.and_then(|inner| inner.dyn_into::<Element>().ok()) {
            Some(inner) if inner != hit => hit = inner,
            _ => return Some(hit),
        }
    }
}

/// The document's body.
pub fn body() -> Option<HtmlElement> {
    let document = document()?;
    get("Document", "body", &document).dyn_into().ok()
}

/// What the page itself scrolls by.
pub fn scrolling_element() -> Option<Element> {
    get("Document", "scrollingElement", document()?.as_ref()).dyn_into().ok()
}

/// The form a control belongs to.
pub fn form_of(control: &Element) -> Option<HtmlFormElement> {
    let class = match tag(control).as_str() {
        "input" => "HTMLInputElement",
        "button" => "HTMLButtonElement",
        "select" => "HTMLSelectElement",
        "textarea" => "HTMLTextAreaElement",
        _ => return None,
    };
    get(class, "form", control).dyn_into().ok()
}

/// The border box as left, top, width, height in CSS pixels.
pub fn bounds(element: &Element) -> [f64; 4] {
    let Ok(rect) = call("Element", "getBoundingClientRect", element, &[]) else { return [0.0; 4] };
    let Ok(rect) = rect.dyn_into::<web_sys::DomRect>() else { return [0.0; 4] };
    [rect.x(), rect.y(), rect.width(), rect.height()]
}

/// True where two boxes agree to a hundredth of a pixel.
pub fn is_same_box(one: [f64; 4], other: [f64; 4]) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() < 0.01)
}

/// The page's URL.
pub fn url() -> String {
    web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default()
}

thread_local! {
    static CLOCK: Option<web_sys::Performance> = web_sys::window().and_then(|window| window.performance());
}

/// A time since the document began, in milliseconds since 1970.
pub fn wall_clock(since: f64) -> f64 {
    CLOCK.with(|clock| clock.as_ref().map_or(0.0, |clock| clock.time_origin() + since))
}

/// Milliseconds since the document began.
pub fn now() -> f64 {
    CLOCK.with(|clock| clock.as_ref().map_or(0.0, web_sys::Performance::now))
}
