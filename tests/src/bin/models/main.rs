//! Goals on applications that somebody else has written: each is carried out by a model of rules through the tier `llm`,
//! recorded, and replayed with other inputs without asking anybody.

mod apps;
mod goals;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use apps::Apps;
use cairn_host::engine::api::Ending;
use cairn_tests::say::{exit, say};
use cairn_tests::{Cairn, Failed, ModelServer, Outcome, Replay, Wire};
use clap::Parser;
use goals::{App, GOALS, Goal};
use serde_json::{Map, Value, json};

#[derive(Parser)]
#[command(about = "Fifteen goals on three applications, recorded by a model and replayed without it")]
struct Arguments {
    /// Folder with a Python environment in `venv` (django, datasette) and `node_modules` (swagger-ui-dist)
    packages: PathBuf,
    /// Only goals whose name holds this
    #[arg(long, default_value = "")]
    only: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    exit(measure(&Arguments::parse()).await, "the goals")
}

async fn measure(arguments: &Arguments) -> Outcome<bool> {
    let folder = tempfile::tempdir().map_err(Failed::io("making a folder"))?;
    let apps = Apps::start(&arguments.packages, folder.path()).await?;
    let server = ModelServer::start().await?;
    let cairn = server.asked_by(Cairn::in_folder(folder.path())?, Wire::Anthropic);
    say(
        "| application | goal | steps | model calls | tokens | replayed | calls then |\n|---|---|---|---|---|---|---|",
    );
    let mut all = true;
    for goal in GOALS.iter().filter(|goal| goal.name.contains(&arguments.only)) {
        all &= carry_out(goal, &apps, &server, &cairn, folder.path()).await?;
    }
    Ok(all)
}

async fn carry_out(
    goal: &Goal,
    apps: &Apps,
    server: &ModelServer,
    cairn: &Cairn,
    folder: &Path,
) -> Outcome<bool> {
    write_test(goal, &apps.url(goal.on), folder)?;
    server.reset();
    let first = run(goal, cairn, folder, 0).await?;
    let calls = server.calls();
    let spent =
        first.result.model.as_ref().map_or(0, |model| model.spent.tokens_given + model.spent.tokens_made);
    if first.result.result != Ending::Success {
        say(&format!(
            "| {} | {} | failed: {:?} {:?} |",
            goal.on.name(),
            goal.name,
            first.result.condition,
            first.result.observed
        ));
        first.log().iter().for_each(|line| say(&format!("    {line}")));
        return Ok(false);
    }
    server.reset();
    let again = run(goal, cairn, folder, 1).await?;
    let free = again.result.result == Ending::Success && server.calls() == 0 && server.connections() == 0;
    say(&format!(
        "| {} | {} | {} | {calls} | {spent} | {} | {} |",
        goal.on.name(),
        goal.name,
        first.result.steps_total,
        if again.result.result == Ending::Success { "yes" } else { "**no**" },
        server.calls(),
    ));
    if !free {
        again.log().iter().for_each(|line| say(&format!("    {line}")));
    }
    Ok(free)
}

fn write_test(goal: &Goal, url: &str, folder: &Path) -> Outcome<()> {
    let mut inputs = Map::new();
    if goal.on == App::Django {
        inputs.insert("user".into(), json!({"type": "string", "required": true}));
        inputs.insert("password".into(), json!({"type": "string", "required": true, "secret": true}));
    }
    for (name, ..) in goal.inputs {
        inputs.insert((*name).to_owned(), json!({"type": "string", "required": true}));
    }
    let test = json!({"Name": goal.name, "Goal": goal.words, "StartUrl": url, "Inputs": inputs, "Configuration": {}});
    let path = folder.join(format!("{}.test.json", goal.name));
    fs::write(path, test.to_string()).map_err(Failed::io("writing a test"))
}

async fn run(goal: &Goal, cairn: &Cairn, folder: &Path, turn: usize) -> Outcome<Replay> {
    let mut inputs: Map<String, Value> = Map::new();
    if goal.on == App::Django {
        inputs.insert("user".into(), "ada".into());
        inputs.insert("password".into(), "anchor-and-chain-7".into());
    }
    for (name, first, second) in goal.inputs {
        inputs.insert((*name).to_owned(), (*[first, second][turn]).into());
    }
    let file = folder.join("inputs.json");
    fs::write(&file, Value::Object(inputs).to_string()).map_err(Failed::io("writing inputs"))?;
    let what = format!("{}.test.json", goal.name);
    Replay::of(cairn.run(&["run", &what, "--inputs", "inputs.json", "--json"]).await?)
}
