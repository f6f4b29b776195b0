//! Stored element lists: the applications' page files and the public pairs, read into core's elements.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use cairn_core::element::{Element, Rect};
pub use cairn_core::ladder::pages::{Candidate, PageFile, PageStep};
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What can go wrong with the data.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file is missing or cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file does not have the expected shape.
    #[error("{path}: {source}")]
    Shape {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
}

/// The folder of the data.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("drift")
}

/// Reads a JSON file; one that ends in `.gz` is unpacked.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T, DataError> {
    let failed = |source| DataError::Read { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(failed)?;
    let mut text = String::new();
    if path.extension().is_some_and(|ending| ending == "gz") {
        GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).map_err(failed)?;
    } else {
        text = String::from_utf8_lossy(&bytes).into_owned();
    }
    serde_json::from_str(&text).map_err(|source| DataError::Shape { path: path.to_owned(), source })
}

/// The public pairs.
#[derive(Debug, Deserialize)]
pub struct PairFile {
    /// Every element of each site's newer page.
    pub pages: BTreeMap<String, Vec<PairElement>>,
    /// The pairs.
    pub pairs: Vec<Pair>,
}

/// One old element and its place on the newer page.
#[derive(Debug, Deserialize)]
pub struct Pair {
    /// The site.
    pub site: String,
    /// The element on the older page.
    pub old: PairElement,
    /// XPath of the same element on the newer page.
    pub gt: String,
    /// The recorded XPath hits something else now.
    pub broken: bool,
    /// Why the ground truth is doubtful; empty where it is not.
    pub disputed: String,
}

/// One element of the public pairs.
#[derive(Clone, Debug, Deserialize)]
pub struct PairElement {
    tag: String,
    role: String,
    name: String,
    id: String,
    nameattr: String,
    href: String,
    alt: String,
    cls: String,
    #[serde(rename = "box")]
    bounds: [f64; 4],
    /// Absolute XPath.
    pub xpath: String,
    /// XPath from the nearest ancestor with an id.
    pub idxpath: String,
    near: Vec<String>,
    /// The dataset's own idea of a button.
    #[serde(rename = "isButton")]
    pub is_button: bool,
}

impl PairElement {
    /// The element as the index lists it. The neighbour words stand for the text beside.
    pub fn element(&self) -> Element {
        Element {
            role: self.role.clone(),
            name: self.name.clone(),
            tag: self.tag.to_lowercase(),
            bounds: Rect::from(self.bounds),
            attributes: attributes(&[
                ("id", &self.id),
                ("class", &self.cls),
                ("name", &self.nameattr),
                ("href", &self.href),
                ("alt", &self.alt),
            ]),
            path: self.xpath.clone(),
            beside: cut(Some(&self.near.join(" "))),
            ..Element::default()
        }
    }
}

fn attributes(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| ((*key).to_owned(), cut_text(value)))
        .collect()
}

fn cut(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).map(cut_text)
}

/// The index keeps 200 characters of any text.
fn cut_text(text: &str) -> String {
    text.chars().take(200).collect()
}
