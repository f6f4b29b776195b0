//! A folder and a stage for one test.

use cairn_tests::Stage;
use tempfile::TempDir;

/// A stage in a folder of its own. What lies there goes with it.
pub struct Scratch {
    /// The stage.
    pub stage: Stage,
    /// Its folder, dropped last.
    pub folder: TempDir,
}

impl Scratch {
    /// Sets it.
    pub async fn set() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stage = Stage::set(folder.path()).await.unwrap();
        Self { stage, folder }
    }
}
