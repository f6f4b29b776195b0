//! Words of a normalised text, and one name within another at word boundaries.

/// How one name lies within another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordsWithin {
    /// The longer begins with the shorter.
    Start,
    /// The longer ends with the shorter.
    End,
    /// Words stand on both sides.
    Middle,
}

/// The words of a normalised text. A word is a run of letters and digits; scripts that are written without spaces give one
/// word a character.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| !is_word_char(c));
        let first = rest.chars().next()?;
        let end = if is_unspaced(first) {
            first.len_utf8()
        } else {
            rest.find(|c| !is_word_char(c) || is_unspaced(c)).unwrap_or(rest.len())
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some(word)
    })
}

/// How many words.
pub fn word_count(text: &str) -> usize {
    words(text).count()
}

/// Where `shorter` stands within `longer`, both normalised, at word boundaries; `None` where it does not, where the two are
/// equal, or where `shorter` has no word.
pub fn words_within(longer: &str, shorter: &str) -> Option<WordsWithin> {
    if shorter.len() >= longer.len() || !shorter.contains(is_word_char) {
        return None;
    }
    longer.match_indices(shorter).find_map(|(start, found)| {
        let (before, behind) = (&longer[..start], &longer[start + found.len()..]);
        let open = is_boundary(before.chars().next_back(), shorter.chars().next());
        let close = is_boundary(shorter.chars().next_back(), behind.chars().next());
        (open && close).then(|| match (before.contains(is_word_char), behind.contains(is_word_char)) {
            (true, true) => WordsWithin::Middle,
            (true, false) => WordsWithin::End,
            (false, _) => WordsWithin::Start,
        })
    })
}

fn is_boundary(left: Option<char>, right: Option<char>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => {
            !is_word_char(left) || !is_word_char(right) || is_unspaced(left) || is_unspaced(right)
        }
        _ => true,
    }
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c) || is_pictograph(c)
}

/// Marks that `char::is_alphanumeric` leaves out: a word does not end at them.
pub(super) fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x300..=0x36F | 0x591..=0x5C7 | 0x64B..=0x65F | 0x93C | 0x94D | 0x9CD | 0xE47..=0xE4E)
}

/// Emoji are words: `👍 3` and `👎 3` say different things.
fn is_pictograph(c: char) -> bool {
    matches!(u32::from(c), 0x2600..=0x27BF | 0x1F300..=0x1FAFF)
}

/// Han, Hiragana: a word can begin and end at every character. Katakana and Hangul are written in runs that end.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x3041..=0x3096 | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
        || is_pictograph(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::latin("log in, now", &["log", "in", "now"])]
    #[case::digits("step 12/15", &["step", "12", "15"])]
    #[case::han("保存配置", &["保", "存", "配", "置"])]
    #[case::katakana("データを保存", &["データ", "を", "保", "存"])]
    #[case::arabic("حفظ الملف", &["حفظ", "الملف"])]
    #[case::hebrew_points("שָׁלוֹם עולם", &["שָׁלוֹם", "עולם"])]
    #[case::emoji("👍 3", &["👍", "3"])]
    #[case::none(" -- ", &[])]
    fn splits(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(words(text).collect::<Vec<_>>(), expected);
    }

    #[rstest]
    #[case("save profile", "save", Some(WordsWithin::Start))]
    #[case("add user", "user", Some(WordsWithin::End))]
    #[case("add a child page to 'home'", "home", Some(WordsWithin::End))]
    #[case("do save it", "save", Some(WordsWithin::Middle))]
    #[case("unsubscribe", "subscribe", None)]
    #[case("saved", "save", None)]
    #[case("save", "save", None)]
    #[case("resaved save", "save", Some(WordsWithin::End))]
    #[case("保存配置", "保存", Some(WordsWithin::Start))]
    #[case("сохранить профиль", "сохранить", Some(WordsWithin::Start))]
    #[case("сохранитьпрофиль", "сохранить", None)]
    #[case("حفظ الملف", "حفظ", Some(WordsWithin::Start))]
    #[case("a»", "»", None)]
    #[case("", "", None)]
    fn lies_within(#[case] longer: &str, #[case] shorter: &str, #[case] expected: Option<WordsWithin>) {
        assert_eq!(words_within(longer, shorter), expected);
    }
}
