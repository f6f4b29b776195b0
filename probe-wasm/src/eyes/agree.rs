//! The two ways to read a page must agree: through its own text, and node by node with every style asked.

use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::Element;

use super::View;
use super::read::{self, Extent, Page};
use cairn_core::candidate::Options;
use cairn_core::element::Element as Entry;

/// Pages, and what is done to each after it was written.
const PAGES: &[(&str, &str)] = &[
    ("<h2>Orders &amp; more</h2><ul><li>One <button>Pay&nbsp;&lt;now&gt;</button></li><li>Two <a href='/x?a=1&amp;b=2'>Go</a></li></ul>", ""),
    ("<style>.row{display:flex}.gone{display:none}.dark{visibility:hidden}.back{visibility:visible}.up{text-transform:uppercase}</style>
      <div class=row><button>A<span>b</span><span>c</span></button><a href=#>d<b>e</b></a></div><div class=gone><button>No</button></div>
      <div class=dark><button>Dark</button><button class=back>Back</button></div><p class=up><a href=#>shout</a><button>quiet</button></p>", ""),
    ("<style>.hand{cursor:pointer}.fade{opacity:0}.box{overflow:hidden;width:50px;height:20px}#deep>i{cursor:pointer}</style>
      <div class=hand>Card <span>inner</span><input></div><div class=fade><button>Clear</button><input type=checkbox></div>
      <div class=box><div style='margin-left:90px'><button>Cut</button></div></div><div id=deep><i>one</i><i style='cursor:auto'>two</i></div>", ""),
    ("<details><summary>More</summary>text <button>Folded</button></details><details open><summary>Less</summary><button>Shown</button></details>
      <dialog>closed <button>d1</button></dialog><dialog open>open <button>d2</button></dialog><div popover id=pop><button>p</button></div>
      <button popovertarget=pop>Pop</button>", ""),
    ("<dialog id=m><button>In</button></dialog><button>Out</button>", "document.querySelector('#m').showModal()"),
    ("<select aria-label=One><option>a<option selected>b</select><select multiple aria-label=Many><option selected>c<option>d<option selected>e</select>
      <select aria-label=Groups><optgroup label=G><option>x<option>y</optgroup></select><datalist id=l><option>q</datalist><input list=l>
      <label>Terms <input type=checkbox checked></label><input type=radio name=r><input type=hidden value=h><textarea>first</textarea>", "
      document.querySelector('textarea').value = 'second'; document.querySelector('input[type=radio]').checked = true; document.querySelector('select').selectedIndex = 0"),
    ("<style>.star::before{content:'\\2605  '}.close::after{content:'x' / 'Close'}.block::before{content:'B';display:block}.no::before{content:none}</style>
      <button class=star>Fav</button><button class=close></button><a href=# class=block>link</a><button class=no>Plain</button><h3 class=star>Head</h3><button>z</button>", ""),
    ("<div id=host>light <b slot=s>slotted</b><i>lost <button>lost too</button></i></div><x-two></x-two>", "
      const root = document.querySelector('#host').attachShadow({mode: 'open'});
      root.innerHTML = '<style>button{text-transform:uppercase}.off{display:none}</style><button>in <slot name=s></slot></button><p class=off><a href=#>off</a></p>';
      const two = document.querySelector('x-two').attachShadow({mode: 'open'}); two.innerHTML = '<label>Name <input></label><y-three></y-three>';
      two.querySelector('y-three').attachShadow({mode: 'open'}).innerHTML = '<a href=#deep>deep</a>'"),
    ("<x-one>light</x-one><x-off><button>off</button></x-off><x-up><i>shout</i></x-up>and <x-cut></x-cut><x-star></x-star>", "
      for (const [name, style] of [['one', ':host{cursor:pointer;display:block}'], ['off', ':host(:not([open])){display:none}'], ['up', ':host{text-transform:uppercase}'],
        ['cut', ':host{overflow:auto;display:block;width:30px;height:9px;opacity:0}'], ['star', ':host::before{content:\"*\"}']]) {
        const root = document.querySelector('x-' + name).attachShadow({mode: 'open'});
        root.innerHTML = `<style>${style}</style><slot></slot><button>in ${name}</button><p style='margin-top:50px'><a href=#>far</a></p>`; }"),
    ("<div tabindex=0 aria-label=Scrolls style='overflow:auto;height:30px'><p style='height:90px'>x</p></div><div tabindex=0 aria-label=Fits style='overflow:auto'>x</div>
      <textarea rows=1>a&#10;b&#10;c&#10;d&#10;e</textarea>", ""),
    ("<svg width=20 height=20><title>Gear</title><a href=#s><text>one</text><text>two</text></a><g display=none><a href=#t>no</a></g></svg>
      <button><svg width=9 height=9><title>Icon</title><path d='M0 0h9'/></svg></button><svg role=img aria-label=Pic></svg>", ""),
    ("<table><caption>Prices</caption><thead><tr><th>Name<th>Act</thead><tr><td>Mug<td><button>Buy</button><tr><th>Cup<td><button>Buy</button></table>
      <fieldset disabled><legend>Ship <button>L</button></legend><input aria-label=Off></fieldset><map name=m><area href=# alt=Zone coords='0,0,9,9'></map><img usemap=#m width=20 height=20>", ""),
    ("<script>'<button>no</button>'</script><style>/* <a href=#>no</a> */</style><template><button>no</button><template><b></b></template></template>
      <noscript><button>no</button></noscript><!-- <button>no</button> --><textarea>&lt;button&gt;</textarea><pre>

line</pre><button>yes</button><iframe srcdoc='<button>no</button>'></iframe><canvas><button>no</button></canvas>", ""),
    ("<p aria-labelledby='a b' role=button tabindex=0>x</p><i id=a hidden>Hid <u>den</u></i><b id=b>Row 4</b><div role=button tabindex=0 id=set>own</div>", "
      document.querySelector('#set').ariaLabelledByElements = [document.querySelector('#b')]"),
    ("<style>.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)}.skip{content-visibility:hidden}</style>
      <input type=checkbox id=c class=sr><label for=c>Drawn box</label><input type=file hidden id=f><label for=f>Upload</label><div class=skip><button>Skipped</button></div>
      <div hidden=until-found><button>Found</button></div><button style='display:contents'>dc</button><div contenteditable>edit <button>inner</button></div>", ""),
    ("<style>:is(.one, .two) > button { visibility: hidden } :where(div:has(> .x)) .y { display: none } .md\\:off { display: none } button:nth-child(3){text-transform:capitalize}</style>
      <div class=one><button>h1</button></div><div><i class=x></i><button class=y>h2</button><button>third one</button><button class='md:off'>h4</button></div>", ""),
    ("<style>@media all{.a{display:none}} @supports (display:grid){.b{cursor:pointer}} .outer{ .c{visibility:hidden} &:not(.z){text-transform:lowercase} }</style>
      <button class=a>a</button><div class=b>b</div><div class=outer><button class=c>c</button><a href=#>LOW</a></div>", ""),
    ("<div id=anim><button>Faded</button></div>", "document.querySelector('#anim').animate([{opacity: 0}, {opacity: 0}], {duration: 1e6, fill: 'forwards'})"),
    ("<input id=foc aria-label=Foc><div style='overflow:auto;height:40px'><div style='height:400px'></div><button>Below</button></div><div inert><button>Inert</button></div>", "document.querySelector('#foc').focus()"),
];

fn entries(page: Page) -> Vec<Entry> {
    View::new(page, Options::default()).index().elements().to_vec()
}

#[wasm_bindgen_test]
fn both_ways_of_reading_agree() {
    let page = super::tests::Page::new("");
    for (html, code) in PAGES {
        page.root.set_inner_html(html);
        if !code.is_empty() {
            js_sys::eval(code).unwrap();
        }
        let adopted: [Element; 0] = [];
        let extent = Extent { hidden: false, generated: false, budget: 10_000.0 };
        assert!(super::read::marked_up().is_some(), "read node by node: {html}");
        let marked = entries(read::page(extent, &adopted));
        let walked = entries(read::walked_page(&adopted));
        for (one, other) in marked.iter().zip(&walked) {
            assert_eq!(one, other, "{html}");
        }
        assert_eq!(marked.len(), walked.len(), "{html}");
    }
}
