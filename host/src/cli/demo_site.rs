//! `cairn demo-site`: the demo application by itself, for whoever wants to record on it by hand.

use serde_json::json;

use super::Context;
use super::interrupt::Signals;
use crate::demo::{Account, Build, DemoSite};
use crate::exit::{ErrorKind, Exit, Failure};

/// Serves the demo application until Ctrl-C
#[derive(clap::Args)]
pub(super) struct Args {
    /// Which build to serve first: v1, v2 (the redesign) or v3 (a lookalike in place of a control)
    #[arg(long, default_value_t = Build::V1)]
    build: Build,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let mut stop = Signals::listen()?;
    let site = DemoSite::start(context.port, args.build).await.map_err(|error| {
        let message = format!("the demo application cannot listen: {error}");
        Failure::new(ErrorKind::PortInUse, message, "choose another port with --port, or 0 for a free one")
            .at(format!("port {}", context.port))
    })?;
    let url = site.url();
    context.output.data(&json!({
        "ready": true, "port": site.port(), "url": url, "build": args.build,
        "email": Account::EMAIL, "password": Account::PASSWORD,
    }));
    context.output.note(&format!(
        "Other builds at the same URL: curl {url}deploy --json '{{\"build\":\"v2\"}}'. What was done: {url}state"
    ));
    stop.wait().await;
    Ok(Exit::Success)
}
