//! Whatever changes in the page, the next listing is that of eyes that never looked before.

use cairn_core::element::Element as Entry;
use cairn_core::snapshot::{Flags, Snapshot};
use cairn_core::wire::page::ListOptions;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use super::Eyes;
use super::tests::Page;

/// The page; `$` finds in it.
const HTML: &str = "
  <style id=sheet>.hide{display:none}.dim{visibility:hidden}.hand{cursor:pointer}.hov:hover{display:none}.up{text-transform:uppercase}
    .sib:checked + button{display:none} .has:has(.flag){display:none} .n>:nth-child(3){display:none}</style>
  <h2 id=h>Orders</h2><section id=sec aria-label=Region><button id=one>One</button><button id=two title=Tip>Two</button></section>
  <label id=lab for=f>Field</label><input id=f value=a><input id=c type=checkbox class=sib aria-label=Tick><button id=after>After</button>
  <select id=s aria-label=Pick><option>x</option><option>y</option></select><textarea id=t aria-label=Text></textarea>
  <div class=n id=n><button>n1</button><button>n2</button><button>n3</button><button>n4</button></div>
  <table><tbody id=rows><tr><th scope=row id=key>Mug</th><td><button>Buy</button></td></tr><tr><th scope=row>Cup</th><td><button>Buy</button></td></tr></tbody></table>
  <div id=has class=has><button>Has</button></div><div id=plain>plain</div><i id=name>Called</i><button id=lb aria-labelledby=name>own</button>
  <details id=d><summary>More</summary><button>Folded</button></details><dialog id=dlg><button>In dialog</button></dialog>
  <div id=pop popover><button>In popover</button></div><button popovertarget=pop>Opens</button><fieldset id=fs><legend>Ship</legend><input aria-label=Ship></fieldset>
  <div id=scroller style='height:60px;overflow:auto'><div style='height:500px'></div><button>Deep</button></div><a id=a href=#x>Link</a>
  <div id=host></div><div id=ed>edit</div><svg width=9 height=9><title id=svgt>Pic</title></svg><ul id=list><li>1 <button>L1</button></li><li>2 <button>L2</button></li></ul>";

/// Each change by itself, one upon the other.
const CHANGES: &[&str] = &[
    "$('#one').firstChild.data = 'Uno'",
    "$('#two').textContent = 'Due'",
    "$('#h').textContent = 'Bills'",
    "$('#key').firstChild.data = 'Jug'",
    "$('#lab').firstChild.data = 'Place'",
    "$('#name').textContent = 'Named'",
    "$('#sec').setAttribute('aria-label', 'Area')",
    "$('#two').setAttribute('aria-label', 'Labelled')",
    "$('#two').removeAttribute('aria-label')",
    "$('#two').title = 'Other tip'",
    "$('#one').disabled = true",
    "$('#fs').disabled = true",
    "$('#one').setAttribute('role', 'link')",
    "$('#plain').tabIndex = 0",
    "$('#plain').setAttribute('contenteditable', '')",
    "$('#one').className = 'hide'",
    "$('#sec').className = 'dim'",
    "$('#sec').className = ''; $('#one').className = ''",
    "$('#plain').className = 'hand'; $('#plain').removeAttribute('contenteditable')",
    "$('#one').style.opacity = '0'",
    "$('#one').style.cssText = 'position:absolute;left:300px;top:5px'",
    "$('#sheet').sheet.insertRule('#two{display:none}')",
    "$('#sheet').sheet.deleteRule(0)",
    "$('#sheet').sheet.cssRules[0].style.display = 'inline'",
    "$('#sheet').sheet.disabled = true",
    "$('#sheet').sheet.disabled = false",
    "{const sheet = new CSSStyleSheet(); sheet.replaceSync('#a{visibility:hidden}'); document.adoptedStyleSheets = [sheet]}",
    "document.adoptedStyleSheets = []",
    "$('#f').value = 'typed'",
    "$('#c').checked = true",
    "$('#c').indeterminate = true",
    "$('#s').selectedIndex = 1",
    "$('#t').value = 'long text'",
    "$('#f').focus()",
    "$('#has').append(Object.assign(document.createElement('i'), {className: 'flag'}))",
    "$('#n').firstElementChild.remove()",
    "for (let i = 0; i < 20; i++) $('#rows').append($('#rows').firstElementChild.cloneNode(true))",
    "$('#rows').prepend($('#rows').lastElementChild)",
    "$('#rows').replaceChildren(...[...$('#rows').children].slice(5))",
    "$('#list').append($('#list').firstElementChild)",
    "$('#d').open = true",
    "$('#pop').showPopover()",
    "$('#pop').hidePopover()",
    "$('#dlg').showModal()",
    "$('#dlg').close()",
    "$('#host').attachShadow({mode: 'open'}).innerHTML = '<button>Shadow</button>'",
    "$('#host').shadowRoot.firstChild.textContent = 'Shade'",
    "$('#host').shadowRoot.append(document.createElement('input'))",
    "$('#host').shadowRoot.append(Object.assign(document.createElement('style'), {textContent: ':host{cursor:pointer} button{visibility:hidden}'}))",
    "$('#host').shadowRoot.querySelector('style').sheet.insertRule(':host{display:none}')",
    "$('#host').shadowRoot.querySelector('style').sheet.cssRules[0].style.display = 'block'",
    "$('#host').shadowRoot.querySelector('style').sheet.disabled = true",
    "{const sheet = new CSSStyleSheet(); sheet.replaceSync('input{display:none}'); $('#host').shadowRoot.adoptedStyleSheets = [sheet]}",
    "$('#host').shadowRoot.adoptedStyleSheets[0].replaceSync('input{opacity:0}')",
    "$('#host').shadowRoot.adoptedStyleSheets = []",
    "$('#scroller').tabIndex = 0",
    "$('#scroller').scrollTop = 500",
    "document.querySelector('#page').scrollTop = 60",
    "$('#svgt').textContent = 'Drawing'",
    "$('#ed').innerHTML = '<a href=#e>made</a> of <button>parts</button>'",
    "$('#sec').inert = true",
    "$('#sec').inert = false; $('#sec').setAttribute('aria-hidden', 'true')",
    "$('#a').removeAttribute('href')",
    "$('#lb').setAttribute('aria-labelledby', 'h name')",
    "$('#lb').ariaLabelledByElements = [$('#key') || $('#h')]",
    "$('#list').innerHTML = ''",
    "$('#plain').animate([{opacity: 0}, {opacity: 0}], {duration: 1e6})",
    "document.title = 'Other'",
];

fn everything() -> ListOptions {
    ListOptions { all: true, hidden: true, ..ListOptions::default() }
}

/// What eyes list, without what is measured far from the window.
fn listed(eyes: &mut Eyes) -> Vec<(Entry, Option<String>)> {
    eyes.list(&everything()).elements.into_iter().map(|listed| (listed.element, listed.selector)).collect()
}

/// Applies a change to the page.
fn apply(change: &str) {
    let code = format!("{{ const $ = css => document.querySelector('#page').querySelector(css); {change} }}");
    js_sys::eval(&code).unwrap();
}

/// What is being read from, the same as long as only parts are read anew.
fn reading() -> JsValue {
    js_sys::eval("__cairn_collect.state.reading").unwrap()
}

/// A tree without the numbers that only what was measured has.
fn tree(snapshot: &Snapshot) -> Vec<String> {
    let line = |id: usize| {
        let node = snapshot.node(id);
        let attributes: Vec<_> =
            snapshot.attributes_of(id).map(|(name, value)| (snapshot.symbols.name(name), value)).collect();
        format!(
            "{id} {:?} {} up {} place {} flags {:#x} {:?} {attributes:?} end {}",
            node.kind,
            snapshot.tag(id),
            node.parent,
            node.place,
            // Whether its cursor was asked for makes no difference: it may have been asked too often.
            node.flags.0 & !Flags::OWN_CURSOR,
            snapshot.text(id),
            node.end
        )
    };
    (0..snapshot.nodes.len()).map(line).collect()
}

/// Eyes that followed the page see what fresh ones see.
fn agree(eyes: &mut Eyes, why: &str) {
    let followed = listed(eyes);
    let trees = tree(eyes.look().snapshot());
    let mut fresh = Eyes::new();
    let anew = listed(&mut fresh);
    let fresh_trees = tree(fresh.look().snapshot());
    for (at, (one, other)) in trees.iter().zip(&fresh_trees).enumerate() {
        let own = |line: &str| line.split(" end ").next().unwrap_or_default().to_owned();
        assert_eq!(own(one), own(other), "{why}\n{:#?}", &fresh_trees[at.saturating_sub(6)..at]);
    }
    assert_eq!(trees, fresh_trees, "{why}");
    for (one, other) in followed.iter().zip(&anew) {
        assert_eq!(one, other, "{why}");
    }
    assert_eq!(followed.len(), anew.len(), "{why}");
}

#[wasm_bindgen_test]
fn after_each_change_the_list_is_that_of_fresh_eyes() {
    let page = Page::new(HTML);
    let mut eyes = Eyes::new();
    for change in CHANGES {
        listed(&mut eyes);
        apply(change);
        agree(&mut eyes, change);
    }
    drop(page);
}

/// A page whose rules reach no further than the elements that they fit, so that parts can be read anew.
const QUIET: &str = "
  <style>.hide{display:none}.dim{visibility:hidden}.hand{cursor:pointer}.up{text-transform:uppercase}.row{display:flex}.cut{overflow:hidden;height:20px}
    .star::before{content:'*'}.away{position:absolute}</style>
  <h2>Orders</h2><section id=s1 aria-label=Region><p>Text <b>bold</b> <a href=#x>link</a></p><button class=star>One</button></section>
  <table><tbody id=rows><tr><th scope=row>Mug</th><td><button>Buy</button></td></tr><tr><th scope=row>Cup</th><td><button>Buy</button></td></tr></tbody></table>
  <div id=box class=row><span class=hand>click <i>inner</i></span><label>Name <input id=f value=a></label><select><option>x<option>y</select></div>
  <ul id=list><li>1 <button>L1</button></li> <li>2 <button>L2</button></li> <li><details><summary>More</summary><button>Folded</button></details></li></ul>
  <div id=host></div><svg width=9 height=9><title>Pic</title><g></g></svg><div contenteditable>edit <button>inner</button></div><div id=end></div>";

/// What is done to an element that dice choose.
const DEEDS: &[&str] = &[
    "el.append('text ' + n)",
    "el.prepend(' ')",
    "el.textContent = 'only <' + n",
    "el.firstChild && (el.firstChild.data = ' data&' + n)",
    "el.className = ['hide', 'dim', 'hand', 'up', 'row', 'cut', 'star', 'away', ''][n % 9]",
    "el.toggleAttribute('inert')",
    "el.setAttribute('aria-label', 'Label ' + n)",
    "el.setAttribute('role', ['button', 'link', 'group', 'none', ''][n % 5])",
    "el.tabIndex = n % 3 - 1",
    "el.style.cssText = ['display:none', 'opacity:0', '', 'position:fixed;top:3px', 'cursor:pointer'][n % 5]",
    "el.remove()",
    "el.before(el.cloneNode(true))",
    "el.after('between', document.createElement('button'))",
    "el.parentNode.append(el)",
    "el.parentNode.prepend(el)",
    "el.innerHTML = '<a href=#' + n + '>made <b>' + n + '</b></a> <label for=f>of</label> <input type=checkbox checked>'",
    "el.insertAdjacentHTML('afterend', '<p class=row><button>new ' + n + '</button> <textarea>t</textarea></p>')",
    "el.replaceWith(...el.childNodes)",
    "el.hidden = !el.hidden",
    "'value' in el && el.tagName != 'LI' && (el.value = 'v' + n)",
    "'checked' in el && (el.checked = !el.checked)",
    "el.focus()",
    "$('#end').append(el)",
    "el.id = 'id' + n % 4",
    "el.firstElementChild?.firstElementChild && el.firstElementChild.replaceChildren(el.firstElementChild.firstElementChild, 'x')",
    "el.disabled = !el.disabled",
    "el.open = !el.open",
    "el.ariaLabelledByElements = [$('#rows')]",
];

#[wasm_bindgen_test]
fn whatever_the_dice_do_the_followed_page_is_a_fresh_one() {
    let mut dice: u32 = 7;
    let mut throw = |sides: u32| {
        dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (dice >> 8) % sides
    };
    let (mut followed, mut looks) = (0, 0);
    for round in 0..60 {
        let page = Page::new(QUIET);
        js_sys::eval("document.querySelector('#page #host').attachShadow({mode: 'open'}).innerHTML = '<p>in <button>Shadow</button></p><ul><li>1</li></ul>'")
            .unwrap();
        let mut eyes = Eyes::new();
        listed(&mut eyes);
        let mut story = format!("round {round}");
        for _ in 0..6 {
            for _ in 0..=throw(3) {
                let deed = DEEDS[throw(DEEDS.len() as u32) as usize];
                let change = format!(
                    "const all = [...$('#host')?.shadowRoot?.querySelectorAll('*') ?? [], ...document.querySelectorAll('#page *:not(style)')]; \
                     const n = {}; const el = all[{} % all.length]; try {{ {deed} }} catch (e) {{}}",
                    throw(1000),
                    throw(1000)
                );
                apply(&change);
                story.push('\n');
                story.push_str(&change);
            }
            let before = reading();
            listed(&mut eyes);
            looks += 1;
            followed += u32::from(reading() == before);
        }
        agree(&mut eyes, &story);
        drop(page);
    }
    assert!(followed * 2 > looks, "only {followed} of {looks} looks read parts alone");
}
