//! The applications, each started from its own package.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use cairn_tests::{Failed, Outcome, Pages};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tower_http::services::ServeDir;

use super::goals::App;

/// How long an application may take to answer for the first time.
const START: Duration = Duration::from_secs(40);

/// All of them. They end when dropped.
pub struct Apps {
    django: (Child, u16),
    datasette: (Child, u16),
    swagger: Pages,
}

impl Apps {
    /// Starts them from `packages`: a Python environment in `venv`, and `node_modules`.
    pub async fn start(packages: &Path, data: &Path) -> Outcome<Self> {
        let python = packages.join("venv/bin/python");
        let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin/models/django_site.py");
        let port = free_port()?;
        let database = data.join("admin.sqlite").display().to_string();
        let django = start(Command::new(&python).arg(site).arg(port.to_string()).arg(database))?;
        let atlas = data.join("atlas.db");
        make_atlas(&python, &atlas).await?;
        let own = free_port()?;
        let datasette = start(Command::new(packages.join("venv/bin/datasette")).arg(&atlas).args([
            "--host",
            "127.0.0.1",
            "--port",
            &own.to_string(),
        ]))?;
        let swagger = swagger(packages.join("node_modules/swagger-ui-dist")).await?;
        let apps = Self { django: (django, port), datasette: (datasette, own), swagger };
        for app in [App::Django, App::Datasette] {
            answers(&apps.url(app)).await?;
        }
        Ok(apps)
    }

    /// Where one begins.
    pub fn url(&self, app: App) -> String {
        match app {
            App::Django => format!("http://127.0.0.1:{}/admin/", self.django.1),
            App::Datasette => format!("http://127.0.0.1:{}/", self.datasette.1),
            App::Swagger => self.swagger.url("docs/"),
        }
    }
}

impl Drop for Apps {
    fn drop(&mut self) {
        // They are children that end with their handles; asking sooner frees the ports.
        let _ = self.django.0.start_kill();
        let _ = self.datasette.0.start_kill();
    }
}

fn start(command: &mut Command) -> Outcome<Child> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(Failed::io("starting an application"))
}

fn free_port() -> Outcome<u16> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(Failed::io("looking for a port"))?;
    Ok(listener.local_addr().map_err(Failed::io("asking for the port"))?.port())
}

async fn make_atlas(python: &Path, atlas: &Path) -> Outcome<()> {
    const TOWNS: &str = "import sqlite3, sys\n\
        db = sqlite3.connect(sys.argv[1])\n\
        db.execute('create table towns (id integer primary key, name text, country text, people integer)')\n\
        rows = [('Ulm', 'DE', 126), ('Bern', 'CH', 134), ('Graz', 'AT', 291), ('Lyon', 'FR', 516)]\n\
        db.executemany('insert into towns (name, country, people) values (?, ?, ?)', rows)\n\
        db.execute('create virtual table towns_fts using fts5 (name, content=\"towns\", content_rowid=\"id\")')\n\
        db.execute(\"insert into towns_fts (towns_fts) values ('rebuild')\")\n\
        db.commit()";
    let made = Command::new(python).arg("-c").arg(TOWNS).arg(atlas).status().await;
    let made = made.map_err(Failed::io("making a database"))?;
    if made.success() { Ok(()) } else { Err(Failed::because("the database could not be made")) }
}

async fn answers(url: &str) -> Outcome<()> {
    let host = url.split('/').nth(2).unwrap_or_default().to_owned();
    let until = std::time::Instant::now() + START;
    while std::time::Instant::now() < until {
        if tokio::net::TcpStream::connect(&host).await.is_ok() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Err(Failed::because(format!("{url} did not answer")))
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

type Pets = State<Arc<Mutex<Vec<String>>>>;

/// Swagger UI as it is shipped, over a service that says what was done.
async fn swagger(dist: PathBuf) -> Outcome<Pages> {
    let pets = Arc::new(Mutex::new(vec!["Rex".to_owned(), "Tom".to_owned()]));
    let say = |word: &'static str| {
        move |Query(Named { name }): Query<Named>| async move { Json(json!({"said": format!("{word} {name}")})) }
    };
    let list = |State(pets): Pets| async move {
        let known = pets.lock().map(|pets| pets.clone()).unwrap_or_default();
        Json(json!({ "pets": known }))
    };
    let router = Router::new()
        .route("/pets", get(list).post(say("added")).delete(say("removed")).put(say("renamed")))
        .route("/pet", get(say("the name is")))
        .route("/openapi.json", get(|| async { Json(openapi()) }))
        .route("/docs/swagger-initializer.js", get(|| async { INITIALIZER }))
        .nest_service("/docs", ServeDir::new(dist))
        .with_state(pets);
    Pages::serve_router(router).await
}

const INITIALIZER: &str = "window.onload = () => { window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui' }); };";

fn openapi() -> Value {
    let named = json!([{"name": "name", "in": "query", "required": true, "schema": {"type": "string"}}]);
    let answers = json!({"200": {"description": "done"}});
    let one = |id: &str, parameters: &Value| json!({"operationId": id, "parameters": parameters, "responses": answers});
    json!({
        "openapi": "3.0.0", "info": {"title": "Pets", "version": "1"},
        "paths": {
            "/pets": {
                "get": one("list", &json!([])), "post": one("add", &named), "delete": one("remove", &named),
                "put": one("rename", &named)
            },
            "/pet": {"get": one("one", &named)}
        }
    })
}
