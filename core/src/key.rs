//! The key of a task: what makes two calls the same errand, so that the second one can be played by what the first one did.

use crate::map::Named;
use crate::value::templatize;
use crate::wire::page::InputValue;

/// What a call is recognised by.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The goal, in words.
    pub goal: &'a str,
    /// `http://host:port` of the start page.
    pub site: &'a str,
    /// The start page's title.
    pub title: &'a str,
    /// Today's inputs.
    pub inputs: &'a Named<InputValue>,
    /// Whose call it is.
    pub owner: &'a str,
}

/// The key as text, one part a line: the goal with case and white space folded and `%name%` in the place of values, the
/// site, the page's shape, the names of the inputs, the owner. Values are not in it.
pub fn of(call: &Call<'_>) -> String {
    let goal = folded(&templatize(call.goal, call.inputs));
    let shape = fold_digits(&folded(&templatize(call.title, call.inputs)));
    let mut names: Vec<&str> = call.inputs.keys().map(String::as_str).collect();
    names.sort_unstable();
    let parts = [goal.as_str(), call.site, &shape, &names.join(","), call.owner];
    // A line break in one part must not make it two.
    parts.map(|part| part.replace(['\n', '\r'], " ")).join("\n")
}

fn folded(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// `Orders (17)` and `Orders (3)` are one page.
fn fold_digits(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_ascii_digit() {
            true if folded.ends_with('#') => {}
            true => folded.push('#'),
            false => folded.push(letter),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn key(goal: &str, title: &str, pairs: &[(&str, &str)], owner: &str) -> String {
        let input = |(name, value): &(&str, &str)| {
            ((*name).to_owned(), InputValue { value: (*value).into(), secret: false })
        };
        let inputs: Named<InputValue> = pairs.iter().map(input).collect();
        of(&Call { goal, site: "http://a:1", title, inputs: &inputs, owner })
    }

    const ADA: &[(&str, &str)] = &[("who", "Ada")];

    #[rstest]
    #[case::white_space_and_case("  find   ADA's Orders ", "Orders (17)", &[("who", "ADA")], "me", true)]
    #[case::another_value("Find Bob's orders", "Orders (3)", &[("who", "Bob")], "me", true)]
    #[case::another_goal("Find Ada's invoices", "Orders (17)", ADA, "me", false)]
    #[case::another_page("Find Ada's orders", "Invoices", ADA, "me", false)]
    #[case::another_input("Find Ada's orders", "Orders (17)", &[("name", "Ada")], "me", false)]
    #[case::another_owner("Find Ada's orders", "Orders (17)", ADA, "you", false)]
    fn the_same_errand_has_the_same_key(
        #[case] goal: &str,
        #[case] title: &str,
        #[case] inputs: &[(&str, &str)],
        #[case] owner: &str,
        #[case] same: bool,
    ) {
        let first = key("Find Ada's orders", "Orders (17)", ADA, "me");
        assert_eq!(key(goal, title, inputs, owner) == first, same);
        assert!(!first.contains("Ada"), "{first}");
    }
}
