//! Texts as they are rendered.

use crate::snapshot::Flags;
use crate::text;

/// ASCII white space collapsed to single spaces, other spaces kept.
pub fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in text.split(|at: char| at.is_ascii_whitespace()).filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

/// A text with its `text-transform`.
pub(super) fn rendered(text: &str, flags: Flags) -> String {
    if flags.has(Flags::UPPERCASE) {
        text::upper(text)
    } else if flags.has(Flags::LOWERCASE) {
        text::lower(text)
    } else if flags.has(Flags::CAPITALIZE) {
        capitalized(text)
    } else {
        text.to_owned()
    }
}

fn capitalized(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at_start = true;
    for character in text.chars() {
        if at_start && character.is_alphabetic() {
            text::push_upper(character, &mut out);
        } else {
            out.push(character);
        }
        at_start = !(character.is_alphanumeric() || character == '\'' || character == '\u{2019}');
    }
    out
}

/// The text of a computed CSS `content`: its alternative text where it has one, else its strings.
pub(super) fn generated(content: &str) -> String {
    let mut main = String::new();
    let mut alternative: Option<String> = None;
    let mut rest = content.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '"' => {
                let text = quoted(&mut rest);
                alternative.as_mut().unwrap_or(&mut main).push_str(&text);
            }
            '/' => alternative = Some(String::new()),
            '(' => skip_function(&mut rest),
            _ => {}
        }
    }
    alternative.unwrap_or(main)
}

/// Skips to the end of `url(…)` or `counter(…)`.
fn skip_function(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(character) = rest.next() {
        match character {
            ')' => return,
            '"' => {
                quoted(rest);
            }
            _ => {}
        }
    }
}

/// The text up to the closing quote, escapes resolved.
fn quoted(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut out = String::new();
    while let Some(character) = rest.next() {
        match character {
            '"' => break,
            '\\' => {
                let mut code = String::new();
                while code.len() < 6 && rest.peek().is_some_and(char::is_ascii_hexdigit) {
                    code.extend(rest.next());
                }
                if code.is_empty() {
                    out.extend(rest.next());
                } else {
                    out.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
                    rest.next_if(|next| *next == ' ');
                }
            }
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_content_is_read_as_people_see_it() {
        for (content, text) in [
            (r#""★ ""#, "★ "),
            (r#""✕" / "Close""#, "Close"),
            (r#"url("x/y.png")"#, ""),
            (r#"counter(item) ". ""#, ". "),
            (r#""a\"b\e001 c""#, "a\"b\u{e001}c"),
            (r#""a" "b""#, "ab"),
            ("\"\"", ""),
        ] {
            assert_eq!(generated(content), text, "{content}");
        }
    }

    #[test]
    fn white_space_is_collapsed_but_no_break_spaces_stay() {
        assert_eq!(collapse("  A \n\t B\u{a0}\u{a0}C "), "A B\u{a0}\u{a0}C");
        assert_eq!(capitalized("save the world's end-to-end"), "Save The World's End-To-End");
    }
}
