//! Host <-> the extension's service worker. The worker decides nothing: it carries calls to `chrome.*` and says what
//! happened to leased tabs.

use serde::{Deserialize, Serialize};

use super::WireError;

/// First frame on a new socket, host to worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Challenge {
    /// The host's `PROTOCOL_VERSION`.
    pub protocol: u32,
    /// The host's nonce: 32 bytes in hex.
    pub nonce: String,
}

/// The worker's first frame: within 2 s, or the socket is closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    /// The worker's `PROTOCOL_VERSION`.
    pub protocol: u32,
    /// The worker's nonce: 32 bytes in hex.
    pub nonce: String,
    /// Which secret is proved: a one-time pairing code or a stored key.
    pub with: ProofKind,
    /// The stored key's id; empty for a code.
    #[serde(default)]
    pub key_id: String,
    /// hex(HMAC-SHA256(secret, "cairn worker\n" + host nonce + "\n" + worker nonce)). The secret is the code's or the key's
    /// text as UTF-8, never decoded from hex; so are the nonces. Lower-case hex.
    pub mac: String,
    /// Version of the extension, for messages to people.
    #[serde(default)]
    pub extension_version: String,
    /// This life of the worker, in letters of its own choice: it begins when the browser starts the worker.
    #[serde(default)]
    pub life: String,
}

/// What a proof stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProofKind {
    /// The one-time code of a pairing URL, used as the secret.
    Code,
    /// A key from an earlier pairing.
    Key,
}

/// The host's answer to a good proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// hex(HMAC-SHA256(secret, "cairn host\n" + host nonce + "\n" + worker nonce)).
    pub mac: String,
    /// After a code: the key to keep (hex) and its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<NewKey>,
    /// This life of the host: what was said to another one is of no use to it.
    #[serde(default)]
    pub life: String,
    /// How many frames of this life of the worker have arrived. What follows them is sent again.
    #[serde(default)]
    pub received: u64,
}

/// A key handed out by a pairing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewKey {
    /// Its id.
    pub id: String,
    /// 32 bytes in hex.
    pub secret: String,
}

/// Codes with which the host closes a socket that it does not admit, so that the extension can say what to do.
pub mod close {
    /// The key is unknown here: pair again.
    pub const NOT_PAIRED: u16 = 4401;
    /// The proof is wrong, or the code has expired or was used.
    pub const WRONG_PROOF: u16 = 4403;
    /// No proof came in time.
    pub const TOO_LATE: u16 = 4408;
    /// The first frame was no proof.
    pub const BAD_MESSAGE: u16 = 4400;
    /// The two sides speak different protocol versions.
    pub const WRONG_VERSION: u16 = 4426;
    /// Too many wrong proofs: wait before trying again.
    pub const BACK_OFF: u16 = 4429;
    /// Another socket proved the same key and took this one's place.
    pub const REPLACED: u16 = 4409;
}

/// Host to worker, after the welcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ToWorker {
    /// Do something and answer with `Done` or `Failed`.
    Call {
        /// Echoed in the answer. A call that comes again under the same number is not done again.
        id: u64,
        /// What.
        call: Call,
    },
    /// Pass a message to a frame's probe. No answer of the worker's own, unless the frame is gone (`Event::Undelivered`).
    Page {
        /// The lease.
        lease: String,
        /// The browser's frame id; 0 is the top frame.
        frame: i32,
        /// The document it is meant for: never delivered to a later one.
        document: String,
        /// A `ToPage` as JSON text.
        message: String,
    },
    /// So many frames of this life of the worker have arrived, pings apart: it need not keep them any more.
    Received {
        /// How many.
        count: u64,
    },
    /// Answer to the worker's ping, so that traffic flows both ways.
    Pong,
}

/// What the worker can be told to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Call {
    /// Lease a tab. Answer: `LeaseInfo`.
    #[serde(rename_all = "camelCase")]
    Open {
        /// The id to give it.
        lease: String,
        /// The URL to open in a new window of its own; the probe is there before the page's first script.
        url: Option<String>,
        /// Take this tab instead (a tab that a page opened, or one a person chose).
        tab: Option<i32>,
        /// Or the most recent tab at exactly this URL, if there is one.
        at_url: Option<String>,
        /// Which build of the probe: `auto`, `wasm` or `js`.
        engine: Engine,
        /// Size of the new window's page.
        viewport: Option<Viewport>,
    },
    /// End a lease. Answer: nothing.
    #[serde(rename_all = "camelCase")]
    Close {
        /// The lease.
        lease: String,
        /// Leave the tab open as it is.
        keep_tab: bool,
    },
    /// Move the tab. Answer: nothing, when the navigation has begun.
    #[serde(rename_all = "camelCase")]
    Navigate {
        /// The lease.
        lease: String,
        /// Where.
        to: Navigation,
    },
    /// A picture of the visible part. Answer: `Picture`.
    #[serde(rename_all = "camelCase")]
    Capture {
        /// The lease.
        lease: String,
    },
    /// Send commands of the debugging protocol to the tab, one after the other; the debugger is attached at the first and
    /// held until the lease ends. Answer: `Nothing`. A refusal says who is in the way.
    #[serde(rename_all = "camelCase")]
    Debug {
        /// The lease.
        lease: String,
        /// The commands; none at all attaches the debugger, so that native dialogs are seen and can be answered.
        commands: Vec<Command>,
        /// Only where the browser has no window: there is no banner to disturb anybody.
        unseen: bool,
    },
    /// Which leases do you hold? Answer: `Leases`. Asked after every reconnect.
    Leases,
    /// Show the panel's state: what is recorded, its steps. Answer: nothing.
    #[serde(rename_all = "camelCase")]
    ShowPanel {
        /// The state.
        state: PanelState,
    },
}

/// Which build of the probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Engine {
    /// WASM where the page's CSP allows it, else the twin.
    #[default]
    Auto,
    /// WASM or an error.
    Wasm,
    /// The `wasm2js` twin.
    Js,
}

/// A size in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Viewport {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// Ways to move a tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Navigation {
    /// To a URL.
    Goto {
        /// The URL.
        url: String,
    },
    /// History back.
    Back,
    /// History forward.
    Forward,
    /// Again.
    Reload,
}

/// A command of the debugging protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Command {
    /// Its method, e.g. `Input.dispatchMouseEvent`.
    pub method: String,
    /// Its parameters.
    pub params: serde_json::Value,
}

/// What the side panel shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PanelState {
    /// The lease being recorded, if any.
    pub lease: Option<String>,
    /// Name of the recording.
    pub name: String,
    /// One line a step.
    pub steps: Vec<PanelStep>,
}

/// One line in the panel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PanelStep {
    /// From 1.
    pub number: u32,
    /// The step in words.
    pub text: String,
    /// What is weak about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak: Option<String>,
}

/// Worker to host, after the welcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum FromWorker {
    /// A call was done.
    Done {
        /// Of the call.
        id: u64,
        /// What came of it.
        result: CallResult,
    },
    /// A call failed.
    Failed {
        /// Of the call.
        id: u64,
        /// Why.
        error: WireError,
    },
    /// A message from a frame's probe.
    Page {
        /// The lease.
        lease: String,
        /// The frame.
        frame: i32,
        /// The document.
        document: String,
        /// Its place among all that was said in this document of the browser, from 1. What a worker that was stopped may have lost is
        /// said again under the same number.
        number: u64,
        /// A `FromPage` as JSON text.
        message: String,
    },
    /// Something happened to a leased tab, or in the panel.
    Event {
        /// What.
        event: WorkerEvent,
    },
    /// Every 15 s, so that the browser keeps the worker.
    Ping,
}

/// What a call gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum CallResult {
    /// Nothing.
    Nothing,
    /// The lease.
    Lease(LeaseInfo),
    /// All leases.
    Leases {
        /// The leases.
        leases: Vec<LeaseInfo>,
    },
    /// A PNG in base64.
    Picture {
        /// The picture.
        png: String,
    },
}

/// A lease as the worker knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaseInfo {
    /// Its id.
    pub lease: String,
    /// The tab.
    pub tab: i32,
    /// The tab's window.
    pub window: i32,
    /// The tab's URL.
    pub url: String,
    /// The tab was there before the lease: it is not the lease's to close.
    pub adopted: bool,
    /// The frames whose probes are ready.
    pub frames: Vec<FrameInfo>,
}

/// A frame whose probe is ready.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameInfo {
    /// The browser's frame id; 0 is the top frame.
    pub frame: i32,
    /// The parent's, -1 for the top frame.
    pub parent: i32,
    /// Its place among the frames of its parent document, from 0 (`parent[i] === window`); 0 for the top frame.
    pub place: u32,
    /// The browser's document id.
    pub document: String,
    /// URL.
    pub url: String,
    /// `wasm` or `js`.
    pub engine: String,
}

/// What happens to a leased tab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum WorkerEvent {
    /// A frame's probe is ready for its first message.
    #[serde(rename_all = "camelCase")]
    Ready {
        /// The lease.
        lease: String,
        /// The frame.
        info: FrameInfo,
    },
    /// A probe could not be started in a frame.
    #[serde(rename_all = "camelCase")]
    NotReady {
        /// The lease.
        lease: String,
        /// The frame.
        frame: i32,
        /// URL.
        url: String,
        /// Why.
        error: WireError,
    },
    /// A navigation began in the top frame.
    #[serde(rename_all = "camelCase")]
    Leaving {
        /// The lease.
        lease: String,
        /// Where to.
        url: String,
    },
    /// A frame's document changed, or its URL did within the document.
    #[serde(rename_all = "camelCase")]
    Committed {
        /// The lease.
        lease: String,
        /// The frame.
        frame: i32,
        /// The document.
        document: String,
        /// URL.
        url: String,
        /// `true` for pushState and fragments: the document stays.
        same_document: bool,
        /// How the browser names it: `link`, `typed`, `reload`, `form_submit`, `auto_bookmark`, …
        transition: String,
        /// `forward_back`, `from_address_bar`, `server_redirect`, `client_redirect`.
        qualifiers: Vec<String>,
        /// HTTP status of the answer; 0 where it was not seen, or there is none.
        #[serde(default)]
        status: u16,
    },
    /// A navigation failed; the page shows the browser's error.
    #[serde(rename_all = "camelCase")]
    LoadFailed {
        /// The lease.
        lease: String,
        /// The frame.
        frame: i32,
        /// URL.
        url: String,
        /// The browser's word, e.g. `net::ERR_CONNECTION_REFUSED`.
        error: String,
    },
    /// A message could not be delivered: the document is gone.
    #[serde(rename_all = "camelCase")]
    Undelivered {
        /// The lease.
        lease: String,
        /// The frame.
        frame: i32,
        /// The document it was meant for.
        document: String,
    },
    /// A frame below the top one was taken out of its page, with all that was in it.
    #[serde(rename_all = "camelCase")]
    FrameGone {
        /// The lease.
        lease: String,
        /// The frame.
        frame: i32,
    },
    /// The navigation that had begun brings no document: a download, an empty answer. The page stays.
    #[serde(rename_all = "camelCase")]
    Stays {
        /// The lease.
        lease: String,
    },
    /// A native dialog opened in a tab whose debugger is attached.
    #[serde(rename_all = "camelCase")]
    DialogOpened {
        /// The lease.
        lease: String,
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        kind: String,
        /// Its text.
        message: String,
        /// What a prompt holds at first.
        preset: String,
    },
    /// It was answered.
    #[serde(rename_all = "camelCase")]
    DialogClosed {
        /// The lease.
        lease: String,
        /// By its yes.
        accepted: bool,
        /// What a prompt got.
        text: String,
    },
    /// A page of the lease opened a tab.
    #[serde(rename_all = "camelCase")]
    Opened {
        /// The lease of the opener.
        lease: String,
        /// The new tab.
        tab: i32,
        /// URL.
        url: String,
    },
    /// The tab was closed, or its renderer crashed.
    #[serde(rename_all = "camelCase")]
    TabGone {
        /// The lease.
        lease: String,
        /// `closed` or `crashed`.
        reason: String,
    },
    /// A request of the tab that is not a plain read of a page's parts: XHR, fetch, beacon, form post.
    #[serde(rename_all = "camelCase")]
    Request {
        /// The lease.
        lease: String,
        /// HTTP method.
        method: String,
        /// URL without its query.
        url: String,
        /// The browser's kind: `xmlhttprequest`, `main_frame`, `ping`, …
        kind: String,
        /// Milliseconds since 1970.
        at: f64,
    },
    /// The person pressed Record in the panel, on this tab.
    #[serde(rename_all = "camelCase")]
    PanelRecord {
        /// The tab.
        tab: i32,
        /// The name typed in.
        name: String,
    },
    /// The person pressed Stop in the panel.
    #[serde(rename_all = "camelCase")]
    PanelStop {
        /// The lease.
        lease: String,
    },
}
