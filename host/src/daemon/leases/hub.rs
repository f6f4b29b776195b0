//! The hub: every paired browser that is connected, and every lease. The engine's only way to a page.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cairn_core::wire::worker::{Call, CallResult, PanelState, ToWorker};
use cairn_core::wire::{ErrorCode, WireError};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};

use super::events::{LeaseEvents, LeaseRecord};
use super::lease::{Lease, Open};
use super::link::{Life, Link, disconnected, frame_text};

/// Bound of a call to the worker that only moves tabs.
pub(in crate::daemon) const CALL_BOUND: Duration = Duration::from_secs(10);

/// How long a browser may be away before its leases end. A stopped worker is back in a second or two, and it counts up
/// to 30 s between tries when the host was away.
const GRACE: Duration = Duration::from_secs(35);

/// How long a new lease waits for a browser that is just connecting.
const CONNECT_GRACE: Duration = Duration::from_secs(3);

/// The person pressed Record in the panel of a paired browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelRecord {
    /// The tab.
    pub tab: i32,
    /// The name typed in.
    pub name: String,
}

/// Every paired browser that is connected, and every lease. Cheap to clone: all clones are one hub.
#[derive(Clone)]
pub struct Hub(pub(in crate::daemon) Arc<Inner>);

pub(in crate::daemon) struct Inner {
    state: Mutex<State>,
    /// Tells this hub from that of an earlier process.
    life: String,
    /// Counts attachments and detachments, so that `connected` can wait.
    pub(in crate::daemon) changed: watch::Sender<u64>,
    panel: broadcast::Sender<PanelRecord>,
}

#[derive(Default)]
pub(in crate::daemon) struct State {
    /// By the id of the key that the browser proved.
    pub(in crate::daemon) links: HashMap<String, Link>,
    /// What outlives a socket, by the same id.
    pub(in crate::daemon) lives: HashMap<String, Life>,
    /// Keys in the order of their last connection: the newest is asked to open tabs.
    pub(in crate::daemon) newest: Vec<String>,
    pub(in crate::daemon) leases: HashMap<String, LeaseRecord>,
    last_id: u64,
    /// Set once: the browser of a private hub ended, nothing will come any more.
    pub(in crate::daemon) ended: Option<WireError>,
}

impl State {
    pub(in crate::daemon) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn is_connected(&self) -> bool {
        self.links.values().any(|link| link.settled)
    }
}

impl Default for Hub {
    fn default() -> Self {
        Self::new()
    }
}

impl Hub {
    /// A hub without a browser.
    pub fn new() -> Self {
        let (changed, _) = watch::channel(0);
        let (panel, _) = broadcast::channel(16);
        let life = ulid::Ulid::generate().to_string();
        Self(Arc::new(Inner { state: Mutex::default(), life, changed, panel }))
    }

    /// Opens a lease in the browser that connected last.
    ///
    /// # Errors
    /// `Disconnected` without a browser, `Refused` where the browser will not open the URL, `TimedOut` after 30 s.
    pub async fn open(&self, open: Open) -> Result<(Lease, LeaseEvents), WireError> {
        // A worker that was paired or came back this moment is not given leases yet: that is no reason to refuse.
        self.connected(CONNECT_GRACE.min(open.bound)).await?;
        let key = self.newest_browser()?;
        let id = ulid::Ulid::generate().to_string();
        let bound = open.bound;
        let call = Call::Open {
            lease: id.clone(),
            url: open.url.clone(),
            tab: open.tab,
            at_url: open.at_url.clone(),
            engine: open.engine,
            viewport: open.viewport,
        };
        let (record, events) = LeaseRecord::new(&key, open);
        // The record stands before the worker answers: `ready` may come before the answer does.
        let last_word = record.last_word();
        self.state().leases.insert(id.clone(), record);
        match self.call(&key, call, bound).await {
            Ok(CallResult::Lease(info)) => {
                if let Some(record) = self.state().leases.get_mut(&id) {
                    record.tab = info.tab;
                    record.adopted = info.adopted;
                }
                Ok((Lease::new(self.clone(), id, last_word), events))
            }
            Ok(other) => {
                self.state().leases.remove(&id);
                Err(unexpected(&other))
            }
            Err(error) => {
                self.state().leases.remove(&id);
                // The worker may have done it after all: a lease without an owner must not stay.
                self.tell(&key, Call::Close { lease: id, keep_tab: false });
                Err(error)
            }
        }
    }

    /// Is a browser connected?
    pub fn is_connected(&self) -> bool {
        self.state().is_connected()
    }

    /// Waits until a browser is connected.
    ///
    /// # Errors
    /// `Disconnected` after `bound`, or at once where the hub's browser ended.
    pub async fn connected(&self, bound: Duration) -> Result<(), WireError> {
        let deadline = Instant::now() + bound;
        let mut changed = self.0.changed.subscribe();
        loop {
            changed.borrow_and_update();
            {
                let state = self.state();
                if let Some(error) = &state.ended {
                    return Err(error.clone());
                }
                if state.is_connected() {
                    return Ok(());
                }
            }
            match timeout_at(deadline, changed.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return Err(disconnected()),
            }
        }
    }

    /// Version of the connected extension, the newest connection first.
    pub fn extension_versions(&self) -> Vec<String> {
        let state = self.state();
        let links = state.newest.iter().rev().filter_map(|key| state.links.get(key));
        links.map(|link| link.extension_version.clone()).collect()
    }

    /// How many leases are open.
    pub fn lease_count(&self) -> usize {
        self.state().leases.len()
    }

    /// Says when a person presses Record in a panel.
    pub fn panel_records(&self) -> broadcast::Receiver<PanelRecord> {
        self.0.panel.subscribe()
    }

    /// Shows the state of a recording in every panel.
    pub fn show_panel(&self, panel: &PanelState) {
        let keys: Vec<String> = self.state().links.keys().cloned().collect();
        for key in keys {
            self.tell(&key, Call::ShowPanel { state: panel.clone() });
        }
    }

    /// Ends the hub for good: its browser is gone. Every lease ends and every question fails with `error`.
    pub fn end(&self, error: &WireError) {
        let mut state = self.state();
        state.ended = Some(error.clone());
        state.links.clear();
        for life in state.lives.values_mut() {
            life.fail_calls(error);
        }
        for (_, mut record) in state.leases.drain() {
            record.end(error);
        }
        drop(state);
        self.bump();
    }

    pub(in crate::daemon) fn state(&self) -> MutexGuard<'_, State> {
        // A panic while the lock is held leaves plain data, and every use of it is bounded: go on.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::daemon) fn bump(&self) {
        self.0.changed.send_modify(|count| *count += 1);
    }

    pub(in crate::daemon) fn announce_panel(&self, record: PanelRecord) {
        // No listener: nobody records from the panel in this process.
        let _ = self.0.panel.send(record);
    }

    fn newest_browser(&self) -> Result<String, WireError> {
        let state = self.state();
        if let Some(error) = &state.ended {
            return Err(error.clone());
        }
        let settled = |key: &&String| state.links.get(*key).is_some_and(|link| link.settled);
        let newest = state.newest.iter().rev().find(settled);
        newest.cloned().ok_or_else(disconnected)
    }

    /// Asks the worker of one browser to do something, and waits for its answer.
    pub(in crate::daemon) async fn call(
        &self,
        key: &str,
        call: Call,
        bound: Duration,
    ) -> Result<CallResult, WireError> {
        let deadline = Instant::now() + bound;
        let what = call_name(&call);
        let (answer, waiting) = oneshot::channel();
        let (id, outgoing, text) = {
            let mut state = self.state();
            let id = state.next_id();
            let text = frame_text(&ToWorker::Call { id, call: call.clone() })?;
            let outgoing = state.links.get(key).ok_or_else(disconnected)?.outgoing.clone();
            state.lives.entry(key.to_owned()).or_default().expect(id, call, answer);
            (id, outgoing, text)
        };
        let done = async {
            // Where the socket ends first, the call is made again on the next one.
            let _ = outgoing.send(text).await;
            waiting.await.map_err(|_| disconnected())?
        };
        let Ok(result) = timeout_at(deadline, done).await else {
            if let Some(life) = self.state().lives.get_mut(key) {
                life.forget(id);
            }
            let message = format!("the browser did not {what} within {} s", bound.as_secs_f32());
            return Err(WireError::new(
                ErrorCode::TimedOut,
                message,
                "look at the browser: is a dialog open?",
            ));
        };
        result
    }

    /// Tells the worker something without waiting. Lost where the socket is full or down.
    pub(in crate::daemon) fn tell(&self, key: &str, call: Call) {
        let mut state = self.state();
        let id = state.next_id();
        if let (Ok(text), Some(link)) = (frame_text(&ToWorker::Call { id, call }), state.links.get(key))
            && link.outgoing.try_send(text).is_err()
        {
            tracing::debug!("a call without answer was not delivered");
        }
    }

    /// This life of the hub, for workers that knew an earlier one.
    pub(in crate::daemon) fn life(&self) -> &str {
        &self.0.life
    }

    /// A browser proved its key and says which life its worker is in. Gives how many frames of that life have arrived; what an
    /// earlier socket still brings is not taken any more, since its worker will send it again.
    pub(in crate::daemon) fn welcome(&self, key: &str, life: &str) -> u64 {
        let mut state = self.state();
        let replaced = part(&mut state, key);
        let known = state.lives.entry(key.to_owned()).or_default();
        known.enter(life);
        let received = known.received;
        drop(state);
        if replaced {
            self.parted(key);
        }
        received
    }

    /// A browser's socket can be used. Gives the socket's generation.
    pub(in crate::daemon) fn attach(
        &self,
        key: &str,
        extension_version: &str,
        outgoing: mpsc::Sender<String>,
    ) -> u64 {
        let mut state = self.state();
        let generation = state.next_id();
        let link = Link {
            generation,
            outgoing,
            settled: false,
            reconciling: Vec::new(),
            extension_version: extension_version.to_owned(),
        };
        state.links.insert(key.to_owned(), link);
        state.lives.entry(key.to_owned()).or_default().away_since = None;
        state.newest.retain(|other| other != key);
        state.newest.push(key.to_owned());
        drop(state);
        self.bump();
        generation
    }

    /// Asks which leases the worker holds, the first time after it connected: it may hold those of a host that is gone.
    /// True when it has answered, or its socket is no longer this one.
    pub(in crate::daemon) fn reconcile(&self, key: &str, generation: u64) -> bool {
        let mut state = self.state();
        let id = state.next_id();
        let Some(link) =
            state.links.get_mut(key).filter(|link| link.generation == generation && !link.settled)
        else {
            return true;
        };
        if let Ok(text) = frame_text(&ToWorker::Call { id, call: Call::Leases }) {
            link.reconciling.push(id);
            // Asked again when the queue is full.
            let _ = link.outgoing.try_send(text);
        }
        false
    }

    /// A socket ended. Its leases wait for the browser to come back, and end when it does not.
    pub(in crate::daemon) fn detach(&self, key: &str, generation: u64) {
        let mut state = self.state();
        if state.links.get(key).is_none_or(|link| link.generation != generation) {
            return;
        }
        part(&mut state, key);
        drop(state);
        self.parted(key);
    }

    /// A socket is gone: its browser has a while to come back.
    fn parted(&self, key: &str) {
        self.bump();
        let (hub, key) = (self.clone(), key.to_owned());
        tokio::spawn(async move {
            tokio::time::sleep(GRACE).await;
            hub.give_up(&key);
        });
    }

    /// Ends the leases of a browser that did not come back.
    fn give_up(&self, key: &str) {
        let mut state = self.state();
        if state.links.contains_key(key) {
            return;
        }
        let message = format!("the browser did not come back within {} s", GRACE.as_secs());
        let error = WireError::new(ErrorCode::Disconnected, message, "start the browser and run again");
        let State { leases, lives, .. } = &mut *state;
        if let Some(life) = lives.get_mut(key)
            && life.away_since.is_some_and(|since| since.elapsed() >= GRACE)
        {
            life.fail_calls(&error);
        }
        leases.retain(|_, record| {
            let lost = record.key == key && record.is_disconnected_for(GRACE);
            if lost {
                record.end(&error);
            }
            !lost
        });
    }
}

/// Takes a browser's socket away, where it has one. Its leases and its calls wait.
fn part(state: &mut State, key: &str) -> bool {
    if state.links.remove(key).is_none() {
        return false;
    }
    if let Some(life) = state.lives.get_mut(key) {
        life.away_since = Some(Instant::now());
    }
    for record in state.leases.values_mut().filter(|record| record.key == key) {
        record.disconnected();
    }
    true
}

fn unexpected(result: &CallResult) -> WireError {
    let message = format!("the extension answered with something else than was asked: {result:?}");
    WireError::new(
        ErrorCode::BadMessage,
        message,
        "update the extension: `cairn extension path` has this version's",
    )
}

fn call_name(call: &Call) -> &'static str {
    match call {
        Call::Open { .. } => "open the tab",
        Call::Close { .. } => "end the lease",
        Call::Navigate { .. } => "begin the navigation",
        Call::Capture { .. } => "take the picture",
        Call::Debug { .. } => "act in the tab",
        Call::Leases => "list its leases",
        Call::ShowPanel { .. } => "show the panel",
    }
}
