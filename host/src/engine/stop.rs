//! The caller's wish that a run or a recording end now.

use tokio::sync::watch;

/// Asks for the end. Dropped without asking, nothing ends.
#[derive(Clone, Debug)]
pub struct StopHandle(watch::Sender<Option<String>>);

/// Hears that the end is asked for.
#[derive(Clone, Debug)]
pub struct StopSignal(watch::Receiver<Option<String>>);

/// A handle with its signal.
pub fn stop_pair() -> (StopHandle, StopSignal) {
    let (sender, receiver) = watch::channel(None);
    (StopHandle(sender), StopSignal(receiver))
}

impl StopHandle {
    /// Asks. The first reason counts.
    pub fn ask(&self, reason: &str) {
        self.0.send_if_modified(|asked| {
            let first = asked.is_none();
            if first {
                *asked = Some(reason.to_owned());
            }
            first
        });
    }

    /// Another ear.
    pub fn signal(&self) -> StopSignal {
        StopSignal(self.0.subscribe())
    }
}

impl StopSignal {
    /// Ready with the reason once the end is asked for; never where nobody can ask any more.
    pub async fn asked(&mut self) -> String {
        loop {
            if let Some(reason) = self.0.borrow_and_update().clone() {
                return reason;
            }
            if self.0.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Whether it was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.borrow().is_some()
    }
}
