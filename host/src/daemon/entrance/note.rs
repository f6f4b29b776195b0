//! The note that a running daemon leaves for the command line: a 0600 file by port, in a folder of this user alone.
//!
//! The daemon holds a lock on the file for as long as it runs, so that a note whose daemon was killed is known by its free
//! lock, and the token is never shown to whoever listens on the port now.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use directories::BaseDirs;
use serde::{Deserialize, Serialize};

use super::proof::random_hex;

/// What the note says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// The port.
    pub port: u16,
    /// The token of `/client`.
    pub token: String,
    /// The daemon's process.
    pub pid: u32,
    /// Its data folder.
    pub data: PathBuf,
    /// Its version.
    pub version: String,
}

/// A note that stands while this is held.
pub struct Posted {
    path: PathBuf,
    note: Note,
    _lock: File,
}

impl Posted {
    /// Leaves a note for `port`, which this process listens on.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn post(port: u16, data: &Path) -> io::Result<Self> {
        Self::post_in(&folder()?, port, data)
    }

    fn post_in(folder: &Path, port: u16, data: &Path) -> io::Result<Self> {
        let note = Note {
            port,
            token: random_hex(32)?,
            pid: std::process::id(),
            data: data.to_owned(),
            version: env!("CARGO_PKG_VERSION").into(),
        };
        let path = note_path(folder, port);
        // We own the port, so a note that is there is a dead daemon's.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = create_secret(&path)?;
        file.try_lock()?;
        file.write_all(&serde_json::to_vec(&note).map_err(io::Error::other)?)?;
        file.sync_all()?;
        Ok(Self { path, note, _lock: file })
    }

    /// What it says.
    pub fn note(&self) -> &Note {
        &self.note
    }
}

impl Drop for Posted {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Reads the note of the daemon at `port`. `None` where none runs; a dead daemon's note is removed.
///
/// # Errors
/// The folder or the note cannot be read.
pub fn find(port: u16) -> io::Result<Option<Note>> {
    find_in(&folder()?, port)
}

fn find_in(folder: &Path, port: u16) -> io::Result<Option<Note>> {
    let path = note_path(folder, port);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if file.try_lock_shared().is_ok() {
        let _ = fs::remove_file(&path);
        return Ok(None);
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    // A note that is being written is not there yet.
    Ok(serde_json::from_str(&text).ok())
}

fn note_path(folder: &Path, port: u16) -> PathBuf {
    folder.join(format!("{port}.json"))
}

/// `$XDG_RUNTIME_DIR/cairn`, else a folder below the user's cache: never a shared one like /tmp, where another user could be
/// first.
fn folder() -> io::Result<PathBuf> {
    let dirs =
        BaseDirs::new().ok_or_else(|| io::Error::other("this user has no home folder (HOME is not set)"))?;
    let folder = match dirs.runtime_dir().filter(|folder| folder.is_dir()) {
        Some(runtime) => runtime.join("cairn"),
        None => dirs.cache_dir().join("cairn").join("run"),
    };
    create_private(&folder)?;
    Ok(folder)
}

#[cfg(unix)]
fn create_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
        }
        other => other,
    }
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

fn create_secret(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_stands_while_its_daemon_does() {
        let folder = tempfile::tempdir().unwrap();
        let posted = Posted::post_in(folder.path(), 4717, Path::new("/data")).unwrap();
        assert_eq!(find_in(folder.path(), 4717).unwrap().as_ref(), Some(posted.note()));
        assert_eq!(find_in(folder.path(), 4718).unwrap(), None);
        drop(posted);
        assert_eq!(find_in(folder.path(), 4717).unwrap(), None);
    }

    #[test]
    fn the_note_of_a_killed_daemon_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = note_path(folder.path(), 4717);
        fs::write(&path, r#"{"port":4717,"token":"t","pid":1,"data":"/","version":"0"}"#).unwrap();
        assert_eq!(find_in(folder.path(), 4717).unwrap(), None);
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn the_note_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let posted = Posted::post_in(folder.path(), 4717, Path::new("/data")).unwrap();
        assert_eq!(posted.path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
