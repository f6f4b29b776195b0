//! The signals that end a command, and how it ends in order: a dropped future stops its browser and removes its profile.

use crate::exit::{ErrorKind, Failure};

/// The signals that end a command.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// From now on the signals no longer end the process by themselves.
    pub(super) fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let failure = |error: std::io::Error| {
            Failure::new(
                ErrorKind::Internal,
                format!("signals cannot be listened to: {error}"),
                "report this",
            )
        };
        Ok(Self {
            terminate: signal(SignalKind::terminate()).map_err(failure)?,
            interrupt: signal(SignalKind::interrupt()).map_err(failure)?,
            hangup: signal(SignalKind::hangup()).map_err(failure)?,
        })
    }

    /// Waits for one of them.
    pub(super) async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    pub(super) fn listen() -> Result<Self, Failure> {
        Ok(Self {})
    }

    pub(super) async fn wait(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Does the work, unless a signal comes first: then the work is dropped where it stands.
pub(super) async fn unless_interrupted<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let mut signals = Signals::listen()?;
    tokio::select! {
        done = work => done,
        () = signals.wait() => Err(Failure::new(ErrorKind::Interrupted, "interrupted", "")),
    }
}
