//! One tab that an agent drives by refs: what it lists, what changed since the last list, and acts with the guards of a
//! step.

use std::collections::BTreeMap;
use std::time::Duration;

use cairn_core::element::Ref;
use cairn_core::script::{Action, Condition, Requested, Target};
use cairn_core::url_pattern;
use cairn_core::wire::page::{
    BatchEnd, Captured, CheckResult, InputValue, ListOptions, Listing, PageAnswer, PageEvent, PageRequest,
    Point, Selectors, StepReport,
};
use cairn_core::wire::worker::{Navigation, Viewport};
use cairn_core::wire::{ErrorCode, WireError};
use futures_util::FutureExt as _;
use tokio::time::{Instant, timeout_at};

use super::hands::{self, Reach};
use super::record::Onlooker;
use super::requests::{changes_state, only_reports};
use super::session::Engine;
use super::sight::Sight;
use super::whole::{Silent, Whole, look};
use crate::daemon::{Lease, LeaseEvent, LeaseEvents, Open};

mod tabs;
mod words;

use tabs::Other;
pub use words::line;
pub(super) use words::plain_line;
use words::{lines, place, signature};

/// Bound of a list.
const LIST_BOUND: Duration = Duration::from_secs(2);

/// Bound of a page that is asked for.
const PAGE_BOUND: Duration = Duration::from_secs(30);

/// Bound of an act with its guards.
const ACT_BOUND: Duration = Duration::from_secs(15);

/// How long a page may take to come to rest after an act.
const REST_BOUND: Duration = Duration::from_millis(1500);

/// Pause between two looks at a page that changes.
const PAUSE: Duration = Duration::from_millis(80);

/// The window's page.
const VIEWPORT: Viewport = Viewport { width: 1280, height: 720 };

/// A tab under an agent's hands.
pub struct Browsing {
    lease: Lease,
    events: LeaseEvents,
    /// The last list that was given out, by line.
    given: Vec<String>,
    /// Requests that change something, since the act that was done last.
    sent: Vec<Requested>,
    /// Frames that did not answer once.
    silent: Silent,
    /// The number of the tab in front, from 1, and how many there have been.
    number: u32,
    count: u32,
    /// The tabs that are not in front.
    others: Vec<Other>,
    /// Tabs that pages have opened and that are not leased yet.
    arriving: Vec<(i32, String)>,
}

/// A page as an agent reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Its URL, masked.
    pub url: String,
    /// Its title.
    pub title: String,
    /// One line an element.
    pub lines: Vec<String>,
    /// Lines that the list before did not have; everything where the page is another one.
    pub appeared: Vec<String>,
    /// Lines that it had.
    pub vanished: Vec<String>,
    /// The list was cut.
    pub cut: bool,
    /// Frames that are to be seen and could not be read, each with the reason.
    pub missing: Vec<String>,
}

impl Engine {
    /// Opens a page in a tab of its own.
    ///
    /// # Errors
    /// Where no tab can be opened.
    pub async fn browse(&self, url: &str) -> Result<Browsing, WireError> {
        let open = Open { url: Some(url.to_owned()), viewport: Some(VIEWPORT), ..Open::default() };
        let (lease, events) = self.hub.open(open).await?;
        Ok(Browsing::over(lease, events))
    }
}

impl Browsing {
    /// Takes over a tab that is leased already.
    pub(super) fn over(lease: Lease, events: LeaseEvents) -> Self {
        Self {
            lease,
            events,
            given: Vec::new(),
            sent: Vec::new(),
            silent: Silent::default(),
            number: 1,
            count: 1,
            others: Vec::new(),
            arriving: Vec::new(),
        }
    }

    /// Gives the tab back.
    pub(super) fn into_parts(self) -> (Lease, LeaseEvents) {
        (self.lease, self.events)
    }

    /// Its tab.
    pub(super) fn lease(&self) -> &Lease {
        &self.lease
    }

    /// Opens another page in the tab.
    ///
    /// # Errors
    /// Where the browser refuses, or no page comes.
    pub async fn go(&mut self, to: Navigation) -> Result<(), WireError> {
        self.drain();
        self.lease.navigate(to).await?;
        self.arrive(Instant::now() + PAGE_BOUND).await
    }

    /// The page's list, once two looks in a row agree. `all`: also what lies outside the viewport.
    ///
    /// # Errors
    /// Where the page does not answer within its bound.
    pub async fn look(&mut self, all: bool) -> Result<Seen, WireError> {
        let Whole { listing, missing } = self.whole(all).await?;
        let missing = missing.iter().map(|one| format!("{}: {}", place(&one.frame), one.reason)).collect();
        let lines = lines(&listing);
        let given = std::mem::replace(&mut self.given, lines.clone());
        Ok(Seen {
            url: listing.url,
            title: listing.title,
            appeared: lines.iter().filter(|line| !given.contains(line)).cloned().collect(),
            vanished: given.into_iter().filter(|line| !lines.contains(line)).collect(),
            lines,
            cut: listing.truncated,
            missing,
        })
    }

    /// Waits until the page that was asked for first is there.
    ///
    /// # Errors
    /// Where none comes.
    pub(super) async fn opened(&self, bound: Duration) -> Result<(), WireError> {
        let options = ListOptions { selectors: Selectors::None, ..ListOptions::default() };
        match self.lease.ask(0, PageRequest::List(options), bound).await {
            // A page that answers late is a page: what it is asked next has a bound of its own.
            Err(error) if self.lease.failure().is_some() || error.code != ErrorCode::TimedOut => Err(error),
            _ => Ok(()),
        }
    }

    /// The page's elements, once two looks in a row agree.
    ///
    /// # Errors
    /// Where the page does not answer within its bound.
    pub(super) async fn settled(&self, all: bool) -> Result<Listing, WireError> {
        self.whole(all).await.map(|whole| whole.listing)
    }

    /// The same with what could not be read.
    async fn whole(&self, all: bool) -> Result<Whole, WireError> {
        let rest = Instant::now() + REST_BOUND;
        let mut whole = self.list(all).await?;
        loop {
            tokio::time::sleep(PAUSE).await;
            let again = self.list(all).await?;
            let same = signature(&again.listing) == signature(&whole.listing) && !again.listing.loading;
            whole = again;
            if same || Instant::now() >= rest {
                return Ok(whole);
            }
        }
    }

    async fn list(&self, all: bool) -> Result<Whole, WireError> {
        let bound_ms = u32::try_from(LIST_BOUND.as_millis()).unwrap_or(u32::MAX);
        let options = ListOptions { all, selectors: Selectors::None, bound_ms, ..ListOptions::default() };
        let deadline = Instant::now() + PAGE_BOUND;
        loop {
            let looking = look(&self.lease, &options, PAGE_BOUND, LIST_BOUND, &self.silent);
            match self.unless_dialog(Box::pin(looking)).await {
                Ok(whole) => return Ok(whole),
                // Left for the next page while it was asked.
                Err(error)
                    if error.code == ErrorCode::Gone
                        && self.lease.failure().is_none()
                        && Instant::now() < deadline =>
                {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Acts on an element with the guards of a step.
    ///
    /// # Errors
    /// Where the element is another one by now, cannot be used, or the page does not answer.
    pub async fn act(&mut self, reference: &str, action: Action) -> Result<StepReport, WireError> {
        self.drain();
        let request = PageRequest::Act { reference: Ref(reference.to_owned()), action };
        let deadline = Instant::now() + ACT_BOUND;
        let inner = self.inner_document(reference);
        let played = match self.ask_of(inner, request, ACT_BOUND).await {
            Ok(PageAnswer::Played(played)) => played,
            Ok(_) => return Err(odd()),
            // The act brought a dialog, and the page waits for its answer: it was done.
            Err(_) if self.dialog().is_some() => return Ok(StepReport::default()),
            // The act took the page away before it could say so: the next one is the answer.
            Err(error) if error.code == ErrorCode::Gone => {
                self.follow(inner).await?;
                return Ok(StepReport::default());
            }
            Err(error) => return Err(error),
        };
        let report = self.report(deadline).await;
        if played.end == BatchEnd::Leaving {
            self.follow(inner).await?;
        }
        Ok(report.unwrap_or_default())
    }

    /// The document of a ref, where it is that of a frame.
    fn inner_document(&self, reference: &str) -> Option<u32> {
        let number = reference.split_once('e')?.0.parse().ok()?;
        self.lease.children().iter().any(|child| child.document == number).then_some(number)
    }

    async fn ask_of(
        &self,
        inner: Option<u32>,
        request: PageRequest,
        bound: Duration,
    ) -> Result<PageAnswer, WireError> {
        let asking = async {
            match inner {
                Some(document) => self.lease.ask_document(document, request, bound).await,
                None => self.lease.ask(0, request, bound).await,
            }
        };
        self.unless_dialog(Box::pin(asking)).await
    }

    /// Waits for the document that comes after an act. A frame may be gone for good: that is no failure.
    async fn follow(&mut self, inner: Option<u32>) -> Result<(), WireError> {
        if inner.is_none() {
            return self.arrive(Instant::now() + PAGE_BOUND).await;
        }
        let deadline = Instant::now() + LIST_BOUND;
        while let Ok(Some(event)) = timeout_at(deadline, self.events.next()).await {
            self.note(&event);
            if matches!(event, LeaseEvent::Ready { .. } | LeaseEvent::TabGone { .. }) {
                break;
            }
        }
        Ok(())
    }

    /// What a script would remember of an element, and why it would be hard to find again.
    ///
    /// # Errors
    /// Where the element is another one by now, or the page does not answer.
    pub async fn describe(&self, reference: &str) -> Result<(Target, Option<String>), WireError> {
        let request = PageRequest::Describe { reference: Ref(reference.to_owned()) };
        match self.ask_of(self.inner_document(reference), request, LIST_BOUND).await? {
            PageAnswer::Described { target, weak } => Ok((*target, weak)),
            _ => Err(odd()),
        }
    }

    /// Everything that stands on the page, interactive or not.
    ///
    /// # Errors
    /// Where the page does not answer.
    pub async fn sight(&self) -> Result<Sight, WireError> {
        match self.ask_of(None, PageRequest::Snapshot, LIST_BOUND * 2).await? {
            PageAnswer::Snapshot { json } => Sight::read(&json).map_err(|error| {
                WireError::new(ErrorCode::BadMessage, format!("the snapshot cannot be read: {error}"), "")
            }),
            _ => Err(odd()),
        }
    }

    /// From now on every page of the tab masks this value.
    pub fn hide(&self, name: &str, secret: &str) {
        self.lease.reconfigure(|configure| {
            configure.secrets.insert(name.to_owned(), secret.to_owned());
        });
    }

    /// Waits until a condition holds.
    ///
    /// # Errors
    /// Where the page does not answer.
    pub async fn wait_for(&self, condition: Condition, bound: Duration) -> Result<CheckResult, WireError> {
        let results = self.check(vec![condition], BTreeMap::new(), bound).await?;
        results.into_iter().next().ok_or_else(odd)
    }

    /// Evaluates conditions, one result each, and waits until all hold.
    ///
    /// # Errors
    /// Where the page does not answer.
    pub(super) async fn check(
        &self,
        conditions: Vec<Condition>,
        inputs: BTreeMap<String, InputValue>,
        bound: Duration,
    ) -> Result<Vec<CheckResult>, WireError> {
        let bound_ms = u32::try_from(bound.as_millis()).unwrap_or(u32::MAX);
        let request = PageRequest::Check { conditions, inputs, bound_ms };
        match self.ask_of(None, request, bound + LIST_BOUND).await? {
            PageAnswer::Checked { results } => Ok(results),
            _ => Err(odd()),
        }
    }

    /// A picture of the visible part, as PNG.
    ///
    /// # Errors
    /// Where the browser gives none.
    pub async fn picture(&self) -> Result<Vec<u8>, WireError> {
        self.lease.capture().await
    }

    /// Acts with the browser's own hand, at a point of the page or where the focus is.
    ///
    /// # Errors
    /// Where the browser refuses.
    pub(super) async fn by_hand(
        &mut self,
        action: &Action,
        text: &str,
        at: Option<Point>,
    ) -> Result<(), WireError> {
        self.drain();
        let reach = Reach { at, ..Reach::default() };
        let commands = hands::commands(action, text, &reach)
            .map_err(|reason| WireError::new(ErrorCode::Refused, reason, "act on an element instead"))?;
        self.lease.debug(commands).await
    }

    /// Watches a person at the tab until `end`, and says what they did.
    ///
    /// # Errors
    /// Where the tab is gone.
    pub(super) async fn watch_person(
        &mut self,
        inputs: BTreeMap<String, InputValue>,
        end: impl Future<Output = ()>,
    ) -> Result<Vec<Captured>, WireError> {
        let mut onlooker = Onlooker::new(self.lease.clone(), inputs);
        let mut end = std::pin::pin!(end);
        loop {
            tokio::select! {
                biased;
                event = self.events.next() => match event {
                    Some(LeaseEvent::TabGone { reason }) => {
                        return Err(WireError::new(ErrorCode::Gone, reason, "run again"));
                    }
                    None => return Err(WireError::new(ErrorCode::Gone, "the tab is gone", "run again")),
                    Some(event) => onlooker.hear(&event),
                },
                () = &mut end => return Ok(onlooker.end(&mut self.events).await),
            }
        }
    }

    /// Closes the tab, and those that its pages opened.
    pub async fn close(mut self) {
        self.gather(false).await;
        self.lease.close(false).await;
    }

    fn drain(&mut self) {
        // What happened before this act is history.
        let _ = self.take_sent();
    }

    /// Requests of the page that change something, since the last act began.
    pub fn take_sent(&mut self) -> Vec<Requested> {
        self.catch_up();
        std::mem::take(&mut self.sent)
    }

    /// Hears what has happened up to now.
    fn catch_up(&mut self) {
        while let Some(Some(event)) = self.events.next().now_or_never() {
            self.note(&event);
        }
    }

    fn note(&mut self, event: &LeaseEvent) {
        if let LeaseEvent::Opened { tab, url } = event {
            self.arriving.push((*tab, url.clone()));
        }
        let LeaseEvent::Request { method, url, kind, .. } = event else { return };
        if changes_state(method) && !only_reports(kind) {
            self.sent.push(Requested { method: method.clone(), url_pattern: url_pattern::generalise(url) });
        }
    }

    /// The line of the act.
    async fn report(&mut self, deadline: Instant) -> Option<StepReport> {
        loop {
            let event =
                timeout_at(deadline.min(Instant::now() + LIST_BOUND), self.events.next()).await.ok()??;
            self.note(&event);
            match event {
                LeaseEvent::Page { event: PageEvent::Step { run, report }, .. } if run.is_empty() => {
                    return Some(*report);
                }
                LeaseEvent::Ready { frame: 0, .. } | LeaseEvent::TabGone { .. } => return None,
                _ => {}
            }
        }
    }

    /// Waits for the next document.
    async fn arrive(&mut self, deadline: Instant) -> Result<(), WireError> {
        let refused = |message: String| WireError::new(ErrorCode::Gone, message, "go to another page");
        loop {
            let event = timeout_at(deadline, self.events.next()).await;
            let event = event.map_err(|_| refused("no page came: the server does not answer".into()))?;
            if let Some(event) = &event {
                self.note(event);
            }
            match event {
                Some(
                    LeaseEvent::Ready { frame: 0, .. }
                    | LeaseEvent::Committed { frame: 0, same_document: true, .. },
                ) => {
                    return Ok(());
                }
                Some(LeaseEvent::LoadFailed { frame: 0, url, error }) if !error.contains("ERR_ABORTED") => {
                    return Err(refused(format!("{url} could not be loaded: {error}")));
                }
                Some(LeaseEvent::NotReady { frame: 0, error, .. }) => return Err(error),
                Some(LeaseEvent::TabGone { reason }) => return Err(refused(reason)),
                None => return Err(refused("the tab is gone".into())),
                Some(_) => {}
            }
        }
    }
}

fn odd() -> WireError {
    WireError::new(ErrorCode::BadMessage, "the page answered another question", "")
}
