//! A recording: what is asked, what is captured, what became of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cairn_core::script::{Script, Seen, Step};
use cairn_core::wire::worker::{Engine as ProbeEngine, Viewport};
use serde::{Deserialize, Serialize};

/// A recording to make.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RecordRequest {
    /// The test's name.
    pub name: String,
    /// Where to start. Empty together with `tab`: where that tab is.
    pub url: String,
    /// Take this tab (the panel's button).
    pub tab: Option<i32>,
    /// What the run is for.
    pub goal: Option<String>,
    /// Write the script here too. Absolute.
    pub out: Option<PathBuf>,
    /// Inputs whose values the person will type: stored as `%name%`.
    pub inputs: BTreeMap<String, String>,
    /// Names of `inputs` that are secret.
    pub secret_inputs: Vec<String>,
    /// Languages whose risky words on a button mark a step as one that sends; none means all that are known.
    pub languages: Vec<String>,
    /// The build's identity, as the caller knows it.
    pub build: Option<String>,
    /// Where to read it, as in [`RunOptions::build_from`].
    pub build_from: Option<String>,
    /// Which build of the probe.
    pub engine: ProbeEngine,
    /// Size of the page.
    pub viewport: Option<Viewport>,
    /// Leave the tab open at the end.
    pub keep_open: bool,
    /// Record native dialogs, though the browser then shows that a debugger is attached.
    pub dialogs: bool,
}

/// Ends a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StopRequest {
    /// Its name; `None` ends the only one under way.
    pub name: Option<String>,
}

/// What happens in a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum RecordEvent {
    /// The page is open and watched.
    Started {
        /// The recording's id.
        recording: String,
        /// The test's name.
        name: String,
        /// The page.
        url: String,
    },
    /// A step was captured. Secrets are tokens already.
    Step {
        /// Its number now, from 1.
        number: u32,
        /// The step, in words.
        text: String,
        /// Why it would be hard to find again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weak: Option<String>,
        /// The step as it stands.
        step: Box<Step>,
    },
    /// More is known of a captured step: the field's later value, its effect.
    Amended {
        /// Its number now, from 1.
        number: u32,
        /// The step, in words.
        text: String,
        /// Why it would be hard to find again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weak: Option<String>,
        /// The step as it stands.
        step: Box<Step>,
    },
    /// A captured step turned out to be part of another one; the later ones move up.
    Retracted {
        /// Its number.
        number: u32,
    },
    /// A line for people. No line end.
    Log {
        /// The line.
        text: String,
    },
    /// The end.
    Finished {
        /// What became of it.
        recording: Box<Recorded>,
    },
}

/// What became of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Recorded {
    /// The recording's id.
    pub recording: String,
    /// The test's name.
    pub name: String,
    /// How many steps.
    pub steps: u32,
    /// `promoted` or `pending`; absent where it was not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// The file that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<PathBuf>,
    /// The script.
    pub script: Script,
    /// Weak steps, by number, with what would help.
    #[serde(with = "by_number")]
    pub weak: BTreeMap<u32, String>,
    /// The goal's checks are only the URL.
    pub url_only_goal: bool,
    /// What could be asserted instead.
    pub assertable: Vec<Seen>,
    /// Why it ended, in words.
    pub ended_by: String,
}

/// Numbers as the keys of a JSON object. Inside a tagged message serde reads keys as text and makes no numbers of them.
mod by_number {
    use std::collections::BTreeMap;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(map: &BTreeMap<u32, String>, serializer: S) -> Result<S::Ok, S::Error> {
        map.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<u32, String>, D::Error> {
        let texts = BTreeMap::<String, String>::deserialize(deserializer)?;
        let numbered =
            texts.into_iter().map(|(key, text)| Ok((key.parse().map_err(D::Error::custom)?, text)));
        numbered.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_steps_cross_the_wire_inside_a_tagged_event() {
        let recorded = Recorded { weak: [(3, "two alike".to_owned())].into(), ..Recorded::default() };
        let event = RecordEvent::Finished { recording: Box::new(recorded) };
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<RecordEvent>(&text).unwrap(), event);
    }
}
