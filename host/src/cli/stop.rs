//! `cairn stop`: ends a recording.

use super::Context;
use super::output::plain;
use super::reach::ask_daemon;
use crate::engine::api::{ClientEvent, ClientRequest, StopRequest};
use crate::exit::{Exit, Failure};

/// Ends the recording under way
#[derive(clap::Args)]
pub(super) struct Args {
    /// Name of the test that is being recorded, where there are several
    name: Option<String>,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let request = ClientRequest::Stop(StopRequest { name: args.name });
    let stopped = |event| match event {
        ClientEvent::Stopped { recording } => Some(recording),
        _ => None,
    };
    let recording =
        ask_daemon(context, &request, stopped, "the daemon did not say what became of it").await?;
    if context.output.is_json() {
        context.output.data(&recording);
    } else {
        let (name, steps) = (&recording.name, recording.steps);
        context.output.line(&plain(&format!("stopped: {name} — {steps} steps")));
    }
    Ok(Exit::Success)
}
