//! The test harness: a real Chromium with the extension, the real daemon, and a person who acts with trusted input.
//!
//! The person sees the page through the browser's own accessibility tree and acts through the browser's input pipeline,
//! over the debugging pipe. Nothing of the probe is involved, so what it records and replays is judged from outside.

pub mod cairn;
pub mod case;
pub mod chrome;
pub mod daemon;
pub mod drift;
pub mod errand;
pub mod error;
mod gesture;
pub mod model_server;
pub mod pages;
pub mod person;
pub mod proxy;
pub mod recording;
pub mod replay;
pub mod say;
pub mod stage;
pub mod tab;

pub use cairn_host::engine::keyboard;

pub use cairn::{Cairn, Running, Said};
pub use chrome::Chrome;
pub use daemon::Daemon;
pub use errand::Errand;
pub use error::{Failed, Outcome};
pub use model_server::{ModelServer, Mood, Wire};
pub use pages::Pages;
pub use person::{Person, What};
pub use proxy::Proxy;
pub use recording::{Recorded, Recording};
pub use replay::Replay;
pub use stage::Stage;
pub use tab::Tab;
