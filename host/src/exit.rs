//! How a command ends: kinds of error, and the one place that maps them to exit codes.

use std::process::ExitCode;

/// The exit codes of `cairn`. Their numbers are part of the contract with scripts and CI jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success, or a business outcome that the caller expected.
    Success = 0,
    /// A test failed: hard failure or divergence.
    Failed = 1,
    /// Bad flags, bad file, bad input; nothing was started.
    Usage = 2,
    /// Passed, but healed, under `--fail-on-heal`.
    Healed = 3,
    /// Not paired or not allowed.
    NotAllowed = 4,
    /// Nothing was selected.
    NothingSelected = 5,
    /// No browser.
    NoBrowser = 6,
    /// A business outcome that the caller did not name with `--expect`.
    BusinessOutcome = 7,
    /// Try again later.
    Recoverable = 8,
    /// Interrupted by a signal before the work was done, as shells count it.
    Interrupted = 130,
}

impl Exit {
    /// The exit with this number; a number that is none is a failure.
    pub fn from_code(code: u8) -> Self {
        let all = [
            Self::Success,
            Self::Usage,
            Self::Healed,
            Self::NotAllowed,
            Self::NothingSelected,
            Self::NoBrowser,
            Self::BusinessOutcome,
            Self::Recoverable,
            Self::Interrupted,
        ];
        all.into_iter().find(|exit| *exit as u8 == code).unwrap_or(Self::Failed)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What kind of thing went wrong. Every error of a command has one; `exit` is its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ErrorKind {
    /// A flag or argument.
    Usage,
    /// A file that cannot be read, is cut off, of a newer version or has an unknown method.
    BadFile,
    /// A missing or mistyped input.
    BadInput,
    /// The port is taken.
    PortInUse,
    /// The data folder or its database cannot be used.
    DataFolder,
    /// No daemon listens at the port.
    NoDaemon,
    /// No browser is paired and connected.
    NotPaired,
    /// The daemon or the browser refused.
    NotAllowed,
    /// No test, script or run matches.
    NothingSelected,
    /// No browser was found, or it could not be started with the extension.
    NoBrowser,
    /// The browser went away.
    BrowserEnded,
    /// The page could not be opened.
    Page,
    /// No answer within the bound.
    TimedOut,
    /// A transient condition outlived its retries.
    Recoverable,
    /// A signal ended the command before its work was done.
    Interrupted,
    /// A defect of Cairn.
    Internal,
}

impl ErrorKind {
    /// The exit code.
    pub fn exit(self) -> Exit {
        match self {
            Self::Usage
            | Self::BadFile
            | Self::BadInput
            | Self::PortInUse
            | Self::DataFolder
            | Self::NoDaemon => Exit::Usage,
            Self::NotPaired | Self::NotAllowed => Exit::NotAllowed,
            Self::NothingSelected => Exit::NothingSelected,
            Self::NoBrowser | Self::BrowserEnded => Exit::NoBrowser,
            Self::Recoverable => Exit::Recoverable,
            Self::Interrupted => Exit::Interrupted,
            Self::Page | Self::TimedOut | Self::Internal => Exit::Failed,
        }
    }
}

/// An error for a person: what happened, where, and what to do next. It crosses the client's socket as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Its kind.
    pub kind: ErrorKind,
    /// What happened.
    pub message: String,
    /// The file, port, folder or step; empty where there is none.
    pub place: String,
    /// What to do next.
    pub next: String,
}

impl Failure {
    /// A failure without a place.
    pub fn new(kind: ErrorKind, message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: String::new(), next: next.into() }
    }

    /// The same failure at a place.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = place.into();
        self
    }
}

impl From<cairn_core::wire::WireError> for Failure {
    fn from(error: cairn_core::wire::WireError) -> Self {
        use cairn_core::wire::ErrorCode;
        let kind = match error.code {
            ErrorCode::TimedOut => ErrorKind::TimedOut,
            ErrorCode::Disconnected => ErrorKind::NotPaired,
            ErrorCode::WrongVersion | ErrorCode::Refused => ErrorKind::NotAllowed,
            ErrorCode::Gone | ErrorCode::NoSuchLease | ErrorCode::StaleRef => ErrorKind::Page,
            ErrorCode::BadMessage | ErrorCode::Panicked | ErrorCode::Internal => ErrorKind::Internal,
        };
        let next = if error.hint.is_empty() {
            "run `cairn doctor` to see what is missing".into()
        } else {
            error.hint
        };
        Self::new(kind, error.message, next)
    }
}
