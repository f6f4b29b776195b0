//! The command line's side of a running daemon: found by its port, trusted by its token.

use std::marker::PhantomData;
use std::time::Duration;

use cairn_core::wire::MAX_FRAME_BYTES;
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::ClientRequestBuilder;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, http::Uri};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use super::entrance::note::{self, Note};
use super::requests::{ClientFrame, DaemonStatus, ServerFrame};
use crate::exit::{ErrorKind, Failure};

/// How long a daemon may take to take a request, and to answer one that needs no browser.
const BOUND: Duration = Duration::from_secs(10);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A running daemon.
pub struct Client {
    note: Note,
}

/// Finds the daemon at `port`.
///
/// # Errors
/// `NoDaemon` where none runs.
pub fn connect(port: u16) -> Result<Client, Failure> {
    match note::find(port) {
        Ok(Some(note)) => Ok(Client { note }),
        Ok(None) => Err(no_daemon(port, "no daemon runs")),
        Err(error) => Err(no_daemon(port, &format!("the daemon's token cannot be read: {error}"))),
    }
}

impl Client {
    /// What the daemon says of itself on disk.
    pub fn note(&self) -> &Note {
        &self.note
    }

    /// Sends a request for the engine. Dropping the events ends it.
    ///
    /// # Errors
    /// `NoDaemon` where the daemon does not take it.
    pub async fn request<Q: Serialize, E: DeserializeOwned>(
        &self,
        request: &Q,
    ) -> Result<Events<E>, Failure> {
        let request = serde_json::to_value(request).map_err(|error| {
            Failure::new(ErrorKind::Internal, format!("the request has no JSON form: {error}"), "")
        })?;
        let socket = self.open(&ClientFrame::Request { request }).await?;
        Ok(Events { socket, port: self.note.port, ended: false, kind: PhantomData })
    }

    /// A fresh pairing link.
    ///
    /// # Errors
    /// `NoDaemon` where the daemon does not answer.
    pub async fn pair(&self) -> Result<String, Failure> {
        match self.ask(&ClientFrame::Pair).await? {
            ServerFrame::Pair { pair_url } => Ok(pair_url),
            other => Err(self.odd(&other)),
        }
    }

    /// How the daemon is.
    ///
    /// # Errors
    /// `NoDaemon` where it does not answer.
    pub async fn status(&self) -> Result<DaemonStatus, Failure> {
        match self.ask(&ClientFrame::Status).await? {
            ServerFrame::Status { status } => Ok(status),
            other => Err(self.odd(&other)),
        }
    }

    async fn ask(&self, frame: &ClientFrame) -> Result<ServerFrame, Failure> {
        let mut socket = self.open(frame).await?;
        match timeout(BOUND, next_frame(&mut socket)).await {
            Ok(Some(ServerFrame::Failed { failure })) => Err(failure),
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(no_daemon(self.note.port, "the daemon ended")),
            Err(_) => Err(no_daemon(self.note.port, "the daemon does not answer")),
        }
    }

    async fn open(&self, frame: &ClientFrame) -> Result<Socket, Failure> {
        let port = self.note.port;
        let uri: Uri = format!("ws://127.0.0.1:{port}{}", super::entrance::guard::CLIENT_PATH)
            .parse()
            .map_err(|_| no_daemon(port, "the daemon has no address"))?;
        let request = ClientRequestBuilder::new(uri)
            .with_header("Authorization", format!("Bearer {}", self.note.token));
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_FRAME_BYTES))
            .max_frame_size(Some(MAX_FRAME_BYTES));
        let connected = timeout(BOUND, connect_async_with_config(request, Some(config), true)).await;
        let (mut socket, _) = match connected {
            Ok(Ok(connected)) => connected,
            Ok(Err(error)) => {
                return Err(no_daemon(port, &format!("the daemon does not take the call: {error}")));
            }
            Err(_) => return Err(no_daemon(port, "the daemon does not answer")),
        };
        let text = serde_json::to_string(frame).map_err(|error| {
            Failure::new(ErrorKind::Internal, format!("the request has no JSON form: {error}"), "")
        })?;
        socket.send(Message::Text(text.into())).await.map_err(|_| no_daemon(port, "the daemon ended"))?;
        Ok(socket)
    }

    fn odd(&self, frame: &ServerFrame) -> Failure {
        tracing::debug!("an odd answer: {frame:?}");
        let next = "use the same version of `cairn` for the daemon and the command";
        Failure::new(ErrorKind::Internal, "the daemon gave an answer to another question", next)
            .at(format!("127.0.0.1:{}", self.note.port))
    }
}

/// The events of one request.
pub struct Events<E> {
    socket: Socket,
    port: u16,
    ended: bool,
    kind: PhantomData<fn() -> E>,
}

impl<E: DeserializeOwned> Events<E> {
    /// The next event; `None` at the end. A daemon that dies is an error, not an end.
    pub async fn next(&mut self) -> Option<Result<E, Failure>> {
        if self.ended {
            return None;
        }
        let event = match next_frame(&mut self.socket).await {
            Some(ServerFrame::Event { event }) => {
                return Some(serde_json::from_value(event).map_err(|error| {
                    let next = "use the same version of `cairn` for the daemon and the command";
                    Failure::new(
                        ErrorKind::Internal,
                        format!("an event of the daemon is unknown: {error}"),
                        next,
                    )
                }));
            }
            Some(ServerFrame::Failed { failure }) => Some(Err(failure)),
            Some(_) => None,
            None => Some(Err(no_daemon(self.port, "the daemon ended before the request did"))),
        };
        self.ended = true;
        event
    }
}

async fn next_frame(socket: &mut Socket) -> Option<ServerFrame> {
    loop {
        match socket.next().await? {
            Ok(Message::Text(text)) => return serde_json::from_str(text.as_str()).ok(),
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
            Ok(Message::Binary(_) | Message::Close(_)) | Err(_) => return None,
        }
    }
}

fn no_daemon(port: u16, what: &str) -> Failure {
    Failure::new(ErrorKind::NoDaemon, what, format!("start it: `cairn serve --port {port}`"))
        .at(format!("127.0.0.1:{port}"))
}
