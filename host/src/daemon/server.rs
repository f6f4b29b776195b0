//! The server: one port on loopback, two sockets, one guard before them.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, FromRequestParts as _, Request, State, WebSocketUpgrade};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use cairn_core::wire::MAX_FRAME_BYTES;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use super::entrance::connection::{Caller as Connection, Doorway};
use super::entrance::guard::{self, Caller, Policy};
use super::entrance::keys::Keyring;
use super::entrance::note::Posted;
use super::requests::Handler;
use super::{client_socket, extension_socket};
use crate::browser::EXTENSION_ID;
use crate::daemon::Hub;
use crate::exit::{ErrorKind, Failure};

/// The port of `cairn serve` and of the commands that talk to it, unless `--port` names another.
pub const DEFAULT_PORT: u16 = 4717;

/// Sockets of the extension that may wait for their proof at once.
const MAX_UNPROVEN: usize = 16;

/// Requests of the command line that may run at once.
const MAX_CLIENTS: usize = 64;

/// How long open sockets may take to close at the end.
const STOP_BOUND: Duration = Duration::from_secs(3);

/// How to serve.
pub struct Config {
    /// The port; 0 takes a free one.
    pub port: u16,
    /// The data folder, made if it is not there; `None` for a server that lives as long as one command.
    pub data: Option<PathBuf>,
    /// The hub that paired browsers join.
    pub hub: Hub,
    /// Who serves the requests of the command line.
    pub handler: Option<Arc<dyn Handler>>,
}

/// What the sockets share.
pub(super) struct Shared {
    pub(super) keys: Keyring,
    pub(super) handler: Option<Arc<dyn Handler>>,
    pub(super) hub: Hub,
    pub(super) port: u16,
    pub(super) unproven: Arc<Semaphore>,
    pub(super) clients: Arc<Semaphore>,
    /// True when the server is to end: every socket closes.
    stopping: watch::Receiver<bool>,
    note: Option<Posted>,
    token: String,
}

/// A running daemon. It ends when it is stopped or dropped.
pub struct Daemon {
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    serving: tokio::task::JoinHandle<()>,
}

/// A link that pairs one browser.
pub struct Invitation {
    /// The page to open in it.
    pub pair_url: String,
    /// The hub that it will join.
    pub hub: Hub,
}

impl Daemon {
    /// Binds the port and serves.
    ///
    /// # Errors
    /// `PortInUse`, `DataFolder`, each with its place and the next step.
    pub async fn start(config: Config) -> Result<Self, Failure> {
        if let Some(data) = &config.data {
            prepare_data(data)?;
        }
        let keys = Keyring::open(config.data.as_deref(), config.hub.clone())?;
        let listener = bind(config.port).await?;
        let port = listener.local_addr().map_err(|error| port_failure(config.port, &error))?.port();
        // A server of one command needs no note: nobody else talks to it.
        let note = config.data.as_deref().map(|data| Posted::post(port, data)).transpose();
        let note = note.map_err(|error| {
            let next = "set XDG_RUNTIME_DIR or HOME to a folder that this user can write";
            Failure::new(
                ErrorKind::DataFolder,
                format!("the daemon's token cannot be written: {error}"),
                next,
            )
        })?;
        let token = note.as_ref().map_or_else(String::new, |posted| posted.note().token.clone());
        let (stop, stopping) = watch::channel(false);
        let shared = Arc::new(Shared {
            keys,
            handler: config.handler,
            hub: config.hub,
            port,
            unproven: Arc::new(Semaphore::new(MAX_UNPROVEN)),
            clients: Arc::new(Semaphore::new(MAX_CLIENTS)),
            stopping: stopping.clone(),
            note,
            token,
        });
        let serving = tokio::spawn(serve(listener, Arc::clone(&shared), stopping));
        Ok(Self { shared, stop, serving })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.shared.port
    }

    /// The hub of the paired browsers.
    pub fn hub(&self) -> &Hub {
        &self.shared.hub
    }

    /// How many browsers are paired with the data folder.
    pub fn paired(&self) -> usize {
        self.shared.keys.paired()
    }

    /// A link of 60 s that pairs the person's browser.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn pair_url(&self) -> Result<String, Failure> {
        self.shared.pair_url()
    }

    /// A link for a browser of our own, with a hub of its own.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn invite(&self) -> Result<Invitation, Failure> {
        let hub = Hub::new();
        let code = self.shared.keys.invite_own(hub.clone()).map_err(|error| no_randomness(&error))?;
        Ok(Invitation { pair_url: link(self.shared.port, &code), hub })
    }

    /// Closes every socket and the port.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        if tokio::time::timeout(STOP_BOUND, &mut self.serving).await.is_err() {
            tracing::debug!("sockets were still open at the end");
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        self.serving.abort();
    }
}

impl Shared {
    pub(super) fn pair_url(&self) -> Result<String, Failure> {
        let code = self.keys.invite().map_err(|error| no_randomness(&error))?;
        Ok(link(self.port, &code))
    }

    /// Done when the server is to end.
    pub(super) async fn stopped(&self) {
        // An error means that the server is gone: stop too.
        let _ = self.stopping.clone().wait_for(|stopping| *stopping).await;
    }

    pub(super) fn data(&self) -> Option<&Path> {
        self.note.as_ref().map(|posted| posted.note().data.as_path())
    }
}

fn link(port: u16, code: &str) -> String {
    format!("chrome-extension://{EXTENSION_ID}/pair.html#{port}.{code}")
}

async fn bind(port: u16) -> Result<TcpListener, Failure> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpListener::bind(address).await.map_err(|error| port_failure(port, &error))
}

fn port_failure(port: u16, error: &std::io::Error) -> Failure {
    let (message, next) = match error.kind() {
        std::io::ErrorKind::AddrInUse => (
            format!("port {port} is in use"),
            "stop the program that listens there (another `cairn serve`?), or choose another port with --port; --port 0 takes a free one",
        ),
        std::io::ErrorKind::PermissionDenied => {
            (format!("this user may not listen on port {port}"), "choose a port above 1023 with --port")
        }
        _ => (format!("port {port} cannot be listened on: {error}"), "choose another port with --port"),
    };
    Failure::new(ErrorKind::PortInUse, message, next).at(format!("127.0.0.1:{port}"))
}

fn no_randomness(error: &std::io::Error) -> Failure {
    Failure::new(ErrorKind::Internal, format!("no pairing code could be made: {error}"), "try again")
}

/// Makes the data folder and proves that it can be written.
fn prepare_data(data: &Path) -> Result<(), Failure> {
    let failure = |what: &str, error: &std::io::Error| {
        let next = "give this user the right to write it, or choose another folder with --data";
        Failure::new(ErrorKind::DataFolder, format!("the data folder {what}: {error}"), next)
            .at(data.display().to_string())
    };
    std::fs::create_dir_all(data).map_err(|error| failure("cannot be made", &error))?;
    tempfile::tempfile_in(data).map(drop).map_err(|error| failure("cannot be written", &error))
}

async fn serve(listener: TcpListener, shared: Arc<Shared>, mut stopping: watch::Receiver<bool>) {
    let router = Router::new().fallback(enter).with_state(shared);
    let service = router.into_make_service_with_connect_info::<Connection>();
    let stopped = async move {
        // An error means that the sender is gone: stop too.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    };
    let served = axum::serve(Doorway::new(listener), service).with_graceful_shutdown(stopped).await;
    if let Err(error) = served {
        tracing::error!("the server ended: {error}");
    }
}

/// Every request comes through here, and nothing is answered before the guard has judged.
async fn enter(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    request: Request,
) -> Response {
    let headers = request.headers();
    let (hosts, origins) = (texts(headers, &header::HOST), texts(headers, &header::ORIGIN));
    let judged = guard::judge(
        &guard::Request {
            peer: connection.peer.ip(),
            hosts: &hosts,
            origins: &origins,
            path: request.uri().path(),
            token: bearer(headers),
            cookie: cookie(headers),
        },
        &Policy { port: shared.port, extension_id: EXTENSION_ID, token: &shared.token, cookie: None },
    );
    match judged {
        Ok(Caller::Extension) => {
            let Ok(permit) = Arc::clone(&shared.unproven).try_acquire_owned() else {
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            };
            // Until the proof, the connection's own limit on bytes is the lower one.
            upgrade(request, move |socket| {
                extension_socket::run(socket, shared, connection.admission, permit)
            })
            .await
        }
        Ok(Caller::Client) => {
            let Ok(permit) = Arc::clone(&shared.clients).try_acquire_owned() else {
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            };
            connection.admission.grant();
            upgrade(request, move |socket| client_socket::run(socket, shared, permit)).await
        }
        // The dashboard's pages are not served yet, and without a session nobody comes here.
        Ok(Caller::Dashboard) => StatusCode::NOT_FOUND.into_response(),
        Err(refusal) => {
            tracing::debug!("refused: {refusal}");
            // One answer for everything: a stranger learns nothing from it.
            StatusCode::FORBIDDEN.into_response()
        }
    }
}

async fn upgrade<F, Ran>(request: Request, run: F) -> Response
where
    F: FnOnce(axum::extract::ws::WebSocket) -> Ran + Send + 'static,
    Ran: Future<Output = ()> + Send + 'static,
{
    let (mut parts, _) = request.into_parts();
    match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => {
            upgrade.max_message_size(MAX_FRAME_BYTES).max_frame_size(MAX_FRAME_BYTES).on_upgrade(run)
        }
        Err(rejection) => rejection.into_response(),
    }
}

/// Every value of a header; one that is no text counts as a value that matches nothing.
fn texts<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("")).collect()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    cookies.split("; ").find_map(|cookie| cookie.strip_prefix("cairn="))
}
