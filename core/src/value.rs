//! Inputs and `%tokens%`. On disk an input is always `%name%` and a literal percent sign is `%%`; expansion is one pass,
//! and what an input's value holds is never expanded again.

use crate::map::Named;
use crate::wire::page::InputValue;

/// A token that cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no input is named '{name}' (a literal percent sign is written %%)")]
pub struct UnknownInput {
    /// The name between the percent signs.
    pub name: String,
}

/// One piece of a text with tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text as it stands; `%%` is already one percent sign.
    Literal(&'a str),
    /// An input's name.
    Input(&'a str),
}

/// True for what may stand between two percent signs: a letter or `_`, then letters, digits, `_`, `-` or `.`.
pub fn is_input_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|other| other.is_alphanumeric() || matches!(other, '_' | '-' | '.'))
}

/// Cuts a text into literals and tokens.
///
/// A percent sign that opens no token stands for itself, so that a hand-written `100 %` or `a%20b` reads as it looks.
/// `%C3%BC` is taken for URL escapes and not for an input `C3`, unless `declared` knows that name.
pub fn pieces(text: &str, declared: impl Fn(&str) -> bool) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let after = &rest[at + 1..];
        if let Some(behind) = after.strip_prefix('%') {
            // The first of the two is the literal.
            found.push(Piece::Literal(&rest[..=at]));
            rest = behind;
            continue;
        }
        let name = after.find('%').map(|end| &after[..end]).filter(|name| is_input_name(name));
        match name {
            Some(name) if declared(name) || !opens_with_escape(name) => {
                if at > 0 {
                    found.push(Piece::Literal(&rest[..at]));
                }
                found.push(Piece::Input(name));
                rest = &after[name.len() + 1..];
            }
            _ => {
                found.push(Piece::Literal(&rest[..=at]));
                rest = after;
            }
        }
    }
    if !rest.is_empty() {
        found.push(Piece::Literal(rest));
    }
    found
}

fn opens_with_escape(name: &str) -> bool {
    let mut characters = name.chars();
    let hex = |c: Option<char>| c.is_some_and(|c| c.is_ascii_hexdigit());
    hex(characters.next()) && hex(characters.next()) && name.len() == 2
}

/// The names of all inputs that a text asks for, in order, with repeats.
pub fn names_in<'a>(text: &'a str, inputs: &Named<InputValue>) -> Vec<&'a str> {
    pieces(text, |name| inputs.contains_key(name))
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Input(name) => Some(name),
            Piece::Literal(_) => None,
        })
        .collect()
}

/// Puts today's values into a text.
///
/// # Errors
/// A token whose input is not among `inputs`.
pub fn expand(text: &str, inputs: &Named<InputValue>) -> Result<String, UnknownInput> {
    let mut expanded = String::with_capacity(text.len());
    for piece in pieces(text, |name| inputs.contains_key(name)) {
        match piece {
            Piece::Literal(literal) => expanded.push_str(literal),
            Piece::Input(name) => match inputs.get(name) {
                Some(input) => expanded.push_str(&input.value),
                None => return Err(UnknownInput { name: name.to_owned() }),
            },
        }
    }
    Ok(expanded)
}

/// Makes a literal text safe to stand on disk.
pub fn escape(text: &str) -> String {
    text.replace('%', "%%")
}

/// The reverse of `expand`: escapes a seen text and puts `%name%` where an input's value stands.
///
/// A secret of 3 or more characters is replaced wherever it stands, an ordinary value only where it is a whole
/// delimited word: a short value inside another word is left alone. Longer values win over shorter ones.
pub fn templatize(text: &str, inputs: &Named<InputValue>) -> String {
    let mut known: Vec<(&str, &InputValue)> = inputs
        .iter()
        .filter(|(_, input)| !input.value.is_empty())
        .map(|(name, input)| (name.as_str(), input))
        .collect();
    crate::order::sort_by(&mut known, |a, b| b.1.value.len().cmp(&a.1.value.len()).then(a.0.cmp(b.0)));
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    let mut before = None;
    while let Some(next) = text[at..].chars().next() {
        let hit = known.iter().find(|(_, input)| stands_at(text, at, before, input));
        if let Some((name, input)) = hit {
            made.push('%');
            made.push_str(name);
            made.push('%');
            before = input.value.chars().next_back();
            at += input.value.len();
            continue;
        }
        made.push(next);
        if next == '%' {
            made.push('%');
        }
        before = Some(next);
        at += next.len_utf8();
    }
    made
}

/// What was typed into a field: the whole text is the input's value, whatever its length; else as `templatize`.
pub fn templatize_typed(text: &str, inputs: &Named<InputValue>) -> String {
    match inputs.iter().find(|(_, input)| !text.is_empty() && input.value == text) {
        Some((name, _)) => format!("%{name}%"),
        None => templatize(text, inputs),
    }
}

fn stands_at(text: &str, at: usize, before: Option<char>, input: &InputValue) -> bool {
    let Some(after) = text[at..].strip_prefix(input.value.as_str()) else { return false };
    if input.secret && input.value.chars().count() >= crate::redact::SHORTEST_SECRET {
        return true;
    }
    let joins = |outer: Option<char>, inner: Option<char>| {
        outer.is_some_and(char::is_alphanumeric) && inner.is_some_and(char::is_alphanumeric)
    };
    !joins(before, input.value.chars().next())
        && !joins(after.chars().next(), input.value.chars().next_back())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(pairs: &[(&str, &str, bool)]) -> Named<InputValue> {
        pairs
            .iter()
            .map(|(n, v, s)| ((*n).to_owned(), InputValue { value: (*v).to_owned(), secret: *s }))
            .collect()
    }

    #[rstest::rstest]
    #[case("%email%", "a@b.c")]
    #[case("to %email%!", "to a@b.c!")]
    #[case("100%", "100%")]
    #[case("100 %% of %email%", "100 % of a@b.c")]
    #[case("%%email%%", "%email%")]
    #[case("%%%email%", "%a@b.c")]
    #[case("http://x/?q=%%20%email%", "http://x/?q=%20a@b.c")]
    #[case("http://x/%C3%BC/%20", "http://x/%C3%BC/%20")]
    #[case("%nested%", "%email%")]
    #[case("%ümlaut%", "ü")]
    #[case("", "")]
    fn expands_once(#[case] text: &str, #[case] expected: &str) {
        let inputs =
            inputs(&[("email", "a@b.c", false), ("nested", "%email%", false), ("ümlaut", "ü", false)]);
        assert_eq!(expand(text, &inputs).unwrap(), expected);
    }

    #[test]
    fn an_unknown_input_is_named() {
        assert_eq!(expand("a %nope% b", &inputs(&[])).unwrap_err().name, "nope");
    }

    #[rstest::rstest]
    #[case("Mug for Ann", "Mug for %who%")]
    #[case("Annual", "Annual")]
    #[case("Ann.Ann", "%who%.%who%")]
    #[case("100%", "100%%")]
    #[case("%who%", "%%who%%")]
    #[case("xhunter2y", "x%password%y")]
    #[case("Annabel Lee", "%long%")]
    fn templatizes(#[case] text: &str, #[case] expected: &str) {
        let inputs =
            inputs(&[("who", "Ann", false), ("password", "hunter2", true), ("long", "Annabel Lee", false)]);
        assert_eq!(templatize(text, &inputs), expected);
    }

    #[test]
    fn a_typed_text_is_its_input_however_short() {
        assert_eq!(templatize_typed("7", &inputs(&[("count", "7", false)])), "%count%");
        assert_eq!(templatize_typed("17", &inputs(&[("count", "7", false)])), "17");
    }

    proptest::proptest! {
        #[test]
        fn what_is_templatized_expands_to_itself(text in ".{0,40}", value in ".{1,6}", secret: bool) {
            let inputs = inputs(&[("x", &value, secret)]);
            proptest::prop_assert_eq!(expand(&templatize(&text, &inputs), &inputs).unwrap(), text.clone());
            proptest::prop_assert_eq!(expand(&escape(&text), &inputs).unwrap(), text);
        }

        #[test]
        fn expanding_never_panics(text in "[%a-fA-F0-9é_ -]{0,60}") {
            let _ = expand(&text, &inputs(&[("ab", "%ab%", false)]));
        }
    }
}
