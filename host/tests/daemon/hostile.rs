//! A hostile page in a real browser, and a hostile program: they get nothing, and the session beside them loses nothing.

use std::time::Duration;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use cairn_core::wire::page::PageEvent;
use cairn_host::browser::{Browser, Launch};
use cairn_host::daemon::{Daemon, LeaseEvent, LeaseEvents, Open};
use futures_util::SinkExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::pairing::daemon;
use super::worker::{BOUND, Secret, Worker, closing, code, next, open, our_origin};

/// A session whose page speaks all the time.
struct Busy {
    worker: JoinHandle<(Worker, u32)>,
    stop: tokio::sync::oneshot::Sender<()>,
    events: LeaseEvents,
}

impl Busy {
    async fn start(daemon: &Daemon) -> Self {
        let pair = code(&daemon.pair_url().unwrap());
        let mut worker = Worker::join(daemon.port(), Secret::Code(&pair), vec![]).await;
        daemon.hub().connected(BOUND).await.unwrap();
        let hub = daemon.hub().clone();
        let (opened, id) = tokio::join!(hub.open(Open::default()), worker.grant());
        let (lease, events) = opened.unwrap();
        worker.ready(&id, "a").await;
        let (stop, mut stopped) = tokio::sync::oneshot::channel();
        let worker = tokio::spawn(async move {
            let _lease = lease;
            let mut number = 0;
            while stopped.try_recv().is_err() {
                number += 1;
                worker.page_event(&id, "a", PageEvent::Retracted { number }).await;
                sleep(Duration::from_millis(10)).await;
            }
            // Everything sent is on its way; the socket must still stand.
            worker.send(&cairn_core::wire::worker::FromWorker::Ping).await;
            assert_eq!(worker.receive().await, cairn_core::wire::worker::ToWorker::Pong);
            (worker, number)
        });
        Self { worker, stop, events }
    }

    /// Every message came, in order, and the socket never went away.
    async fn lost_nothing(mut self) {
        // Some attacks are over in no time: what comes after them must get through as well.
        sleep(Duration::from_millis(300)).await;
        self.stop.send(()).unwrap();
        let (worker, sent) = timeout(BOUND, self.worker).await.unwrap().unwrap();
        assert!(sent > 10, "the session was at work");
        let mut expected = 1;
        while expected <= sent {
            match timeout(BOUND, self.events.next()).await.unwrap().unwrap() {
                LeaseEvent::Page { event: PageEvent::Retracted { number }, .. } => {
                    assert_eq!(number, expected);
                    expected += 1;
                }
                LeaseEvent::Ready { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        worker.close().await;
    }
}

async fn raw(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // An answer without an end would be an error of its own.
    let _ = timeout(BOUND, stream.read_to_end(&mut answer)).await.expect("an end");
    String::from_utf8_lossy(&answer).into_owned()
}

fn upgrade(path: &str, host: &str, more: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{more}\r\n"
    )
}

#[tokio::test]
async fn wrong_hosts_origins_and_tokens_get_one_answer() {
    let daemon = daemon().await;
    let busy = Busy::start(&daemon).await;
    let port = daemon.port();
    let here = format!("127.0.0.1:{port}");
    let ours = format!("Origin: {}\r\n", our_origin());
    let rebound = format!("evil.example:{port}");
    let requests = [
        upgrade("/extension", &here, "Origin: http://evil.example\r\n"),
        upgrade("/extension", &here, ""),
        upgrade("/extension", &rebound, &ours),
        upgrade("/extension", "127.0.0.1", &ours),
        upgrade("/extension", &here, &format!("{ours}{ours}")),
        upgrade("/client", &here, ""),
        upgrade("/client", &here, "Authorization: Bearer guess\r\n"),
        upgrade("/client", &here, "Authorization: Bearer \r\n"),
        upgrade("/client", &here, &format!("{ours}Authorization: Bearer guess\r\n")),
        upgrade("/", &here, "Cookie: cairn=\r\n"),
        upgrade("/other", &here, &ours),
        format!("OPTIONS /client HTTP/1.1\r\nHost: {here}\r\nOrigin: http://evil.example\r\n\r\n"),
        format!("POST /client HTTP/1.1\r\nHost: {here}\r\nContent-Length: 2\r\n\r\n{{}}"),
        "GET /client HTTP/1.0\r\n\r\n".to_owned(),
    ];
    for request in requests {
        let answer = raw(port, &request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")).await;
        assert!(
            answer.starts_with("HTTP/1.1 403") || answer.starts_with("HTTP/1.0 403"),
            "{request}\n{answer}"
        );
        assert!(!answer.to_lowercase().contains("access-control"), "no CORS: {answer}");
    }
    busy.lost_nothing().await;
}

#[tokio::test]
async fn a_get_without_upgrade_by_the_extension_is_no_way_in() {
    let daemon = daemon().await;
    let port = daemon.port();
    let request = format!(
        "GET /extension HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {}\r\nConnection: close\r\n\r\n",
        our_origin()
    );
    let answer = raw(port, &request).await;
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
}

#[tokio::test]
async fn oversized_and_garbage_frames_end_their_own_socket_alone() {
    let daemon = daemon().await;
    let busy = Busy::start(&daemon).await;
    // Far more than an unproven socket may send.
    let mut socket = open(daemon.port(), Some(&our_origin())).await.unwrap();
    let large = Message::Text("x".repeat(8 * 1024 * 1024).into());
    let _ = timeout(BOUND, socket.send(large)).await.expect("refused or taken, not hung");
    closing(&mut socket).await;
    // A frame that announces 2^62 bytes, one with reserved bits, one that is not masked, and no WebSocket at all.
    let frames: [&[u8]; 4] = [
        &[0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4],
        &[0xf3, 0x80, 1, 2, 3, 4],
        &[0x81, 0x02, b'{', b'}'],
        b"GET / HTTP/1.1\r\n\r\n",
    ];
    for frame in frames {
        let mut stream = TcpStream::connect(("127.0.0.1", daemon.port())).await.unwrap();
        let host = format!("127.0.0.1:{}", daemon.port());
        let request = upgrade("/extension", &host, &format!("Origin: {}\r\n", our_origin()));
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.write_all(frame).await.unwrap();
        let mut rest = Vec::new();
        let _ = timeout(BOUND, stream.read_to_end(&mut rest)).await.expect("the socket is closed");
    }
    busy.lost_nothing().await;
}

#[tokio::test]
async fn two_hundred_connections_and_slow_ones_hold_nobody_up() {
    let daemon = daemon().await;
    let busy = Busy::start(&daemon).await;
    let port = daemon.port();
    let mut held = Vec::new();
    for number in 0..200_u32 {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)).await else { continue };
        match number % 3 {
            // Says nothing; says half a request; becomes a socket and says nothing.
            0 => {}
            1 => drop(stream.write_all(b"GET /extension HTTP/1.1\r\nHost: 127").await),
            _ => {
                let host = format!("127.0.0.1:{port}");
                let request = upgrade("/extension", &host, &format!("Origin: {}\r\n", our_origin()));
                drop(stream.write_all(request.as_bytes()).await);
            }
        }
        held.push(stream);
    }
    // One byte at a time, for longer than a stranger may stay.
    let mut slow = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    for _ in 0..70 {
        if slow.write_all(b"G").await.is_err() {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    for mut stream in held {
        let mut rest = Vec::new();
        let _ = timeout(BOUND, stream.read_to_end(&mut rest)).await.expect("every stranger is put out");
    }
    // There is room again for who belongs here.
    let pair = code(&daemon.pair_url().unwrap());
    Worker::join(port, Secret::Code(&pair), vec![]).await.close().await;
    busy.lost_nothing().await;
}

#[tokio::test]
async fn a_flood_of_codes_does_not_keep_a_paired_browser_out() {
    let daemon = daemon().await;
    let pair = code(&daemon.pair_url().unwrap());
    let worker = Worker::join(daemon.port(), Secret::Code(&pair), vec![]).await;
    let key = worker.key.clone().unwrap();
    worker.close().await;
    for _ in 0..12 {
        let mut socket = open(daemon.port(), Some(&our_origin())).await.unwrap();
        let challenge = next(&mut socket).await;
        let guess = super::worker::proof(&challenge, &Secret::Code("guess"));
        socket.send(Message::Text(serde_json::to_string(&guess).unwrap().into())).await.unwrap();
        closing(&mut socket).await;
    }
    Worker::join(daemon.port(), Secret::Key(&key), vec![]).await.close().await;
}

/// What the page tries, in its own words. Each try says `nothing` or what it got.
const ATTACK: &str = r"<!doctype html><title>prize</title><script>
async function attack(port) {
  const got = {};
  const socket = (url, protocols) => new Promise(done => {
    let socket, frames = [];
    try { socket = new WebSocket(url, protocols); } catch (error) { return done('nothing'); }
    socket.onmessage = event => frames.push(String(event.data));
    socket.onopen = () => { socket.send('{}'); socket.send(new Uint8Array(1e6)); };
    socket.onclose = () => done(frames.length ? frames.join() : 'nothing');
    setTimeout(() => { socket.close(); done(frames.length ? frames.join() : 'nothing'); }, 4000);
  });
  const read = (url, options) => fetch(url, options)
    .then(async answer => answer.type === 'opaque' ? 'nothing' : answer.status + await answer.text(), () => 'nothing');
  for (const host of ['127.0.0.1', 'localhost', 'evil.example']) {
    for (const path of ['/extension', '/client', '/', '/dashboard/runs']) {
      got['socket ' + host + path] = await socket(`ws://${host}:${port}${path}`);
    }
    for (const mode of ['cors', 'no-cors']) {
      got[`fetch ${mode} ${host}`] = await read(`http://${host}:${port}/client`, {mode});
    }
    const headers = {authorization: 'Bearer guess'};
    got['token ' + host] = await read(`http://${host}:${port}/client`, {headers});
    got['post ' + host] = await read(`http://${host}:${port}/extension`, {method: 'POST', body: '{}', mode: 'no-cors'});
  }
  got['subprotocol'] = await socket(`ws://127.0.0.1:${port}/client`, ['bearer', 'guess']);
  await Promise.all(Array.from({length: 200}, () => socket(`ws://127.0.0.1:${port}/extension`)));
  got['extension page'] = await read('chrome-extension://acniedilaibhpknbjmjlacdlmbmfmlak/pair.html');
  return got;
}
</script>";

async fn hostile_site() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let site = Router::new().fallback(get(|| async { Html(ATTACK) }));
    tokio::spawn(async move { axum::serve(listener, site).await });
    port
}

/// Opens a page and gives the session to speak to it.
async fn page(browser: &Browser, url: &str) -> String {
    let pipe = browser.pipe();
    let target = pipe.call("Target.createTarget", json!({"url": url}), None).await.unwrap();
    let attach = json!({"targetId": target["targetId"], "flatten": true});
    let session = pipe.call("Target.attachToTarget", attach, None).await.unwrap();
    session["sessionId"].as_str().unwrap().to_owned()
}

async fn evaluate(browser: &Browser, session: &str, expression: &str) -> Value {
    let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
    let bound = Duration::from_secs(90);
    let answer = browser.pipe().call_within("Runtime.evaluate", params, Some(session), bound).await.unwrap();
    assert!(answer.get("exceptionDetails").is_none(), "{answer}");
    answer["result"]["value"].clone()
}

#[tokio::test]
async fn a_hostile_page_in_a_real_browser_gets_nothing() {
    let daemon = daemon().await;
    let busy = Busy::start(&daemon).await;
    let site = hostile_site().await;
    let extension = tempfile::tempdir().unwrap();
    let manifest = r#"{"manifest_version":3,"name":"empty","version":"1"}"#;
    std::fs::write(extension.path().join("manifest.json"), manifest).unwrap();
    let browser = Browser::start(Launch {
        extension_dir: Some(extension.path().to_owned()),
        // A name of the attacker's own that has been rebound to loopback.
        switches: vec![
            "--host-resolver-rules=MAP evil.example 127.0.0.1".into(),
            // The browser's own wall against pages that reach for loopback is taken down: ours must stand alone.
            "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,BlockInsecurePrivateNetworkRequests".into(),
        ],
        ..Launch::default()
    })
    .await
    .unwrap();
    for origin in ["127.0.0.1", "evil.example"] {
        let session = page(&browser, &format!("http://{origin}:{site}/")).await;
        for _ in 0..100 {
            if evaluate(&browser, &session, "typeof attack").await == "function" {
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
        // Loopback is within the page's reach, so that what follows is our doing.
        let control =
            format!("fetch('http://127.0.0.1:{site}/', {{mode: 'no-cors'}}).then(answer => answer.type)");
        let reached = evaluate(&browser, &session, &control).await;
        assert!(reached == "opaque" || reached == "basic", "{reached}");
        let got = evaluate(&browser, &session, &format!("attack({})", daemon.port())).await;
        let tries = got.as_object().unwrap();
        assert!(tries.len() > 20);
        for (attempt, result) in tries {
            assert_eq!(result, "nothing", "{attempt} from {origin}");
        }
    }
    browser.stop().await;
    busy.lost_nothing().await;
}
