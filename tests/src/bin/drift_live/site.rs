//! The applications' own servers, in the environments that scripts/drift-live.sh made.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cairn_tests::drift::stored::folder;
use cairn_tests::{Failed, Outcome};
use tokio::process::{Child, Command};
use tokio::time::sleep;

/// How long a server may take to answer.
const BOUND: Duration = Duration::from_secs(30);

/// A running application. It ends when this is dropped.
pub struct Site {
    /// Where it begins, without a slash at the end.
    pub url: String,
    _server: Child,
    _data: tempfile::TempDir,
}

impl Site {
    /// Starts an application at one of its versions, `old` or `new`.
    pub async fn start(app: &str, version: &str) -> Outcome<Self> {
        let data = tempfile::tempdir().map_err(Failed::io("making a folder"))?;
        let port = cairn_tests::daemon::free_port()?;
        let mut server = command(app, version, port, data.path()).await?;
        server.current_dir(
            data.path()
                .join("site")
                .is_dir()
                .then(|| data.path().join("site"))
                .as_deref()
                .unwrap_or(data.path()),
        );
        server.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
        server.stderr(std::process::Stdio::null()).kill_on_drop(true);
        let server = server.spawn().map_err(Failed::io("starting the application"))?;
        let url = format!("http://127.0.0.1:{port}");
        let began = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            if began.elapsed() > BOUND {
                return Err(Failed::because(format!("{app} ({version}) does not answer at {url}")));
            }
            sleep(Duration::from_millis(100)).await;
        }
        Ok(Self { url, _server: server, _data: data })
    }
}

/// Where the environments are.
fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/drift-live")
}

async fn command(app: &str, version: &str, port: u16, data: &Path) -> Outcome<Command> {
    let short = app.split('-').next().unwrap_or(app);
    let place = home().join(format!("{short}-{version}"));
    let port = port.to_string();
    let python = place.join("bin/python");
    let mut command = Command::new(&python);
    match app {
        "django-admin" => {
            let site = data.join("site");
            let setup = folder().join("setup_django.sh");
            run(Command::new("bash").arg(setup).arg(&place).arg(&site)).await?;
            command.args([
                "manage.py",
                "runserver",
                &format!("127.0.0.1:{port}"),
                "--noreload",
                "--insecure",
            ]);
        }
        "flask-admin" => {
            command.arg(folder().join("flask_admin_app.py")).args([&port, version, "authors.db"]);
        }
        "datasette" => {
            run(Command::new(&python).arg(folder().join("datasette_mkdb.py")).arg(data.join("zoo.db")))
                .await?;
            command = Command::new(place.join("bin/datasette"));
            command.args(["zoo.db", "-h", "127.0.0.1", "-p", &port]);
        }
        _ => {
            command = Command::new("python3");
            command.args(["-m", "http.server", &port, "--bind", "127.0.0.1", "--directory"]);
            command.arg(place.join("package"));
        }
    }
    Ok(command)
}

async fn run(command: &mut Command) -> Outcome<()> {
    let output = command.output().await.map_err(Failed::io("setting an application up"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(Failed::because(String::from_utf8_lossy(&output.stderr).into_owned()))
}
