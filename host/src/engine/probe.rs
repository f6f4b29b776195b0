//! Reads one page's index for `cairn probe`. It always gives an answer within its bounds: where the page cannot be read, an
//! empty list with the reason.

use std::time::Duration;

use cairn_core::element::Usable;
use cairn_core::wire::page::{ListOptions, Listed, Listing, PageAnswer, PageRequest};
use cairn_core::wire::{ErrorCode, WireError};
use tokio::time::{Instant, sleep};

use super::api::{ProbeRequest, ProbeResult, ProbedElement};
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

/// How long a loaded page that keeps changing is waited for.
const SETTLE_BOUND: Duration = Duration::from_millis(1500);

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
        Ok(listing) => flatten(listing),
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
async fn list(lease: &Lease, request: &ProbeRequest) -> Result<Listing, WireError> {
    let page_bound = match request.bound_ms {
        0 => LIST_BOUND,
        ms => Duration::from_millis(ms.into()),
    };
    settle(lease, page_bound).await?;
    let options = ListOptions {
        all: request.all,
        hidden: request.hidden,
        tree: request.tree,
        no_selectors: false,
        bound_ms: page_bound.as_millis() as u32,
    };
    look(lease, options, page_bound + TRANSPORT).await
}

/// Waits until the document is loaded and two looks in a row give the same list, which is not empty. A page that was left in between (a
/// redirect) is waited for anew.
async fn settle(lease: &Lease, page_bound: Duration) -> Result<(), WireError> {
    let quick =
        ListOptions { no_selectors: true, bound_ms: page_bound.as_millis() as u32, ..ListOptions::default() };
    let load_end = Instant::now() + LOAD_BOUND;
    let mut loaded_at = None;
    let mut last: Option<Vec<String>> = None;
    loop {
        let left = load_end.saturating_duration_since(Instant::now());
        // The first look waits for the load; the later ones only for the page.
        let bound = if last.is_none() { left + page_bound } else { page_bound + TRANSPORT };
        let listing = match look(lease, quick.clone(), bound).await {
            Ok(listing) => listing,
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
        let refs: Vec<String> = listing.elements.iter().map(signature).collect();
        if !listing.loading {
            let since = *loaded_at.get_or_insert_with(Instant::now);
            // An application that has yet to draw itself shows nothing twice: an empty list is not believed at once.
            let same = !refs.is_empty() && last.as_ref() == Some(&refs);
            if same || since.elapsed() > SETTLE_BOUND {
                return Ok(());
            }
        } else if Instant::now() >= load_end {
            return Ok(());
        }
        last = Some(refs);
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

async fn look(lease: &Lease, options: ListOptions, bound: Duration) -> Result<Listing, WireError> {
    match lease.ask(0, PageRequest::List(options), bound).await? {
        PageAnswer::Listing(listing) => Ok(listing),
        _ => Err(WireError::new(
            ErrorCode::BadMessage,
            "the page answered with something else than a list",
            "",
        )),
    }
}

/// The fixed form of `cairn probe --json`.
fn flatten(listing: Listing) -> ProbeResult {
    let reason =
        listing.truncated.then(|| "the list was cut: the page is too large for the bound".to_owned());
    ProbeResult {
        url: listing.url,
        title: listing.title,
        engine: listing.engine,
        elements: listing.elements.into_iter().map(element).collect(),
        took_ms: listing.took_ms,
        truncated: listing.truncated,
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
        let json = serde_json::to_value(flatten(listing)).unwrap();
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
