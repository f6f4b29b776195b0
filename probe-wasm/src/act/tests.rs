//! Acts on real elements in a real browser.

use cairn_core::map::Named;
use cairn_core::script::{Method, OptionChoice};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::Element;

use super::choose::Wanted;
use super::event::Aim;
use super::perform::{ActError, Did, Order, perform};
use super::pointer::Hands;
use super::{commit, leave};
use crate::native;

wasm_bindgen_test_configure!(run_in_browser);

fn no_files() -> &'static Named<String> {
    Box::leak(Box::default())
}

/// A page's body, and its script; what it says ends in `window.log`.
fn stage(html: &str, script: &str) -> Hands {
    // Where a closed root is, the reader's side knows.
    if js("typeof __cairn_collect") != "object" {
        js_sys::eval(crate::eyes::COLLECT).unwrap();
    }
    let document = native::document().unwrap();
    // The tests share one document, and a failed one leaves its page.
    native::query_all(&document, "#page,#stage,.stage").iter().for_each(Element::remove);
    let stage = document.create_element("div").unwrap();
    stage.set_id("stage");
    stage.set_inner_html(html);
    native::body().unwrap().append_child(&stage).unwrap();
    js(
        "{ const mine = window.log = []; window.say = x => mine.push(x) } window.$ = s => document.querySelector('#stage ' + s);",
    );
    js(&format!("(say => {{ {script} }})(window.say)"));
    Hands::default()
}

fn js(code: &str) -> String {
    js_sys::eval(code).unwrap().as_string().unwrap_or_default()
}

fn said() -> String {
    js("log.join(' ')")
}

fn find(selector: &str) -> Element {
    native::document().unwrap().query_selector(&format!("#stage {selector}")).unwrap().unwrap()
}

fn aim(selector: &str) -> Aim {
    let element = find(selector);
    let [x, y, width, height] = native::bounds(&element);
    Aim { hit: element.clone(), element, point: (x + width / 2.0, y + height / 2.0) }
}

async fn act(hands: &Hands, method: Method, selector: &str, value: &str) -> Result<Did, ActError> {
    let aim = aim(selector);
    let wanted = Wanted { label: value, ..Wanted::default() };
    perform(hands, &Order { method, aim: Some(&aim), value, wanted, to: None, files: no_files() }).await
}

async fn fill(hands: &Hands, selector: &str, value: &str) {
    assert_eq!(act(hands, Method::Fill, selector, value).await, Ok(Did::Acted));
}

async fn press(hands: &Hands, chord: &str) {
    perform(
        hands,
        &Order {
            method: Method::Press,
            aim: None,
            value: chord,
            wanted: Wanted::default(),
            to: None,
            files: no_files(),
        },
    )
    .await
    .unwrap();
}

fn value(selector: &str) -> String {
    js(&format!("$('{selector}').value"))
}

#[wasm_bindgen_test]
async fn a_click_is_the_browsers_sequence() {
    let script = "for (const k of ['pointerover','pointerenter','mouseover','mouseenter','pointermove','mousemove','pointerdown',\
        'mousedown','focus','pointerup','mouseup','click','dblclick'])\
        $('button').addEventListener(k, e => say(k + (['pointerdown','mousedown','click'].includes(k) ? ':' + e.buttons + e.detail : '')));";
    let hands = stage("<button>Go</button>", script);
    act(&hands, Method::Click, "button", "").await.unwrap();
    let expected = "pointerover pointerenter mouseover mouseenter pointermove mousemove pointerdown:10 mousedown:11 focus pointerup \
        mouseup click:01";
    let found = said();
    // pointerover and mouseover come before both enter events or between them: each pair in its order is what counts.
    for pair in expected
        .split_whitespace()
        .collect::<Vec<_>>()
        .windows(2)
        .filter(|pair| !pair[0].starts_with("pointere"))
    {
        let place = |what: &str| {
            found
                .split_whitespace()
                .position(|seen| seen == what)
                .unwrap_or_else(|| panic!("{what} in {found}"))
        };
        assert!(
            place(pair[0]) < place(pair[1]) || pair[1] == "mouseover" || pair[0] == "mouseover",
            "{pair:?} in {found}"
        );
    }
    assert_eq!(js("document.activeElement.tagName"), "BUTTON");
}

#[wasm_bindgen_test]
async fn two_clicks_make_a_double_click() {
    let script = "for (const k of ['click', 'dblclick']) $('p').addEventListener(k, e => say(k + e.detail));";
    let hands = stage("<p>text</p>", script);
    act(&hands, Method::Dblclick, "p", "").await.unwrap();
    assert_eq!(said(), "click1 click2 dblclick2");
}

#[wasm_bindgen_test]
async fn the_second_button_opens_the_context_menu() {
    let script = "for (const k of ['mousedown', 'contextmenu', 'mouseup', 'click', 'auxclick'])\
        $('p').addEventListener(k, e => say(k + e.button));";
    let hands = stage("<p>text</p>", script);
    act(&hands, Method::Contextmenu, "p", "").await.unwrap();
    assert_eq!(said(), "mousedown2 contextmenu2 mouseup2 auxclick2");
}

#[wasm_bindgen_test]
async fn what_mousedown_removes_is_not_clicked() {
    let script = "$('b').addEventListener('mousedown', e => { e.target.remove(); say('gone') });\
        $('').addEventListener; document.querySelector('#stage').addEventListener('click', () => say('click'));";
    let hands = stage("<div style='height:50px'><b>item</b></div>", script);
    act(&hands, Method::Click, "b", "").await.unwrap();
    assert_eq!(said(), "gone");
}

#[wasm_bindgen_test]
async fn what_a_press_makes_of_the_page_in_a_microtask_is_there_when_it_is_released() {
    // As frameworks draw anew: a field that is left takes back what was not drawn yet.
    let script = "const f = $('input'), b = $('button'); let state = 1, drawn = 1;\
        const set = v => { state = v; queueMicrotask(() => Promise.resolve().then(() => { drawn = state; f.value = drawn })) };\
        f.onblur = () => { state = drawn };\
        b.addEventListener('pointerdown', () => { f.focus(); set(state + 1) });\
        b.addEventListener('click', () => say(state + ':' + drawn));";
    let hands = stage("<input value=1><button>+</button>", script);
    act(&hands, Method::Click, "button", "").await.unwrap();
    act(&hands, Method::Click, "button", "").await.unwrap();
    assert_eq!(said(), "2:2 3:3");
}

#[wasm_bindgen_test]
async fn each_key_goes_to_what_the_key_before_it_drew() {
    let script = "const g = $('#g'); const box = () => { const b = document.createElement('input'); b.maxLength = 1;\
        b.addEventListener('input', () => Promise.resolve().then(() => { if (g.children.length < 4) box().focus() }));\
        g.append(b); return b }; box();";
    let hands = stage("<div id=g></div>", script);
    act(&hands, Method::Type, "#g input", "4029").await.unwrap();
    assert_eq!(js("[...document.querySelectorAll('#stage input')].map(b => b.value).join(' ')"), "4 0 2 9");
}

#[wasm_bindgen_test]
async fn a_prevented_pointerdown_keeps_the_click() {
    let script = "$('button').onpointerdown = e => e.preventDefault(); for (const k of ['mousedown','mouseup','click'])\
        $('button').addEventListener(k, () => say(k));";
    let hands = stage("<button>Go</button>", script);
    act(&hands, Method::Click, "button", "").await.unwrap();
    assert_eq!(said(), "click");
}

#[wasm_bindgen_test]
async fn clicks_have_the_browsers_default_actions() {
    let html = "<a href='#there'>link</a><form><input name=q value=7><button>Send</button></form>\
        <details><summary>more</summary>text</details>";
    let hands = stage(
        html,
        "$('form').onsubmit = e => { e.preventDefault(); say('sent:' + new FormData(e.target).get('q')) };",
    );
    act(&hands, Method::Click, "a", "").await.unwrap();
    act(&hands, Method::Click, "form button", "").await.unwrap();
    act(&hands, Method::Click, "summary", "").await.unwrap();
    assert_eq!((said().as_str(), js("location.hash").as_str()), ("sent:7", "#there"));
    assert_eq!(js("String($('details').open)"), "true");
    js("history.replaceState(null, '', location.pathname)");
}

#[wasm_bindgen_test]
async fn a_label_ticks_its_box_once() {
    let html = "<label><input type=checkbox style='opacity:0'><span>Mail me</span></label>";
    let hands = stage(html, "$('input').onchange = e => say('changed:' + e.target.checked);");
    let aim = Aim { element: find("input"), hit: find("span"), point: aim("span").point };
    let order = |method| Order {
        method,
        aim: Some(&aim),
        value: "",
        wanted: Wanted::default(),
        to: None,
        files: no_files(),
    };
    assert_eq!(perform(&hands, &order(Method::Check)).await, Ok(Did::Acted));
    assert_eq!(said(), "changed:true");
    assert_eq!(perform(&hands, &order(Method::Check)).await, Ok(Did::AlreadySo));
    assert_eq!(said(), "changed:true");
    assert_eq!(perform(&hands, &order(Method::Uncheck)).await, Ok(Did::Acted));
    assert_eq!(said(), "changed:true changed:false");
}

#[wasm_bindgen_test]
async fn a_radio_cannot_be_unchecked() {
    let hands = stage("<input type=radio checked>", "");
    assert!(!act(&hands, Method::Uncheck, "input", "").await.unwrap_err().acted);
}

#[wasm_bindgen_test]
async fn a_controlled_input_takes_the_text() {
    let script = "const n = $('input'), proto = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');\
        let tracked = '', state = '';\
        Object.defineProperty(n, 'value', { configurable: true, get() { return proto.get.call(this) },\
          set(v) { tracked = String(v); proto.set.call(this, v) } });\
        const render = () => { if (n.value !== state) n.value = state };\
        n.addEventListener('input', () => { const v = proto.get.call(n); if (v === tracked) return; tracked = v; state = v; render() });\
        n.addEventListener('blur', () => { render(); say('state:' + state) });";
    let hands = stage("<input>", script);
    fill(&hands, "input", "Ada Moss").await;
    leave(&hands);
    assert_eq!((said().as_str(), value("input").as_str()), ("state:Ada Moss", "Ada Moss"));
}

#[wasm_bindgen_test]
async fn change_comes_when_the_field_is_left() {
    let script = "for (const k of ['focus','keydown','beforeinput','input','keyup','change','blur'])\
        $('#a').addEventListener(k, () => say(k));";
    let hands = stage("<input id=a><input id=b>", script);
    fill(&hands, "#a", "Lund").await;
    assert_eq!(said(), "focus keydown beforeinput input keyup");
    fill(&hands, "#b", "22100").await;
    assert_eq!(said(), "focus keydown beforeinput input keyup change blur");
}

#[wasm_bindgen_test]
async fn a_committed_field_commits_once() {
    let hands = stage("<input>", "$('input').onchange = e => say(e.target.value);");
    fill(&hands, "input", "a").await;
    commit(&hands);
    commit(&hands);
    fill(&hands, "input", "b").await;
    leave(&hands);
    assert_eq!(said(), "a b");
}

#[wasm_bindgen_test]
async fn filling_replaces_and_obeys_the_length() {
    let hands = stage("<input value=old maxlength=4><textarea>x</textarea>", "");
    let _ = act(&hands, Method::Fill, "input", "abcdef").await;
    fill(&hands, "textarea", "one\ntwo").await;
    assert_eq!((value("input").as_str(), value("textarea").as_str()), ("abcd", "one\ntwo"));
    fill(&hands, "input", "").await;
    assert_eq!(value("input"), "");
}

#[wasm_bindgen_test]
async fn text_beyond_the_basic_plane_stays_whole() {
    let text = "Zoe\u{301} 👩\u{200d}🚀 𠮷";
    let hands = stage("<input id=a><input id=b>", "");
    fill(&hands, "#a", text).await;
    act(&hands, Method::Type, "#b", text).await.unwrap();
    assert_eq!((value("#a").as_str(), value("#b").as_str()), (text, text));
    press(&hands, "Backspace").await;
    assert_eq!(value("#b"), "Zoe\u{301} 👩\u{200d}🚀 ");
}

#[wasm_bindgen_test]
async fn a_mask_that_listens_to_keys_gets_them() {
    let script = "let b = ''; $('input').addEventListener('keydown', e => { if (e.key.length === 1) { e.preventDefault();\
        b += e.key; e.target.value = b.replace(/(\\d{3})(?=\\d)/g, '$1-') } });";
    let hands = stage("<input>", script);
    fill(&hands, "input", "123456").await;
    assert_eq!(value("input"), "123-456");
}

#[wasm_bindgen_test]
async fn a_code_goes_through_its_boxes() {
    let script = "const g = $('#g'), bs = []; for (let i = 0; i < 6; i++) { const b = document.createElement('input'); b.maxLength = 1;\
        b.addEventListener('input', () => { b.value = b.value.replace(/\\D/g, '').slice(0, 1); if (b.value && bs[i + 1]) bs[i + 1].focus() });\
        bs.push(b); g.append(b) }";
    let hands = stage("<div id=g></div>", script);
    fill(&hands, "#g", "402913").await;
    assert_eq!(js("[...document.querySelectorAll('#stage input')].map(b => b.value).join('')"), "402913");
}

#[wasm_bindgen_test]
async fn fields_with_a_format_of_their_own() {
    let html =
        "<input type=date><input type=time><input type=color><input type=range max=10><input type=number>";
    let hands = stage(
        html,
        "for (const i of document.querySelectorAll('#stage input')) i.onchange = e => say(e.target.type);",
    );
    fill(&hands, "[type=date]", "2031-02-09").await;
    fill(&hands, "[type=time]", "07:45").await;
    fill(&hands, "[type=color]", "#33AA55").await;
    fill(&hands, "[type=range]", "7").await;
    fill(&hands, "[type=number]", "42").await;
    leave(&hands);
    let values = js("[...document.querySelectorAll('#stage input')].map(i => i.value).join(' ')");
    assert_eq!(
        (values.as_str(), said().as_str()),
        ("2031-02-09 07:45 #33aa55 7 42", "date time color range number")
    );
    let refused = act(&hands, Method::Fill, "[type=date]", "02/09/2031").await.unwrap_err();
    assert!(!refused.acted && refused.message.contains("date"), "{refused}");
    assert_eq!(value("[type=date]"), "2031-02-09");
}

#[wasm_bindgen_test]
async fn an_editing_host_takes_text() {
    let hands = stage(
        "<div contenteditable>old <b>text</b></div>",
        "$('div').addEventListener('input', e => say(e.inputType));",
    );
    fill(&hands, "div", "new text").await;
    assert_eq!(js("$('div').innerText"), "new text");
    assert!(said().contains("insertText"), "{}", said());
}

#[wasm_bindgen_test]
async fn an_editor_that_owns_its_model_takes_text() {
    let script = "let model = 'old'; const d = $('div'); const paint = () => { d.textContent = model }; paint();\
        d.addEventListener('beforeinput', e => { e.preventDefault(); if (e.inputType.startsWith('delete')) model = '';\
          else model += e.data; paint() });";
    let hands = stage("<div contenteditable></div>", script);
    fill(&hands, "div", "hello").await;
    assert_eq!(js("$('div').textContent"), "hello");
}

#[wasm_bindgen_test]
async fn enter_submits_once_through_the_default_button() {
    let html = "<form><input name=code><button type=button>Clear</button><button>Apply</button></form>";
    let script = "$('form').onsubmit = e => { e.preventDefault(); say('submit:' + e.submitter.textContent) };\
        for (const b of document.querySelectorAll('#stage button')) b.onclick = e => say('click:' + e.detail);\
        $('input').onchange = () => say('change');";
    let hands = stage(html, script);
    fill(&hands, "input", "SPRING").await;
    press(&hands, "Enter").await;
    assert_eq!(said(), "change click:0 submit:Apply");
}

#[wasm_bindgen_test]
async fn enter_submits_without_a_button_only_from_a_single_field() {
    let script = "for (const f of document.querySelectorAll('#stage form')) f.onsubmit = e => { e.preventDefault(); say(f.id) };";
    let hands = stage("<form id=one><input></form><form id=two><input class=x><input></form>", script);
    fill(&hands, "#one input", "a").await;
    press(&hands, "Enter").await;
    fill(&hands, "#two .x", "b").await;
    press(&hands, "Enter").await;
    assert_eq!(said(), "one");
}

#[wasm_bindgen_test]
async fn a_prevented_enter_submits_nothing() {
    let script = "$('form').onsubmit = e => { e.preventDefault(); say('submit') }; $('input').onkeydown = e => { if (e.key === 'Enter') e.preventDefault() };";
    let hands = stage("<form><input><button>Go</button></form>", script);
    fill(&hands, "input", "a").await;
    press(&hands, "Enter").await;
    assert_eq!(said(), "");
}

#[wasm_bindgen_test]
async fn space_and_enter_press_a_button_once_each() {
    let hands = stage("<button>Go</button>", "$('button').onclick = () => say('click');");
    act(&hands, Method::Press, "button", "Space").await.unwrap();
    act(&hands, Method::Press, "button", "Enter").await.unwrap();
    assert_eq!(said(), "click click");
}

#[wasm_bindgen_test]
async fn enter_breaks_the_line_of_an_area() {
    let hands = stage("<textarea></textarea>", "");
    act(&hands, Method::Type, "textarea", "one\ntwo").await.unwrap();
    assert_eq!(value("textarea"), "one\ntwo");
}

#[wasm_bindgen_test]
async fn keys_reach_a_cell_that_is_no_field() {
    let script = "let b = ''; $('td').onkeydown = e => { if (e.key.length === 1) b += e.key; else if (e.key === 'Enter') say('cell=' + b);\
        e.preventDefault() };";
    let hands = stage("<table><tr><td tabindex=0></td></tr></table>", script);
    act(&hands, Method::Click, "td", "").await.unwrap();
    act(&hands, Method::Type, "td", "42").await.unwrap();
    press(&hands, "Enter").await;
    assert_eq!(said(), "cell=42");
}

#[wasm_bindgen_test]
async fn a_shortcut_needs_no_target() {
    let hands = stage(
        "<p>x</p>",
        "window.onkeydown = e => { if (e.ctrlKey && e.key === 'k') say('palette:' + e.code + e.keyCode) };",
    );
    leave(&hands);
    press(&hands, "Control+k").await;
    js("window.onkeydown = null");
    assert_eq!(said(), "palette:KeyK75");
}

#[wasm_bindgen_test]
async fn tab_goes_round_in_order() {
    let html = "<input id=a><input id=b tabindex=-1><button id=c disabled>x</button><a id=d href='#'>x</a><input id=e type=radio name=r>\
        <input id=f type=radio name=r checked><button id=g tabindex=2>first</button>";
    let hands = stage(html, "");
    act(&hands, Method::Click, "#a", "").await.unwrap();
    let mut way = Vec::new();
    for chord in ["Tab", "Tab", "Shift+Tab", "Shift+Tab", "Shift+Tab"] {
        press(&hands, chord).await;
        way.push(js("document.activeElement.id"));
    }
    assert_eq!(way, ["d", "f", "d", "a", "g"]);
}

#[wasm_bindgen_test]
async fn arrows_choose_among_radios_options_and_numbers() {
    let html = "<input type=radio name=r id=a checked><input type=radio name=r id=b><select><option>x</option><option disabled>y</option>\
        <option>z</option></select><input type=number value=3 step=2>";
    let hands = stage(
        html,
        "document.querySelector('#stage').addEventListener('change', e => say(e.target.id || e.target.value));",
    );
    act(&hands, Method::Press, "#a", "ArrowDown").await.unwrap();
    act(&hands, Method::Press, "select", "ArrowDown").await.unwrap();
    act(&hands, Method::Press, "[type=number]", "ArrowUp").await.unwrap();
    assert_eq!(said(), "b z 5");
}

#[wasm_bindgen_test]
async fn escape_closes_the_dialog() {
    let script = "$('dialog').addEventListener('cancel', () => say('cancel')); $('dialog').addEventListener('close', () => say('close'));\
        $('dialog').showModal();";
    let hands = stage("<dialog><button>in</button></dialog>", script);
    press(&hands, "Escape").await;
    assert_eq!((js("String($('dialog').open)").as_str(), said().starts_with("cancel")), ("false", true));
}

const CITIES: &str = "<select><option value=''>Choose</option><optgroup label=France><option value=fr1>Paris</option>\
    <option value=Paris>Lyon</option></optgroup><optgroup label=Texas><option value=tx1>Paris</option></optgroup></select>";

async fn choose(hands: &Hands, label: &str, option: Option<&OptionChoice>) -> Result<Did, ActError> {
    let aim = aim("select");
    perform(
        hands,
        &Order {
            method: Method::Select,
            aim: Some(&aim),
            value: label,
            wanted: Wanted { label, option, options: &[] },
            to: None,
            files: no_files(),
        },
    )
    .await
}

#[wasm_bindgen_test]
async fn options_are_told_apart() {
    let hands = stage(CITIES, "$('select').onchange = e => say(e.target.value);");
    let texas =
        OptionChoice { value: "tx1".to_owned(), group: Some("Texas".to_owned()), index: 3, label: None };
    assert_eq!(choose(&hands, "Paris", Some(&texas)).await, Ok(Did::Acted));
    assert_eq!(choose(&hands, "Paris", Some(&texas)).await, Ok(Did::AlreadySo));
    let error = choose(&hands, "Paris", None).await.unwrap_err();
    assert!(error.message.contains("ambiguous") && !error.acted, "{error}");
    assert_eq!(choose(&hands, "Lyon", None).await, Ok(Did::Acted));
    assert_eq!(said(), "tx1 Paris");
    assert!(choose(&hands, "Rome", None).await.unwrap_err().message.contains("there are: Choose, Paris"));
}

#[wasm_bindgen_test]
async fn several_options_are_chosen_together() {
    let html = "<select multiple><option selected>red</option><option>green</option><option>blue</option><option value=red>scarlet</option></select>";
    let hands = stage(
        html,
        "$('select').onchange = e => say([...e.target.selectedOptions].map(o => o.text).join('+'));",
    );
    let choice = |label: &str, value: &str, index| OptionChoice {
        label: Some(label.to_owned()),
        value: value.to_owned(),
        group: None,
        index,
    };
    let options = [choice("green", "green", 1), choice("scarlet", "red", 3)];
    let aim = aim("select");
    let wanted = Wanted { label: "green", option: None, options: &options };
    assert_eq!(
        perform(
            &hands,
            &Order {
                method: Method::Select,
                aim: Some(&aim),
                value: "green",
                wanted,
                to: None,
                files: no_files()
            }
        )
        .await,
        Ok(Did::Acted)
    );
    assert_eq!(said(), "green+scarlet");
}

#[wasm_bindgen_test]
async fn a_form_that_shadows_its_own_members() {
    let html = "<form><input name=getAttribute><input name=dispatchEvent><input name=parentNode><input name=requestSubmit>\
        <input name=elements><input name=submit><input name=id><button>Plant</button></form>";
    let script = "EventTarget.prototype.addEventListener.call($('form'), 'submit', e => { e.preventDefault();\
        say(new FormData(e.target).get('parentNode')) });";
    let hands = stage(html, script);
    fill(&hands, "[name=parentNode]", "P").await;
    press(&hands, "Enter").await;
    act(&hands, Method::Click, "button", "").await.unwrap();
    assert_eq!(said(), "P P");
}

#[wasm_bindgen_test]
async fn the_focus_crosses_open_roots() {
    let script = "const root = $('x-host').attachShadow({ mode: 'open' }); root.innerHTML = '<input id=in>';";
    let hands = stage("<x-host></x-host>", script);
    let root = native::get("Element", "shadowRoot", &find("x-host"));
    let element: Element = native::query_all(root.unchecked_ref(), "input").remove(0);
    let aim = Aim { hit: element.clone(), element, point: (1.0, 1.0) };
    perform(
        &hands,
        &Order {
            method: Method::Fill,
            aim: Some(&aim),
            value: "deep",
            wanted: Wanted::default(),
            to: None,
            files: no_files(),
        },
    )
    .await
    .unwrap();
    press(&hands, "End").await;
    press(&hands, "!").await;
    assert_eq!(js("$('x-host').shadowRoot.querySelector('input').value"), "deep!");
}
