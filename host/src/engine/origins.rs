//! The origins that a run may visit: the script's `Origins`, else the start page's site and what the script names.

use std::collections::{BTreeMap, BTreeSet};

use cairn_core::script::Script;
use cairn_core::wire::page::InputValue;
use cairn_core::{url_pattern, value};
use url::Url;

use super::replay::{Conductor, End, Fault};
use super::tab::{Tab, TabEvents};
use crate::daemon::LeaseEvent;
use crate::exit::{ErrorKind, Failure};

/// What a run may visit.
#[derive(Clone, Debug, PartialEq)]
pub struct Origins {
    allowed: Vec<Allowed>,
    inputs: BTreeMap<String, InputValue>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Allowed {
    /// The head of a URL pattern: `https://*.shop.example`, `http://127.0.0.1:4200`.
    Like(String),
    /// Everything below a registrable domain, with this scheme.
    Site { scheme: String, domain: String },
    /// Files of this machine.
    Files,
    /// A pattern without a host: the script may go anywhere.
    Anywhere,
}

impl Default for Origins {
    /// No bounds.
    fn default() -> Self {
        Self { allowed: vec![Allowed::Anywhere], inputs: BTreeMap::new() }
    }
}

impl Origins {
    /// Of a script that starts at `start`.
    ///
    /// # Errors
    /// `BadFile` where the script starts at what it may not visit.
    pub fn of(script: &Script, start: &str, inputs: &BTreeMap<String, InputValue>) -> Result<Self, Failure> {
        let declared = !script.origins.is_empty();
        let allowed = if declared {
            script.origins.iter().map(|origin| like(origin)).collect()
        } else {
            site(start).into_iter().chain(named(script).map(like)).collect()
        };
        let origins = Self { allowed, inputs: inputs.clone() };
        if declared && !origins.allow(start) {
            let message = format!("the script starts at {start}, which its Origins do not name");
            return Err(Failure::new(ErrorKind::BadFile, message, "add that origin to Origins"));
        }
        Ok(origins)
    }

    /// May a run be there?
    pub fn allow(&self, url: &str) -> bool {
        let Ok(parsed) = Url::parse(url) else { return url.is_empty() };
        let scheme = parsed.scheme();
        // What has no server: an empty page, the browser's own page for a failed load, a page's own blob.
        if matches!(scheme, "about" | "chrome-error") {
            return true;
        }
        if scheme == "blob" {
            return self.allow(url.trim_start_matches("blob:"));
        }
        let origin = origin_of(&parsed);
        self.allowed.iter().any(|allowed| match allowed {
            Allowed::Anywhere => true,
            Allowed::Files => scheme == "file",
            Allowed::Like(pattern) => url_pattern::matches(pattern, &origin, &self.inputs),
            Allowed::Site { scheme: own, domain } => {
                scheme == own
                    && parsed.host_str().is_some_and(|host| {
                        host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
                    })
            }
        })
    }

    /// The list in words.
    fn words(&self) -> String {
        let mut words: Vec<String> = self
            .allowed
            .iter()
            .map(|allowed| match allowed {
                Allowed::Like(pattern) => pattern.clone(),
                Allowed::Site { scheme, domain } => format!("{scheme}://{domain} and what is below it"),
                Allowed::Files => "files".into(),
                Allowed::Anywhere => "anywhere".into(),
            })
            .collect();
        words.sort();
        words.dedup();
        words.join(", ")
    }

    /// Why a run may not be at `url`, where it may not.
    pub fn fault(&self, step: Option<u32>, url: &str) -> Option<Fault> {
        if self.allow(url) {
            return None;
        }
        Some(Fault {
            step,
            condition: "origin",
            expected: format!("a page of {}", self.words()),
            observed: url.to_owned(),
            hint: "if the run belongs there, add the origin to the script's Origins".into(),
        })
    }
}

/// The origin of a page that a server gave; `None` for others.
pub(super) fn origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| origin_of(&url))
}

/// The `Origins` of a recording that was somewhere its script does not name: a page that only passes on to the next one
/// leaves no step behind. Empty where the default allows all of it.
pub(super) fn beyond(script: &Script, visited: &BTreeSet<String>) -> Vec<String> {
    // A start page with an input in its host is bound by what is visited alone.
    let Ok(default) = Origins::of(script, script.start(), &BTreeMap::new()) else { return Vec::new() };
    let beyond: Vec<&String> = visited.iter().filter(|origin| !default.allow(origin)).collect();
    if beyond.is_empty() || default.allowed.contains(&Allowed::Anywhere) {
        return Vec::new();
    }
    let mut listed: BTreeSet<String> = visited.clone();
    for allowed in default.allowed {
        match allowed {
            Allowed::Like(pattern) => {
                listed.insert(pattern);
            }
            Allowed::Site { scheme, domain } => {
                listed.extend([format!("{scheme}://{domain}"), format!("{scheme}://*.{domain}")]);
            }
            Allowed::Files | Allowed::Anywhere => {}
        }
    }
    listed.into_iter().collect()
}

/// `https://host:port` without a default port.
fn origin_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
        None => format!("{}://{host}", url.scheme()),
    }
}

/// The start page's site. An address or a lone name has no site beyond itself; its ports are different servers of one
/// machine, and stay apart.
fn site(start: &str) -> Option<Allowed> {
    let url = Url::parse(start).ok()?;
    if url.scheme() == "file" {
        return Some(Allowed::Files);
    }
    let domain = match url.host()? {
        url::Host::Domain(host) => psl::domain_str(host).filter(|_| host.contains('.')),
        url::Host::Ipv4(_) | url::Host::Ipv6(_) => None,
    };
    Some(match domain {
        Some(domain) => Allowed::Site { scheme: url.scheme().to_owned(), domain: domain.to_owned() },
        None => Allowed::Like(value::escape(&origin_of(&url))),
    })
}

/// Every URL and pattern that the script holds.
fn named(script: &Script) -> impl Iterator<Item = &str> {
    let steps = script.steps.iter().flat_map(|step| {
        let goto = step.action.target.is_none().then_some(step.action.value.as_deref()).flatten();
        let (before, after) = (&step.precondition.url_pattern, &step.postcondition.url_pattern);
        [
            Some(step.url_before.as_str()),
            goto,
            before.as_deref(),
            after.as_deref(),
            step.effect.url_after.as_deref(),
        ]
    });
    let goal = script.goal_postconditions.iter().map(|condition| condition.url_pattern.as_deref());
    steps.chain(goal).flatten().filter(|text| text.contains("://") || text.starts_with('*'))
}

/// The head of a URL or pattern, up to its path. A bare host stands for https and http.
fn like(text: &str) -> Allowed {
    let text = text.trim();
    let Some((scheme, rest)) = text.split_once("://") else {
        return if text.starts_with('*') && !text.contains('.') {
            Allowed::Anywhere
        } else {
            Allowed::Like(format!("*://{}", text.trim_end_matches('/')))
        };
    };
    if scheme == "file" {
        return Allowed::Files;
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host == "**" || host.is_empty() {
        return Allowed::Anywhere;
    }
    let host = match scheme {
        "http" => host.strip_suffix(":80").unwrap_or(host),
        "https" => host.strip_suffix(":443").unwrap_or(host),
        _ => host,
    };
    // The name of an input keeps its letters.
    let host = if host.contains('%') { host.to_owned() } else { host.to_ascii_lowercase() };
    Allowed::Like(format!("{scheme}://{host}"))
}

impl<T: Tab, E: TabEvents> Conductor<'_, T, E> {
    /// The end of a run whose tab went where it may not be: no step is ever sent to that page.
    pub(super) fn strayed(&self, event: Option<&LeaseEvent>) -> Option<End> {
        let (LeaseEvent::Ready { frame: 0, url, .. } | LeaseEvent::Committed { frame: 0, url, .. }) = event?
        else {
            return None;
        };
        let step = self.acted.as_ref().map(|acted| acted.number).or_else(|| self.next.checked_sub(1));
        let fault = self.plan.origins.fault(step.filter(|step| *step > 0), url)?;
        Some(End::Failed(Box::new(fault)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::script::{Action, Method, Step};
    use rstest::rstest;

    fn script(origins: &[&str]) -> Script {
        let goto = Action {
            method: Method::Goto,
            value: Some("https://%tenant%.cdn.example/x".into()),
            ..Action::default()
        };
        let step =
            Step { url_before: "https://id.example.org/login".into(), action: goto, ..Step::default() };
        Script {
            origins: origins.iter().map(|one| (*one).to_owned()).collect(),
            steps: vec![step],
            ..Script::default()
        }
    }

    fn of(origins: &[&str], start: &str) -> Origins {
        let tenant = InputValue { value: "acme".into(), secret: false };
        Origins::of(&script(origins), start, &[("tenant".to_owned(), tenant)].into()).unwrap()
    }

    #[rstest]
    #[case("https://shop.example.com/", true)]
    #[case("https://example.com/", true)]
    #[case("https://deep.er.example.com:8443/", true)]
    #[case("http://shop.example.com/", false)]
    #[case("https://notexample.com/", false)]
    #[case("https://example.com.evil.test/", false)]
    #[case("https://example.com@evil.test/", false)]
    #[case("https://id.example.org/u/login", true)]
    #[case("https://other.example.org/", false)]
    #[case("https://acme.cdn.example/", true)]
    #[case("https://umbrella.cdn.example/", false)]
    #[case("about:blank", true)]
    #[case("blob:https://example.com/1", true)]
    #[case("data:text/html,hello", false)]
    #[case("file:///etc/passwd", false)]
    fn by_default_the_site_and_what_is_named(#[case] url: &str, #[case] allowed: bool) {
        assert_eq!(of(&[], "https://shop.example.com/cart").allow(url), allowed, "{url}");
    }

    #[rstest]
    #[case("https://shop.example.com/x", true)]
    #[case("https://example.com/", false)]
    #[case("https://id.example.org/u/login", false)]
    #[case("https://a.pay.example/", true)]
    #[case("https://pay.example/", false)]
    #[case("http://127.0.0.1:4200/x", true)]
    #[case("http://127.0.0.1:4201/x", false)]
    fn declared_origins_are_all_there_is(#[case] url: &str, #[case] allowed: bool) {
        let origins = of(
            &["https://shop.example.com:443/", "https://*.pay.example", "http://127.0.0.1:4200"],
            "https://shop.example.com/",
        );
        assert_eq!(origins.allow(url), allowed, "{url}");
    }

    #[test]
    fn the_ports_of_one_machine_are_different_servers() {
        let origins = of(&[], "http://127.0.0.1:4200/");
        assert!(origins.allow("http://127.0.0.1:4200/deep"));
        assert!(!origins.allow("http://127.0.0.1:4201/"));
        assert!(!of(&[], "http://localhost:3000/").allow("http://localhost:3001/"));
    }

    #[test]
    fn a_recording_names_what_it_only_passed_through() {
        let mut script = script(&[]);
        script.start_url = "https://shop.example.com/".into();
        let visited = |origins: &[&str]| origins.iter().map(|origin| (*origin).to_owned()).collect();
        assert!(
            beyond(&script, &visited(&["https://shop.example.com", "https://id.example.org"])).is_empty()
        );
        let listed = beyond(&script, &visited(&["https://shop.example.com", "https://hop.example.net"]));
        let bounded = Script { origins: listed, ..script };
        let origins = of(&[], "https://shop.example.com/");
        let recorded = Origins::of(&bounded, "https://shop.example.com/", &origins.inputs).unwrap();
        assert!(recorded.allow("https://hop.example.net/x"));
        for url in ["https://other.example.com/", "https://id.example.org/", "https://acme.cdn.example/"] {
            assert!(recorded.allow(url), "{url}");
        }
        assert!(!recorded.allow("https://evil.test/"));
    }

    #[test]
    fn a_start_outside_is_the_files_fault() {
        let failure = Origins::of(&script(&["https://a.example"]), "https://b.example/", &BTreeMap::new());
        assert_eq!(failure.unwrap_err().kind, ErrorKind::BadFile);
    }
}
