//! A recording under way: `cairn record` in the paired browser, and the person at its tab.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cairn_core::script::{ScriptFile, read};
use serde_json::Value;

use crate::stage::Stage;
use crate::{Failed, Outcome, Person, Running, Said};

/// Bound of the start: until the page is open and watched.
const START_BOUND: Duration = Duration::from_secs(30);

/// `cairn record` under way.
pub struct Recording {
    running: Running,
    name: String,
    file: PathBuf,
    person: Person,
}

/// What became of it.
pub struct Recorded {
    /// What the command said.
    pub said: Said,
    /// The file that it wrote.
    pub file: PathBuf,
    /// The script in it.
    pub script: ScriptFile,
}

impl Recording {
    /// Starts `cairn record NAME --url URL --out FILE --attach --json` and waits until the page is watched.
    pub async fn start(stage: &Stage, name: &str, url: &str, more: &[&str]) -> Outcome<Self> {
        let file = stage.cairn.folder().join(format!("{name}.json"));
        let port = stage.daemon.port_text();
        let out = file.to_string_lossy().into_owned();
        let known = stage.chrome.targets().await?;
        let mut arguments =
            vec!["record", name, "--url", url, "--out", &out, "--attach", "--json", "--port", &port];
        arguments.extend(more);
        let mut running = stage.cairn.start(&arguments)?;
        running.json_until(START_BOUND, |line| event(line)["type"] == "started").await?;
        let tab = stage.chrome.new_tab_at(url, &known).await?;
        tab.bring_to_front().await?;
        Ok(Self { running, name: name.to_owned(), file, person: Person::at(tab) })
    }

    /// The person at the recorded tab.
    pub fn person(&self) -> &Person {
        &self.person
    }

    /// The command itself.
    pub fn running(&mut self) -> &mut Running {
        &mut self.running
    }

    /// The file that it will write.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Ends it by `cairn stop`, and reads what was written.
    pub async fn stop(self, stage: &Stage) -> Outcome<Recorded> {
        let port = stage.daemon.port_text();
        let said = stage.cairn.run(&["stop", &self.name, "--port", &port]).await?;
        if said.code != 0 {
            return Err(Failed::because(format!("cairn stop ended with {}: {}", said.code, said.errors)));
        }
        self.ended().await
    }

    /// Ends it by Enter in its terminal, and reads what was written.
    pub async fn enter(mut self) -> Outcome<Recorded> {
        self.running.enter().await?;
        self.ended().await
    }

    /// Waits until it has ended, however that may be.
    pub async fn said(self) -> Outcome<Said> {
        self.running.finish().await
    }

    /// Waits until it has ended, and reads what was written.
    pub async fn ended(self) -> Outcome<Recorded> {
        let said = self.running.finish().await?;
        if said.code != 0 {
            return Err(Failed::because(format!("cairn record ended with {}: {}", said.code, said.errors)));
        }
        let text = std::fs::read_to_string(&self.file)
            .map_err(Failed::io(format!("reading {}", self.file.display())))?;
        let script = read(&text).map_err(|error| Failed::because(error.to_string()))?;
        Ok(Recorded { said, file: self.file, script })
    }
}

/// The event in a line of `--json`, wrapped by its conversation or not.
pub fn event(line: &Value) -> &Value {
    if line["event"].is_object() { &line["event"] } else { line }
}
