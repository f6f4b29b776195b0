//! `cairn extension`: where the built extension is, and how a person's own browser gets it.

use std::fs;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use serde_json::json;

use super::Context;
use crate::browser::{EXTENSION_ID, extension_dir};
use crate::exit::{ErrorKind, Exit, Failure};

/// Finds or installs the browser extension
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Print the folder of the built extension
    Path,
    /// Copy it to a folder that stays, and say how to load it
    Install {
        /// The folder [default: in this user's data folder]
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
}

pub(super) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let built = extension_dir()?;
    match args.verb {
        Verb::Path => {
            if context.output.is_json() {
                context.output.data(&json!({"path": built, "id": EXTENSION_ID}));
            } else {
                context.output.line(&built.display().to_string());
            }
        }
        Verb::Install { to } => {
            let folder = to.map_or_else(default_folder, Ok)?;
            replace(&built, &folder).map_err(|error| {
                let next = "choose another folder with --to";
                Failure::new(ErrorKind::DataFolder, format!("the extension cannot be copied: {error}"), next)
                    .at(folder.display().to_string())
            })?;
            if context.output.is_json() {
                context.output.data(&json!({"path": folder, "id": EXTENSION_ID}));
            } else {
                context.output.line(&folder.display().to_string());
                context.output.note(
                    "In the browser: open chrome://extensions, switch on Developer mode (top right), press \"Load \
                     unpacked\" and choose this folder.\nThen run `cairn serve` and open its pairUrl there.",
                );
            }
        }
    }
    Ok(Exit::Success)
}

fn default_folder() -> Result<PathBuf, Failure> {
    let dirs = ProjectDirs::from("", "", "cairn").ok_or_else(|| {
        Failure::new(
            ErrorKind::DataFolder,
            "this user has no home folder (HOME is not set)",
            "name a folder with --to",
        )
    })?;
    Ok(dirs.data_dir().join("extension"))
}

/// Copies the folder beside its place first, so that a browser never sees half of it.
fn replace(from: &Path, to: &Path) -> std::io::Result<()> {
    let to = std::path::absolute(to)?;
    let parent = to.parent().ok_or_else(|| std::io::Error::other("the root cannot be replaced"))?;
    if to.exists() && !to.join("manifest.json").is_file() && fs::read_dir(&to)?.next().is_some() {
        return Err(std::io::Error::other("the folder holds something else"));
    }
    fs::create_dir_all(parent)?;
    let fresh = tempfile::Builder::new().prefix(".cairn-extension-").tempdir_in(parent)?;
    copy(from, fresh.path())?;
    if to.exists() {
        fs::remove_dir_all(&to)?;
    }
    let fresh = fresh.keep();
    fs::rename(&fresh, &to)?;
    make_readable(&to)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn make_readable(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_readable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_extension_is_replaced_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let (built, to) = (folder.path().join("built"), folder.path().join("to"));
        fs::create_dir_all(built.join("icons")).unwrap();
        fs::write(built.join("manifest.json"), "1").unwrap();
        fs::write(built.join("icons/16.png"), "").unwrap();
        replace(&built, &to).unwrap();
        fs::write(built.join("manifest.json"), "2").unwrap();
        fs::remove_file(built.join("icons/16.png")).unwrap();
        replace(&built, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("manifest.json")).unwrap(), "2");
        assert!(!to.join("icons/16.png").exists());

        let other = folder.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("letter.txt"), "dear").unwrap();
        assert!(replace(&built, &other).is_err());
        assert!(other.join("letter.txt").exists());
    }
}
