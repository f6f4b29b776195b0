//! A real daemon: `cairn serve` as a child process, paired with a browser by opening the page it names.

use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use cairn_host::daemon::client;
use tokio::time::sleep;

use crate::chrome::BOUND;
use crate::{Cairn, Chrome, Failed, Outcome, Running};

/// A running daemon. It is killed when dropped.
pub struct Daemon {
    running: Running,
    port: u16,
    pair_url: String,
}

impl Daemon {
    /// Starts `cairn serve` on a free port with its data below the folder of `cairn`, and reads its ready line.
    pub async fn start(cairn: &Cairn) -> Outcome<Self> {
        Self::start_at(cairn, free_port()?).await
    }

    /// Starts it on this port.
    pub async fn start_at(cairn: &Cairn, port: u16) -> Outcome<Self> {
        let data = cairn.folder().join("data");
        let port_text = port.to_string();
        let arguments = ["serve", "--port", &port_text, "--data", &data.to_string_lossy()];
        let mut running = cairn.start(&arguments)?;
        let ready = running.json_until(BOUND, |line| line["ready"] == true).await?;
        let pair_url = ready["pairUrl"].as_str().unwrap_or_default().to_owned();
        if !pair_url.starts_with("chrome-extension://") {
            return Err(Failed::because(format!("the ready line has no pairUrl: {ready}")));
        }
        let port = ready["port"].as_u64().and_then(|port| u16::try_from(port).ok()).unwrap_or(port);
        Ok(Self { running, port, pair_url })
    }

    /// Its process.
    pub fn process_id(&self) -> Option<u32> {
        self.running.process_id()
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its port as a command line takes it.
    pub fn port_text(&self) -> String {
        self.port.to_string()
    }

    /// What to open in the browser to pair it.
    pub fn pair_url(&self) -> &str {
        &self.pair_url
    }

    /// Pairs a browser by opening the page that the ready line names, and closes it again.
    pub async fn pair(&self, chrome: &Chrome) -> Outcome<()> {
        let tab = chrome.open(&self.pair_url).await?;
        self.connected().await?;
        tab.close().await
    }

    /// Waits until a browser is connected.
    pub async fn connected(&self) -> Outcome<()> {
        let began = Instant::now();
        loop {
            let status =
                client::connect(self.port).map_err(|failure| Failed::because(failure.to_string()))?;
            let status = status.status().await.map_err(|failure| Failed::because(failure.to_string()))?;
            if !status.connected.is_empty() {
                return Ok(());
            }
            if began.elapsed() > BOUND {
                let paired = status.paired;
                return Err(Failed::because(format!(
                    "no browser is connected ({paired} paired)\n{}",
                    self.running.errors()
                )));
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Kills it as `kill -9` does.
    pub fn kill(&self) -> Outcome<()> {
        self.running.kill()
    }

    /// What it wrote on stderr.
    pub fn errors(&self) -> String {
        self.running.errors()
    }
}

/// A port that nobody listens on just now.
pub fn free_port() -> Outcome<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Failed::io("binding a free port"))?;
    Ok(listener.local_addr().map_err(Failed::io("asking for the port"))?.port())
}
