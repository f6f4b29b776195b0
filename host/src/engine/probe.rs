//! Reads one page's index, its frames' included, for `cairn probe`. It always gives an answer within its bounds: where the page cannot be read, an
//! empty list with the reason.

use std::time::Duration;

use cairn_core::element::Usable;
use cairn_core::wire::page::{ListOptions, Listed, Selectors};
use cairn_core::wire::{ErrorCode, WireError};
use tokio::time::{Instant, sleep};

use super::api::{ProbeRequest, ProbeResult, ProbedElement};
use super::whole::{Silent, Whole, look};
use crate::daemon::{Hub, Lease, Open};

/// Bound of the page's load. A page that never finishes is listed as it is then.
const LOAD_BOUND: Duration = Duration::from_secs(15);

/// Default bound of the listing itself.
const LIST_BOUND: Duration = Duration::from_secs(2);

/// What the way to the page and back may take beyond the page's own bound.
const TRANSPORT: Duration = Duration::from_millis(500);

/// Pause between two looks at a page that is still changing.
const PAUSE: Duration = Duration::from_millis(80);

/// How long a failed load may take to be replaced by another one.
const REPLACED_BOUND: Duration = Duration::from_millis(600);

/// How long a loaded page that keeps changing, or a frame of it that is not there yet, is waited for.
const SETTLE_BOUND: Duration = Duration::from_millis(1500);

/// A page that stays the same for so long is taken though it is still loading: a picture, a frame, whose server is silent.
const STILL_BOUND: Duration = Duration::from_secs(3);

/// Lists a page in the browser of `hub`.
///
/// # Errors
/// Only where no tab could be opened: `Disconnected`, `Refused`, `TimedOut`.
pub async fn probe(hub: &Hub, request: &ProbeRequest) -> Result<ProbeResult, WireError> {
    let open = Open {
        url: Some(request.url.clone()),
        at_url: request.at_url.then(|| request.url.clone()),
        engine: request.engine,
        viewport: request.viewport,
        ..Open::default()
    };
    let (lease, _) = hub.open(open).await?;
    let result = match list(&lease, request).await {
        Ok(whole) => flatten(whole),
        Err(error) => ProbeResult {
            url: lease.url().filter(|url| !url.is_empty()).unwrap_or_else(|| request.url.clone()),
            reason: Some(reason(&error)),
            ..ProbeResult::default()
        },
    };
    let keep_tab = lease.is_adopted();
    lease.close(keep_tab).await;
    Ok(result)
}

/// Waits until the page is there, then reads it.
async fn list(lease: &Lease, request: &ProbeRequest) -> Result<Whole, WireError> {
    let page_bound = match request.bound_ms {
        0 => LIST_BOUND,
        ms => Duration::from_millis(ms.into()),
    };
    let silent = Silent::default();
    settle(lease, page_bound, &silent).await?;
    let options = ListOptions {
        all: request.all,
        hidden: request.hidden,
        tree: request.tree,
        selectors: request.selectors,
        bound_ms: page_bound.as_millis() as u32,
    };
    let bound = page_bound + TRANSPORT;
    look(lease, &options, bound, bound, &silent).await
}

/// Waits until the document is loaded and two looks in a row give the same list, which is not empty. A page that was left in between (a
/// redirect) is waited for anew.
async fn settle(lease: &Lease, page_bound: Duration, silent: &Silent) -> Result<(), WireError> {
    let bound_ms = page_bound.as_millis() as u32;
    let quick = ListOptions { selectors: Selectors::None, bound_ms, ..ListOptions::default() };
    let load_end = Instant::now() + LOAD_BOUND;
    let mut loaded_at = None;
    let mut last: Option<(Vec<String>, Instant)> = None;
    loop {
        let left = load_end.saturating_duration_since(Instant::now());
        // The first look waits for the load; the later ones only for the page.
        let first = if last.is_none() { left + page_bound } else { page_bound + TRANSPORT };
        let whole = match look(lease, &quick, first, page_bound + TRANSPORT, silent).await {
            Ok(whole) => whole,
            Err(error) if error.code == ErrorCode::Gone && Instant::now() < load_end => {
                // Left for another page, or given up by the browser: then nothing else comes.
                if let Some(failure) = lasting_failure(lease).await {
                    return Err(failure);
                }
                last = None;
                sleep(PAUSE).await;
                continue;
            }
            Err(error) => return Err(error),
        };
        let refs: Vec<String> = whole.listing.elements.iter().map(signature).collect();
        // An application that has yet to draw itself shows nothing twice: an empty list is not believed at once.
        let since =
            last.take().filter(|(known, _)| !refs.is_empty() && *known == refs).map(|(_, since)| since);
        if !whole.listing.loading {
            let loaded = *loaded_at.get_or_insert_with(Instant::now);
            if since.is_some() && whole.missing.is_empty() || loaded.elapsed() > SETTLE_BOUND {
                return Ok(());
            }
        } else if Instant::now() >= load_end || since.is_some_and(|since| since.elapsed() > STILL_BOUND) {
            return Ok(());
        }
        last = Some((refs, since.unwrap_or_else(Instant::now)));
        sleep(PAUSE).await;
    }
}

/// Why the page failed, unless another one comes in its place at once: a load that is replaced by the next one is reported
/// as failed, too.
async fn lasting_failure(lease: &Lease) -> Option<WireError> {
    let end = Instant::now() + REPLACED_BOUND;
    loop {
        let failure = lease.failure()?;
        if Instant::now() >= end {
            return Some(failure);
        }
        sleep(PAUSE).await;
    }
}

fn signature(listed: &Listed) -> String {
    let element = &listed.element;
    let reference = element.reference.as_ref().map_or("", |reference| reference.0.as_str());
    format!("{reference} {} {}", element.role, element.name)
}

/// The fixed form of `cairn probe --json`.
fn flatten(whole: Whole) -> ProbeResult {
    let Whole { listing, missing } = whole;
    let reason =
        listing.truncated.then(|| "the list was cut: the page is too large for the bound".to_owned());
    ProbeResult {
        url: listing.url,
        title: listing.title,
        engine: listing.engine,
        elements: listing.elements.into_iter().map(element).collect(),
        took_ms: listing.took_ms,
        truncated: listing.truncated,
        missing,
        reason,
    }
}

fn element(listed: Listed) -> ProbedElement {
    let Listed { index, element, selector } = listed;
    ProbedElement {
        index,
        reference: element.reference.map(|reference| reference.0).unwrap_or_default(),
        role: element.role,
        name: element.name,
        scope: element.scope.map(|scope| scope.label),
        frame: element.frame,
        bounds: element.bounds,
        states: element.states,
        selector,
        unusable: unusable(&element.usable),
        affordance: element.affordance,
    }
}

fn unusable(usable: &Usable) -> Option<String> {
    match usable {
        Usable::Yes | Usable::Unknown => None,
        Usable::Covered { by } => Some(format!("covered by {by}")),
        Usable::Inert => Some("inert".into()),
        Usable::Disabled => Some("disabled".into()),
        Usable::Hidden => Some("hidden".into()),
    }
}

fn reason(error: &WireError) -> String {
    if error.hint.is_empty() { error.message.clone() } else { format!("{}; {}", error.message, error.hint) }
}

#[cfg(test)]
mod tests {
    use cairn_core::element::{Element, Rect, Ref, Scope};
    use cairn_core::wire::page::Listing;

    use super::*;

    #[test]
    fn the_fixed_form() {
        let element = Element {
            reference: Some(Ref("1e2".into())),
            role: "button".into(),
            name: "Save".into(),
            scope: Some(Scope { label: "form:Profile".into(), weak: false }),
            bounds: Rect { x: 1.0, y: 2.0, width: 3.0, height: 4.5 },
            usable: Usable::Covered { by: "dialog".into() },
            ..Element::default()
        };
        let listed = Listed { index: 0, element, selector: Some("id=save".into()) };
        let listing = Listing { elements: vec![listed], engine: "wasm".into(), ..Listing::default() };
        let whole = Whole { listing, ..Whole::default() };
        let json = serde_json::to_value(flatten(whole)).unwrap();
        assert_eq!(
            json["elements"][0],
            serde_json::json!({
                "index": 0, "ref": "1e2", "role": "button", "name": "Save", "scope": "form:Profile", "frame": [],
                "box": [1.0, 2.0, 3.0, 4.5], "states": {}, "selector": "id=save", "unusable": "covered by dialog"
            })
        );
        let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["url", "title", "engine", "elements", "tookMs"]);
    }
}
