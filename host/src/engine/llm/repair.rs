//! One step is inferred anew: a model says which of the elements of the same kind is the one that the step means, and the replay
//! goes on. Its answer is a target like any other: found again by the ladder, played with every guard of the step.

use std::time::Duration;

use cairn_core::element::Element;
use cairn_core::ladder::role_class;
use cairn_core::script::{Step, Target};
use cairn_core::text::normalise;
use cairn_core::wire::page::{
    Diverged, ListOptions, Listing, PageAnswer, PageRequest, Selectors, StepReport,
};

use super::advice::Advice;
use super::page::lines;
use crate::engine::api::{ReplayHeal, RunOptions, Tier};
use crate::engine::driven::stored_target;
use crate::engine::finding::finding;
use crate::engine::hand::HandSignal;
use crate::engine::lines::step_words;
use crate::engine::replay::{Conductor, End, Outcomes, Plan};
use crate::engine::scribe::Scribe;
use crate::engine::stage::Adopter;
use crate::engine::stop::StopSignal;
use crate::engine::tab::{Tab, TabEvents};
use crate::exit::Failure;
use crate::model::{Choice, Glance, choosing};

/// Bound of what the page is asked.
const PAGE_BOUND: Duration = Duration::from_secs(4);

/// A script that needs more than this is stale as a whole.
const MOST_REPAIRS: usize = 5;

/// A target that a model chose.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The step, from 1.
    pub number: u32,
    /// What it acts on from now on.
    pub target: Target,
    /// The model's reason.
    pub why: String,
}

/// The step that may be repaired: its target was declined, and nothing was done.
fn repairable(outcomes: &Outcomes) -> Option<&StepReport> {
    let End::Diverged(report) = &outcomes.end else { return None };
    let divergence = report.divergence.as_ref()?;
    (divergence.condition == Diverged::Target && !divergence.acted).then_some(report)
}

/// Asks for the element of a step. `None`: there is nothing to choose from, or the model does not choose.
///
/// # Errors
/// Where the evidence cannot be written.
async fn repair<T: Tab>(
    tab: &T,
    plan: &Plan,
    goal: &str,
    number: u32,
    advice: &mut Advice,
    scribe: &Scribe,
) -> Result<Option<Repaired>, Failure> {
    let step = plan.steps.get((number as usize).wrapping_sub(1));
    let Some((step, target)) = step.and_then(|step| Some((step, step.action.target.as_ref()?))) else {
        return Ok(None);
    };
    let document = if target.frame.is_empty() { tab.document() } else { tab.document_in(&target.frame) };
    let Some(document) = document else { return Ok(None) };
    let Some(listing) = list(tab, document).await else { return Ok(None) };
    let fitting: Vec<Element> = listing
        .elements
        .into_iter()
        .map(|listed| listed.element)
        .filter(|element| may_be(target, element))
        .collect();
    if fitting.is_empty() {
        scribe.say(format!("Step {number}: no element of its kind is there to choose from")).await;
        return Ok(None);
    }
    let glance =
        Glance { url: listing.url, title: listing.title, lines: lines(&fitting), ..Glance::default() };
    let mut prompt = choosing(goal, &step_words(step), &recorded(step, target), &glance);
    prompt.user = scribe.redact(&prompt.user);
    let last = fitting.len() as i64 - 1;
    let takes = |choice: &Choice| {
        let inside = (-1..=last).contains(&choice.index);
        if inside {
            Ok(())
        } else {
            Err(format!("there is no element {}: the list goes to {last}", choice.index))
        }
    };
    let counsel = match advice.counsel() {
        Ok(counsel) => counsel,
        Err(failure) => {
            scribe.say(format!("Step {number}: not repaired: {failure}")).await;
            return Ok(None);
        }
    };
    let choice = match counsel.ask::<Choice>(&prompt, takes).await {
        Ok(choice) => choice,
        Err(dismay) => {
            scribe.say(format!("Step {number}: not repaired: {}", dismay.words())).await;
            return Ok(None);
        }
    };
    let spent = counsel.spent();
    let chosen = usize::try_from(choice.index).ok().and_then(|index| fitting.get(index));
    let Some(reference) = chosen.and_then(|element| element.reference.clone()) else {
        scribe.decided(&format!("step {number}: none of {}", fitting.len()), &choice.why, spent).await?;
        return Ok(None);
    };
    let described = tab.ask(document, PageRequest::Describe { reference }, PAGE_BOUND).await;
    let Ok(PageAnswer::Described { target: now, .. }) = described else { return Ok(None) };
    let words = format!("step {number}: {} \"{}\"", now.role, now.name);
    scribe.decided(&words, &choice.why, spent).await?;
    let target = stored_target(*now, &plan.inputs);
    Ok(Some(Repaired { number, target, why: choice.why }))
}

async fn list<T: Tab>(tab: &T, document: u32) -> Option<Listing> {
    let options = ListOptions { all: true, selectors: Selectors::None, ..ListOptions::default() };
    match tab.ask(document, PageRequest::List(options), PAGE_BOUND).await {
        Ok(PageAnswer::Listing(listing)) => Some(listing),
        _ => None,
    }
}

/// An element of the same kind that can be used, and that did not stand on the recorded page as something else.
fn may_be(target: &Target, element: &Element) -> bool {
    let tag = target.attributes.get("tag").map_or("", String::as_str);
    let kind = element.role == target.role
        || role_class(&target.role, tag).meets(role_class(&element.role, &element.tag));
    let name = normalise(&element.name);
    let stood = target.near_names.iter().flatten().any(|near| normalise(near) == name);
    kind && element.usable.is_usable() && !stood
}

/// What was recorded of the target, line by line.
fn recorded(step: &Step, target: &Target) -> Vec<String> {
    let mut lines = vec![format!("{} \"{}\"", target.role, target.name)];
    let mut tell = |what: &str, text: Option<&String>| {
        lines.extend(text.filter(|text| !text.is_empty()).map(|text| format!("{what}: {text}")));
    };
    tell("scope", target.scope.as_ref());
    tell("heading above it", target.heading.as_ref());
    tell("row", target.row_key.as_ref());
    tell("beside it", target.beside.as_ref());
    for name in ["id", "name", "href", "type", "placeholder"] {
        tell(name, target.attributes.get(name));
    }
    let came = step.effect.appeared.iter().take(3).map(|seen| format!("{} \"{}\"", seen.role, seen.name));
    let came: Vec<String> = came.collect();
    if !came.is_empty() {
        lines.push(format!("what it brought about: {}", came.join(", ")));
    }
    lines
}

/// How a replay goes on where a target was declined.
pub struct Mending<'a, T: Tab, E: TabEvents> {
    /// What the run is for.
    pub goal: &'a str,
    /// The model may be asked at all.
    pub asks: bool,
    /// How the run is played.
    pub options: &'a RunOptions,
    /// The caller's wish to end it.
    pub stop: StopSignal,
    /// Who has the run.
    pub hand: HandSignal,
    /// How tabs that pages open are taken over.
    pub adopt: &'a Adopter<T, E>,
}

impl<T: Tab, E: TabEvents> Mending<'_, T, E> {
    /// Asks for each declined target once, and plays on, until there is nothing left to ask.
    ///
    /// # Errors
    /// Where the evidence cannot be written.
    pub async fn mend(
        self,
        (tab, events): (&T, &mut E),
        plan: &Plan,
        mut played: Outcomes,
        scribe: &mut Scribe,
        advice: &mut Advice,
    ) -> Result<Outcomes, Failure> {
        let asks = self.asks && self.options.heal.unwrap_or_default() == ReplayHeal::Llm;
        // Where a run has more than one tab, which one is there now is not known any more.
        let one_tab = plan.steps.iter().all(|step| step.tab.is_none_or(|tab| tab == 1));
        let mut plan = plan.clone();
        for _ in 0..MOST_REPAIRS {
            let declined = repairable(&played).map(|report| report.number);
            let open = declined.filter(|number| asks && one_tab && !scribe.is_repaired(*number));
            let Some(number) = open else { break };
            let Some(repaired) = repair(tab, &plan, self.goal, number, advice, scribe).await? else { break };
            plan.steps[number as usize - 1].action.target = Some(repaired.target.clone());
            scribe.repaired(repaired);
            let mut conductor = Conductor::new(tab, &mut *events, &plan, scribe, self.stop.clone());
            conductor.adopt = Some(self.adopt);
            conductor.hand = self.hand.clone();
            conductor.rejoin(number, played);
            played = conductor.play(finding(self.options, Tier::ReplayWithHeal)).await?;
        }
        Ok(played)
    }
}

impl<T: Tab, E: TabEvents> Conductor<'_, T, E> {
    /// Goes on with the step whose target is a new one, in the page that is there.
    fn rejoin(&mut self, number: u32, so_far: Outcomes) {
        self.next = number;
        self.document = self.tab.document();
        self.result = Outcomes { end: End::default(), ..so_far };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("button", "Keep", true)]
    #[case("link", "Keep", true)]
    #[case("checkbox", "Keep", false)]
    #[case("button", "Delete all", false)]
    fn only_what_the_ladder_does_not_forbid_is_offered(
        #[case] role: &str,
        #[case] name: &str,
        #[case] offered: bool,
    ) {
        let target = Target {
            role: "button".into(),
            name: "Save".into(),
            near_names: Some(vec!["Delete  all".into()]),
            ..Target::default()
        };
        let element = Element { role: role.into(), name: name.into(), ..Element::default() };
        assert_eq!(may_be(&target, &element), offered);
    }
}
