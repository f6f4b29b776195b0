//! Whether what a rung proposes is taken: population, margin, veto and usability, in one place.

use super::rungs::{Case, Proposal};
use super::verdict::{Decline, Match, RunnerUp, Verdict};
use crate::element::Usable;

/// Judges a proposal.
pub(super) fn settle(case: &Case<'_>, proposal: Proposal) -> Verdict {
    let usable = |place: &usize| case.index.element(*place).usable.is_usable();
    let (open, barred): (Vec<usize>, Vec<usize>) = proposal.picks.iter().copied().partition(usable);
    match open.as_slice() {
        [] => lost(case, &barred, barred_reason(case, barred[0])),
        [pick] => {
            let found = Match {
                index: *pick,
                rung: proposal.rung,
                confidence: proposal.rung.confidence(),
                selector: proposal.selector,
                runner_up: barred.first().map(|place| runner_up(case, *place)),
                margin: 1.0,
                reason: proposal.reason,
            };
            if found.selector.is_some() { Verdict::Found(found) } else { Verdict::Healed(found) }
        }
        several => ambiguous(
            case,
            several,
            format!("{} elements match {} — ambiguous", several.len(), proposal.shared),
        ),
    }
}

/// Several fit, or the one that fits is doubtful: 0.3.
pub(super) fn ambiguous(case: &Case<'_>, picks: &[usize], reason: String) -> Verdict {
    Verdict::Ambiguous(Decline { confidence: 0.3, shortlist: shortlist(case, picks), reason })
}

/// Nothing fits: 0.
pub(super) fn lost(case: &Case<'_>, near: &[usize], reason: String) -> Verdict {
    Verdict::Lost(Decline { confidence: 0.0, shortlist: shortlist(case, near), reason })
}

fn shortlist(case: &Case<'_>, picks: &[usize]) -> Vec<RunnerUp> {
    picks.iter().take(5).map(|place| runner_up(case, *place)).collect()
}

fn runner_up(case: &Case<'_>, place: usize) -> RunnerUp {
    let element = case.index.element(place);
    let reason =
        if element.usable.is_usable() { "fits as well".to_owned() } else { barred_reason(case, place) };
    RunnerUp { index: place, role: element.role.clone(), name: element.name.clone(), reason }
}

fn barred_reason(case: &Case<'_>, place: usize) -> String {
    match &case.index.element(place).usable {
        Usable::Covered { by } => format!("the only match is covered by {by}"),
        Usable::Inert => "the only match lies behind an open dialog".to_owned(),
        Usable::Disabled => "the only match is disabled".to_owned(),
        Usable::Hidden => "the only match is hidden".to_owned(),
        Usable::Yes | Usable::Unknown => "the only match is not usable".to_owned(),
    }
}
