//! A fresh profile folder that does not outlive its browser.
//!
//! It is removed when the browser ends. Where we are killed first nobody can remove it, so each holds a locked file:
//! whoever starts a browser next sweeps the folders whose lock is free.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

const PREFIX: &str = "cairn-profile-";
const LOCK: &str = "cairn.lock";

/// A profile folder, and the lock that says it is in use.
pub(super) struct Profile {
    folder: Folder,
    _lock: Option<File>,
}

enum Folder {
    Temporary(TempDir),
    Given(PathBuf),
}

impl Profile {
    /// A fresh one in the temporary folder.
    pub(super) fn fresh() -> io::Result<Self> {
        sweep(&std::env::temp_dir());
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let lock = File::create(folder.path().join(LOCK))?;
        lock.try_lock().map_err(io::Error::from)?;
        Ok(Self { folder: Folder::Temporary(folder), _lock: Some(lock) })
    }

    /// One that the caller keeps.
    pub(super) fn given(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder: Folder::Given(folder), _lock: None })
    }

    pub(super) fn path(&self) -> &Path {
        match &self.folder {
            Folder::Temporary(folder) => folder.path(),
            Folder::Given(folder) => folder,
        }
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        // A browser that is ending may still write while we remove; the second try finds it ended.
        if let Folder::Temporary(folder) = &self.folder
            && fs::remove_dir_all(folder.path()).is_err()
        {
            std::thread::sleep(std::time::Duration::from_millis(100));
            let _ = fs::remove_dir_all(folder.path());
        }
    }
}

/// Removes the profiles that nobody holds any more.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        // A folder without a lock file is being made or removed right now by its owner: leave it.
        let Ok(lock) = File::open(entry.path().join(LOCK)) else { continue };
        if lock.try_lock().is_ok() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_abandoned_profiles_are_swept() {
        let parent = tempfile::tempdir().unwrap();
        let held = parent.path().join(format!("{PREFIX}held"));
        let left = parent.path().join(format!("{PREFIX}left"));
        let other = parent.path().join("other");
        for folder in [&held, &left, &other] {
            fs::create_dir(folder).unwrap();
            File::create(folder.join(LOCK)).unwrap();
        }
        let lock = File::open(held.join(LOCK)).unwrap();
        lock.try_lock().unwrap();
        sweep(parent.path());
        assert!(held.exists() && other.exists() && !left.exists());
    }

    #[test]
    fn a_fresh_profile_is_removed() {
        let profile = Profile::fresh().unwrap();
        let path = profile.path().to_owned();
        assert!(path.exists());
        drop(profile);
        assert!(!path.exists());
    }
}
