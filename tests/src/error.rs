//! What can go wrong in the harness, in words that name the place.

use std::io;

use cairn_host::browser::{BrowserError, PipeError};

/// A harness step that failed.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// The browser.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// The debugging pipe.
    #[error("the debugging pipe: {0}")]
    Pipe(#[from] PipeError),
    /// A process or a file.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: String,
        /// Why not.
        source: io::Error,
    },
    /// Anything else, said in words.
    #[error("{0}")]
    Other(String),
}

/// The result of a harness step.
pub type Outcome<T> = Result<T, Failed>;

impl Failed {
    /// A failure in words.
    pub fn because(text: impl Into<String>) -> Self {
        Self::Other(text.into())
    }

    /// Wraps an I/O error with what was being done.
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}
