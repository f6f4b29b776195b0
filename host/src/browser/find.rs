//! Which browser to start.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::BrowserError;

/// Names to look for on the path, best first. Chromium before branded Chrome: the latter no longer takes unpacked
/// extensions from its command line.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "google-chrome-beta",
    "google-chrome-unstable",
    "chrome",
    "microsoft-edge",
    "brave-browser",
];

/// Where macOS keeps them.
const BUNDLES: &[&str] = &[
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// A browser on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The program.
    pub program: PathBuf,
    /// It ignores `--load-extension`; the extension is loaded over the debugging pipe instead.
    pub branded: bool,
}

/// The browser to start: `CAIRN_BROWSER`, or the first of the usual names.
///
/// # Errors
/// `NoSuchProgram` where `CAIRN_BROWSER` names none, `NotFound` where there is none.
pub fn find_browser() -> Result<Found, BrowserError> {
    let path = env::var_os("PATH").unwrap_or_default();
    if let Some(named) = env::var_os("CAIRN_BROWSER").filter(|named| !named.is_empty()) {
        return named_browser(&named, &path);
    }
    let on_path = NAMES.iter().find_map(|name| on_path(OsStr::new(name), &path));
    let program = on_path.or_else(|| BUNDLES.iter().map(PathBuf::from).find(|bundle| is_program(bundle)));
    program.map(found).ok_or(BrowserError::NotFound)
}

fn named_browser(named: &OsStr, path: &OsStr) -> Result<Found, BrowserError> {
    let as_path = PathBuf::from(named);
    if as_path.components().count() > 1 {
        return if is_program(&as_path) {
            Ok(found(as_path))
        } else {
            Err(BrowserError::NoSuchProgram(as_path))
        };
    }
    on_path(named, path).map(found).ok_or(BrowserError::NoSuchProgram(as_path))
}

fn on_path(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path).map(|folder| folder.join(name)).find(|candidate| is_program(candidate))
}

fn found(program: PathBuf) -> Found {
    let name = program.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let branded = name.contains("chrome") || name.contains("edge");
    Found { program, branded }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_browser_must_be_a_program() {
        let missing = named_browser(OsStr::new("/nowhere/chromium"), OsStr::new("/bin"));
        assert!(matches!(missing, Err(BrowserError::NoSuchProgram(_))));
        let on_path = named_browser(OsStr::new("sh"), OsStr::new("/nowhere:/bin:/usr/bin")).unwrap();
        assert!(on_path.program.ends_with("sh"));
    }

    #[test]
    fn branded_browsers_are_told_by_name() {
        assert!(found("/usr/bin/google-chrome".into()).branded);
        assert!(!found("/usr/bin/chromium".into()).branded);
    }
}
