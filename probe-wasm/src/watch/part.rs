//! What was meant where the pointer hit something that only holds what can be clicked: a list with its items, a row with
//! icons of its own, a bar of words. A click in the middle of such a thing would hit another part than the person did.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::native;

/// An icon is no larger than this, in CSS pixels, and says no more than a sign.
const ICON: f64 = 40.0;
const SIGN: usize = 2;

/// The part of `listed` that was hit; `None` where a click on `listed` itself does the same. `path`: from what was hit upwards.
pub fn part_in(listed: &Element, role: &str, path: &[Element]) -> Option<Element> {
    let inside = path.get(..path.iter().position(|one| one == listed)?)?;
    let outermost = inside.last()?;
    let aimed = aimed_at(listed);
    let is_missed = |one: &Element| aimed.as_ref().is_none_or(|aimed| !native::encloses(one, aimed));
    let part = match role {
        "list" | "listbox" | "menu" | "tree" | "grid" | "table" | "tablist" | "radiogroup" | "toolbar" => {
            Some(outermost)
        }
        "generic" | "row" | "listitem" | "article" | "cell" => {
            let own = inside.iter().find(|one| one.is_instance_of::<HtmlElement>())?;
            // What only frames an icon is aimed at by the same point.
            let frames = |one: &&Element| {
                *one == own || aimed_at(one).is_some_and(|aimed| native::encloses(own, &aimed))
            };
            let outwards = inside.iter().skip_while(|one| *one != own);
            let icon = outwards.take_while(|one| is_icon(one) && frames(one)).last();
            let branch =
                || inside.iter().rev().find(|one| is_missed(one)).filter(|_| !is_one_of_many(listed));
            icon.or_else(branch)
        }
        _ => None,
    };
    part.filter(|part| is_missed(part) && part.is_instance_of::<HtmlElement>()).cloned()
}

/// What a click in the middle of an element hits.
fn aimed_at(element: &Element) -> Option<Element> {
    let [left, top, width, height] = native::bounds(element);
    native::topmost((left + width / 2.0, top + height / 2.0))
}

fn is_icon(element: &Element) -> bool {
    let [.., width, height] = native::bounds(element);
    let text = native::get("Node", "textContent", element).as_string().unwrap_or_default();
    width <= ICON && height <= ICON && text.trim().chars().count() <= SIGN
}

/// It stands among its like, as the rows of a list do: a click on it is for the whole.
fn is_one_of_many(element: &Element) -> bool {
    let class = |element: &Element| {
        let all = native::attribute(element, "class").unwrap_or_default();
        all.split_whitespace().next().map(str::to_owned)
    };
    ["previousElementSibling", "nextElementSibling"].iter().any(|beside| {
        let beside = native::get("Element", beside, element).dyn_into::<Element>();
        beside.is_ok_and(|beside| {
            native::tag(&beside) == native::tag(element) && class(&beside) == class(element)
        })
    })
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    /// The id of the part that is meant by a press on `hit` in `listed`; empty: the whole.
    fn part(html: &str, role: &str, hit: &str) -> String {
        let document = native::document().unwrap();
        let stage = document.create_element("main").unwrap();
        stage.set_attribute("style", "position:fixed;inset:0;background:white;z-index:99").unwrap();
        stage.set_inner_html(html);
        native::body().unwrap().append_child(&stage).unwrap();
        let listed = stage.query_selector("#whole").unwrap().unwrap();
        let mut path = vec![stage.query_selector(hit).unwrap().unwrap()];
        while let Some(parent) = path.last().and_then(native::parent) {
            path.push(parent);
        }
        let part = part_in(&listed, role, &path).map(|part| part.id());
        stage.remove();
        part.unwrap_or_default()
    }

    const ROWS: &str = "<div class=row id=whole><b id=who>Ann Miller, of the second floor</b><span id=tools>\
        <i id=bin style='display:inline-block;width:14px;height:14px'></i></span></div><div class=row>Bob</div>";
    const BAR: &str = "<div id=whole style='width:300px;display:flex;justify-content:space-between'>\
        <span id=reply>Reply</span><span id=forward>Forward</span></div>";
    const LIST: &str = "<ul id=whole><li id=one><div id=in>One</div></li><li>Two</li><li>Three</li></ul>";

    #[wasm_bindgen_test]
    fn a_row_is_meant_as_a_whole_and_its_icons_by_themselves() {
        assert_eq!(part(ROWS, "generic", "#bin"), "tools");
        assert_eq!(part(ROWS, "generic", "#who"), "");
        assert_eq!(part(ROWS, "button", "#bin"), "");
    }

    #[wasm_bindgen_test]
    fn of_what_only_holds_others_it_is_the_part() {
        assert_eq!(part(BAR, "generic", "#reply"), "reply");
        assert_eq!(part(LIST, "list", "#in"), "one");
    }
}
