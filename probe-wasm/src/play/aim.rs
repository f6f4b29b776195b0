//! Finds a step's target and guards it: attached, visible, enabled, at rest, topmost at a point. What this returns was
//! verified in the very task in which the caller goes on: nothing is awaited between the last look and the return.

use std::rc::Rc;

use cairn_core::element::{Ref, Usable};
use cairn_core::ladder::{Decline, Heal, Match, Rung, Verdict};
use cairn_core::script::{Method, Target};
use cairn_core::text;
use cairn_core::wire::page::{Diverged, Policy};
use web_sys::{Element, ScrollBehavior, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::judge::Judge;
use super::line::{Line, Stop};
use super::nudge::Nudge;
use super::point::free_point;
use super::quiet::Quiet;
use super::ready::say;
use super::stable::{self, Motion};
use super::unroll::Unroll;
use crate::act::Aim;
use crate::eyes::{PointAnswer, View, usable_point};
use crate::native;
use crate::number;
use crate::page::Page;
use crate::wait::{Deadline, Pace};

/// A healed match is taken once the page has been at rest for so long: the element that was recorded may be on its way.
const QUIET_MS: f64 = 80.0;

/// On a page that never rests, the match must have stayed the same for so long.
const SAME_MS: f64 = 600.0;

/// Where an element is put when it must be scrolled to. Under a sticky bar the nearest place may be no place to click:
/// the others are tried before it counts as covered.
const BLOCKS: [ScrollLogicalPosition; 4] = [
    ScrollLogicalPosition::Nearest,
    ScrollLogicalPosition::Center,
    ScrollLogicalPosition::Start,
    ScrollLogicalPosition::End,
];

/// A target that may be acted on now.
pub struct Found {
    /// Where the act goes.
    pub aim: Aim,
    /// How it was found.
    pub verdict: Verdict,
    /// Its place in `view`.
    pub index: usize,
    /// What was looked at.
    pub view: Rc<View>,
}

/// What stands between us and the target.
struct Obstacle {
    condition: Diverged,
    observed: String,
    verdict: Box<Verdict>,
    kind: Kind,
}

#[derive(Clone, PartialEq)]
enum Kind {
    Absent,
    Disabled,
    /// Covered or hidden; the element, where scrolling may free it.
    Unreachable(Option<Element>),
    Moving(Element),
    Settling,
    /// It is there, and not where its selectors say: waiting would not change that.
    Missed,
}

/// What is looked for.
pub enum Sought<'a> {
    /// A script's target.
    Target(&'a Target),
    /// An element by its ref.
    Reference(&'a Ref),
}

/// Looks for a target until it may be acted on.
pub struct Search<'a> {
    judge: &'a Judge<'a>,
    page: &'a Page,
    sought: Sought<'a>,
    method: Method,
    policy: Policy,
    deadline: Deadline,
    outcome_quiet: Quiet,
    settling: Option<(Element, f64)>,
    rested: Option<(Element, [f64; 4])>,
}

impl<'a> Search<'a> {
    /// For the target of a step with this method, until `deadline`.
    pub fn new(
        judge: &'a Judge<'a>,
        sought: Sought<'a>,
        method: Method,
        policy: Policy,
        deadline: Deadline,
    ) -> Self {
        judge.page.disown_all();
        Self {
            judge,
            page: judge.page,
            sought,
            method,
            policy,
            deadline,
            outcome_quiet: Quiet::default(),
            settling: None,
            rested: None,
        }
    }

    /// Waits until the target may be acted on, or says what stood in the way at the deadline.
    pub async fn find(&mut self, line: &mut Line) -> Result<Found, Stop> {
        let since = native::now();
        let mut pace = Pace::new(self.deadline);
        let mut nudge = Nudge::begin();
        let mut unroll = Unroll::default();
        let mut scrolled = false;
        loop {
            self.page.go_on()?;
            let obstacle = match self.attempt() {
                Ok(found) => {
                    line.waited("target", since);
                    line.found = Some(found.verdict.clone());
                    return Ok(found);
                }
                Err(obstacle) => obstacle,
            };
            let late = self.deadline.is_over() || obstacle.kind == Kind::Missed;
            if obstacle.kind != Kind::Settling || late {
                self.judge.outcome_in_wait(&mut self.outcome_quiet, late)?;
            }
            if late {
                line.waited("target", since);
                line.found = Some(*obstacle.verdict);
                return Err(Stop::before(
                    obstacle.condition,
                    format!("{} can be used", self.say()),
                    obstacle.observed,
                ));
            }
            if let Kind::Moving(element) = &obstacle.kind {
                let moving = native::now();
                self.page.flush();
                if stable::settle(element, self.deadline).await {
                    self.rested = Some((element.clone(), native::bounds(element)));
                }
                line.waited("stable box", moving);
                continue;
            }
            self.page.flush();
            match &obstacle.kind {
                Kind::Settling => {}
                Kind::Absent | Kind::Disabled if unroll.next(&self.page.hands).await => {
                    self.page.invalidate();
                    continue;
                }
                Kind::Unreachable(Some(element)) if !scrolled && scroll_free(element) => {
                    scrolled = true;
                    self.page.invalidate();
                    continue;
                }
                kind => nudge.give(self.page, *kind == Kind::Disabled),
            }
            self.page.again(&mut pace).await;
        }
    }

    /// When the search ends.
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Lets the search go on for `ms` more, at least.
    pub fn extend(&mut self, ms: f64) {
        if self.deadline.left() < ms {
            self.deadline = Deadline::after(ms);
        }
    }

    /// One look, without waiting. A typed value makes no other element of the one that is sought: where its own selector
    /// still finds it in the last view, and it can be pressed now, the page is not read again.
    fn attempt(&mut self) -> Result<Found, Obstacle> {
        let view = self.page.glance();
        let attempt = self.attempt_in(&view);
        if matches!(&attempt, Ok(found) if matches!(found.verdict, Verdict::Found(_))) {
            return attempt;
        }
        let mut now = self.page.look();
        // What only a person's act showed to be a control is not in the index of a fresh page.
        // Its own selectors find it before another is taken for it.
        if let Sought::Target(target) = &self.sought
            && self.page.adopt_for(target)
        {
            now = self.page.look();
        }
        if Rc::ptr_eq(&view, &now) { attempt } else { self.attempt_in(&now) }
    }

    fn attempt_in(&mut self, view: &Rc<View>) -> Result<Found, Obstacle> {
        let verdict = match self.sought {
            Sought::Target(target) if self.method == Method::Upload => {
                view.resolve_file(target, self.policy.heal)
            }
            Sought::Target(target) => view.resolve(target, self.policy.heal),
            Sought::Reference(reference) => self.by_reference(view, reference),
        };
        let Some(matched) = verdict.accepted(self.policy.threshold) else {
            let missed = self.is_missed(view);
            let declined = self.declined(view, &verdict);
            return Err(if missed && declined.kind == Kind::Absent {
                Obstacle { kind: Kind::Missed, ..declined }
            } else {
                declined
            });
        };
        let index = matched.index;
        let Some(element) = view.node_at(index).filter(|element| native::is_connected(element)) else {
            return Err(obstacle(Kind::Absent, Diverged::Target, "it went away", &verdict));
        };
        if matches!(verdict, Verdict::Healed(_)) && !self.is_settled(&element) {
            let reason = format!("the page does not come to rest: {}", verdict.reason());
            return Err(obstacle(Kind::Settling, Diverged::Target, reason, &verdict));
        }
        if view.index().elements().get(index).is_some_and(|listed| listed.states.disabled == Some(true)) {
            return Err(obstacle(Kind::Disabled, Diverged::Unusable, "it is disabled", &verdict));
        }
        let aim = self.guard(&element, &verdict)?;
        Ok(Found { aim, verdict, index, view: Rc::clone(view) })
    }

    /// A ref names its element, or is refused.
    fn by_reference(&self, view: &View, reference: &Ref) -> Verdict {
        let place = self.page.node(reference).map(|element| view.position_of(&element));
        match place {
            Ok(Some(index)) => Verdict::Found(Match {
                index,
                rung: Rung::Selector,
                confidence: 1.0,
                selector: None,
                runner_up: None,
                margin: 1.0,
                reason: format!("ref {}", reference.0),
            }),
            Ok(None) => lost(format!("the element of ref {} is not in the index", reference.0)),
            Err(error) => lost(error.message),
        }
    }

    fn say(&self) -> String {
        match self.sought {
            Sought::Target(target) => say(target),
            Sought::Reference(reference) => format!("the element of ref {}", reference.0),
        }
    }

    /// With healing off there is nothing to wait for once the page is at rest and shows the target under other selectors.
    fn is_missed(&mut self, view: &Rc<View>) -> bool {
        let Sought::Target(target) = self.sought else { return false };
        if self.policy.heal != Heal::Off {
            return false;
        }
        let would = view.resolve(target, Heal::Deterministic);
        let element = would.accepted(self.policy.threshold).and_then(|matched| view.node_at(matched.index));
        element.is_some_and(|element| self.is_settled(&element))
    }

    fn declined(&self, view: &View, verdict: &Verdict) -> Obstacle {
        if let Some(matched) = verdict.matched() {
            let reason = &matched.reason;
            let (confidence, threshold) =
                (number::text(matched.confidence), number::text(self.policy.threshold));
            let observed = format!("{reason} — below the threshold of {threshold} (confidence {confidence})");
            return obstacle(Kind::Absent, Diverged::Target, observed, verdict);
        }
        let barred = self.barred(view, verdict);
        let kind = match barred.and_then(|place| view.index().get(place)).map(|entry| &entry.usable) {
            Some(Usable::Disabled) => Kind::Disabled,
            Some(Usable::Covered { .. }) => Kind::Unreachable(barred.and_then(|place| view.node_at(place))),
            Some(_) => Kind::Unreachable(None),
            None => Kind::Absent,
        };
        let condition = if kind == Kind::Absent { Diverged::Target } else { Diverged::Unusable };
        obstacle(kind, condition, verdict.reason(), verdict)
    }

    /// The entry that is what was recorded and cannot be used where it stands, where the ladder was left with no other.
    fn barred(&self, view: &View, verdict: &Verdict) -> Option<usize> {
        let (Sought::Target(target), Verdict::Lost(decline)) = (&self.sought, verdict) else { return None };
        let is_it = |place: usize| {
            let entry = view.index().get(place);
            entry.is_some_and(|entry| {
                !entry.usable.is_usable()
                    && entry.role == target.role
                    && text::same_name(&entry.name, &target.name)
            })
        };
        decline.shortlist.iter().map(|other| other.index).find(|place| is_it(*place))
    }

    /// A heal is not hurried: the recorded element may not have been rendered yet. A page that has been at rest since before
    /// this step, values aside, is taken as it is.
    fn is_settled(&mut self, element: &Element) -> bool {
        // While the document is still being parsed, anything may come.
        let parsed = native::document().is_some_and(|document| document.ready_state() != "loading");
        let now = native::now();
        let same_since = match &self.settling {
            Some((settling, since)) if settling == element => *since,
            _ => now,
        };
        self.settling = Some((element.clone(), same_since));
        parsed && (self.page.rests() >= QUIET_MS || now - same_since >= SAME_MS)
    }

    /// The point to act at, with the element scrolled into view where it must be.
    fn guard(&self, element: &Element, verdict: &Verdict) -> Result<Aim, Obstacle> {
        if self.method == Method::Upload {
            // Nobody sees the field that files go to: a button of the page's own stands for it.
            return Ok(Aim { element: element.clone(), hit: element.clone(), point: centre(element) });
        }
        if self.uses_pointer() && self.moves(element) {
            return Err(obstacle(
                Kind::Moving(element.clone()),
                Diverged::Unusable,
                "it keeps moving",
                verdict,
            ));
        }
        let mut answer = usable_point(element);
        if !self.uses_pointer() && native::active_element().as_ref() == Some(element) {
            // Keys go to what has the focus, seen or not.
            return Ok(Aim { element: element.clone(), hit: element.clone(), point: centre(element) });
        }
        if matches!(answer, PointAnswer::Covered { .. } | PointAnswer::Outside) && scroll_free(element) {
            answer = usable_point(element);
        }
        let observed = match answer {
            PointAnswer::Point { x, y, hit } => {
                return Ok(free_point(Aim { element: element.clone(), hit, point: (x, y) }));
            }
            PointAnswer::Covered { by } => format!("it is covered by {by}"),
            PointAnswer::Hidden => "it is not visible".to_owned(),
            PointAnswer::Outside => "it cannot be scrolled into view".to_owned(),
        };
        Err(obstacle(Kind::Unreachable(None), Diverged::Unusable, observed, verdict))
    }

    fn moves(&self, element: &Element) -> bool {
        let at_rest = self.rested.as_ref().is_some_and(|(rested, bounds)| {
            rested == element && native::is_same_box(*bounds, native::bounds(element))
        });
        !at_rest && stable::motion_of(element) != Motion::None
    }

    fn uses_pointer(&self) -> bool {
        !matches!(self.method, Method::Press | Method::Type | Method::Extract | Method::Assert | Method::Wait)
    }
}

fn lost(reason: String) -> Verdict {
    Verdict::Lost(Decline { confidence: 0.0, shortlist: Vec::new(), reason })
}

fn obstacle(kind: Kind, condition: Diverged, observed: impl Into<String>, verdict: &Verdict) -> Obstacle {
    Obstacle { condition, observed: observed.into(), verdict: Box::new(verdict.clone()), kind }
}

fn centre(element: &Element) -> (f64, f64) {
    let [x, y, width, height] = native::bounds(element);
    (x + width / 2.0, y + height / 2.0)
}

/// Scrolls the element to where it can be used; false where no place is one.
fn scroll_free(element: &Element) -> bool {
    BLOCKS.into_iter().any(|block| {
        scroll_to(element, block);
        matches!(usable_point(element), PointAnswer::Point { .. })
    })
}

fn scroll_to(element: &Element, block: ScrollLogicalPosition) {
    let options = ScrollIntoViewOptions::new();
    // A smooth scroll would be under way for a while.
    options.set_behavior(ScrollBehavior::Instant);
    options.set_block(block);
    options.set_inline(ScrollLogicalPosition::Nearest);
    let _ = native::call("Element", "scrollIntoView", element, &[options.as_ref()]);
}
