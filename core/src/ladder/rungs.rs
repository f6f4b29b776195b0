//! The rungs, one function each: whom it proposes, and in which words. Whether that is taken, `margin` says.

use super::case::{Case, Population};
use super::likely::{NameMatch, compare_names, is_part_of, says};
use super::link::LinkMatch;
use super::place::{Choice, Exactness, choose, confirms};
use super::verdict::Rung;
use crate::element::Usable;
use crate::text::{Name, normalise};

/// What one rung proposes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Proposal {
    pub rung: Rung,
    /// The candidates; one is an answer, several are ambiguous.
    pub picks: Vec<usize>,
    /// Why, in words, for one.
    pub reason: String,
    /// What several of them share, e.g. `role+name`.
    pub shared: &'static str,
    /// The selector, for `Rung::Selector`.
    pub selector: Option<String>,
}

impl Proposal {
    fn new(rung: Rung, picks: Vec<usize>, reason: impl Into<String>, shared: &'static str) -> Option<Self> {
        (!picks.is_empty()).then(|| Self { rung, picks, reason: reason.into(), shared, selector: None })
    }
}

/// 1.0: a recorded selector whose one hit has the recorded identity.
pub(super) fn selector(case: &Case<'_>) -> Option<Proposal> {
    if !matches!(case.population(), Population::Same | Population::Unknown) {
        return None;
    }
    case.recorded.target.all_selectors().find_map(|selector| {
        let hit = case.selectors.hits(selector).only()?;
        if !case.group.contains(&hit) || !case.scope_holds(hit) || !is_still_itself(case, hit) {
            return None;
        }
        let mut proposal =
            Proposal::new(Rung::Selector, vec![hit], format!("its own selector {selector}"), "selector")?;
        proposal.selector = Some(selector.to_owned());
        Some(proposal)
    })
}

/// Among twins the place must agree; an unnamed element needs more than its role.
fn is_still_itself(case: &Case<'_>, hit: usize) -> bool {
    if case.group.len() > 1 && !stands_where_it_stood(case, hit) {
        return false;
    }
    case.is_named() || is_known_unnamed(case, hit)
}

fn stands_where_it_stood(case: &Case<'_>, hit: usize) -> bool {
    let recorded = &case.recorded;
    if case.another_has_its_count(hit) {
        return false;
    }
    let ordinal = case.group.iter().position(|place| *place == hit).map(|at| at as u32 + 1);
    let same_ordinal = recorded.target.ordinal.is_none_or(|then| Some(then) == ordinal);
    match choose(recorded, case.index, &case.group, Exactness::Alike) {
        Choice::Left(left) => left.contains(&hit) && (left.len() == 1 || same_ordinal),
        Choice::Silent => same_ordinal,
        Choice::Disagree => confirms(recorded, case.index, &case.group, hit),
    }
}

/// An unnamed element is the same where its id, form name, link, row or the text beside it is.
fn is_known_unnamed(case: &Case<'_>, hit: usize) -> bool {
    let element = case.index.element(hit);
    let around = case.index.surroundings(hit);
    let recorded = &case.recorded;
    recorded.telling().any(|(name, value)| element.attribute(name) == Some(value))
        || case.weigh(hit).link == Some(LinkMatch::Same)
        || around.beside.likeness(&recorded.beside) >= 0.8
        || around.row.likeness(&recorded.row) >= 0.8
}

/// 0.9: exactly one element has role and name and it had no twin; or exactly one of several is in the recorded scope.
pub(super) fn role_name(case: &Case<'_>) -> Option<Proposal> {
    if !case.is_named() || case.group.is_empty() {
        return None;
    }
    let alone_in_scope = case.recorded.target.scope_twins.is_none_or(|twins| twins == 1);
    let scoped = if case.recorded.is_scope_weak() || !alone_in_scope { Vec::new() } else { case.scoped() };
    if case.group.len() == 1 {
        // A lone survivor of twins need not be ours: only a scope that it had to itself says so.
        let survivor = case.recorded.had_twins();
        let ours = !survivor || (scoped.len() == 1 && case.recorded.target.scope_twins == Some(1));
        return ours.then(|| {
            Proposal::new(Rung::RoleName, case.group.clone(), "unique role+name match", "role+name")
        })?;
    }
    if scoped.len() == 1 {
        return Proposal::new(Rung::RoleName, scoped, "unique role+name match in its scope", "role+name");
    }
    let open: Vec<usize> = case.group.iter().copied().filter(|place| case.is_usable(*place)).collect();
    let only_open = open.len() == 1 && !case.recorded.had_twins() && fits_no_worse(case, open[0]);
    only_open.then(|| Proposal::new(Rung::RoleName, open, "unique usable role+name match", "role+name"))?
}

/// A usable element is not taken for one that cannot be used and fits better, or that lies behind a dialog which the usable
/// one stands in: that one is ours, and it is covered.
fn fits_no_worse(case: &Case<'_>, open: usize) -> bool {
    let own = case.weigh(open).balance();
    let region = |place: usize| case.index.element(place).scope.as_ref().map(|scope| normalise(&scope.label));
    case.group.iter().filter(|place| **place != open).all(|place| {
        let beside_it =
            case.index.element(*place).usable == Usable::Disabled || region(*place) == region(open);
        beside_it && case.weigh(*place).balance() <= own
    })
}

/// 0.75: several, and the recorded place picks one; or the survivor of twins stands where the target stood.
pub(super) fn place(case: &Case<'_>) -> Option<Proposal> {
    let reason = "role+name match told from its twins by its place";
    let exactness = match case.population() {
        Population::Same => Exactness::Alike,
        Population::Unknown if case.is_named() => Exactness::Alike,
        Population::Changed => Exactness::Same,
        Population::GrownFromOne => return section(case),
        Population::Unknown => return None,
    };
    match choose(&case.recorded, case.index, &case.group, exactness) {
        Choice::Left(left) => {
            let stays = |place: &usize| !leads_elsewhere(case, *place) && !leaves_its_scope(case, *place);
            let left: Vec<usize> = left.into_iter().filter(stays).collect();
            (left.len() == 1).then(|| Proposal::new(Rung::Place, left, reason, "role+name"))?
        }
        Choice::Silent if case.population() == Population::Same => ordinal(case),
        Choice::Silent | Choice::Disagree if case.population() == Population::Unknown => leader(case),
        Choice::Silent | Choice::Disagree => None,
    }
}

/// 0.75: a field that had no name has the text beside it as its label now, and nothing else is against it. A button is not
/// named by what stands beside it.
pub(super) fn labelled(case: &Case<'_>) -> Option<Proposal> {
    let recorded = &case.recorded;
    let label = recorded.target.beside.as_deref().map(Name::read)?;
    if case.is_named() || label.is_empty() || recorded.stood_near(&label.base) {
        return None;
    }
    let fits = |place: &usize| {
        let element = case.index.element(*place);
        let evidence = case.weigh(*place);
        element.role == recorded.target.role
            && case.index.entry(*place).class.is_field()
            && recorded.attribute("tag").is_none_or(|tag| tag == element.tag)
            && evidence.contradict == 0
            && evidence.agree >= 2
    };
    let picks: Vec<usize> = case.index.named(&label.base).filter(fits).collect();
    Proposal::new(Rung::Place, picks, "the text beside it is its label now", "role and label")
}

/// Not known how many there were: one that is clearly ahead in link, place and attributes.
fn leader(case: &Case<'_>) -> Option<Proposal> {
    let mut order: Vec<(i32, usize)> =
        case.group.iter().map(|place| (case.weigh(*place).balance(), *place)).collect();
    crate::order::sort_by_key(&mut order, |(balance, _)| -*balance);
    let [(best, pick), (second, _), ..] = order.as_slice() else { return None };
    (best - second >= 2 && *best >= 1).then(|| {
        Proposal::new(
            Rung::Place,
            vec![*pick],
            "role+name match ahead of its twins by link and place",
            "role+name",
        )
    })?
}

/// One more with its name than there was: only a section that it had to itself tells them apart.
fn section(case: &Case<'_>) -> Option<Proposal> {
    let scoped = case.scoped();
    let told = case.is_named() && case.recorded.is_scope_weak() && scoped.len() == 1;
    told.then(|| Proposal::new(Rung::Place, scoped, "unique role+name match in its section", "role+name"))?
}

/// As many twins as there were, and nothing about their places was recorded: the same one in document order.
fn ordinal(case: &Case<'_>) -> Option<Proposal> {
    let at = case.recorded.target.ordinal?;
    let pick = *case.group.get(at.checked_sub(1)? as usize)?;
    let count = case.group.len();
    let known = case.is_named() || count > 1;
    if !known
        || case.group.len() <= MOST_COMPARED && !has_its_neighbours(case, pick)
        || case.another_has_its_count(pick)
        || leads_elsewhere(case, pick)
        || leaves_its_scope(case, pick)
    {
        return None;
    }
    Proposal::new(
        Rung::Place,
        vec![pick],
        format!("role+name match, number {at} of {count} as recorded"),
        "role+name",
    )
}

/// How many twins are compared by their neighbours.
const MOST_COMPARED: usize = 200;

/// No other twin has more of the recorded neighbours around it: ours may have moved, and then order says nothing.
fn has_its_neighbours(case: &Case<'_>, pick: usize) -> bool {
    let own = case.neighbours_left(pick);
    case.group.iter().all(|twin| case.neighbours_left(*twin) <= own)
}

/// Its scope is still there, with twins in it, and this one is in another.
fn leaves_its_scope(case: &Case<'_>, place: usize) -> bool {
    !case.scope_holds(place) && case.group.iter().any(|twin| case.is_in_scope(*twin))
}

fn leads_elsewhere(case: &Case<'_>, place: usize) -> bool {
    case.weigh(place).link == Some(LinkMatch::Other)
}

/// 0.7: exactly one element of an equivalent role has the name, and it did not stand there before as something else.
pub(super) fn class(case: &Case<'_>) -> Option<Proposal> {
    let recorded = &case.recorded;
    if !case.is_named() || recorded.had_twins() || recorded.stood_near(&recorded.name.base) {
        return None;
    }
    let picks: Vec<usize> =
        case.index.named(&recorded.name.base).filter(|place| case.is_equivalent(*place)).collect();
    let reason = "unique match of an equivalent role and the same name";
    Proposal::new(Rung::RoleClass, picks, reason, "equivalent role and name")
}

/// 0.65: exactly one element of the role class carries the recorded stable id, form name or link.
pub(super) fn stable_id(case: &Case<'_>) -> Option<Proposal> {
    let recorded = &case.recorded;
    let fits = |place: &usize| case.is_equivalent(*place) && !contradicts(case, *place);
    // Twins often share a form name or a link: where some of them are gone, neither says that ours is left.
    let shared = case.is_named() && recorded.had_twins() && case.population() == Population::Changed;
    let by_attribute =
        recorded.telling().filter(|(name, _)| !shared || *name != "name").find_map(|(name, value)| {
            let picks: Vec<usize> = case.index.carrying(name, value).filter(fits).collect();
            let reason = format!("unique match of its {name} {value:?}");
            (picks.len() == 1).then(|| Proposal::new(Rung::StableId, picks, reason, "id"))?
        });
    by_attribute.or_else(|| {
        let still_named = |place: &usize| !case.is_named() || !case.index.entry(*place).name.is_empty();
        let leading = case.index.leading(recorded.attribute("href").filter(|_| !shared)?);
        let picks: Vec<usize> = leading.filter(fits).filter(still_named).collect();
        (picks.len() == 1)
            .then(|| Proposal::new(Rung::StableId, picks, "unique match of its link", "link"))?
    })
}

fn contradicts(case: &Case<'_>, place: usize) -> bool {
    let name = case.index.entry(place).name.base.as_str();
    compare_names(&case.recorded.name.base, name) == NameMatch::Contradicts
        || (!name.is_empty() && case.recorded.stood_near(name))
}

/// 0.6: exactly one element of the role whose name contains the recorded one, or is contained in it, at word boundaries.
pub(super) fn substring(case: &Case<'_>) -> Option<Proposal> {
    let recorded = &case.recorded;
    if !case.is_named() || recorded.had_twins() {
        return None;
    }
    // One that says much more is not ours, and yet another that says our words: then nothing tells which of them is meant.
    let picks: Vec<usize> = case.index.shown().filter(|place| says_it(case, *place)).collect();
    if !picks.iter().any(|place| is_part(case, *place)) {
        return None;
    }
    Proposal::new(
        Rung::Substring,
        picks,
        "unique match of role and part of the name",
        "role and part of the name",
    )
}

fn says_it(case: &Case<'_>, place: usize) -> bool {
    let name = case.index.entry(place).name.base.as_str();
    case.index.element(place).role == case.recorded.target.role
        && says(&case.recorded.name.base, name)
        && !case.recorded.stood_near(name)
}

fn is_part(case: &Case<'_>, place: usize) -> bool {
    let name = case.index.entry(place).name.base.as_str();
    case.index.element(place).role == case.recorded.target.role
        && is_part_of(&case.recorded.name.base, name)
        && !case.recorded.stood_near(name)
}
