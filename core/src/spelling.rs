//! The spellings in which a value may stand in a text: pages, forms, libraries and servers each encode other letters.
//!
//! A form writes `!` as `%21` where `encodeURIComponent` leaves it alone, a server writes hex digits small, a page puts a URL
//! into JSON into HTML. So nothing is encoded here and compared: the text is read, and each letter may be spelled as it
//! likes, whatever its neighbours are.

/// Where `value` may end in `text` if it begins at byte `at`. Empty: it does not stand there in any spelling.
///
/// A letter may stand as itself, percent-encoded (also more than once), as an escape of JSON, as a reference of HTML; a space as
/// `+`; and each percent sign doubled, as in a script's texts.
pub fn ends(text: &str, at: usize, value: &str) -> Vec<usize> {
    let text = text.as_bytes();
    let mut reached = vec![at];
    for letter in value.chars() {
        let mut next = Vec::new();
        for from in reached {
            add_ends(text, from, letter, &mut next);
        }
        if next.is_empty() {
            return next;
        }
        reached = next;
    }
    reached
}

/// True where a value whose first byte is `first` may begin with the byte `byte`.
pub fn may_begin(byte: u8, first: u8) -> bool {
    byte == first || matches!(byte, b'%' | b'\\' | b'&' | b'+')
}

fn add_ends(text: &[u8], at: usize, letter: char, ends: &mut Vec<usize>) {
    let rest = text.get(at..).unwrap_or_default();
    let mut buffer = [0; 4];
    let plain = letter.encode_utf8(&mut buffer).as_bytes();
    let mut add = |length: usize| {
        if !ends.contains(&(at + length)) {
            ends.push(at + length);
        }
    };
    if rest.starts_with(plain) {
        add(plain.len());
    }
    match rest.first() {
        Some(b'+') if letter == ' ' => add(1),
        Some(b'%') => {
            for (percent, times) in (0..=MOST_ENCODED).flat_map(|times| [("%", times), ("%%", times)]) {
                percent_encoded(rest, plain, percent, times).into_iter().for_each(&mut add);
            }
            if letter == '%' && rest.starts_with(b"%%") {
                add(2);
            }
        }
        Some(b'\\') => escaped(rest, letter).into_iter().for_each(add),
        Some(b'&') => referred_to(rest, letter).into_iter().for_each(add),
        _ => {}
    }
}

/// So many more times than once a text may be percent-encoded: a URL in a URL in a URL.
const MOST_ENCODED: usize = 2;

/// The length of `%C3%B6` for `ö`; of `%25C3%25B6` where it was encoded once more; of `%%C3%%B6` where `value::escape` was at it.
fn percent_encoded(text: &[u8], plain: &[u8], percent: &str, times: usize) -> Option<usize> {
    let mut at = 0;
    for byte in plain {
        let encoded = at + percent.len();
        let digits = encoded + 2 * times;
        let begins = text.get(at..encoded)? == percent.as_bytes()
            && text.get(encoded..digits)?.chunks(2).all(|pair| pair == b"25");
        if !begins || hexadecimal(text.get(digits..digits + 2)?) != Some(u32::from(*byte)) {
            return None;
        }
        at = digits + 2;
    }
    Some(at)
}

/// The length of `\"` for `"`, of `\u00f6` for `ö`.
fn escaped(text: &[u8], letter: char) -> Option<usize> {
    let short = match letter {
        '\u{8}' => b'b',
        '\t' => b't',
        '\n' => b'n',
        '\u{c}' => b'f',
        '\r' => b'r',
        '"' | '\\' | '/' | '\'' => u8::try_from(letter).ok()?,
        _ => 0,
    };
    let second = *text.get(1)?;
    if second == short && short != 0 {
        return Some(2);
    }
    let mut units = [0; 2];
    let mut at = 0;
    for unit in letter.encode_utf16(&mut units) {
        if text.get(at..at + 2)? != b"\\u" || hexadecimal(text.get(at + 2..at + 6)?) != Some(u32::from(*unit))
        {
            return None;
        }
        at += 6;
    }
    Some(at)
}

/// The length of `&amp;` for `&`, of `&#246;` and `&#xF6;` for `ö`.
fn referred_to(text: &[u8], letter: char) -> Option<usize> {
    // The longest name and the longest number have so many letters.
    let end = text.iter().take(10).position(|byte| *byte == b';')?;
    let is_it = match &text[1..end] {
        b"amp" => letter == '&',
        b"lt" => letter == '<',
        b"gt" => letter == '>',
        b"quot" => letter == '"',
        b"apos" => letter == '\'',
        b"nbsp" => letter == '\u{a0}',
        [b'#', b'x' | b'X', digits @ ..] => hexadecimal(digits) == Some(u32::from(letter)),
        [b'#', digits @ ..] => decimal(digits) == Some(u32::from(letter)),
        _ => false,
    };
    is_it.then_some(end + 1)
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    number(digits, 16)
}

fn decimal(digits: &[u8]) -> Option<u32> {
    number(digits, 10)
}

fn number(digits: &[u8], base: u32) -> Option<u32> {
    let add = |sum: u32, digit: &u8| sum.checked_mul(base)?.checked_add(char::from(*digit).to_digit(base)?);
    digits.iter().try_fold(0, add).filter(|_| !digits.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case("s3cr3t!x", "s3cr3t!x")]
    #[case("s3cr3t!x", "s3cr3t%21x")]
    #[case("a b+c", "a+b%2bc")]
    #[case("a b", "a%20b")]
    #[case("wörd", "w%C3%B6rd")]
    #[case("wörd", "w%c3%b6rd")]
    #[case("wörd", "w%25C3%25B6rd")]
    #[case("wörd", r"w\u00f6rd")]
    #[case("wörd", "w&#246;rd")]
    #[case("w😀", r"w\ud83d\ude00")]
    #[case("w😀", "w&#x1F600;")]
    #[case("a\"b/c", r#"a\"b\/c"#)]
    #[case("a&b'c", "a&amp;b&#39;c")]
    #[case("50%25", "50%2525")]
    #[case("50%", "50%")]
    #[case("50%", "50%25")]
    #[case("50%!", "50%%!")]
    #[case("50%!", "50%%25%%21")]
    #[case("wörd", "w%%C3%%B6rd")]
    #[case("-_.~*()", "%2D%5F%2E%7E%2A%28%29")]
    fn stands_there(#[case] value: &str, #[case] text: &str) {
        let text = format!("={text}&x=1");
        assert!(ends(&text, 1, value).contains(&(text.len() - 4)), "{value} in {text}");
    }

    #[rstest::rstest]
    #[case("abc", "abd")]
    #[case("abc", "ab")]
    #[case("ö", "%C3")]
    #[case("ö", "%C3%B")]
    #[case("!", "%2")]
    #[case("!", "%25")]
    #[case("😀", r"\ud83d")]
    #[case("a", "&#;")]
    #[case("a", "&#99999999999999;")]
    fn stands_not_there(#[case] value: &str, #[case] text: &str) {
        assert!(ends(text, 0, value).is_empty(), "{value} in {text}");
    }
}
