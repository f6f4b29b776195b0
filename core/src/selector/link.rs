//! What of a link's target is worth remembering.

/// Path, query and fragment of a link's target without its origin; `None` where nothing tells it from other links.
pub fn link_path(href: &str) -> Option<&str> {
    let href = href.trim();
    if href.is_empty()
        || href == "#"
        || href.starts_with("javascript:")
        || href.starts_with("data:")
        || href.starts_with("blob:")
    {
        return None;
    }
    let rest = match href.split_once("://") {
        Some((scheme, rest)) if scheme.chars().all(|at| at.is_ascii_alphanumeric()) => match rest.find('/') {
            Some(at) => &rest[at..],
            None => "/",
        },
        _ => href,
    };
    (rest.len() <= 300).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::link_path;

    #[test]
    fn origins_are_left_out_and_empty_targets_are_none() {
        assert_eq!(link_path("https://shop.example/a?b=1"), Some("/a?b=1"));
        assert_eq!(link_path("https://shop.example"), Some("/"));
        assert_eq!(link_path("orders/7"), Some("orders/7"));
        assert_eq!(link_path("#"), None);
        assert_eq!(link_path("javascript:void(0)"), None);
    }
}
