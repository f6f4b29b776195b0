//! `cairn run`: plays scripts and tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_core::wire::page::InputMode as PageInput;

use super::batch::{Manner, interrupts, run_all};
use super::flags::{Browser, Inputs, ProbeBuild, Spending};
use super::reach::open_store;
use super::selection::Selection;
use super::{Context, files, junit};
use crate::engine::api::schema;
use crate::engine::api::{Caller, ReplayHeal, RunOptions, RunRequest, RunResult, RunSource, Tier};
use crate::exit::{ErrorKind, Exit, Failure};

/// Browsers at a time: more than that is a mistake in a number.
const MOST_JOBS: usize = 64;

/// Runs that are looked at for `--last-failed`.
const RUNS_LOOKED_AT: u32 = 10_000;

/// Plays scripts and tests
///
/// A path is played as the script file it is; a name, or a NAME.test.json, plays the promoted script of that test.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Script files, test files or names of tests
    #[arg(required_unless_present_any = ["grep", "last_failed", "shard", "json_schema"], value_name = "PATH|NAME")]
    what: Vec<String>,
    #[command(flatten)]
    selection: Selection,
    /// How many runs at a time, each in a browser of its own
    #[arg(long, short, value_name = "NUMBER", default_value_t = 1, conflicts_with = "attach")]
    jobs: usize,
    /// How often a failed run is made again, unless it sent something
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    retries: u32,
    /// Print the JSON Schema of what --json prints, and nothing else
    #[arg(long)]
    json_schema: bool,
    /// Write a JUnit report
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    browser: Browser,
    /// Leave the tab as it ended
    #[arg(long, requires = "attach")]
    keep_open: bool,
    /// Go on with a run that died or was stopped, in the tab that it left behind
    #[arg(long, value_name = "RUN", requires = "attach")]
    resume: Option<String>,
    #[command(flatten)]
    inputs: Inputs,
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
    #[command(flatten)]
    spending: Spending,
    /// Folder of the files that steps upload [default: `fixtures` beside the script, and the script's own folder]
    #[arg(long, value_name = "FOLDER")]
    fixtures: Vec<PathBuf>,
    /// Kind of input the page gets
    #[arg(long, value_enum, default_value = "auto")]
    input_mode: InputMode,
    #[command(flatten)]
    build_of_probe: ProbeBuild,
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

pub(super) async fn run(args: Args, context: Context) -> Result<Exit, Failure> {
    if args.json_schema {
        context.output.line(&format!("{:#}", schema::run_events()));
        return Ok(Exit::Success);
    }
    let options = options(&args)?;
    let inputs = args.inputs.read()?;
    let what = chosen(&args, &context).await?;
    // Every file is read before anything is started.
    let mut requests = Vec::new();
    for what in &what {
        requests.push(RunRequest {
            source: source(what)?,
            inputs: inputs.clone(),
            options: RunOptions { fixtures: fixtures(what, &args.playing.fixtures), ..options.clone() },
            caller: Caller::Terminal,
            approval: args.approval.clone(),
        });
    }
    let manner = Manner { browser: args.browser, retries: args.retries, jobs: args.jobs.clamp(1, MOST_JOBS) };
    let interrupts = interrupts()?;
    let ran = run_all(&Arc::new(context), requests, manner, &interrupts).await;
    if let Some(path) = &args.junit {
        junit::write(path, &ran)?;
    }
    let exits = ran.iter().map(|one| one.outcome.exit());
    let first = exits.clone().find(|exit| *exit != Exit::Success);
    let interrupted = interrupts.count() > 0 && exits.len() < what.len();
    Ok(first.unwrap_or(if interrupted { Exit::Interrupted } else { Exit::Success }))
}

/// The files and tests that are meant.
async fn chosen(args: &Args, context: &Context) -> Result<Vec<String>, Failure> {
    if !args.selection.chooses() {
        return Ok(args.what.clone());
    }
    let store = open_store(&context.data)?;
    let names = if args.what.is_empty() {
        store.tests().await?.into_iter().map(|test| test.name).collect()
    } else {
        args.what.clone()
    };
    let mut failed = BTreeSet::new();
    // The newest run of each comes first.
    let mut seen = BTreeSet::new();
    for run in store.runs(None, RUNS_LOOKED_AT).await? {
        if seen.insert(run.script.clone()) && !is_success(run.result.as_deref()) {
            failed.insert(run.script);
        }
    }
    args.selection.choose(names, |name| failed.contains(test_name(name)))
}

/// What a run of this is stored as.
fn test_name(what: &str) -> &str {
    let file = Path::new(what).file_name().and_then(|name| name.to_str()).unwrap_or(what);
    file.strip_suffix(".test.json").unwrap_or(what)
}

/// A run without a result has died.
fn is_success(result: Option<&str>) -> bool {
    let result = result.and_then(|text| serde_json::from_str::<RunResult>(text).ok());
    result.is_some_and(|result| result.exit_code == Exit::Success as u8)
}

/// Where files to upload are looked for: the folders that were named, then beside the script, then here.
fn fixtures(what: &str, named: &[PathBuf]) -> Vec<PathBuf> {
    let beside = Path::new(what).parent().filter(|_| Path::new(what).is_file());
    let usual = beside
        .into_iter()
        .chain([Path::new("")])
        .flat_map(|place| [place.join("fixtures"), place.to_path_buf()]);
    let all = named.iter().cloned().chain(usual);
    all.map(|folder| std::path::absolute(&folder).unwrap_or(folder)).collect()
}

fn options(args: &Args) -> Result<RunOptions, Failure> {
    let playing = &args.playing;
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
        fixtures: Vec::new(),
        input_mode: match playing.input_mode {
            InputMode::Page => PageInput::Page,
            InputMode::Trusted => PageInput::Trusted,
            InputMode::Auto => PageInput::Auto,
        },
        engine: playing.build_of_probe.wire(),
        bound_ms,
        viewport: args.browser.viewport(),
        keep_open: args.keep_open,
        fail_on_heal: args.fail_on_heal,
        heal_budget: args.heal_budget,
        propose_after: args.propose_after,
        expect: args.expect.clone(),
        resume: args.resume.clone(),
        max_steps: playing.spending.steps,
        max_tokens: playing.spending.tokens,
        max_cost: playing.spending.cost,
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
    let script = Box::new(files::script_to_use(path)?.script);
    Ok(RunSource::File { path: what.to_owned(), script })
}
