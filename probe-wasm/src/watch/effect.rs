//! What came of an act: the page after it, compared with the page as it stood when the act began.

use cairn_core::map::Map;
use cairn_core::order;
use cairn_core::script::distill::is_region;
use cairn_core::script::{Effect, Seen};

/// At most so many elements of each list go into an effect.
const MOST: usize = 20;

/// At most so many elements are offered for the goal's checks.
const MOST_ASSERTABLE: usize = 60;

/// The page at a moment, as far as an effect tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// URL.
    pub url: String,
    /// Elements worth naming.
    pub seen: Vec<Seen>,
    /// What has the focus.
    pub focus: Option<Seen>,
}

/// What comes and goes by itself: a clock, a carousel, an advert. It is evidence of nothing.
#[derive(Debug, Default)]
pub struct Restless {
    known: Map<Seen, ()>,
}

impl Restless {
    /// Learns from two moments between which nobody did anything.
    pub fn learn(&mut self, before: &Moment, after: &Moment) {
        if before.url != after.url {
            return;
        }
        let (appeared, vanished) = compare(&before.seen, &after.seen);
        for seen in appeared.into_iter().chain(vanished) {
            self.known.get_or_default(seen.clone());
        }
    }

    fn knows(&self, seen: &Seen) -> bool {
        self.known.contains_key(seen)
    }
}

/// The differences between two moments.
pub fn difference(before: &Moment, after: &Moment, restless: &Restless) -> Effect {
    let (appeared, vanished) = compare(&before.seen, &after.seen);
    let pick = |seen: Vec<&Seen>| {
        let mut picked: Vec<Seen> = seen.into_iter().filter(|one| !restless.knows(one)).cloned().collect();
        order::sort_by_key(&mut picked, |one| tells_less(&one.role));
        picked.truncate(MOST);
        picked
    };
    Effect {
        url_after: (before.url != after.url).then(|| after.url.clone()),
        appeared: pick(appeared),
        vanished: pick(vanished),
        focus: after.focus.clone().filter(|focus| Some(focus) != before.focus.as_ref()),
        ..Effect::default()
    }
}

/// True where an effect says that something came of the act; the focus alone does not.
pub fn tells(effect: &Effect) -> bool {
    effect.url_after.is_some() || !effect.appeared.is_empty() || !effect.vanished.is_empty()
}

/// What could be checked at the end of the run.
pub fn assertable(seen: &[Seen]) -> Vec<Seen> {
    let states_result = |one: &&Seen| tells_less(&one.role) < CONTROL;
    seen.iter().filter(states_result).take(MOST_ASSERTABLE).cloned().collect()
}

/// An element that stands under another heading now has only moved; one in another region is another. What is in no region
/// is new, or gone, where its like is nowhere else.
fn compare<'a>(before: &'a [Seen], after: &'a [Seen]) -> (Vec<&'a Seen>, Vec<&'a Seen>) {
    let only_in = |list: &'a [Seen], other: &'a [Seen]| {
        let anywhere = |(role, name, region)| [(role, name, region), (role, name, "")];
        let mut known: Vec<Key<'_>> = other.iter().map(key).flat_map(anywhere).collect();
        order::sort_by(&mut known, Ord::cmp);
        let mut told = Map::new();
        let is_new =
            |one: &&'a Seen| known.binary_search(&key(one)).is_err() && told.insert(*one, ()).is_none();
        list.iter().filter(is_new).collect()
    };
    (only_in(after, before), only_in(before, after))
}

type Key<'a> = (&'a str, &'a str, &'a str);

/// Role, name and region.
fn key(seen: &Seen) -> Key<'_> {
    (&seen.role, &seen.name, seen.scope.as_deref().filter(|scope| is_region(scope)).unwrap_or_default())
}

/// The rank of controls in `tells_less`.
const CONTROL: u8 = 4;

/// The less a role says of what happened, the later it stands in an effect, which is cut.
fn tells_less(role: &str) -> u8 {
    match role {
        "dialog" | "alertdialog" | "alert" => 0,
        "status" | "heading" => 1,
        "menu" | "listbox" | "tabpanel" | "tree" | "grid" | "table" | "log" | "tooltip" => 2,
        "region" | "form" | "group" | "img" | "figure" | "navigation" | "main" | "complementary"
        | "banner" | "contentinfo" | "search" | "list" | "meter" | "progressbar" | "radiogroup"
        | "columnheader" | "rowheader" => 3,
        _ => CONTROL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(url: &str, names: &[&str]) -> Moment {
        let seen = names.iter().map(|text| {
            let (role, name) = text.split_once(' ').unwrap();
            Seen { role: role.to_owned(), name: name.to_owned(), scope: None }
        });
        Moment { url: url.to_owned(), seen: seen.collect(), focus: None }
    }

    fn names(seen: &[Seen]) -> Vec<&str> {
        seen.iter().map(|one| one.name.as_str()).collect()
    }

    #[test]
    fn what_came_and_went_the_telling_first() {
        let before = moment("a", &["button Add", "link Home", "status Ready"]);
        let after = moment("a", &["button Add", "button Undo", "button Undo", "heading Done"]);
        let effect = difference(&before, &after, &Restless::default());
        assert_eq!(names(&effect.appeared), ["Done", "Undo"]);
        assert_eq!(names(&effect.vanished), ["Ready", "Home"]);
        assert_eq!(effect.url_after, None);
        assert!(tells(&effect));
    }

    #[test]
    fn what_stands_under_another_heading_is_not_new() {
        let scoped = |text: &str, scope: &str| {
            let mut seen = moment("a", &[text]).seen.remove(0);
            seen.scope = Some(scope.to_owned());
            seen
        };
        let mut before = moment("a", &["button Open"]);
        before.seen.extend([scoped("option Blue", "heading:Tags"), scoped("option Blue", "listbox:Tags")]);
        let mut after = moment("a", &["heading Open now"]);
        after.seen.extend([scoped("button Open", "heading:Open now"), scoped("option Blue", "listbox:Tags")]);
        after.seen.push(scoped("button Open", "dialog:Ask"));
        let effect = difference(&before, &after, &Restless::default());
        assert_eq!(names(&effect.appeared), ["Open now", "Open"]);
        assert_eq!(effect.appeared[1].scope.as_deref(), Some("dialog:Ask"));
        assert_eq!(effect.vanished, []);
    }

    #[test]
    fn what_moves_by_itself_is_no_effect() {
        let (noon, later) = (moment("a", &["heading 12:00"]), moment("a", &["heading 12:01"]));
        let mut restless = Restless::default();
        restless.learn(&noon, &later);
        assert!(!tells(&difference(&later, &noon, &restless)));
        assert!(tells(&difference(&later, &moment("b", &["heading 12:00"]), &restless)));
    }

    #[test]
    fn the_focus_alone_tells_nothing() {
        let before = moment("a", &[]);
        let focus = Some(Seen { role: "textbox".to_owned(), name: "Mail".to_owned(), scope: None });
        let effect =
            difference(&before, &Moment { focus: focus.clone(), ..before.clone() }, &Restless::default());
        assert_eq!(effect.focus, focus);
        assert!(!tells(&effect));
    }
}
