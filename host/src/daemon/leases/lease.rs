//! A lease: one session's exclusive right to one tab, what can be asked of it, and what happens in it.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use cairn_core::element::FrameStep;
use cairn_core::wire::page::{Configure, PageAnswer, PageRequest, ToPage};
use cairn_core::wire::worker::{Call, CallResult, Command, Engine, Navigation, ToWorker, Viewport};
use cairn_core::wire::{ErrorCode, WireError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};

use super::document::{Answerer, ChildFrame, Readiness, left};
use super::events::{LeaseEvents, LeaseRecord, OpenDialog};
use super::hub::{CALL_BOUND, Hub};
use super::link::{disconnected, frame_text};
use serde_json::json;

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

/// The debugger's command that answers a native dialog; `text`: what a prompt gets.
pub fn dialog_answer(accept: bool, text: &str) -> Command {
    let params = json!({ "accept": accept, "promptText": text });
    Command { method: "Page.handleJavaScriptDialog".into(), params }
}

/// One session's exclusive right to one tab. Clones are the same lease; when the last one is dropped without `close`,
/// the lease ends and the tab stays as it is.
#[derive(Clone)]
pub struct Lease(Arc<Held>);

struct Held {
    hub: Hub,
    id: String,
    /// Why it ended, once it has.
    last_word: watch::Receiver<Option<WireError>>,
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
    pub(in crate::daemon) fn new(
        hub: Hub,
        id: String,
        last_word: watch::Receiver<Option<WireError>>,
    ) -> Self {
        Self(Arc::new(Held { hub, id, last_word }))
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The browser's tab id.
    pub fn tab(&self) -> Option<i32> {
        self.0.hub.state().leases.get(&self.0.id).map(|record| record.tab)
    }

    /// Was the tab there before the lease? Then it is not the lease's to close.
    pub fn is_adopted(&self) -> bool {
        self.0.hub.state().leases.get(&self.0.id).is_some_and(|record| record.adopted)
    }

    /// Why the top frame cannot be asked: it failed to load, or no probe could be started in it.
    pub fn failure(&self) -> Option<WireError> {
        let state = self.0.hub.state();
        match &state.leases.get(&self.0.id)?.documents.frame(0)?.readiness {
            Readiness::Failed(error) => Some(error.clone()),
            Readiness::Awaited | Readiness::Ready => None,
        }
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

    /// Asks the document with this number, in whatever frame it is, and no later one: a batch must never reach a page that its
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
        let frame = {
            let state = self.0.hub.state();
            let record = state.leases.get(&self.0.id).ok_or_else(|| self.ended())?;
            record.documents.frame_of(document).unwrap_or(0)
        };
        self.ask_in(frame, Some(document), request, bound).await
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
            // Where the socket ends first, the question is asked again on the next one.
            let _ = outgoing.send(text).await;
            waiting.await.map_err(|_| gone())?
        };
        let Ok(result) = timeout_at(deadline, answered).await else {
            let mut state = self.0.hub.state();
            if let Some(record) = state.leases.get_mut(&self.0.id) {
                record.documents.forget(id);
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
            change(record.template());
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

    /// Has the browser's debugger do these commands in the tab, one after the other.
    ///
    /// # Errors
    /// `Refused` where the browser will not, `TimedOut`, `Disconnected`.
    pub async fn debug(&self, commands: Vec<Command>) -> Result<(), WireError> {
        let call = Call::Debug { lease: self.0.id.clone(), commands, unseen: false };
        self.call(call, CALL_BOUND).await.map(drop)
    }

    /// Attaches the browser's debugger, so that native dialogs are seen and can be answered. `unseen`: only where nobody
    /// is disturbed by the browser's banner.
    ///
    /// # Errors
    /// As `debug`.
    pub async fn attach_debugger(&self, unseen: bool) -> Result<(), WireError> {
        let call = Call::Debug { lease: self.0.id.clone(), commands: Vec::new(), unseen };
        self.call(call, CALL_BOUND).await.map(drop)
    }

    /// The native dialog that is open, as it comes and goes. Seen only where the debugger is attached.
    pub fn dialog(&self) -> watch::Receiver<Option<OpenDialog>> {
        let state = self.0.hub.state();
        state.leases.get(&self.0.id).map_or_else(|| watch::channel(None).1, LeaseRecord::dialog)
    }

    /// Answers it.
    ///
    /// # Errors
    /// As `debug`.
    pub async fn answer_dialog(&self, accept: bool, text: &str) -> Result<(), WireError> {
        self.debug(vec![dialog_answer(accept, text)]).await
    }

    /// Leases a tab that a page of this one opened. Its pages mask what these do, and get the same build of the probe.
    ///
    /// # Errors
    /// As `Hub::open`.
    pub async fn adopt(&self, tab: i32) -> Result<(Self, LeaseEvents), WireError> {
        let (configure, engine) = {
            let mut state = self.0.hub.state();
            let record = state.leases.get_mut(&self.0.id).ok_or_else(|| self.ended())?;
            (record.template().clone(), record.engine)
        };
        self.0.hub.open(Open { tab: Some(tab), engine, configure, ..Open::default() }).await
    }

    /// The frames below the top one, as far as they are known.
    pub fn children(&self) -> Vec<ChildFrame> {
        let state = self.0.hub.state();
        state.leases.get(&self.0.id).map(|record| record.documents.children()).unwrap_or_default()
    }

    /// Every document whose probe is ready.
    pub fn documents(&self) -> Vec<u32> {
        let state = self.0.hub.state();
        let Some(record) = state.leases.get(&self.0.id) else { return Vec::new() };
        record.documents.ready_frames().map(|(_, frame)| frame.number).collect()
    }

    /// The document that is shown in the frame of this path, where its probe is ready.
    pub fn document_in(&self, path: &[FrameStep]) -> Option<u32> {
        self.0.hub.state().leases.get(&self.0.id)?.documents.shown_in(path)
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
        self.0.hub.call(&key.ok_or_else(|| self.ended())?, call, bound).await
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
            state.leases.get(&self.0.id).ok_or_else(|| self.ended())?.changes()
        };
        loop {
            changed.borrow_and_update();
            {
                let state = self.0.hub.state();
                let record = state.leases.get(&self.0.id).ok_or_else(|| self.ended())?;
                let shown = record.documents.frame(frame);
                if only.is_some_and(|only| shown.is_none_or(|shown| shown.number != only)) {
                    return Err(left());
                }
                match shown.map(|frame| (&frame.readiness, &frame.document)) {
                    Some((Readiness::Ready, document)) if record.is_connected() => {
                        return Ok(document.clone());
                    }
                    Some((Readiness::Failed(error), _)) => return Err(error.clone()),
                    _ => {}
                }
            }
            match timeout_at(deadline, changed.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Err(self.ended()),
                Err(_) => return Err(self.not_ready(bound)),
            }
        }
    }

    /// Why the frame's probe is not there when the bound is over.
    fn not_ready(&self, bound: Duration) -> WireError {
        let state = self.0.hub.state();
        let record = state.leases.get(&self.0.id);
        if record.is_some_and(|record| !record.is_connected()) {
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

    /// Why the lease is no longer there.
    fn ended(&self) -> WireError {
        self.0.last_word.borrow().clone().unwrap_or_else(gone)
    }

    /// A page message's text with its place in the books.
    fn prepare(
        &self,
        frame: i32,
        document: &str,
        request: PageRequest,
        answer: Option<Answerer>,
    ) -> Result<(u64, mpsc::Sender<String>, String), WireError> {
        let mut state = self.0.hub.state();
        let id = state.next_id();
        let message = page_message(&self.0.id, frame, document, id, request)?;
        let key = state.leases.get(&self.0.id).ok_or_else(|| self.ended())?.key.clone();
        let outgoing = state.links.get(&key).ok_or_else(disconnected)?.outgoing.clone();
        if let Some(record) = state.leases.get_mut(&self.0.id) {
            record.documents.ask(id, document, message.clone(), answer);
        }
        Ok((id, outgoing, message))
    }
}

/// The frame that carries a request to a document's probe.
pub(in crate::daemon) fn page_message(
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
    format!("{:.1} s", span.as_secs_f32())
}
