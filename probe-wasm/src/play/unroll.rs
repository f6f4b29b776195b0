//! Looks for a target further down a list that holds only what is in view: scrolls the container of the scroll step before
//! it, a page at a time, down to its end and then once from its start.

use gloo_timers::future::TimeoutFuture;
use wasm_bindgen::JsValue;
use web_sys::Element;

use crate::act::Hands;
use crate::native;
use crate::wait;

/// How much of the container one turn moves: some rows stay in view, so that none is passed over.
const SHARE: f64 = 0.8;

/// At its end a list is given so long to load more, in milliseconds, and is looked at so often.
const MORE_MS: f64 = 1_500.0;
const BETWEEN_MS: u32 = 60;

/// A part of a list that shows nothing yet is given so long, in milliseconds, and is looked at so often.
const BARE_MS: f64 = 500.0;
const BARE_LOOK_MS: u32 = 20;

/// One search through one container.
#[derive(Default)]
pub struct Unroll {
    began_at: Option<f64>,
    wrapped: bool,
    at_end: Option<f64>,
}

impl Unroll {
    /// Shows the next part of the container that the last step scrolled; false where there is none, or it has been seen
    /// through.
    pub async fn next(&mut self, hands: &Hands) -> bool {
        let Some(container) = hands.scrolled().filter(|container| native::is_connected(container)) else {
            return false;
        };
        let at = number(&container, "scrollTop");
        let start = *self.began_at.get_or_insert(at);
        if self.wrapped && at >= start {
            return false;
        }
        set_top(&container, at + (number(&container, "clientHeight") * SHARE).max(1.0));
        if number(&container, "scrollTop") <= at {
            // More may be on its way.
            let since = *self.at_end.get_or_insert_with(native::now);
            if !self.wrapped && native::now() - since < MORE_MS {
                TimeoutFuture::new(BETWEEN_MS).await;
                return true;
            }
            if self.wrapped || start <= 0.0 {
                return false;
            }
            self.wrapped = true;
            set_top(&container, 0.0);
        } else {
            self.at_end = None;
        }
        // Lists that make their rows on scroll do so with the next frame.
        wait::frame().await;
        wait::frame().await;
        // Others wait until the scrolling rests: what is still bare would be scrolled past.
        let since = native::now();
        while is_bare(&container) && native::now() - since < BARE_MS {
            TimeoutFuture::new(BARE_LOOK_MS).await;
        }
        true
    }
}

/// True where along the middle of the container there is nothing but itself and empty boxes in it.
fn is_bare(container: &Element) -> bool {
    let [left, top, width, height] = native::bounds(container);
    [0.25, 0.5, 0.75].into_iter().all(|share| {
        let under = native::topmost((left + width / 2.0, top + height * share));
        under.is_some_and(|under| {
            under == *container
                || native::encloses(container, &under)
                    && matches!(
                        native::tag(&under).as_str(),
                        "div" | "ul" | "ol" | "table" | "tbody" | "section"
                    )
                    && under.child_element_count() == 0
                    && under.text_content().is_none_or(|text| text.trim().is_empty())
        })
    })
}

fn number(element: &Element, name: &'static str) -> f64 {
    native::get("Element", name, element).as_f64().unwrap_or_default()
}

fn set_top(element: &Element, top: f64) {
    let _ = native::set("Element", "scrollTop", element, &JsValue::from(top));
}

/// The nearest thing at or above `element` that can be scrolled down or up.
pub fn container_of(element: &Element) -> Option<Element> {
    let mut at = Some(element.clone());
    while let Some(element) = at {
        if number(&element, "scrollHeight") > number(&element, "clientHeight") + 1.0 && scrolls(&element) {
            return Some(element);
        }
        at = native::parent(&element);
    }
    native::scrolling_element()
}

fn scrolls(element: &Element) -> bool {
    let style = web_sys::window().and_then(|window| window.get_computed_style(element).ok().flatten());
    let overflow = style.and_then(|style| style.get_property_value("overflow-y").ok()).unwrap_or_default();
    matches!(overflow.as_str(), "auto" | "scroll" | "overlay")
}
