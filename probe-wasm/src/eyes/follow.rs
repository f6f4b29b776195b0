//! Whatever changes in the page, the next listing is that of eyes that never looked before.

use cairn_core::element::Element as Entry;
use cairn_core::wire::page::ListOptions;
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

#[wasm_bindgen_test]
fn after_each_change_the_list_is_that_of_fresh_eyes() {
    let page = Page::new(HTML);
    let mut eyes = Eyes::new();
    listed(&mut eyes);
    for change in CHANGES {
        js_sys::eval(&format!(
            "{{ const $ = css => document.querySelector('#page').querySelector(css); {change} }}"
        ))
        .unwrap();
        let followed = listed(&mut eyes);
        let fresh = listed(&mut Eyes::new());
        for (one, other) in followed.iter().zip(&fresh) {
            assert_eq!(one, other, "{change}");
        }
        assert_eq!(followed.len(), fresh.len(), "{change}");
    }
    drop(page);
}
