//! `cairn take` and `cairn give`: a person takes a run over, and gives it back.

use super::Context;
use super::output::plain;
use super::reach::ask_daemon;
use crate::engine::api::{ClientEvent, ClientRequest, HandRequest};
use crate::exit::{Exit, Failure};

/// Take over a run of the daemon, or give it back
///
/// The run stops before its next act, and what you do in its tab is written down as yours. Given back, it goes on behind the
/// last of its steps that you did yourself.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The run, or its script, where there are several
    #[arg(value_name = "RUN|PATH|NAME")]
    run: Option<String>,
}

pub(super) async fn run(args: Args, to_person: bool, context: &Context) -> Result<Exit, Failure> {
    let request = ClientRequest::Hand(HandRequest { run: args.run, to_person });
    let handed = |event| match event {
        ClientEvent::Handed { handed } => Some(handed),
        _ => None,
    };
    let handed = ask_daemon(context, &request, handed, "the daemon did not say who has the run").await?;
    if context.output.is_json() {
        context.output.data(&handed);
    } else {
        let (run, script) = (&handed.run, &handed.script);
        let said = if to_person { "yours now" } else { "given back" };
        context.output.line(&plain(&format!("{said}: {run} \u{2014} {script}")));
    }
    Ok(Exit::Success)
}
