//! `cairn skills`: what tasks have learnt, by name.

use clap::Subcommand;

use super::Context;
use super::do_task::{Doing, perform, request};
use super::output::plain;
use super::reach::open_store;
use crate::daemon::Hub;
use crate::engine::Engine;
use crate::engine::api::TaskRequest;
use crate::engine::task::{Skill, owner};
use crate::exit::{Exit, Failure};

/// Lists, shows, runs and removes skills: tasks that were kept under a name
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// List your skills
    List,
    /// Show a skill: its goal, inputs and steps
    Show {
        /// Its name
        name: String,
    },
    /// Run a skill with today's inputs
    Run {
        /// Its name
        name: String,
        #[command(flatten)]
        doing: Box<Doing>,
    },
    /// Forget a skill
    Remove {
        /// Its name
        name: String,
    },
}

pub(super) async fn run(args: Args, context: Context) -> Result<Exit, Failure> {
    let engine = Engine::new(Hub::new(), open_store(&context.data)?, &context.data);
    match args.verb {
        Verb::List => {
            let skills = engine.skills(&owner()).await?;
            if context.output.is_json() {
                context.output.data(&serde_json::json!({ "skills": skills }));
            } else {
                for skill in &skills {
                    context.output.line(&plain(&format!("{}  {}", skill.name, skill.goal)));
                }
            }
        }
        Verb::Show { name } => {
            let skill = engine.skill(&owner(), &name).await?;
            if context.output.is_json() {
                context.output.data(&skill);
            } else {
                for line in lines(&skill) {
                    context.output.line(&plain(&line));
                }
            }
        }
        Verb::Run { name, doing } => {
            drop(engine);
            let request = TaskRequest { skill: Some(name), ..request(&doing)? };
            return perform(request, &doing, &context).await;
        }
        Verb::Remove { name } => {
            engine.remove_skill(&owner(), &name).await?;
            context.output.note(&plain(&format!("{name} is forgotten")));
        }
    }
    Ok(Exit::Success)
}

fn lines(skill: &Skill) -> Vec<String> {
    let mut lines = vec![
        format!("{}: {}", skill.name, skill.goal),
        format!("begins on {}", skill.url),
        format!("used {} times since {}", skill.uses, skill.stored_at),
    ];
    let inputs = skill.inputs["properties"].as_object().into_iter().flatten();
    lines.extend(inputs.map(|(name, schema)| {
        let secret = if schema["writeOnly"] == true { ", secret" } else { "" };
        format!("input {name} ({}{secret})", schema["type"].as_str().unwrap_or("string"))
    }));
    let numbered = skill.steps.iter().enumerate();
    lines.extend(numbered.map(|(place, words)| format!("{:>3}  {words}", place + 1)));
    lines
}
