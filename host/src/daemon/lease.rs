//! A lease: one session's exclusive right to one tab, what can be asked of it, and what happens in it.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use cairn_core::wire::page::{Configure, PageAnswer, PageEvent, PageRequest, ToPage};
use cairn_core::wire::worker::{Call, CallResult, Engine, Navigation, ToWorker, Viewport};
use cairn_core::wire::{ErrorCode, WireError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};

use super::document::{Documents, PendingAsk, Readiness, left};
use super::hub::{CALL_BOUND, Hub};
use super::link::{disconnected, frame_text};

/// Events that may wait for a slow session. A session that falls further behind has lost its lease: nothing is
/// dropped in silence.
const EVENT_QUEUE: usize = 8192;

/// What to lease.
#[derive(Clone, Debug)]
pub struct Open {
    /// The URL to open in a new window of its own.
    pub url: Option<String>,
    /// Take this tab instead.
    pub tab: Option<i32>,
    /// Or the most recent tab at exactly this URL, if there is one; else `url` is opened.
    pub at_url: Option<String>,
    /// Which build of the probe.
    pub engine: Engine,
    /// Size of the new window's page.
    pub viewport: Option<Viewport>,
    /// What each new document's probe is told first; its `document` and `frame` are filled in.
    pub configure: Configure,
    /// How long the worker may take to open the tab.
    pub bound: Duration,
}

impl Default for Open {
    fn default() -> Self {
        Self {
            url: None,
            tab: None,
            at_url: None,
            engine: Engine::Auto,
            viewport: None,
            configure: Configure::default(),
            bound: Duration::from_secs(30),
        }
    }
}

/// What happens in a leased tab, in the order in which it was seen.
#[derive(Clone, Debug, PartialEq)]
pub enum LeaseEvent {
    /// A frame's probe is ready and has been sent its `Configure`.
    Ready {
        /// The browser's frame id; 0 is the top frame.
        frame: i32,
        /// Number of the document in this lease: the prefix of its refs.
        document: u32,
        /// URL.
        url: String,
        /// `wasm` or `js`.
        engine: String,
    },
    /// A frame's probe could not be started.
    NotReady {
        /// The frame.
        frame: i32,
        /// URL.
        url: String,
        /// Why.
        error: WireError,
    },
    /// A navigation began in the top frame.
    Leaving {
        /// Where to.
        url: String,
    },
    /// A frame's document changed, or its URL did within the document.
    Committed {
        /// The frame.
        frame: i32,
        /// Number of the document, the new one's unless `same_document`.
        document: u32,
        /// URL.
        url: String,
        /// `true` for pushState and fragments.
        same_document: bool,
        /// How the browser names it: `link`, `typed`, `reload`, `form_submit`, …
        transition: String,
        /// `forward_back`, `server_redirect`, `client_redirect`, …
        qualifiers: Vec<String>,
    },
    /// A navigation failed; the page shows the browser's error.
    LoadFailed {
        /// The frame.
        frame: i32,
        /// URL.
        url: String,
        /// The browser's word, e.g. `net::ERR_CONNECTION_REFUSED`.
        error: String,
    },
    /// A probe said something unasked.
    Page {
        /// The frame.
        frame: i32,
        /// The document that said it; it may have been left since.
        document: u32,
        /// What.
        event: PageEvent,
    },
    /// A page of the lease opened a tab.
    Opened {
        /// The new tab.
        tab: i32,
        /// URL.
        url: String,
    },
    /// A request that is not a plain read of a page's parts.
    Request {
        /// HTTP method.
        method: String,
        /// URL without its query.
        url: String,
        /// The browser's kind: `xmlhttprequest`, `main_frame`, `ping`, …
        kind: String,
        /// Milliseconds since 1970.
        at: f64,
    },
    /// The lease has ended: the tab was closed, crashed, or its browser is gone. Nothing follows.
    TabGone {
        /// Why, in words.
        reason: String,
    },
    /// The socket is down. Answers may still come after `Reconnected`.
    Disconnected,
    /// The browser is back and still holds the tab.
    Reconnected,
    /// The person pressed Stop in the panel.
    PanelStop,
}

/// The hub's side of one lease.
pub(super) struct LeaseRecord {
    /// The key of the browser that holds the tab.
    pub(super) key: String,
    /// The tab.
    pub(super) tab: i32,
    pub(super) documents: Documents,
    template: Configure,
    events: mpsc::Sender<LeaseEvent>,
    /// The last word, kept apart from the queue so that it cannot be crowded out.
    last_word: watch::Sender<Option<WireError>>,
    /// Bumped whenever a document becomes ready or fails.
    changed: watch::Sender<u64>,
    disconnected_since: Option<Instant>,
}

impl LeaseRecord {
    pub(super) fn new(key: &str, template: Configure) -> (Self, LeaseEvents) {
        let (events, queue) = mpsc::channel(EVENT_QUEUE);
        let (last_word, last) = watch::channel(None);
        let (changed, _) = watch::channel(0);
        let record = Self {
            key: key.to_owned(),
            tab: -1,
            documents: Documents::default(),
            template,
            events,
            last_word,
            changed,
            disconnected_since: None,
        };
        (record, LeaseEvents { queue, last, ended: false })
    }

    /// Queues an event. False where the session has fallen too far behind: the lease must end.
    pub(super) fn emit(&self, event: LeaseEvent) -> bool {
        match self.events.try_send(event) {
            Ok(()) => true,
            // The session only asks and does not listen: `probe` does so.
            Err(mpsc::error::TrySendError::Closed(_)) => true,
            Err(mpsc::error::TrySendError::Full(_)) => false,
        }
    }

    pub(super) fn bump(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// The `Configure` of a frame's document.
    pub(super) fn configure(&self, frame: i32) -> Configure {
        self.documents.configure(&self.template, frame)
    }

    pub(super) fn disconnected(&mut self) {
        self.disconnected_since = Some(Instant::now());
        self.emit(LeaseEvent::Disconnected);
        self.bump();
    }

    pub(super) fn reconnected(&mut self) {
        if self.disconnected_since.take().is_some() {
            self.emit(LeaseEvent::Reconnected);
            self.bump();
        }
    }

    pub(super) fn is_disconnected_for(&self, span: Duration) -> bool {
        self.disconnected_since.is_some_and(|since| since.elapsed() >= span)
    }

    /// The last word of the lease: every question fails, the session hears `TabGone`.
    pub(super) fn end(&mut self, error: &WireError) {
        self.documents.fail_all(error);
        self.last_word.send_replace(Some(error.clone()));
        self.bump();
    }
}

/// What happens in the tab, in order.
pub struct LeaseEvents {
    queue: mpsc::Receiver<LeaseEvent>,
    last: watch::Receiver<Option<WireError>>,
    ended: bool,
}

impl LeaseEvents {
    /// The next event. `None` after `TabGone`, and after the lease was closed.
    pub async fn next(&mut self) -> Option<LeaseEvent> {
        if self.ended {
            return None;
        }
        if let Some(event) = self.queue.recv().await {
            return Some(event);
        }
        self.ended = true;
        let word = self.last.borrow().clone()?;
        Some(LeaseEvent::TabGone { reason: word.message })
    }
}

/// One session's exclusive right to one tab. Clones are the same lease; when the last one is dropped without `close`,
/// the lease ends and the tab stays as it is.
#[derive(Clone)]
pub struct Lease(Arc<Held>);

struct Held {
    hub: Hub,
    id: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        let record = self.hub.state().leases.remove(&self.id);
        if let Some(record) = record {
            self.hub.tell(&record.key, Call::Close { lease: self.id.clone(), keep_tab: true });
        }
    }
}

impl Lease {
    pub(super) fn new(hub: Hub, id: String) -> Self {
        Self(Arc::new(Held { hub, id }))
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The browser's tab id.
    pub fn tab(&self) -> Option<i32> {
        self.0.hub.state().leases.get(&self.0.id).map(|record| record.tab)
    }

    /// Number of the top frame's document, where its probe is ready.
    pub fn document(&self) -> Option<u32> {
        let state = self.0.hub.state();
        let frame = state.leases.get(&self.0.id)?.documents.frame(0)?;
        (frame.readiness == Readiness::Ready).then_some(frame.number)
    }

    /// URL of the top frame's document as the browser last said it.
    pub fn url(&self) -> Option<String> {
        let state = self.0.hub.state();
        state.leases.get(&self.0.id)?.documents.frame(0).map(|frame| frame.url.clone())
    }

    /// Asks a frame's probe, once it is ready. `bound` covers both the wait for the probe and its answer.
    ///
    /// # Errors
    /// `TimedOut` with a reason, `Gone` where the page was left first or the tab ended, `Disconnected`, or the probe's
    /// own error.
    pub async fn ask(
        &self,
        frame: i32,
        request: PageRequest,
        bound: Duration,
    ) -> Result<PageAnswer, WireError> {
        self.ask_in(frame, None, request, bound).await
    }

    /// Asks the top frame's document with this number and no later one: a batch must never reach a page that its
    /// sender has not heard of.
    ///
    /// # Errors
    /// As `ask`; `Gone` where another document has come in the meantime.
    pub async fn ask_document(
        &self,
        document: u32,
        request: PageRequest,
        bound: Duration,
    ) -> Result<PageAnswer, WireError> {
        self.ask_in(0, Some(document), request, bound).await
    }

    async fn ask_in(
        &self,
        frame: i32,
        only: Option<u32>,
        request: PageRequest,
        bound: Duration,
    ) -> Result<PageAnswer, WireError> {
        let deadline = Instant::now() + bound;
        let document = self.ready_document(frame, only, deadline, bound).await?;
        let (answer, waiting) = oneshot::channel();
        let (id, outgoing, text) = self.prepare(frame, &document, request, Some(answer))?;
        let answered = async {
            outgoing.send(text).await.map_err(|_| disconnected())?;
            waiting.await.map_err(|_| gone())?
        };
        let Ok(result) = timeout_at(deadline, answered).await else {
            let mut state = self.0.hub.state();
            if let Some(record) = state.leases.get_mut(&self.0.id) {
                record.documents.asks.remove(&id);
            }
            let message = format!(
                "the page did not answer within {}: its renderer is busy or hung, or a dialog is open",
                seconds(bound)
            );
            return Err(WireError::new(
                ErrorCode::TimedOut,
                message,
                "look at the tab, or give it more time",
            ));
        };
        result
    }

    /// Changes what documents are told first, for those to come and for those that are there: a new secret is masked
    /// from now on.
    pub fn reconfigure(&self, change: impl FnOnce(&mut Configure)) {
        let ready: Vec<(i32, String)> = {
            let mut state = self.0.hub.state();
            let Some(record) = state.leases.get_mut(&self.0.id) else { return };
            change(&mut record.template);
            record.documents.ready_frames().map(|(id, frame)| (id, frame.document.clone())).collect()
        };
        for (frame, document) in ready {
            let configure = {
                let state = self.0.hub.state();
                state.leases.get(&self.0.id).map(|record| record.configure(frame))
            };
            if let Some(configure) = configure
                && let Ok((_, outgoing, text)) =
                    self.prepare(frame, &document, PageRequest::Configure(configure), None)
                && outgoing.try_send(text).is_err()
            {
                tracing::warn!("a page was not told its new configuration: the socket is full or down");
            }
        }
    }

    /// Moves the tab. Done when the navigation has begun; `Ready` follows for the new document.
    ///
    /// # Errors
    /// `Refused` where the browser will not, `TimedOut`, `Disconnected`.
    pub async fn navigate(&self, to: Navigation) -> Result<(), WireError> {
        self.call(Call::Navigate { lease: self.0.id.clone(), to }, CALL_BOUND).await.map(drop)
    }

    /// A picture of the visible part, as PNG.
    ///
    /// # Errors
    /// `Refused` where the browser will not, `TimedOut`, `Disconnected`.
    pub async fn capture(&self) -> Result<Vec<u8>, WireError> {
        let result = self.call(Call::Capture { lease: self.0.id.clone() }, CALL_BOUND).await?;
        let CallResult::Picture { png } = result else {
            return Err(WireError::new(ErrorCode::BadMessage, "the extension sent no picture", ""));
        };
        base64::engine::general_purpose::STANDARD.decode(png).map_err(|error| {
            WireError::new(ErrorCode::BadMessage, format!("the picture is not base64: {error}"), "")
        })
    }

    /// Ends the lease; the tab is closed unless `keep_tab`. Never fails: a tab that cannot be reached is gone.
    pub async fn close(&self, keep_tab: bool) {
        let call = Call::Close { lease: self.0.id.clone(), keep_tab };
        if let Err(error) = self.call(call, CALL_BOUND).await {
            tracing::debug!("closing a lease: {error}");
        }
        self.0.hub.state().leases.remove(&self.0.id);
    }

    async fn call(&self, call: Call, bound: Duration) -> Result<CallResult, WireError> {
        let key = self.0.hub.state().leases.get(&self.0.id).map(|record| record.key.clone());
        self.0.hub.call(&key.ok_or_else(gone)?, call, bound).await
    }

    /// Waits until the frame's probe is ready; gives the browser's id of its document.
    async fn ready_document(
        &self,
        frame: i32,
        only: Option<u32>,
        deadline: Instant,
        bound: Duration,
    ) -> Result<String, WireError> {
        let mut changed = {
            let state = self.0.hub.state();
            state.leases.get(&self.0.id).ok_or_else(|| self.ended(&state.ended))?.changed.subscribe()
        };
        loop {
            changed.borrow_and_update();
            {
                let state = self.0.hub.state();
                let record = state.leases.get(&self.0.id).ok_or_else(|| self.ended(&state.ended))?;
                let shown = record.documents.frame(frame);
                if only.is_some_and(|only| shown.is_none_or(|shown| shown.number != only)) {
                    return Err(left());
                }
                match shown.map(|frame| (&frame.readiness, &frame.document)) {
                    Some((Readiness::Ready, document)) if record.disconnected_since.is_none() => {
                        return Ok(document.clone());
                    }
                    Some((Readiness::Failed(error), _)) => return Err(error.clone()),
                    _ => {}
                }
            }
            match timeout_at(deadline, changed.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Err(self.ended(&self.0.hub.state().ended)),
                Err(_) => return Err(self.not_ready(bound)),
            }
        }
    }

    /// Why the frame's probe is not there when the bound is over.
    fn not_ready(&self, bound: Duration) -> WireError {
        let state = self.0.hub.state();
        let record = state.leases.get(&self.0.id);
        if record.is_some_and(|record| record.disconnected_since.is_some()) {
            return disconnected();
        }
        let message = match record.and_then(|record| record.documents.frame(0)) {
            Some(frame) => format!(
                "{} was not ready within {}: it is still loading, or its renderer is busy",
                frame.url,
                seconds(bound)
            ),
            None => format!(
                "no page came within {}: the server does not answer, or a dialog is open",
                seconds(bound)
            ),
        };
        WireError::new(ErrorCode::TimedOut, message, "open the URL in a browser to see what it waits for")
    }

    fn ended(&self, hub: &Option<WireError>) -> WireError {
        hub.clone().unwrap_or_else(gone)
    }

    /// A page message's text with its place in the books.
    fn prepare(
        &self,
        frame: i32,
        document: &str,
        request: PageRequest,
        answer: Option<oneshot::Sender<Result<PageAnswer, WireError>>>,
    ) -> Result<(u64, mpsc::Sender<String>, String), WireError> {
        let mut state = self.0.hub.state();
        let id = state.next_id();
        let message = page_message(&self.0.id, frame, document, id, request)?;
        let key = state.leases.get(&self.0.id).ok_or_else(gone)?.key.clone();
        let outgoing = state.links.get(&key).ok_or_else(disconnected)?.outgoing.clone();
        if let (Some(answer), Some(record)) = (answer, state.leases.get_mut(&self.0.id)) {
            record.documents.asks.insert(id, PendingAsk { document: document.to_owned(), answer });
        }
        Ok((id, outgoing, message))
    }
}

/// The frame that carries a request to a document's probe.
pub(super) fn page_message(
    lease: &str,
    frame: i32,
    document: &str,
    id: u64,
    request: PageRequest,
) -> Result<String, WireError> {
    let message = serde_json::to_string(&ToPage { id, request }).map_err(|error| {
        WireError::new(ErrorCode::Internal, format!("a request has no JSON form: {error}"), "")
    })?;
    frame_text(&ToWorker::Page { lease: lease.to_owned(), frame, document: document.to_owned(), message })
}

fn gone() -> WireError {
    WireError::new(ErrorCode::Gone, "the tab is gone", "run again")
}

fn seconds(span: Duration) -> String {
    format!("{} s", span.as_secs_f32())
}
