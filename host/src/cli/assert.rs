//! `cairn assert`: a recording checks a condition.

use cairn_core::script::Condition;

use super::Context;
use super::extract::{note, say};
use crate::engine::api::{Look, NoteRequest};
use crate::exit::{ErrorKind, Exit, Failure};

/// Add a step to the recording under way that checks what the page shows
///
/// All that is named must hold together. What does not hold now is refused.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Name of an element, as the page calls it
    #[arg(long, value_name = "NAME")]
    named: Option<String>,
    /// Its role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Text that the element shows, or the page where none is named
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Value that the element has
    #[arg(long, value_name = "VALUE")]
    value: Option<String>,
    /// It is checked
    #[arg(long, conflicts_with = "unchecked")]
    checked: bool,
    /// It is not checked
    #[arg(long)]
    unchecked: bool,
    /// It is enabled
    #[arg(long, conflicts_with = "disabled")]
    enabled: bool,
    /// It is disabled
    #[arg(long)]
    disabled: bool,
    /// So many of it are there
    #[arg(long, value_name = "N", conflicts_with = "gone")]
    count: Option<u32>,
    /// None of it is there
    #[arg(long)]
    gone: bool,
    /// The URL matches this pattern: * and ** stand for anything
    #[arg(long, value_name = "PATTERN")]
    at: Option<String>,
    /// Name of the test that is being recorded, where there are several
    #[arg(long, value_name = "NAME")]
    recording: Option<String>,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let either = |yes: bool, no: bool| (yes || no).then_some(yes);
    let check = Condition {
        url_pattern: args.at,
        role: args.role,
        name: args.named,
        text: args.text,
        value: args.value,
        checked: either(args.checked, args.unchecked),
        enabled: either(args.enabled, args.disabled),
        count: args.count,
        gone: args.gone.then_some(true),
        ..Condition::default()
    };
    if let Some(why) = check.lacks() {
        let message = format!("the check cannot be made: {why}");
        return Err(Failure::new(
            ErrorKind::Usage,
            message,
            "name an element (--role, --named), a text or a URL",
        ));
    }
    let noted = note(NoteRequest { name: args.recording, look: Look::Assert { check } }, context).await?;
    say(&noted, context);
    Ok(Exit::Success)
}
