//! URL patterns: exact text, `*` inside one part of the path, `**` across parts, `%name%` for inputs, `%%` for a
//! percent sign. And how a recorded URL becomes one.

use crate::map::Named;
use crate::spelling::ends;
use crate::value::{Piece, pieces};
use crate::wire::page::InputValue;

#[derive(Debug)]
enum Part<'a> {
    Exact(&'a str),
    /// Any characters but `/`, `?` and `#`.
    Star,
    /// Any characters.
    DoubleStar,
    /// An input's value in any spelling; `None`: there is no such input.
    Value(Option<&'a str>),
}

/// True where the whole URL fits the pattern. A token without an input fits nothing.
pub fn matches(pattern: &str, url: &str, inputs: &Named<InputValue>) -> bool {
    let parts = parts(pattern, inputs);
    // Which positions of the URL can be reached after each part: no backtracking, so no pattern is slow.
    let mut reached = vec![false; url.len() + 1];
    reached[0] = true;
    for part in &parts {
        reached = step(part, url, &reached);
    }
    reached[url.len()]
}

fn parts<'a>(pattern: &'a str, inputs: &'a Named<InputValue>) -> Vec<Part<'a>> {
    let mut found = Vec::new();
    for piece in pieces(pattern, |name| inputs.contains_key(name)) {
        match piece {
            Piece::Literal(literal) => split_globs(literal, &mut found),
            Piece::Input(name) => {
                found.push(Part::Value(inputs.get(name).map(|input| input.value.as_str())));
            }
        }
    }
    found
}

fn split_globs<'a>(mut literal: &'a str, found: &mut Vec<Part<'a>>) {
    while let Some(at) = literal.find('*') {
        if at > 0 {
            found.push(Part::Exact(&literal[..at]));
        }
        literal = &literal[at + 1..];
        if let Some(rest) = literal.strip_prefix('*') {
            literal = rest;
            found.push(Part::DoubleStar);
        } else {
            found.push(Part::Star);
        }
    }
    if !literal.is_empty() {
        found.push(Part::Exact(literal));
    }
}

fn step(part: &Part<'_>, url: &str, reached: &[bool]) -> Vec<bool> {
    let mut next = vec![false; reached.len()];
    let bytes = url.as_bytes();
    match part {
        Part::Exact(text) => mark(text, bytes, reached, &mut next),
        Part::Value(None) => {}
        Part::Value(Some(value)) => {
            for at in (0..reached.len()).filter(|at| reached[*at]) {
                for end in ends(url, at, value) {
                    next[end] = true;
                }
            }
        }
        Part::Star | Part::DoubleStar => {
            let crosses = matches!(part, Part::DoubleStar);
            let mut open = false;
            for at in 0..next.len() {
                open |= reached[at];
                next[at] = open;
                if !crosses && bytes.get(at).is_some_and(|byte| b"/?#".contains(byte)) {
                    open = false;
                }
            }
        }
    }
    next
}

fn mark(text: &str, url: &[u8], reached: &[bool], next: &mut [bool]) {
    for at in 0..reached.len() {
        if reached[at] && url[at..].starts_with(text.as_bytes()) {
            next[at + text.len()] = true;
        }
    }
}

/// The pattern for a recorded URL: ids, hashes, nonces and dates become `*`, percent signs are escaped, the rest is
/// exact. Inputs are put in by `value::templatize` on the result's literal parts beforehand, see `generalise_with`.
pub fn generalise(url: &str) -> String {
    generalise_with(url, &Named::new())
}

/// As `generalise`, and an input's value that is a whole part of the path, query or fragment becomes `%name%`.
pub fn generalise_with(url: &str, inputs: &Named<InputValue>) -> String {
    let start = url.find("://").map_or(0, |at| at + 3);
    let path = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    let mut pattern = crate::value::escape(&url[..path]);
    let mut part_start = path;
    let mut in_query = false;
    let mut key = "";
    for (at, character) in url[path..].char_indices().map(|(at, character)| (path + at, character)) {
        if !matches!(character, '/' | '?' | '#' | '&' | '=' | ';') {
            continue;
        }
        push_part(&mut pattern, &url[part_start..at], if in_query { Some(key) } else { None }, inputs);
        pattern.push(character);
        match character {
            '?' => in_query = true,
            '#' => in_query = false,
            '=' => key = &url[part_start..at],
            _ => {}
        }
        if character != '=' {
            key = "";
        }
        part_start = at + 1;
    }
    push_part(&mut pattern, &url[part_start..], if in_query { Some(key) } else { None }, inputs);
    pattern
}

/// `key` is the query key that the part is the value of; `Some("")` for the key itself, `None` outside a query.
fn push_part(pattern: &mut String, part: &str, key: Option<&str>, inputs: &Named<InputValue>) {
    let input = inputs
        .iter()
        .filter(|(_, input)| !input.value.is_empty())
        .find(|(_, input)| !part.is_empty() && ends(part, 0, &input.value).contains(&part.len()));
    if let Some((name, _)) = input.filter(|_| key != Some("")) {
        pattern.push('%');
        pattern.push_str(name);
        pattern.push('%');
    } else if varies(part, key) {
        pattern.push('*');
    } else {
        pattern.push_str(&crate::value::escape(part));
    }
}

/// True for what another run would not repeat: ids, hashes, nonces, dates.
fn varies(part: &str, key: Option<&str>) -> bool {
    let (stem, _) = part.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).unwrap_or((part, ""));
    let letters = stem.chars().filter(char::is_ascii_alphabetic).count();
    let digits = stem.chars().filter(char::is_ascii_digit).count();
    let length = stem.chars().count();
    if digits == length && length > 0 {
        // A page or step number in a query is part of the way; a path's number is an id.
        return match key {
            Some(_) => length > 3,
            None => !part.contains('.'),
        };
    }
    let hex = stem.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    if hex && digits > 0 && stem.chars().filter(char::is_ascii_hexdigit).count() >= 8 {
        return true; // GUIDs, hashes, dates
    }
    let token = stem.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '~' | '.'));
    // A long run of mixed letters and digits without words in it.
    let turns = |stem: &str| {
        stem.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count()
    };
    if token && key.is_some() && length >= 8 && letters + digits == length && turns(stem) >= 3 {
        return true;
    }
    token && length >= 16 && digits * 5 >= length && letters > 0 && !stem.contains('-')
        || token && length >= 24 && digits >= 4 && longest_word(stem) <= 6
}

fn longest_word(text: &str) -> usize {
    text.split(|c: char| !c.is_ascii_lowercase()).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs() -> Named<InputValue> {
        [("user".to_owned(), InputValue { value: "Ann Lee".to_owned(), secret: false })].into()
    }

    #[rstest::rstest]
    #[case("http://h/", "http://h/", true)]
    #[case("http://h/", "http://h/x", false)]
    #[case("https://*/u/login", "https://id.example.com/u/login", true)]
    #[case("https://*/u/login", "https://id.example.com/a/u/login", false)]
    #[case("https://**/login", "https://id.example.com/a/u/login", true)]
    #[case("http://h/orders/*", "http://h/orders/17", true)]
    #[case("http://h/orders/*", "http://h/orders/17?x", false)]
    #[case("http://h/orders/**", "http://h/orders/17?x#y", true)]
    #[case("http://h/%user%", "http://h/Ann%20Lee", true)]
    #[case("http://h/?q=%user%", "http://h/?q=Ann+Lee", true)]
    #[case("http://h/?q=%user%!", "http://h/?q=%41nn%20Lee!", true)]
    #[case("http://h/?q=%user%", "http://h/?q=Bob", false)]
    #[case("http://h/?q=%nobody%", "http://h/?q=Bob", false)]
    #[case("http://h/a%%20b", "http://h/a%20b", true)]
    #[case("**", "", true)]
    #[case("*", "a/b", false)]
    fn fits(#[case] pattern: &str, #[case] url: &str, #[case] expected: bool) {
        assert_eq!(matches(pattern, url, &inputs()), expected);
    }

    #[rstest::rstest]
    #[case("http://127.0.0.1:4200/", "http://127.0.0.1:4200/")]
    #[case("http://h/orders/17/edit", "http://h/orders/*/edit")]
    #[case("http://h/57-new-tab.html", "http://h/57-new-tab.html")]
    #[case("http://h/57-new-tab.second.html", "http://h/57-new-tab.second.html")]
    #[case("http://h/?page=2", "http://h/?page=2")]
    #[case("http://h/?id=201577", "http://h/?id=*")]
    #[case("http://h/o/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "http://h/o/*")]
    #[case("http://h/d/2026-11-30", "http://h/d/*")]
    #[case("http://h/#/u?id=dun0646wi3&tab=h2", "http://h/#/u?id=*&tab=h2")]
    #[case("http://h/?state=Zx81kLmQ02vBn47TyU&x=y", "http://h/?state=*&x=y")]
    #[case("http://h/user/Ann%20Lee#/tab/a", "http://h/user/%user%#/tab/a")]
    #[case("http://h/a%20b", "http://h/a%%20b")]
    #[case("http://h/terms-and-conditions-of-sale-2026", "http://h/terms-and-conditions-of-sale-2026")]
    #[case("about:blank", "about:blank")]
    fn generalises(#[case] url: &str, #[case] expected: &str) {
        assert_eq!(generalise_with(url, &inputs()), expected);
    }

    proptest::proptest! {
        #[test]
        fn a_generalised_url_matches_itself(path in "[a-zA-Z0-9/?#&=%é._-]{0,60}") {
            let url = format!("http://h/{path}");
            proptest::prop_assert!(matches(&generalise_with(&url, &inputs()), &url, &inputs()));
        }
    }
}
