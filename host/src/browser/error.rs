//! What can go wrong with a browser of our own, and how a person gets out of it.

use std::path::PathBuf;
use std::time::Duration;

use crate::exit::{ErrorKind, Failure};

/// A browser could not be found, started or kept.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// `CAIRN_BROWSER` names something that is not there.
    #[error("CAIRN_BROWSER names {0}, which is no program")]
    NoSuchProgram(PathBuf),
    /// No Chromium on this machine.
    #[error("no Chromium or Chrome was found")]
    NotFound,
    /// The built extension is not there.
    #[error("the built extension was not found")]
    NoExtension,
    /// It would not start.
    #[error("{program} did not start: {reason}")]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// Its last words.
        reason: String,
    },
    /// It runs, and its extension did not connect.
    #[error("the extension did not connect within {} s of starting {program}", bound.as_secs())]
    NotConnected {
        /// The program.
        program: PathBuf,
        /// The bound.
        bound: Duration,
    },
    /// The profile folder or the pipes.
    #[error("the browser could not be prepared: {0}")]
    Io(#[from] std::io::Error),
    /// The debugging pipe.
    #[error(transparent)]
    Pipe(#[from] PipeError),
}

impl From<BrowserError> for Failure {
    fn from(error: BrowserError) -> Self {
        let next = match &error {
            BrowserError::NoSuchProgram(_) => {
                "set CAIRN_BROWSER to the path of a Chromium, or unset it to search the usual names"
            }
            BrowserError::NotFound => {
                "install one (Debian: `apt-get install chromium`), or set CAIRN_BROWSER to its path"
            }
            BrowserError::NoExtension => {
                "build it with `make setup`, or set CAIRN_EXTENSION to the folder that holds its manifest.json"
            }
            BrowserError::NotStarted { .. } | BrowserError::Pipe(_) => {
                "start the program by hand to see what it lacks; CAIRN_BROWSER names another one"
            }
            BrowserError::NotConnected { .. } => {
                "run `cairn doctor`; a Chrome whose policy forbids unpacked extensions cannot be used: CAIRN_BROWSER names another one"
            }
            BrowserError::Io(_) => "check that the temporary folder can be written (TMPDIR)",
        };
        let place = match &error {
            BrowserError::NotStarted { program, .. } | BrowserError::NotConnected { program, .. } => {
                program.display().to_string()
            }
            _ => String::new(),
        };
        let kind = ErrorKind::NoBrowser;
        Self::new(kind, error.to_string(), next).at(place)
    }
}

/// A call over the debugging pipe failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PipeError {
    /// The browser ended.
    #[error("the browser ended")]
    Closed,
    /// No answer within the bound.
    #[error("the browser did not answer {method} within {} s", bound.as_secs_f32())]
    TimedOut {
        /// The method.
        method: String,
        /// The bound.
        bound: Duration,
    },
    /// The browser refused the call.
    #[error("the browser refused {method}: {message}")]
    Refused {
        /// The method.
        method: String,
        /// Its words.
        message: String,
    },
}
