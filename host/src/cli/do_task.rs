//! `cairn do`: carries out a goal, from memory where it was done before.

use std::io::IsTerminal as _;

use super::Context;
use super::batch::{Outcome, interrupts};
use super::flags::{Browser, Inputs, ProbeBuild, Spending};
use super::follow::{self, Told};
use super::reach::Reach;
use crate::engine::api::{CacheMode, Caller, ClientRequest, RunOptions, TaskRequest};
use crate::engine::check_words;
use crate::exit::{ErrorKind, Exit, Failure};
use crate::model::Act;

/// Carries out a goal: from memory where it was done before, else by asking the model of CAIRN_MODEL
///
/// The same goal with other input values is the same task. What a task has learnt is its owner's alone.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The goal, in words; inputs as %NAME% or by their values
    goal: String,
    /// The page to begin on
    #[arg(long)]
    url: String,
    #[command(flatten)]
    pub(super) doing: Doing,
    /// Keep what was learnt as a skill of this name
    #[arg(long, value_name = "NAME")]
    save_as: Option<String>,
    /// What must hold in the end: 'heading "Thank you"', 'text "Saved"', 'gone button "Undo"', 'textbox "Name" = "Ada"'
    #[arg(long = "check", value_name = "CHECK")]
    checks: Vec<String>,
}

/// How a task is done, by its words or by its name.
#[derive(clap::Args)]
pub(super) struct Doing {
    #[command(flatten)]
    inputs: Inputs,
    /// Treat this input as a secret: the model never sees its value
    #[arg(long, value_name = "NAME")]
    secret: Vec<String>,
    /// Whether what was learnt is used and kept
    #[arg(long, value_enum, default_value = "auto")]
    cache: CacheChoice,
    /// Allow these acts alone: click, fill, select, check, …
    #[arg(long, value_name = "ACT", value_delimiter = ',')]
    only: Vec<String>,
    /// Replay also what is called risky (Pay, Delete, Send); else it is decided anew each time
    #[arg(long)]
    allow_risky: bool,
    #[command(flatten)]
    spending: Spending,
    #[command(flatten)]
    browser: Browser,
    /// Leave the tab as it ended
    #[arg(long, requires = "attach")]
    keep_open: bool,
    #[command(flatten)]
    build_of_probe: ProbeBuild,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum CacheChoice {
    /// Used and kept
    Auto,
    /// Neither
    Off,
    /// Not used, and kept anew
    Refresh,
}

pub(super) async fn run(args: Args, context: Context) -> Result<Exit, Failure> {
    let checks = args.checks.iter().map(|text| check_words::read(text)).collect::<Result<_, _>>()?;
    let request = TaskRequest {
        goal: args.goal,
        url: args.url,
        save_as: args.save_as,
        checks,
        ..request(&args.doing)?
    };
    perform(request, &args.doing, &context).await
}

/// The request of these flags, without what is to be done.
pub(super) fn request(doing: &Doing) -> Result<TaskRequest, Failure> {
    Ok(TaskRequest {
        inputs: doing.inputs.read()?,
        secret_inputs: doing.secret.clone(),
        cache: match doing.cache {
            CacheChoice::Auto => CacheMode::Auto,
            CacheChoice::Off => CacheMode::Off,
            CacheChoice::Refresh => CacheMode::Refresh,
        },
        only: doing.only.iter().map(|word| act(word)).collect::<Result<_, _>>()?,
        allow_risky: doing.allow_risky,
        caller: Caller::Terminal,
        options: RunOptions {
            engine: doing.build_of_probe.wire(),
            viewport: doing.browser.viewport(),
            keep_open: doing.keep_open,
            max_steps: doing.spending.steps,
            max_tokens: doing.spending.tokens,
            max_cost: doing.spending.cost,
            ..RunOptions::default()
        },
        ..TaskRequest::default()
    })
}

/// Does it and says how it ended.
pub(super) async fn perform(
    mut request: TaskRequest,
    doing: &Doing,
    context: &Context,
) -> Result<Exit, Failure> {
    let label = request.skill.clone().unwrap_or_else(|| request.goal.clone());
    let mut heard = interrupts()?;
    let reaching = Reach::once(doing.browser, context, async |desk| desk.check_task(&request).await);
    let reach = tokio::select! {
        reach = reaching => reach?,
        () = heard.next() => return Err(Failure::new(ErrorKind::Interrupted, "interrupted", "")),
    };
    let mut told = Told::new(context.output, true);
    // As for runs: only who sits at a terminal is taken for a person by a daemon.
    if reach.is_daemon() && !std::io::stdin().is_terminal() {
        request.caller = Caller::Program;
    }
    let request = ClientRequest::Task(Box::new(request));
    let outcome = match follow::converse(reach, request, &mut heard, &mut told).await {
        Ok(result) => Outcome::Result(Box::new(result)),
        Err(failure) => Outcome::Failure(failure),
    };
    told.end(&label, &outcome);
    Ok(outcome.exit())
}

fn act(word: &str) -> Result<Act, Failure> {
    serde_json::from_value(serde_json::Value::from(word.trim())).map_err(|_| {
        let next =
            "acts are click, dblclick, hover, fill, select, check, uncheck, press, goto, back, extract";
        Failure::new(ErrorKind::Usage, format!("`{word}` is no act"), next).at("--only")
    })
}
