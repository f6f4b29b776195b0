//! What a daemon and a browser hold at one moment.

use std::fmt;

use cairn_host::daemon::client;
use cairn_tests::{Failed, Outcome, Stage};
use serde_json::json;

/// One moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure {
    /// Resident memory of the daemon.
    pub daemon_kb: f64,
    /// Heap of the extension's worker, its garbage collected.
    pub worker_kb: f64,
    /// Leases of the daemon.
    pub leases: usize,
    /// Tabs of the browser.
    pub tabs: usize,
    /// Processes of the browser.
    pub processes: usize,
    /// Open files of the daemon.
    pub files: usize,
}

impl Measure {
    /// Now.
    pub async fn take(stage: &Stage) -> Outcome<Self> {
        let daemon = stage.daemon.process_id().ok_or_else(|| Failed::because("the daemon has ended"))?;
        let status = std::fs::read_to_string(format!("/proc/{daemon}/status"));
        let status = status.map_err(Failed::io("reading the daemon's memory"))?;
        let files = std::fs::read_dir(format!("/proc/{daemon}/fd"));
        let files = files.map_err(Failed::io("counting the daemon's files"))?.count();
        let asked =
            client::connect(stage.daemon.port()).map_err(|failure| Failed::because(failure.to_string()))?;
        let asked = asked.status().await.map_err(|failure| Failed::because(failure.to_string()))?;
        let targets = stage.chrome.targets().await?;
        Ok(Self {
            daemon_kb: resident(&status),
            worker_kb: worker(stage).await?,
            leases: asked.leases,
            tabs: targets.iter().filter(|target| target.kind == "page").count(),
            processes: stage.chrome.process_id().map_or(0, descendants),
            files,
        })
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            text,
            "daemon {:.0} KB, worker {:.0} KB, {} leases, {} tabs, {} processes, {} files",
            self.daemon_kb, self.worker_kb, self.leases, self.tabs, self.processes, self.files
        )
    }
}

fn resident(status: &str) -> f64 {
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
}

async fn worker(stage: &Stage) -> Outcome<f64> {
    let targets = stage.chrome.targets().await?;
    let found = targets.iter().find(|target| target.kind == "service_worker");
    let found = found.ok_or_else(|| Failed::because("the extension's worker does not run"))?;
    let pipe = stage.chrome.pipe();
    let attached =
        pipe.call("Target.attachToTarget", json!({"targetId": found.id, "flatten": true}), None).await?;
    let session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
    pipe.call("HeapProfiler.collectGarbage", json!({}), Some(&session)).await?;
    let usage = pipe.call("Runtime.getHeapUsage", json!({}), Some(&session)).await?;
    pipe.call("Target.detachFromTarget", json!({"sessionId": session}), None).await?;
    Ok(usage["usedSize"].as_f64().unwrap_or_default() / 1024.0)
}

/// A process and all that it started.
fn descendants(root: u32) -> usize {
    let mut parents = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // Behind the name, which may hold anything: state, parent.
        let parent =
            stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        parents.extend(parent.map(|parent| (id, parent)));
    }
    let mut family = vec![root];
    let mut place = 0;
    while let Some(parent) = family.get(place).copied() {
        family.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id));
        place += 1;
    }
    family.len()
}
