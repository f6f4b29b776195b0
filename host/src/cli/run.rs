//! `cairn run`: plays scripts and tests.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use cairn_core::wire::worker::Viewport;

use super::Context;
use super::files;
use super::interrupt::Signals;
use super::output::plain;
use super::probe::EngineChoice;
use super::reach::{Conversation, Reach, open_store};
use crate::browser::Launch;
use crate::daemon::Hub;
use crate::engine::Engine;
use crate::engine::api::{
    Caller, ClientEvent, ClientRequest, Ending, ReplayHeal, RunEvent, RunOptions, RunRequest, RunResult,
    RunSource, Tier, line,
};
use crate::exit::{ErrorKind, Exit, Failure};

/// The page's size where the browser is our own.
pub(super) const VIEWPORT: Viewport = Viewport { width: 1280, height: 720 };

/// Plays scripts and tests
///
/// A path is played as the script file it is; a name, or a NAME.test.json, plays the promoted script of that test.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Script files, test files or names of tests
    #[arg(required = true, value_name = "PATH|NAME")]
    what: Vec<String>,
    /// Use the paired browser instead of one of our own
    #[arg(long)]
    attach: bool,
    /// Leave the tab as it ended
    #[arg(long, requires = "attach")]
    keep_open: bool,
    /// Show the window of the browser that is started
    #[arg(long, conflicts_with = "attach")]
    headed: bool,
    /// An input
    #[arg(long = "input", value_name = "NAME=VALUE")]
    input: Vec<String>,
    /// Inputs from a JSON file: {"name": "value"}
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
    #[command(flatten)]
    playing: Playing,
    /// A pass with healed steps has exit code 3
    #[arg(long, conflicts_with = "heal_budget")]
    fail_on_heal: bool,
    /// A pass with more healed steps has exit code 3
    #[arg(long, value_name = "NUMBER")]
    heal_budget: Option<u32>,
    /// Agreeing runs after which a heal is proposed to the pending slot; 0: never [default: 3]
    #[arg(long, value_name = "NUMBER")]
    propose_after: Option<u32>,
    /// The approval that a person gave for this run (`cairn approve`)
    #[arg(long, value_name = "ID")]
    approval: Option<String>,
    /// The business outcome that is expected: exit code 0
    #[arg(long, value_name = "CODE")]
    expect: Option<String>,
}

/// How to play: each flag is a key of a test's Configuration.
#[derive(clap::Args)]
struct Playing {
    /// How far to go to find a target again [default: llm]
    #[arg(long, value_enum)]
    heal: Option<HealChoice>,
    /// Take a divergence as the result
    #[arg(long)]
    no_llm_fallback: bool,
    /// Lowest confidence that is acted on, 0.6 to 1.0 [default: 0.6]
    #[arg(long, value_name = "NUMBER")]
    heal_threshold: Option<f64>,
    /// Identity of the build that is live
    #[arg(long, value_name = "ID")]
    build: Option<String>,
    /// Where to read it: meta:NAME, header:NAME, json:URL#KEY or assets
    #[arg(long, value_name = "WHERE", conflicts_with = "build")]
    build_from: Option<String>,
    /// Never write a script
    #[arg(long)]
    no_record: bool,
    /// Coordinate mode
    #[arg(long)]
    no_grounding: bool,
    /// Take this tier whatever the build's identity says
    #[arg(long, value_enum)]
    tier: Option<TierChoice>,
    /// Kind of input the page gets
    #[arg(long, value_enum, default_value = "page")]
    input_mode: InputMode,
    /// Force one build of the probe
    #[arg(long, value_enum)]
    engine: Option<EngineChoice>,
    /// Bound of each wait in seconds [default: 10]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum HealChoice {
    /// The full ladder, and a model where one is configured
    Llm,
    /// Exactly one element by role and name
    Deterministic,
    /// Never
    Off,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TierChoice {
    /// Recorded selectors only
    Replay,
    /// Selectors, then the ladder
    ReplayWithHeal,
    /// A model drives
    Llm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum InputMode {
    /// Events made in the page
    Page,
    /// Events of the browser
    Trusted,
    /// Page events where they suffice
    Auto,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let options = options(&args)?;
    let inputs = files::inputs(&args.input, args.inputs.as_deref())?;
    // Every file is read before anything is started.
    let mut requests = Vec::new();
    for what in &args.what {
        let source = source(what)?;
        requests.push(RunRequest {
            source,
            inputs: inputs.clone(),
            options: options.clone(),
            caller: Caller::Terminal,
            approval: args.approval.clone(),
        });
    }
    let mut signals = Signals::listen()?;
    let mut worst = Exit::Success;
    for request in requests {
        let exit = if args.attach {
            let reach = tokio::select! {
                reach = Reach::paired(context) => reach?,
                () = signals.wait() => return Err(Failure::new(ErrorKind::Interrupted, "interrupted", "")),
            };
            play(context, reach, request, &mut signals).await?
        } else {
            let reach = alone(context, args.headed, &request, &mut signals).await?;
            play(context, reach, request, &mut signals).await?
        };
        if worst == Exit::Success {
            worst = exit;
        }
        if exit == Exit::Interrupted {
            break;
        }
    }
    Ok(worst)
}

fn options(args: &Args) -> Result<RunOptions, Failure> {
    let playing = &args.playing;
    if playing.input_mode == InputMode::Trusted {
        let next = "leave --input-mode out: steps are played with page events";
        return Err(
            Failure::new(ErrorKind::Usage, "trusted input is not built yet", next).at("--input-mode trusted")
        );
    }
    let bound_ms = match playing.timeout {
        None => 0,
        Some(seconds) if (0.1..=3600.0).contains(&seconds) => (seconds * 1000.0) as u32,
        Some(seconds) => {
            let message = format!("{seconds} seconds are no bound");
            return Err(Failure::new(ErrorKind::Usage, message, "give 0.1 to 3600").at("--timeout"));
        }
    };
    Ok(RunOptions {
        heal: playing.heal.map(|choice| match choice {
            HealChoice::Llm => ReplayHeal::Llm,
            HealChoice::Deterministic => ReplayHeal::Deterministic,
            HealChoice::Off => ReplayHeal::Off,
        }),
        no_llm_fallback: playing.no_llm_fallback,
        heal_threshold: playing.heal_threshold,
        build: playing.build.clone(),
        build_from: playing.build_from.clone(),
        tier: playing.tier.map(|choice| match choice {
            TierChoice::Replay => Tier::Replay,
            TierChoice::ReplayWithHeal => Tier::ReplayWithHeal,
            TierChoice::Llm => Tier::Llm,
        }),
        no_record: playing.no_record,
        no_grounding: playing.no_grounding,
        engine: EngineChoice::wire(playing.engine),
        bound_ms,
        viewport: (!args.attach).then_some(VIEWPORT),
        keep_open: args.keep_open,
        fail_on_heal: args.fail_on_heal,
        heal_budget: args.heal_budget,
        propose_after: args.propose_after,
        expect: args.expect.clone(),
    })
}

/// A file that is there, or what can only be meant as one; else the name of a test.
pub(super) fn source(what: &str) -> Result<RunSource, Failure> {
    let path = Path::new(what);
    let looks_like_file =
        path.extension().is_some_and(|ending| ending == "json") || what.contains(['/', '\\']);
    if !looks_like_file && !path.is_file() {
        return Ok(RunSource::Test { name: what.to_owned(), upload: None });
    }
    if what.ends_with(".test.json") {
        let read = files::test(path)?;
        return Ok(RunSource::Test { name: read.test.name, upload: Some(Box::new(read.upload)) });
    }
    let script = Box::new(files::script(path)?.script);
    Ok(RunSource::File { path: what.to_owned(), script })
}

/// What can be refused is refused before a browser opens.
async fn alone(
    context: &Context,
    headed: bool,
    request: &RunRequest,
    signals: &mut Signals,
) -> Result<Reach, Failure> {
    let store = open_store(&context.data)?;
    Engine::new(Hub::new(), store.clone(), &context.data).check(request).await?;
    let launch = Launch { headless: !headed, ..Launch::default() };
    tokio::select! {
        reach = Reach::own(context, store, launch) => reach,
        () = signals.wait() => Err(Failure::new(ErrorKind::Interrupted, "interrupted", "")),
    }
}

async fn play(
    context: &Context,
    reach: Reach,
    mut request: RunRequest,
    signals: &mut Signals,
) -> Result<Exit, Failure> {
    // A daemon is asked by programs as well: only who sits at a terminal is taken for a person there.
    if reach.is_daemon() && !std::io::stdin().is_terminal() {
        request.caller = Caller::Program;
    }
    let played = match reach.ask(ClientRequest::Run(Box::new(request))).await {
        Ok(conversation) => follow(context, conversation, signals).await,
        Err(failure) => Err(failure),
    };
    let played = played.map_err(|failure| reach.explain(failure));
    reach.end().await;
    let result = played?;
    if !context.output.is_json() {
        summary(context, &result);
    }
    Ok(Exit::from_code(result.exit_code))
}

/// Prints what happens until the result is there.
async fn follow(
    context: &Context,
    mut conversation: Conversation,
    signals: &mut Signals,
) -> Result<RunResult, Failure> {
    let interrupted = || Failure::new(ErrorKind::Interrupted, "interrupted; the run has ended", "");
    let mut asked = false;
    loop {
        let event = tokio::select! {
            event = conversation.next() => event,
            () = signals.wait() => {
                // The first signal ends the run in order, with its evidence; the second one ends us.
                if asked || !conversation.stop("interrupted by the person") {
                    return Err(interrupted());
                }
                asked = true;
                continue;
            }
        };
        match event {
            Some(Ok(ClientEvent::Run { event })) => {
                if context.output.is_json() {
                    context.output.line(&line(&event));
                }
                if let Some(result) = show(context, event) {
                    return Ok(result);
                }
            }
            Some(Ok(_)) => {}
            Some(Err(failure)) => return Err(failure),
            None => {
                let next = "run again with CAIRN_LOG=debug and report what it says";
                return Err(Failure::new(ErrorKind::Internal, "the run ended without a result", next));
            }
        }
    }
}

/// Log lines for people, on stderr in every mode. Gives the result once it is there.
fn show(context: &Context, event: RunEvent) -> Option<RunResult> {
    match event {
        RunEvent::Log { text } => context.output.note(&plain(&text)),
        RunEvent::Finished { result } => return Some(*result),
        _ => {}
    }
    None
}

fn summary(context: &Context, result: &RunResult) {
    let output = context.output;
    let ending = match result.result {
        Ending::Success => "success".to_owned(),
        Ending::BusinessOutcome => {
            format!("business outcome {}", result.outcome.as_deref().unwrap_or_default())
        }
        Ending::Recoverable => "recoverable".to_owned(),
        Ending::HardFailure => "hard failure".to_owned(),
    };
    let tier = result.tier.as_str();
    output.line(&plain(&format!(
        "{ending}: {} — {} of {} steps, {} healed, {:.0} ms, tier {tier}, model calls: {}",
        result.script,
        result.steps_executed,
        result.steps_total,
        result.healed.len(),
        result.duration_ms,
        result.model_calls,
    )));
    for (name, value) in &result.outputs {
        output.line(&plain(&format!("{name}: {value}")));
    }
    if let Some(hint) = &result.hint {
        output.note(&plain(&format!("next: {hint}")));
    }
    output.note(&format!("evidence: {}", result.evidence.display()));
}
