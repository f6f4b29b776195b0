//! One page of a real browser, seen from both sides: by the probe through a lease, and by a person who knows what is right.

use std::time::{Duration, Instant};

use cairn_core::element::Element;
use cairn_core::ladder::{Heal, resolve};
use cairn_core::script::{Action, Method, Precondition, Step, Target};
use cairn_core::snapshot::Snapshot;
use cairn_core::wire::page::{Batch, InputMode, ListOptions, PageAnswer, PageRequest};
use cairn_host::daemon::{Config, Daemon, Hub, Lease, LeaseEvents, Open};
use cairn_host::engine::rejudge::StoredPage;
use cairn_tests::tab::LOCATE;
use cairn_tests::{Chrome, Failed, Outcome, Person, Tab};
use serde_json::{Value, json};
use tokio::time::sleep;

/// Bound of one question to the probe.
const BOUND: Duration = Duration::from_secs(10);

/// How long an element may take to appear; a flow names some that a version does not have.
const PATIENCE: Duration = Duration::from_secs(4);

/// Bound of the waits of a rehearsed step.
const REHEARSED_MS: u32 = 1500;

/// A browser with the extension, connected to a host in this process.
pub struct World {
    _daemon: Daemon,
    hub: Hub,
    chrome: Chrome,
}

/// What a rehearsed step reached for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The right element.
    Right,
    /// Another one.
    Wrong,
    /// None at all.
    Nothing,
}

/// A page on the stage.
pub struct Page {
    lease: Lease,
    _events: LeaseEvents,
    person: Person,
    runs: u32,
}

impl World {
    /// Starts both.
    pub async fn make() -> Outcome<Self> {
        let hub = Hub::new();
        let config = Config { port: 0, data: None, hub: hub.clone(), handler: None };
        let failed = |failure: cairn_host::exit::Failure| Failed::because(failure.to_string());
        let daemon = Daemon::start(config).await.map_err(failed)?;
        let chrome = Chrome::start().await?;
        let tab = chrome.open(&daemon.pair_url().map_err(failed)?).await?;
        hub.connected(BOUND).await.map_err(wire)?;
        tab.close().await?;
        Ok(Self { _daemon: daemon, hub, chrome })
    }

    /// Opens a page.
    pub async fn open(&self, url: &str) -> Outcome<Page> {
        let known = self.chrome.targets().await?;
        let open = Open { url: Some(url.to_owned()), ..Open::default() };
        let (lease, events) = self.hub.open(open).await.map_err(wire)?;
        // It may have been sent elsewhere at once, to a sign-in, say.
        let origin = url.split('/').take(3).collect::<Vec<_>>().join("/");
        let tab = self.chrome.new_tab_at(&origin, &known).await?;
        tab.until("document.readyState === 'complete'").await?;
        Ok(Page { lease, _events: events, person: Person::at(tab), runs: 0 })
    }

    /// Ends the browser.
    pub async fn end(self) {
        self.chrome.stop().await;
    }
}

fn wire(error: cairn_core::wire::WireError) -> Failed {
    Failed::because(error.message)
}

/// Marks the right element in the page's own world, which no probe sees, and says where it stands.
const MARK: &str = "(locator) => { const element = locate(locator); globalThis.theRightOne = element; if (!element) return null;
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
  const parts = []; for (let at = element; at; at = at.parentElement) {
    const same = [...(at.parentElement?.children ?? [at])].filter((other) => other.localName === at.localName);
    parts.unshift(`${at.localName}[${same.indexOf(at) + 1}]`); }
  return '/' + parts.join('/'); }";

/// Lets nothing of what is done reach the page, and notes whom it was meant for. What the browser itself says of a field that
/// loses the focus is nobody's act. A list that has the wanted option already would be left alone: it has none meanwhile.
const HOLD: &str = "(() => { const seen = [], right = globalThis.theRightOne;
  const options = right instanceof HTMLSelectElement ? [...right.options].map((option) => option.selected) : null;
  if (options) right.selectedIndex = -1;
  const hold = (event) => { event.preventDefault(); event.stopImmediatePropagation();
    if (event.target instanceof Element && !event.isTrusted)
      seen.push(right === event.target || right?.contains(event.target) ? 'right' : 'wrong'); };
  const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'keydown', 'keyup', 'beforeinput', 'input', 'change', 'submit'];
  for (const kind of kinds) addEventListener(kind, hold, true);
  globalThis.letGo = () => { for (const kind of kinds) removeEventListener(kind, hold, true);
    options?.forEach((selected, at) => { right.options[at].selected = selected; }); return seen; }; })()";

/// Takes the right element out of the page, and puts it back.
const TAKE_OUT: &str = "(() => { const element = globalThis.theRightOne, place = document.createComment('');
  element.replaceWith(place); globalThis.putBack = () => place.replaceWith(element); })()";

impl Page {
    /// The page's tab.
    pub fn tab(&self) -> &Tab {
        self.person.tab()
    }

    /// The person at it.
    pub fn person(&self) -> &Person {
        &self.person
    }

    /// Marks what a locator means as the right element; gives its absolute path.
    pub async fn mark(&self, locator: &str) -> Outcome<String> {
        let began = Instant::now();
        let expression = format!("{{ {LOCATE} ({MARK})({}) }}", json!(locator));
        loop {
            if let Ok(Value::String(path)) = self.tab().evaluate_in_page(&expression).await {
                return Ok(path);
            }
            if began.elapsed() > PATIENCE {
                let url = self.tab().url().await.unwrap_or_default();
                return Err(Failed::because(format!("nothing is at {locator} in {url}")));
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Every element as the probe lists it now.
    async fn elements(&self) -> Outcome<Vec<Element>> {
        let options = ListOptions { all: true, hidden: true, bound_ms: 5000, ..ListOptions::default() };
        match self.lease.ask(0, PageRequest::List(options), BOUND).await.map_err(wire)? {
            PageAnswer::Listing(listing) => {
                Ok(listing.elements.into_iter().map(|listed| listed.element).collect())
            }
            other => Err(Failed::because(format!("a listing was expected: {other:?}"))),
        }
    }

    /// What the recorder would remember of the element at this path.
    pub async fn describe(&self, path: &str) -> Outcome<Target> {
        let unlisted = || Failed::because(format!("the probe does not list {path}"));
        // A listing names no paths: what stands there is known by the whole reading of the page.
        let snapshot = Snapshot::from_json(&self.snapshot().await?);
        let stored = StoredPage::new(snapshot.map_err(|error| Failed::because(error.to_string()))?);
        let there =
            stored.index.elements().iter().find(|element| element.path == path).ok_or_else(unlisted)?;
        // A kept page has rounded boxes.
        let near = |one: f64, other: f64| (one - other).abs() < 0.6;
        let same = |one: &&Element| {
            let (bounds, kept) = (one.bounds, there.bounds);
            one.role == there.role
                && one.name == there.name
                && near(bounds.x, kept.x)
                && near(bounds.y, kept.y)
                && near(bounds.width, kept.width)
        };
        let elements = self.elements().await?;
        let reference = elements.iter().find(same).and_then(|element| element.reference.clone());
        let reference = reference.ok_or_else(unlisted)?;
        match self.lease.ask(0, PageRequest::Describe { reference }, BOUND).await.map_err(wire)? {
            PageAnswer::Described { target, .. } => Ok(*target),
            other => Err(Failed::because(format!("a description was expected: {other:?}"))),
        }
    }

    /// Every element of the page with its absolute path, once a page that builds itself has come to rest.
    pub async fn everything(&self) -> Outcome<Vec<Element>> {
        let began = Instant::now();
        let mut before = self.all_now().await?;
        loop {
            sleep(Duration::from_millis(150)).await;
            let now = self.all_now().await?;
            if now.len() == before.len() && !now.is_empty() || began.elapsed() > PATIENCE {
                return Ok(now);
            }
            before = now;
        }
    }

    async fn all_now(&self) -> Outcome<Vec<Element>> {
        let snapshot = Snapshot::from_json(&self.snapshot().await?);
        let stored = StoredPage::new(snapshot.map_err(|error| Failed::because(error.to_string()))?);
        Ok(stored.index.elements().to_vec())
    }

    /// The whole page as the probe reads it.
    pub async fn snapshot(&self) -> Outcome<String> {
        match self.lease.ask(0, PageRequest::Snapshot, BOUND).await.map_err(wire)? {
            PageAnswer::Snapshot { json } => Ok(json),
            other => Err(Failed::because(format!("a snapshot was expected: {other:?}"))),
        }
    }

    /// What the ladder says of a target on the page as it is now, with the target: why a rehearsal went wrong.
    pub async fn verdict(&self, target: &Target) -> Outcome<String> {
        let snapshot = Snapshot::from_json(&self.snapshot().await?);
        let stored = StoredPage::new(snapshot.map_err(|error| Failed::because(error.to_string()))?);
        let verdict = resolve(target, &stored.index, &stored, Heal::Ladder);
        let picked = verdict.matched().and_then(|found| stored.index.get(found.index));
        Ok(format!("{}; of {}; picked {}", verdict.sentence(), json!(target), json!(picked)))
    }

    /// Replays one step as a run would, healing and all, while nothing of it reaches the page.
    pub async fn rehearse(&mut self, target: &Target, act: &str, value: Option<&str>) -> Outcome<Reached> {
        self.tab().evaluate_in_page(HOLD).await?;
        self.runs += 1;
        let method = match act {
            "fill" => Method::Fill,
            "select" => Method::Select,
            "press" => Method::Press,
            _ => Method::Click,
        };
        let action = Action {
            method,
            target: Some(target.clone()),
            value: value.filter(|_| method != Method::Click).map(str::to_owned),
            ..Action::default()
        };
        let precondition = Precondition { wait_for_target: true, ..Precondition::default() };
        let batch = Batch {
            run: format!("rehearsal {}", self.runs),
            first: 1,
            steps: vec![Step { action, precondition, ..Step::default() }],
            input: InputMode::Page,
            bound_ms: REHEARSED_MS,
            ..Batch::default()
        };
        let played = self.lease.ask(0, PageRequest::Play(batch), BOUND).await;
        let seen = self.tab().evaluate_in_page("letGo()").await?;
        if let Err(error) = played {
            return Err(wire(error));
        }
        let seen = seen.as_array().cloned().unwrap_or_default();
        Ok(match seen.iter().find(|one| one.is_string()) {
            None => Reached::Nothing,
            Some(_) if seen.iter().any(|one| one == "wrong") => Reached::Wrong,
            Some(_) => Reached::Right,
        })
    }

    /// The same while the right element is out of the page.
    pub async fn rehearse_without(
        &mut self,
        target: &Target,
        act: &str,
        value: Option<&str>,
    ) -> Outcome<Reached> {
        self.tab().evaluate_in_page(TAKE_OUT).await?;
        let reached = self.rehearse(target, act, value).await;
        self.tab().evaluate_in_page("putBack()").await?;
        reached
    }

    /// Ends the lease and the tab.
    pub async fn close(self) {
        self.lease.close(false).await;
    }
}
