//! The worker's side of the protocol, so that the host's side can be tested without a browser.

use std::time::Duration;

use cairn_core::wire::PROTOCOL_VERSION;
use cairn_core::wire::page::{FromPage, PageAnswer, PageEvent, PageRequest, ToPage};
use cairn_core::wire::worker::{
    Call, CallResult, Challenge, FrameInfo, FromWorker, LeaseInfo, NewKey, Proof, ProofKind, ToWorker,
    Welcome, WorkerEvent,
};
use cairn_host::browser::EXTENSION_ID;
use cairn_host::daemon::entrance::proof::{Side, mac};
use futures_util::{SinkExt as _, StreamExt as _};
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::ClientRequestBuilder;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// The worker's life, unless a test begins another.
pub const LIFE: &str = "first";

pub const NONCE: &str = "abababababababababababababababababababababababababababababababab";

/// Nothing in these tests takes this long.
pub const BOUND: Duration = Duration::from_secs(10);

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// What a worker proves itself with.
pub enum Secret<'a> {
    Code(&'a str),
    Key(&'a NewKey),
}

/// A worker that was admitted.
pub struct Worker {
    socket: Socket,
    pub key: Option<NewKey>,
    held: Option<Vec<LeaseInfo>>,
    /// How many messages its pages have said.
    pub said: u64,
    /// The host's life, as it was welcomed by it.
    pub life: String,
    /// How many frames the host says that it has had.
    pub received: u64,
}

/// Opens the extension's socket with any origin.
pub async fn open(port: u16, origin: Option<&str>) -> Result<Socket, Error> {
    let uri = format!("ws://127.0.0.1:{port}/extension").parse().unwrap();
    let mut request = ClientRequestBuilder::new(uri);
    if let Some(origin) = origin {
        request = request.with_header("Origin", origin);
    }
    connect_async(request).await.map(|(socket, _)| socket)
}

pub fn our_origin() -> String {
    format!("chrome-extension://{EXTENSION_ID}")
}

/// The code in a pairing link.
pub fn code(pair_url: &str) -> String {
    pair_url.rsplit_once('.').unwrap().1.to_owned()
}

pub async fn next<T: DeserializeOwned>(socket: &mut Socket) -> T {
    loop {
        match timeout(BOUND, socket.next())
            .await
            .expect("a frame within the bound")
            .expect("an open socket")
            .unwrap()
        {
            Message::Text(text) => return serde_json::from_str(text.as_str()).unwrap(),
            Message::Close(frame) => panic!("closed: {frame:?}"),
            _ => {}
        }
    }
}

/// How the host closes the socket.
pub async fn closing(socket: &mut Socket) -> Option<CloseFrame> {
    loop {
        match timeout(BOUND, socket.next()).await.expect("an end within the bound") {
            Some(Ok(Message::Close(frame))) => return frame,
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return None,
        }
    }
}

/// A proof over the host's nonce.
pub fn proof(challenge: &Challenge, secret: &Secret) -> Proof {
    let (with, key_id, secret) = match secret {
        Secret::Code(code) => (ProofKind::Code, String::new(), *code),
        Secret::Key(key) => (ProofKind::Key, key.id.clone(), key.secret.as_str()),
    };
    Proof {
        protocol: PROTOCOL_VERSION,
        nonce: NONCE.into(),
        with,
        key_id,
        mac: mac(secret, Side::Worker, &challenge.nonce, NONCE),
        extension_version: "0.1.0".into(),
        life: LIFE.into(),
    }
}

impl Worker {
    /// Opens the socket, proves the secret, and holds the host to its own proof.
    pub async fn connect(port: u16, secret: Secret<'_>) -> Self {
        Self::connect_in(LIFE, port, secret).await
    }

    /// The same, in this life of the worker.
    async fn connect_in(life: &str, port: u16, secret: Secret<'_>) -> Self {
        let mut socket = open(port, Some(&our_origin())).await.unwrap();
        let challenge: Challenge = next(&mut socket).await;
        let proof = Proof { life: life.into(), ..proof(&challenge, &secret) };
        let text = serde_json::to_string(&proof).unwrap();
        socket.send(Message::Text(text.into())).await.unwrap();
        let welcome: Welcome = next(&mut socket).await;
        let secret = match secret {
            Secret::Code(code) => code,
            Secret::Key(key) => &key.secret,
        };
        assert_eq!(welcome.mac, mac(secret, Side::Host, &challenge.nonce, NONCE));
        let (life, received) = (welcome.life, welcome.received);
        Self { socket, key: welcome.key, held: None, said: 0, life, received }
    }

    /// Connects and answers the first question, `Leases`, with what it holds.
    pub async fn join(port: u16, secret: Secret<'_>, held: Vec<LeaseInfo>) -> Self {
        Self::join_in(LIFE, port, secret, held).await
    }

    /// The same, in this life of the worker.
    pub async fn join_in(life: &str, port: u16, secret: Secret<'_>, held: Vec<LeaseInfo>) -> Self {
        let mut worker = Self::connect_in(life, port, secret).await;
        let (id, call) = worker.call().await;
        assert_eq!(call, Call::Leases);
        worker.done(id, CallResult::Leases { leases: held.clone() }).await;
        worker.held = Some(held);
        worker
    }

    pub async fn send(&mut self, message: &FromWorker) {
        self.send_text(serde_json::to_string(message).unwrap()).await;
    }

    pub async fn send_text(&mut self, text: String) {
        self.socket.send(Message::Text(text.into())).await.unwrap();
    }

    /// The next frame. The question for its leases is answered again on the way: it is asked until the answer is there.
    pub async fn receive(&mut self) -> ToWorker {
        loop {
            match (next(&mut self.socket).await, self.held.clone()) {
                (ToWorker::Call { id, call: Call::Leases }, Some(leases)) => {
                    self.done(id, CallResult::Leases { leases }).await;
                }
                (ToWorker::Received { count }, _) => self.received = count,
                (other, _) => return other,
            }
        }
    }

    pub async fn call(&mut self) -> (u64, Call) {
        match self.receive().await {
            ToWorker::Call { id, call } => (id, call),
            other => panic!("a call was expected: {other:?}"),
        }
    }

    pub async fn done(&mut self, id: u64, result: CallResult) {
        self.send(&FromWorker::Done { id, result }).await;
    }

    pub async fn event(&mut self, event: WorkerEvent) {
        self.send(&FromWorker::Event { event }).await;
    }

    /// Takes the `Open` of a session and grants it. Gives the lease's id.
    pub async fn grant(&mut self) -> String {
        let (id, call) = self.call().await;
        let Call::Open { lease, .. } = call else { panic!("Open was expected: {call:?}") };
        let info = LeaseInfo { lease: lease.clone(), tab: 5, window: 1, ..LeaseInfo::default() };
        self.done(id, CallResult::Lease(info)).await;
        lease
    }

    /// A document's probe is ready; takes its `Configure`.
    pub async fn ready(&mut self, lease: &str, document: &str) -> cairn_core::wire::page::Configure {
        let info = FrameInfo {
            parent: -1,
            document: document.into(),
            url: format!("http://site.example/{document}"),
            engine: "wasm".into(),
            ..FrameInfo::default()
        };
        self.event(WorkerEvent::Ready { lease: lease.into(), info }).await;
        let (id, to, request) = self.page().await;
        assert_eq!(to, document);
        self.answer(lease, document, id, PageAnswer::Done).await;
        match request {
            PageRequest::Configure(configure) => configure,
            other => panic!("Configure comes first: {other:?}"),
        }
    }

    /// The next page message: its id, its document, what it asks.
    pub async fn page(&mut self) -> (u64, String, PageRequest) {
        match self.receive().await {
            ToWorker::Page { document, message, .. } => {
                let ToPage { id, request } = serde_json::from_str(&message).unwrap();
                (id, document, request)
            }
            other => panic!("a page message was expected: {other:?}"),
        }
    }

    pub async fn answer(&mut self, lease: &str, document: &str, id: u64, answer: PageAnswer) {
        self.page_says(lease, document, &FromPage::Answer { id, answer }).await;
    }

    pub async fn page_event(&mut self, lease: &str, document: &str, event: PageEvent) {
        self.page_says(lease, document, &FromPage::Event { event }).await;
    }

    pub async fn page_says(&mut self, lease: &str, document: &str, message: &FromPage) {
        let message = serde_json::to_string(message).unwrap();
        self.said += 1;
        self.page_repeats(lease, document, self.said, message).await;
    }

    /// A message under a number of its own.
    pub async fn page_repeats(&mut self, lease: &str, document: &str, number: u64, message: String) {
        let page =
            FromWorker::Page { lease: lease.into(), frame: 0, document: document.into(), number, message };
        self.send(&page).await;
    }

    pub async fn close(mut self) {
        let _ = self.socket.close(None).await;
    }

    pub fn socket(&mut self) -> &mut Socket {
        &mut self.socket
    }
}
