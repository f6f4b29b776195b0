//! One target among the elements of one page.

use super::case::Case;
use super::index::{Index, Selectors};
use super::margin::{ambiguous, lost, settle};
use super::recorded::Recorded;
use super::rungs;
use super::verdict::{Heal, Verdict};
use crate::script::Target;

/// Finds `target` in `index`, or declines with a reason. `selectors` answers for the page that the index was made from.
///
/// Who acts compares the confidence with the run's threshold (`Verdict::accepted`); an element that is returned is usable.
pub fn resolve(target: &Target, index: &Index, selectors: &dyn Selectors, heal: Heal) -> Verdict {
    let case = Case::new(Recorded::read(target), index, selectors);
    if let Some(found) = rungs::selector(&case) {
        return settle(&case, found);
    }
    match heal {
        Heal::Off => lost(&case, &case.group, "no recorded selector finds it, and healing is off".to_owned()),
        Heal::Deterministic => climb(&case, &[rungs::role_name]),
        Heal::Ladder if case.group.is_empty() => {
            climb(&case, &[rungs::class, rungs::labelled, rungs::stable_id, rungs::substring])
        }
        Heal::Ladder => climb(&case, &[rungs::role_name, rungs::place, rungs::labelled, rungs::stable_id]),
    }
}

type RungFn = fn(&Case<'_>) -> Option<rungs::Proposal>;

/// The first rung that proposes anything decides.
fn climb(case: &Case<'_>, ladder: &[RungFn]) -> Verdict {
    match ladder.iter().find_map(|rung| rung(case)) {
        Some(proposal) => settle(case, proposal),
        None => nothing(case),
    }
}

fn nothing(case: &Case<'_>) -> Verdict {
    match case.group.len() {
        0 => lost(case, &[], "nothing matches role+name".to_owned()),
        1 => ambiguous(
            case,
            &case.group,
            "one of its twins is left, and nothing says that it is ours — ambiguous".to_owned(),
        ),
        count => ambiguous(case, &case.group, format!("{count} elements match role+name — ambiguous")),
    }
}
