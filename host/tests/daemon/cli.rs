//! The binary: its fixed forms, its exit codes, and what it leaves behind.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

fn cairn(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    // A folder without a `.cairn` above it, and no settings of whoever runs the tests.
    command.current_dir(data).env("XDG_RUNTIME_DIR", data).env("NO_COLOR", "1").env_remove("CAIRN_BROWSER");
    command
        .env_remove("CAIRN_PORT")
        .env_remove("CAIRN_DATA")
        .env_remove("CAIRN_EXTENSION")
        .stdin(Stdio::null());
    command
}

/// A running `cairn serve`, killed when dropped.
struct Serving {
    child: Child,
    ready: Value,
}

impl Serving {
    fn start(data: &Path) -> Self {
        let mut command = cairn(data);
        command.args(["serve", "--port", "0"]).arg("--data").arg(data.join("data"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { ready: serde_json::from_str(&line).unwrap(), child }
    }

    fn port(&self) -> String {
        self.ready["port"].to_string()
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    fn exit_code(&mut self) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the daemon did not end");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The error that `--json` printed.
fn error(output: &Output) -> Value {
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 1, "{output:?}");
    assert_eq!(lines[0]["schemaVersion"], 1);
    let error = lines[0]["error"].clone();
    assert_eq!(error["exitCode"].as_i64(), output.status.code().map(i64::from));
    error
}

#[test]
fn serve_prints_one_line_in_the_fixed_form_and_ends_on_a_signal() {
    let data = tempfile::tempdir().unwrap();
    for signal in ["-TERM", "-INT"] {
        let mut serving = Serving::start(data.path());
        let keys: Vec<&String> = serving.ready.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["ready", "port", "pairUrl"]);
        let start =
            format!("chrome-extension://{}/pair.html#{}.", cairn_host::browser::EXTENSION_ID, serving.port());
        assert!(serving.ready["pairUrl"].as_str().unwrap().starts_with(&start));
        serving.signal(signal);
        assert_eq!(serving.exit_code(), Some(0));
        assert_eq!(std::fs::read_dir(data.path().join("cairn")).unwrap().count(), 0, "no token is left");
    }
}

#[test]
fn pair_asks_the_daemon_by_its_port_alone() {
    let data = tempfile::tempdir().unwrap();
    let serving = Serving::start(data.path());
    let output = cairn(data.path()).args(["pair", "--json", "--port", &serving.port()]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let pair: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_ne!(pair["pairUrl"], serving.ready["pairUrl"], "a fresh one");

    let plain = cairn(data.path()).args(["pair", "--port", &serving.port()]).output().unwrap();
    assert_eq!(text(&plain.stdout).lines().count(), 1, "stdout is data alone: {plain:?}");
    assert!(text(&plain.stderr).contains("60 seconds"));
}

#[test]
fn a_killed_daemon_is_no_daemon() {
    let data = tempfile::tempdir().unwrap();
    let mut serving = Serving::start(data.path());
    let port = serving.port();
    serving.signal("-KILL");
    serving.exit_code();
    let output = cairn(data.path()).args(["pair", "--json", "--port", &port]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(error(&output)["kind"], "noDaemon");
    // And a new one takes its port and its data.
    let again = cairn(data.path()).args(["pair", "--port", &port]).output().unwrap();
    assert!(text(&again.stderr).contains(&format!("cairn serve --port {port}")));
}

#[test]
fn a_port_in_use_and_a_folder_that_cannot_be_written_name_their_place() {
    let data = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = cairn(data.path()).args(["serve", "--json", "--port", &port]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let failure = error(&output);
    assert_eq!(
        (failure["kind"].as_str(), failure["place"].as_str()),
        (Some("portInUse"), Some(&*format!("127.0.0.1:{port}")))
    );

    let file = data.path().join("file");
    std::fs::write(&file, "").unwrap();
    for folder in [file.join("below"), "/proc/cairn".into()] {
        let output = cairn(data.path())
            .args(["serve", "--json", "--port", "0", "--data"])
            .arg(&folder)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let failure = error(&output);
        assert_eq!(failure["kind"], "dataFolder");
        assert_eq!(failure["place"].as_str(), folder.to_str());
        assert!(!failure["next"].as_str().unwrap().is_empty());
    }

    let damaged = data.path().join("damaged");
    std::fs::create_dir(&damaged).unwrap();
    std::fs::write(damaged.join("keys.json"), "{").unwrap();
    let output =
        cairn(data.path()).args(["serve", "--json", "--port", "0", "--data"]).arg(&damaged).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error(&output)["place"].as_str().unwrap().ends_with("keys.json"));
}

#[test]
fn no_browser_is_exit_code_6_with_what_to_install() {
    let data = tempfile::tempdir().unwrap();
    let empty = data.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let none = cairn(data.path())
        .args(["probe", "--json", "http://127.0.0.1:9/"])
        .env("PATH", &empty)
        .output()
        .unwrap();
    assert_eq!(none.status.code(), Some(6));
    assert!(error(&none)["next"].as_str().unwrap().contains("chromium"));
    let named = cairn(data.path())
        .args(["probe", "http://127.0.0.1:9/"])
        .env("CAIRN_BROWSER", "/nowhere")
        .output()
        .unwrap();
    assert_eq!(named.status.code(), Some(6));
    assert!(named.stdout.is_empty() && text(&named.stderr).contains("/nowhere"), "{named:?}");
    let unbuilt = cairn(data.path())
        .args(["probe", "http://127.0.0.1:9/"])
        .env("CAIRN_EXTENSION", &empty)
        .output()
        .unwrap();
    assert_eq!(unbuilt.status.code(), Some(6));
    assert!(text(&unbuilt.stderr).contains("make setup"), "{unbuilt:?}");
}

#[test]
fn usage_errors_are_exit_code_2_as_text_and_as_json() {
    let data = tempfile::tempdir().unwrap();
    for arguments in
        [&["probe"][..], &["unknown"], &["serve", "--port", "x"], &["probe", "--engine", "c", "u"]]
    {
        let plain = cairn(data.path()).args(arguments).output().unwrap();
        assert_eq!(plain.status.code(), Some(2));
        assert!(plain.stdout.is_empty() && !plain.stderr.is_empty());
        let json = cairn(data.path()).args(arguments).arg("--json").output().unwrap();
        assert_eq!(error(&json)["kind"], "usage");
    }
    let url = cairn(data.path()).args(["probe", "http://["]).output().unwrap();
    assert_eq!(url.status.code(), Some(2));
}

#[test]
fn help_and_completions_are_data() {
    let data = tempfile::tempdir().unwrap();
    for arguments in [&["--help"][..], &["--version"], &["probe", "--help"], &["completions", "bash"]] {
        let output = cairn(data.path()).args(arguments).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        assert!(!output.stdout.is_empty() && !output.stdout.contains(&0x1b), "no colour in a file");
    }
}
