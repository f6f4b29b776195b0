//! The mutation benchmark: seeded changes to recorded pages, with the right answer known by a mark that no resolver sees.

mod chance;
mod document;
mod hosts;
mod names;
mod neutral;
mod operator;
mod telling;

pub use hosts::{Half, Host, hosts};
pub use operator::Operator;

use std::rc::Rc;

use cairn_core::element::Element;
use cairn_core::ladder::{Index, describe};

use super::stored::DataError;
use super::task::{Page, Rival, Task};
use chance::Chance;
use document::Document;

/// How many mutants are made, and the seed that was frozen before any tuning.
pub const MUTANTS: u64 = 6_000;
const SEED: u64 = 0x0CA1_2A11;

/// Makes every `stride`-th mutant of the hosts of one half.
pub fn mutants(half: Half, stride: u64) -> Result<Vec<Task>, DataError> {
    let hosts: Vec<Host> = hosts()?.into_iter().filter(|host| host.half == half).collect();
    Ok((0..MUTANTS)
        .step_by(stride.max(1) as usize)
        .filter_map(|number| mutant(&hosts, half, number))
        .collect())
}

/// One mutant: a page, a target, one operator that decides the right answer, and up to two that must not matter.
fn mutant(hosts: &[Host], half: Half, number: u64) -> Option<Task> {
    let mut chance = Chance::new(SEED ^ (number << 8) ^ u64::from(half == Half::Report));
    let mut decider = Operator::draw(&mut chance);
    let (host, page, at) = (0..20).find_map(|_| {
        let host = chance.one_of(hosts)?;
        let page = chance.one_of(&host.pages)?;
        let at = *chance.one_of(&decider.suitable(page))?;
        Some((host, page, at))
    })?;
    let before = Index::new(page.clone());
    let mut document = Document::new(page, at);
    let mut operators = vec![decider.name()];
    let truth = decider.apply(&mut document, &mut chance);
    let truth = truth.or_else(|| {
        // The page gave this operator nothing to work on: another takes its place.
        decider = Operator::Wrap;
        operators = vec![decider.name()];
        decider.apply(&mut document, &mut chance)
    })?;
    for _ in 0..chance.below(3) {
        let other = Operator::draw_neutral(&mut chance);
        if !operators.contains(&other.name()) && document.has_target() {
            operators.push(other.name());
            other.apply(&mut document, &mut chance);
        }
    }
    Some(task(host, number, &before, at, document, truth, operators))
}

fn task(
    host: &Host,
    number: u64,
    before: &Index,
    at: usize,
    document: Document,
    truth: operator::Right,
    operators: Vec<&'static str>,
) -> Task {
    let element = &before.elements()[at];
    let mut target = describe(before, at);
    let mut selectors = selectors(element);
    target.selector = selectors.remove(0);
    target.selectors = selectors;
    let truth = document.truth(truth, element);
    let elements: Vec<Element> = document.into_elements();
    let rivals = elements.iter().map(Rival::of).collect();
    let drifted = elements.iter().filter(|other| other.path == element.path).count() != 1;
    Task {
        group: host.name.clone(),
        label: format!("{} #{number} {}", host.name, operators.join("+")),
        operators,
        target,
        old: Rc::new(Rival::of(element)),
        page: Rc::new(Page { index: Index::new(elements), rivals }),
        truth,
        drifted,
    }
}

/// What a recorder keeps: the absolute path first, as it is the one selector that every element has.
fn selectors(element: &Element) -> Vec<String> {
    let mut all = vec![format!("xpath={}", element.path)];
    for (kind, attribute) in [("testid", "data-testid"), ("id", "id"), ("name", "name")] {
        all.extend(element.attribute(attribute).map(|value| format!("{kind}={value}")));
    }
    all
}
