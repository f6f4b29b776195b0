//! How another name relates to the recorded one: may it be the same thing under a new label?

use crate::text::{Bag, WordsWithin, word_count, words, words_within};

/// How a name relates to the recorded one. Both are normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameMatch {
    /// The same letters; only spaces and punctuation differ.
    SameWords,
    /// One contains the other at word boundaries, and is at most twice as long.
    Part,
    /// More than half of the words are shared, the first among them, or one of the two is unnamed: no contradiction, and
    /// no match.
    Compatible,
    /// They say different things.
    Contradicts,
}

/// Words that, added to a name, make it mean more than it did ("Delete" and "Delete all") or the opposite.
const WIDENING: [&str; 36] = [
    "all",
    "everything",
    "every",
    "entire",
    "not",
    "don't",
    "don",
    "no",
    "never",
    "without",
    "cancel",
    "undo",
    "stop",
    "alle",
    "alles",
    "nicht",
    "ohne",
    "tout",
    "tous",
    "toutes",
    "todo",
    "todos",
    "todas",
    "tutto",
    "tutti",
    "all'",
    "все",
    "всё",
    "не",
    "全部",
    "所有",
    "すべて",
    "全て",
    "모두",
    "הכל",
    "الكل",
];

/// Relates `name` to `recorded`.
pub(super) fn compare_names(recorded: &str, name: &str) -> NameMatch {
    if recorded.is_empty() || name.is_empty() {
        return NameMatch::Compatible;
    }
    if let Some(part) = compare_parts(recorded, name) {
        return part;
    }
    if Bag::read(recorded).likeness(&Bag::read(name)) > 0.5 && !is_turned(recorded, name) {
        NameMatch::Compatible
    } else {
        NameMatch::Contradicts
    }
}

/// True where the names have the same letters, or one is a part of the other: the question of a whole page, so it allocates
/// nothing.
pub(super) fn is_part_of(recorded: &str, name: &str) -> bool {
    matches!(compare_parts(recorded, name), Some(NameMatch::Part | NameMatch::SameWords))
}

/// True where one of the names says all that the other does.
pub(super) fn says(recorded: &str, name: &str) -> bool {
    compare_parts(recorded, name).is_some()
}

fn compare_parts(recorded: &str, name: &str) -> Option<NameMatch> {
    if has_same_letters(recorded, name) {
        return Some(NameMatch::SameWords);
    }
    let (longer, shorter) = if name.len() > recorded.len() { (name, recorded) } else { (recorded, name) };
    words_within(longer, shorter).map(|within| part(longer, shorter, within))
}

/// "Accept all cookies" and "Reject all cookies": the first word, which says what happens, became another one and the rest
/// stayed. An id that stayed too proves nothing then: it is the place that was kept, and not the meaning.
fn is_turned(recorded: &str, name: &str) -> bool {
    let (mut old, mut new) = (words(recorded), words(name));
    let (Some(first), Some(now)) = (old.next(), new.next()) else { return false };
    let is_form = first.starts_with(now) || now.starts_with(first);
    !is_form && old.eq(new)
}

/// `U.S.` and `US`, `e-mail` and `email`: the same but for what is no letter and no digit.
fn has_same_letters(left: &str, right: &str) -> bool {
    let letters = |c: &char| c.is_alphanumeric();
    left.chars().any(char::is_alphanumeric) && left.chars().filter(letters).eq(right.chars().filter(letters))
}

fn part(longer: &str, shorter: &str, within: WordsWithin) -> NameMatch {
    let added = longer.replacen(shorter, " ", 1);
    let widened =
        WIDENING.iter().any(|word| added.trim() == *word || words(&added).any(|added| added == *word));
    let near = 2 * word_count(shorter) >= word_count(longer) && within != WordsWithin::Middle;
    if near && !widened { NameMatch::Part } else { NameMatch::Compatible }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::one_word_more("save", "save profile", NameMatch::Part)]
    #[case::one_word_less("save profile", "save", NameMatch::Part)]
    #[case::too_much_more("home", "add a child page to 'home'", NameMatch::Compatible)]
    #[case::all("delete", "delete all", NameMatch::Compatible)]
    #[case::everything("delete", "delete everything", NameMatch::Compatible)]
    #[case::not("save", "don't save", NameMatch::Compatible)]
    #[case::cancel("order", "cancel order", NameMatch::Compatible)]
    #[case::russian_all("удалить", "удалить все", NameMatch::Compatible)]
    #[case::chinese_all("删除", "删除全部", NameMatch::Compatible)]
    #[case::chinese("保存", "保存配置", NameMatch::Part)]
    #[case::arabic("حفظ", "حفظ الملف", NameMatch::Part)]
    #[case::comma("phone, email or username", "phone, email, or username", NameMatch::SameWords)]
    #[case::points("u.s.", "us", NameMatch::SameWords)]
    #[case::hyphen("e-mail", "email", NameMatch::SameWords)]
    #[case::shared_half("support and communities", "support and blogs", NameMatch::Compatible)]
    #[case::other("help", "support", NameMatch::Contradicts)]
    #[case::inside_a_word("subscribe", "unsubscribe", NameMatch::Contradicts)]
    #[case::other_verb("confirm booking", "discard booking", NameMatch::Contradicts)]
    #[case::other_verb_of_three("accept all cookies", "reject all cookies", NameMatch::Contradicts)]
    #[case::other_form("message settings page", "messages settings page", NameMatch::Compatible)]
    #[case::unnamed("", "save", NameMatch::Compatible)]
    #[case::plus("+", "-", NameMatch::Contradicts)]
    #[case::symbols("»", "›", NameMatch::Contradicts)]
    fn relates(#[case] recorded: &str, #[case] name: &str, #[case] expected: NameMatch) {
        assert_eq!(compare_names(recorded, name), expected);
    }
}
