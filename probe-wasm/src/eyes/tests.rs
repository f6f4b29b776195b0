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
pub struct Page {
    pub root: Element,
}

impl Page {
    pub fn new(html: &str) -> Self {
        if js_sys::eval("typeof __cairn_collect").unwrap().as_string().as_deref() != Some("object") {
            js_sys::eval(super::COLLECT).unwrap();
        }
        let document = web_sys::window().unwrap().document().unwrap();
        // The tests share one document, and a failed one leaves its page.
        if let Some(old) = document.get_element_by_id("page") {
            old.remove();
        }
        let root = document.create_element("div").unwrap();
        root.set_id("page");
        root.set_attribute("style", "position:fixed;inset:0;overflow:auto;background:white;z-index:1000")
            .unwrap();
        root.set_inner_html(html);
        document.body().unwrap().append_child(&root).unwrap();
        Self { root }
    }

    fn find(&self, css: &str) -> Element {
        self.root.query_selector(css).unwrap().unwrap()
    }

    /// Role and name of everything listed that belongs to this page.
    fn list(&self) -> Vec<String> {
        self.entries(&ListOptions { all: true, ..ListOptions::default() }).iter().map(line).collect()
    }

    /// The same with what is covered or unusable, and why.
    fn hidden(&self) -> Vec<Entry> {
        self.entries(&ListOptions { all: true, hidden: true, ..ListOptions::default() })
    }

    fn entries(&self, options: &ListOptions) -> Vec<Entry> {
        self.listed_by(&mut Eyes::new(), options)
    }

    /// What is listed of this page, with all its evidence.
    fn listed_by(&self, eyes: &mut Eyes, options: &ListOptions) -> Vec<Entry> {
        let listing = eyes.list(options);
        let view = eyes.look();
        let root = view.node_of_element(&self.root).unwrap();
        let numbers = listing.elements.iter().map(|listed| number(&listed.element));
        let own = numbers
            .filter(|number| view.snapshot().contains(root, view.snapshot().by_number(*number).unwrap()));
        own.map(|number| view.index().get(view.place_of_number(number).unwrap()).unwrap().clone()).collect()
    }

    fn own(&self, listing: &Listing) -> Vec<Entry> {
        let mut eyes = Eyes::new();
        let view = eyes.look();
        let root = view.node_of_element(&self.root).unwrap();
        let own = listing.elements.iter().filter(|listed| {
            let node = view.snapshot().by_number(number(&listed.element));
            node.is_some_and(|node| view.snapshot().contains(root, node))
        });
        own.map(|listed| listed.element.clone()).collect()
    }
}

fn number(element: &Entry) -> u32 {
    let reference = element.reference.as_ref().unwrap();
    reference.0.split_once('e').unwrap().1.parse().unwrap()
}

impl Drop for Page {
    fn drop(&mut self) {
        self.root.remove();
    }
}

fn line(element: &Entry) -> String {
    format!("{} {:?}", element.role, element.name)
}

fn run(code: &str) {
    js_sys::eval(code).unwrap();
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
        [
            "textbox \"Email\"",
            "textbox \"Password\"",
            "combobox \"Size\"",
            "textbox \"Note\"",
            "checkbox \"Terms\"",
            "button \"Save all\"",
            "link \"Go\"",
            "button \"Submit\""
        ]
    );
    let entries = page.hidden();
    assert_eq!(entries[1].states.secret, Some(true));
    assert_eq!(entries[1].states.value, None);
    assert_eq!(entries[2].states.value.as_deref(), Some("M"));
    assert_eq!(entries[2].states.options, ["S", "M"]);
    assert_eq!(entries[4].states.checked, Some(Tristate::True));
}

#[wasm_bindgen_test]
fn what_a_person_cannot_use_is_left_out_and_told_with_its_reason() {
    let page = Page::new(
        "<div inert><button>Inert</button></div><div style='opacity:0'><button>Clear</button></div>
         <div style='display:none'><button>Gone</button></div><button style='visibility:hidden'>Dark</button>
         <details><summary>More</summary><button>Folded</button></details>
         <fieldset disabled><legend><button>In legend</button></legend><button>Off</button></fieldset>
         <div style='position:relative;height:30px'><button>Under</button><div id=lid style='position:absolute;inset:0;background:red'>Lid</div></div>
         <div style='overflow:hidden;width:50px;height:20px;position:relative'><button style='position:absolute;left:300px'>Slide</button></div>",
    );
    assert_eq!(page.list(), ["button \"More\"", "button \"In legend\"", "button \"Off\""]);
    let hidden = page.hidden();
    let why =
        |name: &str| hidden.iter().find(|element| element.name == name).map(|element| element.usable.clone());
    assert_eq!(why("Inert"), Some(Usable::Inert));
    assert_eq!(why("Clear"), Some(Usable::Hidden));
    assert_eq!(why("Dark"), Some(Usable::Hidden));
    assert_eq!(why("Slide"), Some(Usable::Hidden));
    assert_eq!(why("Off"), Some(Usable::Disabled));
    assert_eq!(why("Under"), Some(Usable::Covered { by: "<div id=\"lid\">".to_owned() }));
}

#[wasm_bindgen_test]
fn behind_a_modal_dialog_nothing_is_listed() {
    let page = Page::new("<button>Behind</button><dialog aria-label=Confirm><button>Yes</button></dialog>");
    run("document.querySelector('#page dialog').showModal()");
    assert_eq!(page.list(), ["button \"Yes\""]);
    let yes = &page.entries(&ListOptions { all: true, ..ListOptions::default() })[0];
    assert_eq!(yes.scope.as_ref().map(|scope| scope.label.as_str()), Some("dialog:Confirm"));
}

#[wasm_bindgen_test]
fn a_control_behind_a_drawn_one_is_one_entry_with_the_labels_box() {
    let page = Page::new(
        "<input type=checkbox id=a style='position:absolute;width:1px;height:1px;clip:rect(0 0 0 0);overflow:hidden'><label for=a id=la>Accept</label>
         <input type=checkbox id=b hidden checked><label for=b>News</label>
         <label style='position:relative;display:inline-block'><input type=file style='opacity:0;position:absolute;inset:0'>Upload</label>",
    );
    let entries = page.entries(&ListOptions { all: true, ..ListOptions::default() });
    let lines: Vec<_> = entries.iter().map(line).collect();
    assert_eq!(lines, ["checkbox \"Accept\"", "checkbox \"News\"", "file \"Upload\""]);
    assert_eq!(entries[1].states.checked, Some(Tristate::True));
    let label = page.find("#la").get_bounding_client_rect();
    assert!(
        (entries[0].bounds.x - label.left()).abs() < 1.0
            && (entries[0].bounds.width - label.width()).abs() < 1.0
    );
    let PointAnswer::Point { hit, .. } = usable_point(&page.find("#a")) else {
        panic!("the label can be pressed")
    };
    assert_eq!(hit.id(), "la");
}

#[wasm_bindgen_test]
fn clicks_without_semantics_are_told_by_cursor_and_handlers() {
    let page = Page::new(
        "<style>.p{cursor:pointer} .list{cursor:pointer}</style>
         <div class=p><span><b>Open card</b></span></div>
         <ul class=list><li>One</li><li>Two</li></ul>
         <p onclick='1'>Handled</p><p>Plain</p>
         <div class=p><a href=/x>Only link</a></div>
         <label class=p>Name <input></label><button><span class=p>Save</span></button>",
    );
    assert_eq!(
        page.list(),
        [
            "generic \"Open card\"",
            "listitem \"One\"",
            "listitem \"Two\"",
            "paragraph \"Handled\"",
            "link \"Only link\"",
            "textbox \"Name\"",
            "button \"Save\""
        ]
    );
}

#[wasm_bindgen_test]
fn open_shadow_roots_slots_and_generated_content_are_read() {
    let page = Page::new(
        "<style>.star::before{content:'\u{2605} '} .up{text-transform:uppercase}</style><x-card>Approve</x-card><button class=star>Fav</button><button class=up>save</button>",
    );
    run(
        "document.querySelector('#page x-card').attachShadow({mode:'open'}).innerHTML = '<button><slot>Fallback</slot> request</button><input aria-label=Inner>'",
    );
    let entries = page.entries(&ListOptions { all: true, ..ListOptions::default() });
    let lines: Vec<_> = entries.iter().map(line).collect();
    assert_eq!(
        lines,
        ["button \"Approve request\"", "textbox \"Inner\"", "button \"\u{2605} Fav\"", "button \"SAVE\""]
    );
    let mut eyes = Eyes::new();
    let view = eyes.look();
    let inner = page.find("x-card").shadow_root().unwrap().query_selector("input").unwrap().unwrap();
    let place = view.position_of(&inner).unwrap();
    let (target, _) = view.describe(place);
    for selector in target.all_selectors() {
        assert_eq!(view.hits(selector).only(), Some(place), "{selector}");
    }
}

#[wasm_bindgen_test]
fn every_selector_finds_its_element_alone() {
    let page = Page::new(
        "<main id=m><form class='card buy'><input name=email placeholder=Mail><button data-testid=pay>Pay</button></form>
         <ul><li><a href='/a?x=1'>More</a></li><li><a href='/b'>More</a></li></ul><button>Twin</button><button>Twin</button><svg width=20 height=20><a href=/svg><rect width=20 height=20 /></a></svg></main>",
    );
    let mut eyes = Eyes::new();
    let view = eyes.look();
    let mut kinds = std::collections::BTreeSet::new();
    for css in ["input", "[data-testid]", "li:nth-child(2) a", "button:nth-of-type(2)", "svg a"] {
        let element = page.find(css);
        let place = view.position_of(&element).unwrap_or_else(|| panic!("{css} is listed"));
        let (target, _) = view.describe(place);
        for selector in target.all_selectors() {
            kinds.insert(selector.split('=').next().unwrap().to_owned());
            assert_eq!(view.hits(selector).only(), Some(place), "{selector}");
        }
        assert!(
            matches!(view.resolve(&target, Heal::Off), Verdict::Found(found) if found.index == place),
            "{css}"
        );
    }
    let kinds: Vec<_> = kinds.into_iter().collect();
    assert_eq!(kinds, ["css", "link", "name", "role", "testid", "xpath"]);
}

#[wasm_bindgen_test]
fn a_hit_on_an_icon_a_label_or_slotted_text_means_its_control() {
    let page = Page::new(
        "<button id=b><svg width=10 height=10><path d='M0 0h9v9z'/></svg></button><label id=l>Terms <input type=checkbox id=c></label><label>With <a href=/x id=a><b id=in>link</b></a><input type=radio></label>",
    );
    let mut eyes = Eyes::new();
    let view = eyes.look();
    let place = |css: &str| view.position_of(&page.find(css));
    assert!(place("path").is_some() && place("path") == place("#b"));
    assert!(place("#l").is_some() && place("#l") == place("#c"));
    assert!(place("#in").is_some() && place("#in") == place("#a"));
    assert_eq!(view.position_of(&page.root), None);
}

#[wasm_bindgen_test]
fn a_ref_lives_with_its_element_and_is_refused_when_it_became_something_else() {
    let page = Page::new("<div id=box><button id=one>Save</button><button id=two>Play</button></div>");
    let mut eyes = Eyes::new();
    eyes.configure(&Configure { document: 7, ..Configure::default() });
    let options = ListOptions { all: true, ..ListOptions::default() };
    let listed = page.own(&eyes.list(&options));
    let (save, play) = (listed[0].reference.clone().unwrap(), listed[1].reference.clone().unwrap());
    assert!(save.0.starts_with("7e"));
    run(
        "document.querySelector('#box').prepend(document.createElement('hr')); document.querySelector('#two').textContent = 'Pause'",
    );
    assert_eq!(eyes.node(&save).unwrap().id(), "one");
    assert!(eyes.node(&play).unwrap_err().message.contains("is now button"));
    run("document.querySelector('#one').remove()");
    assert!(eyes.node(&save).is_err());
    assert!(eyes.node(&Ref("6e1".to_owned())).unwrap_err().message.contains("earlier page"));
    assert!(eyes.node(&Ref("nonsense".to_owned())).is_err());
}

#[wasm_bindgen_test]
fn nothing_is_read_again_until_something_changes() {
    let page = Page::new("<input id=f><input type=checkbox id=c><div id=d>text</div>");
    let mut eyes = Eyes::new();
    let first = eyes.look();
    assert!(std::rc::Rc::ptr_eq(&first, &eyes.look()));
    let mut last = first;
    for change in [
        "document.querySelector('#d').textContent = 'other'",
        "document.querySelector('#d').setAttribute('role', 'button')",
        "document.querySelector('#f').value = 'set by a script'",
        "document.querySelector('#c').checked = true",
        "document.querySelector('#c').indeterminate = true",
        "document.querySelector('#d').attachShadow({mode:'open'}).innerHTML = '<button>In</button>'; document.querySelector('#d').title = 'x'",
        "document.querySelector('#d').shadowRoot.querySelector('button').textContent = 'Inside'",
    ] {
        run(change);
        let next = eyes.look();
        assert!(!std::rc::Rc::ptr_eq(&last, &next), "{change}");
        assert!(std::rc::Rc::ptr_eq(&next, &eyes.look()), "{change}");
        last = next;
    }
    drop(page);
}

#[wasm_bindgen_test]
async fn a_change_wakes_who_waits() {
    let page = Page::new("<div id=d>text</div>");
    let mut eyes = Eyes::new();
    eyes.look();
    let change = eyes.on_change();
    run("setTimeout(() => { document.querySelector('#d').textContent = 'other' }, 5)");
    change.await;
    assert_eq!(page.find("#d").text_content().as_deref(), Some("other"));
}

#[wasm_bindgen_test]
fn clobbered_forms_and_deep_and_broken_texts_are_read() {
    let page = Page::new(
        "<form id=f><input name=parentNode aria-label=A><input name=firstChild aria-label=B><input name=getAttribute aria-label=C>
         <input name=nodeType aria-label=D><input name=nextSibling aria-label=E><input name=attributes aria-label=F><button name=id>Go</button></form><button id=lone></button><div id=deep></div>",
    );
    run("document.querySelector('#lone').textContent = 'a\\ud800'; document.querySelector('#lone').setAttribute('title', '\\udc00b');
         let at = document.querySelector('#deep'); for (let i = 0; i < 700; i++) at = at.appendChild(document.createElement('div')); at.innerHTML = '<button>Deep</button>'");
    assert_eq!(
        page.list(),
        [
            "textbox \"A\"",
            "textbox \"B\"",
            "textbox \"C\"",
            "textbox \"D\"",
            "textbox \"E\"",
            "textbox \"F\"",
            "button \"Go\"",
            "button \"a\u{fffd}\"",
            "button \"Deep\""
        ]
    );
}

#[wasm_bindgen_test]
fn a_wrapped_link_and_a_half_covered_button_have_points_of_their_own() {
    let page = Page::new(
        "<p style='width:120px;font:16px monospace'>some words <a href=/x id=wrap>a link that wraps over lines</a></p>
         <div style='position:relative;width:200px;height:60px'><button id=half style='width:200px;height:60px'>Half</button>
         <div style='position:absolute;left:0;top:0;width:140px;height:60px;background:red'></div></div>
         <button id=outer style='width:200px;height:60px'>Ship <span tabindex=0 id=info style='display:inline-block;width:80px;height:30px;background:#eee'>i</span></button>",
    );
    for css in ["#wrap", "#half", "#outer"] {
        let element = page.find(css);
        // The index says what is of use by itself.
        Eyes::new().look();
        let PointAnswer::Point { x, y, hit } = usable_point(&element) else { panic!("{css} has a point") };
        assert!(element.contains(Some(&hit)), "{css} at {x},{y}");
        assert_ne!(hit.id(), "info", "{css}");
    }
    page.find("#half").unchecked_into::<HtmlElement>().style().set_property("display", "none").unwrap();
    assert!(matches!(usable_point(&page.find("#half")), PointAnswer::Hidden));
}

#[wasm_bindgen_test]
fn evidence_tells_rows_headings_and_neighbours() {
    let page = Page::new(
        "<h2>Orders</h2><table aria-label=Orders><tbody><tr><th scope=row>Anna</th><td>3 mugs</td><td><button>Edit</button></td></tr>
         <tr><th scope=row>Ben</th><td>1 hat</td><td><button>Edit</button></td></tr></tbody></table>
         <h3>Billing</h3><div><p>Card ending 42</p><button>Change</button></div>",
    );
    let entries = page.entries(&ListOptions { all: true, ..ListOptions::default() });
    assert_eq!(entries[1].row_key.as_deref(), Some("Ben"));
    assert_eq!(entries[1].scope.as_ref().unwrap().label, "row:Ben");
    assert_eq!(entries[1].heading.as_deref(), Some("Orders"));
    assert_eq!(entries[2].beside.as_deref(), Some("Card ending 42"));
    let scope = entries[2].scope.as_ref().unwrap();
    assert_eq!((scope.label.as_str(), scope.weak), ("heading:Billing", true));
}

#[wasm_bindgen_test]
fn checks_see_headings_alerts_and_texts_that_are_shown() {
    let page = Page::new(
        "<h1>Thank you</h1><div role=alert>Saved at once</div><h2 style='display:none'>Secret</h2><p>Order <b>17</b> is on its way</p><section aria-label=Cart><h2>Cart</h2></section>",
    );
    let mut eyes = Eyes::new();
    let view = eyes.look();
    assert_eq!(view.matching(Some("heading"), Some("thank you"), None).len(), 1);
    assert_eq!(view.matching(Some("alert"), Some("Saved at once"), None).len(), 1);
    assert_eq!(view.matching(Some("heading"), Some("Secret"), None).len(), 0);
    assert_eq!(view.matching(Some("heading"), Some("Cart"), Some("region:Cart")).len(), 1);
    assert!(view.shows_text("order 17 is on") && !view.shows_text("Secret"));
    let seen = view.seen();
    assert!(seen.iter().any(|seen| seen.role == "heading" && seen.name == "Thank you"));
    drop(page);
}

#[wasm_bindgen_test]
fn options_of_open_lists_areas_and_editors_are_listed() {
    let page = Page::new(
        "<select size=2 aria-label=Size><option>S<option>M</select><div contenteditable aria-label=Note>Text <b>bold</b></div>
         <img usemap=#m width=80 height=40 src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' alt=Map><map name=m><area href=/z alt=Zone coords='0,0,40,40'></map>
         <button style='display:contents'>Flat</button>",
    );
    let entries = page.entries(&ListOptions { all: true, ..ListOptions::default() });
    let lines: Vec<_> = entries.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "listbox \"Size\"",
            "option \"S\"",
            "option \"M\"",
            "generic \"Note\"",
            "link \"Zone\"",
            "button \"Flat\""
        ]
    );
    assert_eq!((entries[4].bounds.width, entries[4].bounds.height), (40.0, 40.0));
    assert!(entries[5].bounds.width > 5.0);
}

#[wasm_bindgen_test]
fn a_snapshot_is_whole_and_can_be_judged_again() {
    let page = Page::new("<div role=group aria-label=Tools><button id=s>Save</button></div>");
    let mut eyes = Eyes::new();
    let view = eyes.look();
    let place = view.position_of(&page.find("#s")).unwrap();
    let (target, _) = view.describe(place);
    let again =
        cairn_core::snapshot::Snapshot::from_json(&eyes.snapshot_json(&|text| text.to_owned())).unwrap();
    for selector in target.all_selectors() {
        let hits = cairn_core::selector::resolve(&again, selector, &[]);
        assert_eq!(hits.len(), 1, "{selector}");
        assert_eq!(cairn_core::name::of(&again, hits[0]), "Save", "{selector}");
    }
}
