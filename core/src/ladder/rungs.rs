//! The rungs, one function each: what it would take, and in which words. Whether it is taken, `margin` says.

use super::index::{Index, Selectors};
use super::place::{Choice, choose};
use super::recorded::Recorded;
use super::verdict::Rung;
use crate::text::{word_count, words_within};

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
    pub selector: Option<String>,
}

impl Proposal {
    fn new(rung: Rung, picks: Vec<usize>, reason: impl Into<String>, shared: &'static str) -> Option<Self> {
        (!picks.is_empty()).then(|| Self { rung, picks, reason: reason.into(), shared, selector: None })
    }
}

/// The target, the page, and the elements that have its role and name.
pub(super) struct Case<'a> {
    pub recorded: Recorded<'a>,
    pub index: &'a Index,
    pub selectors: &'a dyn Selectors,
    /// Rendered elements with the recorded role and name, in document order.
    pub group: Vec<usize>,
}

impl<'a> Case<'a> {
    pub fn new(recorded: Recorded<'a>, index: &'a Index, selectors: &'a dyn Selectors) -> Self {
        let role = recorded.target.role.as_str();
        let group =
            index.named(&recorded.name.base).filter(|place| index.element(*place).role == role).collect();
        Self { recorded, index, selectors, group }
    }

    fn twins_as_recorded(&self) -> bool {
        self.recorded.target.twins.is_none_or(|twins| twins as usize == self.group.len())
    }

    fn in_scope(&self, place: usize) -> bool {
        let now = self.index.element(place).scope.as_ref().map(|scope| crate::text::normalise(&scope.label));
        self.recorded.scope.is_some() && now == self.recorded.scope
    }

    /// The scope holds, or none was recorded.
    fn scope_holds(&self, place: usize) -> bool {
        self.recorded.scope.is_none() || self.in_scope(place)
    }
}

/// 1.0: a recorded selector whose one hit has the recorded identity.
pub(super) fn selector(case: &Case<'_>) -> Option<Proposal> {
    if !case.twins_as_recorded() {
        return None;
    }
    case.recorded.target.all_selectors().find_map(|selector| {
        let hit = case.selectors.hits(selector).only()?;
        let identical =
            case.group.contains(&hit) && case.scope_holds(hit) && stands_where_it_stood(case, hit);
        let mut proposal = identical.then(|| {
            Proposal::new(Rung::Selector, vec![hit], format!("its own selector {selector}"), "selector")
        })??;
        proposal.selector = Some(selector.to_owned());
        Some(proposal)
    })
}

fn stands_where_it_stood(case: &Case<'_>, hit: usize) -> bool {
    let recorded = &case.recorded;
    if case.group.len() > 1 {
        let same_ordinal = || {
            let ordinal = case.group.iter().position(|place| *place == hit).map(|at| at as u32 + 1);
            recorded.target.ordinal.is_none_or(|recorded| Some(recorded) == ordinal)
        };
        match choose(recorded, case.index, &case.group) {
            Choice::Left(left) => {
                if !left.contains(&hit) || (left.len() > 1 && !same_ordinal()) {
                    return false;
                }
            }
            Choice::Silent if !same_ordinal() => return false,
            Choice::Silent => {}
            Choice::Disagree | Choice::Nowhere(_) => return false,
        }
    }
    !recorded.name.is_empty() || unnamed_agrees(case, hit)
}

/// An unnamed element is the same where its id, form name, link or the text beside it is.
fn unnamed_agrees(case: &Case<'_>, hit: usize) -> bool {
    let element = case.index.element(hit);
    let same_attribute = case.recorded.telling().any(|(name, value)| element.attribute(name) == Some(value));
    let same_link =
        case.recorded.attribute("href").is_some_and(|href| element.attribute("href") == Some(href));
    same_attribute || same_link || case.index.surroundings(hit).beside.likeness(&case.recorded.beside) >= 0.8
}

/// 0.9: exactly one element has role and name, or exactly one of several is in the recorded scope.
pub(super) fn role_name(case: &Case<'_>) -> Option<Proposal> {
    if case.recorded.name.is_empty() {
        return None;
    }
    let scoped: Vec<usize> = case.group.iter().copied().filter(|place| case.in_scope(*place)).collect();
    if case.group.len() == 1 && (!case.recorded.had_twins() || !scoped.is_empty()) {
        return Proposal::new(Rung::RoleName, case.group.clone(), "unique role+name match", "role+name");
    }
    let several = case.group.len() > 1 && scoped.len() == 1;
    several
        .then(|| Proposal::new(Rung::RoleName, scoped, "unique role+name match in its scope", "role+name"))?
}

/// 0.75: several, and the recorded place picks one; or the survivor of twins stands where the target stood.
pub(super) fn place(case: &Case<'_>) -> Option<Proposal> {
    let recorded = &case.recorded;
    if case.group.is_empty() || (recorded.target.twins == Some(1) && case.group.len() > 1) {
        return None;
    }
    match choose(recorded, case.index, &case.group) {
        Choice::Left(left) if left.len() == 1 => {
            Proposal::new(Rung::Place, left, "role+name match told from its twins by its place", "role+name")
        }
        Choice::Silent if case.twins_as_recorded() && case.group.len() > 1 => {
            let at = recorded.target.ordinal? as usize;
            let pick = case.group.get(at.checked_sub(1)?)?;
            Proposal::new(
                Rung::Place,
                vec![*pick],
                format!("role+name match {at} of {}", case.group.len()),
                "role+name",
            )
        }
        _ => None,
    }
}

/// 0.7: exactly one element of an equivalent role has the name, and it did not stand there before as something else.
pub(super) fn class(case: &Case<'_>) -> Option<Proposal> {
    let recorded = &case.recorded;
    if recorded.name.is_empty() || recorded.had_twins() || recorded.stood_near(&recorded.name.base) {
        return None;
    }
    let picks =
        case.index.named(&recorded.name.base).filter(|p| case.index.entry(*p).class.meets(recorded.class));
    Proposal::new(
        Rung::RoleClass,
        picks.collect(),
        "unique match of an equivalent role and the same name",
        "equivalent role and name",
    )
}

/// 0.65: exactly one element of the role class carries the recorded stable id or form name.
pub(super) fn stable_id(case: &Case<'_>) -> Option<Proposal> {
    let recorded = &case.recorded;
    recorded.telling().find_map(|(name, value)| {
        let picks = case.index.carrying(name, value).filter(|place| {
            let entry = case.index.entry(*place);
            let same_role = case.index.element(*place).role == recorded.target.role;
            (same_role || entry.class.meets(recorded.class)) && !contradicts(recorded, &entry.name.base)
        });
        Proposal::new(
            Rung::StableId,
            picks.collect(),
            format!("unique match of its {name} {value:?}"),
            "id or form name",
        )
    })
}

/// Both are named and the names have nothing in common.
fn contradicts(recorded: &Recorded<'_>, name: &str) -> bool {
    let base = recorded.name.base.as_str();
    !base.is_empty()
        && !name.is_empty()
        && base != name
        && words_within(base, name).is_none()
        && words_within(name, base).is_none()
}

/// 0.6: exactly one element of the role whose name contains the recorded one, or is contained in it, at word boundaries.
pub(super) fn substring(case: &Case<'_>) -> Option<Proposal> {
    let recorded = &case.recorded;
    let base = recorded.name.base.as_str();
    if base.is_empty() || recorded.had_twins() {
        return None;
    }
    let count = word_count(base);
    let picks = case.index.shown().filter(|place| {
        let name = case.index.entry(*place).name.base.as_str();
        let (longer, shorter) = if name.len() > base.len() { (name, base) } else { (base, name) };
        case.index.element(*place).role == recorded.target.role
            && words_within(longer, shorter).is_some()
            && 2 * word_count(name).min(count) >= word_count(name).max(count)
            && !recorded.stood_near(name)
    });
    Proposal::new(
        Rung::Substring,
        picks.collect(),
        "unique match of role and part of the name",
        "role and part of the name",
    )
}
