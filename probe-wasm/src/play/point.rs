//! Chooses the point of an element to press: what lies inside it and stands for itself (a help icon in a heading that can be
//! pressed) is avoided where the element has a free place.

use web_sys::Element;

use crate::act::Aim;
use crate::native;

/// What a part of a control would be marked with if it were more than a part.
const STANDS_FOR_ITSELF: &str = "[role]:not([role=presentation]):not([role=none]),[aria-label],[title],[tabindex],[onclick],\
button,a[href],input,select,textarea,summary";

/// Places across the box and down it, as shares of its size.
const ACROSS: [f64; 5] = [0.5, 0.15, 0.85, 0.3, 0.7];
const DOWN: [f64; 3] = [0.5, 0.2, 0.8];

/// The aim, moved to a place where nothing stands for itself, if there is one.
pub fn free_point(aim: Aim) -> Aim {
    if !is_crowded(&aim.element, &aim.hit) {
        return aim;
    }
    let [left, top, width, height] = native::bounds(&aim.element);
    let places = DOWN
        .iter()
        .flat_map(|down| ACROSS.iter().map(move |across| (left + across * width, top + down * height)));
    for point in places {
        let Some(hit) = native::topmost(point) else { continue };
        if native::encloses(&aim.element, &hit) && !is_crowded(&aim.element, &hit) {
            return Aim { hit, point, ..aim };
        }
    }
    aim
}

/// True where something between the element and what is hit stands for itself.
fn is_crowded(element: &Element, hit: &Element) -> bool {
    let mut at = Some(hit.clone());
    let mut crowded = false;
    while let Some(part) = at {
        if part == *element {
            return crowded;
        }
        crowded |= native::matches(&part, STANDS_FOR_ITSELF);
        at = native::parent(&part);
    }
    // Not inside it: its label, which is as good as itself.
    false
}
