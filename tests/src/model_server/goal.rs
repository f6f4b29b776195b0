//! A goal in plain sentences, as a list of things to do: `Sign in with %email% and %password%, then press "New", fill "Title" with
//! "Hello", select "Blue" in "Colour" and press "Save" until it says "Saved".`

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Press, open, choose something by its name, where several have it by what stands beside it.
    Press {
        /// Its name.
        name: String,
        /// What stands beside it; empty where that does not matter.
        beside: String,
    },
    /// Put a text into a field.
    Fill {
        /// The field's name.
        field: String,
        /// The text.
        text: String,
    },
    /// Choose an option.
    Select {
        /// The option's label.
        option: String,
        /// The select's name.
        field: String,
    },
    /// Make a box checked or not.
    Tick {
        /// Its name.
        field: String,
        /// Checked.
        on: bool,
    },
    /// Press a key in a field.
    Key {
        /// The key.
        key: String,
        /// The field's name.
        field: String,
    },
    /// Open a URL.
    Visit(String),
    /// Say yes to a dialog of the browser, with this text where it asks for one.
    Accept(String),
    /// Say no to it.
    Dismiss,
    /// Bring a tab to the front.
    Tab(String),
    /// Close the tab in front.
    Close,
    /// Press at a point of the picture: `x,y`.
    At(String),
    /// Move over an element.
    Hover(String),
    /// Read an element as an output.
    Extract {
        /// The element's name.
        name: String,
        /// The output's.
        output: String,
    },
    /// It can be seen.
    See(String),
}

/// Words that begin a thing to do, with what they mean.
const VERBS: [(&str, Verb); 27] = [
    ("sign in with", Verb::SignIn),
    ("log in with", Verb::SignIn),
    ("press at", Verb::At),
    ("press", Verb::Press),
    ("click", Verb::Press),
    ("open", Verb::Press),
    ("choose", Verb::Press),
    ("follow", Verb::Press),
    ("fill", Verb::Fill),
    ("set", Verb::Fill),
    ("type", Verb::Type),
    ("enter", Verb::Type),
    ("select", Verb::Select),
    ("untick", Verb::Untick),
    ("uncheck", Verb::Untick),
    ("tick", Verb::Tick),
    ("check", Verb::Tick),
    ("hit", Verb::Key),
    ("visit", Verb::Visit),
    ("accept", Verb::Accept),
    ("dismiss", Verb::Dismiss),
    ("bring tab", Verb::Tab),
    ("close the tab", Verb::Close),
    ("point at", Verb::Hover),
    ("read", Verb::Extract),
    ("see", Verb::See),
    ("says", Verb::See),
];

#[derive(Clone, Copy)]
enum Verb {
    SignIn,
    Press,
    Fill,
    Type,
    Select,
    Tick,
    Untick,
    Key,
    Visit,
    Accept,
    Dismiss,
    Tab,
    Close,
    At,
    Hover,
    Extract,
    See,
}

/// Reads a goal.
pub fn read(goal: &str) -> Vec<Wish> {
    let mut wishes = Vec::new();
    for clause in clauses(goal) {
        let quoted = quoted(&clause.text);
        let at = |place: usize| quoted.get(place).cloned().unwrap_or_default();
        match clause.verb {
            Verb::SignIn => {
                wishes.push(Wish::Fill { field: "email username user name login".into(), text: at(0) });
                wishes.push(Wish::Fill { field: "password".into(), text: at(1) });
                wishes.push(press("sign in log in", ""));
            }
            Verb::Press => wishes.push(press(&at(0), &at(1))),
            Verb::Fill => wishes.push(Wish::Fill { field: at(0), text: at(1) }),
            Verb::Type => wishes.push(Wish::Fill { field: at(1), text: at(0) }),
            Verb::Select => wishes.push(Wish::Select { option: at(0), field: at(1) }),
            Verb::Tick => wishes.push(Wish::Tick { field: at(0), on: true }),
            Verb::Untick => wishes.push(Wish::Tick { field: at(0), on: false }),
            Verb::Key => wishes.push(Wish::Key { key: at(0), field: at(1) }),
            Verb::Visit => wishes.push(Wish::Visit(at(0))),
            Verb::Accept => wishes.push(Wish::Accept(at(0))),
            Verb::Dismiss => wishes.push(Wish::Dismiss),
            Verb::Tab => wishes.push(Wish::Tab(at(0))),
            Verb::Close => wishes.push(Wish::Close),
            Verb::At => wishes.push(Wish::At(at(0))),
            Verb::Hover => wishes.push(Wish::Hover(at(0))),
            Verb::Extract => wishes.push(Wish::Extract { name: at(0), output: at(1) }),
            Verb::See => wishes.push(Wish::See(at(0))),
        }
    }
    wishes
}

fn press(name: &str, beside: &str) -> Wish {
    Wish::Press { name: name.to_owned(), beside: beside.to_owned() }
}

struct Clause {
    verb: Verb,
    text: String,
}

/// From each verb that stands outside quotes to the next one.
fn clauses(goal: &str) -> Vec<Clause> {
    let lower = goal.to_ascii_lowercase();
    let mut found: Vec<(usize, usize, Verb)> = Vec::new();
    let mut inside = false;
    let mut at = 0;
    while at < lower.len() {
        let rest = &lower[at..];
        if rest.starts_with('"') {
            inside = !inside;
        }
        let begins = at == 0 || !lower[..at].ends_with(|c: char| c.is_alphanumeric());
        let verb = VERBS.iter().find(|(word, _)| {
            rest.strip_prefix(word).is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric()))
        });
        if let Some((word, verb)) = verb.filter(|_| begins && !inside) {
            found.push((at, at + word.len(), *verb));
            at += word.len();
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    let ends = found.iter().skip(1).map(|(start, ..)| *start).chain([goal.len()]);
    found
        .iter()
        .zip(ends)
        .map(|((_, from, verb), to)| Clause { verb: *verb, text: goal[*from..to].to_owned() })
        .collect()
}

/// What stands in quotes, and inputs as they are.
fn quoted(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '%']) {
        let mark = &rest[at..=at];
        let after = &rest[at + 1..];
        let Some(end) = after.find(mark) else { break };
        let whole = &after[..end];
        found.push(if mark == "%" { format!("%{whole}%") } else { whole.to_owned() });
        rest = &after[end + 1..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_a_list_of_things_to_do() {
        let wishes = read(
            "Sign in with %email% and %password%, then press \"Check all\", fill \"Title\" with \"Hello %name%\" and tick \"Public\" \
             until it says \"Saved\".",
        );
        assert_eq!(wishes.len(), 7);
        assert_eq!(wishes[1], Wish::Fill { field: "password".into(), text: "%password%".into() });
        assert_eq!(wishes[3], press("Check all", ""));
        assert_eq!(wishes[4], Wish::Fill { field: "Title".into(), text: "Hello %name%".into() });
        assert_eq!(wishes[6], Wish::See("Saved".into()));
    }
}
