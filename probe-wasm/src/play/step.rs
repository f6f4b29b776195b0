//! One step: its precondition, the intent, the act, its postcondition.

use cairn_core::map::Named;

use cairn_core::ladder::Verdict;
use cairn_core::script::{Extract, Method, Step, course};
use cairn_core::wire::page::{Diverged, InputMode, PageEvent, Policy};

use super::aim::{Found, Search, Sought};
use super::judge::{Again, Judge, Trace};
use super::line::{Line, Stop};
use super::ready::{Ready, ready};
use super::run::Run;
use super::unroll::container_of;
use crate::act::{self, ActError, Aim, Did, Order, Tick, Wanted};
use crate::wait::{self, Deadline, Pace};
use crate::{native, number};
use web_sys::Element;

/// After the host's word the target is looked for again: at least for so long, in milliseconds.
const AFTER_WORD_MS: f64 = 1_000.0;

/// A page that has not changed for so long is read as a whole, in milliseconds.
const REST_MS: f64 = 150.0;

/// One that never rests is waited for so long, in milliseconds.
const MOST_REST_MS: f64 = 2_000.0;

/// A page that has changed within this time has not been shown since, in milliseconds.
const FRESH_MS: f64 = 12.0;

/// A document that is no older than this may not be alive yet, in milliseconds: its clicks may be lost.
const YOUNG_MS: f64 = 8_000.0;

/// One that is older and still being parsed is not waited for, in milliseconds.
const MOST_PARSE_MS: f64 = 3_000.0;

/// Of a page's text so many characters are read.
const MOST_TEXT: usize = 400_000;

/// Plays steps of one batch.
pub struct Player<'a> {
    /// Looks at the page.
    pub judge: Judge<'a>,
    /// The batch, as messages reach it.
    pub run: &'a Run,
    /// How targets may be found.
    pub policy: Policy,
    /// Whose events the page gets.
    pub input: InputMode,
    /// What upload steps give, as base64 by name.
    pub files: &'a Named<String>,
    /// Bound of each wait, in milliseconds.
    pub bound_ms: f64,
}

impl Player<'_> {
    /// Plays step `number` to its end; what stopped it stands in the error.
    pub async fn play(&self, number: u32, step: &Step, line: &mut Line) -> Result<(), Stop> {
        let page = self.judge.page;
        page.go_on()?;
        // One bound for all that precedes the act: the host counts silence.
        let deadline = Deadline::after(self.bound_ms);
        if let Some(pattern) = &step.precondition.url_pattern {
            self.judge.await_url(pattern, deadline, line).await?;
        }
        let ready = ready(step, self.judge.inputs, &page.frame())?;
        let search = ready
            .target
            .as_ref()
            .map(|target| self.search(Sought::Target(target), step.action.method, deadline));
        if acts(step.action.method) {
            self.parsed(deadline).await?;
        }
        if let Some(check) = step.check.as_ref().filter(|_| !acts(step.action.method)) {
            let results = self.judge.all(std::slice::from_ref(check), deadline).await?;
            if let Some(failed) = results.into_iter().find(|result| !result.holds) {
                return Err(Stop::before(Diverged::Postcondition, failed.expected, failed.observed));
            }
        }
        // A value that a field holds speaks for itself: following the page would cost more than typing it.
        let speaks = !stirs_the_page(step.action.method) && ready.post.stirs.is_none();
        let traced = acts(step.action.method) && !ready.post.is_empty() && !speaks;
        let trace = if step.action.method == Method::Fill {
            Some(Trace::of_value(self.may_hand_over(step)))
        } else {
            traced.then(|| Trace::begin(self.may_hand_over(step)))
        };
        let found = self.act(number, step, &ready, search, line).await?;
        if step.effect.download.is_some() {
            // It begins as a navigation and leaves the document where it is.
            page.departure.reset();
        }
        if acts(step.action.method) && !line.skipped {
            // What the page makes of the act comes in its microtasks or its next task: the next look must see it.
            page.react(stirs_the_page(step.action.method)).await;
            page.go_on()?;
        }
        let element = found.as_ref().map(|found| found.aim.element.clone());
        let again = ready.target.as_ref().map(|target| Again { target, policy: self.policy });
        let (post, element) = (&ready.post, element.as_ref());
        let trace = trace.as_ref().filter(|_| !line.skipped);
        let judge = &self.judge;
        let mut judged =
            judge.after_stir(post, element, again, trace, Deadline::after(self.bound_ms), line).await;
        let mut tried = false;
        // A page that takes no events but the browser's own, or is not alive yet: the same act once more, by the browser, until
        // it can be.
        while matches!(judged, Err(Stop::Unmoved)) {
            let trace = Trace::begin(native::now() < YOUNG_MS);
            let trace = match self.hand_over(number, step, found.as_ref(), None, true, line).await {
                Ok(()) => Some(&trace),
                Err(_) if tried => None,
                Err(refused) => return Err(refused),
            };
            tried = true;
            judged =
                judge.after_stir(post, element, again, trace, Deadline::after(self.bound_ms), line).await;
        }
        judged
    }

    /// Waits, for a while, until the document is parsed: before that hardly a page has begun to listen.
    async fn parsed(&self, deadline: Deadline) -> Result<(), Stop> {
        let mut pace = Pace::new(deadline);
        let loads = || native::document().is_some_and(|document| document.ready_state() == "loading");
        while loads() && native::now() < MOST_PARSE_MS && !deadline.is_over() {
            self.judge.page.again(&mut pace).await;
            self.judge.page.go_on()?;
        }
        Ok(())
    }

    /// Looks for what a step with this method acts on.
    pub fn search<'s>(&'s self, sought: Sought<'s>, method: Method, deadline: Deadline) -> Search<'s> {
        Search::new(&self.judge, sought, method, self.policy, deadline)
    }

    /// Brings the act about once its guards let it go; it is sent once.
    pub async fn act(
        &self,
        number: u32,
        step: &Step,
        ready: &Ready,
        mut search: Option<Search<'_>>,
        line: &mut Line,
    ) -> Result<Option<Found>, Stop> {
        let page = self.judge.page;
        let method = step.action.method;
        let deadline = search.as_ref().map_or_else(|| Deadline::after(self.bound_ms), Search::deadline);
        let mut announced = false;
        let mut has_shown = !acts(method);
        let mut pace = Pace::new(deadline);
        loop {
            page.go_on()?;
            let found = match &mut search {
                Some(search) => Some(search.find(line).await?),
                None => None,
            };
            if found.as_ref().is_some_and(|found| holds_already(method, found)) {
                line.skipped = true;
                return Ok(found);
            }
            if method == Method::Extract && found.is_none() {
                self.rest(deadline).await?;
                line.extracted = Some(page_text());
                return Ok(None);
            }
            let is_new = |found: &Found| page.is_new(&found.aim.element);
            if !std::mem::replace(&mut has_shown, true)
                && page.rests() < FRESH_MS
                && found.as_ref().is_some_and(is_new)
            {
                // What has come this moment listens to nothing yet: a page gets to that once it has shown it.
                wait::frame().await;
                page.turns.next().await;
                continue;
            }
            if !acts(method) {
                line.extracted = found
                    .as_ref()
                    .filter(|_| method == Method::Extract)
                    .map(|found| shown(found, step.extract.as_ref()));
                return Ok(found);
            }
            let sends = step.sends == Some(true);
            if !announced {
                announced = true;
                note_healed(found.as_ref(), line);
                page.note(PageEvent::Intent {
                    run: self.run.id.clone(),
                    number,
                    found: line.found.clone(),
                    repointed: line.repointed.clone(),
                    awaits_word: sends,
                });
                if sends || stirs_the_page(method) {
                    page.flush();
                }
            }
            if sends && !self.run.has_word(number) {
                self.await_word(number, line).await?;
                // Time has passed: what was verified must be verified again.
                if let Some(search) = &mut search {
                    search.extend(AFTER_WORD_MS);
                }
                continue;
            }
            note_healed(found.as_ref(), line);
            let found = found.map(|found| found.placed(method, &ready.value));
            if self.is_browsers(step, found.as_ref()) {
                let to = self.find_end(found.as_ref(), ready, deadline, line).await?;
                self.hand_over(number, step, found.as_ref(), to, false, line).await?;
                return Ok(found);
            }
            let to = self.find_end(found.as_ref(), ready, deadline, line).await?;
            match self.perform(step, ready, found.as_ref(), to.as_ref()).await {
                Ok(Did::Acted) => return Ok(found),
                Ok(Did::AlreadySo) => {
                    line.skipped = true;
                    return Ok(found);
                }
                Err(error) if error.acted || deadline.is_over() => return Err(cannot(method, ready, error)),
                // Nothing was sent: an option may be on its way, a field may become writable.
                Err(_) => {
                    page.again(&mut pace).await;
                }
            }
        }
    }

    /// Where a drag ends: looked for last, with what is dragged found already.
    pub async fn find_end(
        &self,
        found: Option<&Found>,
        ready: &Ready,
        deadline: Deadline,
        line: &mut Line,
    ) -> Result<Option<Aim>, Stop> {
        let Some(to) = &ready.to else {
            return Ok(found.and_then(|found| drawn_by(&found.aim, &ready.value)));
        };
        let known = line.found.take();
        let end = self.search(Sought::Target(to), Method::Drag, deadline).find(line).await?;
        line.found = known;
        let mut aim = end.aim;
        if let Some(point) = place_in(&aim.element, &ready.value) {
            aim.point = point;
        }
        Ok(Some(aim))
    }

    /// Sends the act. No task ends between the last look and its first event.
    async fn perform(
        &self,
        step: &Step,
        ready: &Ready,
        found: Option<&Found>,
        to: Option<&Aim>,
    ) -> Result<Did, ActError> {
        let page = self.judge.page;
        page.departure.reset();
        page.mark_known();
        if stirs_the_page(step.action.method) {
            page.stir();
        }
        let action = &step.action;
        let wanted = Wanted { label: &ready.value, option: action.option.as_ref(), options: &action.options };
        let order = Order {
            method: action.method,
            aim: found.map(|found| &found.aim),
            value: &ready.value,
            wanted,
            to,
            files: self.files,
        };
        let scrolled = match (action.method, found) {
            (Method::Scroll, Some(found)) => container_of(&found.aim.element),
            (Method::Scroll, None) => native::scrolling_element(),
            _ => None,
        };
        page.hands.note_scrolled(scrolled);
        act::carry_out(&page.hands, &order).await
    }

    /// Waits until the page comes to rest, or long enough: what is read of it as a whole may still be on its way.
    async fn rest(&self, deadline: Deadline) -> Result<(), Stop> {
        let bound = native::now() + deadline.left().min(MOST_REST_MS);
        let mut pace = Pace::new(deadline);
        while self.judge.page.rests() < REST_MS && native::now() < bound {
            self.judge.page.go_on()?;
            self.judge.page.again(&mut pace).await;
        }
        Ok(())
    }

    async fn await_word(&self, number: u32, line: &mut Line) -> Result<(), Stop> {
        let since = native::now();
        let deadline = Deadline::after(self.bound_ms);
        while !self.run.has_word(number) {
            self.judge.page.go_on()?;
            if deadline.is_over() {
                return Err(Stop::before(
                    Diverged::Lost,
                    "the host's word that the intent is on disk",
                    "it did not come",
                ));
            }
            self.judge.page.heard(deadline).await;
        }
        line.waited("the host's word", since);
        Ok(())
    }
}

/// True where pages do more than note a value: open a dialog, leave, load. Then the intent is out before the act, since
/// the act may never return, and the page gets a task of its own after it. Typing into a field may do all that too, and
/// hardly ever does: there a page that hangs is only told by the step before. What
/// is kept back must bear to be done twice: a probe that is made anew begins behind what the host has heard of.
fn stirs_the_page(method: Method) -> bool {
    use Method::{Check, Fill, Hover, Scroll, Select, Uncheck};
    !matches!(method, Fill | Select | Hover | Scroll | Check | Uncheck)
}

impl Found {
    /// Aimed at the place that the step names, where it does.
    fn placed(mut self, method: Method, value: &str) -> Self {
        let place = match method {
            Method::Click | Method::Dblclick | Method::Contextmenu => Some(value),
            Method::Drag => course::start(value),
            _ => None,
        };
        if let Some(point) = place.and_then(|place| place_in(&self.aim.element, place))
            && let Some(hit) = native::topmost(point)
            && native::encloses(&self.aim.element, &hit)
        {
            (self.aim.point, self.aim.hit) = (point, hit);
        }
        self
    }
}

/// Where a drag ends that says how far it goes, in CSS pixels.
fn drawn_by(aim: &Aim, text: &str) -> Option<Aim> {
    let (right, below) = course::corners(text).pop()?;
    let point = (aim.point.0 + f64::from(right), aim.point.1 + f64::from(below));
    let hit = native::topmost(point).unwrap_or_else(|| aim.hit.clone());
    Some(Aim { element: aim.element.clone(), hit, point })
}

/// A place in an element, told as shares of its box: `0.75 0.5`.
fn place_in(element: &Element, text: &str) -> Option<(f64, f64)> {
    let (across, down) = text.split_once(' ')?;
    let (across, down) = (number::of(across)?, number::of(down)?);
    let [left, top, width, height] = native::bounds(element);
    Some((left + width * across, top + height * down))
}

/// False for steps that only look.
fn acts(method: Method) -> bool {
    !matches!(method, Method::Wait | Method::Extract | Method::Assert)
}

/// A box that is already as the step wants it is left alone.
fn holds_already(method: Method, found: &Found) -> bool {
    let goal = match method {
        Method::Check => Tick::On,
        Method::Uncheck => Tick::Off,
        _ => return false,
    };
    act::tick_of(&found.aim.element) == Some(goal)
}

fn note_healed(found: Option<&Found>, line: &mut Line) {
    if let Some(Found { verdict: Verdict::Healed(_), view, index, .. }) = found {
        let (target, _) = view.describe(*index);
        line.repointed = Some(Box::new(target));
    }
}

fn shown(found: &Found, extract: Option<&Extract>) -> String {
    let element = &found.aim.element;
    let inner = || native::get("HTMLElement", "innerText", element).as_string();
    let text = match extract.map(|extract| extract.read.as_str()) {
        None | Some("") => act::value_of(element).or_else(inner),
        Some("text") => inner(),
        Some("value") => return act::value_of(element).unwrap_or_default(),
        Some(name) => return native::attribute(element, name).unwrap_or_default(),
    };
    text.or_else(|| native::get("Node", "textContent", element).as_string())
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// All that the page shows.
fn page_text() -> String {
    let text = native::body().map(|body| native::get("HTMLElement", "innerText", &body));
    let mut text = text.and_then(|text| text.as_string()).unwrap_or_default();
    if let Some((end, _)) = text.char_indices().nth(MOST_TEXT) {
        text.truncate(end);
    }
    text
}

fn cannot(method: Method, ready: &Ready, error: ActError) -> Stop {
    let what = ready.target.as_ref().map_or_else(|| "the page".to_owned(), super::ready::say);
    let expected = format!("{} {what}", method.as_str());
    if error.acted {
        Stop::after(Diverged::Act, expected, error.message)
    } else {
        Stop::before(Diverged::Act, expected, error.message)
    }
}
