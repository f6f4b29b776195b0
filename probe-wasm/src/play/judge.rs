//! Judges what a step did: its postcondition, business outcomes, the goal, and whether the document is on its way out.

use cairn_core::script::{Condition, Outcome, Postcondition, Target};
use cairn_core::wire::page::{CheckResult, Diverged, Policy};
use web_sys::Element;

use super::hand::UNMOVED_MS;
use super::line::{Line, Stop};
use super::nudge::Nudge;
use super::quiet::Quiet;
use crate::check::{self, Inputs, Missing};
use crate::departure::Leaving;
use crate::native;
use crate::page::Page;
use crate::wait::{Deadline, Pace};
use crate::watch::Stir;

/// While something else is waited for, an outcome counts once the page has shown it unchanged for so long: a message of
/// the step before may be just about to go.
const OUTCOME_QUIET_MS: f64 = 150.0;

/// Turns of the event loop within which the browser begins the navigation of a submitted form.
const SUBMIT_TURNS: u32 = 20;

/// Looks at the page on behalf of one batch.
pub struct Judge<'a> {
    /// The page.
    pub page: &'a Page,
    /// Today's inputs.
    pub inputs: &'a Inputs,
    /// Business results to look for.
    pub outcomes: &'a [Outcome],
}

/// What an act did to the page, seen as it happens.
pub struct Trace {
    /// `None`: what the element holds tells it all.
    stir: Option<Stir>,
    again: bool,
}

impl Trace {
    /// Begins just before the act. `again`: it may be tried once more where nothing at all came of it.
    pub fn begin(again: bool) -> Self {
        Self { stir: Some(Stir::new()), again }
    }

    /// For a value that the element does or does not hold in the end, whatever else the page makes of it.
    pub fn of_value(again: bool) -> Self {
        Self { stir: None, again }
    }

    fn is_still(&self) -> bool {
        self.stir.as_ref().is_none_or(|stir| stir.changes() == 0)
    }

    fn missing(&self, post: &Postcondition) -> Option<Missing> {
        (post.stirs == Some(true) && self.stir.is_some() && self.is_still()).then(|| Missing {
            cause: "postcondition: the page changes".to_owned(),
            expected: "the page changes, as it did when recorded".to_owned(),
            observed: "nothing came of it: no effect".to_owned(),
        })
    }

    fn may_try_again(&self, waited_ms: f64, missing: &Missing) -> bool {
        let of_value = self.stir.is_some() || missing.cause == check::VALUE;
        self.again && waited_ms >= UNMOVED_MS && of_value && self.is_still()
    }
}

/// How to find an element again where the page has made it anew.
#[derive(Clone, Copy)]
pub struct Again<'a> {
    /// Its target.
    pub target: &'a Target,
    /// How targets may be found.
    pub policy: Policy,
}

impl Judge<'_> {
    /// Waits until the URL matches.
    pub async fn await_url(&self, pattern: &str, deadline: Deadline, line: &mut Line) -> Result<(), Stop> {
        let since = native::now();
        let mut pace = Pace::new(deadline);
        let mut quiet = Quiet::default();
        loop {
            self.page.go_on()?;
            let judged = check::url(pattern, self.inputs);
            if judged.holds {
                line.waited("precondition: url", since);
                return Ok(());
            }
            self.outcome_in_wait(&mut quiet, deadline.is_over())?;
            if deadline.is_over() {
                line.waited("precondition: url", since);
                return Err(Stop::before(Diverged::Url, judged.expected, judged.observed));
            }
            self.page.again(&mut pace).await;
        }
    }

    /// Waits until the postcondition of an acted step holds. `element` is what the act went to; `None` where the act was in
    /// another document, or had no target.
    pub async fn after(
        &self,
        post: &Postcondition,
        element: Option<&Element>,
        again: Option<Again<'_>>,
        deadline: Deadline,
        line: &mut Line,
    ) -> Result<(), Stop> {
        self.after_stir(post, element, again, None, deadline, line).await
    }

    /// As `after`, for an act that this document saw: `trace` tells whether anything came of it at all.
    pub async fn after_stir(
        &self,
        post: &Postcondition,
        element: Option<&Element>,
        again: Option<Again<'_>>,
        trace: Option<&Trace>,
        deadline: Deadline,
        line: &mut Line,
    ) -> Result<(), Stop> {
        self.let_leave(deadline, line).await?;
        let since = native::now();
        let mut pace = Pace::new(deadline);
        let mut nudge = Nudge::begin();
        let mut quiet = Quiet::default();
        let mut last: Option<Missing> = None;
        loop {
            let present = element.map(|element| self.present(element, again));
            let missing = check::missing(post, present.as_ref(), self.inputs, || self.page.look());
            let Some(missing) = missing.or_else(|| trace.and_then(|trace| trace.missing(post))) else {
                if let Some(last) = last {
                    line.waited(last.cause, since);
                }
                return Ok(());
            };
            if trace.is_some_and(|trace| trace.may_try_again(native::now() - since, &missing)) {
                line.waited("anything to come of page events", since);
                return Err(Stop::Unmoved);
            }
            let late = deadline.is_over();
            self.outcome_in_wait(&mut quiet, late)?;
            if late {
                line.waited(missing.cause, since);
                return Err(Stop::after(Diverged::Postcondition, missing.expected, missing.observed));
            }
            last = Some(missing);
            nudge.give(self.page, false);
            self.page.again(&mut pace).await;
            self.page.go_on()?;
            self.let_leave(deadline, line).await?;
        }
    }

    /// The element an act went to, or what the page has put in its place. Where nothing has replaced it the old node
    /// answers for itself: it holds the state it was left in.
    fn present(&self, element: &Element, again: Option<Again<'_>>) -> Element {
        let replaced = again.filter(|_| !native::is_connected(element)).and_then(|again| {
            let view = self.page.look();
            let verdict = view.resolve(again.target, again.policy.heal);
            let place = verdict.accepted(again.policy.threshold)?.index;
            view.node_at(place)
        });
        replaced.unwrap_or_else(|| element.clone())
    }

    /// Where a navigation to another document has begun, waits for it: what follows is judged there.
    async fn let_leave(&self, deadline: Deadline, line: &mut Line) -> Result<(), Stop> {
        let departure = &self.page.departure;
        if departure.takes_submission() {
            for _ in 0..SUBMIT_TURNS {
                if departure.state() != Leaving::No {
                    break;
                }
                self.page.turns.next().await;
            }
        }
        if departure.state() == Leaving::No {
            return Ok(());
        }
        let since = native::now();
        let mut pace = Pace::new(deadline);
        while departure.state() == Leaving::Begun && !deadline.is_over() {
            self.page.again(&mut pace).await;
            self.page.go_on()?;
        }
        self.page.go_on()?;
        line.waited("navigation", since);
        // It stayed after all: a download, or an answer without a document.
        departure.reset();
        Ok(())
    }

    /// A declared result that holds now.
    pub fn outcome(&self) -> Result<(), Stop> {
        if self.outcomes.is_empty() {
            return Ok(());
        }
        let view = self.page.look();
        for outcome in self.outcomes {
            let judged = check::condition(&view, &outcome.when, self.inputs);
            if judged.holds {
                let detail = outcome.detail.clone().unwrap_or(judged.expected);
                return Err(Stop::Outcome { code: outcome.code.clone(), detail });
            }
        }
        Ok(())
    }

    /// Looks for a declared result while something else is waited for; `late`: that is about to be reported as failed.
    pub fn outcome_in_wait(&self, quiet: &mut Quiet, late: bool) -> Result<(), Stop> {
        if self.outcomes.is_empty() {
            return Ok(());
        }
        let view = self.page.look();
        if late || quiet.lasts(&view) >= OUTCOME_QUIET_MS { self.outcome() } else { Ok(()) }
    }

    /// Waits until all conditions hold, and says of each how it stands.
    pub async fn all(&self, conditions: &[Condition], deadline: Deadline) -> Result<Vec<CheckResult>, Stop> {
        let mut pace = Pace::new(deadline);
        let mut nudge = Nudge::begin();
        let mut quiet = Quiet::default();
        loop {
            let view = self.page.look();
            let results: Vec<CheckResult> =
                conditions.iter().map(|condition| check::condition(&view, condition, self.inputs)).collect();
            if results.iter().all(|result| result.holds) {
                return Ok(results);
            }
            let late = deadline.is_over();
            self.outcome_in_wait(&mut quiet, late)?;
            if late {
                return Ok(results);
            }
            nudge.give(self.page, false);
            self.page.again(&mut pace).await;
            self.page.go_on()?;
        }
    }
}
