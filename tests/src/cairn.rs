//! The program `cairn` as a child process, with everything it says.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::{Failed, Outcome};

/// Bound of a command that nobody ends earlier.
pub const COMMAND_BOUND: Duration = Duration::from_secs(90);

/// How `cairn` is started.
#[derive(Clone, Debug)]
pub struct Cairn {
    program: PathBuf,
    folder: PathBuf,
    variables: Vec<(String, String)>,
}

/// What a finished command said.
#[derive(Clone, Debug)]
pub struct Said {
    /// Its exit code; -1 where a signal ended it.
    pub code: i32,
    /// Lines on stdout.
    pub lines: Vec<String>,
    /// Everything on stderr.
    pub errors: String,
}

impl Said {
    /// Every line of stdout that is JSON.
    pub fn json(&self) -> Vec<Value> {
        self.lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The whole of stdout as one JSON value.
    pub fn whole(&self) -> Outcome<Value> {
        let text = self.lines.join("\n");
        serde_json::from_str(&text)
            .map_err(|error| Failed::because(format!("{error} in: {text}\n{}", self.errors)))
    }
}

impl Cairn {
    /// The program that was built beside the tests, working in `folder`. `CAIRN_BIN` names another one.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Outcome<Self> {
        let folder = folder.into();
        // A test binary lies in target/PROFILE/deps, the demo driver in target/PROFILE.
        let exe = env::current_exe().map_err(Failed::io("asking for our own program"))?;
        let beside = exe.ancestors().skip(1).take(2).map(|place| place.join("cairn"));
        let named = env::var_os("CAIRN_BIN").map(PathBuf::from);
        let program = named.into_iter().chain(beside).find(|program| program.is_file()).ok_or_else(|| {
            Failed::because("the program cairn is not built: cargo build --package cairn-host --bin cairn")
        })?;
        Ok(Self { program, folder, variables: Vec::new() })
    }

    /// Sets an environment variable for every command.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Starts it through another program, which finds `cairn` itself in the variable CAIRN.
    #[must_use]
    pub fn through(self, program: PathBuf) -> Self {
        let own = self.program.to_string_lossy().into_owned();
        Self { program, ..self }.with("CAIRN", own)
    }

    /// The folder it works in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs a command to its end.
    pub async fn run<S: AsRef<str>>(&self, arguments: &[S]) -> Outcome<Said> {
        self.start(arguments)?.finish().await
    }

    /// Starts a command.
    pub fn start<S: AsRef<str>>(&self, arguments: &[S]) -> Outcome<Running> {
        let mut command = Command::new(&self.program);
        command
            .args(arguments.iter().map(AsRef::as_ref))
            .current_dir(&self.folder)
            .envs(self.variables.iter().cloned())
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let child = command.spawn().map_err(Failed::io(format!("starting {}", self.program.display())))?;
        Ok(Running::new(child))
    }
}

/// A command under way. It is killed when dropped.
pub struct Running {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::UnboundedReceiver<String>,
    heard: Vec<String>,
    errors: Arc<Mutex<String>>,
}

impl Running {
    fn new(mut child: Child) -> Self {
        let (sender, lines) = mpsc::unbounded_channel();
        if let Some(output) = child.stdout.take() {
            tokio::spawn(read_lines(output, move |line| {
                // Nobody listens any more once the command is dropped.
                let _ = sender.send(line);
            }));
        }
        let errors = Arc::new(Mutex::new(String::new()));
        if let Some(output) = child.stderr.take() {
            let errors = Arc::clone(&errors);
            tokio::spawn(read_lines(output, move |line| {
                let mut errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
                errors.push_str(&line);
                errors.push('\n');
            }));
        }
        Self { input: child.stdin.take(), child, lines, heard: Vec::new(), errors }
    }

    /// Its process.
    pub fn process_id(&self) -> Option<u32> {
        self.child.id()
    }

    /// What it wrote on stderr so far.
    pub fn errors(&self) -> String {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The next line on stdout; `None` at its end.
    pub async fn line(&mut self, bound: Duration) -> Outcome<Option<String>> {
        let next = timeout(bound, self.lines.recv()).await;
        let next =
            next.map_err(|_| Failed::because(format!("no line came within {bound:?}\n{}", self.errors())))?;
        self.heard.extend(next.clone());
        Ok(next)
    }

    /// Reads lines until one is JSON that `wanted` accepts.
    pub async fn json_until(
        &mut self,
        bound: Duration,
        mut wanted: impl FnMut(&Value) -> bool,
    ) -> Outcome<Value> {
        let reading = async {
            loop {
                let line = self.lines.recv().await?;
                self.heard.push(line.clone());
                if let Some(value) = serde_json::from_str(&line).ok().filter(&mut wanted) {
                    return Some(value);
                }
            }
        };
        let found = timeout(bound, reading).await;
        match found {
            Ok(Some(value)) => Ok(value),
            Ok(None) => {
                Err(Failed::because(format!("it ended too early: {:?}\n{}", self.heard, self.errors())))
            }
            Err(_) => Err(Failed::because(format!(
                "waited {bound:?} in vain after {:?}\n{}",
                self.heard,
                self.errors()
            ))),
        }
    }

    /// Presses Enter in its terminal.
    pub async fn enter(&mut self) -> Outcome<()> {
        self.write("\n").await
    }

    /// Types into its terminal.
    pub async fn write(&mut self, text: &str) -> Outcome<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        input.write_all(text.as_bytes()).await.map_err(Failed::io("typing"))?;
        input.flush().await.map_err(Failed::io("typing"))
    }

    /// Presses Ctrl-C.
    pub fn interrupt(&self) -> Outcome<()> {
        self.signal(Signal::INT)
    }

    /// Kills it as `kill -9` does, and returns when it is gone: its port is free then.
    pub fn kill(&self) -> Outcome<()> {
        self.signal(Signal::KILL)?;
        // Its exit status is left for whoever waits for its end.
        let gone = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let waited = rustix::process::waitid(WaitId::Pid(self.process()?), gone);
        waited.map(drop).map_err(|error| Failed::because(error.to_string()))
    }

    fn signal(&self, signal: Signal) -> Outcome<()> {
        rustix::process::kill_process(self.process()?, signal)
            .map_err(|error| Failed::because(error.to_string()))
    }

    fn process(&self) -> Outcome<Pid> {
        let process = self.child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        process.ok_or_else(|| Failed::because("it has ended already"))
    }

    /// Waits for its end.
    pub async fn finish(self) -> Outcome<Said> {
        self.finish_within(COMMAND_BOUND).await
    }

    /// Waits for its end, but not longer.
    pub async fn finish_within(mut self, bound: Duration) -> Outcome<Said> {
        let ending = async {
            while let Some(line) = self.lines.recv().await {
                self.heard.push(line);
            }
            self.child.wait().await
        };
        let status: ExitStatus = timeout(bound, ending)
            .await
            .map_err(|_| {
                let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner).clone();
                Failed::because(format!("it did not end within {bound:?}: {:?}\n{errors}", self.heard))
            })?
            .map_err(Failed::io("waiting for cairn"))?;
        // The reader of stderr may be a moment behind the end of the process.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let errors = self.errors();
        Ok(Said { code: status.code().unwrap_or(-1), lines: self.heard, errors })
    }
}

async fn read_lines(output: impl AsyncRead + Unpin, mut each: impl FnMut(String)) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        each(line);
    }
}
