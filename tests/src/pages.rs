//! Serves a folder of test pages on loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tower_http::services::ServeDir;

use crate::{Failed, Outcome};

/// A server of static pages; it ends when dropped.
///
/// Media types follow the file's ending. A page whose name holds `.csp.` comes with a policy under which no WASM compiles.
pub struct Pages {
    port: u16,
    server: JoinHandle<()>,
}

const STRICT_POLICY: &str =
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'";

impl Pages {
    /// Serves `folder` on a free port.
    pub async fn serve(folder: impl AsRef<Path>) -> Outcome<Self> {
        let folder = folder.as_ref();
        if !folder.is_dir() {
            return Err(Failed::because(format!("{} is no folder of pages", folder.display())));
        }
        Self::serve_router(Router::new().fallback_service(ServeDir::new(folder))).await
    }

    /// Serves any router on a free port.
    pub async fn serve_router(router: Router) -> Outcome<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listener = TcpListener::bind(address).await.map_err(Failed::io("binding a free port"))?;
        let port = listener.local_addr().map_err(Failed::io("asking for the port"))?.port();
        let server = tokio::spawn(async move {
            // It ends with the task; an error here shows as a page that cannot be opened.
            let _ = axum::serve(listener, router.layer(from_fn(finish))).await;
        });
        Ok(Self { port, server })
    }

    /// The URL of a page.
    pub fn url(&self, page: &str) -> String {
        format!("http://127.0.0.1:{}/{page}", self.port)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn finish(request: Request, next: Next) -> Response {
    let strict = request.uri().path().contains(".csp.");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if strict {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(STRICT_POLICY));
    }
    response
}

/// The folder `tests/` of the source tree, wherever the tests are started.
pub fn tests_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
