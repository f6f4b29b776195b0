//! A real Chromium with the extension, seen from outside over its debugging pipe.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use cairn_host::browser::{Browser, Launch, Pipe};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::tab::COMPUTED_NAMES;
use crate::{Failed, Outcome, Tab};

/// How long the harness waits for anything that the browser has to do.
pub const BOUND: Duration = Duration::from_secs(15);

/// A running browser. It ends when this is dropped.
pub struct Chrome {
    browser: Browser,
}

/// A page, a worker or anything else that can be attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The browser's id of it.
    pub id: String,
    /// `page`, `service_worker`, …
    pub kind: String,
    /// Its URL.
    pub url: String,
}

impl Chrome {
    /// Starts a headless browser with a fresh profile and the built extension.
    pub async fn start() -> Outcome<Self> {
        Self::launch(Launch { headless: true, ..Launch::default() }).await
    }

    /// Starts a browser that keeps this profile.
    pub async fn with_profile(profile: PathBuf) -> Outcome<Self> {
        Self::launch(Launch { headless: true, profile: Some(profile), ..Launch::default() }).await
    }

    /// Starts a browser as told.
    pub async fn launch(mut launch: Launch) -> Outcome<Self> {
        launch.switches.push(COMPUTED_NAMES.to_owned());
        Ok(Self { browser: Browser::start(launch).await? })
    }

    /// Its debugging pipe.
    pub fn pipe(&self) -> &Pipe {
        self.browser.pipe()
    }

    /// Id of its first process.
    pub fn process_id(&self) -> Option<u32> {
        self.browser.process_id()
    }

    /// Ends it.
    pub async fn stop(self) {
        self.browser.stop().await;
    }

    /// Everything that can be attached to.
    pub async fn targets(&self) -> Outcome<Vec<Target>> {
        let answer = self.pipe().call("Target.getTargets", json!({}), None).await?;
        let list = answer["targetInfos"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(list
            .iter()
            .map(|one| Target {
                id: text(&one["targetId"]),
                kind: text(&one["type"]),
                url: text(&one["url"]),
            })
            .collect())
    }

    /// Opens a URL in a new tab.
    pub async fn open(&self, url: &str) -> Outcome<Tab> {
        let made = self.pipe().call("Target.createTarget", json!({ "url": url }), None).await?;
        let id = made["targetId"].as_str().ok_or_else(|| Failed::because("the browser opened no tab"))?;
        Tab::attach(self.pipe(), id).await
    }

    /// Waits for a tab whose URL begins with `url` and attaches to it.
    pub async fn tab_at(&self, url: &str) -> Outcome<Tab> {
        self.new_tab_at(url, &[]).await
    }

    /// The tab at exactly this URL that is none of `known`, if there is one now.
    pub async fn new_tab_now(&self, url: &str, known: &[Target]) -> Outcome<Option<Tab>> {
        let targets = self.targets().await?;
        let fits = |target: &&Target| {
            target.kind == "page" && target.url == url && !known.iter().any(|old| old.id == target.id)
        };
        match targets.iter().find(fits) {
            Some(found) => Tab::attach(self.pipe(), &found.id).await.map(Some),
            None => Ok(None),
        }
    }

    /// Waits for a tab at `url` that is none of `known`: one that something else opened.
    pub async fn new_tab_at(&self, url: &str, known: &[Target]) -> Outcome<Tab> {
        let began = Instant::now();
        loop {
            let targets = self.targets().await?;
            let found = targets.iter().find(|target| {
                target.kind == "page"
                    && target.url.starts_with(url)
                    && !known.iter().any(|old| old.id == target.id)
            });
            if let Some(found) = found {
                return Tab::attach(self.pipe(), &found.id).await;
            }
            if began.elapsed() > BOUND {
                let urls: Vec<&str> = targets.iter().map(|target| target.url.as_str()).collect();
                return Err(Failed::because(format!("no tab came to {url}; there are {urls:?}")));
            }
            sleep(Duration::from_millis(30)).await;
        }
    }

    /// Stops the extension's service worker, as the browser does after half a minute without traffic. One that is just being
    /// started is waited for; true where there was one.
    pub async fn stop_worker(&self) -> Outcome<bool> {
        let began = Instant::now();
        loop {
            let targets = self.targets().await?;
            if let Some(worker) = targets.iter().find(|target| target.kind == "service_worker") {
                self.pipe().call("Target.closeTarget", json!({ "targetId": worker.id }), None).await?;
                return Ok(true);
            }
            if began.elapsed() > Duration::from_secs(2) {
                return Ok(false);
            }
            sleep(Duration::from_millis(20)).await;
        }
    }
}
