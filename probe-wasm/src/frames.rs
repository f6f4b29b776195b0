//! Where the frames of this document lie: the browser's own input goes by the top page's viewport, and a frame of another site
//! cannot see where it stands in that.

use cairn_core::wire::page::Point;
use wasm_bindgen::JsValue;
use web_sys::Element;

use crate::{native, number};

/// Where the viewport of the frame at this place begins, in this document's own viewport.
pub fn place_of(index: u32) -> Option<Point> {
    let window = web_sys::window()?;
    let wanted = js_sys::Reflect::get_u32(&window, index).ok()?;
    let document = native::document()?;
    let frame = frames_in(&document).into_iter().find(|frame| content_of(frame) == wanted)?;
    let [left, top, width, _] = native::bounds(&frame);
    let style = window.get_computed_style(&frame).ok().flatten()?;
    let pixels = |name: &str| {
        let text = style.get_property_value(name).unwrap_or_default();
        number::of(text.trim_end_matches("px")).unwrap_or_default()
    };
    // Borders and paddings are told as they were before a transform.
    let laid_out = native::get("HTMLElement", "offsetWidth", &frame).as_f64().filter(|width| *width > 0.0);
    let scale = laid_out.map_or(1.0, |laid_out| width / laid_out);
    let inset = |side: &str| {
        let border = pixels(if side == "left" { "border-left-width" } else { "border-top-width" });
        let padding = pixels(if side == "left" { "padding-left" } else { "padding-top" });
        (border + padding) * scale
    };
    Some(Point { x: left + inset("left"), y: top + inset("top") })
}

fn content_of(frame: &Element) -> JsValue {
    let class = if native::tag(frame) == "frame" { "HTMLFrameElement" } else { "HTMLIFrameElement" };
    native::get(class, "contentWindow", frame)
}

/// The frames of a tree, those in shadow roots among them.
fn frames_in(root: &web_sys::Node) -> Vec<Element> {
    let mut found = native::query_all(root, "iframe,frame");
    for host in native::query_all(root, "*") {
        if let Some(inner) = native::inside(&host) {
            found.extend(frames_in(&inner));
        }
    }
    found
}
