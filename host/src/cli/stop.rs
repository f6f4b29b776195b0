//! `cairn stop`: ends a recording.

use super::Context;
use super::output::plain;
use crate::daemon::client;
use crate::engine::api::{ClientEvent, ClientRequest, StopRequest};
use crate::exit::{ErrorKind, Exit, Failure};

/// Ends the recording under way
#[derive(clap::Args)]
pub(super) struct Args {
    /// Name of the test that is being recorded, where there are several
    name: Option<String>,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = client::connect(context.port)?;
    let request = ClientRequest::Stop(StopRequest { name: args.name });
    let mut events = client.request::<_, ClientEvent>(&request).await?;
    while let Some(event) = events.next().await {
        match event? {
            ClientEvent::Stopped { recording } => {
                if context.output.is_json() {
                    context.output.data(&recording);
                } else {
                    let (name, steps) = (&recording.name, recording.steps);
                    context.output.line(&plain(&format!("stopped: {name} — {steps} steps")));
                }
                return Ok(Exit::Success);
            }
            ClientEvent::Failed { failure } => return Err(failure),
            _ => {}
        }
    }
    let next = "use the same version of `cairn` for the daemon and the command";
    Err(Failure::new(ErrorKind::Internal, "the daemon did not say what became of it", next))
}
