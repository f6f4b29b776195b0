//! Which names a check may rest on: those that will be the same in the next run.
//!
//! A name that holds an order number, a date, a clock or a hash was true once. A check on it would fail a run in which
//! nothing is wrong, so such a name is evidence and never a condition.

use crate::text::looks_generated;

/// Longest name that a check quotes, in characters: longer ones are prose, and prose is edited.
const LONGEST: usize = 80;

/// A run of so many digits is a number that somebody counted up.
const DIGIT_RUN: usize = 3;

/// Words that make a name a moment's: what they say moves on by itself.
const MOMENTS: [&str; 15] = [
    "ago",
    "just now",
    "yesterday",
    "today",
    "tomorrow",
    "loading",
    "seconds",
    "minutes",
    "hours",
    "last updated",
    "saving",
    "please wait",
    "remaining",
    "elapsed",
    "processing",
];

/// Months, whole or short, that make a date of a number beside them.
const MONTHS: [&str; 23] = [
    "jan",
    "january",
    "feb",
    "february",
    "mar",
    "march",
    "apr",
    "april",
    "may",
    "jun",
    "june",
    "jul",
    "july",
    "aug",
    "august",
    "sep",
    "september",
    "oct",
    "october",
    "nov",
    "november",
    "dec",
    "december",
];

/// True where a check may quote `name`. Input tokens (`%name%`) are stable by definition and do not count.
pub fn is_durable(name: &str) -> bool {
    let plain = without_tokens(name);
    let letters = name.chars().any(char::is_alphanumeric);
    letters
        && name.chars().count() <= LONGEST
        && !has_digit_run(&plain)
        && !has_moment(&plain)
        && !plain.split_whitespace().any(|word| is_clock_or_date(word) || is_generated(word))
        && !has_month_and_number(&plain)
}

/// `name` with every `%token%` taken out and `%%` made one percent sign.
fn without_tokens(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(start) = rest.find('%') {
        plain.push_str(&rest[..start]);
        let after = &rest[start + 1..];
        if let Some(more) = after.strip_prefix('%') {
            plain.push('%');
            rest = more;
        } else if let Some(end) = after.find('%') {
            rest = &after[end + 1..];
        } else {
            rest = after;
        }
    }
    plain.push_str(rest);
    plain
}

fn has_digit_run(text: &str) -> bool {
    let mut run = 0;
    text.chars().any(|character| {
        run = if character.is_ascii_digit() { run + 1 } else { 0 };
        run >= DIGIT_RUN
    })
}

fn has_moment(text: &str) -> bool {
    let lower = text.to_lowercase();
    MOMENTS.iter().any(|moment| {
        lower.match_indices(moment).any(|(start, found)| {
            let before = lower[..start].chars().next_back();
            let after = lower[start + found.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
    })
}

/// `12:45`, `9/2/31`, `2031-02`, `09.02.`: digits on both sides of a separator that clocks and dates use.
fn is_clock_or_date(word: &str) -> bool {
    let core = word.trim_matches(|character: char| !character.is_alphanumeric());
    let mut parts = core.split([':', '/', '-']);
    let Some(first) = parts.next() else { return false };
    let is_number = |part: &str| !part.is_empty() && part.chars().all(|character| character.is_ascii_digit());
    let numbers = 1 + parts.by_ref().take_while(|part| is_number(part)).count();
    let dotted = core.split('.').filter(|part| is_number(part)).count() >= 3;
    (is_number(first) && numbers >= 2) || dotted
}

/// A word that a machine made up. Short words are left alone: `3a` is a flat, `B2` a seat.
fn is_generated(word: &str) -> bool {
    let core = word.trim_matches(|character: char| !character.is_alphanumeric());
    core.chars().count() >= 6
        && core.chars().any(|character| character.is_ascii_digit())
        && looks_generated(core)
}

fn has_month_and_number(text: &str) -> bool {
    let words: Vec<String> = text
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.windows(2).any(|pair| {
        let is_month = |word: &str| MONTHS.contains(&word);
        let is_day = |word: &str| word.chars().next().is_some_and(|first| first.is_ascii_digit());
        (is_month(&pair[0]) && is_day(&pair[1])) || (is_day(&pair[0]) && is_month(&pair[1]))
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::is_durable;

    #[rstest]
    #[case("Thank you")]
    #[case("Page 2 of 5")]
    #[case("Order %order%")]
    #[case("Hello %mail-2026-01-01%!")]
    #[case("50%% off")]
    #[case("Flat 3a")]
    #[case("Step 1: Address")]
    #[case("Dashboard")]
    #[case("Totals by month")]
    #[case("Mayor")]
    #[case("שם הצוות")]
    fn durable(#[case] name: &str) {
        assert!(is_durable(name), "{name}");
    }

    #[rstest]
    #[case("")]
    #[case("—")]
    #[case("Order 10482 placed")]
    #[case("Updated 12:45")]
    #[case("Due 9/2/31")]
    #[case("Invoice of 2 March")]
    #[case("March 2")]
    #[case("3 minutes ago")]
    #[case("Loading…")]
    #[case("09.02.31")]
    #[case("This sentence is prose that goes on and on, and will be edited by someone before long, surely.")]
    fn passing(#[case] name: &str) {
        assert!(!is_durable(name), "{name}");
    }
}
