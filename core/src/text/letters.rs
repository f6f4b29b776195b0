//! Small and capital letters, as the standard library has them, whose tables for that are five times as large as these.

use super::letter_table::{LOWER, UPPER, UPPER_SEVERAL};
use super::words::is_mark;

/// A text in small letters.
pub fn lower(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (place, letter) in text.char_indices() {
        if letter == 'Σ' && ends_word(&text[..place], &text[place + letter.len_utf8()..]) {
            out.push('ς');
        } else {
            let (small, more) = lower_letter(letter);
            out.push(small);
            out.extend(more);
        }
    }
    out
}

/// A text in capital letters.
pub fn upper(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|letter| push_upper(letter, &mut out));
    out
}

/// A letter's small form, and what stands behind it: the dot of a Turkish capital I.
pub fn lower_letter(letter: char) -> (char, Option<char>) {
    match letter {
        'İ' => ('i', Some('\u{307}')),
        _ if letter.is_ascii() => (letter.to_ascii_lowercase(), None),
        _ => (mapped(letter, LOWER).unwrap_or(letter), None),
    }
}

/// Pushes a letter's capital form.
pub fn push_upper(letter: char, out: &mut String) {
    if letter.is_ascii() {
        out.push(letter.to_ascii_uppercase());
    } else {
        match mapped(letter, UPPER) {
            Some(capital) => out.push(capital),
            None => match several(letter) {
                Some(capitals) => out.push_str(capitals),
                None => out.push(letter),
            },
        }
    }
}

/// The capitals of a letter that has several.
fn several(letter: char) -> Option<&'static str> {
    UPPER_SEVERAL.split(' ').find_map(|entry| entry.strip_prefix(letter))
}

/// What the run says that a letter is in.
fn mapped(letter: char, runs: &[(u32, i32)]) -> Option<char> {
    let code = u32::from(letter);
    let start = |run: u32| run & 0x1F_FFFF;
    let behind = runs.partition_point(|(run, _)| start(*run) <= code);
    let (run, distance) = *runs.get(behind.checked_sub(1)?)?;
    let (offset, every, count) = (code - start(run), (run >> 21 & 1) + 1, run >> 22);
    let is_in = offset.is_multiple_of(every) && offset / every < count;
    if is_in { char::from_u32(code.wrapping_add_signed(distance)) } else { None }
}

/// True where a capital sigma between these two is the last letter of its word.
fn ends_word(before: &str, after: &str) -> bool {
    let stands_by = |mut letters: &mut dyn Iterator<Item = char>| {
        Iterator::find(&mut letters, |letter| !is_passed_over(*letter)).is_some_and(has_case)
    };
    stands_by(&mut before.chars().rev()) && !stands_by(&mut after.chars())
}

/// What may stand inside a word and is no letter of it.
fn is_passed_over(letter: char) -> bool {
    is_mark(letter)
        || matches!(letter, '\'' | '.' | ':' | '^' | '`' | '·' | '¨' | '¯' | '´' | '¸' | '\u{ad}' | '’' | '‘')
}

fn has_case(letter: char) -> bool {
    letter.is_ascii_alphabetic()
        || letter == 'İ'
        || mapped(letter, LOWER).is_some()
        || mapped(letter, UPPER).is_some()
        || several(letter).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_the_standard_librarys() {
        let has_case =
            |letter: char| !letter.to_lowercase().chain(letter.to_uppercase()).all(|other| other == letter);
        assert!(!('\u{20000}'..=char::MAX).any(has_case));
        for letter in '\0'..='\u{1ffff}' {
            let (first, more) = lower_letter(letter);
            let small: String = [first].into_iter().chain(more).collect();
            let mut capital = String::new();
            push_upper(letter, &mut capital);
            let code = u32::from(letter);
            assert_eq!(
                small,
                letter.to_lowercase().to_string(),
                "U+{code:04X}: run the example `letter_table`"
            );
            assert_eq!(
                capital,
                letter.to_uppercase().to_string(),
                "U+{code:04X}: run the example `letter_table`"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn texts_are_the_standard_librarys(text in "[a-cA-CΑ-Ωα-ωß .'İ1,-]{0,12}") {
            proptest::prop_assert_eq!(lower(&text), text.to_lowercase());
            proptest::prop_assert_eq!(upper(&text), text.to_uppercase());
        }
    }
}
