//! The JavaScript side of the eyes: what `collect/` puts on the isolated world's global.

use js_sys::{Array, Float64Array, Int32Array, JsString, Object};
use wasm_bindgen::prelude::*;
use web_sys::{Element, Node};

#[wasm_bindgen]
extern "C" {
    /// One read of the document.
    #[wasm_bindgen(extends = Object)]
    pub type Batch;

    #[wasm_bindgen(method, getter)]
    pub fn ints(this: &Batch) -> Int32Array;
    #[wasm_bindgen(method, getter)]
    pub fn text(this: &Batch) -> JsString;
    #[wasm_bindgen(method, getter)]
    pub fn names(this: &Batch) -> Array;
    #[wasm_bindgen(method, getter)]
    pub fn nodes(this: &Batch) -> Array;
    #[wasm_bindgen(method, getter)]
    pub fn truncated(this: &Batch) -> bool;

    /// Reads the document within `budget` milliseconds. Bit 0 of `mode`: into what is not rendered too; bit 1: generated
    /// content everywhere.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn read(mode: u32, budget: f64) -> Result<Batch, JsValue>;

    /// Six numbers for each node: x, y, width, height, bits, the number of the label that stands for it.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn measure(indexes: &[u32], kinds: &[u8]) -> Result<Float64Array, JsValue>;

    /// Two numbers for each node: 0 unknown, 1 hit, 2 covered; the place of what covers it.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn hits(indexes: &[u32]) -> Result<Int32Array, JsValue>;

    /// `[code, x, y, element]`.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = usablePoint, catch)]
    pub fn usable_point(element: &Element) -> Result<Array, JsValue>;

    /// Elements that CSS finds, `null` for bad CSS.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn query(parts: Array) -> Result<JsValue, JsValue>;

    /// Elements that an XPath finds, `null` for a bad one.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn evaluate(path: &str) -> Result<JsValue, JsValue>;

    /// Begins to watch for changes.
    #[wasm_bindgen(js_namespace = __cairn_collect)]
    pub fn watch();

    /// Stops watching and lets go of every node.
    #[wasm_bindgen(js_namespace = __cairn_collect)]
    pub fn stop();

    /// Grows with every change of the page. Past `known`, a number that it gave earlier, it says no more than that.
    #[wasm_bindgen(js_namespace = __cairn_collect)]
    pub fn current(known: f64) -> f64;

    /// The same for what was more than a value, a tick or the focus. Forces no layout.
    #[wasm_bindgen(js_namespace = __cairn_collect)]
    pub fn structural() -> f64;

    /// Resolves at the next change.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = nextChange)]
    pub fn next_change() -> js_sys::Promise;

    /// The number that a node keeps as long as it lives.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = numberOf)]
    pub fn number_of(node: &Node) -> u32;

    /// Whether the node is in a document.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = isConnected)]
    pub fn is_connected(node: &Node) -> bool;

    /// The parent in the flat tree.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = flatParent)]
    pub fn flat_parent(node: &Node) -> Option<Element>;

    /// The control of a label, `None` for other elements.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = labelControl)]
    pub fn label_control(node: &Node) -> Option<Element>;

    /// An attribute's value.
    #[wasm_bindgen(js_namespace = __cairn_collect)]
    pub fn attribute(element: &Element, name: &str) -> Option<String>;

    /// The tag's name as the document spells it.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = localName)]
    pub fn local_name(element: &Element) -> String;

    /// The document's title.
    #[wasm_bindgen(js_namespace = __cairn_collect)]
    pub fn title() -> String;

    /// The document's URL.
    #[wasm_bindgen(js_namespace = __cairn_collect)]
    pub fn url() -> String;

    /// Width, height, scroll x, scroll y.
    #[wasm_bindgen(js_namespace = __cairn_collect)]
    pub fn viewport() -> Vec<f64>;
}
