//! What happens in a leased tab, on its way from the worker to the session.

use std::time::Duration;

use cairn_core::wire::WireError;
use cairn_core::wire::page::{Configure, PageEvent};
use cairn_core::wire::worker::Engine;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::document::Documents;
use super::lease::Open;

/// Events that may wait for a slow session. A session that falls further behind has lost its lease: nothing is
/// dropped in silence.
const EVENT_QUEUE: usize = 8192;

/// What a new window shows at first.
const EMPTY_PAGE: &str = "about:blank";

/// What happens in a leased tab, in the order in which it was seen.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "most events are a page's: a box each would cost more than the room"
)]
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
        /// HTTP status of the answer; 0 where it was not seen, or there is none.
        status: u16,
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
    /// The navigation that had begun brings no document: the page stays.
    Stays,
    /// A native dialog opened, and the debugger was there to see it.
    DialogOpened {
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        kind: String,
        /// Its text.
        message: String,
        /// What a prompt holds at first.
        preset: String,
    },
    /// It was answered.
    DialogClosed {
        /// By its yes.
        accepted: bool,
        /// What a prompt got.
        text: String,
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

/// A native dialog that waits for its answer; the page waits with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenDialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// Its text.
    pub message: String,
}

/// The hub's side of one lease.
pub(in crate::daemon) struct LeaseRecord {
    /// The key of the browser that holds the tab.
    pub(in crate::daemon) key: String,
    /// The tab.
    pub(in crate::daemon) tab: i32,
    /// The tab was there before the lease.
    pub(in crate::daemon) adopted: bool,
    pub(in crate::daemon) documents: Documents,
    /// Which build of the probe was asked for: the tabs that its pages open get the same.
    pub(in crate::daemon) engine: Engine,
    template: Configure,
    events: mpsc::Sender<LeaseEvent>,
    /// The last word, kept apart from the queue so that it cannot be crowded out.
    last_word: watch::Sender<Option<WireError>>,
    /// Bumped whenever a document becomes ready or fails.
    changed: watch::Sender<u64>,
    /// The native dialog that is open, as far as the debugger sees them.
    dialog: watch::Sender<Option<OpenDialog>>,
    disconnected_since: Option<Instant>,
    /// A new window is empty before its URL is opened in it; of that page nothing is said.
    awaits_first_page: bool,
}

impl LeaseRecord {
    pub(in crate::daemon) fn new(key: &str, open: Open) -> (Self, LeaseEvents) {
        let first_url = open.url.or(open.at_url);
        let (events, queue) = mpsc::channel(EVENT_QUEUE);
        let (last_word, last) = watch::channel(None);
        let (changed, _) = watch::channel(0);
        let record = Self {
            key: key.to_owned(),
            tab: -1,
            adopted: false,
            documents: Documents::default(),
            engine: open.engine,
            template: open.configure,
            events,
            last_word,
            changed,
            dialog: watch::channel(None).0,
            disconnected_since: None,
            awaits_first_page: first_url.is_some_and(|url| url != EMPTY_PAGE),
        };
        (record, LeaseEvents { queue, last, ended: false })
    }

    /// The native dialog that is open.
    pub(in crate::daemon) fn dialog(&self) -> watch::Receiver<Option<OpenDialog>> {
        self.dialog.subscribe()
    }

    /// Queues an event. False where the session has fallen too far behind: the lease must end.
    pub(in crate::daemon) fn emit(&self, event: LeaseEvent) -> bool {
        match &event {
            LeaseEvent::DialogOpened { kind, message, .. } => {
                let (kind, message) = (kind.clone(), message.clone());
                self.dialog.send_replace(Some(OpenDialog { kind, message }));
            }
            LeaseEvent::DialogClosed { .. } | LeaseEvent::Ready { frame: 0, .. } => {
                self.dialog.send_replace(None);
            }
            _ => {}
        }
        // A closed queue is fine: a session may only ask and not listen, as `probe` does.
        !matches!(self.events.try_send(event), Err(mpsc::error::TrySendError::Full(_)))
    }

    /// Is this the empty page of a new window, whose own page is still to come?
    pub(in crate::daemon) fn is_before_first_page(&mut self, url: &str) -> bool {
        self.awaits_first_page &= url == EMPTY_PAGE;
        self.awaits_first_page
    }

    /// Where the reason of the lease's end will stand.
    pub(in crate::daemon) fn last_word(&self) -> watch::Receiver<Option<WireError>> {
        self.last_word.subscribe()
    }

    /// Says when a document becomes ready or fails, or the socket comes or goes.
    pub(in crate::daemon) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(in crate::daemon) fn is_connected(&self) -> bool {
        self.disconnected_since.is_none()
    }

    pub(in crate::daemon) fn template(&mut self) -> &mut Configure {
        &mut self.template
    }

    pub(in crate::daemon) fn bump(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// The `Configure` of a frame's document.
    pub(in crate::daemon) fn configure(&self, frame: i32) -> Configure {
        self.documents.configure(&self.template, frame)
    }

    pub(in crate::daemon) fn disconnected(&mut self) {
        self.disconnected_since = Some(Instant::now());
        self.emit(LeaseEvent::Disconnected);
        self.bump();
    }

    pub(in crate::daemon) fn reconnected(&mut self) {
        if self.disconnected_since.take().is_some() {
            self.emit(LeaseEvent::Reconnected);
            self.bump();
        }
    }

    pub(in crate::daemon) fn is_disconnected_for(&self, span: Duration) -> bool {
        self.disconnected_since.is_some_and(|since| since.elapsed() >= span)
    }

    /// The last word of the lease: every question fails, the session hears `TabGone`.
    pub(in crate::daemon) fn end(&mut self, error: &WireError) {
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
        // A lease that its own session closed has no last word.
        let word = self.last.borrow().clone()?;
        Some(LeaseEvent::TabGone { reason: word.message })
    }
}
