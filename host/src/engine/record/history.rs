//! What a committed navigation means: a step of the person at the browser's own controls, or the page's doing.

use std::time::Duration;

use cairn_core::script::Method;

/// A navigation by the browser's buttons or by a page's script looks the same, unless the page heard it begin. Right after a
/// step it is the page's.
const CAUSED: Duration = Duration::from_secs(1);

/// The tab's history as the recording saw it, to tell back from forward.
#[derive(Debug, Default)]
pub struct History {
    urls: Vec<String>,
    at: usize,
}

/// What a commit means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The start page came.
    Start,
    /// The person did this at the browser's controls.
    Person(Method),
    /// The page did it, because of the last step or by itself.
    Page,
    /// As `Page`, as long as the page does not say that a person did this: its word may come later than the browser's.
    Unclear(Method),
}

/// A commit in the top frame.
#[derive(Clone, Copy, Debug)]
pub struct Commit<'a> {
    /// URL.
    pub url: &'a str,
    /// The document stayed.
    pub same_document: bool,
    /// The browser's name for it.
    pub transition: &'a str,
    /// `forward_back`, `from_address_bar`, …
    pub qualifiers: &'a [String],
    /// Time since the last captured step.
    pub since_step: Option<Duration>,
    /// The page heard it begin at the browser's controls.
    pub by_person: bool,
}

impl History {
    /// Takes one commit.
    pub fn take(&mut self, commit: Commit<'_>) -> Meaning {
        let has = |qualifier: &str| commit.qualifiers.iter().any(|one| one == qualifier);
        if self.urls.is_empty() {
            self.urls.push(commit.url.to_owned());
            return Meaning::Start;
        }
        let caused = !commit.by_person && commit.since_step.is_some_and(|since| since < CAUSED);
        if has("forward_back") {
            let method = self.step_to(commit.url);
            return if caused { Meaning::Unclear(method) } else { Meaning::Person(method) };
        }
        if commit.transition == "reload" {
            return match (commit.same_document, caused) {
                (true, _) => Meaning::Page,
                (false, true) => Meaning::Unclear(Method::Reload),
                (false, false) => Meaning::Person(Method::Reload),
            };
        }
        let typed = matches!(
            commit.transition,
            "typed" | "auto_bookmark" | "generated" | "keyword" | "keyword_generated" | "start_page"
        );
        self.push(commit.url);
        // A redirect of a page that is only passing through belongs to the navigation before it.
        if (typed || has("from_address_bar")) && !has("client_redirect") {
            return Meaning::Person(Method::Goto);
        }
        Meaning::Page
    }

    fn push(&mut self, url: &str) {
        if self.urls.get(self.at).is_some_and(|here| here == url) {
            return;
        }
        self.urls.truncate(self.at + 1);
        self.urls.push(url.to_owned());
        self.at = self.urls.len() - 1;
    }

    /// Moves to where the URL stands: the nearer side first, back where both or none do.
    fn step_to(&mut self, url: &str) -> Method {
        let before = self.urls[..self.at].iter().rposition(|other| other == url);
        let after = self.urls.iter().skip(self.at + 1).position(|other| other == url);
        match (before, after) {
            (Some(before), Some(after)) if after + 1 < self.at - before => self.forward(after),
            (Some(before), _) => {
                self.at = before;
                Method::Back
            }
            (None, Some(after)) => self.forward(after),
            (None, None) => {
                self.at = self.at.saturating_sub(1);
                Method::Back
            }
        }
    }

    fn forward(&mut self, after: usize) -> Method {
        self.at += after + 1;
        Method::Forward
    }
}

/// Keys with which a person makes the browser do such a step; the page sees them pressed.
pub fn shortcuts(method: Method) -> &'static [&'static str] {
    match method {
        Method::Back => &["Alt+ArrowLeft", "Meta+ArrowLeft", "Meta+["],
        Method::Forward => &["Alt+ArrowRight", "Meta+ArrowRight", "Meta+]"],
        Method::Reload => &["F5", "Control+r", "Control+R", "Control+F5", "Control+Shift+R", "Meta+r"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG_AGO: Option<Duration> = Some(Duration::from_mins(1));
    const JUST_NOW: Option<Duration> = Some(Duration::from_millis(80));

    fn take(
        history: &mut History,
        url: &str,
        transition: &str,
        qualifiers: &[&str],
        since: Option<Duration>,
    ) -> Meaning {
        let qualifiers: Vec<String> = qualifiers.iter().map(|one| (*one).to_owned()).collect();
        history.take(Commit {
            url,
            same_document: false,
            transition,
            qualifiers: &qualifiers,
            since_step: since,
            by_person: false,
        })
    }

    #[test]
    fn a_person_may_be_quick() {
        let mut history = History::default();
        take(&mut history, "/a", "auto_toplevel", &[], None);
        take(&mut history, "/b", "link", &[], LONG_AGO);
        let qualifiers = ["forward_back".to_owned()];
        let back = Commit {
            url: "/a",
            same_document: true,
            transition: "link",
            qualifiers: &qualifiers,
            since_step: JUST_NOW,
            by_person: true,
        };
        assert_eq!(history.take(back), Meaning::Person(Method::Back));
    }

    #[test]
    fn the_persons_navigations_are_told_from_the_pages() {
        let mut history = History::default();
        let h = &mut history;
        assert_eq!(take(h, "/a", "auto_toplevel", &[], None), Meaning::Start);
        assert_eq!(take(h, "/b", "link", &[], JUST_NOW), Meaning::Page);
        assert_eq!(take(h, "/c", "typed", &["from_address_bar"], JUST_NOW), Meaning::Person(Method::Goto));
        assert_eq!(take(h, "/b", "typed", &["forward_back"], LONG_AGO), Meaning::Person(Method::Back));
        assert_eq!(take(h, "/c", "typed", &["forward_back"], LONG_AGO), Meaning::Person(Method::Forward));
        assert_eq!(take(h, "/c", "reload", &[], LONG_AGO), Meaning::Person(Method::Reload));
        assert_eq!(
            take(h, "/c", "reload", &[], JUST_NOW),
            Meaning::Unclear(Method::Reload),
            "location.reload() after a click"
        );
        assert_eq!(
            take(h, "/b", "link", &["forward_back"], JUST_NOW),
            Meaning::Unclear(Method::Back),
            "the page's own Back button"
        );
        assert_eq!(take(h, "/a", "link", &["forward_back"], LONG_AGO), Meaning::Person(Method::Back));
        assert_eq!(take(h, "/d", "form_submit", &[], LONG_AGO), Meaning::Page);
        assert_eq!(take(h, "/e", "typed", &["client_redirect"], LONG_AGO), Meaning::Page);
    }
}
