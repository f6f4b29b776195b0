//! Names in a form that survives what a redesign does to them without meaning anything by it.

use std::borrow::Cow;

use super::compose::compose;
use super::letters::lower_letter;

/// A name as it is compared: what it says, and the count it carried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Name {
    /// The normal form without the count. Empty means unnamed.
    pub base: String,
    /// The digits of a count such as `(3)` at either end, e.g. `3`, `99+`.
    pub count: Option<String>,
}

impl Name {
    /// Reads a name as rendered.
    pub fn read(text: &str) -> Self {
        let folded = fold(text);
        let (rest, count) = split_count(trim(&folded));
        Self { base: trim(rest).to_owned(), count: count.map(str::to_owned) }
    }

    /// True where nothing is left that a person could call it by.
    pub fn is_empty(&self) -> bool {
        self.base.is_empty()
    }
}

/// The normal form of a name: case folded, letters composed, width and quotes unified, icon glyphs and invisible marks
/// out, white space collapsed, trailing `:` `*` `…` and a count such as `(3)` out. Empty means unnamed.
pub fn normalise(text: &str) -> String {
    Name::read(text).base
}

/// True where both names say the same. Two unnamed things have no name in common.
pub fn same_name(left: &str, right: &str) -> bool {
    let left = normalise(left);
    !left.is_empty() && left == normalise(right)
}

/// Folds every character; what it leaves has single spaces only.
fn fold(text: &str) -> String {
    let mut folded = Folded { text: String::with_capacity(text.len()), space: false };
    for c in text.chars() {
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else {
            folded.push_wide(c);
        }
    }
    folded.text
}

struct Folded {
    text: String,
    space: bool,
}

impl Folded {
    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.space = true;
        } else if !c.is_control() {
            if self.space && !self.text.is_empty() {
                self.text.push(' ');
            }
            self.space = false;
            self.text.push(c);
        }
    }

    fn push_wide(&mut self, c: char) {
        if is_invisible(c) {
            return;
        }
        match unify(c) {
            Cow::Borrowed("") => {
                let (small, more) = lower_letter(c);
                self.join(small);
                if let Some(more) = more {
                    self.join(more);
                }
            }
            unified => unified.chars().for_each(|c| self.join(c)),
        }
    }

    /// Pushes `c`, or joins it to the letter before where the two make one.
    fn join(&mut self, c: char) {
        if !self.space
            && let Some(last) = self.text.chars().next_back()
        {
            // "i" with a dot above is an "i": Turkish capitals fold to two characters.
            if last == 'i' && c == '\u{307}' {
                return;
            }
            if let Some(both) = compose(last, c) {
                self.text.pop();
                self.text.push(both);
                return;
            }
        }
        self.push(c);
    }
}

/// Icon glyphs (private use), soft hyphens, zero-width and bidi marks, variation selectors, the Arabic stretcher.
fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0xAD | 0x34F | 0x61C | 0x640 | 0x180E
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F
        | 0xFE00..=0xFE0F | 0xFEFF | 0xFFF9..=0xFFFD
        | 0xE000..=0xF8FF | 0xE0001 | 0xE0100..=0xE01EF | 0xF0000..=0x0010_FFFF)
}

/// Half-width Kana in the order of their code points from U+FF65.
const KANA: &str = "・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";

/// The plain form of what is only written differently; empty where there is none.
fn unify(c: char) -> Cow<'static, str> {
    let plain = match c {
        '‘' | '’' | '‚' | '‛' | '′' | '`' | '´' => "'",
        '“' | '”' | '„' | '‟' | '″' => "\"",
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => "-",
        'ß' | 'ẞ' => "ss",
        'ς' => "σ",
        'ſ' => "s",
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        'ﾞ' => "\u{3099}",
        'ﾟ' => "\u{309A}",
        _ => return unify_width(c),
    };
    Cow::Borrowed(plain)
}

fn unify_width(c: char) -> Cow<'static, str> {
    let narrow = match u32::from(c) {
        code @ 0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0).map(|c| c.to_ascii_lowercase()),
        code @ 0xFF65..=0xFF9D => KANA.chars().nth((code - 0xFF65) as usize),
        _ => None,
    };
    narrow.map_or(Cow::Borrowed(""), |c| Cow::Owned(c.to_string()))
}

/// What stands around a name and says nothing: required and sort marks, arrows, bullets, separators.
fn is_decoration(c: char) -> bool {
    matches!(
        c,
        ' ' | ':'
            | '*'
            | '…'
            | '•'
            | '·'
            | '|'
            | '▲'
            | '▼'
            | '▴'
            | '▾'
            | '▸'
            | '▹'
            | '▶'
            | '◀'
            | '◂'
            | '►'
            | '◄'
            | '△'
            | '▽'
            | '→'
            | '←'
            | '↑'
            | '↓'
            | '↗'
            | '›'
            | '‹'
            | '»'
            | '«'
            | '✓'
            | '✔'
    )
}

/// Takes decoration off both ends. A name that is decoration throughout stays as it is: `»` is all that it says.
fn trim(text: &str) -> &str {
    let trimmed = text.trim_start_matches(|c| c != ':' && is_decoration(c));
    let trimmed = trimmed.trim_end_matches(is_decoration);
    let trimmed = trimmed.strip_suffix("...").map_or(trimmed, |rest| rest.trim_end_matches(is_decoration));
    if trimmed.is_empty() { only_decoration(text) } else { trimmed }
}

/// `*` and `:` alone are no name; an arrow alone is.
fn only_decoration(text: &str) -> &str {
    let text = text.trim_matches(' ');
    if text.chars().all(|c| matches!(c, ' ' | ':' | '*')) { "" } else { text }
}

/// Splits a count in brackets off either end, unless nothing else is left.
fn split_count(text: &str) -> (&str, Option<&str>) {
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some(inner) = text.strip_suffix(close)
            && let Some((rest, digits)) = inner.rsplit_once(open)
            && is_count(digits)
            && !rest.trim().is_empty()
        {
            return (rest, Some(digits));
        }
        if let Some(inner) = text.strip_prefix(open)
            && let Some((digits, rest)) = inner.split_once(close)
            && is_count(digits)
            && !rest.trim().is_empty()
        {
            return (rest, Some(digits));
        }
    }
    (text, None)
}

fn is_count(text: &str) -> bool {
    text.chars().any(char::is_numeric)
        && text.chars().all(|c| c.is_numeric() || matches!(c, ',' | '.' | '\'' | ' ' | '+' | '٬' | '٫'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::case("LOG IN", "Log in")]
    #[case::colon("Username:", "Username")]
    #[case::required("TITLE *", "Title*")]
    #[case::required_in_front("* Title", "Title")]
    #[case::ellipsis("Search…", "search...")]
    #[case::white_space("Add\u{a0} \n user", "Add user")]
    #[case::icon_font("\u{f101} Billing", "Billing")]
    #[case::icon_font_beyond("Billing\u{f0001}", "Billing")]
    #[case::soft_hyphen("Ein\u{ad}stellungen", "Einstellungen")]
    #[case::zero_width("Check\u{200b}out", "Checkout")]
    #[case::bidi_marks("\u{200e}Save\u{200f}", "Save")]
    #[case::count("Inbox (3)", "Inbox")]
    #[case::count_in_front("(12) Inbox", "Inbox")]
    #[case::count_square("Inbox [1,234]", "Inbox (99+)")]
    #[case::count_behind_colon("Inbox (3):", "Inbox")]
    #[case::arrow("Name ▼", "Name ▲")]
    #[case::next("Next »", "Next")]
    #[case::sharp_s("Straße", "STRASSE")]
    #[case::turkish("İptal", "iptal")]
    #[case::final_sigma("Όνομας", "ΌΝΟΜΑΣ")]
    #[case::decomposed("Re\u{301}sume\u{301}", "résumé")]
    #[case::vietnamese("Đăng nhâ\u{323}p", "đăng nhập")]
    #[case::cyrillic("\u{418}\u{306}ОГУРТ", "йогурт")]
    #[case::arabic_stretched("حفـــظ", "حفظ")]
    #[case::arabic_composed("\u{627}\u{653}خر", "آخر")]
    #[case::arabic_count("الرسائل (٣)", "الرسائل")]
    #[case::hebrew_mark("שמור\u{200f}:", "שמור")]
    #[case::full_width("ＯＫ：", "ok")]
    #[case::half_kana("ﾃﾞｰﾀ", "データ")]
    #[case::japanese("ほそ\u{3099}ん", "ほぞん")]
    #[case::korean("\u{1112}\u{1161}\u{11ab}글", "한글")]
    #[case::chinese("保存（3）", "保存")]
    #[case::emoji_selector("❤\u{fe0f} Like", "❤ Like")]
    #[case::quotes("Don’t save", "Don't save")]
    #[case::dashes("Sign‑in", "Sign-in")]
    fn says_the_same(#[case] left: &str, #[case] right: &str) {
        assert_eq!(normalise(left), normalise(right));
        assert!(same_name(left, right));
    }

    #[rstest]
    #[case("Save", "Saved")]
    #[case("Step 1", "Step 2")]
    #[case("resume", "résumé")]
    #[case("👍", "👎")]
    #[case("›", "»")]
    #[case("保存", "保守")]
    #[case("й", "и")]
    #[case("", "")]
    #[case("*", ":")]
    #[case("\u{e001}", "\u{e002}")]
    #[case("(1)", "(2)")]
    fn says_something_else(#[case] left: &str, #[case] right: &str) {
        assert!(!same_name(left, right), "{:?} {:?}", normalise(left), normalise(right));
    }

    #[test]
    fn a_count_stands_apart() {
        assert_eq!(Name::read("Inbox (3)"), Name { base: "inbox".into(), count: Some("3".into()) });
        assert_eq!(Name::read("(3)"), Name { base: "(3)".into(), count: None });
        assert_eq!(Name::read("Room (A)").count, None);
    }

    #[test]
    fn glyphs_alone_are_no_name() {
        for text in ["\u{f101}", " * ", "\u{200b}", " : ", "\n"] {
            assert!(Name::read(text).is_empty(), "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn normal_forms_stay(text in "\\PC{0,24}") {
            let once = Name::read(&text);
            // A second count may come to the surface ("a (1) (2)"); the base without counts is a fixed point.
            if once.count.is_none() {
                proptest::prop_assert_eq!(&Name::read(&once.base).base, &once.base);
            }
        }
    }
}
