//! From what a step was seen to cause to what must hold when it is played again, and from a whole recording to the
//! checks that say whether a run reached its goal.
//!
//! Only what was not true before the act, and what will be the same next time, becomes a condition. Everything else
//! stays in the effect, for people. The effect already holds differences alone: the recorder measures it against the
//! page as it stood when the act began.

use super::durable::is_durable;
use super::{Condition, Effect, Method, Postcondition, Precondition, Seen, Step};
use crate::url_pattern::generalise;
use crate::value::{Piece, pieces};

/// At most so many elements of one kind of evidence in a postcondition: each more is one more reason to fail.
const MOST_ELEMENTS: usize = 3;

/// At most so many element checks in a goal.
const MOST_GOALS: usize = 3;

/// At most so many elements are offered where the goal would be only the URL.
const MOST_OFFERED: usize = 12;

/// What must hold before `step` is played.
pub fn precondition(step: &Step) -> Precondition {
    let leaves = matches!(
        step.action.method,
        Method::Goto | Method::Back | Method::Forward | Method::Reload | Method::SwitchTab | Method::CloseTab
    );
    Precondition {
        wait_for_target: step.action.target.is_some(),
        url_pattern: (!leaves && !step.url_before.is_empty()).then(|| pattern_of(&step.url_before)),
    }
}

/// What must hold after `step`: what it was seen to cause and what will be so again.
pub fn postcondition(step: &Step, effect: &Effect) -> Postcondition {
    let moved = effect.url_after.as_ref().is_some_and(|after| after != &step.url_before);
    let named = Postcondition {
        url_pattern: effect.url_after.as_deref().and_then(|after| moved_pattern(step, after)),
        value: target_value(step, effect),
        checked: matches!(step.action.method, Method::Check | Method::Uncheck)
            .then_some(effect.checked)
            .flatten(),
        appeared: best(&effect.appeared, &effect.vanished, |seen| {
            appearance_rank(seen, moved).filter(|_| !is_called_by_field(seen, step))
        }),
        vanished: best(&effect.vanished, &effect.appeared, |seen| vanish_rank(seen, moved)),
        new_tab: effect.new_tab.as_deref().map(pattern_of),
        dialog: effect.dialogs.first().filter(|text| is_durable(text)).cloned(),
        stirs: None,
    };
    let tells_nothing = named.is_empty() && effect.download.is_none() && can_stir(step.action.method);
    Postcondition { stirs: effect.stirs.filter(|stirs| *stirs && tells_nothing), ..named }
}

/// Acts of which nothing tells but what the page makes of them.
fn can_stir(method: Method) -> bool {
    matches!(
        method,
        Method::Click | Method::Dblclick | Method::Contextmenu | Method::Press | Method::Type | Method::Drag
    )
}

/// The pattern of the URL after a step, unless the URL before it has the same one: then it says nothing of the step.
fn moved_pattern(step: &Step, after: &str) -> Option<String> {
    let pattern = pattern_of(after);
    (step.action.method == Method::Goto || pattern != pattern_of(&step.url_before)).then_some(pattern)
}

/// The value that the target must hold. An emptied field is no condition: a chat box empties itself when it sends.
fn target_value(step: &Step, effect: &Effect) -> Option<String> {
    let holds_value = matches!(step.action.method, Method::Fill | Method::Select);
    let typed_nothing = step.action.value.as_deref().is_none_or(str::is_empty);
    effect.value.clone().filter(|value| holds_value && (typed_nothing || !value.is_empty()))
}

/// True of what holds the field and is called by what stands in it: the value says that already.
fn is_called_by_field(seen: &Seen, step: &Step) -> bool {
    matches!(step.action.method, Method::Fill | Method::Select | Method::Type)
        && step.action.value.as_deref() == Some(seen.name.as_str())
        && matches!(
            seen.role.as_str(),
            "cell" | "gridcell" | "rowheader" | "columnheader" | "row" | "listitem"
        )
}

/// The elements most worth demanding, best first, without those that only changed their place in the lists.
fn best(seen: &[Seen], against: &[Seen], rank: impl Fn(&Seen) -> Option<u8>) -> Vec<Seen> {
    let mut ranked: Vec<(u8, usize, &Seen)> = seen
        .iter()
        .enumerate()
        .filter(|(_, one)| is_durable(&one.name))
        .filter(|(_, one)| !against.iter().any(|other| other.role == one.role && other.name == one.name))
        .filter_map(|(place, one)| rank(one).map(|rank| (rank, place, one)))
        .collect();
    ranked.sort_by_key(|(rank, place, _)| (*rank, *place));
    let Some(first) = ranked.first().map(|(rank, ..)| *rank) else { return Vec::new() };
    // A dialog that opened says it all: its two dozen buttons add nothing but ways to fail.
    let enough = if first == RANK_DIALOG { 1 } else { MOST_ELEMENTS };
    ranked.into_iter().take(enough).map(|(.., one)| durable_scope(one)).collect()
}

/// A scope that will not be the same next time is dropped from the check, not the check for its sake. So is one that
/// only stands in for a region: the heading or card around an element is the first thing that a redesign moves.
fn durable_scope(seen: &Seen) -> Seen {
    let holds =
        |scope: &String| is_region(scope) && scope.split_once(':').is_some_and(|(_, name)| is_durable(name));
    Seen { role: seen.role.clone(), name: seen.name.clone(), scope: seen.scope.clone().filter(holds) }
}

/// True of the label of an ARIA region; false of what only stands in for one: a heading, a card.
pub fn is_region(scope: &str) -> bool {
    scope.split_once(':').is_some_and(|(kind, _)| !is_fallback(kind))
}

/// Kinds of scope that are no ARIA region.
fn is_fallback(kind: &str) -> bool {
    matches!(kind, "heading" | "card" | "listitem" | "details")
}

const RANK_DIALOG: u8 = 0;
const RANK_HEADING: u8 = 2;
const RANK_CONTROL: u8 = 4;

/// How much an appearance says of its cause; `None` for what comes and goes by itself.
fn appearance_rank(seen: &Seen, moved: bool) -> Option<u8> {
    match seen.role.as_str() {
        "dialog" | "alertdialog" => Some(RANK_DIALOG),
        "alert" => Some(1),
        "heading" => Some(RANK_HEADING),
        "status" => Some(3),
        "menu" | "listbox" | "tabpanel" | "tree" | "grid" | "tooltip" => Some(RANK_CONTROL),
        "progressbar" | "timer" | "log" | "marquee" => None,
        // A new page is told by its URL and its headings; its hundred links are no evidence of the step.
        _ if moved => None,
        role if is_control(role) => Some(5),
        "region" | "navigation" | "main" | "form" | "group" | "complementary" => Some(6),
        _ => Some(7),
    }
}

/// As `appearance_rank`. A toast that went may have gone by itself.
fn vanish_rank(seen: &Seen, moved: bool) -> Option<u8> {
    match seen.role.as_str() {
        "dialog" | "alertdialog" => Some(RANK_DIALOG),
        "alert" | "status" | "tooltip" | "progressbar" | "timer" | "log" | "marquee" => None,
        "menu" | "listbox" => Some(1),
        // What stood on the page before and not on the next one tells that it is another page: the URL says that better, and
        // a list that is sorted or narrowed differently by today's data has the same links.
        _ if moved => None,
        "heading" => Some(RANK_HEADING),
        role if is_control(role) => Some(RANK_CONTROL),
        _ => Some(6),
    }
}

fn is_control(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "link"
            | "textbox"
            | "searchbox"
            | "combobox"
            | "checkbox"
            | "radio"
            | "switch"
            | "slider"
            | "spinbutton"
            | "tab"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "option"
            | "treeitem"
            | "gridcell"
            | "date"
            | "time"
            | "color"
            | "file"
    )
}

/// A recorded step with what it was seen to cause.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    /// The step.
    pub step: &'a Step,
    /// What it caused.
    pub effect: &'a Effect,
}

/// The end-state checks of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Goal {
    /// The checks, for `Script::goal_postconditions`.
    pub checks: Vec<Condition>,
    /// True where nothing but the URL could be checked: a run that goes wrong on the right page would pass.
    pub only_url: bool,
    /// Where `only_url`: elements of the last page that a person may pick as a check, best first.
    pub offered: Vec<Seen>,
}

impl Goal {
    /// What to tell the person about the checks; `None` where they are good.
    pub fn warning(&self) -> Option<String> {
        if !self.only_url {
            return None;
        }
        let names: Vec<String> =
            self.offered.iter().take(5).map(|one| format!("{} \"{}\"", one.role, one.name)).collect();
        Some(if names.is_empty() {
            "The goal is checked by the URL alone: nothing else on the last page is worth checking."
                .to_owned()
        } else {
            format!(
                "The goal is checked by the URL alone. These elements of the last page could be checked: {}.",
                names.join(", ")
            )
        })
    }
}

/// Exact end-state checks: where the run ended, and what stands there because of it.
///
/// `assertable` holds the elements of the last page as it stood at the end. An element is checked only where the run
/// brought it about (it appeared in a step's effect) and it is still there.
pub fn goal(recorded: &[Recorded<'_>], assertable: &[Seen]) -> Goal {
    let mut checks: Vec<Condition> = last_url(recorded)
        .map(|url| Condition { url_pattern: Some(pattern_of(url)), ..Condition::default() })
        .into_iter()
        .collect();
    let urls = checks.len();
    let brought = brought_about(recorded, assertable);
    checks.extend(brought.iter().take(MOST_GOALS).map(element_check));
    if let Some(state) = last_state(recorded) {
        checks.push(state);
    }
    let only_url = checks.len() == urls;
    let offered = if only_url { offers(assertable) } else { Vec::new() };
    Goal { checks, only_url, offered }
}

/// Where the run ended: the last URL that a step led to, else where the last step was done.
fn last_url<'a>(recorded: &[Recorded<'a>]) -> Option<&'a str> {
    let last = recorded.last()?;
    Some(last.effect.url_after.as_deref().unwrap_or(&last.step.url_before)).filter(|url| !url.is_empty())
}

/// What the run brought about and what is still there, the latest and most telling first.
fn brought_about(recorded: &[Recorded<'_>], assertable: &[Seen]) -> Vec<Seen> {
    let last = recorded.len().saturating_sub(1);
    let mut found: Vec<(u8, usize, Seen)> = Vec::new();
    for (place, one) in recorded.iter().enumerate().rev() {
        for seen in &one.effect.appeared {
            let stays = assertable.contains(seen) || (place == last && assertable.is_empty());
            let is_it = |other: &Seen| other.role == seen.role && other.name == seen.name;
            let known = found.iter().any(|(.., other)| is_it(other));
            // A later step was seen to take it away again, whatever a look at the end says.
            let gone = recorded.iter().skip(place + 1).any(|later| later.effect.vanished.iter().any(is_it));
            let stays = stays && !known && !gone;
            let Some(rank) = goal_rank(seen).filter(|_| stays && is_durable(&seen.name)) else {
                continue;
            };
            found.push((rank, last - place, durable_scope(seen)));
        }
    }
    found.sort_by_key(|(rank, age, _)| (*age, *rank));
    found.into_iter().map(|(.., seen)| seen).collect()
}

/// Kinds of element that state a result.
fn goal_rank(seen: &Seen) -> Option<u8> {
    match seen.role.as_str() {
        "alert" | "status" => Some(0),
        "heading" => Some(1),
        "dialog" | "alertdialog" => Some(2),
        "tabpanel" | "region" | "row" | "listitem" | "img" | "cell" => Some(3),
        _ => None,
    }
}

fn element_check(seen: &Seen) -> Condition {
    Condition {
        role: Some(seen.role.clone()),
        name: Some(seen.name.clone()),
        scope: seen.scope.clone(),
        ..Condition::default()
    }
}

/// The state in which the last step left its target, where that is the result: a box ticked, a field filled, an option
/// chosen, with nothing pressed after it.
fn last_state(recorded: &[Recorded<'_>]) -> Option<Condition> {
    let Recorded { step, effect } = recorded.last()?;
    let target = step.action.target.as_ref().filter(|target| is_durable(&target.name))?;
    let after = postcondition(step, effect);
    if after.checked.is_none() && after.value.is_none() {
        return None;
    }
    Some(Condition {
        role: Some(target.role.clone()),
        name: Some(target.name.clone()),
        scope: target.scope.clone().filter(|_| target.twins.is_some_and(|twins| twins > 1)),
        value: after.value,
        checked: after.checked,
        ..Condition::default()
    })
}

fn offers(assertable: &[Seen]) -> Vec<Seen> {
    let mut offered: Vec<(u8, &Seen)> = assertable
        .iter()
        .filter(|one| is_durable(&one.name))
        .filter_map(|one| appearance_rank(one, false).map(|rank| (rank, one)))
        .collect();
    offered.sort_by_key(|(rank, _)| *rank);
    offered.into_iter().take(MOST_OFFERED).map(|(_, one)| one.clone()).collect()
}

/// The pattern of a stored URL: ids, hashes, nonces and dates generalised, input tokens kept.
///
/// `generalise` reads a URL as the browser gave it, so each token is carried through as one character that no URL holds.
fn pattern_of(stored: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut url = String::with_capacity(stored.len());
    for piece in pieces(stored, |_| true) {
        match piece {
            Piece::Literal(text) => url.push_str(text),
            Piece::Input(name) => {
                url.push(carrier(names.len()));
                names.push(name);
            }
        }
    }
    let mut pattern = generalise(&url);
    for (place, name) in names.iter().enumerate() {
        pattern = pattern.replace(carrier(place), &format!("%{name}%"));
    }
    pattern
}

/// One of the private-use characters of plane 15.
fn carrier(place: usize) -> char {
    u32::try_from(place).ok().and_then(|place| char::from_u32(0xF_0000 + place)).unwrap_or('\u{F_FFFD}')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::script::{Action, Target};

    fn seen(text: &str) -> Seen {
        let (role, rest) = text.split_once(' ').unwrap();
        let (name, scope) =
            rest.split_once(" in ").map_or((rest, None), |(name, scope)| (name, Some(scope.to_owned())));
        Seen { role: role.to_owned(), name: name.to_owned(), scope }
    }

    fn all(texts: &[&str]) -> Vec<Seen> {
        texts.iter().map(|text| seen(text)).collect()
    }

    fn step(method: Method, url: &str) -> Step {
        let target = Target { role: "button".to_owned(), name: "Go".to_owned(), ..Target::default() };
        Step {
            url_before: url.to_owned(),
            action: Action { method, target: Some(target), ..Action::default() },
            ..Step::default()
        }
    }

    fn moved(to: &str) -> Effect {
        Effect { url_after: Some(to.to_owned()), ..Effect::default() }
    }

    #[rstest]
    #[case("http://h/a", "http://h/b", Some("http://h/b"))]
    #[case("http://h/orders", "http://h/orders/1042", Some("http://h/orders/*"))]
    // The same pattern before and after says nothing of the step.
    #[case("http://h/orders/17", "http://h/orders/18", None)]
    #[case("http://h/", "http://h/u/%who%?q=%%20", Some("http://h/u/%who%?q=%%20"))]
    #[case("http://h/", "http://h/u/x-%who%", Some("http://h/u/x-%who%"))]
    fn urls(#[case] before: &str, #[case] after: &str, #[case] expected: Option<&str>) {
        let after = postcondition(&step(Method::Click, before), &moved(after));
        assert_eq!(after.url_pattern.as_deref(), expected);
    }

    #[rstest]
    // A dialog says it all.
    #[case(&["button Save", "dialog Edit address", "textbox Street"], &["dialog Edit address"])]
    // Results before controls, three at most, in the page's order within a kind.
    #[case(&["button A", "button B", "heading Done", "button C"], &["heading Done", "button A", "button B"])]
    // What another run would not repeat is no condition.
    #[case(&["status Saved at 12:45", "heading Order 10482", "link Loading…", "link Next"], &["link Next"])]
    #[case(&["status Order %order% placed"], &["status Order %order% placed"])]
    #[case(&["progressbar Upload", "timer Clock"], &[])]
    fn appearances(#[case] appeared: &[&str], #[case] expected: &[&str]) {
        let effect = Effect { appeared: all(appeared), ..Effect::default() };
        let after = postcondition(&step(Method::Click, "http://h/"), &effect);
        assert_eq!(after.appeared, all(expected));
    }

    #[test]
    fn what_only_moved_is_neither_new_nor_gone() {
        let effect = Effect {
            appeared: all(&["button Edit in region:Done", "heading Two"]),
            vanished: all(&["button Edit in region:To do", "status Saved", "menu File"]),
            ..Effect::default()
        };
        let after = postcondition(&step(Method::Click, "http://h/"), &effect);
        assert_eq!(after.appeared, all(&["heading Two"]));
        assert_eq!(after.vanished, all(&["menu File"]));
    }

    #[test]
    fn a_new_page_is_told_by_its_url_and_headings() {
        let effect = Effect { appeared: all(&["link Home", "heading Report"]), ..moved("http://h/report") };
        let after = postcondition(&step(Method::Click, "http://h/"), &effect);
        assert_eq!(after.appeared, all(&["heading Report"]));
    }

    #[test]
    fn what_a_page_that_was_left_showed_is_no_condition_on_the_next() {
        let effect = Effect {
            vanished: all(&["link id", "heading Roads", "dialog Cookies"]),
            ..moved("http://h/roads?_sort=id")
        };
        let after = postcondition(&step(Method::Click, "http://h/roads"), &effect);
        assert_eq!(after.vanished, all(&["dialog Cookies"]));
    }

    #[test]
    fn the_cell_around_a_field_is_no_condition_of_its_being_filled() {
        let effect = Effect {
            value: Some("%pet%".into()),
            appeared: all(&["cell %pet%", "option %pet%"]),
            ..Effect::default()
        };
        let mut filled = step(Method::Fill, "http://h/");
        filled.action.value = Some("%pet%".into());
        assert_eq!(postcondition(&filled, &effect).appeared, all(&["option %pet%"]));
    }

    #[test]
    fn a_scope_with_a_number_is_left_out_of_the_check() {
        let effect = Effect { appeared: all(&["button Undo in group:Order 10482"]), ..Effect::default() };
        let after = postcondition(&step(Method::Click, "http://h/"), &effect);
        assert_eq!(after.appeared, all(&["button Undo"]));
    }

    #[rstest]
    #[case(Method::Fill, Some("Ada"), Some("Ada"), Some("Ada"))]
    #[case(Method::Fill, Some("%password%"), Some("%password%"), Some("%password%"))]
    // A chat box empties itself when it sends.
    #[case(Method::Fill, Some("hello"), Some(""), None)]
    #[case(Method::Fill, Some(""), Some(""), Some(""))]
    #[case(Method::Click, None, Some("x"), None)]
    fn values(
        #[case] method: Method,
        #[case] typed: Option<&str>,
        #[case] value: Option<&str>,
        #[case] expected: Option<&str>,
    ) {
        let mut step = step(method, "http://h/");
        step.action.value = typed.map(str::to_owned);
        let effect = Effect { value: value.map(str::to_owned), ..Effect::default() };
        assert_eq!(postcondition(&step, &effect).value.as_deref(), expected);
    }

    #[test]
    fn preconditions() {
        let before = precondition(&step(Method::Click, "http://h/orders/1042?x=%%20"));
        assert!(before.wait_for_target);
        assert_eq!(before.url_pattern.as_deref(), Some("http://h/orders/*?x=%%20"));
        let before = precondition(&Step {
            action: Action { method: Method::Goto, ..Action::default() },
            url_before: "http://h/".to_owned(),
            ..Step::default()
        });
        assert_eq!(before, Precondition::default());
    }

    #[test]
    fn a_goal_is_what_the_run_brought_about_and_still_stands() {
        let (first, second) = (step(Method::Click, "http://h/"), step(Method::Click, "http://h/cart"));
        let opened = Effect { appeared: all(&["heading Your cart"]), ..moved("http://h/cart") };
        let paid = Effect {
            appeared: all(&["button Print", "heading Thank you", "status Paid"]),
            ..moved("http://h/done/88")
        };
        let recorded =
            [Recorded { step: &first, effect: &opened }, Recorded { step: &second, effect: &paid }];
        let goal = goal(&recorded, &all(&["heading Thank you", "status Paid", "heading Help"]));
        assert!(!goal.only_url && goal.warning().is_none());
        assert_eq!(goal.checks[0].url_pattern.as_deref(), Some("http://h/done/*"));
        let names: Vec<_> = goal.checks[1..].iter().filter_map(|check| check.name.as_deref()).collect();
        assert_eq!(names, ["Paid", "Thank you"]);
    }

    #[test]
    fn what_a_later_step_took_away_is_no_goal() {
        let (first, second) = (step(Method::Click, "http://h/"), step(Method::Click, "http://h/"));
        let opened = Effect { appeared: all(&["tabpanel Details"]), ..Effect::default() };
        let sent = Effect {
            appeared: all(&["status Sent"]),
            vanished: all(&["tabpanel Details"]),
            ..Effect::default()
        };
        let recorded =
            [Recorded { step: &first, effect: &opened }, Recorded { step: &second, effect: &sent }];
        let goal = goal(&recorded, &all(&["tabpanel Details", "status Sent"]));
        let names: Vec<_> = goal.checks.iter().filter_map(|check| check.name.as_deref()).collect();
        assert_eq!(names, ["Sent"]);
    }

    #[test]
    fn a_goal_of_only_the_url_says_so_and_offers_more() {
        let only = step(Method::Click, "http://h/");
        let effect = moved("http://h/done");
        let goal = goal(&[Recorded { step: &only, effect: &effect }], &all(&["link Home", "heading Report"]));
        assert!(goal.only_url);
        assert_eq!(goal.offered, all(&["heading Report", "link Home"]));
        assert!(goal.warning().unwrap().contains("heading \"Report\""));
    }

    #[test]
    fn a_box_ticked_last_is_a_goal() {
        let mut last = step(Method::Check, "http://h/");
        last.action.target =
            Some(Target { role: "checkbox".to_owned(), name: "Receipts".to_owned(), ..Target::default() });
        let effect = Effect { checked: Some(true), ..Effect::default() };
        let goal = goal(&[Recorded { step: &last, effect: &effect }], &[]);
        assert!(!goal.only_url);
        assert_eq!((goal.checks[1].name.as_deref(), goal.checks[1].checked), (Some("Receipts"), Some(true)));
    }
}
