//! The command line's socket: one request, its events, the end.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use futures_util::stream::SplitSink;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use super::requests::{ClientFrame, DaemonStatus, ServerFrame};
use super::server::Shared;
use crate::exit::{ErrorKind, Failure};

/// How long the request may take to come.
const REQUEST_BOUND: Duration = Duration::from_secs(10);

/// A caller that does not read for this long is gone.
const WRITE_BOUND: Duration = Duration::from_secs(20);

/// Events that may wait for a slow caller; then the engine waits.
const EVENT_QUEUE: usize = 256;

/// Serves one socket until its request is served or the caller goes away.
pub(super) async fn run(socket: WebSocket, shared: Arc<Shared>, _permit: OwnedSemaphorePermit) {
    let (mut sink, mut stream) = socket.split();
    let Ok(Some(Ok(Message::Text(text)))) = timeout(REQUEST_BOUND, stream.next()).await else { return };
    let hung_up = async {
        while let Some(Ok(message)) = stream.next().await {
            if matches!(message, Message::Close(_)) {
                return;
            }
        }
    };
    tokio::select! {
        () = serve(text.as_str(), &shared, &mut sink) => {}
        () = hung_up => tracing::debug!("a caller went away"),
        () = shared.stopped() => {
            let failure = Failure::new(ErrorKind::NoDaemon, "the daemon was stopped", "start it again: `cairn serve`");
            let _ = send(&mut sink, &ServerFrame::Failed { failure }).await;
        }
    }
    let _ = timeout(WRITE_BOUND, sink.close()).await;
}

async fn serve(text: &str, shared: &Shared, sink: &mut SplitSink<WebSocket, Message>) {
    let answered = match serde_json::from_str(text) {
        Ok(ClientFrame::Pair) => shared.pair_url().map(|pair_url| Some(ServerFrame::Pair { pair_url })),
        Ok(ClientFrame::Status) => Ok(Some(ServerFrame::Status { status: status(shared) })),
        Ok(ClientFrame::Request { request }) => handle(request, shared, sink).await.map(|()| None),
        Err(error) => {
            let message = format!("the daemon does not know this request: {error}");
            let next = "use the same version of `cairn` for the daemon and the command";
            Err(Failure::new(ErrorKind::Usage, message, next))
        }
    };
    let frames = match answered {
        Ok(answer) => answer.into_iter().chain([ServerFrame::End]).collect(),
        Err(failure) => vec![ServerFrame::Failed { failure }],
    };
    for frame in frames {
        if send(sink, &frame).await.is_err() {
            return;
        }
    }
}

/// Lets the handler serve, and passes its events on as they come.
async fn handle(
    request: Value,
    shared: &Shared,
    sink: &mut SplitSink<WebSocket, Message>,
) -> Result<(), Failure> {
    let Some(handler) = &shared.handler else {
        return Err(Failure::new(
            ErrorKind::Usage,
            "this daemon serves no such requests",
            "use `cairn serve`",
        ));
    };
    let (events, mut queue) = mpsc::channel(EVENT_QUEUE);
    let mut serving = handler.handle(request, events);
    let gone = || Failure::new(ErrorKind::Internal, "the caller went away", "");
    let outcome = loop {
        tokio::select! {
            biased;
            Some(event) = queue.recv() => {
                send(sink, &ServerFrame::Event { event }).await.map_err(|()| gone())?;
            }
            outcome = &mut serving => break outcome,
        }
    };
    // What was sent just before the end.
    while let Ok(event) = queue.try_recv() {
        send(sink, &ServerFrame::Event { event }).await.map_err(|()| gone())?;
    }
    outcome
}

fn status(shared: &Shared) -> DaemonStatus {
    DaemonStatus {
        version: env!("CARGO_PKG_VERSION").into(),
        port: shared.port,
        pid: std::process::id(),
        data: shared.data().map(Into::into),
        paired: shared.keys.paired(),
        connected: shared.hub.extension_versions(),
        leases: shared.hub.lease_count(),
    }
}

async fn send(sink: &mut SplitSink<WebSocket, Message>, frame: &ServerFrame) -> Result<(), ()> {
    let text = serde_json::to_string(frame).map_err(|_| ())?;
    match timeout(WRITE_BOUND, sink.send(Message::Text(text.into()))).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(()),
    }
}
