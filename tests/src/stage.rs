//! Everything that an end-to-end test stands on: a folder, `cairn`, a daemon, and a browser that is paired with it.

use std::path::Path;

use crate::{Cairn, Chrome, Daemon, Failed, Outcome};

/// A daemon and a paired browser. Both end when this is dropped.
pub struct Stage {
    /// The program, working in the stage's folder.
    pub cairn: Cairn,
    /// The daemon.
    pub daemon: Daemon,
    /// The person's browser.
    pub chrome: Chrome,
}

impl Stage {
    /// Sets the stage in `folder`.
    pub async fn set(folder: &Path) -> Outcome<Self> {
        std::fs::create_dir_all(folder).map_err(Failed::io("making the stage's folder"))?;
        let cairn = Cairn::in_folder(folder)?;
        let daemon = Daemon::start(&cairn).await?;
        let chrome = Chrome::start().await?;
        daemon.pair(&chrome).await?;
        Ok(Self { cairn, daemon, chrome })
    }
}
