//! Where the built extension is, and the id that its manifest pins.

use std::env;
use std::path::{Path, PathBuf};

use super::BrowserError;

/// The extension's id. It follows from the `key` of its manifest; a test holds the two together.
pub const EXTENSION_ID: &str = "acniedilaibhpknbjmjlacdlmbmfmlak";

/// The folder to load: `CAIRN_EXTENSION`, beside the program, or in the source tree that it was built from.
///
/// # Errors
/// `NoExtension` where none of them holds a manifest.
pub fn extension_dir() -> Result<PathBuf, BrowserError> {
    if let Some(named) = env::var_os("CAIRN_EXTENSION").filter(|named| !named.is_empty()) {
        let named = PathBuf::from(named);
        return if is_extension(&named) { Ok(absolute(&named)) } else { Err(BrowserError::NoExtension) };
    }
    let beside = env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("extension")));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extension/dist");
    let candidates = beside.into_iter().chain([source]);
    candidates
        .into_iter()
        .find(|folder| is_extension(folder))
        .map(|folder| absolute(&folder))
        .ok_or(BrowserError::NoExtension)
}

fn is_extension(folder: &Path) -> bool {
    folder.join("manifest.json").is_file()
}

fn absolute(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use sha2::Digest as _;

    use super::*;

    /// A browser derives the id from the key: the first 16 bytes of its hash, each half byte as a letter from a to p.
    #[test]
    fn the_id_is_that_of_the_manifest() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extension/manifest.json");
        let manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
        let key = manifest["key"].as_str().unwrap();
        let key = base64::engine::general_purpose::STANDARD.decode(key).unwrap();
        let hash = sha2::Sha256::digest(key);
        let halves = hash.iter().take(16).flat_map(|byte| [byte >> 4, byte & 15]);
        let id: String = halves.map(|half| char::from(b'a' + half)).collect();
        assert_eq!(id, EXTENSION_ID);
    }
}
