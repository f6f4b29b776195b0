//! The build's identity: the caller's word, what the page says of itself, or its content-hashed assets.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cairn_core::wire::page::{PageAnswer, PageRequest};
use sha2::{Digest, Sha256};
use tokio::time::Duration;

use super::tab::Tab;

/// How long the page may take to say it.
const BOUND: Duration = Duration::from_secs(5);

/// Where the identity of a recorded build was read, so that a run reads it in the same place. Empty: not known, look in
/// the usual places. `None`: the caller said it, and only the caller can say it again.
pub fn source_of(recorded: &str) -> Option<String> {
    if recorded.starts_with("sha256:") {
        return Some("assets".into());
    }
    let (kind, rest) = recorded.split_once(':')?;
    let (place, _value) = rest.rsplit_once('=')?;
    matches!(kind, "meta" | "header" | "json").then(|| format!("{kind}:{place}"))
}

/// The identity of the build behind the page that is open now. `None` where there is none to be had.
pub async fn live<T: Tab>(tab: &T, document: u32, from: &str) -> Option<String> {
    let request = PageRequest::Build { from: from.to_owned() };
    match tab.ask(document, request, BOUND).await {
        Ok(PageAnswer::Build { value: Some(value), .. }) => Some(value),
        Ok(PageAnswer::Build { value: None, assets }) => of_assets(&assets),
        Ok(_) => None,
        Err(error) => {
            tracing::debug!("the build's identity: {error}");
            None
        }
    }
}

/// A hash over the assets whose URL or integrity changes with their content; the others say nothing.
fn of_assets(assets: &[String]) -> Option<String> {
    let telling: BTreeSet<&str> =
        assets.iter().map(String::as_str).filter(|asset| asset.contains(' ') || is_hashed(asset)).collect();
    if telling.is_empty() {
        return None;
    }
    let mut hash = Sha256::new();
    for asset in telling {
        hash.update(asset.as_bytes());
        hash.update(b"\n");
    }
    let mut identity = "sha256:".to_owned();
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(identity, "{byte:02x}");
    }
    Some(identity)
}

/// `main.3f2a9c1b.js`, `index-BxY2k3aZ.js`; not `jquery-3.7.1.min.js`, `RecordPlayer.js`.
fn is_hashed(url: &str) -> bool {
    let name = url.rsplit('/').next().unwrap_or(url);
    let mut parts: Vec<&str> = name.split(['.', '-', '_', '~']).collect();
    // The ending says nothing.
    parts.pop();
    parts.into_iter().any(is_hash)
}

fn is_hash(part: &str) -> bool {
    if !(8..=64).contains(&part.len()) || !part.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let hex = part.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hex {
        // A date such as 20240131 is hex too, and changes with the build as a hash does.
        return digits > 0;
    }
    let inner_capital = part.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    let lower = part.bytes().any(|byte| byte.is_ascii_lowercase());
    (inner_capital && lower && !is_camel_case(part)) || digits >= 3
}

/// Words put together, `RecordPlayer`: every capital is followed by two small letters.
fn is_camel_case(part: &str) -> bool {
    let bytes = part.as_bytes();
    (0..bytes.len()).filter(|at| bytes[*at].is_ascii_uppercase()).all(|at| {
        bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
            && bytes.get(at + 2).is_some_and(u8::is_ascii_lowercase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("/assets/main.3f2a9c1b.js", true)]
    #[case("/assets/index-BxY2k3aZ.js", true)]
    #[case("/static/js/2.8f9e1a2b.chunk.js", true)]
    #[case("/app.js", false)]
    #[case("/jquery-3.7.1.min.js", false)]
    #[case("/bootstrap5.js", false)]
    #[case("/RecordPlayer.js", false)]
    #[case("/stylesheet.css", false)]
    fn content_hashes_are_told_from_words(#[case] url: &str, #[case] hashed: bool) {
        assert_eq!(is_hashed(url), hashed);
    }

    #[test]
    fn the_identity_is_that_of_the_telling_assets_in_any_order() {
        let of =
            |assets: &[&str]| of_assets(&assets.iter().map(|asset| (*asset).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["/app.js", "/app.css"]), None);
        assert_eq!(of(&["/a.3f2a9c1b.js", "/app.js"]), of(&["/a.3f2a9c1b.js"]));
        assert_eq!(of(&["/a.3f2a9c1b.js", "/b.11111111.js"]), of(&["/b.11111111.js", "/a.3f2a9c1b.js"]));
        assert_ne!(of(&["/a.js sha384-x"]), of(&["/a.js sha384-y"]));
    }

    #[rstest]
    #[case("sha256:00", Some("assets"))]
    #[case("meta:build=17", Some("meta:build"))]
    #[case("json:/v.json#id=9", Some("json:/v.json#id"))]
    #[case("release-17", None)]
    fn a_recorded_identity_says_where_it_was_read(#[case] recorded: &str, #[case] source: Option<&str>) {
        assert_eq!(source_of(recorded).as_deref(), source);
    }
}
