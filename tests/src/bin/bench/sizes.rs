//! Sizes of the two builds of the probe.

use std::fs;

use cairn_tests::{Failed, Outcome, pages};

use super::report::Report;

/// File of `extension/dist`, what it is, and its bar in KB.
const FILES: [(&str, &str, f64); 2] =
    [("probe_bg.wasm", "the probe as WASM", 400.0), ("probe_twin.js", "its twin as a plain script", 1536.0)];

/// Measures the built files.
pub fn measure(report: &mut Report) -> Outcome<()> {
    let dist = pages::tests_folder().join("../extension/dist");
    for (file, what, bar) in FILES {
        let path = dist.join(file);
        let size = fs::metadata(&path).map_err(Failed::io(format!("measuring {}", path.display())))?.len();
        report.at_most(what, size as f64 / 1024.0, bar, "KB");
    }
    Ok(())
}
