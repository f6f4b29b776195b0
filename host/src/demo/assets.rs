//! The pages of `www/demo`, carried inside the binary so that the demo needs no folder beside it.

use super::Build;

/// A file of the application.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its path below `www/demo`.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Asset {
    /// Its media type.
    pub fn media_type(&self) -> &'static str {
        match self.path.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            _ => "text/javascript; charset=utf-8",
        }
    }
}

macro_rules! assets {
    ($($path:literal),* $(,)?) => {
        &[$(Asset { path: $path, text: include_str!(concat!("../../../www/demo/", $path)) }),*]
    };
}

const ASSETS: &[Asset] = assets![
    "shared/api.js",
    "shared/dom.js",
    "shared/journal.js",
    "shared/router.js",
    "shared/terms.js",
    "shared/words.js",
    "v1/booking-form.js",
    "v1/confirm-dialog.js",
    "v1/equipment-list.js",
    "v1/frame.js",
    "v1/index.html",
    "v1/launcher.js",
    "v1/main.js",
    "v1/pages.js",
    "v1/sign-in.js",
    "v1/style.css",
    "v1/terms.html",
    "v2/access.js",
    "v2/confirm-sheet.js",
    "v2/done.js",
    "v2/home.js",
    "v2/index.html",
    "v2/inventory.js",
    "v2/main.js",
    "v2/request-form.js",
    "v2/shell.js",
    "v2/terms.html",
    "v2/theme.css",
    "v3/confirm-dialog.js",
    "v3/index.html",
    "v3/main.js",
    "v3/terms.html",
];

/// The file at this path below `www/demo`.
pub fn find(path: &str) -> Option<Asset> {
    ASSETS.iter().find(|asset| asset.path == path).copied()
}

/// A page of a build: `index.html` or `terms.html`.
pub fn page(build: Build, name: &str) -> Option<Asset> {
    find(&format!("{build}/{name}"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_the_application_is_carried() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/demo");
        let mut on_disk = Vec::new();
        for folder in std::fs::read_dir(&root).unwrap() {
            let folder = folder.unwrap();
            for file in std::fs::read_dir(folder.path()).unwrap() {
                let name = file.unwrap().file_name();
                on_disk.push(format!("{}/{}", folder.file_name().to_string_lossy(), name.to_string_lossy()));
            }
        }
        on_disk.sort();
        let carried: Vec<&str> = ASSETS.iter().map(|asset| asset.path).collect();
        assert_eq!(carried, on_disk);
    }
}
