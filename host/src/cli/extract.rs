//! `cairn extract`: a recording reads an output.

use cairn_core::script::InputType;

use super::Context;
use super::output::plain;
use super::reach::ask_daemon;
use crate::engine::api::{ClientEvent, ClientRequest, Look, NoteRequest, Noted, Place, Reading};
use crate::exit::{Exit, Failure};

/// Add a step to the recording under way that reads an output
///
/// What is read now is printed; later runs read it again and give it as their output. It stands in an element (--named, --ref)
/// or anywhere in the page's text (--match).
#[derive(clap::Args)]
pub(super) struct Args {
    /// Name of the output
    output: String,
    /// Name of the element to read, as the page calls it
    #[arg(long, value_name = "NAME", conflicts_with = "reference")]
    named: Option<String>,
    /// Its role, where several have the name
    #[arg(long, value_name = "ROLE", requires = "named")]
    role: Option<String>,
    /// The element by its ref, as `cairn probe --attach` lists it
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
    /// What of it to read: text, value, or the name of an attribute [default: its value, else its text]
    #[arg(long, value_name = "WHAT")]
    read: Option<String>,
    /// A regular expression: its first group, or all that it finds
    #[arg(long = "match", value_name = "REGEX")]
    pattern: Option<String>,
    /// Type of the output
    #[arg(long = "type", value_enum, default_value = "string")]
    kind: Kind,
    /// Name of the test that is being recorded, where there are several
    #[arg(long, value_name = "NAME")]
    recording: Option<String>,
}

/// The JSON type of an output.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Kind {
    String,
    Number,
    Integer,
    Boolean,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let named = |name| Place::Named { role: args.role.clone(), name };
    let by_reference = args.reference.clone().map(|reference| Place::Reference { reference });
    let reading = Reading {
        output: args.output,
        place: args.named.clone().map(named).or(by_reference),
        read: args.read.unwrap_or_default(),
        pattern: args.pattern,
        kind: match args.kind {
            Kind::String => InputType::String,
            Kind::Number => InputType::Number,
            Kind::Integer => InputType::Integer,
            Kind::Boolean => InputType::Boolean,
        },
    };
    let noted = note(NoteRequest { name: args.recording, look: Look::Extract(reading) }, context).await?;
    say(&noted, context);
    Ok(Exit::Success)
}

/// Asks the daemon for a step of the recording under way.
pub(super) async fn note(request: NoteRequest, context: &Context) -> Result<Noted, Failure> {
    let request = ClientRequest::Note(Box::new(request));
    let noted = |event| match event {
        ClientEvent::Noted { noted } => Some(noted),
        _ => None,
    };
    ask_daemon(context, &request, noted, "the daemon did not say what became of it").await
}

/// Says what became of it.
pub(super) fn say(noted: &Noted, context: &Context) {
    if context.output.is_json() {
        context.output.data(noted);
        return;
    }
    if let Some(read) = &noted.read {
        context.output.line(&plain(read));
    }
    context.output.note(&plain(&format!("{:>3}  {}", noted.number, noted.text)));
}
