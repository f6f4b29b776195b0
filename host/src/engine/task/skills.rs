//! Skills: entries that have a name, and whoever may run them.

use cairn_core::script::{Script, read};
use serde::Serialize;
use serde_json::Value;

use crate::engine::session::Engine;
use crate::engine::{inputs, lines};
use crate::exit::{ErrorKind, Failure};
use crate::store::TaskEntry;

/// A skill as people and programs are shown it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// What it does, with `%name%` where values go.
    pub goal: String,
    /// Where it begins.
    pub url: String,
    /// JSON Schema of its inputs.
    pub inputs: Value,
    /// Its steps in words.
    pub steps: Vec<String>,
    /// When it was stored, RFC 3339.
    pub stored_at: String,
    /// How often it was used.
    pub uses: u32,
}

/// The system user, as owner of tasks.
pub fn owner() -> String {
    format!("uid:{}", rustix::process::getuid().as_raw())
}

impl Engine {
    /// An owner's skills.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn skills(&self, owner: &str) -> Result<Vec<Skill>, Failure> {
        self.store.skills(owner).await?.into_iter().map(shown).collect()
    }

    /// One skill.
    ///
    /// # Errors
    /// `NothingSelected` where there is none of this name.
    pub async fn skill(&self, owner: &str, name: &str) -> Result<Skill, Failure> {
        shown(self.skill_entry(owner, name).await?)
    }

    /// Forgets a skill.
    ///
    /// # Errors
    /// `NothingSelected` where there is none of this name.
    pub async fn remove_skill(&self, owner: &str, name: &str) -> Result<(), Failure> {
        if self.store.remove_skill(owner, name).await? { Ok(()) } else { Err(unknown(name)) }
    }

    pub(super) async fn skill_entry(&self, owner: &str, name: &str) -> Result<TaskEntry, Failure> {
        self.store.skill(owner, name).await?.ok_or_else(|| unknown(name))
    }
}

/// The script of an entry.
pub fn script_of(entry: &TaskEntry) -> Result<Script, Failure> {
    read(&entry.script).map(|file| file.script).map_err(|error| {
        let message = format!("what was learnt for \"{}\" cannot be read: {error}", entry.goal);
        Failure::new(ErrorKind::DataFolder, message, "do it again with --cache refresh")
    })
}

fn shown(entry: TaskEntry) -> Result<Skill, Failure> {
    let script = script_of(&entry)?;
    Ok(Skill {
        name: entry.name.unwrap_or_default(),
        goal: entry.goal,
        url: entry.url,
        inputs: inputs::schema(&script),
        steps: script.steps.iter().map(lines::step_words).collect(),
        stored_at: entry.stored_at,
        uses: entry.uses,
    })
}

fn unknown(name: &str) -> Failure {
    let next = "`cairn skills list` names them; `cairn do … --save-as NAME` makes one";
    Failure::new(ErrorKind::NothingSelected, format!("there is no skill `{name}`"), next)
}
