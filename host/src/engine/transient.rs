//! Conditions that a retry may cure and that no page can see: they befall its loading.

use cairn_core::script::Trouble;

use super::replay::{Conductor, End};
use super::tab::{Tab, TabEvents};

/// What a browser's word for a failed load means; `None` where another attempt would meet the same.
pub(super) fn of_error(error: &str) -> Option<Trouble> {
    let name = error.split("ERR_").nth(1)?;
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if is(&["TIMED_OUT", "CONNECTION_TIMED_OUT"]) {
        return Some(Trouble::Timeout);
    }
    is(&[
        "CONNECTION_",
        "EMPTY_RESPONSE",
        "NETWORK_",
        "INTERNET_DISCONNECTED",
        "ADDRESS_UNREACHABLE",
        "NAME_NOT_RESOLVED",
        "SOCKET_NOT_CONNECTED",
        "INCOMPLETE_CHUNKED_ENCODING",
        "CONTENT_LENGTH_MISMATCH",
        "HTTP2_",
        "QUIC_",
    ])
    .then_some(Trouble::Connection)
}

impl<T: Tab, E: TabEvents> Conductor<'_, T, E> {
    /// The end of this attempt, where the script declares that a retry may cure this.
    pub(super) fn transient(&self, trouble: Trouble, observed: &str) -> Option<End> {
        let rule = self.plan.recoverable.iter().find(|rule| rule.on == Some(trouble))?;
        let acted = self.acted.as_ref().map(|acted| acted.number);
        Some(End::Outcome {
            number: acted.unwrap_or_else(|| self.next.saturating_sub(1)),
            code: rule.code.clone(),
            detail: rule.detail.clone().unwrap_or_else(|| observed.to_owned()),
        })
    }

    /// The server's answer to a page: one that is an error is said, and may end the attempt.
    pub(super) async fn answered(&self, status: u16, url: &str) -> Option<End> {
        if status < 400 {
            return None;
        }
        let observed = format!("the server answered {status} to {url}");
        self.scribe.say(observed.clone()).await;
        let passing = status >= 500 || status == 429;
        passing.then(|| self.transient(Trouble::ServerError, &observed)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("net::ERR_CONNECTION_REFUSED", Some(Trouble::Connection))]
    #[case("net::ERR_CONNECTION_TIMED_OUT", Some(Trouble::Timeout))]
    #[case("net::ERR_EMPTY_RESPONSE", Some(Trouble::Connection))]
    #[case("net::ERR_CERT_AUTHORITY_INVALID", None)]
    #[case("net::ERR_BLOCKED_BY_CLIENT", None)]
    #[case("something else", None)]
    fn what_may_pass_is_told_from_what_stays(#[case] error: &str, #[case] trouble: Option<Trouble>) {
        assert_eq!(of_error(error), trouble);
    }
}
