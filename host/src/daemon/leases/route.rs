//! What comes from a worker, taken to whom it concerns.

use cairn_core::wire::page::{Configure, FromPage, PageEvent, PageRequest};
use cairn_core::wire::worker::{Call, CallResult, FrameInfo, FromWorker, LeaseInfo, ToWorker, WorkerEvent};
use cairn_core::wire::{ErrorCode, WireError};

use super::document::Readiness;
use super::events::{LeaseEvent, LeaseRecord};
use super::hub::{Hub, PanelRecord, State};
use super::lease::page_message;
use super::link::frame_text;

impl Hub {
    /// Takes one message of a browser's worker to whom it concerns; `None` is one that cannot be read. Gives how many have arrived
    /// in this life of the worker, or nothing where the socket was replaced: what it brings is not taken any more.
    pub(in crate::daemon) fn receive(
        &self,
        key: &str,
        generation: u64,
        message: Option<FromWorker>,
    ) -> Option<u64> {
        let mut state = self.state();
        if state.links.get(key).is_none_or(|link| link.generation != generation) {
            return None;
        }
        let life = state.lives.entry(key.to_owned()).or_default();
        life.received += 1;
        let received = life.received;
        match message {
            Some(FromWorker::Done { id, result }) => self.done(&mut state, key, id, result),
            Some(FromWorker::Failed { id, error }) => life.answer(id, Err(error)),
            Some(FromWorker::Page { lease, frame, document, number, message }) => {
                page(&mut state, key, &lease, &Origin { frame, document, number }, &message);
            }
            Some(FromWorker::Event { event: WorkerEvent::PanelRecord { tab, name } }) => {
                drop(state);
                self.announce_panel(PanelRecord { tab, name });
            }
            Some(FromWorker::Event { event }) => happened(&mut state, key, event),
            // Answered by the socket itself.
            Some(FromWorker::Ping) | None => {}
        }
        Some(received)
    }

    fn done(&self, state: &mut State, key: &str, id: u64, result: CallResult) {
        let Some(link) = state.links.get_mut(key) else { return };
        if link.reconciling.contains(&id) {
            // A worker that was asked twice answers twice.
            if let (CallResult::Leases { leases }, false) = (result, link.settled) {
                link.settled = true;
                link.reconciling.clear();
                let calls =
                    state.lives.get_mut(key).map(|life| life.outstanding(&leases)).unwrap_or_default();
                send(state, key, calls);
                reconcile(state, key, leases);
                self.bump();
            }
            return;
        }
        if let Some(life) = state.lives.get_mut(key) {
            life.answer(id, Ok(result));
        }
    }
}

/// After a connection: what the worker still holds goes on, what it lost ends, what nobody here knows is let go.
fn reconcile(state: &mut State, key: &str, held: Vec<LeaseInfo>) {
    let lost = WireError::new(
        ErrorCode::Gone,
        "the browser no longer has the tab",
        "run again; a browser that was restarted has lost its tabs",
    );
    let ids: Vec<String> = state
        .leases
        .iter()
        .filter(|(_, record)| record.key == key && record.tab >= 0)
        .map(|(id, _)| id.clone())
        .collect();
    for id in ids {
        if !held.iter().any(|info| info.lease == id) {
            end(state, &id, &lost);
        }
    }
    for info in held {
        if state.leases.contains_key(&info.lease) {
            resume(state, key, info);
        } else {
            let id = state.next_id();
            let call = Call::Close { lease: info.lease, keep_tab: true };
            send(state, key, frame_text(&ToWorker::Call { id, call }));
        }
    }
}

/// Frames for a worker that has just connected: its queue is empty, and what finds no place there waits for the next connection.
fn send(state: &State, key: &str, frames: impl IntoIterator<Item = String>) {
    let Some(link) = state.links.get(key) else { return };
    for frame in frames {
        if link.outgoing.try_send(frame).is_err() {
            tracing::warn!("a worker that came back was not told everything: its queue is full");
        }
    }
}

/// A lease that outlived its socket: documents that came in the meantime are told who they are.
fn resume(state: &mut State, key: &str, info: LeaseInfo) {
    let Some(record) = state.leases.get_mut(&info.lease).filter(|record| record.key == key) else { return };
    record.reconnected();
    // A page that has had one of these does not take it twice.
    let unanswered = record.documents.unanswered();
    let fresh: Vec<FrameInfo> = info
        .frames
        .into_iter()
        .filter(|frame| {
            let known = record.documents.frame(frame.frame);
            // That a document was committed may have been heard, and that its probe is ready not.
            known.is_none_or(|known| known.document != frame.document || known.readiness != Readiness::Ready)
        })
        .collect();
    send(state, key, unanswered);
    for frame in fresh {
        ready(state, key, &info.lease, &frame);
    }
}

/// A probe is ready: it gets its number and its configuration before anything else can be asked of it.
fn ready(state: &mut State, key: &str, lease: &str, info: &FrameInfo) {
    let id = state.next_id();
    let Some(record) = state.leases.get_mut(lease).filter(|record| record.key == key) else { return };
    let document = record.documents.ready(info);
    record.documents.drop_stale_asks();
    let configure: Configure = record.configure(info.frame);
    let outgoing = state.links.get(key).map(|link| link.outgoing.clone());
    let message = page_message(lease, info.frame, &info.document, id, PageRequest::Configure(configure));
    let Some(record) = state.leases.get_mut(lease) else { return };
    let sent = match (outgoing, message) {
        (Some(outgoing), Ok(text)) => {
            record.documents.ask(id, &info.document, text.clone(), None);
            outgoing.try_send(text).is_ok()
        }
        _ => false,
    };
    if !sent {
        let error =
            WireError::new(ErrorCode::Disconnected, "the page could not be told its configuration", "");
        record.documents.failed(info.frame, error);
    }
    let event =
        LeaseEvent::Ready { frame: info.frame, document, url: info.url.clone(), engine: info.engine.clone() };
    record.bump();
    emit(state, lease, event);
}

/// Where a message of a probe comes from.
struct Origin {
    frame: i32,
    document: String,
    number: u64,
}

/// A message of a probe. One that was said again because nobody knew whether it had arrived is taken once.
fn page(state: &mut State, key: &str, lease: &str, origin: &Origin, message: &str) {
    let Some(record) = state.leases.get_mut(lease).filter(|record| record.key == key) else { return };
    let Origin { frame, document, number } = origin;
    if !record.documents.is_news(document, *number) {
        return;
    }
    let frame = *frame;
    match serde_json::from_str(message) {
        Ok(FromPage::Answer { id, answer }) => record.documents.answer(id, Ok(answer)),
        Ok(FromPage::Failed { id, error }) => record.documents.answer(id, Err(error)),
        Ok(FromPage::Event { event }) => said(state, lease, frame, document, vec![event]),
        Ok(FromPage::Events { events }) => said(state, lease, frame, document, events),
        Err(error) => tracing::warn!("a page sent what is no message of this protocol: {error}"),
    }
}

fn said(state: &mut State, lease: &str, frame: i32, document: &str, events: Vec<PageEvent>) {
    let Some(record) = state.leases.get_mut(lease) else { return };
    let document = record.documents.number_of(document);
    for event in events {
        emit(state, lease, LeaseEvent::Page { frame, document, event });
    }
}

/// An event of a leased tab.
fn happened(state: &mut State, key: &str, event: WorkerEvent) {
    match event {
        WorkerEvent::Ready { lease, info } => ready(state, key, &lease, &info),
        WorkerEvent::NotReady { lease, frame, url, error } => {
            let Some(record) = owned(state, key, &lease) else { return };
            if record.is_before_first_page(&url) {
                return;
            }
            record.documents.failed(frame, error.clone());
            record.documents.drop_stale_asks();
            record.bump();
            emit(state, &lease, LeaseEvent::NotReady { frame, url, error });
        }
        WorkerEvent::Leaving { lease, url } => emit(state, &lease, LeaseEvent::Leaving { url }),
        WorkerEvent::Committed {
            lease,
            frame,
            document,
            url,
            same_document,
            transition,
            qualifiers,
            status,
        } => {
            let Some(record) = owned(state, key, &lease) else { return };
            if record.is_before_first_page(&url) {
                return;
            }
            let document = record.documents.committed(frame, &document, &url);
            record.bump();
            let event =
                LeaseEvent::Committed { frame, document, url, same_document, transition, qualifiers, status };
            emit(state, &lease, event);
        }
        WorkerEvent::LoadFailed { lease, frame, url, error } => {
            if let Some(record) = owned(state, key, &lease) {
                record.documents.failed(frame, load_failed(&url, &error));
                record.bump();
            }
            emit(state, &lease, LeaseEvent::LoadFailed { frame, url, error });
        }
        WorkerEvent::Undelivered { lease, document, .. } => {
            if let Some(record) = owned(state, key, &lease) {
                record.documents.undelivered(&document);
            }
        }
        WorkerEvent::FrameGone { lease, frame } => {
            if let Some(record) = owned(state, key, &lease) {
                record.documents.gone(frame);
                record.documents.drop_stale_asks();
                record.bump();
            }
        }
        WorkerEvent::Stays { lease } => emit(state, &lease, LeaseEvent::Stays),
        WorkerEvent::DialogOpened { lease, kind, message, preset } => {
            emit(state, &lease, LeaseEvent::DialogOpened { kind, message, preset });
        }
        WorkerEvent::DialogClosed { lease, accepted, text } => {
            emit(state, &lease, LeaseEvent::DialogClosed { accepted, text });
        }
        WorkerEvent::Opened { lease, tab, url } => emit(state, &lease, LeaseEvent::Opened { tab, url }),
        WorkerEvent::TabGone { lease, reason } => {
            if owned(state, key, &lease).is_some() {
                let message =
                    format!("the tab {}", if reason == "crashed" { "crashed" } else { "was closed" });
                end(state, &lease, &WireError::new(ErrorCode::Gone, message, "run again"));
            }
        }
        WorkerEvent::Request { lease, method, url, kind, at } => {
            emit(state, &lease, LeaseEvent::Request { method, url, kind, at });
        }
        WorkerEvent::PanelStop { lease } => emit(state, &lease, LeaseEvent::PanelStop),
        // Taken before: it belongs to no lease.
        WorkerEvent::PanelRecord { .. } => {}
    }
}

fn owned<'a>(state: &'a mut State, key: &str, lease: &str) -> Option<&'a mut LeaseRecord> {
    state.leases.get_mut(lease).filter(|record| record.key == key)
}

/// Queues an event; a session that no longer keeps up loses the lease with a reason.
fn emit(state: &mut State, lease: &str, event: LeaseEvent) {
    let Some(record) = state.leases.get(lease) else { return };
    if !record.emit(event) {
        let error =
            WireError::new(ErrorCode::Internal, "the session fell too far behind the page's events", "");
        end(state, lease, &error);
    }
}

fn end(state: &mut State, lease: &str, error: &WireError) {
    if let Some(mut record) = state.leases.remove(lease) {
        record.end(error);
    }
}

fn load_failed(url: &str, error: &str) -> WireError {
    let message = format!("{url} could not be loaded: {error}");
    WireError::new(ErrorCode::Gone, message, "check the address, and that its server runs")
}
