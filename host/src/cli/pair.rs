//! `cairn pair`: a link that pairs the browser it is opened in.

use serde_json::json;

use super::Context;
use crate::daemon::client;
use crate::exit::{Exit, Failure};

/// Prints a link that pairs the browser it is opened in
#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) async fn run(_: Args, context: &Context) -> Result<Exit, Failure> {
    let pair_url = client::connect(context.port)?.pair().await?;
    if context.output.is_json() {
        context.output.data(&json!({"pairUrl": pair_url}));
    } else {
        context.output.line(&pair_url);
        context
            .output
            .note("Open it within 60 seconds in the browser that has the Cairn extension. It works once.");
    }
    Ok(Exit::Success)
}
