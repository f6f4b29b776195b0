//! Starts Chromium with the extension, and ends it with us in every case.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use command_fds::{CommandFdExt as _, FdMapping};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStderr, Command};
use tokio::time::timeout;

use super::profile::Profile;
use super::{BrowserError, Found, Pipe, extension_dir, find_browser};

/// Bound of a start: until the pipe answers.
const START_BOUND: Duration = Duration::from_secs(30);

/// How long a browser may take to end by itself before its process group is killed.
const STOP_BOUND: Duration = Duration::from_secs(3);

/// How long killed processes are waited for.
const KILL_BOUND: Duration = Duration::from_secs(3);

/// The last lines of its log that are kept for an error message.
const LAST_WORDS: usize = 6;

/// How to start a browser.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Without a window. Default: true.
    pub headless: bool,
    /// Keep this profile; `None` is a fresh one that is removed afterwards.
    pub profile: Option<PathBuf>,
    /// The extension to load; `None` looks for the built one.
    pub extension_dir: Option<PathBuf>,
    /// The first tab.
    pub url: String,
    /// Size of the headless screen: no window is larger.
    pub screen: (u32, u32),
    /// Further command-line switches.
    pub switches: Vec<String>,
}

impl Default for Launch {
    fn default() -> Self {
        Self {
            headless: true,
            profile: None,
            extension_dir: None,
            url: "about:blank".into(),
            screen: (2560, 1600),
            switches: Vec::new(),
        }
    }
}

/// A browser that we started. It ends when this is dropped, and also when this process is killed: Chromium ends when its
/// debugging pipe closes.
pub struct Browser {
    program: PathBuf,
    child: Child,
    group: Option<Group>,
    pipe: Pipe,
    // Dropped last: the folder goes after the processes that use it.
    profile: Profile,
}

impl Browser {
    /// Starts a browser and waits until its pipe answers.
    ///
    /// # Errors
    /// `NotFound`, `NoSuchProgram`, `NoExtension`, or `NotStarted` with its last words.
    pub async fn start(launch: Launch) -> Result<Self, BrowserError> {
        let found = find_browser()?;
        let extension = launch.extension_dir.clone().map_or_else(extension_dir, Ok)?;
        let profile = launch.profile.clone().map_or_else(Profile::fresh, Profile::given)?;
        let (browser_reads, we_write) = std::io::pipe()?;
        let (we_read, browser_writes) = std::io::pipe()?;
        let to_browser = pipe::Sender::from_owned_fd(OwnedFd::from(we_write))?;
        let from_browser = pipe::Receiver::from_owned_fd(OwnedFd::from(we_read))?;
        let mut command = command(&found, &launch, &extension, &profile);
        command
            .fd_mappings(vec![
                FdMapping { parent_fd: browser_reads.into(), child_fd: 3 },
                FdMapping { parent_fd: browser_writes.into(), child_fd: 4 },
            ])
            .map_err(std::io::Error::other)?;
        let not_started =
            |reason: String| BrowserError::NotStarted { program: found.program.clone(), reason };
        let mut child = command.spawn().map_err(|error| not_started(error.to_string()))?;
        // The command holds our copies of the browser's ends: without this the pipe would never close.
        drop(command);
        let last_words = LastWords::listen(child.stderr.take());
        let pipe = Pipe::new(to_browser, from_browser);
        let group = child.id().and_then(Group::of);
        let mut browser = Self { program: found.program.clone(), child, group, pipe, profile };
        if let Err(error) = browser.greet(&found, &extension, &launch.url).await {
            let status = timeout(Duration::from_millis(500), browser.child.wait()).await;
            let status = status.ok().and_then(Result::ok);
            return Err(not_started(last_words.say(status, &error)));
        }
        Ok(browser)
    }

    /// Its debugging pipe.
    pub fn pipe(&self) -> &Pipe {
        &self.pipe
    }

    /// The program that was started.
    pub fn program(&self) -> &std::path::Path {
        &self.program
    }

    /// Its profile folder.
    pub fn profile(&self) -> &std::path::Path {
        self.profile.path()
    }

    /// Id of its first process.
    pub fn process_id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until it has ended by itself or was killed.
    pub async fn ended(&mut self) {
        // An error here means that somebody else has waited for it: it is gone.
        let _ = self.child.wait().await;
    }

    /// Ends it: by its own means first, by force when that takes too long.
    pub async fn stop(mut self) {
        let close = self.pipe.call_within("Browser.close", json!({}), None, STOP_BOUND);
        // A browser that ends may do so before it answers.
        let _ = close.await;
        if timeout(STOP_BOUND, self.child.wait()).await.is_err() {
            tracing::debug!("the browser did not end by itself");
        }
        // The rest is done by `drop`.
    }

    async fn greet(
        &mut self,
        found: &Found,
        extension: &std::path::Path,
        url: &str,
    ) -> Result<(), super::PipeError> {
        self.pipe.call_within("Browser.getVersion", json!({}), None, START_BOUND).await?;
        if found.branded {
            // Branded Chrome ignores --load-extension since version 137; the pipe may load what the flag may not.
            let path = extension.to_string_lossy();
            self.pipe.call("Extensions.loadUnpacked", json!({"path": path}), None).await?;
        }
        if url != "about:blank" {
            self.pipe.call("Target.createTarget", json!({"url": url}), None).await?;
        }
        Ok(())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(group) = &self.group {
            group.kill();
        }
        let _ = self.child.start_kill();
        // Its folder can be removed once nobody writes there any more; on a busy machine that takes a moment.
        let end = Instant::now() + KILL_BOUND;
        while Instant::now() < end {
            let reaped = !matches!(self.child.try_wait(), Ok(None));
            if reaped && self.group.as_ref().is_none_or(|group| !group.is_there()) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// What a browser's own face prepares for a person with every new window: pages for its address bar, loaded by a process
/// of their own, which take half a second of a processor just when a run begins in that window.
const UNUSED_FACE: &str =
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,PreloadTopChromeWebUI";

fn command(found: &Found, launch: &Launch, extension: &std::path::Path, profile: &Profile) -> Command {
    let mut command = Command::new(&found.program);
    let extension = extension.display();
    command
        .args([
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-quic",
            "--disable-breakpad",
            "--no-first-run",
            "--no-default-browser-check",
            UNUSED_FACE,
            "--password-store=basic",
            "--use-mock-keychain",
            "--remote-debugging-pipe",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--load-extension={extension}"))
        .arg(format!("--disable-extensions-except={extension}"));
    if launch.headless {
        // Without a screen of its own size, 800x600, no window can be made larger than that.
        let (width, height) = launch.screen;
        command.arg("--headless=new").arg(format!("--screen-info={{{width}x{height}}}"));
    }
    if found.branded {
        command.arg("--enable-unsafe-extension-debugging");
    }
    if rustix::process::geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    command.args(&launch.switches).arg("about:blank");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .process_group(0);
    command
}

/// The process group of the browser: all of its helpers.
struct Group(rustix::process::Pid);

impl Group {
    fn of(process: u32) -> Option<Self> {
        i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw).map(Self)
    }

    fn is_there(&self) -> bool {
        rustix::process::test_kill_process_group(self.0).is_ok()
    }

    fn kill(&self) {
        // Nothing left to kill is the good case.
        let _ = rustix::process::kill_process_group(self.0, rustix::process::Signal::KILL);
    }
}

/// The last lines that the browser wrote, for an error message.
#[derive(Clone, Default)]
struct LastWords(Arc<Mutex<Vec<String>>>);

impl LastWords {
    /// Reads the browser's log to its end, so that the browser never blocks on a full pipe.
    fn listen(stderr: Option<ChildStderr>) -> Self {
        let words = Self::default();
        let Some(stderr) = stderr else { return words };
        let kept = Arc::clone(&words.0);
        tokio::spawn(async move {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == LAST_WORDS {
                    kept.remove(0);
                }
                kept.push(line.chars().take(300).collect());
            }
        });
        words
    }

    fn say(&self, status: Option<ExitStatus>, error: &super::PipeError) -> String {
        let words = self.0.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
        match status {
            Some(status) => format!("{status}\n{words}"),
            None => format!("{error}\n{words}"),
        }
        .trim()
        .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes whose command line names `needle`.
    fn processes(needle: &str) -> usize {
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        lines.filter(|line| String::from_utf8_lossy(line).contains(needle)).count()
    }

    async fn none_left(needle: &str) -> bool {
        for _ in 0..50 {
            if processes(needle) == 0 {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        false
    }

    fn empty_extension() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let manifest = r#"{"manifest_version":3,"name":"empty","version":"1"}"#;
        std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
        folder
    }

    #[tokio::test]
    async fn a_browser_answers_and_leaves_nothing_behind() {
        let extension = empty_extension();
        let launch = Launch { extension_dir: Some(extension.path().to_owned()), ..Launch::default() };
        let browser = Browser::start(launch.clone()).await.unwrap();
        let profile = browser.profile().to_owned();
        let needle = profile.to_string_lossy().into_owned();
        assert!(processes(&needle) > 0);
        browser.stop().await;
        assert!(none_left(&needle).await && !profile.exists(), "stopped");

        let browser = Browser::start(launch.clone()).await.unwrap();
        let profile = browser.profile().to_owned();
        let needle = profile.to_string_lossy().into_owned();
        drop(browser);
        assert!(none_left(&needle).await && !profile.exists(), "dropped");
    }

    #[tokio::test]
    async fn calls_fail_when_the_browser_is_killed() {
        let extension = empty_extension();
        let launch = Launch { extension_dir: Some(extension.path().to_owned()), ..Launch::default() };
        let mut browser = Browser::start(launch).await.unwrap();
        browser.group.as_ref().unwrap().kill();
        timeout(Duration::from_secs(5), browser.ended()).await.unwrap();
        timeout(Duration::from_secs(5), browser.pipe().closed()).await.unwrap();
        let call = browser.pipe().call("Browser.getVersion", json!({}), None).await;
        assert_eq!(call, Err(super::super::PipeError::Closed));
    }

    #[tokio::test]
    async fn a_program_that_is_no_browser_gives_its_last_words() {
        let program = Found { program: "/bin/false".into(), branded: false };
        let profile = Profile::fresh().unwrap();
        let folder = profile.path().to_owned();
        let command = command(&program, &Launch::default(), &folder, &profile);
        assert!(command.as_std().get_args().any(|arg| arg == "--remote-debugging-pipe"));
    }
}
