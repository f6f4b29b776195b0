//! The grammar of `cairn`, and what every verb is given.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind as ClapErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

use super::output::Output;
use super::{
    approve, assert, completions, demo_site, do_task, doctor, extension, extract, hand, mcp, pair, probe,
    pull, push, record, rejudge, run, scripts, serve, skills, stop,
};
use crate::daemon::{DEFAULT_PORT, client};
use crate::exit::{ErrorKind, Exit, Failure};

/// Compiles a browser run once and executes it for ever after.
#[derive(Parser)]
#[command(name = "cairn", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 success · 1 failed · 2 usage · 3 healed under --fail-on-heal · 4 not paired or \
                        not allowed · 5 nothing selected · 6 no browser · 7 business outcome · 8 try again later"
)]
pub(super) struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    verb: Verb,
}

/// Flags that every verb takes.
#[derive(Args, Clone, Debug)]
struct Globals {
    /// Print JSON: one object, or one line an event
    #[arg(long, global = true)]
    json: bool,
    /// Port of the daemon
    #[arg(long, global = true, value_name = "PORT", env = "CAIRN_PORT")]
    port: Option<u16>,
    /// Folder of the store, the evidence and the pairing keys [default: that of the daemon at --port, else .cairn of the project]
    #[arg(long, global = true, value_name = "DIR", env = "CAIRN_DATA")]
    data: Option<PathBuf>,
    /// Say more on stderr; twice for everything
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Subcommand)]
enum Verb {
    /// Run the daemon that paired browsers and the other commands talk to
    Serve(serve::Args),
    /// Print a link that pairs the browser it is opened in
    Pair(pair::Args),
    /// Check browser, extension, daemon, pairing and data folder
    Doctor(doctor::Args),
    /// Record a person's run as a script
    Record(record::Args),
    /// End the recording under way
    Stop(stop::Args),
    /// Have the recording under way read an output
    Extract(extract::Args),
    /// Have the recording under way check what the page shows
    Assert(assert::Args),
    /// Play scripts and tests
    Run(Box<run::Args>),
    /// Take over a run that the daemon plays
    Take(hand::Args),
    /// Give a run that was taken over back
    Give(hand::Args),
    /// Carry out a goal: from memory, else by a model
    Do(Box<do_task::Args>),
    /// List, show, run and remove skills
    Skills(skills::Args),
    /// List the interactive elements of a page
    Probe(probe::Args),
    /// List, show and review stored scripts
    Scripts(scripts::Args),
    /// Let a program run a risky script, once
    Approve(approve::Args),
    /// Load test files into the store
    Push(push::Args),
    /// Write stored tests back to files
    Pull(pull::Args),
    /// Serve agents over the Model Context Protocol
    Mcp(mcp::Args),
    /// Judge heals again over stored pages, without a browser
    Rejudge(rejudge::Args),
    /// Find or install the browser extension
    Extension(extension::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Serve the demo application
    #[command(hide = true)]
    DemoSite(demo_site::Args),
}

/// What every verb is given.
#[derive(Clone)]
pub struct Context {
    /// Where to print.
    pub output: Output,
    /// The daemon's port.
    pub port: u16,
    /// The data folder.
    pub data: PathBuf,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let json = arguments.iter().any(|argument| argument == "--json");
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, json),
    };
    let output = Output::new(cli.globals.json);
    start_log(cli.globals.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let message = format!("no threads could be started: {error}");
            let failure =
                Failure::new(ErrorKind::Internal, message, "raise the limits of this user (ulimit -u)");
            output.failure(&failure);
            return failure.kind.exit().into();
        }
    };
    let exit = runtime.block_on(execute(cli, output));
    // A blocked thread (a read of stdin) must not keep a finished command.
    runtime.shutdown_background();
    exit.into()
}

async fn execute(cli: Cli, output: Output) -> Exit {
    let Globals { port, data, .. } = cli.globals;
    let data = match (data, port) {
        (Some(data), _) => data,
        // Whoever names a daemon means its store.
        (None, Some(port)) if !matches!(cli.verb, Verb::Serve(_)) => {
            daemon_data(port).await.unwrap_or_else(project_data)
        }
        (None, _) => project_data(),
    };
    let context = Context { output, port: port.unwrap_or(DEFAULT_PORT), data };
    let done = match cli.verb {
        Verb::Serve(args) => serve::run(args, &context).await,
        Verb::Pair(args) => pair::run(args, &context).await,
        Verb::Doctor(args) => doctor::run(args, &context).await,
        Verb::Record(args) => record::run(args, &context).await,
        Verb::Stop(args) => stop::run(args, &context).await,
        Verb::Extract(args) => extract::run(args, &context).await,
        Verb::Assert(args) => assert::run(args, &context).await,
        Verb::Run(args) => run::run(*args, context.clone()).await,
        Verb::Take(args) => hand::run(args, true, &context).await,
        Verb::Give(args) => hand::run(args, false, &context).await,
        Verb::Do(args) => Box::pin(do_task::run(*args, context.clone())).await,
        Verb::Skills(args) => Box::pin(skills::run(args, context.clone())).await,
        Verb::Probe(args) => probe::run(args, &context).await,
        Verb::Scripts(args) => scripts::run(args, &context).await,
        Verb::Approve(args) => approve::run(args, &context).await,
        Verb::Push(args) => push::run(args, &context).await,
        Verb::Pull(args) => pull::run(args, &context).await,
        Verb::Mcp(args) => Box::pin(mcp::run(args, context.clone())).await,
        Verb::Rejudge(args) => rejudge::run(&args, &context),
        Verb::Extension(args) => extension::run(args, &context),
        Verb::Completions(args) => completions::run(&args, &context, &mut Cli::command()),
        Verb::DemoSite(args) => demo_site::run(args, &context).await,
    };
    done.unwrap_or_else(|failure| {
        context.output.failure(&failure);
        failure.kind.exit()
    })
}

/// The data folder of the daemon at a port, where one runs.
async fn daemon_data(port: u16) -> Option<PathBuf> {
    let status = client::connect(port).ok()?.status().await.ok()?;
    status.data.filter(|data| data.is_dir())
}

/// The `.cairn` of this folder or of the nearest one above it that has one; else it will be made here.
fn project_data() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let above = here.ancestors().map(|folder| folder.join(".cairn")).find(|data| data.is_dir());
    above.unwrap_or_else(|| here.join(".cairn"))
}

/// Help and version are data; everything else that clap says is a usage error.
fn usage(error: &clap::Error, json: bool) -> ExitCode {
    if matches!(error.kind(), ClapErrorKind::DisplayHelp | ClapErrorKind::DisplayVersion) || !json {
        // Nobody reads: nothing more can be said.
        let _ = error.print();
        return match error.kind() {
            ClapErrorKind::DisplayHelp | ClapErrorKind::DisplayVersion => Exit::Success.into(),
            _ => Exit::Usage.into(),
        };
    }
    let text = error.to_string();
    // What clap says up to its usage lines, in one line.
    let said = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    let message = said.split_whitespace().collect::<Vec<_>>().join(" ");
    Output::new(true).failure(&Failure::new(ErrorKind::Usage, message, "see `cairn --help`"));
    Exit::Usage.into()
}

/// The log goes to stderr: stdout is data.
fn start_log(verbose: u8) {
    let default = match verbose {
        0 => "error",
        1 => "cairn_host=info",
        _ => "cairn_host=debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("CAIRN_LOG");
    let filter = filter.unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(default));
    let colour = super::output::stderr_has_colour();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colour).init();
}
