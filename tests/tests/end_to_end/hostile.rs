//! A hostile page beside a recording: it tries the daemon's port in every way a page has, and the recording loses no step.

use std::time::Duration;

use axum::Router;
use axum::response::Html;
use cairn_host::demo::{Build, DemoSite};
use cairn_tests::{Errand, Pages, Recording};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::scratch::Scratch;

/// Everything a page can do to a port, over and over. It counts what it got.
const ATTACK: &str = r#"<!doctype html><title>hostile</title><script>
const port = Number(location.hash.slice(1)), got = [];
const note = (what) => { got.push(what); document.title = got.join(' '); };
async function fetches() {
  for (const path of ['/', '/state', '/extension', '/client', '/pair', '/api/runs'])
    for (const host of ['127.0.0.1', 'localhost', '[::1]'])
      for (const init of [{}, { method: 'POST', body: '{}' }, { mode: 'no-cors' }])
        try { const answer = await fetch(`http://${host}:${port}${path}`, init);
              if (answer.type !== 'opaque' && answer.ok) note(`fetch:${path}`); } catch {}
}
function socket(path, first) {
  try {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    socket.onopen = () => { note(`open:${path}`); socket.send(first); };
    socket.onmessage = () => note(`message:${path}`);
  } catch {}
}
const big = 'x'.repeat(2 ** 20);
async function attack() {
  for (let round = 0; round < 20; round++) {
    for (let at = 0; at < 10; at++) { socket('/extension', big); socket('/client', '{"type":"status"}'); }
    await fetches();
  }
  document.documentElement.dataset.done = 'yes';
}
attack();
</script>"#;

/// Garbage from a program that is no page: raw bytes, half requests, connections that stay open.
async fn garbage(port: u16) {
    let mut open = Vec::new();
    for round in 0..200_u32 {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)).await else { continue };
        let bytes: &[u8] = match round % 4 {
            0 => b"GET /extension HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\n\r\n",
            1 => b"\x00\xff\xfe\x81\x7f garbage",
            2 => b"POST /client HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\n{",
            _ => b"GET / HTTP/1.1\r\nHo",
        };
        // The daemon may have hung up: all the better.
        let _ = stream.write_all(bytes).await;
        open.push(stream);
    }
    tokio::time::sleep(Duration::from_secs(30)).await;
}

#[tokio::test]
async fn a_hostile_page_beside_a_recording_gets_nothing_and_costs_no_step() {
    let scratch = Scratch::set().await;
    let site = DemoSite::start(0, Build::V1).await.unwrap();
    let port = scratch.stage.daemon.port();
    let hostile = Router::new().fallback(|| async { Html(ATTACK) });
    let hostile = Pages::serve_router(hostile).await.unwrap();
    let recording = Recording::start(&scratch.stage, "beside", &site.url(), &[]).await.unwrap();
    let page = scratch.stage.chrome.open(&hostile.url(&format!("#{port}"))).await.unwrap();
    let bytes = tokio::spawn(garbage(port));
    recording.person().tab().bring_to_front().await.unwrap();

    Errand::run(recording.person()).await.unwrap();

    let recorded = recording.stop(&scratch.stage).await.unwrap();
    bytes.abort();
    let got = page.evaluate("document.title").await.unwrap();
    assert_eq!(got, "hostile", "what the page got");
    assert_eq!(recorded.script.script.steps.len(), 17);
    scratch.stage.chrome.stop().await;
}
