//! One run from the request to its result, and how it is told.

use std::io::IsTerminal as _;

use indicatif::ProgressBar;
use tokio::sync::watch;

use super::batch::Outcome;
use super::output::{Output, plain};
use super::reach::{Conversation, Reach};
use crate::engine::api::{Caller, ClientEvent, ClientRequest, Ending, RunEvent, RunRequest, RunResult, line};
use crate::exit::{ErrorKind, Failure};

/// Hears the signals that end a command.
#[derive(Clone, Debug)]
pub(super) struct Interrupts(watch::Receiver<u32>);

impl Interrupts {
    pub(super) fn new(count: watch::Receiver<u32>) -> Self {
        Self(count)
    }

    /// Signals so far.
    pub(super) fn count(&self) -> u32 {
        *self.0.borrow()
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// What was said of one run. Where runs overlap it is kept back until the run has ended.
pub(super) struct Told {
    output: Output,
    aloud: bool,
    /// Log lines, for a report.
    pub(super) log: Vec<String>,
    kept: Vec<String>,
    /// How far the run is; only for a person who looks on.
    bar: Option<ProgressBar>,
}

impl Told {
    pub(super) fn new(output: Output, aloud: bool) -> Self {
        Self { output, aloud, log: Vec::new(), kept: Vec::new(), bar: None }
    }

    fn hear(&mut self, event: &RunEvent) {
        if self.output.is_json() {
            let text = line(event);
            if self.aloud { self.output.line(&text) } else { self.kept.push(text) }
        }
        match event {
            RunEvent::Log { text } => {
                if self.aloud {
                    let say = || self.output.note(&plain(text));
                    self.bar.as_ref().map_or_else(say, |bar| bar.suspend(say));
                }
                self.log.push(plain(text));
            }
            RunEvent::Started { script, steps, .. } if self.aloud => {
                self.bar = self.output.progress(&plain(script), u64::from(*steps));
            }
            RunEvent::Step { report, .. } => {
                if let Some(bar) = &self.bar {
                    bar.set_position(report.number.into());
                }
            }
            RunEvent::Finished { .. } => self.bar.take().iter().for_each(ProgressBar::finish_and_clear),
            RunEvent::Started { .. }
            | RunEvent::Tier { .. }
            | RunEvent::Intent { .. }
            | RunEvent::Hand { .. } => {}
        }
    }

    /// Says how it ended, and what was kept back.
    pub(super) fn end(&mut self, label: &str, outcome: &Outcome) {
        self.bar.take().iter().for_each(ProgressBar::finish_and_clear);
        if !self.aloud {
            self.log.iter().for_each(|text| self.output.note(&format!("{label}: {text}")));
            self.kept.drain(..).for_each(|text| self.output.line(&text));
        }
        match outcome {
            Outcome::Result(result) if !self.output.is_json() => summary(self.output, result),
            Outcome::Result(_) => {}
            Outcome::Failure(failure) => self.output.failure(failure),
        }
    }
}

/// Plays through an engine that is reached, and ends it.
pub(super) async fn play(
    reach: Reach,
    mut request: RunRequest,
    interrupts: &mut Interrupts,
    told: &mut Told,
) -> Result<RunResult, Failure> {
    // A daemon is asked by programs as well: only who sits at a terminal is taken for a person there.
    if reach.is_daemon() && !std::io::stdin().is_terminal() {
        request.caller = Caller::Program;
    }
    converse(reach, ClientRequest::Run(Box::new(request)), interrupts, told).await
}

/// Asks an engine that is reached for what ends in a result, and ends it.
pub(super) async fn converse(
    reach: Reach,
    request: ClientRequest,
    interrupts: &mut Interrupts,
    told: &mut Told,
) -> Result<RunResult, Failure> {
    let played = match reach.ask(request).await {
        Ok(conversation) => listen(conversation, interrupts, told).await,
        Err(failure) => Err(failure),
    };
    let played = played.map_err(|failure| reach.explain(failure));
    reach.end().await;
    played
}

/// Hears what happens until the result is there.
async fn listen(
    mut conversation: Conversation,
    interrupts: &mut Interrupts,
    told: &mut Told,
) -> Result<RunResult, Failure> {
    let interrupted = || Failure::new(ErrorKind::Interrupted, "interrupted; the run has ended", "");
    let mut asked = false;
    loop {
        let event = tokio::select! {
            event = conversation.next() => event,
            () = interrupts.next() => {
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
                told.hear(&event);
                if let RunEvent::Finished { result } = event {
                    return Ok(*result);
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

fn summary(output: Output, result: &RunResult) {
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
