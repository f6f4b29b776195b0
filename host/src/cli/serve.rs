//! `cairn serve`: the daemon in the foreground.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::Context;
use super::interrupt::Signals;
use super::output::plain;
use super::reach::{adviser, open_store};
use crate::daemon::{Config, Daemon, Handler, Hub};
use crate::engine::{Engine, Equipment, Service};
use crate::exit::{ErrorKind, Exit, Failure};

/// Runs the daemon that paired browsers and the other commands talk to. It ends on Ctrl-C
#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) async fn run(_: Args, context: &Context) -> Result<Exit, Failure> {
    let data = absolute(&context.data)?;
    let hub = Hub::new();
    let equipment = Equipment { adviser: adviser()?, rinse: None };
    let engine = Engine::equipped(hub.clone(), open_store(&data)?, &data, equipment);
    for died in engine.settle_died().await? {
        let observed = died.observed.unwrap_or_default();
        context.output.note(&plain(&format!("the run {} of {} had died: {observed}", died.run, died.script)));
    }
    let handler = Some(Arc::new(Service(Arc::clone(&engine))) as Arc<dyn Handler>);
    let config = Config { port: context.port, data: Some(data), hub, handler };
    // Before the port is open, so that no signal is missed.
    let mut stop = Signals::listen()?;
    let daemon = Daemon::start(config).await?;
    let panels = tokio::spawn(Arc::clone(&engine).watch_panels());
    let ready = json!({"ready": true, "port": daemon.port(), "pairUrl": daemon.pair_url()?});
    // Programs wait for this line in any case; its form is fixed.
    if context.output.is_json() {
        context.output.data(&ready);
    } else {
        context.output.line(&ready.to_string());
    }
    stop.wait().await;
    context.output.note("Stopping.");
    panels.abort();
    // What a person is recording becomes a script before the browser loses its daemon.
    engine.finish_recordings().await;
    daemon.stop().await;
    Ok(Exit::Success)
}

/// The data folder as an absolute path: the daemon may outlive the folder that it was started from.
fn absolute(data: &std::path::Path) -> Result<PathBuf, Failure> {
    std::path::absolute(data).map_err(|error| {
        let next = "choose another folder with --data";
        Failure::new(ErrorKind::DataFolder, format!("the data folder has no path: {error}"), next)
            .at(data.display().to_string())
    })
}
