//! The public pairs: single elements of 26 sites, 12 to 60 months apart.
//!
//! There is no old page in the data, so nothing is known of the population; the neighbour words stand for the text beside.

use std::collections::BTreeMap;
use std::rc::Rc;

use cairn_core::element::Element;
use cairn_core::ladder::{Index, describe};
use cairn_core::script::Target;

use super::stored::{DataError, Pair, PairElement, PairFile, folder, read};
use super::task::{Page, Rival, Task, Truth};

/// The pairs as tasks.
pub struct Pairs {
    /// Each with its target still there; the flag says whether its ground truth is disputed.
    pub there: Vec<(Task, bool)>,
    /// The same with the target removed from the page.
    pub gone: Vec<(Task, bool)>,
}

/// Loads them.
pub fn load() -> Result<Pairs, DataError> {
    let file: PairFile = read(&folder().join("similo-pairs.json.gz"))?;
    let pages: BTreeMap<&String, Rc<Page>> =
        file.pages.iter().map(|(site, list)| (site, Rc::new(page(list)))).collect();
    let mut pairs = Pairs { there: Vec::new(), gone: Vec::new() };
    for pair in &file.pairs {
        let Some(whole) = pages.get(&pair.site) else { continue };
        let Some(at) = whole.index.elements().iter().position(|element| element.path == pair.gt) else {
            continue;
        };
        let disputed = !pair.disputed.is_empty();
        pairs.there.push((task(pair, Rc::clone(whole), Truth::Heal(at)), disputed));
        let list: Vec<PairElement> =
            file.pages[&pair.site].iter().filter(|e| e.xpath != pair.gt).cloned().collect();
        let without = Rc::new(page(&list));
        let harmless = same_effect(&whole.index.elements()[at], without.index.elements());
        pairs.gone.push((task(pair, without, Truth::Decline { harmless }), disputed));
    }
    Ok(pairs)
}

fn page(list: &[PairElement]) -> Page {
    let rivals = list.iter().map(rival).collect();
    Page { index: Index::new(list.iter().map(PairElement::element).collect()), rivals }
}

fn rival(element: &PairElement) -> Rival {
    Rival { element: element.element(), id_path: element.idxpath.clone(), is_button: element.is_button }
}

fn task(pair: &Pair, page: Rc<Page>, truth: Truth) -> Task {
    let old = pair.old.element();
    let mut target = Target {
        twins: None,
        ordinal: None,
        near_names: None,
        selector: format!("xpath={}", old.path),
        ..describe(&Index::new(vec![old.clone()]), 0)
    };
    target.bounding_box = None;
    Task {
        group: pair.site.clone(),
        label: format!("{} {} {:?}", pair.site, old.role, old.name),
        operators: Vec::new(),
        target,
        old: Rc::new(rival(&pair.old)),
        page,
        truth,
        drifted: pair.broken,
    }
}

/// Elements that lead where the target leads: acting on them does the same.
pub fn same_effect(target: &Element, elements: &[Element]) -> Vec<usize> {
    let Some(href) =
        target.attribute("href").filter(|href| !href.ends_with('#') && !href.starts_with("javascript:"))
    else {
        return Vec::new();
    };
    (0..elements.len()).filter(|place| elements[*place].attribute("href") == Some(href)).collect()
}
