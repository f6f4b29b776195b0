//! A browser of our own, paired with a hub of its own.

use std::time::Duration;

use cairn_core::wire::{ErrorCode, WireError};
use serde_json::json;

use super::server::{Daemon, Invitation};
use crate::browser::{Browser, BrowserError, Launch, Pipe};
use crate::daemon::Hub;
use crate::exit::Failure;

/// How long the extension may take to load, open its pairing page and connect.
const CONNECT_BOUND: Duration = Duration::from_secs(30);

/// A tab that was opened before the extension was loaded shows an error: it is opened again after this time.
const RETRY: Duration = Duration::from_secs(3);

/// A browser that we started and that is connected. It ends when this is dropped.
pub struct OwnBrowser {
    browser: Browser,
    hub: Hub,
}

impl OwnBrowser {
    /// Starts a browser with the extension and pairs it with `daemon`. `launch.url` is replaced by the pairing page.
    ///
    /// # Errors
    /// `NoBrowser`, with what to install or mend.
    pub async fn start(daemon: &Daemon, launch: Launch) -> Result<Self, Failure> {
        let Invitation { pair_url, hub } = daemon.invite()?;
        let browser = Browser::start(Launch { url: pair_url.clone(), ..launch }).await?;
        watch(browser.pipe().clone(), hub.clone());
        wait_for_extension(&browser, &hub, &pair_url).await?;
        Ok(Self { browser, hub })
    }

    /// The hub with this browser alone.
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Its debugging pipe.
    pub fn pipe(&self) -> &Pipe {
        self.browser.pipe()
    }

    /// Ends it.
    pub async fn stop(self) {
        self.browser.stop().await;
    }
}

/// A browser that ends takes its hub with it at once: no lease waits for it to come back.
fn watch(pipe: Pipe, hub: Hub) {
    tokio::spawn(async move {
        pipe.closed().await;
        hub.end(&WireError::new(
            ErrorCode::Disconnected,
            "the browser ended",
            "run again; if it ends again, start it by hand to see why",
        ));
    });
}

async fn wait_for_extension(browser: &Browser, hub: &Hub, pair_url: &str) -> Result<(), Failure> {
    let tries = CONNECT_BOUND.as_secs() / RETRY.as_secs();
    for _ in 0..tries {
        match hub.connected(RETRY).await {
            Ok(()) => return Ok(()),
            Err(error) if error.message == "the browser ended" => return Err(error.into()),
            Err(_) => {}
        }
        browser
            .pipe()
            .call("Target.createTarget", json!({"url": pair_url}), None)
            .await
            .map_err(BrowserError::from)?;
    }
    let program = browser.program().to_owned();
    Err(BrowserError::NotConnected { program, bound: CONNECT_BOUND }.into())
}
