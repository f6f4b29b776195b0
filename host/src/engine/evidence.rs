//! What a run leaves behind: a folder with `steps.jsonl`, `result.json` and, on failure, a picture and the snapshot.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use tokio::task::spawn_blocking;

use super::api::line;
use crate::exit::{ErrorKind, Failure};

/// One run's folder. Lines go to the disk in the order of the calls.
#[derive(Clone)]
pub struct Evidence {
    folder: PathBuf,
    steps: Arc<File>,
}

impl Evidence {
    /// Makes `runs/ID` under the data folder.
    ///
    /// # Errors
    /// `DataFolder` where it cannot be written.
    pub fn create(data: &Path, run: &str) -> Result<Self, Failure> {
        let folder = data.join("runs").join(run);
        let made = fs::create_dir_all(&folder)
            .and_then(|()| OpenOptions::new().create_new(true).append(true).open(folder.join("steps.jsonl")));
        match made {
            Ok(steps) => Ok(Self { folder, steps: Arc::new(steps) }),
            Err(error) => Err(unwritable(&folder, &error)),
        }
    }

    /// With its lines going to a file of the caller's choice.
    #[cfg(test)]
    pub(super) fn onto(folder: &Path, lines: &Path) -> Self {
        let steps = OpenOptions::new().append(true).open(lines).expect("a file that can be opened");
        Self { folder: folder.to_path_buf(), steps: Arc::new(steps) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Appends a line to `steps.jsonl`. With `durable` it is on the disk, and not only with the system, when this
    /// returns.
    ///
    /// # Errors
    /// `DataFolder` where the disk is full or gone.
    pub async fn append<T: Serialize>(&self, value: &T, durable: bool) -> Result<(), Failure> {
        let mut text = line(value);
        text.push('\n');
        let file = Arc::clone(&self.steps);
        let work = move || {
            (&*file).write_all(text.as_bytes())?;
            if durable { file.sync_data() } else { Ok(()) }
        };
        // A line is a few hundred bytes into the page cache: only the sync is worth a thread.
        let written = if durable {
            spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
        } else {
            work()
        };
        written.map_err(|error| unwritable(&self.folder.join("steps.jsonl"), &error))
    }

    /// Writes a whole file: to a name beside it first, so that nobody ever reads half of it.
    ///
    /// # Errors
    /// `DataFolder` where the disk is full or gone.
    pub async fn write(&self, name: &str, content: Vec<u8>) -> Result<(), Failure> {
        let path = self.folder.join(name);
        let target = path.clone();
        let written = spawn_blocking(move || write_whole(&target, &content)).await;
        written
            .unwrap_or_else(|error| Err(io::Error::other(error)))
            .map_err(|error| unwritable(&path, &error))
    }
}

/// Replaces a file in one step.
///
/// # Errors
/// The system's own.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.part", std::process::id()));
    let partial = PathBuf::from(partial);
    let made = File::create(&partial)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&partial, path));
    if made.is_err() {
        // Best effort: the error that is reported is the first one.
        let _ = fs::remove_file(&partial);
    }
    made
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        ErrorKind::DataFolder,
        format!("the evidence cannot be written: {error}"),
        "make room, or name a folder that you may write with --data DIR",
    )
    .at(path.display().to_string())
}
