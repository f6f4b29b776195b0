//! How much two texts have in common.

use super::normalise::normalise;
use super::words::words;

/// The words of a text, hashed and sorted, so that one text can be compared with many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bag {
    words: Vec<u32>,
    whole: u64,
}

impl Bag {
    /// Reads a text as rendered.
    pub fn read(text: &str) -> Self {
        let normal = normalise(text);
        let mut words: Vec<u32> = words(&normal).map(|word| hash(word) as u32).collect();
        crate::order::sort(&mut words);
        let whole = if normal.is_empty() { 0 } else { hash(&normal) };
        Self { words, whole }
    }

    /// True where the text says nothing.
    pub fn is_empty(&self) -> bool {
        self.whole == 0
    }

    /// True where both texts are the same in their normal form.
    pub fn is_same(&self, other: &Self) -> bool {
        self.whole == other.whole && self.words == other.words
    }

    /// Twice the common words over all words (Dice), 0 to 1; 1 for equal texts, 0 where either is empty.
    pub fn likeness(&self, other: &Self) -> f64 {
        if self.is_empty() || other.is_empty() {
            return 0.0;
        }
        if self.is_same(other) {
            return 1.0;
        }
        let total = self.words.len() + other.words.len();
        if total == 0 { 0.0 } else { 2.0 * self.common(other) as f64 / total as f64 }
    }

    /// The common words over those of the shorter text, 0 to 1: a text of which the other is a part scores 1.
    pub fn overlap(&self, other: &Self) -> f64 {
        let shorter = self.words.len().min(other.words.len());
        if shorter == 0 { 0.0 } else { self.common(other) as f64 / shorter as f64 }
    }

    fn common(&self, other: &Self) -> usize {
        let (mut left, mut right, mut common) = (0, 0, 0);
        while let (Some(a), Some(b)) = (self.words.get(left), other.words.get(right)) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => left += 1,
                std::cmp::Ordering::Greater => right += 1,
                std::cmp::Ordering::Equal => {
                    common += 1;
                    left += 1;
                    right += 1;
                }
            }
        }
        common
    }
}

/// How alike two texts are, 0 to 1: their common words (characters, in scripts without spaces), wherever they stand.
pub fn likeness(left: &str, right: &str) -> f64 {
    Bag::read(left).likeness(&Bag::read(right))
}

/// FNV-1a: short words, no secrets, the same on every machine.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::equal("Postal address: Mill Lane 2", "postal address: mill lane 2", 1.0)]
    #[case::disjoint("Opening hours: 9 to 5", "Postal address: Mill Lane 2", 0.0)]
    #[case::one_more("Ada Lovelace", "Ada Lovelace admin", 0.8)]
    #[case::other_order("Lovelace, Ada", "Ada Lovelace", 1.0)]
    #[case::half("Ada Lovelace", "Ada Byron", 0.5)]
    #[case::han("张三的订单", "张三的订货", 0.8)]
    #[case::cyrillic("Иван Петров", "Иван Сидоров", 0.5)]
    #[case::arabic("طلب رقم ٧", "طلب رقم ٨", 2.0 / 3.0)]
    #[case::empty("", "", 0.0)]
    #[case::glyphs("\u{e000}", "\u{e000}", 0.0)]
    #[case::symbols("»", "»", 1.0)]
    #[case::other_symbols("»", "›", 0.0)]
    fn likeness_of(#[case] left: &str, #[case] right: &str, #[case] expected: f64) {
        assert!((likeness(left, right) - expected).abs() < 1e-9, "{}", likeness(left, right));
    }
}
