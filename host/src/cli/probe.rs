//! `cairn probe`: the interactive elements of a page.

use cairn_core::element::{States, Tristate};
use cairn_core::wire::worker::{Engine, Viewport};
use url::Url;

use super::Context;
use super::interrupt::unless_interrupted;
use super::output::plain;
use crate::browser::Launch;
use crate::daemon::{Config, Daemon, Hub, OwnBrowser, client};
use crate::engine::api::{ClientEvent, ClientRequest, ProbeRequest, ProbeResult, ProbedElement};
use crate::engine::probe::probe;
use crate::exit::{ErrorKind, Exit, Failure};

/// The page's size where the browser is our own.
const VIEWPORT: Viewport = Viewport { width: 1280, height: 720 };

/// Lists the interactive elements of a page
#[derive(clap::Args)]
pub(super) struct Args {
    /// The page
    url: String,
    /// Also what is outside the viewport and its near surroundings
    #[arg(long)]
    all: bool,
    /// Also what is covered or cannot be used, with the reason
    #[arg(long)]
    hidden: bool,
    /// Every node with role, name and selector instead
    #[arg(long)]
    tree: bool,
    /// Force one build of the probe
    #[arg(long, value_enum)]
    engine: Option<EngineChoice>,
    /// Use the paired browser, and its tab at that URL if there is one
    #[arg(long)]
    attach: bool,
    /// Show the window of the browser that is started
    #[arg(long, conflicts_with = "attach")]
    headed: bool,
}

/// The builds of the probe.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum EngineChoice {
    /// WebAssembly
    Wasm,
    /// The same code as plain JavaScript
    Js,
}

impl EngineChoice {
    /// As the worker is told it.
    pub(super) fn wire(choice: Option<Self>) -> Engine {
        match choice {
            None => Engine::Auto,
            Some(Self::Wasm) => Engine::Wasm,
            Some(Self::Js) => Engine::Js,
        }
    }
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let request = ProbeRequest {
        url: checked(&args.url)?,
        at_url: args.attach,
        all: args.all,
        hidden: args.hidden,
        tree: args.tree,
        engine: EngineChoice::wire(args.engine),
        viewport: (!args.attach).then_some(VIEWPORT),
        bound_ms: 0,
    };
    let result = if args.attach {
        unless_interrupted(attached(context, request)).await?
    } else {
        unless_interrupted(alone(args.headed, &request)).await?
    };
    print(context, &result);
    // A list that was cut is an answer; a page that could not be read at all is a failure with an answer.
    let unread = result.reason.is_some() && !result.truncated;
    Ok(if unread { Exit::Failed } else { Exit::Success })
}

/// A URL that a browser opens; `localhost:8080` is taken for what people mean by it.
pub(super) fn checked(text: &str) -> Result<String, Failure> {
    let failure = |message: String| {
        Failure::new(ErrorKind::Usage, message, "give a whole URL, e.g. https://example.com/").at(text)
    };
    let with_scheme = if text.contains("://") || text.starts_with("data:") || text.starts_with("about:") {
        text.to_owned()
    } else if std::path::Path::new(text).is_file() {
        let path = std::path::absolute(text).map_err(|error| failure(format!("no such file: {error}")))?;
        return Url::from_file_path(path).map(Into::into).map_err(|()| failure("the file has no URL".into()));
    } else {
        format!("http://{text}")
    };
    Url::parse(&with_scheme).map(Into::into).map_err(|error| failure(format!("this is no URL: {error}")))
}

/// In the paired browser, by the running daemon.
async fn attached(context: &Context, request: ProbeRequest) -> Result<ProbeResult, Failure> {
    let client = client::connect(context.port)?;
    let mut events = client.request::<_, ClientEvent>(&ClientRequest::Probe(request)).await?;
    while let Some(event) = events.next().await {
        match event? {
            ClientEvent::Probed { listing } => return Ok(*listing),
            ClientEvent::Failed { failure } => return Err(failure),
            _ => {}
        }
    }
    Err(Failure::new(
        ErrorKind::Internal,
        "the daemon gave no list",
        "use the same version of `cairn` for both",
    ))
}

/// In a browser of our own, which ends with the command.
async fn alone(headed: bool, request: &ProbeRequest) -> Result<ProbeResult, Failure> {
    let config = Config { port: 0, data: None, hub: Hub::new(), handler: None };
    let daemon = Daemon::start(config).await?;
    let launch = Launch { headless: !headed, ..Launch::default() };
    let browser = OwnBrowser::start(&daemon, launch).await?;
    let result = probe(browser.hub(), request).await;
    browser.stop().await;
    daemon.stop().await;
    Ok(result?)
}

fn print(context: &Context, result: &ProbeResult) {
    if context.output.is_json() {
        context.output.data(result);
    } else {
        for element in &result.elements {
            context.output.line(&line(element));
        }
        let count = result.elements.len();
        let title = plain(&result.title);
        context
            .output
            .note(&format!("{count} elements · {title} · {} · {:.0} ms", result.engine, result.took_ms));
    }
    if let Some(reason) = &result.reason {
        context.output.note(&plain(reason));
    }
}

/// `[2] textbox "Search entities…" (value "abc", required)`
fn line(element: &ProbedElement) -> String {
    let mut notes = states(&element.states);
    // A disabled control says so twice: as a state, and as why it cannot be used.
    if let Some(why) = element.unusable.as_ref().filter(|why| !notes.contains(why)) {
        notes.push(why.clone());
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let scope = element.scope.as_ref().map_or_else(String::new, |scope| format!("  — {scope}"));
    let text = format!("[{}] {} \"{}\"{notes}{scope}", element.index, element.role, element.name);
    plain(&text).replace('\n', " ")
}

fn states(states: &States) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(value) = &states.value {
        notes.push(format!("value \"{value}\""));
    }
    let three = [("checked", states.checked), ("pressed", states.pressed)];
    for (name, state) in three {
        match state {
            Some(Tristate::True) => notes.push(name.to_owned()),
            Some(Tristate::False) => notes.push(format!("not {name}")),
            Some(Tristate::Mixed) => notes.push(format!("partly {name}")),
            None => {}
        }
    }
    let two = [("expanded", "collapsed", states.expanded), ("selected", "", states.selected)];
    for (on, off, state) in two {
        match state {
            Some(true) => notes.push(on.to_owned()),
            Some(false) if !off.is_empty() => notes.push(off.to_owned()),
            _ => {}
        }
    }
    let flags = [
        ("disabled", states.disabled),
        ("readonly", states.readonly),
        ("required", states.required),
        ("invalid", states.invalid),
        ("focused", states.focused),
        ("aria-hidden", states.aria_hidden),
        ("secret", states.secret),
        ("scrollable", states.scrollable),
    ];
    notes
        .extend(flags.into_iter().filter(|(_, state)| *state == Some(true)).map(|(name, _)| name.to_owned()));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_people() {
        let element = ProbedElement {
            index: 2,
            role: "textbox".into(),
            name: "Search\u{1b}[2J\nentities…".into(),
            states: States { value: Some("abc".into()), required: Some(true), ..States::default() },
            ..ProbedElement::default()
        };
        assert_eq!(line(&element), "[2] textbox \"Search[2J entities…\" (value \"abc\", required)");
    }

    #[test]
    fn urls_as_people_write_them() {
        assert_eq!(checked("localhost:4200/a").unwrap(), "http://localhost:4200/a");
        assert_eq!(checked("https://example.com").unwrap(), "https://example.com/");
        assert_eq!(checked("http://[").unwrap_err().kind, ErrorKind::Usage);
    }
}
