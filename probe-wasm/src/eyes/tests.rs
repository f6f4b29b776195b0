//! The eyes in a real browser: each test writes a page, looks at it, and says what it saw.

use cairn_core::element::{Element as Entry, Ref, Tristate, Usable};
use cairn_core::ladder::{Heal, Selectors, Verdict};
use cairn_core::wire::page::{Configure, ListOptions, Listing};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, HtmlElement};

use super::{Eyes, PointAnswer, usable_point};

wasm_bindgen_test_configure!(run_in_browser);

/// A page in the test document's body, taken away when dropped.
struct Page {
    root: Element,
}

impl Page {
    fn new(html: &str) -> Self {
        if js_sys::eval("typeof __cairn_collect").unwrap().as_string().as_deref() != Some("object") {
            js_sys::eval(include_str!("../../collect.js")).unwrap();
        }
        let document = web_sys::window().unwrap().document().unwrap();
        let root = document.create_element("div").unwrap();
        root.set_id("page");
        root.set_attribute("style", "position:fixed;inset:0;overflow:auto;background:white;z-index:1000").unwrap();
        root.set_inner_html(html);
        document.body().unwrap().append_child(&root).unwrap();
        Self { root }
    }

    fn find(&self, css: &str) -> Element {
        self.root.query_selector(css).unwrap().unwrap()
    }

    fn script(&self, code: &str) {
        js_sys::eval(code).unwrap();
    }

    /// Role and name of everything listed that belongs to this page.
    fn list(&self) -> Vec<String> {
        lines(&self.listing(&ListOptions { all: true, ..ListOptions::default() }))
    }

    fn listing(&self, options: &ListOptions) -> Listing {
        let mut listing = Eyes::new().list(options);
        listing.elements.retain(|listed| listed.element.path.contains("/div[") || listed.element.path.contains(" >> "));
        listing.elements.retain(|listed| listed.element.attributes.get("id").map(String::as_str) != Some("page"));
        listing
    }

    fn hidden(&self) -> Vec<Entry> {
        let options = ListOptions { all: true, hidden: true, ..ListOptions::default() };
        self.listing(&options).elements.into_iter().map(|listed| listed.element).collect()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.root.remove();
    }
}

fn lines(listing: &Listing) -> Vec<String> {
    listing.elements.iter().map(|listed| format!("{} {:?}", listed.element.role, listed.element.name)).collect()
}

#[wasm_bindgen_test]
fn ordinary_controls_have_their_roles_and_names() {
    let page = Page::new(
        "<label>Email <input type=email></label><label for=p>Password</label><input id=p type=password value=hunter2>
         <select aria-label=Size><option>S<option selected>M</select><textarea placeholder=Note></textarea>
         <label><input type=checkbox checked> Terms</label><button>Save <b>all</b></button><a href=/x>Go</a><input type=submit>",
    );
    assert_eq!(
        page.list(),
        ["textbox \"Email\"", "textbox \"Password\"", "combobox \"Size\"", "textbox \"Note\"", "checkbox \"Terms\"", "button \"Save all\"", "link \"Go\"", "button \"Submit\""]
    );
    let entries = page.hidden();
    assert_eq!(entries[1].states.secret, Some(true));
    assert_eq!(entries[1].states.value, None);
    assert_eq!(entries[2].states.value.as_deref(), Some("M"));
    assert_eq!(entries[2].states.options, ["S", "M"]);
    assert_eq!(entries[4].states.checked, Some(Tristate::True));
}
