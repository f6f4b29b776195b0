//! What can go wrong with the store, each with its next step.

use std::path::{Path, PathBuf};

use crate::exit::{ErrorKind, Failure};

/// An error of the store.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder cannot be made or written.
    #[error("the data folder {path} cannot be written: {reason}")]
    Unwritable {
        /// The folder.
        path: PathBuf,
        /// The system's word.
        reason: String,
    },
    /// The file was written by a newer Cairn.
    #[error("the database {path} has version {found}; this build reads up to version {known}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version this build reads.
        known: u32,
        /// The Cairn that wrote it, where the file says so.
        writer: String,
    },
    /// The file is no database, or a damaged one.
    #[error("the database {path} cannot be read: {reason}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// SQLite's word.
        reason: String,
    },
    /// Another process holds it for too long.
    #[error("the database {path} is held by another process: {reason}")]
    Busy {
        /// The file.
        path: PathBuf,
        /// SQLite's word.
        reason: String,
    },
    /// The disk is full.
    #[error("the disk with the database {path} is full")]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// No such test, script or recording.
    #[error("there is no {what} `{name}`")]
    Missing {
        /// The kind of thing.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Anything else.
    #[error("the database {path} failed: {reason}")]
    Failed {
        /// The file.
        path: PathBuf,
        /// SQLite's word.
        reason: String,
    },
}

impl StoreError {
    /// SQLite's error in our words.
    pub(super) fn from_sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let (path, reason) = (path.to_path_buf(), error.to_string());
        match error.sqlite_error_code() {
            Some(Code::NotADatabase | Code::DatabaseCorrupt) => Self::Corrupt { path, reason },
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy { path, reason },
            Some(Code::DiskFull) => Self::Full { path },
            Some(Code::ReadOnly | Code::CannotOpen | Code::PermissionDenied) => {
                Self::Unwritable { path, reason }
            }
            _ => Self::Failed { path, reason },
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::Unwritable { .. } => "name a folder that you may write with --data DIR".into(),
            Self::Newer { writer, found, .. } => {
                let writer =
                    if writer.is_empty() { "a newer Cairn".to_owned() } else { format!("Cairn {writer}") };
                format!("use {writer}, which reads version {found}, or name another folder with --data DIR")
            }
            Self::Corrupt { path, .. } => format!(
                "move {0} aside (a copy from before the last upgrade may lie beside it as {0}.v*.bak), then run again",
                path.display()
            ),
            Self::Busy { .. } => "end the other cairn process, then run again".into(),
            Self::Full { .. } => "make room, then run again".into(),
            Self::Missing { what: "test", .. } => {
                "`cairn scripts list` names the stored tests; `cairn record NAME --url URL` makes one".into()
            }
            Self::Missing { .. } => "`cairn scripts list` shows what there is".into(),
            Self::Failed { .. } => "run again with CAIRN_LOG=debug and report what it says".into(),
        }
    }

    fn place(&self) -> String {
        match self {
            Self::Unwritable { path, .. }
            | Self::Newer { path, .. }
            | Self::Corrupt { path, .. }
            | Self::Busy { path, .. }
            | Self::Full { path }
            | Self::Failed { path, .. } => path.display().to_string(),
            Self::Missing { .. } => String::new(),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let kind = match error {
            StoreError::Missing { .. } => ErrorKind::NothingSelected,
            _ => ErrorKind::DataFolder,
        };
        Self::new(kind, error.to_string(), error.hint()).at(error.place())
    }
}
