//! Files that a script gives to a page: a script holds their names alone, a folder of the caller's holds them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use cairn_core::script::{Method, Script, Step};
use cairn_core::value;
use cairn_core::wire::page::InputValue;

use crate::exit::{ErrorKind, Failure};

/// All files of one run together, in bytes: they cross the socket in one frame.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// What every upload step of the script gives, as base64 by name. A name is looked for in `folders`, in order.
///
/// # Errors
/// `BadInput` where a file is missing, or is no plain name, or all are too large.
pub(super) fn read(
    script: &Script,
    folders: &[PathBuf],
    inputs: &BTreeMap<String, InputValue>,
) -> Result<BTreeMap<String, String>, Failure> {
    let mut files = BTreeMap::new();
    let mut bytes = 0;
    for (number, step) in (1..).zip(&script.steps).filter(|(_, step)| step.action.method == Method::Upload) {
        for name in names(step, inputs)? {
            let content = find(&name, folders).map_err(|why| missing(number, &name, &why, folders))?;
            bytes += content.len();
            if bytes > MOST_BYTES {
                return Err(Failure::new(
                    ErrorKind::BadInput,
                    format!(
                        "step {number}: the files to upload are larger than {} MB together",
                        MOST_BYTES >> 20
                    ),
                    "use smaller fixtures",
                ));
            }
            files.insert(name, base64::engine::general_purpose::STANDARD.encode(content));
        }
    }
    Ok(files)
}

/// The names that an upload step gives.
fn names(step: &Step, inputs: &BTreeMap<String, InputValue>) -> Result<Vec<String>, Failure> {
    let text = step.action.value.as_deref().unwrap_or_default();
    let text = value::expand(text, inputs)
        .map_err(|error| Failure::new(ErrorKind::BadInput, error.to_string(), "declare it under Inputs"))?;
    Ok(text.lines().filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// A name may be an input's: it can then be a path, as its giver wrote it.
fn find(name: &str, folders: &[PathBuf]) -> Result<Vec<u8>, String> {
    let path = Path::new(name);
    if path.is_absolute() {
        return std::fs::read(path).map_err(|error| error.to_string());
    }
    let found = folders.iter().map(|folder| folder.join(path)).find(|path| path.is_file());
    match found {
        Some(path) => std::fs::read(path).map_err(|error| error.to_string()),
        None => Err("it is in none of the folders for fixtures".to_owned()),
    }
}

fn missing(number: u32, name: &str, why: &str, folders: &[PathBuf]) -> Failure {
    let looked = folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ");
    Failure::new(
        ErrorKind::BadInput,
        format!("step {number} uploads {name:?}, and that file cannot be read: {why} (looked in {looked})"),
        "put it into a folder `fixtures` beside the script, or name its folder with --fixtures",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::Action;

    fn upload(names: &str) -> Script {
        let action = Action { method: Method::Upload, value: Some(names.into()), ..Action::default() };
        Script { steps: vec![Step { action, ..Step::default() }], ..Script::default() }
    }

    #[test]
    fn files_are_found_by_name_and_missed_with_their_step() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), "abc").unwrap();
        let folders = [folder.path().to_path_buf()];
        let files = read(&upload("a.txt"), &folders, &BTreeMap::new()).unwrap();
        assert_eq!(files["a.txt"], "YWJj");
        let failure = read(&upload("a.txt\nb.txt"), &folders, &BTreeMap::new()).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::BadInput);
        assert!(failure.message.contains("step 1 uploads \"b.txt\""), "{}", failure.message);
    }
}
