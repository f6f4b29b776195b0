//! Whether what a rung proposes is taken: population, margin, veto and usability, in one place.

use super::case::{Case, Population};
use super::index::TELLING;
use super::link::LinkMatch;
use super::rungs::Proposal;
use super::verdict::{Decline, Match, Rung, RunnerUp, Verdict};
use crate::element::Usable;
use crate::text::looks_generated;

/// Judges a proposal.
pub(super) fn settle(case: &Case<'_>, proposal: Proposal) -> Verdict {
    let (open, barred): (Vec<usize>, Vec<usize>) =
        proposal.picks.iter().copied().partition(|place| case.is_usable(*place));
    match open.as_slice() {
        [] => lost(case, &barred, format!("the only match {}", barred_because(case, barred[0]))),
        [pick] => match doubt(case, &proposal, *pick) {
            Some(reason) => ambiguous(case, &open, reason),
            None => accept(case, proposal, *pick),
        },
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

fn accept(case: &Case<'_>, proposal: Proposal, pick: usize) -> Verdict {
    let second = case
        .group
        .iter()
        .copied()
        .filter(|place| *place != pick)
        .max_by_key(|place| case.weigh(*place).balance());
    let found = Match {
        index: pick,
        rung: proposal.rung,
        confidence: proposal.rung.confidence(),
        selector: proposal.selector,
        runner_up: second.map(|place| runner_up(case, place)),
        margin: second.map_or(1.0, |second| lead(case, pick, second)),
        reason: proposal.reason,
    };
    if found.selector.is_some() { Verdict::Found(found) } else { Verdict::Healed(found) }
}

/// How far ahead of the second the pick is, in what was recorded: 0 to 1.
fn lead(case: &Case<'_>, pick: usize, second: usize) -> f64 {
    let kinds = 7.0;
    (f64::from(case.weigh(pick).balance() - case.weigh(second).balance()) / kinds).clamp(0.0, 1.0)
}

/// Why the one candidate of a rung is not taken all the same.
fn doubt(case: &Case<'_>, proposal: &Proposal, pick: usize) -> Option<String> {
    let evidence = case.weigh(pick);
    let population_known = case.population() != Population::Unknown;
    match proposal.rung {
        Rung::Selector if !proposal.selector.as_deref().is_some_and(is_by_name) => None,
        Rung::Place | Rung::StableId | Rung::Decision => None,
        Rung::Substring if !supports_part(case, pick) => Some(
            "one element matches role and part of the name, and nothing else speaks for it — ambiguous"
                .to_owned(),
        ),
        // A selector that asks for role and name alone knows no more than the rung below it.
        Rung::Selector | Rung::RoleName | Rung::RoleClass | Rung::Substring => {
            // A selector hit what it asked for, and nothing else: that all around it changed is no doubt by itself. A link that
            // leads elsewhere as well is another one of the name.
            let stands = proposal.rung == Rung::Selector && evidence.link != Some(LinkMatch::Other);
            if !stands && evidence.is_doubtful(population_known) {
                return Some(
                    "one element matches by name, and all else that was recorded is against it — ambiguous"
                        .to_owned(),
                );
            }
            usurper(case, pick).map(|other| {
                let name = &case.index.element(other).name;
                format!("one element matches by name, but {name:?} stands where the target stood — ambiguous")
            })
        }
    }
}

/// Part of a name is little: where anything else was recorded, some of it must agree and the link must not lead elsewhere.
fn supports_part(case: &Case<'_>, pick: usize) -> bool {
    let evidence = case.weigh(pick);
    let silent = evidence.agree == 0 && evidence.contradict == 0;
    evidence.link != Some(LinkMatch::Other)
        && (evidence.balance() > 0 || (silent && case.recorded.target.near_names.is_none()))
}

/// An element that still has the target's id, form name or selector under a new name, unless the pick fits better.
/// It is not acted on by itself, but a match by name alone elsewhere is not taken over it.
fn usurper(case: &Case<'_>, pick: usize) -> Option<usize> {
    let recorded = &case.recorded;
    let stranger = |place: &usize| {
        let name = &case.index.entry(*place).name.base;
        *place != pick
            && case.is_equivalent(*place)
            && *name != recorded.name.base
            && !recorded.stood_near(name)
            && recorded.attribute("tag").is_none_or(|tag| tag == case.index.element(*place).tag)
    };
    let carried =
        recorded.telling().flat_map(|(name, value)| case.index.carrying(name, value).collect::<Vec<_>>());
    let selected = recorded
        .target
        .all_selectors()
        .filter(|s| is_telling(s))
        .filter_map(|s| case.selectors.hits(s).only());
    let led = leading_elsewhere(case, pick);
    if let Some(other) = carried.chain(selected).chain(led).find(stranger) {
        return Some(other);
    }
    recorded.target.near_names.as_ref()?;
    let own = case.weigh(pick);
    let by_path = recorded.target.all_selectors().filter_map(|selector| case.selectors.hits(selector).only());
    let replaced = by_path.into_iter().filter(stranger).find(|place| {
        let other = case.weigh(*place);
        keeps_attributes(case, *place)
            && (other.agree > own.agree || (own.agree == 0 && other.contradict <= own.contradict))
    });
    replaced.or_else(|| {
        // The pick stands elsewhere: somebody under a new name may stand where the target stood.
        let elsewhere = own.contradict > 0 && own.balance() <= 0;
        let in_place = |place: &usize| {
            let other = case.weigh(*place);
            other.contradict == 0 && other.balance() >= own.balance() + 2
        };
        case.index.shown().filter(|_| elsewhere).filter(stranger).find(in_place)
    })
}

/// The one element that leads where the target led, while the pick leads elsewhere.
fn leading_elsewhere(case: &Case<'_>, pick: usize) -> Option<usize> {
    if matches!(case.weigh(pick).link, Some(LinkMatch::Same | LinkMatch::SamePath)) {
        return None;
    }
    let mut led = case.index.leading(case.recorded.attribute("href")?);
    led.next().filter(|_| led.next().is_none())
}

/// A selector by test id, id or form name that somebody chose.
fn is_telling(selector: &str) -> bool {
    let Some((kind, value)) = selector.split_once('=') else { return false };
    matches!(kind, "testid" | "id" | "name") && !looks_generated(value)
}

/// A selector that finds whatever has the role and the name.
fn is_by_name(selector: &str) -> bool {
    selector.starts_with("role=")
}

/// Its id and form name are the recorded ones, absent where those were.
fn keeps_attributes(case: &Case<'_>, place: usize) -> bool {
    TELLING.iter().all(|name| case.index.element(place).attribute(name) == case.recorded.attribute(name))
}

fn shortlist(case: &Case<'_>, picks: &[usize]) -> Vec<RunnerUp> {
    picks.iter().take(5).map(|place| runner_up(case, *place)).collect()
}

fn runner_up(case: &Case<'_>, place: usize) -> RunnerUp {
    let element = case.index.element(place);
    let reason = if case.is_usable(place) { "fits as well".to_owned() } else { barred_because(case, place) };
    RunnerUp { index: place, role: element.role.clone(), name: element.name.clone(), reason }
}

fn barred_because(case: &Case<'_>, place: usize) -> String {
    match &case.index.element(place).usable {
        Usable::Covered { by } => format!("is covered by {by}"),
        Usable::Inert => "lies behind an open dialog".to_owned(),
        Usable::Disabled => "is disabled".to_owned(),
        Usable::Hidden => "is hidden".to_owned(),
        Usable::Yes | Usable::Unknown => "is not usable".to_owned(),
    }
}
