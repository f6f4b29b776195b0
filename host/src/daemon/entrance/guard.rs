//! Who may connect. The only file that decides it: one pure function over what a request carries.
//!
//! Pages get nothing. A page can reach a loopback port, but it cannot choose its `Origin`, cannot set a header on a
//! socket, and cannot make its `Host` ours by rebinding a name of its own. The rules lean on these three and on nothing else;
//! `Origin` is never compared with `Host`, and no answer ever carries a CORS header.

use std::net::IpAddr;

use super::proof::same;

/// What a request carries, as it came.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Where it comes from.
    pub peer: IpAddr,
    /// Every `Host` header; exactly one is allowed.
    pub hosts: &'a [&'a str],
    /// Every `Origin` header; at most one is allowed.
    pub origins: &'a [&'a str],
    /// The path, without its query.
    pub path: &'a str,
    /// The token of `Authorization: Bearer …`.
    pub token: Option<&'a str>,
    /// The dashboard's cookie.
    pub cookie: Option<&'a str>,
}

/// What the daemon holds a request against.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// Our port.
    pub port: u16,
    /// The pinned id of the extension.
    pub extension_id: &'a str,
    /// The token of the command line.
    pub token: &'a str,
    /// The cookie of the dashboard's session, where one was handed out.
    pub cookie: Option<&'a str>,
}

/// Who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// The extension's worker, which has yet to prove its key.
    Extension,
    /// The command line.
    Client,
    /// The dashboard in a browser.
    Dashboard,
}

/// Why a request is refused. The words go to the log, never to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not from this machine.
    #[error("the peer is not on loopback")]
    Peer,
    /// `Host` is absent, doubled, or no loopback name with our port: a rebound name.
    #[error("Host is no loopback name with our port")]
    Host,
    /// `Origin` is not the one that this path takes.
    #[error("Origin is not the one of this path")]
    Origin,
    /// The token or cookie is absent or wrong.
    #[error("the token or cookie is absent or wrong")]
    Secret,
    /// No such path.
    #[error("no such path")]
    Path,
}

/// The path of the extension's socket.
pub const EXTENSION_PATH: &str = "/extension";

/// The path of the command line's socket.
pub const CLIENT_PATH: &str = "/client";

/// Judges one request.
///
/// # Errors
/// The first rule that it breaks.
pub fn judge(request: &Request, policy: &Policy) -> Result<Caller, Refusal> {
    if !request.peer.is_loopback() {
        return Err(Refusal::Peer);
    }
    let [host] = request.hosts else { return Err(Refusal::Host) };
    if !is_our_host(host, policy.port) {
        return Err(Refusal::Host);
    }
    let origin = match request.origins {
        [] => None,
        [origin] => Some(*origin),
        _ => return Err(Refusal::Origin),
    };
    match request.path {
        EXTENSION_PATH => extension(origin, policy),
        CLIENT_PATH => client(origin, request.token, policy),
        path if path == "/" || path.starts_with("/dashboard/") => dashboard(origin, request, policy),
        _ => Err(Refusal::Path),
    }
}

fn extension(origin: Option<&str>, policy: &Policy) -> Result<Caller, Refusal> {
    let id = origin.and_then(|origin| origin.strip_prefix("chrome-extension://"));
    if id == Some(policy.extension_id) { Ok(Caller::Extension) } else { Err(Refusal::Origin) }
}

/// A browser always sends an `Origin` with a socket: who sends none is a program, and proves itself by the token.
fn client(origin: Option<&str>, token: Option<&str>, policy: &Policy) -> Result<Caller, Refusal> {
    if origin.is_some() {
        return Err(Refusal::Origin);
    }
    if token.is_some_and(|token| same(token, policy.token)) {
        Ok(Caller::Client)
    } else {
        Err(Refusal::Secret)
    }
}

fn dashboard(origin: Option<&str>, request: &Request, policy: &Policy) -> Result<Caller, Refusal> {
    // A plain navigation to our own page carries no Origin; then the SameSite cookie alone speaks.
    if origin.is_some_and(|origin| !is_our_origin(origin, policy.port)) {
        return Err(Refusal::Origin);
    }
    match (request.cookie, policy.cookie) {
        (Some(given), Some(known)) if same(given, known) => Ok(Caller::Dashboard),
        _ => Err(Refusal::Secret),
    }
}

fn is_our_origin(origin: &str, port: u16) -> bool {
    origin.strip_prefix("http://").is_some_and(|host| is_our_host(host, port))
}

fn is_our_host(host: &str, port: u16) -> bool {
    let Some((name, given)) = host.rsplit_once(':') else { return false };
    // Compared as text: `parse` would take a plus sign and leading zeros.
    given == port.to_string()
        && (name == "127.0.0.1" || name == "[::1]" || name.eq_ignore_ascii_case("localhost"))
}

#[cfg(test)]
mod tests {
    use proptest::strategy::Strategy as _;

    use super::*;

    const PORT: u16 = 4717;
    const ID: &str = "abcdefghijklmnopabcdefghijklmnop";
    const TOKEN: &str = "token-of-the-command-line";
    const COOKIE: &str = "cookie-of-the-dashboard";

    const OURS: &str = "127.0.0.1:4717";
    const EXTENSION: &str = "chrome-extension://abcdefghijklmnopabcdefghijklmnop";

    struct Row {
        why: &'static str,
        peer: &'static str,
        hosts: &'static [&'static str],
        origins: &'static [&'static str],
        path: &'static str,
        token: Option<&'static str>,
        cookie: Option<&'static str>,
    }

    /// The extension as it should come: a row changes one thing.
    const WORKER: Row = Row {
        why: "the extension",
        peer: "127.0.0.1",
        hosts: &[OURS],
        origins: &[EXTENSION],
        path: "/extension",
        token: None,
        cookie: None,
    };

    const CLIENT: Row =
        Row { why: "the command line", origins: &[], path: "/client", token: Some(TOKEN), ..WORKER };

    const DASHBOARD: Row = Row {
        why: "the dashboard",
        origins: &["http://127.0.0.1:4717"],
        path: "/dashboard/runs",
        cookie: Some(COOKIE),
        ..WORKER
    };

    fn check(rows: &[Row], expected: Result<Caller, Refusal>) {
        let policy = Policy { port: PORT, extension_id: ID, token: TOKEN, cookie: Some(COOKIE) };
        for row in rows {
            let request = Request {
                peer: row.peer.parse().unwrap(),
                hosts: row.hosts,
                origins: row.origins,
                path: row.path,
                token: row.token,
                cookie: row.cookie,
            };
            assert_eq!(judge(&request, &policy), expected, "{}", row.why);
        }
    }

    #[test]
    fn who_is_let_in() {
        check(
            &[
                WORKER,
                Row { why: "localhost", hosts: &["localhost:4717"], ..WORKER },
                Row { why: "LOCALHOST", hosts: &["LOCALHOST:4717"], ..WORKER },
                Row { why: "v6 name", hosts: &["[::1]:4717"], ..WORKER },
                Row { why: "v6 peer", peer: "::1", ..WORKER },
                Row { why: "127.0.0.9", peer: "127.0.0.9", ..WORKER },
            ],
            Ok(Caller::Extension),
        );
        check(&[CLIENT, Row { why: "localhost", hosts: &["localhost:4717"], ..CLIENT }], Ok(Caller::Client));
        check(
            &[
                DASHBOARD,
                Row { why: "navigation", origins: &[], ..DASHBOARD },
                Row { why: "root", path: "/", ..DASHBOARD },
                Row { why: "localhost", origins: &["http://localhost:4717"], ..DASHBOARD },
            ],
            Ok(Caller::Dashboard),
        );
    }

    #[test]
    fn not_from_this_machine() {
        check(
            &[
                Row { why: "lan", peer: "192.168.1.7", ..WORKER },
                Row { why: "lan client", peer: "10.0.0.1", ..CLIENT },
                Row { why: "any", peer: "0.0.0.0", ..CLIENT },
                Row { why: "v6", peer: "fe80::1", ..DASHBOARD },
                Row { why: "mapped", peer: "::ffff:192.168.1.7", ..WORKER },
            ],
            Err(Refusal::Peer),
        );
    }

    #[test]
    fn rebound_and_odd_hosts() {
        check(
            &[
                Row { why: "absent", hosts: &[], ..CLIENT },
                Row { why: "twice", hosts: &[OURS, OURS], ..CLIENT },
                Row { why: "rebound", hosts: &["evil.example:4717"], ..CLIENT },
                Row { why: "rebound, extension", hosts: &["evil.example:4717"], ..WORKER },
                Row { why: "rebound, dashboard", hosts: &["evil.example:4717"], ..DASHBOARD },
                Row { why: "prefix", hosts: &["127.0.0.1.evil.example:4717"], ..CLIENT },
                Row { why: "suffix", hosts: &["evil-localhost:4717"], ..CLIENT },
                Row { why: "subdomain", hosts: &["a.localhost:4717"], ..CLIENT },
                Row { why: "dot", hosts: &["localhost.:4717"], ..CLIENT },
                Row { why: "other port", hosts: &["127.0.0.1:4718"], ..CLIENT },
                Row { why: "no port", hosts: &["127.0.0.1"], ..CLIENT },
                Row { why: "empty port", hosts: &["127.0.0.1:"], ..CLIENT },
                Row { why: "zeros", hosts: &["127.0.0.1:04717"], ..CLIENT },
                Row { why: "plus", hosts: &["127.0.0.1:+4717"], ..CLIENT },
                Row { why: "user", hosts: &["a@127.0.0.1:4717"], ..CLIENT },
                Row { why: "decimal", hosts: &["2130706433:4717"], ..CLIENT },
                Row { why: "any", hosts: &["0.0.0.0:4717"], ..CLIENT },
                Row { why: "v6 unbracketed", hosts: &["::1:4717"], ..CLIENT },
                Row { why: "empty", hosts: &[""], ..CLIENT },
                Row { why: "list", hosts: &["127.0.0.1:4717, evil.example"], ..CLIENT },
            ],
            Err(Refusal::Host),
        );
    }

    #[test]
    fn wrong_origins() {
        check(
            &[
                Row { why: "page", origins: &["http://evil.example"], ..WORKER },
                Row { why: "page of our own port", origins: &["http://127.0.0.1:4717"], ..WORKER },
                Row { why: "page on loopback", origins: &["http://127.0.0.1:8080"], ..WORKER },
                Row { why: "null", origins: &["null"], ..WORKER },
                Row { why: "none", origins: &[], ..WORKER },
                Row { why: "none, with the token", origins: &[], token: Some(TOKEN), ..WORKER },
                Row { why: "empty", origins: &[""], ..WORKER },
                Row { why: "two", origins: &[EXTENSION, "http://evil.example"], ..WORKER },
                Row {
                    why: "other id",
                    origins: &["chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba"],
                    ..WORKER
                },
                Row {
                    why: "longer id",
                    origins: &["chrome-extension://abcdefghijklmnopabcdefghijklmnop.evil.example"],
                    ..WORKER
                },
                Row {
                    why: "path",
                    origins: &["chrome-extension://abcdefghijklmnopabcdefghijklmnop/"],
                    ..WORKER
                },
                Row {
                    why: "case",
                    origins: &["Chrome-Extension://abcdefghijklmnopabcdefghijklmnop"],
                    ..WORKER
                },
                Row {
                    why: "scheme",
                    origins: &["moz-extension://abcdefghijklmnopabcdefghijklmnop"],
                    ..WORKER
                },
                Row { why: "client from a page", origins: &["http://evil.example"], ..CLIENT },
                Row { why: "client from our page", origins: &["http://127.0.0.1:4717"], ..CLIENT },
                Row { why: "client from the extension", origins: &[EXTENSION], ..CLIENT },
                Row { why: "client from null", origins: &["null"], ..CLIENT },
                Row { why: "dashboard from a page", origins: &["http://evil.example"], ..DASHBOARD },
                Row { why: "dashboard by https", origins: &["https://127.0.0.1:4717"], ..DASHBOARD },
                Row { why: "dashboard from the demo", origins: &["http://127.0.0.1:4718"], ..DASHBOARD },
                Row { why: "dashboard from null", origins: &["null"], ..DASHBOARD },
            ],
            Err(Refusal::Origin),
        );
    }

    #[test]
    fn missing_and_wrong_secrets() {
        check(
            &[
                Row { why: "no token", token: None, ..CLIENT },
                Row { why: "empty token", token: Some(""), ..CLIENT },
                Row { why: "wrong token", token: Some("token-of-the-command-linf"), ..CLIENT },
                Row { why: "shorter token", token: Some("token"), ..CLIENT },
                Row { why: "the cookie as token", token: Some(COOKIE), ..CLIENT },
                Row { why: "the cookie for the token", token: None, cookie: Some(COOKIE), ..CLIENT },
                Row { why: "no cookie", cookie: None, ..DASHBOARD },
                Row { why: "wrong cookie", cookie: Some("x"), ..DASHBOARD },
                Row { why: "the token for the cookie", cookie: None, token: Some(TOKEN), ..DASHBOARD },
            ],
            Err(Refusal::Secret),
        );
    }

    #[test]
    fn no_dashboard_session_lets_nobody_in() {
        let policy = Policy { port: PORT, extension_id: ID, token: TOKEN, cookie: None };
        let request = Request {
            peer: "127.0.0.1".parse().unwrap(),
            hosts: &[OURS],
            origins: &[],
            path: "/",
            token: None,
            cookie: Some(""),
        };
        assert_eq!(judge(&request, &policy), Err(Refusal::Secret));
    }

    #[test]
    fn other_paths() {
        check(
            &[
                Row { why: "unknown", path: "/x", ..CLIENT },
                Row { why: "below", path: "/extension/", ..WORKER },
                Row { why: "case", path: "/Extension", ..WORKER },
                Row { why: "dots", path: "/./client", ..CLIENT },
            ],
            Err(Refusal::Path),
        );
    }

    proptest::proptest! {
        /// Whatever a request carries: it comes in only by the loopback name with our port, and either as the pinned
        /// extension without more, or with a secret.
        #[test]
        fn nobody_else_comes_in(
            peer in proptest::prop_oneof![
                proptest::prelude::any::<[u8; 4]>().prop_map(IpAddr::from),
                proptest::strategy::Just(IpAddr::from([127, 0, 0, 1])),
            ],
            host in proptest::prop_oneof![proptest::strategy::Just(OURS.to_owned()), "[a-z0-9.:\\[\\]]{0,24}"],
            origin in proptest::option::of(proptest::prop_oneof![
                proptest::strategy::Just(EXTENSION.to_owned()), "[a-z:/.-]{0,50}", proptest::strategy::Just("null".to_owned())
            ]),
            path in proptest::prop_oneof!["/[a-z/.]{0,12}", "/(extension|client|dashboard/x)?"],
            token in proptest::option::of(proptest::prop_oneof![proptest::strategy::Just(TOKEN.to_owned()), ".{0,30}"]),
            cookie in proptest::option::of(proptest::prop_oneof![proptest::strategy::Just(COOKIE.to_owned()), ".{0,30}"]),
        ) {
            let policy = Policy { port: PORT, extension_id: ID, token: TOKEN, cookie: Some(COOKIE) };
            let (hosts, origins) = ([host.as_str()], origin.as_deref());
            let origins: Vec<&str> = origins.into_iter().collect();
            let (token, cookie) = (token.as_deref(), cookie.as_deref());
            let request = Request { peer, hosts: &hosts, origins: &origins, path: &path, token, cookie };
            let Ok(caller) = judge(&request, &policy) else { return Ok(()) };
            proptest::prop_assert!(peer.is_loopback() && host.ends_with(":4717"));
            let proved = match caller {
                Caller::Extension => origins == [EXTENSION] && path == "/extension",
                Caller::Client => origins.is_empty() && token == Some(TOKEN) && path == "/client",
                Caller::Dashboard => cookie == Some(COOKIE),
            };
            proptest::prop_assert!(proved, "{caller:?}");
        }
    }
}
