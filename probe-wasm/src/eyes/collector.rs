//! The JavaScript side of the eyes: what `collect/` puts on the isolated world's global.

use js_sys::{Array, Int32Array, JsString, Object};
use wasm_bindgen::prelude::*;
use web_sys::{Element, Node};

#[wasm_bindgen]
extern "C" {
    /// What was read, and where its nodes are.
    #[wasm_bindgen(extends = Object)]
    #[derive(Clone)]
    pub type Reading;

    /// The element at a place.
    #[wasm_bindgen(method)]
    pub fn element(this: &Reading, place: u32) -> Option<Element>;

    /// The place of an element, -1 where it was not there.
    #[wasm_bindgen(method)]
    pub fn place(this: &Reading, element: &Element) -> i32;

    /// The document as its trees' texts. The first is there from the start.
    #[wasm_bindgen(extends = Reading, extends = Object)]
    pub type Markup;

    /// Takes the text of a tree; how many UTF-16 units it has.
    #[wasm_bindgen(method)]
    pub fn take(this: &Markup, tree: u32) -> u32;
    /// Writes the text that was taken in UTF-8; how many bytes, -1 where there is not room enough.
    #[wasm_bindgen(method)]
    pub fn write(this: &Markup, into: &mut [u8]) -> i32;
    #[wasm_bindgen(method)]
    pub fn count(this: &Markup, tree: u32) -> u32;
    #[wasm_bindgen(method)]
    pub fn keys(this: &Markup, tree: u32) -> String;
    #[wasm_bindgen(method)]
    pub fn bits(this: &Markup, tree: u32) -> Vec<u32>;
    #[wasm_bindgen(method)]
    pub fn animated(this: &Markup, tree: u32) -> Vec<u32>;
    #[wasm_bindgen(method)]
    pub fn focused(this: &Markup) -> i32;

    /// Answers what is asked of elements of a tree.
    #[wasm_bindgen(method)]
    pub fn ask(this: &Markup, tree: u32, elements: &[u32], asks: &[u32]) -> Vec<i32>;

    /// Takes parts of it anew; see `collect/markup.js` for the numbers.
    #[wasm_bindgen(method)]
    pub fn renew(this: &Markup, parts: &[i32]) -> Vec<u32>;
    /// Takes the text of a part that was taken anew; how many UTF-16 units it has.
    #[wasm_bindgen(method)]
    pub fn piece(this: &Markup, part: u32) -> u32;
    /// Ends `renew`.
    #[wasm_bindgen(method)]
    pub fn renewed(this: &Markup);

    /// The texts of the last answers.
    #[wasm_bindgen(method, getter)]
    pub fn texts(this: &Markup) -> String;

    /// Begins to read the document through its text; `None` where it is no HTML.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn open() -> Result<Option<Markup>, JsValue>;

    /// What changed since it was read, four numbers a part; `None` where all must be read.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = changedParts)]
    pub fn changed_parts(markup: &Markup) -> Option<Vec<i32>>;

    /// The document read node by node.
    #[wasm_bindgen(extends = Reading, extends = Object)]
    pub type Batch;

    #[wasm_bindgen(method, getter)]
    pub fn ints(this: &Batch) -> Int32Array;
    #[wasm_bindgen(method, getter)]
    pub fn text(this: &Batch) -> JsString;
    #[wasm_bindgen(method, getter)]
    pub fn names(this: &Batch) -> Array;
    #[wasm_bindgen(method, getter)]
    pub fn truncated(this: &Batch) -> bool;

    /// The page as the stub held it for an event that came before the probe.
    #[wasm_bindgen(extends = Object)]
    pub type Held;

    /// The read.
    #[wasm_bindgen(method, getter)]
    pub fn page(this: &Held) -> Batch;

    /// Its URL.
    #[wasm_bindgen(method, getter)]
    pub fn url(this: &Held) -> String;

    /// Of what was acted on and of what it lies in: place, x, y, width, height.
    #[wasm_bindgen(method, getter)]
    pub fn boxes(this: &Held) -> js_sys::Float64Array;

    /// Reads the document node by node within `budget` milliseconds. Bit 0 of `mode`: into what is not rendered too; bit 1:
    /// generated content everywhere.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn read(mode: u32, budget: f64) -> Result<Batch, JsValue>;

    /// Seven numbers for each place: x, y, width, height, bits, the number of the label that stands for it, its own.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn measure(
        places: &[u32],
        kinds: &[u8],
        clipping: Option<Vec<u32>>,
        budget: f64,
    ) -> Result<Vec<f64>, JsValue>;

    /// Two numbers for each place: 0 unknown, 1 hit, 2 covered; the place of what covers it.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn hits(places: &[u32], budget: f64) -> Result<Vec<i32>, JsValue>;

    /// Where the frames at these places are; see `collect/frames.js` for the numbers.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn frames(places: &[u32]) -> Result<Vec<f64>, JsValue>;

    /// This document's place among the frames of its parent.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = ownPlace)]
    pub fn own_place() -> u32;

    /// Remembers how the page stands right after a read.
    #[wasm_bindgen(js_namespace = __cairn_collect)]
    pub fn remember();

    /// `[code, x, y, element]`.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = usablePoint, catch)]
    pub fn usable_point(element: &Element) -> Result<Array, JsValue>;

    /// Elements that CSS finds, `null` for bad CSS.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn query(parts: Array) -> Result<JsValue, JsValue>;

    /// Elements that an XPath finds, `null` for a bad one.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn evaluate(path: &str) -> Result<JsValue, JsValue>;

    /// The page as it is now, and where the element and those around it stand.
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn hold(target: Option<&Element>) -> Result<Held, JsValue>;

    /// What must be hovered so that an element shows, the outermost first: hovered, shown, hovered, shown, …
    #[wasm_bindgen(js_namespace = __cairn_collect, catch)]
    pub fn hovers(element: &Element, ever: bool) -> Result<Array, JsValue>;

    /// The closed shadow root of an element.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = closedRootOf)]
    pub fn closed_root(element: &Element) -> Option<Node>;

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

    /// When `structural` last grew, in milliseconds since the document began.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = restingSince)]
    pub fn resting_since() -> f64;

    /// Resolves at the next change.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = nextChange)]
    pub fn next_change() -> js_sys::Promise;

    /// The number that a node keeps as long as it lives.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = numberOf)]
    pub fn number_of(node: &Node) -> u32;

    /// The highest number that a node has so far: what gets a higher one was not among what was looked at.
    #[wasm_bindgen(js_namespace = __cairn_collect, js_name = lastNumber)]
    pub fn last_number() -> u32;

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
