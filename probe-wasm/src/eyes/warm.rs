//! Runs the code of a listing once over a few elements that no page holds.
//!
//! The browser compiles each function when it is first called. The probe's first listing would wait for all of them; so they
//! are called while the host is still being told that the probe is there.

use cairn_core::candidate::{self, Options};
use cairn_core::ladder::NoSelectors;
use cairn_core::snapshot::markup::{Ask, Pages, Source};
use cairn_core::snapshot::{Measure, Measured, NONE};
use cairn_core::wire::page::{FromPage, ListOptions, Listed, Listing, PageAnswer};
use cairn_core::{ladder, wire};

use super::View;
use super::read::Page;
use crate::number::NUMBERS;

const TEXT: &str = "<html><head><title>t</title></head><body><main class=\"a b\"><h1>One &amp; two</h1> <ul><li><a href=\"/x\">Go <b>on</b></a></li></ul>\
    <label for=\"i\">Name</label><input id=\"i\" name=\"n\" type=\"text\"><select aria-label=\"s\"><option>o</option></select>\
    <button type=\"button\">Save</button><button type=\"button\" disabled=\"\">Save</button></main></body></html>";
const ELEMENTS: u32 = 16;

/// Lists and writes a page of our own, and throws it away.
pub fn warm() {
    let Some(view) = view() else { return };
    let everything = ListOptions { all: true, hidden: true, ..ListOptions::default() };
    let listed = view.listed(&everything, usize::MAX);
    let selectors = view.first_selectors(&listed);
    let elements = (0..)
        .zip(listed.elements.into_iter().zip(selectors))
        .map(|(index, (element, selector))| Listed { index, element, selector: Some(selector) })
        .collect();
    let listing = Listing { elements, ..Listing::default() };
    let mut message = FromPage::Answer { id: 0, answer: PageAnswer::Listing(listing) };
    let _ = wire::write(&mut message, &NUMBERS);
    let target = ladder::describe(view.index(), 0);
    let _ = ladder::resolve(&target, view.index(), &NoSelectors, ladder::Heal::default());
}

fn view() -> Option<View> {
    let mut pages = Pages::default();
    let source = Source {
        text: TEXT.to_owned(),
        elements: ELEMENTS,
        keys: ".a".to_owned(),
        key_bits: vec![Ask::SHOWN],
        ..Source::default()
    };
    let question = pages.add(source).ok()?;
    let mut answers = Vec::new();
    let mut texts = String::new();
    for bits in question.bits {
        answers.push(0);
        if bits & Ask::FIELD != 0 {
            answers.push(0);
            texts.push('\u{1}');
        }
        if bits & Ask::SELECT != 0 {
            answers.push(0);
        }
    }
    pages.answer(0, &answers, &texts)?;
    let mut snapshot = pages.finish();
    let candidates = candidate::find(&snapshot);
    let bits = Measured(Measured::RENDERED | Measured::NEAR);
    let measured = candidates.iter().map(|(id, _)| Measure {
        node: *id as u32,
        bits,
        cover: NONE,
        ..Measure::default()
    });
    snapshot.measures = measured.collect();
    Some(View::new(
        Page { snapshot, candidates, frames: Vec::new(), reading: None, is_marked: false },
        Options::default(),
    ))
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn the_page_of_our_own_can_be_read() {
        assert_eq!(super::view().unwrap().index().elements().len(), 5);
    }
}
