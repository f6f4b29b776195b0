//! Where a person would press an element now.

use wasm_bindgen::JsCast;
use web_sys::Element;

use super::collector;

/// Where an element can be pressed, or why not.
#[derive(Clone, Debug)]
pub enum PointAnswer {
    /// Here, in CSS pixels of the frame's viewport.
    Point {
        /// From the left.
        x: f64,
        /// From the top.
        y: f64,
        /// What is hit there: the element, something in it, or its label.
        hit: Element,
    },
    /// Something else lies over every point of it.
    Covered {
        /// What, in words.
        by: String,
    },
    /// It has no box or cannot be seen.
    Hidden,
    /// It is outside the viewport, or scrolled out of a container.
    Outside,
}

/// The centre, else another point of the visible part, where the element (or its label) is the topmost thing.
pub fn usable_point(element: &Element) -> PointAnswer {
    let Ok(answer) = collector::usable_point(element) else { return PointAnswer::Hidden };
    let number = |at| answer.get(at).as_f64().unwrap_or_default();
    let hit = answer.get(3).dyn_into::<Element>().ok();
    match (number(0) as u32, hit) {
        (1, hit) => {
            PointAnswer::Point { x: number(1), y: number(2), hit: hit.unwrap_or_else(|| element.clone()) }
        }
        (2, cover) => PointAnswer::Covered {
            by: cover.map_or_else(|| "something".to_owned(), |cover| describe(&cover)),
        },
        (3, _) => PointAnswer::Outside,
        _ => PointAnswer::Hidden,
    }
}

/// An element in words, without a snapshot at hand.
fn describe(element: &Element) -> String {
    let attribute = |name| super::collector::attribute(element, name).filter(|value| !value.is_empty());
    let tag = super::collector::local_name(element);
    match (attribute("aria-label").or_else(|| attribute("title")), attribute("id")) {
        (Some(label), _) => format!("<{tag}> \u{201c}{}\u{201d}", label.chars().take(80).collect::<String>()),
        (None, Some(id)) => format!("<{tag} id=\"{}\">", id.chars().take(60).collect::<String>()),
        _ => format!("<{tag}>"),
    }
}
