//! The rival: a Node process that does the same with playwright-core, one request a line.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use cairn_tests::{Failed, Outcome};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// Bound of one answer.
const BOUND: Duration = Duration::from_mins(2);

/// The process. It ends when this is dropped.
pub struct Rival {
    _child: Child,
    input: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    browser: String,
}

/// What the rival says of a page.
pub struct Listed {
    /// Its aria snapshot, in milliseconds.
    pub ms: f64,
    /// A loop over boxes and styles.
    pub floor: f64,
    /// A loop of `checkVisibility`.
    pub checks: f64,
    /// How many elements and controls there are.
    pub count: [u64; 2],
    /// Bytes of the snapshot that it gives agents.
    pub bytes: usize,
}

impl Rival {
    /// Starts it in the folder of the benchmark.
    pub async fn start(bench: &Path) -> Outcome<Self> {
        let mut child = Command::new("node")
            .arg(bench.join("playwright.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(Failed::io("starting node"))?;
        let input = child.stdin.take().ok_or_else(|| Failed::because("node has no stdin"))?;
        let output = child.stdout.take().ok_or_else(|| Failed::because("node has no stdout"))?;
        let answers = BufReader::new(output).lines();
        let mut rival = Self { _child: child, input, answers, browser: String::new() };
        let ready = rival.answer().await?;
        ready["browser"].as_str().unwrap_or("unknown").clone_into(&mut rival.browser);
        Ok(rival)
    }

    /// Version of its browser.
    pub fn browser(&self) -> &str {
        &self.browser
    }

    /// Fills the form, or goes through the pages, once; milliseconds.
    pub async fn form(&mut self, what: &str, url: &str) -> Outcome<f64> {
        Ok(self.ask(&json!({ "do": what, "url": url })).await?["ms"].as_f64().unwrap_or(f64::NAN))
    }

    /// Takes an aria snapshot once, and runs the plain loops.
    pub async fn list(&mut self, url: &str) -> Outcome<Listed> {
        let answer = self.ask(&json!({ "do": "list", "url": url })).await?;
        let count = |at: usize| answer["count"][at].as_u64().unwrap_or_default();
        let time = |key: &str| answer[key].as_f64().unwrap_or(f64::NAN);
        let bytes =
            answer["bytes"].as_u64().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default();
        let count = [count(0), count(1)];
        Ok(Listed { ms: time("ms"), floor: time("floor"), checks: time("checks"), count, bytes })
    }

    async fn ask(&mut self, request: &Value) -> Outcome<Value> {
        let line = format!("{request}\n");
        self.input.write_all(line.as_bytes()).await.map_err(Failed::io("asking node"))?;
        self.answer().await
    }

    async fn answer(&mut self) -> Outcome<Value> {
        let line = timeout(BOUND, self.answers.next_line()).await;
        let line =
            line.map_err(|_| Failed::because("node gave no answer"))?.map_err(Failed::io("hearing node"))?;
        let line = line
            .ok_or_else(|| Failed::because("node ended; is playwright-core installed? run `make setup`"))?;
        serde_json::from_str(&line).map_err(|error| Failed::because(format!("{error} in {line}")))
    }
}
