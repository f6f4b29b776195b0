//! Finding what a task has learnt, and keeping it.

use std::collections::BTreeMap;

use cairn_core::key::{self, Call};
use cairn_core::script::{Condition, Script, ScriptFile, write};
use cairn_core::wire::page::InputValue;

use super::entry::{holds_value, is_exact, type_inputs};
use crate::engine::api::{Cache, CacheMode, RunResult, TaskRequest};
use crate::engine::approval::hash;
use crate::engine::driven::stored;
use crate::engine::origins;
use crate::engine::scribe::Scribe;
use crate::engine::session::Engine;
use crate::exit::Failure;
use crate::store::TaskEntry;

/// Whose task it is, and what it is found by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The owner.
    pub owner: String,
    /// `sha256:` of the key.
    pub key: String,
}

/// The place of a call that begins on a page of this URL and title.
pub fn place(
    request: &TaskRequest,
    url: &str,
    title: &str,
    inputs: &BTreeMap<String, InputValue>,
    owner: &str,
) -> Place {
    let site = origins::origin(url).unwrap_or_default();
    let text = key::of(&Call { goal: &request.goal, site: &site, title, inputs, owner });
    Place { owner: owner.to_owned(), key: hash(&text) }
}

impl Engine {
    /// What the call has learnt before, unless it says that nothing is to be used.
    pub(super) async fn recall(
        &self,
        request: &TaskRequest,
        place: &Place,
    ) -> Result<Option<TaskEntry>, Failure> {
        if request.cache != CacheMode::Auto {
            return Ok(None);
        }
        Ok(self.store.task(&place.owner, &place.key).await?)
    }

    /// Keeps what was done, of which `decided` by themselves said that it succeeded; the result says where that is not possible, and why.
    pub(super) async fn remember(
        &self,
        request: &TaskRequest,
        place: Place,
        (script, decided): (&Script, &[Condition]),
        inputs: &BTreeMap<String, InputValue>,
        result: &mut RunResult,
        scribe: &Scribe,
    ) -> Result<(), Failure> {
        if request.cache == CacheMode::Off {
            result.cache = Cache::Off;
            return Ok(());
        }
        let refused = if !is_exact(decided) {
            Some("nothing but the URL or the model's word says that it succeeded".to_owned())
        } else if script.steps.is_empty() {
            Some("nothing was done".to_owned())
        } else {
            holds_value(script, inputs)
                .map(|name| format!("the value of the input `{name}` still stands in it"))
        };
        if let Some(why) = refused {
            scribe.say(format!("not remembered: {why}")).await;
            if result.cache != Cache::Diverged {
                result.cache = Cache::Uncached;
            }
            result.cache_reason = Some(why);
            return Ok(());
        }
        let mut script = script.clone();
        type_inputs(&mut script);
        let entry = TaskEntry {
            owner: place.owner,
            key: place.key,
            name: request.save_as.clone().or_else(|| request.skill.clone()),
            goal: stored(&script.goal, inputs),
            url: script.start_url.clone(),
            script: write(&ScriptFile::from(script)),
            stored_at: jiff::Timestamp::now().to_string(),
            uses: 0,
        };
        if let Some(name) = &entry.name {
            scribe.say(format!("kept as the skill {name}: `cairn skills run {name}`")).await;
        }
        Ok(self.store.put_task(entry).await?)
    }
}
