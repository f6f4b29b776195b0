//! The way to an engine: the one of a running daemon, or one in this process with the browser it needs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::Context;
use super::flags::Browser;
use crate::browser::{BrowserError, Launch, rinse};
use crate::daemon::client::{self, Client, Events};
use crate::daemon::{Config, Daemon, Hub, OwnBrowser};
use crate::engine::api::{ClientEvent, ClientRequest};
use crate::engine::stop::StopHandle;
use crate::engine::{Engine, Equipment, Rinse, Service};
use crate::exit::{ErrorKind, Failure};
use crate::model::Adviser;
use crate::store::{SqliteStore, Store};

/// How long a paired browser may take to find a daemon that has just begun.
const RECONNECT: Duration = Duration::from_secs(45);

/// An engine that can be asked.
pub(super) struct Reach {
    engine: Option<Arc<Engine>>,
    client: Option<Client>,
    daemon: Option<Daemon>,
    browser: Option<OwnBrowser>,
}

/// What an engine says to one request.
pub(super) struct Conversation {
    source: Source,
    stop: Option<StopHandle>,
}

enum Source {
    Here(mpsc::Receiver<ClientEvent>),
    There(Box<Events<ClientEvent>>),
}

/// The model that the environment names, where it names one.
pub(super) fn adviser() -> Result<Option<Arc<Adviser>>, Failure> {
    Ok(Adviser::from_environment()?.map(Arc::new))
}

/// Opens the store of the data folder.
pub(super) fn open_store(data: &Path) -> Result<Arc<dyn Store>, Failure> {
    Ok(Arc::new(SqliteStore::open(data)?))
}

/// Asks the running daemon for one thing, and waits until it comes. `missing`: what is said where it ends without.
pub(super) async fn ask_daemon<T>(
    context: &Context,
    request: &ClientRequest,
    answer: impl Fn(ClientEvent) -> Option<T>,
    missing: &str,
) -> Result<T, Failure> {
    let client = client::connect(context.port)?;
    let mut events = client.request::<_, ClientEvent>(request).await?;
    while let Some(event) = events.next().await {
        match event? {
            ClientEvent::Failed { failure } => return Err(failure),
            event => {
                if let Some(answer) = answer(event) {
                    return Ok(answer);
                }
            }
        }
    }
    let next = "use the same version of `cairn` for the daemon and the command";
    Err(Failure::new(ErrorKind::Internal, missing, next))
}

impl Reach {
    /// The browser that the flags name. Before one of our own opens, `check` refuses at a desk without a browser what can be
    /// refused there.
    pub(super) async fn once(
        browser: Browser,
        context: &Context,
        check: impl AsyncFnOnce(&Engine) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        if browser.attach {
            return Self::paired(context).await;
        }
        let store = open_store(&context.data)?;
        let equipment = Equipment { adviser: adviser()?, rinse: None };
        check(&Engine::equipped(Hub::new(), Arc::clone(&store), &context.data, equipment)).await?;
        Self::own(context, store, browser.launch()).await
    }

    /// The paired browser: through the daemon at the port, or through one that lives as long as this command.
    pub(super) async fn paired(context: &Context) -> Result<Self, Failure> {
        match client::connect(context.port) {
            Ok(client) => Ok(Self { engine: None, client: Some(client), daemon: None, browser: None }),
            Err(failure) if failure.kind == ErrorKind::NoDaemon => Self::own_daemon(context).await,
            Err(failure) => Err(failure),
        }
    }

    /// The paired browser, through an engine of this process: what is driven by refs is driven from here.
    pub(super) async fn paired_here(context: &Context) -> Result<Self, Failure> {
        if client::connect(context.port).is_ok() {
            let message = "a daemon runs, and has the paired browser";
            let next = "stop the daemon, or leave --attach out";
            return Err(
                Failure::new(ErrorKind::PortInUse, message, next).at(format!("127.0.0.1:{}", context.port))
            );
        }
        Self::own_daemon(context).await
    }

    /// The engine, where it is in this process.
    pub(super) fn engine(&self) -> Option<Arc<Engine>> {
        self.engine.clone()
    }

    async fn own_daemon(context: &Context) -> Result<Self, Failure> {
        let store = open_store(&context.data)?;
        let hub = Hub::new();
        let equipment = Equipment { adviser: adviser()?, rinse: None };
        let engine = Engine::equipped(hub.clone(), store, &context.data, equipment);
        let config = Config {
            port: context.port,
            data: Some(context.data.clone()),
            hub: hub.clone(),
            // `cairn stop` finds the recording of this process as it would find a daemon's.
            handler: Some(Arc::new(Service(Arc::clone(&engine)))),
        };
        let daemon = Daemon::start(config).await?;
        let next = format!(
            "pair your browser: `cairn serve --port {}`, then open the link that it prints",
            context.port
        );
        if daemon.paired() == 0 {
            daemon.stop().await;
            return Err(Failure::new(
                ErrorKind::NotPaired,
                "no browser is paired with this data folder",
                next,
            )
            .at(context.data.display().to_string()));
        }
        context.output.note("No daemon runs; waiting for the paired browser to connect.");
        if let Err(error) = hub.connected(RECONNECT).await {
            daemon.stop().await;
            return Err(Failure::new(ErrorKind::NotPaired, error.message, next));
        }
        Ok(Self { engine: Some(engine), client: None, daemon: Some(daemon), browser: None })
    }

    /// A browser of our own, with a fresh profile. It ends with the command.
    pub(super) async fn own(
        context: &Context,
        store: Arc<dyn Store>,
        launch: Launch,
    ) -> Result<Self, Failure> {
        let adviser = adviser()?;
        let config = Config { port: 0, data: None, hub: Hub::new(), handler: None };
        let daemon = Daemon::start(config).await?;
        let browser = OwnBrowser::start(&daemon, launch).await?;
        let pipe = browser.pipe().clone();
        let rinse: Rinse = Arc::new(move |origins| {
            let pipe = pipe.clone();
            Box::pin(async move { Ok(rinse(&pipe, &origins).await.map_err(BrowserError::from)?) })
        });
        let equipment = Equipment { adviser, rinse: Some(rinse) };
        let engine = Engine::equipped(browser.hub().clone(), store, &context.data, equipment);
        Ok(Self { engine: Some(engine), client: None, daemon: Some(daemon), browser: Some(browser) })
    }

    /// True where another process is asked.
    pub(super) fn is_daemon(&self) -> bool {
        self.client.is_some()
    }

    /// Asks.
    ///
    /// # Errors
    /// `NoDaemon` where the daemon does not take it.
    pub(super) async fn ask(&self, request: ClientRequest) -> Result<Conversation, Failure> {
        if let Some(engine) = &self.engine {
            let (stop, queue) = engine.start(request);
            return Ok(Conversation { source: Source::Here(queue), stop: Some(stop) });
        }
        let client =
            self.client.as_ref().ok_or_else(|| Failure::new(ErrorKind::Internal, "no engine", ""))?;
        let events = client.request(&request).await?;
        Ok(Conversation { source: Source::There(Box::new(events)), stop: None })
    }

    /// A browser of our own that is not connected is not unpaired: it has ended.
    pub(super) fn explain(&self, mut failure: Failure) -> Failure {
        if self.browser.is_some() && failure.kind == ErrorKind::NotPaired {
            failure.kind = ErrorKind::BrowserEnded;
        }
        failure
    }

    /// Ends what was started for this command.
    pub(super) async fn end(self) {
        if let Some(browser) = self.browser {
            browser.stop().await;
        }
        if let Some(daemon) = self.daemon {
            daemon.stop().await;
        }
    }
}

impl Conversation {
    /// The next event; `None` when nothing follows.
    pub(super) async fn next(&mut self) -> Option<Result<ClientEvent, Failure>> {
        match &mut self.source {
            Source::Here(queue) => Some(match queue.recv().await? {
                ClientEvent::Failed { failure } => Err(failure),
                event => Ok(event),
            }),
            Source::There(events) => Some(match events.next().await? {
                Ok(ClientEvent::Failed { failure }) => Err(failure),
                other => other,
            }),
        }
    }

    /// Asks for the end; the final event still comes. False where only going away ends it.
    pub(super) fn stop(&self, reason: &str) -> bool {
        self.stop.as_ref().inspect(|stop| stop.ask(reason)).is_some()
    }
}
