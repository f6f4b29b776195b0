//! Finds and starts Chromium, and speaks over its debugging pipe.

mod error;
mod extension;
mod find;
mod launch;
mod pipe;
mod profile;
mod rinse;

pub use error::{BrowserError, PipeError};
pub use extension::{EXTENSION_ID, extension_dir};
pub use find::{Found, find_browser};
pub use launch::{Browser, Launch};
pub use pipe::{Pipe, PipeEvent};
pub use rinse::rinse;
