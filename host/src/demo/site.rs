//! The demo application as something that can be started and stopped.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::routes::{SharedDesk, lock, router};
use super::state::Desk;
use super::{Build, StateView};

/// A running demo application on loopback. It ends when this is dropped.
#[derive(Debug)]
pub struct DemoSite {
    port: u16,
    desk: SharedDesk,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<io::Result<()>>,
}

impl DemoSite {
    /// Serves `build` on `port` of loopback; 0 takes a free port. Fails where the port is taken.
    pub async fn start(port: u16, build: Build) -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        let port = listener.local_addr()?.port();
        let desk: SharedDesk = Arc::new(Mutex::new(Desk::new(build)));
        let (stop, stopped) = oneshot::channel::<()>();
        let application = router(Arc::clone(&desk));
        let server = tokio::spawn(async move {
            let end = async {
                // Both a word and a dropped sender mean the end.
                let _ = stopped.await;
            };
            axum::serve(listener, application).with_graceful_shutdown(end).await
        });
        Ok(Self { port, desk, stop: Some(stop), server })
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The start page.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// What `GET /state` would say.
    pub fn state(&self) -> StateView {
        lock(&self.desk).view.clone()
    }

    /// Serves another build from now on, at the same URLs.
    pub fn deploy(&self, build: Build) {
        lock(&self.desk).view.build = build;
    }

    /// Forgets bookings and journal.
    pub fn reset(&self) {
        lock(&self.desk).reset();
    }

    /// Serves until the server itself ends.
    pub async fn wait(mut self) -> io::Result<()> {
        match (&mut self.server).await {
            Ok(ended) => ended,
            Err(failed) => Err(io::Error::other(failed)),
        }
    }
}

impl Drop for DemoSite {
    fn drop(&mut self) {
        drop(self.stop.take());
        // A browser may hold its connection for long: nobody waits for it.
        self.server.abort();
    }
}
