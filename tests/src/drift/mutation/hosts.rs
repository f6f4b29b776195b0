//! The pages that are mutated: the applications' old pages and the public sites' pages, split by host.

use cairn_core::element::Element;

use crate::drift::applications;
use crate::drift::stored::{DataError, PairElement, PairFile, folder, read};

/// The half of the hosts that a mutant belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The ladder's thresholds may be chosen on these.
    Tune,
    /// What is reported comes from these.
    Report,
}

/// One application or site.
pub struct Host {
    /// Its name.
    pub name: String,
    /// Its half.
    pub half: Half,
    /// Its pages: what the index would list of each, in document order.
    pub pages: Vec<Vec<Element>>,
}

/// Every host, by name; each second one reports.
pub fn hosts() -> Result<Vec<Host>, DataError> {
    let mut hosts: Vec<Host> = Vec::new();
    for (app, page) in applications::old_pages()? {
        match hosts.iter_mut().find(|host| host.name == app) {
            Some(host) => host.pages.push(page),
            None => hosts.push(Host { name: app, half: Half::Tune, pages: vec![page] }),
        }
    }
    let file: PairFile = read(&folder().join("similo-pairs.json.gz"))?;
    for (site, list) in &file.pages {
        let page = listed(list);
        if page.len() >= 10 {
            hosts.push(Host { name: site.clone(), half: Half::Tune, pages: vec![page] });
        }
    }
    hosts.sort_by(|a, b| a.name.cmp(&b.name));
    for (number, host) in hosts.iter_mut().enumerate() {
        host.half = if number % 2 == 0 { Half::Tune } else { Half::Report };
    }
    Ok(hosts)
}

/// What an index would list of a site, each under the heading before it.
fn listed(list: &[PairElement]) -> Vec<Element> {
    let mut heading: Option<String> = None;
    let mut page = Vec::new();
    for element in list.iter().map(PairElement::element) {
        match element.role.as_str() {
            "heading" => heading = Some(element.name.clone()).filter(|name| !name.is_empty()),
            "link" | "button" | "textbox" | "combobox" => {
                page.push(Element { heading: heading.clone(), ..element });
            }
            _ => {}
        }
    }
    page
}
