//! The steps of a recording as they are known so far: what the pages said, and what only the host saw.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cairn_core::script::{Dialog, Effect, Method, Requested, Step};
use cairn_core::wire::page::Captured;

use super::beat::{Seen, on_beat};

/// How long after a step a navigation of the page is taken for its effect.
const NAVIGATION_WINDOW: Duration = Duration::from_secs(15);

/// How long after a step a request is taken for its effect.
const REQUEST_WINDOW: Duration = Duration::from_secs(5);

/// A request that overtook its step: both come over different ways, milliseconds apart.
const OVERTAKING: Duration = Duration::from_millis(100);

/// Requests kept of one step.
const MOST_REQUESTS: usize = 20;

/// Requests remembered for the page's own beat.
const MOST_HEARD: usize = 2_000;

/// What an event of the page did to the trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new entry at this place.
    New(usize),
    /// More is known of the entry at this place.
    Amended(usize),
    /// The entry at this place is none; it had this number.
    Retracted(usize, u32),
    /// Nothing.
    Nothing,
}

/// One step so far.
#[derive(Clone, Debug)]
struct Entry {
    captured: Captured,
    retracted: bool,
    arrived: Instant,
    /// Seen by the host, in stored form.
    url_after: Option<String>,
    requests: Vec<Requested>,
    opened: Opened,
    by_host: bool,
    document: u64,
}

/// What an act made the browser open, each with the time at which that was heard, in milliseconds since 1970.
#[derive(Clone, Debug, Default)]
struct Opened {
    tabs: Vec<(f64, String)>,
    dialogs: Vec<(f64, Dialog)>,
}

impl Opened {
    /// Takes out what was heard of from a time on; `None`: nothing was.
    fn since(&mut self, at: f64) -> Option<Self> {
        let tabs = self.tabs.extract_if(.., |(heard, _)| *heard >= at).collect::<Vec<_>>();
        let dialogs = self.dialogs.extract_if(.., |(heard, _)| *heard >= at).collect::<Vec<_>>();
        (!tabs.is_empty() || !dialogs.is_empty()).then_some(Self { tabs, dialogs })
    }
}

/// All steps so far. A place never changes; a number is the place among the steps that still stand.
#[derive(Debug, Default)]
pub struct Trail {
    entries: Vec<Entry>,
    /// What a document's number means, where a late message made it ambiguous.
    places: HashMap<(u64, u32), usize>,
    /// The step that a document was given to go on with.
    priors: HashMap<u64, usize>,
    /// Requests that change something on a server, in order.
    heard: Vec<Heard>,
    last_request: Option<(Instant, Requested)>,
    /// What opened before a step was told of: the doing of one that is on its way, or nobody's.
    early: Opened,
}

/// A request that changes something on a server.
#[derive(Clone, Debug)]
struct Heard {
    request: Requested,
    /// When, since the first one.
    at: Duration,
    /// Since the last act.
    lag: Option<Duration>,
    arrived: Instant,
    /// The steps in whose windows it came.
    places: Vec<usize>,
}

impl Trail {
    /// The number that the next page is to begin with.
    pub fn next_number(&self) -> u32 {
        self.entries.len() as u32 + 1
    }

    /// How many steps stand.
    pub fn len(&self) -> u32 {
        self.entries.iter().filter(|entry| !entry.retracted).count() as u32
    }

    /// A page captured a step, or knows more of one.
    pub fn capture(&mut self, document: u64, mut captured: Captured) -> Change {
        captured.secrets.clear();
        let known = self.places.get(&(document, captured.number)).copied();
        if let Some(place) = known.or_else(|| self.prior_place(document, &captured)) {
            self.places.insert((document, captured.number), place);
            let last = self.last().unwrap_or(place);
            if last > place && self.entries[last].document != document {
                // Another page has been acted on since: what changes here now is that act's doing.
                let Effect { value, checked, .. } = captured.effect;
                captured.effect = Effect { value, checked, ..self.entries[place].captured.effect.clone() };
            }
            self.entries[place].captured = captured;
            return Change::Amended(place);
        }
        let place = self.entries.len();
        self.places.insert((document, captured.number), place);
        let mut entry = Entry { document, ..Entry::new(captured, false) };
        // A click may be told of after the request that it caused. Marked on both, it is at least never missed.
        if let Some((at, request)) = &self.last_request
            && at.elapsed() < OVERTAKING
        {
            entry.requests.push(request.clone());
        }
        let overtaking = self.heard.iter_mut().rev().take_while(|heard| heard.arrived.elapsed() < OVERTAKING);
        overtaking.for_each(|heard| heard.places.push(place));
        self.entries.push(entry);
        Change::New(place)
    }

    /// A step of the document before, which the page after it goes on telling about.
    fn prior_place(&self, document: u64, captured: &Captured) -> Option<usize> {
        let place = *self.priors.get(&document)?;
        let entry = self.entries.get(place)?;
        let same = entry.captured.step.action.method == captured.step.action.method
            && entry.captured.step.action.target == captured.step.action.target;
        let number = entry.captured.number == captured.number;
        (same && number && !entry.by_host && !entry.captured.settled).then_some(place)
    }

    /// A captured step turned out to be part of another.
    pub fn retract(&mut self, document: u64, number: u32) -> Change {
        match self.places.get(&(document, number)).copied() {
            Some(place) => self.retract_at(place),
            None => Change::Nothing,
        }
    }

    fn retract_at(&mut self, place: usize) -> Change {
        let number = self.number(place);
        let entry = &mut self.entries[place];
        if entry.retracted {
            return Change::Nothing;
        }
        entry.retracted = true;
        Change::Retracted(place, number)
    }

    /// A step that no page sees: goto, back, forward, reload.
    pub fn host_step(&mut self, step: Step, url_after: Option<String>) -> Change {
        let place = self.entries.len();
        let captured =
            Captured { number: place as u32 + 1, at: now(), step, settled: true, ..Captured::default() };
        self.entries.push(Entry { url_after, ..Entry::new(captured, true) });
        Change::New(place)
    }

    /// Takes back the last step where it is the key that made the browser do the host's step.
    pub fn retract_shortcut(&mut self, chords: &[&str]) -> Change {
        let Some(place) = self.last() else { return Change::Nothing };
        let action = &self.entries[place].captured.step.action;
        let is_shortcut = action.method == Method::Press
            && action.value.as_deref().is_some_and(|value| chords.contains(&value));
        if is_shortcut { self.retract_at(place) } else { Change::Nothing }
    }

    /// The page moved by itself: the effect of the last step, where that is near enough.
    pub fn moved(&mut self, url: String) -> Change {
        let Some(place) = self.last() else { return Change::Nothing };
        let entry = &mut self.entries[place];
        if entry.arrived.elapsed() > NAVIGATION_WINDOW {
            return Change::Nothing;
        }
        entry.url_after = Some(url);
        Change::Amended(place)
    }

    /// Takes back that the last step led there: a person did.
    pub fn did_not_move(&mut self, url: &str) -> Change {
        let Some(place) = self.last() else { return Change::Nothing };
        let entry = &mut self.entries[place];
        if entry.url_after.as_deref() != Some(url) {
            return Change::Nothing;
        }
        entry.url_after = None;
        Change::Amended(place)
    }

    /// The place of the tab that the last step was done in.
    pub fn last_tab(&self) -> Option<usize> {
        let pages = self.entries.iter().rev().find(|entry| !entry.retracted && !entry.by_host)?;
        Some((pages.document >> 32) as usize)
    }

    /// How long ago the last step was told of.
    pub fn last_step_age(&self) -> Option<Duration> {
        self.last().map(|place| self.entries[place].arrived.elapsed())
    }

    /// A request of the page.
    pub fn requested(&mut self, request: Requested, sends: bool) -> Change {
        self.last_request = Some((Instant::now(), request.clone()));
        let place = self.last();
        let lag = place.map(|place| self.entries[place].arrived.elapsed());
        let place = place.filter(|_| lag.is_some_and(|lag| lag <= REQUEST_WINDOW));
        if sends && self.heard.len() < MOST_HEARD {
            let arrived = Instant::now();
            let at = self.heard.first().map_or(Duration::ZERO, |first| arrived - first.arrived);
            let places = place.into_iter().collect();
            self.heard.push(Heard { request: request.clone(), at, lag, arrived, places });
        }
        let Some(place) = place else { return Change::Nothing };
        let entry = &mut self.entries[place];
        let before = entry.requests.len();
        if before < MOST_REQUESTS && !entry.requests.contains(&request) {
            entry.requests.push(request);
        }
        if sends || before < entry.requests.len() { Change::Amended(place) } else { Change::Nothing }
    }

    /// Did a step send something that is not on the page's own beat?
    fn sends(&self, place: usize) -> bool {
        if !can_send(self.entries[place].captured.step.action.method) {
            return false;
        }
        let mine = self.heard.iter().filter(|heard| heard.places.contains(&place));
        let mut patterns: Vec<&Requested> = mine.map(|heard| &heard.request).collect();
        patterns.dedup();
        patterns.into_iter().any(|pattern| {
            let like: Vec<&Heard> = self.heard.iter().filter(|heard| heard.request == *pattern).collect();
            let seen: Vec<Seen> = like.iter().map(|heard| Seen { at: heard.at, lag: heard.lag }).collect();
            let beats = on_beat(&seen);
            like.iter().zip(beats).any(|(heard, on_beat)| heard.places.contains(&place) && !on_beat)
        })
    }

    /// The page opened a tab.
    pub fn opened(&mut self, url: String) -> Change {
        let place = self.last();
        self.opened_by(place).tabs.push((now(), url));
        place.map_or(Change::Nothing, Change::Amended)
    }

    /// The last page's last step, where more may be known of it in this document.
    pub fn prior_for(&mut self, document: u64) -> Option<Captured> {
        let place = self.last()?;
        let entry = &self.entries[place];
        // What a step did is seen in its own tab; the page of a tab that it opened is another one.
        let elsewhere = entry.document >> 32 != document >> 32;
        if entry.captured.settled || entry.by_host || elsewhere {
            return None;
        }
        self.priors.insert(document, place);
        Some(entry.captured.clone())
    }

    /// A native dialog opened: the last step's doing, as far as is known now.
    pub fn dialog(&mut self, dialog: Dialog) -> Change {
        let place = self.last();
        self.opened_by(place).dialogs.push((now(), dialog));
        place.map_or(Change::Nothing, Change::Amended)
    }

    /// What the browser says of a dialog or a tab may overtake what the page says of the act that opened it. A new step that
    /// was done before that has opened it, and the step before it has not: that one is amended.
    pub fn give_opened(&mut self, change: Change) -> Change {
        let Change::New(place) = change else { return Change::Nothing };
        let at = self.entries[place].captured.at;
        if at <= 0.0 {
            return Change::Nothing;
        }
        let before = self.entries[..place].iter().rposition(|entry| !entry.retracted);
        let Some(later) = self.opened_by(before).since(at) else { return Change::Nothing };
        self.entries[place].opened = later;
        before.map_or(Change::Nothing, Change::Amended)
    }

    /// The last dialog was answered.
    pub fn answered(&mut self, accept: bool, text: String) -> Change {
        let stands = |entry: &Entry| !entry.retracted && !entry.opened.dialogs.is_empty();
        let place = self.entries.iter().rposition(stands);
        let Some((_, dialog)) = self.opened_by(place).dialogs.last_mut() else { return Change::Nothing };
        dialog.accept = accept;
        dialog.text = (accept && dialog.kind == "prompt").then_some(text);
        place.map_or(Change::Nothing, Change::Amended)
    }

    /// What a step has opened, or what no step has so far.
    fn opened_by(&mut self, place: Option<usize>) -> &mut Opened {
        match place {
            Some(place) => &mut self.entries[place].opened,
            None => &mut self.early,
        }
    }

    /// The step at a place with all that is known of it.
    pub fn at(&self, place: usize) -> Captured {
        let mut captured = self.entries[place].whole(self.number(place));
        if self.sends(place) {
            captured.step.sends = Some(true);
        }
        captured
    }

    /// All steps that stand, in the order in which they were done.
    pub fn steps(&self) -> Vec<Captured> {
        let mut order: Vec<usize> = Vec::with_capacity(self.entries.len());
        for place in (0..self.entries.len()).filter(|place| !self.entries[*place].retracted) {
            let late = order.iter().rev().take_while(|before| self.overtook(**before, place)).count();
            order.insert(order.len() - late, place);
        }
        let mut steps: Vec<Captured> = order.into_iter().map(|place| self.at(place)).collect();
        for (number, step) in (1..).zip(&mut steps) {
            step.number = number;
        }
        steps
    }

    /// Was the earlier told one done after the later told one? A page that has just come is slow to tell what was done on
    /// it, and a person may be back in another tab by then. Within one tab what is told first was done first.
    fn overtook(&self, earlier: usize, later: usize) -> bool {
        let (earlier, later) = (&self.entries[earlier], &self.entries[later]);
        let known = earlier.captured.at > 0.0 && later.captured.at > 0.0;
        known && earlier.document >> 32 != later.document >> 32 && earlier.captured.at > later.captured.at
    }

    fn last(&self) -> Option<usize> {
        self.entries.iter().rposition(|entry| !entry.retracted)
    }

    fn number(&self, place: usize) -> u32 {
        self.entries[..place].iter().filter(|entry| !entry.retracted).count() as u32 + 1
    }
}

impl Entry {
    fn new(captured: Captured, by_host: bool) -> Self {
        Self {
            captured,
            retracted: false,
            arrived: Instant::now(),
            url_after: None,
            requests: Vec::new(),
            opened: Opened::default(),
            by_host,
            document: 0,
        }
    }

    /// What the page said, completed by what the host saw. The page knows its own elements, the host the navigation.
    fn whole(&self, number: u32) -> Captured {
        let mut captured = self.captured.clone();
        captured.number = number;
        let effect = &mut captured.effect;
        if self.url_after.is_some() {
            effect.url_after.clone_from(&self.url_after);
        }
        for request in &self.requests {
            if !effect.requests.contains(request) {
                effect.requests.push(request.clone());
            }
        }
        let Opened { tabs, dialogs } = &self.opened;
        if let Some((_, url)) = tabs.last() {
            effect.new_tab = Some(url.clone());
        }
        if !dialogs.is_empty() {
            effect.dialogs = dialogs.iter().map(|(_, dialog)| dialog.message.clone()).collect();
            captured.step.dialogs = dialogs.iter().map(|(_, dialog)| dialog.clone()).collect();
        }
        captured
    }
}

/// Milliseconds since 1970, as pages count them.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1000.0)
}

/// Whether a step of this kind can be what sends: moving, scrolling and looking are not.
fn can_send(method: Method) -> bool {
    !matches!(
        method,
        Method::Goto
            | Method::Back
            | Method::Forward
            | Method::Hover
            | Method::Scroll
            | Method::Wait
            | Method::Extract
            | Method::Assert
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Target};

    fn click(number: u32, name: &str) -> Captured {
        let target = Target { role: "button".into(), name: name.into(), ..Target::default() };
        let action = Action { target: Some(target), ..Action::default() };
        Captured { number, step: Step { action, ..Step::default() }, ..Captured::default() }
    }

    fn post() -> Requested {
        Requested { method: "POST".into(), url_pattern: "http://a/orders".into() }
    }

    #[test]
    fn what_a_new_tab_tells_late_stands_where_it_was_done() {
        let mut trail = Trail::default();
        let (first, second) = (1, (1 << 32) | 1);
        let at = |at: f64, captured: Captured| Captured { at, ..captured };
        trail.capture(first, at(1_000.0, click(1, "Order 17")));
        trail.capture(first, at(1_300.0, click(2, "Refresh list")));
        trail.capture(first, at(1_250.0, click(3, "told in its order within one tab")));
        trail.capture(second, at(1_100.0, click(1, "Confirm order")));
        let names: Vec<String> = trail
            .steps()
            .into_iter()
            .map(|captured| captured.step.action.target.map(|target| target.name).unwrap_or_default())
            .collect();
        let done = ["Order 17", "Confirm order", "Refresh list", "told in its order within one tab"];
        assert_eq!(names, done);
        assert_eq!(trail.steps().iter().map(|step| step.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }

    #[test]
    fn a_dialog_is_the_doing_of_the_act_before_it_however_late_that_is_told() {
        let mut trail = Trail::default();
        let at = |at: f64, captured: Captured| Captured { at, ..captured };
        let dialog = |kind: &str| Dialog { kind: kind.into(), ..Dialog::default() };
        trail.capture(1, at(now() - 500.0, click(1, "Rename")));
        trail.dialog(dialog("prompt"));
        trail.answered(true, "North".into());
        let acted = now() + 5.0;
        std::thread::sleep(Duration::from_millis(10));
        trail.dialog(dialog("confirm"));
        let change = trail.capture(1, at(acted, click(2, "Remove")));
        assert_eq!(trail.give_opened(change), Change::Amended(0));
        trail.answered(true, String::new());
        let kinds = |place: usize| {
            trail.at(place).step.dialogs.into_iter().map(|one| (one.kind, one.accept)).collect::<Vec<_>>()
        };
        assert_eq!(kinds(0), [("prompt".to_owned(), true)]);
        assert_eq!(kinds(1), [("confirm".to_owned(), true)]);
    }

    #[test]
    fn what_the_first_act_opens_is_kept_until_that_is_told() {
        let mut trail = Trail::default();
        let dialog = |kind: &str| Dialog { kind: kind.into(), ..Dialog::default() };
        // The page greets with one: nobody's doing.
        assert_eq!(trail.dialog(dialog("alert")), Change::Nothing);
        trail.answered(true, String::new());
        assert_eq!(trail.opened("http://a/notice".into()), Change::Nothing);
        std::thread::sleep(Duration::from_millis(10));
        let acted = now();
        std::thread::sleep(Duration::from_millis(10));
        trail.dialog(dialog("prompt"));
        trail.answered(true, "North".into());
        trail.opened("http://a/names".into());
        let change = trail.capture(1, Captured { at: acted, ..click(1, "Rename") });
        assert_eq!(trail.give_opened(change), Change::Nothing);
        assert_eq!(trail.at(0).effect.new_tab.as_deref(), Some("http://a/names"));
        let dialogs = trail.at(0).step.dialogs;
        assert_eq!(dialogs.len(), 1);
        assert_eq!((dialogs[0].kind.as_str(), dialogs[0].text.as_deref()), ("prompt", Some("North")));
    }

    #[test]
    fn the_host_completes_what_the_page_said() {
        let mut trail = Trail::default();
        assert_eq!(trail.capture(1, click(1, "Save")), Change::New(0));
        trail.requested(post(), true);
        trail.moved("http://a/done".into());
        let settled = Captured { settled: true, ..click(1, "Save") };
        assert_eq!(trail.capture(1, settled), Change::Amended(0));
        let step = trail.at(0);
        assert_eq!(step.effect.url_after.as_deref(), Some("http://a/done"));
        assert_eq!(step.step.sends, Some(true));
        assert_eq!(step.effect.requests, [post()]);
    }

    #[test]
    fn the_next_document_goes_on_telling_about_the_step_before() {
        let mut trail = Trail::default();
        trail.capture(1, click(1, "Next"));
        assert_eq!(trail.prior_for(2).map(|prior| prior.number), Some(1));
        assert_eq!(trail.capture(2, Captured { settled: true, ..click(1, "Next") }), Change::Amended(0));
        assert_eq!(trail.capture(2, click(2, "Other")), Change::New(1));
        assert_eq!(trail.prior_for(3).map(|prior| prior.number), Some(2));
    }

    #[test]
    fn a_number_that_two_documents_use_is_two_steps() {
        let mut trail = Trail::default();
        trail.capture(1, click(1, "A"));
        trail.host_step(Step::default(), Some("http://b/".into()));
        // The page that was left still had a word to say, under the number that the host's step took.
        assert_eq!(trail.capture(1, click(2, "B")), Change::New(2));
        assert_eq!(trail.capture(1, Captured { settled: true, ..click(2, "B") }), Change::Amended(2));
        assert_eq!(trail.len(), 3);
    }

    #[test]
    fn retracted_steps_leave_no_gap() {
        let mut trail = Trail::default();
        for number in 1..=3 {
            trail.capture(1, click(number, "X"));
        }
        assert_eq!(trail.retract(1, 2), Change::Retracted(1, 2));
        assert_eq!(trail.retract(1, 2), Change::Nothing);
        let numbers: Vec<u32> = trail.steps().iter().map(|step| step.number).collect();
        assert_eq!(numbers, [1, 2]);
        assert_eq!(trail.next_number(), 4);
    }

    #[test]
    fn polling_marks_no_step() {
        let mut trail = Trail::default();
        let beat = Duration::from_secs(5);
        let begun = Instant::now().checked_sub(beat * 8).unwrap();
        for count in 0..6 {
            let (at, arrived) = (beat * count, begun + beat * count);
            trail.heard.push(Heard { request: post(), at, lag: None, arrived, places: vec![] });
        }
        trail.capture(1, click(1, "Next"));
        trail.capture(1, click(2, "Order"));
        let seen = |at, place| Heard {
            request: post(),
            at,
            lag: Some(Duration::ZERO),
            arrived: begun,
            places: vec![place],
        };
        trail.heard.push(seen(beat * 6, 0));
        trail.heard.push(seen(beat * 6 + beat / 2, 1));
        let marks: Vec<Option<bool>> = trail.steps().iter().map(|captured| captured.step.sends).collect();
        assert_eq!(marks, [None, Some(true)]);
    }

    #[test]
    fn a_request_that_overtakes_its_step_marks_it_all_the_same() {
        let mut trail = Trail::default();
        trail.requested(post(), true);
        trail.capture(1, click(1, "Order"));
        assert_eq!(trail.at(0).step.sends, Some(true));
    }
}
