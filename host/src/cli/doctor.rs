//! `cairn doctor`: what a run needs, what is there, and what to do for what is not.

use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::Context;
use super::interrupt::unless_interrupted;
use crate::browser::{Launch, extension_dir, find_browser};
use crate::daemon::{Config, Daemon, DaemonStatus, Hub, OwnBrowser, client};
use crate::exit::{Exit, Failure};

/// Checks browser, extension, daemon, pairing and data folder
#[derive(clap::Args)]
pub(super) struct Args {
    /// Do not start a browser to see whether the extension connects
    #[arg(long)]
    quick: bool,
}

/// One thing that was looked at.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    name: &'static str,
    state: State,
    found: String,
    next: String,
    #[serde(skip)]
    exit: Exit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum State {
    /// As it should be.
    Ok,
    /// Absent, and not needed by every command.
    Absent,
    /// To be mended.
    Problem,
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, state: State::Ok, found: found.into(), next: String::new(), exit: Exit::Success }
    }

    fn absent(name: &'static str, found: impl Into<String>, next: impl Into<String>) -> Self {
        Self { name, state: State::Absent, found: found.into(), next: next.into(), exit: Exit::Success }
    }

    fn problem(name: &'static str, failure: Failure) -> Self {
        let exit = failure.kind.exit();
        Self { name, state: State::Problem, found: failure.message, next: failure.next, exit }
    }
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let mut checks = vec![browser(), extension()];
    if !args.quick && checks.iter().all(|check| check.state == State::Ok) {
        checks.push(unless_interrupted(async { Ok(together().await) }).await?);
    }
    checks.push(data(&context.data));
    let status = match client::connect(context.port) {
        Ok(client) => client.status().await,
        Err(failure) => Err(failure),
    };
    checks.extend(daemon(context.port, status));
    let problem = checks.iter().find(|check| check.state == State::Problem);
    let exit = problem.map_or(Exit::Success, |check| check.exit);
    print(context, &checks);
    Ok(exit)
}

fn browser() -> Check {
    match find_browser() {
        Ok(found) => Check::ok("browser", found.program.display().to_string()),
        Err(error) => Check::problem("browser", error.into()),
    }
}

fn extension() -> Check {
    match extension_dir() {
        Ok(folder) => Check::ok("extension", folder.display().to_string()),
        Err(error) => Check::problem("extension", error.into()),
    }
}

/// A browser is started with the extension, which must connect.
async fn together() -> Check {
    const NAME: &str = "start";
    let tried = async {
        let config = Config { port: 0, data: None, hub: Hub::new(), handler: None };
        let daemon = Daemon::start(config).await?;
        let browser = OwnBrowser::start(&daemon, Launch::default()).await?;
        let versions = browser.hub().extension_versions();
        browser.stop().await;
        daemon.stop().await;
        Ok::<_, Failure>(versions)
    };
    match tried.await {
        Ok(versions) => {
            Check::ok(NAME, format!("the browser starts and extension {} connects", versions.join(", ")))
        }
        Err(failure) => Check::problem(NAME, failure),
    }
}

/// The data folder, without making one.
fn data(folder: &Path) -> Check {
    const NAME: &str = "data folder";
    let place = folder.display().to_string();
    if !folder.exists() {
        return Check::absent(NAME, format!("{place} is not there yet"), "it is made on first use");
    }
    match tempfile::tempfile_in(folder) {
        Ok(_) => Check::ok(NAME, place),
        Err(error) => {
            let next = "give this user the right to write it, or choose another folder with --data";
            let kind = crate::exit::ErrorKind::DataFolder;
            Check::problem(NAME, Failure::new(kind, format!("{place} cannot be written: {error}"), next))
        }
    }
}

fn daemon(port: u16, status: Result<DaemonStatus, Failure>) -> Vec<Check> {
    const DAEMON: &str = "daemon";
    const PAIRING: &str = "pairing";
    let status = match status {
        Ok(status) => status,
        Err(failure) => {
            let found = format!("{} on port {port}", failure.message);
            let next = format!("needed for --attach and for recording in your own browser: {}", failure.next);
            return vec![Check::absent(DAEMON, found, next)];
        }
    };
    let data = status.data.as_ref().map_or_else(String::new, |data| format!(", data in {}", data.display()));
    let running = format!("version {} on port {}, process {}{data}", status.version, status.port, status.pid);
    let pairing = if !status.connected.is_empty() {
        Check::ok(PAIRING, format!("connected, extension {}", status.connected.join(", ")))
    } else if status.paired > 0 {
        Check::absent(
            PAIRING,
            "a browser is paired and not connected",
            "start it; if it runs, open the Cairn panel there, or pair it again: `cairn pair`",
        )
    } else {
        Check::absent(
            PAIRING,
            "no browser is paired",
            "load the extension (`cairn extension install`), then run `cairn pair` and open the link in that browser",
        )
    };
    vec![Check::ok(DAEMON, running), pairing]
}

fn print(context: &Context, checks: &[Check]) {
    if context.output.is_json() {
        let ok = checks.iter().all(|check| check.state != State::Problem);
        context.output.data(&json!({"ok": ok, "checks": checks}));
        return;
    }
    for check in checks {
        let mark = match check.state {
            State::Ok => "\x1b[32mok     \x1b[0m",
            State::Absent => "\x1b[33mabsent \x1b[0m",
            State::Problem => "\x1b[31mproblem\x1b[0m",
        };
        context.output.line(&format!("{mark}  {:<11}  {}", check.name, check.found));
        if !check.next.is_empty() {
            context.output.line(&format!("         {:<11}  → {}", "", check.next));
        }
    }
}
