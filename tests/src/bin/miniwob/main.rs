//! MiniWoB++: a person with trusted input solves each task on a seeded page, is recorded, and is replayed on the same seed. What
//! counts is the page's own reward. One line a task; exit code 1 where fewer than are demanded earn it.

mod pages;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cairn_tests::pages::tests_folder;
use cairn_tests::say::{exit, say};
use cairn_tests::{Failed, Outcome, Pages, Person, Recorded, Recording, Replay, Stage, Tab};
use clap::Parser;
use serde_json::Value;
use tokio::time::sleep;

/// How long a person may take for one task.
const PATIENCE: Duration = Duration::from_secs(40);

/// How long a reward may take to come after the last act.
const REWARD: Duration = Duration::from_secs(4);

/// Solves, records and replays the tasks of MiniWoB++.
#[derive(Parser)]
#[command(name = "miniwob")]
struct Arguments {
    /// Only these tasks; all where none is named
    tasks: Vec<String>,
    /// The folder `miniwob/html` of the package
    #[arg(long)]
    folder: PathBuf,
    /// The seed of every page
    #[arg(long, default_value_t = 7)]
    seed: u32,
    /// Which build of the probe: wasm or js
    #[arg(long, default_value = "wasm")]
    engine: String,
    /// So many tasks must earn their reward in the replay
    #[arg(long, default_value_t = 100)]
    demand: usize,
    /// Keep scripts and evidence here
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// What became of a task.
enum Verdict {
    /// The replay earned the reward: so many steps, so many milliseconds.
    Earned(usize, f64),
    /// The person has no way to solve it.
    Unsolved(String),
    /// It was solved, and the replay did not earn the reward.
    Lost(String),
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let enough = arguments.demand.min(arguments.tasks.len().max(1));
    exit(try_all(&arguments).await.map(|earned| earned >= enough), "the tasks")
}

async fn try_all(arguments: &Arguments) -> Outcome<usize> {
    let scratch = tempfile::tempdir().map_err(Failed::io("making a folder"))?;
    let stage = Stage::set(arguments.keep.as_deref().unwrap_or(scratch.path())).await?;
    let served = Pages::serve_router(pages::router(&arguments.folder, arguments.seed)).await?;
    let solver = std::fs::read_to_string(tests_folder().join("miniwob/person.js"))
        .map_err(Failed::io("reading the person"))?;
    let (mut earned, mut unsolved, mut lost) = (0, 0, 0);
    for task in tasks(arguments)? {
        let url = served.url(&format!("miniwob/{task}.html"));
        let trial = Trial { stage: &stage, task: &task, url: &url, engine: &arguments.engine };
        match trial.verdict(&solver).await {
            Ok(Verdict::Earned(steps, ms)) => {
                earned += 1;
                say(&format!("ok        {task} ({steps} steps, {ms:.0} ms)"));
            }
            Ok(Verdict::Unsolved(why)) => {
                unsolved += 1;
                say(&format!("unsolved  {task}: {why}"));
            }
            Ok(Verdict::Lost(why)) => {
                lost += 1;
                say(&format!("LOST      {task}: {why}"));
            }
            Err(error) => {
                lost += 1;
                say(&format!("ERROR     {task}: {error}"));
            }
        }
    }
    say(&format!("{earned} earned their reward, {lost} lost it in the replay, {unsolved} were not solved"));
    stage.chrome.stop().await;
    Ok(earned)
}

fn tasks(arguments: &Arguments) -> Outcome<Vec<String>> {
    if !arguments.tasks.is_empty() {
        return Ok(arguments.tasks.clone());
    }
    let folder = arguments.folder.join("miniwob");
    let entries = std::fs::read_dir(&folder).map_err(Failed::io(format!("reading {}", folder.display())))?;
    let name = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let pages = entries.flatten().map(|entry| entry.path());
    let html = pages.filter(|path| path.extension().is_some_and(|ending| ending == "html"));
    let mut names: Vec<String> = html.filter_map(|path| name(&path)).collect();
    names.sort();
    Ok(names)
}

/// One task in one browser.
struct Trial<'a> {
    stage: &'a Stage,
    task: &'a str,
    url: &'a str,
    engine: &'a str,
}

impl Trial<'_> {
    async fn verdict(&self, solver: &str) -> Outcome<Verdict> {
        let recording = Recording::start(self.stage, self.task, self.url, &["--engine", self.engine]).await?;
        let solved = self.solve(recording.person(), solver).await;
        let reward = reward(recording.person().tab(), REWARD).await;
        let tab = recording.person().tab().clone();
        let recorded = recording.stop(self.stage).await?;
        // A tab that is gone already needs no closing.
        let _ = tab.close().await;
        if let Err(error) = &solved {
            return Ok(Verdict::Unsolved(error.to_string()));
        }
        match reward {
            Some(reward) if reward > 0.0 => self.replay(&recorded, reward, &solved.unwrap_or_default()).await,
            other => Ok(Verdict::Unsolved(format!("the person's reward is {other:?}"))),
        }
    }

    /// Gives what was typed last: the one secret of a task that has any.
    async fn solve(&self, person: &Person, solver: &str) -> Outcome<String> {
        let mut typed = String::new();
        let tab = person.tab();
        person.click(&cairn_tests::What::css("#sync-task-cover")).await?;
        tab.evaluate_in_page(&format!("(() => {{ {solver} }})()")).await?;
        let known = tab.evaluate_in_page(&format!("person.begin({:?})", self.task)).await?;
        if known != true {
            return Err(Failed::because("this person does not know how"));
        }
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let act = tab.evaluate_in_page("person.next()").await?;
            if act.is_null() {
                return Ok(typed);
            }
            if let Some(text) = act["type"].as_str() {
                text.clone_into(&mut typed);
            }
            person.perform(&act).await?;
        }
        Err(Failed::because("the person lost patience"))
    }

    async fn replay(&self, recorded: &Recorded, wanted: f64, secret: &str) -> Outcome<Verdict> {
        let known = self.stage.chrome.targets().await?;
        let (port, file) = (self.stage.daemon.port_text(), recorded.file.to_string_lossy());
        let mut arguments: Vec<String> =
            ["run", &file, "--attach", "--keep-open", "--json", "--port", &port, "--engine", self.engine]
                .map(str::to_owned)
                .into();
        for (name, _) in recorded.script.script.inputs.iter().filter(|(_, input)| input.secret) {
            arguments.extend(["--input".to_owned(), format!("{name}={secret}")]);
        }
        let replay = Replay::of(self.stage.cairn.run(&arguments).await?)?;
        let tab = self.stage.chrome.new_tab_at(self.url, &known).await?;
        let got = reward(&tab, if replay.code == 0 { REWARD } else { Duration::ZERO }).await;
        tab.close().await?;
        let steps = recorded.script.script.steps.len();
        // A reward that falls with the time or the distance may differ in its last digits.
        if replay.code == 0 && got.is_some_and(|got| got >= wanted - 0.05) {
            return Ok(Verdict::Earned(steps, replay.result.replay_ms));
        }
        let observed = replay.result.observed.as_deref().unwrap_or_default();
        Ok(Verdict::Lost(format!(
            "{steps} steps, exit code {}, reward {got:?} of {wanted}, step {:?}: {observed}",
            replay.code, replay.result.step
        )))
    }
}

/// The page's own reward, once it has given one.
async fn reward(tab: &Tab, bound: Duration) -> Option<f64> {
    let began = Instant::now();
    loop {
        let given = tab.evaluate("document.documentElement.dataset.reward ?? null").await.ok();
        let given = given.as_ref().and_then(Value::as_str).and_then(|text| text.parse().ok());
        if given.is_some() || began.elapsed() > bound {
            return given;
        }
        sleep(Duration::from_millis(25)).await;
    }
}
