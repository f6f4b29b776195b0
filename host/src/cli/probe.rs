//! `cairn probe`: the interactive elements of a page.

use cairn_core::wire::page::Selectors;
use url::Url;

use super::Context;
use super::flags::{Browser, ProbeBuild};
use super::interrupt::unless_interrupted;
use super::listing::{frame, lines, within};
use super::output::plain;
use super::reach::ask_daemon;
use crate::browser::Launch;
use crate::daemon::{Config, Daemon, Hub, OwnBrowser};
use crate::engine::api::{ClientEvent, ClientRequest, ProbeRequest, ProbeResult};
use crate::engine::probe::probe;
use crate::exit::{ErrorKind, Exit, Failure};

/// Lists the interactive elements of a page
#[derive(clap::Args)]
#[command(mut_arg("attach", |flag| flag.help("Use the paired browser, and its tab at that URL if there is one")))]
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
    /// Keep the text within so many bytes: the topmost and most likely stay, and a last line says what was left out
    #[arg(long, value_name = "BYTES", conflicts_with = "tree")]
    budget: Option<usize>,
    /// Which selector `--json` gives of each element
    #[arg(long, value_enum, default_value_t = SelectorChoice::First)]
    selector: SelectorChoice,
    #[command(flatten)]
    build_of_probe: ProbeBuild,
    #[command(flatten)]
    browser: Browser,
}

/// The selectors of a listing.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SelectorChoice {
    /// The one that a script would try first
    First,
    /// The absolute path
    Path,
    /// None, which is the quickest
    None,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let is_json = context.output.is_json();
    if is_json && args.budget.is_some() {
        let message = "`--budget` is for the text form".to_owned();
        return Err(Failure::new(ErrorKind::Usage, message, "leave `--json` or `--budget` out"));
    }
    let selectors = match args.selector {
        // Nobody sees them in the text.
        _ if !is_json && !args.tree => Selectors::None,
        SelectorChoice::First => Selectors::First,
        SelectorChoice::Path => Selectors::Path,
        SelectorChoice::None => Selectors::None,
    };
    let request = ProbeRequest {
        url: checked(&args.url)?,
        at_url: args.browser.attach,
        all: args.all,
        hidden: args.hidden,
        tree: args.tree,
        selectors,
        engine: args.build_of_probe.wire(),
        viewport: args.browser.viewport(),
        bound_ms: 0,
    };
    let result = if args.browser.attach {
        unless_interrupted(attached(context, request)).await?
    } else {
        unless_interrupted(alone(args.browser.launch(), &request)).await?
    };
    print(context, &result, args.budget);
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
    let listed = |event| match event {
        ClientEvent::Probed { listing } => Some(*listing),
        _ => None,
    };
    ask_daemon(context, &ClientRequest::Probe(request), listed, "the daemon gave no list").await
}

/// In a browser of our own, which ends with the command.
async fn alone(launch: Launch, request: &ProbeRequest) -> Result<ProbeResult, Failure> {
    let config = Config { port: 0, data: None, hub: Hub::new(), handler: None };
    let daemon = Daemon::start(config).await?;
    let browser = OwnBrowser::start(&daemon, launch).await?;
    let result = probe(browser.hub(), request).await;
    browser.stop().await;
    daemon.stop().await;
    Ok(result?)
}

fn print(context: &Context, result: &ProbeResult, budget: Option<usize>) {
    if context.output.is_json() {
        context.output.data(result);
    } else {
        let lines = match budget {
            Some(budget) => within(&result.elements, budget),
            None => lines(&result.elements),
        };
        context.output.line(&lines.join("\n"));
        let count = result.elements.len();
        let title = plain(&result.title);
        context
            .output
            .note(&format!("{count} elements · {title} · {} · {:.0} ms", result.engine, result.took_ms));
    }
    for missing in &result.missing {
        let place = frame(&missing.frame);
        context.output.note(&plain(&format!("not listed: what is in {place}: {}", missing.reason)));
    }
    if let Some(reason) = &result.reason {
        context.output.note(&plain(reason));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_as_people_write_them() {
        assert_eq!(checked("localhost:4200/a").unwrap(), "http://localhost:4200/a");
        assert_eq!(checked("https://example.com").unwrap(), "https://example.com/");
        assert_eq!(checked("http://[").unwrap_err().kind, ErrorKind::Usage);
    }
}
