//! The engine: what the faces call. It holds the hub, the store and the recordings under way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use super::api::{ClientEvent, ClientRequest, Recorded, RecordingStatus, Status};
use super::hand::Runs;
use super::record::Notes;
use super::scribe::{EVENT_QUEUE, Events};
use super::stop::{StopHandle, StopSignal, stop_pair};
use crate::daemon::{Handler, Hub};
use crate::exit::{ErrorKind, Failure};
use crate::model::Adviser;
use crate::store::Store;

/// Runs, records and probes in the browsers of one hub.
pub struct Engine {
    pub(super) hub: Hub,
    pub(super) store: Arc<dyn Store>,
    pub(super) data: PathBuf,
    pub(super) equipment: Equipment,
    pub(super) runs: Arc<Runs>,
    recordings: Mutex<BTreeMap<String, Active>>,
}

/// Clears cookies and storage of these origins in the browser that the engine plays in.
pub type Rinse = Arc<dyn Fn(Vec<String>) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;

/// What an engine can do beyond replaying and recording.
#[derive(Clone, Default)]
pub struct Equipment {
    /// A model that may be asked.
    pub adviser: Option<Arc<Adviser>>,
    /// How its browser is made clean; absent for a browser that is a person's.
    pub rinse: Option<Rinse>,
}

/// Says what became of a recording, once it has ended.
pub(super) type Done = watch::Receiver<Option<Result<Recorded, Failure>>>;

/// A recording under way.
pub(super) struct Active {
    pub(super) name: String,
    pub(super) steps: u32,
    pub(super) stop: StopHandle,
    pub(super) done: Done,
    /// Where steps by command are asked for, once the recording has begun.
    pub(super) notes: Option<Notes>,
}

impl Engine {
    /// Over a hub and a store; evidence goes under `data`.
    pub fn new(hub: Hub, store: Arc<dyn Store>, data: &Path) -> Arc<Self> {
        Self::equipped(hub, store, data, Equipment::default())
    }

    /// As `new`, with a model to ask or a browser to make clean.
    pub fn equipped(hub: Hub, store: Arc<dyn Store>, data: &Path, equipment: Equipment) -> Arc<Self> {
        // Evidence is named to people who stand in another folder.
        let data = std::path::absolute(data).unwrap_or_else(|_| data.to_path_buf());
        Arc::new(Self { hub, store, data, equipment, runs: Arc::default(), recordings: Mutex::default() })
    }

    /// Its store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Does what a face asks, in a task of its own and up to the final event: a caller that goes away cannot drop a run
    /// or a recording half done. It ends them, as the handle does.
    pub fn start(self: &Arc<Self>, request: ClientRequest) -> (StopHandle, mpsc::Receiver<ClientEvent>) {
        let (events, queue) = mpsc::channel(EVENT_QUEUE);
        let (handle, stop) = stop_pair();
        let (engine, asked) = (Arc::clone(self), handle.clone());
        tokio::spawn(async move {
            let gone = async {
                events.closed().await;
                asked.ask("the caller went away");
                std::future::pending::<()>().await;
            };
            let work = async {
                if let Err(failure) = Box::pin(engine.answer(request, &events, stop)).await {
                    // Nobody may listen any more.
                    let _ = events.send(ClientEvent::Failed { failure }).await;
                }
            };
            tokio::select! {
                () = work => {}
                () = gone => {}
            }
        });
        (handle, queue)
    }

    async fn answer(
        self: &Arc<Self>,
        request: ClientRequest,
        events: &Events,
        stop: StopSignal,
    ) -> Result<(), Failure> {
        match request {
            ClientRequest::Run(request) => Box::pin(self.run(*request, events.clone(), stop)).await.map(drop),
            ClientRequest::Task(request) => {
                Box::pin(self.run_task(*request, events.clone(), stop)).await.map(drop)
            }
            ClientRequest::Record(request) => {
                Box::pin(self.record(*request, events.clone(), stop)).await.map(drop)
            }
            ClientRequest::Stop(request) => {
                let recording = Box::new(self.stop(&request).await?);
                let _ = events.send(ClientEvent::Stopped { recording }).await;
                Ok(())
            }
            ClientRequest::Hand(request) => {
                let handed = self.hand(&request)?;
                let _ = events.send(ClientEvent::Handed { handed }).await;
                Ok(())
            }
            ClientRequest::Note(request) => {
                let noted = self.note(*request).await?;
                let _ = events.send(ClientEvent::Noted { noted }).await;
                Ok(())
            }
            ClientRequest::Probe(request) => {
                let listing = Box::new(super::probe::probe(&self.hub, &request).await?);
                let _ = events.send(ClientEvent::Probed { listing }).await;
                Ok(())
            }
            ClientRequest::Status => {
                let _ = events.send(ClientEvent::Status { status: self.status() }).await;
                Ok(())
            }
        }
    }

    /// What is going on.
    pub fn status(&self) -> Status {
        let active = self.active();
        let recordings = active.iter().map(|(id, active)| RecordingStatus {
            recording: id.clone(),
            name: active.name.clone(),
            steps: active.steps,
        });
        Status {
            connected: self.hub.is_connected(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data: self.data.clone(),
            recordings: recordings.collect(),
            runs: self.runs.status(),
        }
    }

    /// Ids of the recordings that this process makes now.
    pub fn under_way(&self) -> Vec<String> {
        self.active().keys().cloned().collect()
    }

    pub(super) fn active(&self) -> MutexGuard<'_, BTreeMap<String, Active>> {
        self.recordings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine behind a daemon's client socket.
pub struct Service(pub Arc<Engine>);

impl Handler for Service {
    fn handle(&self, request: Value, events: mpsc::Sender<Value>) -> BoxFuture<'static, Result<(), Failure>> {
        let engine = Arc::clone(&self.0);
        Box::pin(async move {
            let request: ClientRequest = serde_json::from_value(request).map_err(|error| unknown(&error))?;
            let (_stop, mut queue) = engine.start(request);
            while let Some(event) = queue.recv().await {
                if let ClientEvent::Failed { failure } = event {
                    return Err(failure);
                }
                let event = serde_json::to_value(event).map_err(|error| unknown(&error))?;
                if events.send(event).await.is_err() {
                    break;
                }
            }
            Ok(())
        })
    }
}

fn unknown(error: &serde_json::Error) -> Failure {
    let next = "use the same version of `cairn` for the daemon and the command";
    Failure::new(ErrorKind::Usage, format!("the engine does not know this request: {error}"), next)
}
