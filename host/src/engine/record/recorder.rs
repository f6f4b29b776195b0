//! Watches one leased tab from the first page to the end of the recording.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use cairn_core::redact::Redactor;
use cairn_core::script::{Action, Dialog, Method, Requested, Step};
use cairn_core::wire::WireError;
use cairn_core::wire::page::{Captured, Configure, InputValue, PageEvent, PageRequest, RecordOptions};
use cairn_core::wire::worker::{PanelState, PanelStep};
use cairn_core::{url_pattern, value};
use futures_util::future::{BoxFuture, join_all};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use super::draft::Head;
use super::history::{Commit, History, Meaning, shortcuts};
use super::note::Asked;
use super::trail::{Change, Trail};
use crate::daemon::{Hub, LeaseEvent, LeaseEvents};
use crate::engine::api::{ClientEvent, RecordEvent};
use crate::engine::build;
use crate::engine::lines;
use crate::engine::masks::masks;
use crate::engine::origins;
use crate::engine::requests::{changes_state, only_reports};
use crate::engine::scribe::Events;
use crate::engine::stop::StopSignal;
use crate::engine::tab::{Tab, TabEvents};
use crate::exit::{ErrorKind, Failure};
use crate::store::{JournalEntry, JournalKind, Store};

/// How long a page may take to say its last word.
const LAST_WORD: Duration = Duration::from_secs(3);

/// A page that a person travels to by the browser's controls comes within this.
const ON_ITS_WAY: Duration = Duration::from_secs(30);

/// By so much the browser's word of a travel may come before the page's.
const OVERTAKEN: Duration = Duration::from_secs(2);

/// How long what is on its way may take to arrive after that.
const STRAGGLERS: Duration = Duration::from_millis(150);

/// How long a page may take to begin to watch.
const BEGIN: Duration = Duration::from_secs(10);

/// Where the recording is shown while it is made.
pub(super) struct Panel {
    pub(super) hub: Hub,
    pub(super) lease: String,
}

/// One recording under way.
pub(super) struct Recorder<T: Tab> {
    pub(super) id: String,
    pub(super) head: Head,
    pub(super) inputs: BTreeMap<String, InputValue>,
    pub(super) trail: Trail,
    pub(super) store: Arc<dyn Store>,
    pub(super) events: Events,
    pub(super) panel: Option<Panel>,
    pub(super) build_from: Option<String>,
    pub(super) on_change: Box<dyn Fn(u32) + Send + Sync>,
    /// The recorded tab, and the tabs that its pages opened, in the order in which they did.
    tabs: Vec<Watched<T>>,
    /// The place of the tab whose event is being taken.
    at: usize,
    adopt: Adopt<T>,
    more: (mpsc::Sender<Elsewhere>, mpsc::Receiver<Elsewhere>),
    redactor: Redactor,
    build: Option<JoinHandle<Option<String>>>,
    /// Pages that are being told to watch.
    watching: Vec<JoinHandle<()>>,
    /// To be told when the first page is watched: what a person does before that is not seen as they saw it.
    started: Option<RecordEvent>,
}

/// A page that came so soon after a step that it was counted as its doing.
struct Unclear {
    method: Method,
    from: String,
    to: String,
    at: Instant,
}

/// A tab that is watched.
struct Watched<T: Tab> {
    tab: T,
    history: History,
    /// When it last went to another page.
    committed: Option<Instant>,
    /// When its page heard a person travel by the browser's controls, and where that has not led anywhere yet.
    travels: Option<Instant>,
    /// What the last step was taken to have brought, and may yet turn out to be a person's travel.
    unclear: Option<Unclear>,
    document: Option<u32>,
    /// Its first document.
    first: Option<u32>,
    url: String,
    /// It was closed.
    gone: bool,
}

impl<T: Tab> Watched<T> {
    fn new(tab: T) -> Self {
        Self {
            tab,
            history: History::default(),
            committed: None,
            travels: None,
            unclear: None,
            document: None,
            first: None,
            url: String::new(),
            gone: false,
        }
    }
}

/// Leases a tab that a recorded page opened.
pub(super) type Adopt<T> =
    Box<dyn Fn(i32, Configure) -> BoxFuture<'static, Result<(T, LeaseEvents), WireError>> + Send + Sync>;

/// An event with the place of its tab.
type Elsewhere = (usize, LeaseEvent);

/// Events of tabs that pages opened that may wait.
const MORE_EVENTS: usize = 1024;

/// What a recorder is made of.
pub(super) struct Parts<T: Tab> {
    pub(super) id: String,
    pub(super) head: Head,
    pub(super) inputs: BTreeMap<String, InputValue>,
    pub(super) store: Arc<dyn Store>,
    pub(super) events: Events,
    pub(super) panel: Option<Panel>,
    pub(super) build_from: Option<String>,
    pub(super) on_change: Box<dyn Fn(u32) + Send + Sync>,
    pub(super) tab: T,
    pub(super) adopt: Adopt<T>,
    pub(super) started: RecordEvent,
}

impl<T: Tab> Recorder<T> {
    pub(super) fn new(parts: Parts<T>) -> Self {
        let mut recorder = Self {
            id: parts.id,
            head: parts.head,
            inputs: parts.inputs,
            trail: Trail::default(),
            store: parts.store,
            events: parts.events,
            panel: parts.panel,
            build_from: parts.build_from,
            on_change: parts.on_change,
            tabs: vec![Watched::new(parts.tab)],
            at: 0,
            adopt: parts.adopt,
            more: mpsc::channel(MORE_EVENTS),
            redactor: Redactor::default(),
            build: None,
            watching: Vec::new(),
            started: Some(parts.started),
        };
        recorder.redactor = recorder.make_redactor();
        recorder
    }

    fn make_redactor(&self) -> Redactor {
        let secrets = self.inputs.iter().filter(|(_, input)| input.secret);
        Redactor::new(secrets.map(|(name, input)| (name.as_str(), input.value.as_str())))
    }

    /// Watches until somebody ends it; says who or what did.
    pub(super) async fn watch<E: TabEvents>(
        &mut self,
        tab_events: &mut E,
        stop: &mut StopSignal,
        notes: &mut mpsc::Receiver<Asked>,
    ) -> Result<String, Failure> {
        self.keep_head().await?;
        loop {
            let event = tokio::select! {
                event = self.next_event(tab_events) => event,
                Some(asked) = notes.recv() => {
                    self.take_note(asked, tab_events).await?;
                    continue;
                }
                reason = stop.asked() => {
                    self.last_word(tab_events).await?;
                    return Ok(reason);
                }
            };
            let Some((tab, event)) = event else { return Ok("the tab is gone".into()) };
            if let Some(ended_by) = self.take(tab, event).await? {
                return Ok(ended_by);
            }
        }
    }

    /// The next event of any tab, with the tab's place. `None` where the recorded tab is gone without a word.
    pub(super) async fn next_event<E: TabEvents>(&mut self, tab_events: &mut E) -> Option<Elsewhere> {
        let first_is_there = !self.tabs[0].gone;
        tokio::select! {
            biased;
            event = tab_events.next(), if first_is_there => event.map(|event| (0, event)),
            Some(event) = self.more.1.recv() => Some(event),
        }
    }

    /// The pages flush what is under way: a field that is still being typed into, an effect that has not settled.
    async fn last_word<E: TabEvents>(&mut self, tab_events: &mut E) -> Result<(), Failure> {
        self.await_watched(tab_events).await?;
        let asked: Vec<(T, u32)> = self
            .tabs
            .iter()
            .flat_map(|one| one.tab.documents().into_iter().map(|document| (one.tab.clone(), document)))
            .collect();
        let all = asked.iter().map(|(tab, document)| tab.ask(*document, PageRequest::StopRecord, LAST_WORD));
        let Some(answers) = self.take_until(tab_events, join_all(all)).await? else { return Ok(()) };
        for error in answers.into_iter().filter_map(Result::err) {
            tracing::debug!("a page's last word: {error}");
        }
        self.take_until(tab_events, sleep(STRAGGLERS)).await.map(drop)
    }

    /// Takes what comes until `end` is there, and what is there by then. `None`: the recorded tab went first.
    async fn take_until<E: TabEvents, O>(
        &mut self,
        tab_events: &mut E,
        end: impl Future<Output = O>,
    ) -> Result<Option<O>, Failure> {
        let mut end = pin!(end);
        loop {
            tokio::select! {
                biased;
                event = self.next_event(tab_events) => {
                    let Some((tab, event)) = event else { return Ok(None) };
                    self.take(tab, event).await?;
                }
                ended = &mut end => return Ok(Some(ended)),
            }
        }
    }

    /// What a person did before the probe of a new page ran waits in that page: it is asked for its word when it watches.
    async fn await_watched<E: TabEvents>(&mut self, tab_events: &mut E) -> Result<(), Failure> {
        let deadline = Instant::now() + LAST_WORD;
        let mut gone = false;
        while !gone
            && self.tabs.iter().any(|one| one.document.is_some() && one.tab.document() != one.document)
        {
            tokio::select! {
                event = self.next_event(tab_events) => match event {
                    Some((tab, event)) => gone = self.take(tab, event).await?.is_some(),
                    None => gone = true,
                },
                () = sleep_until(deadline) => gone = true,
            }
        }
        // Where one does not come to watch, its last word will say nothing either.
        let _ = tokio::time::timeout_at(deadline, join_all(self.watching.drain(..))).await;
        Ok(())
    }

    /// Takes one event. `Some`: it ends the recording.
    pub(super) async fn take(&mut self, tab: usize, event: LeaseEvent) -> Result<Option<String>, Failure> {
        self.at = tab;
        match event {
            LeaseEvent::Ready { frame: 0, document, url, .. } => self.begin_document(document, &url),
            LeaseEvent::Ready { document, .. } => self.watch_document(document, None),
            LeaseEvent::Page { document, event, .. } => self.page_said(document, event).await?,
            LeaseEvent::Committed {
                frame: 0, document, url, same_document, transition, qualifiers, ..
            } => {
                let watched = &self.tabs[tab];
                if tab > 0 && !same_document && watched.first.is_none_or(|first| first == document) {
                    // What opened the tab brought its first page, and that is told of the step already.
                    return Ok(None);
                }
                if let Some(origin) = origins::origin(&url) {
                    let stored = self.stored(&origin);
                    if self.head.origins.insert(stored) {
                        self.keep_head().await?;
                    }
                }
                let travels = self.tabs[tab].travels.take();
                let commit = Commit {
                    url: &url,
                    by_person: travels.is_some_and(|heard| heard.elapsed() < ON_ITS_WAY),
                    same_document,
                    transition: &transition,
                    qualifiers: &qualifiers,
                    // A step brings one page; what follows that is another's doing.
                    since_step: self.trail.last_step_age().filter(|age| {
                        self.tabs[tab].committed.is_none_or(|committed| committed.elapsed() > *age)
                    }),
                };
                let meaning = self.tabs[tab].history.take(commit);
                self.tabs[tab].committed = Some(Instant::now());
                self.moved(meaning, &url).await?;
            }
            LeaseEvent::Request { method, url, kind, .. } => self.requested(method, &url, &kind).await?,
            LeaseEvent::Opened { tab, url } => {
                let url = self.stored(&url);
                let change = self.trail.opened(url);
                self.changed(change).await?;
                self.follow(tab).await;
            }
            LeaseEvent::DialogOpened { kind, message, .. } => {
                let message = self.redactor.apply(&value::templatize(&message, &self.inputs));
                let change = self.trail.dialog(Dialog { kind, message, ..Dialog::default() });
                self.changed(change).await?;
            }
            LeaseEvent::DialogClosed { accepted, text } => {
                let change = self.trail.answered(accepted, value::templatize(&text, &self.inputs));
                self.changed(change).await?;
            }
            LeaseEvent::NotReady { frame: 0, url, error } => {
                self.say(format!("{url} cannot be recorded: {}", error.message)).await;
            }
            LeaseEvent::Disconnected => self.say("the browser is away; waiting for it to come back").await,
            LeaseEvent::Reconnected => self.say("the browser is back").await,
            LeaseEvent::PanelStop => return Ok(Some("stopped in the panel".into())),
            LeaseEvent::TabGone { reason } => return self.tab_gone(reason).await,
            _ => {}
        }
        Ok(None)
    }

    /// The tab that the person is at: the one of the last step, with its document and its URL as stored.
    pub(super) fn in_front(&mut self) -> Result<(T, u32, String), Failure> {
        let place = self.trail.last_tab().filter(|place| *place < self.tabs.len()).unwrap_or_default();
        self.at = place;
        let watched = &self.tabs[place];
        let document = watched.tab.document().or(watched.document);
        let loading =
            || Failure::new(ErrorKind::Page, "the page is not there yet", "try again once it has loaded");
        Ok((watched.tab.clone(), document.ok_or_else(loading)?, watched.url.clone()))
    }

    /// A tab was closed: a step, where another one is left to go on in.
    async fn tab_gone(&mut self, reason: String) -> Result<Option<String>, Failure> {
        let watched = &mut self.tabs[self.at];
        (watched.document, watched.gone) = (None, true);
        if self.tabs.iter().all(|one| one.gone) {
            return Ok(Some(reason));
        }
        let url_before = self.tabs[self.at].url.clone();
        let action = Action { method: Method::CloseTab, ..Action::default() };
        let step = Step { url_before, action, tab: self.tab_number(), ..Step::default() };
        let change = self.trail.host_step(step, None);
        self.changed(change).await?;
        Ok(None)
    }

    /// A URL as it stands on disk.
    fn stored(&self, url: &str) -> String {
        self.redactor.apply(&value::templatize(url, &self.inputs))
    }

    /// Watches a tab that a page opened, as the recorded one is watched.
    async fn follow(&mut self, tab: i32) {
        match (self.adopt)(tab, masks(&self.inputs).1).await {
            Ok((tab, mut events)) => {
                let place = self.tabs.len();
                self.tabs.push(Watched::new(tab));
                let queue = self.more.0.clone();
                tokio::spawn(async move {
                    while let Some(event) = events.next().await {
                        if queue.send((place, event)).await.is_err() {
                            break;
                        }
                    }
                });
            }
            Err(error) => self.say(format!("a tab that the page opened is not recorded: {error}")).await,
        }
    }

    fn begin_document(&mut self, document: u32, url: &str) {
        let stored = self.stored(url);
        let watched = &mut self.tabs[self.at];
        if watched.document == Some(document) {
            return;
        }
        let first = watched.document.is_none();
        watched.document = Some(document);
        watched.first.get_or_insert(document);
        watched.url = stored;
        if first {
            self.first_page(document, url);
        }
        let prior = self.trail.prior_for(self.key(document)).map(Box::new);
        self.watch_document(document, prior);
    }

    /// Tells a document to watch the person.
    fn watch_document(&mut self, document: u32, prior: Option<Box<Captured>>) {
        let options =
            RecordOptions { next_number: self.trail.next_number(), inputs: self.inputs.clone(), prior };
        let (tab, events, started) =
            (self.tabs[self.at].tab.clone(), self.events.clone(), self.started.take());
        self.watching.retain(|one| !one.is_finished());
        self.watching.push(tokio::spawn(async move {
            let watched = tab.ask(document, PageRequest::Record(options), BEGIN).await;
            if let Some(event) = started {
                let _ = events.send(ClientEvent::Record { event }).await;
            }
            if let Err(error) = watched {
                let text = format!("this page is not recorded: {error}");
                let _ = events.send(ClientEvent::Record { event: RecordEvent::Log { text } }).await;
            }
        }));
    }

    /// A document's number among those of all tabs.
    fn key(&self, document: u32) -> u64 {
        (self.at as u64) << 32 | u64::from(document)
    }

    fn first_page(&mut self, document: u32, url: &str) {
        // A tab that was open already has committed long ago.
        let commit = Commit {
            url,
            same_document: false,
            transition: "",
            qualifiers: &[],
            since_step: None,
            by_person: false,
        };
        self.tabs[self.at].history.take(commit);
        if self.at > 0 {
            return;
        }
        if self.head.start_url.is_empty() {
            self.head.start_url.clone_from(&self.tabs[0].url);
        }
        if self.head.build_identity.is_none() {
            let (tab, from) = (self.tabs[0].tab.clone(), self.build_from.clone().unwrap_or_default());
            self.build = Some(tokio::spawn(async move { build::live(&tab, document, &from).await }));
        }
    }

    async fn page_said(&mut self, document: u32, event: PageEvent) -> Result<(), Failure> {
        let change = match event {
            PageEvent::Captured(mut captured) | PageEvent::Amended(mut captured) => {
                self.learn(&captured).await?;
                captured.step.tab = self.tab_number();
                let change = self.trail.capture(self.key(document), captured);
                let lost = self.trail.give_opened(change);
                self.changed(lost).await?;
                change
            }
            PageEvent::Retracted { number } => self.trail.retract(self.key(document), number),
            PageEvent::Travels => self.heard_of_travel().await?,
            PageEvent::Panicked { message } => {
                self.say(format!("the probe panicked and was made anew: {message}")).await;
                // It has forgotten that it was to watch.
                let watched = &mut self.tabs[self.at];
                if watched.document == Some(document) {
                    watched.document = None;
                    let url = watched.url.clone();
                    self.begin_document(document, &url);
                } else {
                    self.watch_document(document, None);
                }
                Change::Nothing
            }
            _ => Change::Nothing,
        };
        self.changed(change).await
    }

    /// A secret that was typed becomes an input, and every page masks it from now on. Its value stays in memory.
    async fn learn(&mut self, captured: &Captured) -> Result<(), Failure> {
        let mut declared = false;
        for (name, secret) in &captured.secrets {
            let input = InputValue { value: secret.clone(), secret: true };
            if self.inputs.get(name) == Some(&input) {
                continue;
            }
            self.inputs.insert(name.clone(), input);
            for one in &self.tabs {
                one.tab.hide(name, secret);
            }
            declared |= !self.head.inputs.contains_key(name);
            self.head.declare(name, true);
        }
        if !captured.secrets.is_empty() {
            self.redactor = self.make_redactor();
        }
        if declared { self.keep_head().await } else { Ok(()) }
    }

    /// From 1; where there is but one tab nothing need be said.
    pub(super) fn tab_number(&self) -> Option<u32> {
        (self.tabs.len() > 1).then_some(self.at as u32 + 1)
    }

    async fn moved(&mut self, meaning: Meaning, url: &str) -> Result<(), Failure> {
        let stored = self.stored(url);
        let change = match meaning {
            // Redirects before the first page was there are part of the start.
            _ if self.tabs[self.at].document.is_none() => Change::Nothing,
            Meaning::Start => Change::Nothing,
            Meaning::Page => self.trail.moved(stored.clone()),
            Meaning::Unclear(method) => {
                let watched = &mut self.tabs[self.at];
                let (from, to) = (watched.url.clone(), stored.clone());
                watched.unclear = Some(Unclear { method, from, to, at: Instant::now() });
                self.trail.moved(stored.clone())
            }
            Meaning::Person(method) => {
                let from = self.tabs[self.at].url.clone();
                self.travelled(method, from, &stored).await?
            }
        };
        self.tabs[self.at].url = stored;
        self.changed(change).await
    }

    /// A step at the browser's own controls.
    async fn travelled(&mut self, method: Method, url_before: String, to: &str) -> Result<Change, Failure> {
        let shortcut = self.trail.retract_shortcut(shortcuts(method));
        self.changed(shortcut).await?;
        let value = (method == Method::Goto).then(|| to.to_owned());
        let action = Action { method, value, ..Action::default() };
        let step = Step { url_before, action, tab: self.tab_number(), ..Step::default() };
        Ok(self.trail.host_step(step, Some(to.to_owned())))
    }

    /// The page heard a person travel; the browser may have told where to already.
    async fn heard_of_travel(&mut self) -> Result<Change, Failure> {
        let watched = &mut self.tabs[self.at];
        let Some(unclear) = watched.unclear.take().filter(|unclear| unclear.at.elapsed() < OVERTAKEN) else {
            watched.travels = Some(Instant::now());
            return Ok(Change::Nothing);
        };
        let change = self.trail.did_not_move(&unclear.to);
        self.changed(change).await?;
        self.travelled(unclear.method, unclear.from, &unclear.to).await
    }

    async fn requested(&mut self, method: String, url: &str, kind: &str) -> Result<(), Failure> {
        let changes = changes_state(&method);
        if only_reports(kind) || (kind == "main_frame" && !changes) {
            return Ok(());
        }
        let url_pattern = url_pattern::generalise_with(url, &self.inputs);
        let change = self.trail.requested(Requested { method, url_pattern }, changes);
        self.changed(change).await
    }

    /// Journals a change, shows it, and tells whoever listens.
    pub(super) async fn changed(&mut self, change: Change) -> Result<(), Failure> {
        match change {
            Change::Nothing => return Ok(()),
            Change::Retracted(place, number) => {
                self.journal(JournalKind::Retracted, place as u32 + 1, String::new()).await?;
                self.emit(RecordEvent::Retracted { number }).await;
            }
            Change::New(place) | Change::Amended(place) => {
                let captured = self.clean(&self.trail.at(place));
                let body = serde_json::to_string(&captured).unwrap_or_default();
                self.journal(JournalKind::Step, place as u32 + 1, body).await?;
                let number = captured.number;
                let mut step = captured.step;
                step.effect = captured.effect;
                let (text, weak) = (lines::step_words(&step), step.weak.clone());
                let step = Box::new(step);
                self.emit(match change {
                    Change::New(_) => RecordEvent::Step { number, text, weak, step },
                    _ => RecordEvent::Amended { number, text, weak, step },
                })
                .await;
            }
        }
        (self.on_change)(self.trail.len());
        self.show();
        Ok(())
    }

    /// A captured step without secrets.
    fn clean(&self, captured: &Captured) -> Captured {
        let mut json = serde_json::to_value(captured).unwrap_or_default();
        self.redactor.apply_json(&mut json);
        serde_json::from_value(json).unwrap_or_default()
    }

    pub(super) async fn keep_head(&self) -> Result<(), Failure> {
        let body = serde_json::to_string(&self.head).unwrap_or_default();
        self.journal(JournalKind::Head, 0, body).await
    }

    async fn journal(&self, kind: JournalKind, step: u32, body: String) -> Result<(), Failure> {
        Ok(self.store.journal(&self.id, JournalEntry { kind, step, body }).await?)
    }

    /// A line for people.
    pub(super) async fn say(&self, text: impl Into<String>) {
        let text = self.redactor.apply(&text.into());
        self.emit(RecordEvent::Log { text }).await;
    }

    async fn emit(&self, event: RecordEvent) {
        // A listener that went away ends the recording by its stop signal.
        let _ = self.events.send(ClientEvent::Record { event }).await;
    }

    fn show(&self) {
        let Some(panel) = &self.panel else { return };
        let steps = self.trail.steps().into_iter().map(|captured| {
            let captured = self.clean(&captured);
            PanelStep {
                number: captured.number,
                text: lines::step_words(&captured.step),
                weak: captured.step.weak,
            }
        });
        let state = PanelState {
            lease: Some(panel.lease.clone()),
            name: self.head.name.clone(),
            steps: steps.collect(),
        };
        panel.hub.show_panel(&state);
    }

    /// The build's identity, where the page has said it by now.
    pub(super) async fn settle_build(&mut self) {
        let Some(task) = self.build.take() else { return };
        if let Ok(Ok(identity)) = tokio::time::timeout(Duration::from_millis(500), task).await {
            self.head.build_identity = identity;
        }
    }
}
