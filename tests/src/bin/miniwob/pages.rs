//! The pages of MiniWoB++, made repeatable: every load of a page draws the same task.

use std::path::{Path, PathBuf};

use axum::Router;
use axum::extract::{Path as Name, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use tower_http::services::ServeDir;

/// What every page loads first, and behind which it is made repeatable.
const CORE: &str = "core/core.js\"></script>";

/// What every page is given: its seed, no clock that ends it, and its reward where it can be read. What a person sees on a
/// canvas stands nowhere else: how many lines its last figure has is noted for the person.
fn repeatable(seed: u32) -> String {
    format!(
        "<script>Math.seedrandom('{seed}'); \
         Object.defineProperty(core, 'EPISODE_MAX_TIME', {{ get: () => 86400000, set() {{}} }}); \
         {{ const end = core.endEpisode; core.endEpisode = (...told) => {{ const open = core.EP_TIMER !== null; end(...told); \
           if (open) document.documentElement.dataset.reward = WOB_RAW_REWARD_GLOBAL; }}; \
           const line = CanvasRenderingContext2D.prototype.lineTo, begin = CanvasRenderingContext2D.prototype.beginPath; let sides = 0; \
           CanvasRenderingContext2D.prototype.beginPath = function () {{ sides = 0; begin.call(this); }}; \
           CanvasRenderingContext2D.prototype.lineTo = function (...to) {{ document.documentElement.dataset.sides = ++sides; line.apply(this, to); }}; }} \
         </script>"
    )
}

/// Serves the folder `miniwob/html` of the package.
pub fn router(folder: &Path, seed: u32) -> Router {
    let state = (folder.to_path_buf(), repeatable(seed));
    Router::new()
        .route("/miniwob/{name}", get(page))
        .fallback_service(ServeDir::new(folder))
        .with_state(state)
}

async fn page(State((folder, script)): State<(PathBuf, String)>, Name(name): Name<String>) -> Response {
    let html = tokio::fs::read_to_string(folder.join("miniwob").join(&name)).await;
    match html {
        Ok(html) => Html(html.replacen(CORE, &format!("{CORE}{script}"), 1)).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}
