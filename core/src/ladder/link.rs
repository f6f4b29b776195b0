//! Links as evidence: where a link leads says what it is for, as long as the numbers in it may differ.

/// How a link compares with the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkMatch {
    /// It leads to the same place.
    Same,
    /// The same path with another query.
    SamePath,
    /// A path that differs in numbers only.
    Alike,
    /// It leads elsewhere.
    Other,
    /// One of the two leads nowhere in particular (`#`, `javascript:`, none).
    Silent,
}

/// Compares the recorded link with the one now.
pub(super) fn compare_links(then: &str, now: Option<&str>) -> LinkMatch {
    let (Some(then), Some(now)) = (Link::read(then), now.and_then(Link::read)) else {
        return LinkMatch::Silent;
    };
    if then == now {
        LinkMatch::Same
    } else if then.path == now.path && then.path.contains('/') {
        LinkMatch::SamePath
    } else if then.path_shape() == now.path_shape() && (!then.path.is_empty() || then.keys() == now.keys()) {
        LinkMatch::Alike
    } else {
        LinkMatch::Other
    }
}

/// What two links that lead to the same place have in common; `None` where it leads nowhere in particular.
pub(super) fn link_key(href: &str) -> Option<String> {
    Link::read(href).map(|link| format!("{}?{}#{}", link.path, link.query, link.fragment))
}

#[derive(Debug, PartialEq, Eq)]
struct Link<'h> {
    path: &'h str,
    query: &'h str,
    fragment: &'h str,
}

impl<'h> Link<'h> {
    fn read(href: &'h str) -> Option<Self> {
        let href = href.trim();
        if href.starts_with("javascript:") || href.ends_with('#') || href.is_empty() {
            return None;
        }
        let rest = href.strip_prefix("https://").or_else(|| href.strip_prefix("http://")).unwrap_or(href);
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        let rest = rest.strip_prefix("www.").unwrap_or(rest);
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        Some(Self { path: path.trim_end_matches('/'), query, fragment })
    }

    /// The path with every segment that holds a digit as `#`: ids and dates differ from run to run.
    fn path_shape(&self) -> (Vec<&'h str>, &'h str) {
        let segments = self.path.split('/');
        let shape =
            segments.map(|s| if s.contains(|c: char| c.is_ascii_digit()) { "#" } else { s }).collect();
        (shape, if self.path.is_empty() && self.query.is_empty() { self.fragment } else { "" })
    }

    fn keys(&self) -> Vec<&'h str> {
        self.query.split('&').map(|pair| pair.split_once('=').map_or(pair, |(key, _)| key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::same("https://www.x.example/a/", "http://x.example/a", LinkMatch::Same)]
    #[case::other_number("/users/3/edit", "/users/14/edit", LinkMatch::Alike)]
    #[case::other_query("/home?ref=top", "/home?ref=foot", LinkMatch::SamePath)]
    #[case::other_path("/checking/", "/savings/", LinkMatch::Other)]
    #[case::other_filter("?staff=1&q=zoe", "?super=1&q=zoe", LinkMatch::Other)]
    #[case::other_page("?p=1", "?p=2", LinkMatch::Alike)]
    #[case::other_fragment("#3", "#5", LinkMatch::Other)]
    #[case::nowhere("#", "/a", LinkMatch::Silent)]
    #[case::script("javascript:void(0)", "/a", LinkMatch::Silent)]
    fn compares(#[case] then: &str, #[case] now: &str, #[case] expected: LinkMatch) {
        assert_eq!(compare_links(then, Some(now)), expected);
    }

    #[test]
    fn no_link_is_silent() {
        assert_eq!(compare_links("/a", None), LinkMatch::Silent);
    }
}
