//! What a daemon and a browser hold at one moment.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::pin;

use cairn_host::daemon::client;
use cairn_tests::{Failed, Outcome, Stage};
use serde_json::{Value, json};

/// One moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure {
    /// Resident memory of the daemon.
    pub daemon_kb: f64,
    /// Resident memory of the process of the extension's worker.
    pub worker_kb: f64,
    /// What lives in the worker, its garbage collected, without what the browser makes of its code: it compiles what runs often,
    /// piece by piece over hundreds of runs.
    pub kept_kb: f64,
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
            worker_kb: stage.chrome.process_id().map_or(0.0, worker),
            kept_kb: kept(stage).await?,
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
            "daemon {:.0} KB, worker {:.0} KB of which {:.0} KB live, {} leases, {} tabs, {} processes, {} files",
            self.daemon_kb, self.worker_kb, self.kept_kb, self.leases, self.tabs, self.processes, self.files
        )
    }
}

fn resident(status: &str) -> f64 {
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// Resident memory of the process in which the extension's worker runs.
fn worker(root: u32) -> f64 {
    let of_worker = family(root).into_iter().filter(|process| process.part() == WORKER);
    of_worker
        .map(|process| {
            resident(&std::fs::read_to_string(format!("/proc/{}/status", process.id)).unwrap_or_default())
        })
        .sum()
}

async fn kept(stage: &Stage) -> Outcome<f64> {
    let targets = stage.chrome.targets().await?;
    let found = targets.iter().find(|target| target.kind == "service_worker");
    let found = found.ok_or_else(|| Failed::because("the extension's worker does not run"))?;
    let pipe = stage.chrome.pipe();
    let attached =
        pipe.call("Target.attachToTarget", json!({"targetId": found.id, "flatten": true}), None).await?;
    let session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
    let mut events = pipe.events();
    let mut snapshot = String::new();
    let mut taking = pin!(pipe.call("HeapProfiler.takeHeapSnapshot", json!({}), Some(&session)));
    loop {
        // What comes in pieces comes before the answer.
        tokio::select! {
            biased;
            event = events.recv() => {
                let event = event.map_err(|error| Failed::because(error.to_string()))?;
                if event.method == "HeapProfiler.addHeapSnapshotChunk" {
                    snapshot.push_str(event.params["chunk"].as_str().unwrap_or_default());
                }
            }
            taken = &mut taking => {
                taken?;
                break;
            }
        }
    }
    pipe.call("Target.detachFromTarget", json!({"sessionId": session}), None).await?;
    live(&snapshot)
}

/// Kilobytes of what is no code, in a heap snapshot of V8.
fn live(snapshot: &str) -> Outcome<f64> {
    let broken = |what: &str| Failed::because(format!("the heap snapshot has no {what}"));
    let heap: Value = serde_json::from_str(snapshot).map_err(|error| broken(&error.to_string()))?;
    let meta = &heap["snapshot"]["meta"];
    let place = |list: &Value, name: &str| list.as_array()?.iter().position(|one| one == name);
    let fields = &meta["node_fields"];
    let (kind, size) =
        place(fields, "type").zip(place(fields, "self_size")).ok_or_else(|| broken("fields"))?;
    let code = place(&meta["node_types"][kind], "code").ok_or_else(|| broken("kinds"))? as u64;
    let nodes: Vec<u64> = heap["nodes"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let each = nodes.chunks_exact(fields.as_array().map_or(1, Vec::len));
    Ok(each.filter(|node| node[kind] != code).map(|node| node[size]).sum::<u64>() as f64 / 1024.0)
}

/// A process and all that it started.
fn descendants(root: u32) -> usize {
    family(root).len()
}

/// The processes of a family, each with what the system says of it.
fn family(root: u32) -> Vec<Process> {
    let all: Vec<Process> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Process::read(entry.file_name().to_str()?.parse().ok()?))
        .collect();
    let mut ids = vec![root];
    let mut place = 0;
    while let Some(parent) = ids.get(place).copied() {
        ids.extend(all.iter().filter(|one| one.parent == parent).map(|one| one.id));
        place += 1;
    }
    all.into_iter().filter(|one| ids.contains(&one.id)).collect()
}

/// What `/proc` says of a process.
struct Process {
    id: u32,
    parent: u32,
    /// Processor time of its own and of its children that have ended, in clock ticks.
    ticks: (u64, u64),
}

impl Process {
    fn read(id: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // Behind the name, which may hold anything: state, parent, …
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
        let parent = u32::try_from(number(1)?).ok()?;
        Some(Self { id, parent, ticks: (number(11)? + number(12)?, number(13)? + number(14)?) })
    }

    /// Which part of a browser it is.
    fn part(&self) -> &'static str {
        let line = std::fs::read(format!("/proc/{}/cmdline", self.id)).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        let is = |what: &str| line.split(['\0', ' ']).any(|word| word == what);
        if is("--type=renderer") && is("--extension-process") {
            WORKER
        } else if is("--type=renderer") || is("--type=zygote") {
            "pages"
        } else if is("--type=gpu-process") {
            "painting"
        } else if is("--type=utility") {
            "network and the like"
        } else {
            "the browser itself"
        }
    }
}

/// Processor time so far, in seconds, by who has used it.
#[derive(Clone, Debug, Default)]
pub struct Work(BTreeMap<&'static str, f64>);

impl Work {
    /// Up to now.
    pub fn so_far(stage: &Stage) -> Self {
        let mut work = Self::default();
        let mut add = |who: &'static str, ticks: u64| {
            *work.0.entry(who).or_default() += ticks as f64 / TICKS;
        };
        for process in stage.chrome.process_id().map(family).unwrap_or_default() {
            add(process.part(), process.ticks.0);
            // Pages whose process has ended count with the process that made it.
            add("pages", process.ticks.1);
        }
        if let Some(daemon) = stage.daemon.process_id().and_then(Process::read) {
            add("the daemon", daemon.ticks.0);
        }
        work
    }

    /// What was used since then, for each of so many runs.
    pub fn since(&self, before: &Self, runs: f64) -> Self {
        let used = |(who, now): (&&'static str, &f64)| {
            (*who, (now - before.0.get(who).copied().unwrap_or_default()) / runs)
        };
        Self(self.0.iter().map(used).collect())
    }
}

impl fmt::Display for Work {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "{:.2} s", self.0.values().sum::<f64>())?;
        for (who, seconds) in &self.0 {
            write!(text, ", {who} {seconds:.3}")?;
        }
        Ok(())
    }
}

/// The part of a browser that is ours.
const WORKER: &str = "the worker";

/// Clock ticks in a second, as Linux counts them for `/proc`.
const TICKS: f64 = 100.0;
