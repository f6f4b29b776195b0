//! What the page says of the build that made it: a meta tag, a header, a JSON document, or its assets' URLs.

use cairn_core::wire::page::PageAnswer;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::number;

/// Meta tags that builds are known to write.
const USUAL: [&str; 8] =
    ["build", "build-id", "build-version", "app-version", "version", "commit", "git-commit", "revision"];

/// Answers `PageRequest::Build`. What cannot be read is absent and no error: the run then knows no identity.
pub async fn read(from: &str) -> PageAnswer {
    let value = match from.split_once(':') {
        Some(("meta", name)) => meta(name),
        Some(("header", name)) => header(name).await,
        Some(("json", place)) => json(place).await,
        _ if from.is_empty() => USUAL.iter().find_map(|name| meta(name)),
        _ => None,
    };
    let wants_assets = from.is_empty() || from == "assets";
    let assets = if value.is_none() && wants_assets { assets() } else { Vec::new() };
    PageAnswer::Build { value, assets }
}

fn document() -> Option<web_sys::Document> {
    web_sys::window()?.document()
}

/// Compared by value and not through a selector: a name from a configuration needs no escaping so.
fn meta(name: &str) -> Option<String> {
    let tags = document()?.query_selector_all("meta[name][content]").ok()?;
    (0..tags.length())
        .filter_map(|at| tags.get(at)?.dyn_into::<web_sys::Element>().ok())
        .find(|tag| tag.get_attribute("name").is_some_and(|found| found.eq_ignore_ascii_case(name)))
        .and_then(|tag| tag.get_attribute("content"))
        .filter(|value| !value.trim().is_empty())
        .map(|value| format!("meta:{name}={}", value.trim()))
}

async fn fetch(url: &str) -> Option<web_sys::Response> {
    let fetched = JsFuture::from(web_sys::window()?.fetch_with_str(url)).await.ok()?;
    fetched.dyn_into::<web_sys::Response>().ok().filter(web_sys::Response::ok)
}

/// The page's own headers cannot be seen any more: its URL is read once again.
async fn header(name: &str) -> Option<String> {
    let url = web_sys::window()?.location().href().ok()?;
    let value = fetch(&url).await?.headers().get(name).ok()??;
    Some(format!("header:{name}={value}"))
}

/// `URL#KEY`; a key may be a path: `build.id`.
async fn json(place: &str) -> Option<String> {
    let (url, key) = place.split_once('#').unwrap_or((place, "version"));
    let answer = fetch(url).await?;
    let mut value: JsValue = JsFuture::from(answer.json().ok()?).await.ok()?;
    for part in key.split('.') {
        value = js_sys::Reflect::get(&value, &JsValue::from_str(part)).ok()?;
    }
    let text = value.as_string().or_else(|| value.as_f64().map(number::text))?;
    Some(format!("json:{place}={text}"))
}

fn assets() -> Vec<String> {
    let Some(document) = document() else { return Vec::new() };
    let query = "script[src], link[rel~='stylesheet'][href], link[rel~='modulepreload'][href]";
    let Ok(tags) = document.query_selector_all(query) else { return Vec::new() };
    (0..tags.length())
        .filter_map(|at| tags.get(at)?.dyn_into::<web_sys::Element>().ok())
        .filter_map(|tag| {
            let url = tag.get_attribute("src").or_else(|| tag.get_attribute("href"))?;
            let plain = url.split(['?', '#']).next().unwrap_or_default().to_owned();
            let integrity = tag.get_attribute("integrity").filter(|value| !value.is_empty());
            Some(integrity.map_or(plain.clone(), |value| format!("{plain} {value}")))
        })
        .collect()
}
