//! Runs whose process died: each gets the result that nobody could give it any more, from its evidence.

use std::path::Path;

use serde_json::Value;

use super::api::{Cache, Ending, RunResult, line};
use super::record::lives;
use super::session::Engine;
use crate::exit::{Exit, Failure};
use crate::store::RunRecord;

/// The newest runs that are looked at.
const LOOKED_AT: u32 = 200;

impl Engine {
    /// Gives every run that nobody plays any more its result.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn settle_died(&self) -> Result<Vec<RunResult>, Failure> {
        let mut settled = Vec::new();
        for run in self.store.unfinished_runs(LOOKED_AT).await? {
            let owner_lives = run.owner.is_some_and(|owner| owner == std::process::id() || lives(owner));
            if owner_lives {
                continue;
            }
            let result = result_of(&run);
            let text = line(&result);
            // The folder may be gone; the store's word is enough.
            let _ =
                super::evidence::write_whole(&Path::new(&run.evidence).join("result.json"), text.as_bytes());
            self.store.finish_run(&run.id, "hard_failure", text, result.steps_executed, 0).await?;
            settled.push(result);
        }
        Ok(settled)
    }
}

fn result_of(run: &RunRecord) -> RunResult {
    let text = std::fs::read_to_string(Path::new(&run.evidence).join("steps.jsonl")).unwrap_or_default();
    let seen = Seen::in_lines(&text);
    let mut observed = "the process that ran it died".to_owned();
    if let Some(step) = seen.under_way {
        observed =
            format!("{observed} while step {step} was under way; it may have happened and is not repeated");
    }
    RunResult {
        run: run.id.clone(),
        script: run.script.clone(),
        result: Ending::HardFailure,
        exit_code: Exit::Failed as u8,
        cache: Cache::Uncached,
        steps_executed: seen.executed,
        sent: seen.sent,
        started_at: run.started_at.clone(),
        step: seen.under_way,
        condition: Some("lost".into()),
        expected: Some("the run's own end".into()),
        observed: Some(observed),
        hint: seen
            .sent
            .then(|| "a step that sends was acted: look at what it did before you run it again".into()),
        evidence: run.evidence.clone().into(),
        ..RunResult::default()
    }
}

/// What the lines of a dead run say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    executed: u32,
    sent: bool,
    /// A step whose intent was written and whose report was not.
    under_way: Option<u32>,
}

impl Seen {
    fn in_lines(text: &str) -> Self {
        let mut seen = Self::default();
        // The last line may be half a line.
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let number = line["number"].as_u64().and_then(|number| u32::try_from(number).ok());
            match line["type"].as_str() {
                Some("intent") => {
                    seen.under_way = number;
                    seen.sent |= line["sends"] == true;
                }
                Some("step") => {
                    seen.executed += u32::from(line["report"]["status"] != "skipped");
                    if number == seen.under_way {
                        seen.under_way = None;
                    }
                }
                _ => {}
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::Hub;
    use crate::store::{SqliteStore, Store as _};
    use std::sync::Arc;

    const LINES: &str = concat!(
        r#"{"type":"intent","number":1,"sends":false}"#,
        "\n",
        r#"{"type":"step","number":1,"report":{"status":"hit"}}"#,
        "\n",
        r#"{"type":"intent","number":2,"sends":true}"#,
        "\n",
        r#"{"type":"step","number":2,"rep"#
    );

    #[test]
    fn an_intent_without_a_report_may_have_happened() {
        assert_eq!(Seen::in_lines(LINES), Seen { executed: 1, sent: true, under_way: Some(2) });
        assert_eq!(Seen::in_lines(""), Seen::default());
    }

    #[tokio::test]
    async fn a_run_whose_process_died_gets_its_result() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let evidence = folder.path().join("runs/dead");
        std::fs::create_dir_all(&evidence).unwrap();
        std::fs::write(evidence.join("steps.jsonl"), LINES).unwrap();
        let record = |id: &str, owner| RunRecord {
            id: id.into(),
            script: "s".into(),
            started_at: "2026-01-01T00:00:00Z".into(),
            evidence: evidence.display().to_string(),
            owner,
            ..RunRecord::default()
        };
        // No process has this number: it is above the system's largest.
        store.begin_run(record("dead", Some(i32::MAX.cast_unsigned()))).await.unwrap();
        store.begin_run(record("alive", Some(std::process::id()))).await.unwrap();
        let engine = Engine::new(Hub::new(), store.clone(), folder.path());
        let settled = engine.settle_died().await.unwrap();
        assert_eq!(settled.len(), 1);
        assert!(settled[0].sent && settled[0].step == Some(2), "{settled:?}");
        assert!(settled[0].observed.as_deref().unwrap().contains("may have happened"));
        assert!(evidence.join("result.json").is_file());
        assert!(engine.settle_died().await.unwrap().is_empty(), "once is enough");
    }
}
