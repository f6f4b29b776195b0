//! What can still be told of an element that no look at the page holds: it came and went between two looks.

use cairn_core::script::Target;
use web_sys::Element;

use crate::native;

/// Longest text that is taken for a name, in characters.
const LONGEST: usize = 100;

/// What the element says of itself, and what that is worth.
pub fn remnant(element: &Element) -> (Target, String) {
    let attribute = |name: &str| {
        native::attribute(element, name).map(|text| one_line(&text)).filter(|text| !text.is_empty())
    };
    let tag = native::tag(element);
    let role = attribute("role").unwrap_or_else(|| role_of(&tag, attribute("type").as_deref()).to_owned());
    let is_field = matches!(tag.as_str(), "input" | "select" | "textarea");
    let text = native::get("Node", "textContent", element).as_string().filter(|_| !is_field);
    let told = ["aria-label", "alt", "title", "placeholder"].into_iter().find_map(attribute);
    let name = told.or_else(|| text.map(|text| one_line(&text))).unwrap_or_default();
    let mut target = Target { role, name, ..Target::default() };
    target.attributes.insert("tag".to_owned(), tag);
    for name in ["id", "name", "type", "href"] {
        if let Some(value) = attribute(name) {
            target.attributes.insert(name.to_owned(), value);
        }
    }
    if let Some(id) = attribute("id") {
        target.selector = format!("id={id}");
    }
    let weak = "it was gone before the page could be read, so only what it said of itself is known; record this step again \
                once the page has loaded";
    (target, weak.to_owned())
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST).collect()
}

fn role_of(tag: &str, kind: Option<&str>) -> &'static str {
    match (tag, kind) {
        ("a", _) => "link",
        ("button" | "summary", _) | ("input", Some("button" | "submit" | "reset" | "image")) => "button",
        ("input", Some("checkbox")) => "checkbox",
        ("input", Some("radio")) => "radio",
        ("input" | "textarea", _) => "textbox",
        ("select", _) => "combobox",
        ("option", _) => "option",
        _ => "generic",
    }
}
