//! Runs one after the other or several at a time, each again where that is allowed, and what came of them.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_core::script::write;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::flags::Browser;
use super::follow::{self, Interrupts};
use super::interrupt::Signals;
use super::reach::Reach;
use super::{Context, files};
use crate::engine::api::{Ending, RunRequest, RunResult, RunSource};
use crate::engine::evidence::write_whole;
use crate::engine::learned::teach;
use crate::exit::{ErrorKind, Exit, Failure};

/// What came of one run.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// It ended in one of the four ways.
    Result(Box<RunResult>),
    /// It could not be begun, or its engine went away.
    Failure(Failure),
}

impl Outcome {
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Result(result) => Exit::from_code(result.exit_code),
            Self::Failure(failure) => failure.kind.exit(),
        }
    }

    /// Another attempt may be made: it failed, and sent nothing that must not be sent twice.
    fn may_be_repeated(&self) -> bool {
        match self {
            Self::Result(result) => {
                !result.sent
                    && matches!(result.result, Ending::HardFailure | Ending::Recoverable)
                    && self.exit() != Exit::Interrupted
            }
            Self::Failure(failure) => matches!(failure.kind, ErrorKind::BrowserEnded | ErrorKind::TimedOut),
        }
    }
}

/// One run with all its attempts.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    /// File or test.
    pub(super) label: String,
    /// The last attempt.
    pub(super) outcome: Outcome,
    /// The attempts before it.
    pub(super) earlier: Vec<Outcome>,
    /// What was said in the last one.
    pub(super) log: Vec<String>,
    /// All attempts together.
    pub(super) took: Duration,
}

/// How the runs of one command are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// In which browser.
    pub(super) browser: Browser,
    /// How often a failed run is made again.
    pub(super) retries: u32,
    /// How many at a time.
    pub(super) jobs: usize,
}

/// Makes all runs. The order of what comes back is that of the requests.
pub(super) async fn run_all(
    context: &Arc<Context>,
    requests: Vec<RunRequest>,
    manner: Manner,
    interrupts: &Interrupts,
) -> Vec<Ran> {
    let room = Arc::new(Semaphore::new(manner.jobs));
    // Several at a time would talk at once: each says what it has to say when it has ended.
    let aloud = manner.jobs == 1 || requests.len() == 1;
    let mut under_way = JoinSet::new();
    for (place, request) in requests.into_iter().enumerate() {
        let (context, interrupts) = (Arc::clone(context), interrupts.clone());
        // In the order of the requests. The semaphore is never closed.
        let turn = Arc::clone(&room).acquire_owned().await;
        under_way.spawn(async move {
            let _turn = turn;
            (place, run_one(&context, request, manner, interrupts, aloud).await)
        });
    }
    let mut ran: Vec<(usize, Ran)> = Vec::new();
    while let Some(done) = under_way.join_next().await {
        match done {
            Ok((place, Some(one))) => ran.push((place, one)),
            Ok((_, None)) => {}
            Err(error) => tracing::error!("a run ended in a defect of Cairn: {error}"),
        }
    }
    ran.sort_by_key(|(place, _)| *place);
    ran.into_iter().map(|(_, one)| one).collect()
}

/// One run with its attempts; `None` where the command was ended before it began.
async fn run_one(
    context: &Arc<Context>,
    request: RunRequest,
    manner: Manner,
    mut interrupts: Interrupts,
    aloud: bool,
) -> Option<Ran> {
    if interrupts.count() > 0 {
        return None;
    }
    let begun = Instant::now();
    let label = label(&request.source);
    let mut earlier = Vec::new();
    loop {
        let mut told = follow::Told::new(context.output, aloud);
        let outcome = match attempt(context, request.clone(), manner, &mut interrupts, &mut told).await {
            Ok(result) => {
                keep_learned(context, &request, &result);
                Outcome::Result(Box::new(result))
            }
            Err(failure) => Outcome::Failure(failure),
        };
        told.end(&label, &outcome);
        let again =
            (earlier.len() as u32) < manner.retries && outcome.may_be_repeated() && interrupts.count() == 0;
        if again {
            context.output.note(&format!(
                "{label}: again, attempt {} of {}",
                earlier.len() + 2,
                manner.retries + 1
            ));
            earlier.push(outcome);
            continue;
        }
        return Some(Ran { label, outcome, earlier, log: told.log, took: begun.elapsed() });
    }
}

/// A script file is taught what its run learned of the input that its steps need.
fn keep_learned(context: &Context, request: &RunRequest, result: &RunResult) {
    let RunSource::File { path, script } = &request.source else { return };
    if request.options.no_record || result.result != Ending::Success || result.trusted.is_empty() {
        return;
    }
    let path = Path::new(path);
    // Somebody may have changed it meanwhile: then the numbers may mean other steps.
    let Some(mut file) = files::script(path).ok().filter(|file| file.script.steps == script.steps) else {
        return;
    };
    if !teach(&mut file.script, &result.trusted) {
        return;
    }
    let steps = result.trusted.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let said = match write_whole(path, write(&file).as_bytes()) {
        Ok(()) => format!("steps {steps} need the browser's own input; {} says so now", path.display()),
        Err(error) => format!("warning: what was learned of steps {steps} is not kept: {error}"),
    };
    context.output.note(&said);
}

async fn attempt(
    context: &Arc<Context>,
    request: RunRequest,
    manner: Manner,
    interrupts: &mut Interrupts,
    told: &mut follow::Told,
) -> Result<RunResult, Failure> {
    let interrupted = || Failure::new(ErrorKind::Interrupted, "interrupted", "");
    let reaching = Reach::once(manner.browser, context, async |desk| desk.check(&request).await);
    let reach = tokio::select! {
        reach = reaching => reach?,
        () = interrupts.next() => return Err(interrupted()),
    };
    follow::play(reach, request, interrupts, told).await
}

fn label(source: &RunSource) -> String {
    match source {
        RunSource::File { path, .. } => path.clone(),
        RunSource::Test { name, .. } => name.clone(),
    }
}

/// Listens for signals from now on: each adds one to a count, for every run under way.
pub(super) fn interrupts() -> Result<Interrupts, Failure> {
    let mut signals = Signals::listen()?;
    let (count, heard) = watch::channel(0);
    tokio::spawn(async move {
        loop {
            signals.wait().await;
            count.send_modify(|count| *count += 1);
        }
    });
    Ok(Interrupts::new(heard))
}
