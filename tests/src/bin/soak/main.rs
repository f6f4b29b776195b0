//! A thousand replays in a row, and eight at a time: what grows, what is left behind, what is gained.

mod measure;
mod shop;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cairn_core::script::read;
use cairn_host::daemon::client;
use cairn_host::engine::api::{
    ClientEvent, ClientRequest, Ending, RunEvent, RunOptions, RunRequest, RunSource,
};
use cairn_tests::say::{exit, say};
use cairn_tests::{Failed, Outcome, Pages, Stage};
use clap::Parser;
use measure::{Measure, Work};

/// Growth that is allowed after the first hundred runs.
const GROWTH: f64 = 1.10;

/// Throughput of eight leases over that of one.
const GAIN: f64 = 5.0;

/// Leases at a time.
const LEASES: usize = 8;

#[derive(Parser)]
#[command(about = "A thousand replays in a row, and eight at a time")]
struct Arguments {
    /// Replays in a row
    #[arg(long, default_value_t = 1000)]
    runs: u32,
    /// How many runs each lease plays where eight are compared with one
    #[arg(long, default_value_t = 8)]
    rounds: u32,
}

#[tokio::main]
async fn main() -> ExitCode {
    exit(soak(&Arguments::parse()).await, "the soak")
}

async fn soak(arguments: &Arguments) -> Outcome<bool> {
    let folder = tempfile::tempdir().map_err(Failed::io("making a folder"))?;
    let stage = Stage::set(folder.path()).await?;
    let site = Pages::serve_router(shop::router()).await?;
    let quick = shop::script(&site.url("form"));
    let holds = in_a_row(&stage, &quick, arguments.runs, folder.path()).await?;
    let gains = at_a_time(&stage, &site, arguments.rounds).await?;
    stage.chrome.stop().await;
    Ok(holds && gains)
}

async fn in_a_row(stage: &Stage, script: &str, runs: u32, folder: &Path) -> Outcome<bool> {
    let warm = (runs / 10).clamp(1, 100);
    let mut first = Measure::default();
    let began = Instant::now();
    for number in 1..=runs {
        play(stage, script).await?;
        if number == warm {
            first = Measure::take(stage).await?;
            say(&format!("after {number:>4} runs: {first}"));
        } else if number % 100 == 0 {
            say(&format!("after {number:>4} runs: {}", Measure::take(stage).await?));
        }
    }
    let last = Measure::take(stage).await?;
    let each = began.elapsed().as_secs_f64() * 1000.0 / f64::from(runs);
    say(&format!("{runs} runs, {each:.0} ms each; at the end {last}"));
    let kept =
        std::fs::read_dir(folder.join("data/runs")).map_err(Failed::io("counting the evidence"))?.count();
    let mut holds = true;
    let mut bar = |what: &str, good: bool| {
        say(&format!("{} {what}", if good { "holds " } else { "BROKEN" }));
        holds &= good;
    };
    bar("the daemon's memory grows by 10 % at most", last.daemon_kb <= first.daemon_kb * GROWTH);
    bar("the worker's memory grows by 10 % at most", last.worker_kb <= first.worker_kb * GROWTH);
    bar("what lives in the worker grows by 10 % at most", last.kept_kb <= first.kept_kb * GROWTH);
    bar("no lease is left", last.leases == 0);
    bar("no tab is left", last.tabs <= first.tabs);
    bar("no process is left", last.processes <= first.processes + 1);
    bar("no file is left open", last.files <= first.files + 2);
    bar("every run has its evidence", kept >= runs as usize);
    Ok(holds)
}

/// Each lease has a site of its own and plays one run after the other there. A browser opens six connections to one site at
/// most: eight runs on one would wait for it, and not for us. That is measured too, and has no bar.
async fn at_a_time(stage: &Stage, site: &Pages, rounds: u32) -> Outcome<bool> {
    let script = |lease: usize| shop::script(&format!("http://site{lease}.localhost:{}/slow", site.port()));
    let scripts: Vec<String> = (0..LEASES).map(script).collect();
    let alone = in_turn(stage, &scripts[0], rounds).await?;
    let before = Work::so_far(stage);
    let apart = together(stage, &scripts, rounds).await?;
    let work = Work::so_far(stage).since(&before, f64::from(rounds) * LEASES as f64);
    let one_site = vec![scripts[0].clone(); LEASES];
    let crowded = together(stage, &one_site, rounds).await?;
    let gain = alone / apart;
    say(&format!(
        "{} {LEASES} leases at a time play {gain:.1} times as much as one (bar: {GAIN}): {:.0} ms a run instead of {:.0} ms",
        if gain >= GAIN { "holds " } else { "BROKEN" },
        apart * 1000.0,
        alone * 1000.0
    ));
    say(&format!("       processor time a run: {work}"));
    say(&format!("       all on one site: {:.1} times, {:.0} ms a run", alone / crowded, crowded * 1000.0));
    Ok(gain >= GAIN)
}

/// Seconds a run of one lease after the other; the first is not counted.
async fn in_turn(stage: &Stage, script: &str, rounds: u32) -> Outcome<f64> {
    play(stage, script).await?;
    let began = Instant::now();
    for _ in 0..rounds {
        play(stage, script).await?;
    }
    Ok(began.elapsed().as_secs_f64() / f64::from(rounds))
}

/// Seconds a run where each of these is played over and over, all at a time.
async fn together(stage: &Stage, scripts: &[String], rounds: u32) -> Outcome<f64> {
    let began = Instant::now();
    let plays = scripts.iter().map(|script| async move {
        for _ in 0..rounds {
            play(stage, script).await?;
        }
        Ok::<(), Failed>(())
    });
    futures_util::future::try_join_all(plays).await?;
    Ok(began.elapsed().as_secs_f64() / f64::from(rounds) / scripts.len() as f64)
}

/// One replay in the paired browser, through the daemon.
async fn play(stage: &Stage, script: &str) -> Outcome<()> {
    let script = read(script).map_err(|error| Failed::because(error.to_string()))?.script;
    let source = RunSource::File { path: "soak.json".into(), script: Box::new(script) };
    let request = RunRequest { source, options: RunOptions::default(), ..RunRequest::default() };
    let failed = |failure: cairn_host::exit::Failure| Failed::because(failure.to_string());
    let client = client::connect(stage.daemon.port()).map_err(failed)?;
    let mut events: client::Events<ClientEvent> =
        client.request(&ClientRequest::Run(Box::new(request))).await.map_err(failed)?;
    let listening = async {
        while let Some(event) = events.next().await {
            if let ClientEvent::Run { event: RunEvent::Finished { result } } = event.map_err(failed)? {
                return match result.result {
                    Ending::Success => Ok(()),
                    _ => Err(Failed::because(format!(
                        "a run ended with {:?}: {:?}",
                        result.result, result.observed
                    ))),
                };
            }
        }
        Err(Failed::because("a run ended without a result"))
    };
    let bound = Duration::from_mins(2);
    tokio::time::timeout(bound, listening).await.map_err(|_| Failed::because("a run did not end"))?
}
