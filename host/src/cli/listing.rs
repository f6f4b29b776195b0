//! A listing as text: one line an element, below what it lies in; all of them or the likeliest within a budget.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use cairn_core::element::{FrameStep, States, Tristate};

use super::output::plain;
use crate::engine::api::ProbedElement;

/// What the line about the rest may take of a budget.
const LAST_LINE: usize = 160;

/// Height that counts as one screen.
const SCREEN: f64 = 720.0;

/// One line an element. What elements in a row lie in is said once, on a line before them.
pub(super) fn lines(elements: &[ProbedElement]) -> Vec<String> {
    below_headings(elements.iter().map(|element| (element, line(element))))
}

fn below_headings<'a>(each: impl Iterator<Item = (&'a ProbedElement, String)>) -> Vec<String> {
    let mut around = "";
    let mut lines = Vec::new();
    for (element, line) in each {
        let scope = element.scope.as_deref().unwrap_or_default();
        if scope != around {
            lines.push(heading(scope));
            around = scope;
        }
        lines.push(line);
    }
    lines
}

/// `— form:Billing`; a line without a name ends what the one before it began.
fn heading(scope: &str) -> String {
    plain(&format!("— {scope}")).trim_end().replace('\n', " ")
}

/// The lines of the topmost and most likely elements, in their order, as many as `budget` bytes hold, and what was left out.
pub(super) fn within(elements: &[ProbedElement], budget: usize) -> Vec<String> {
    let each: Vec<String> = elements.iter().map(line).collect();
    let whole = below_headings(elements.iter().zip(each.iter().cloned()));
    if whole.iter().map(|line| line.len() + 1).sum::<usize>() <= budget {
        return whole;
    }
    let mut seen: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let mut order: Vec<(u32, usize)> = elements
        .iter()
        .map(|element| {
            let alike = seen.entry((&element.role, &element.name)).or_default();
            *alike += 1;
            distance(element) + alike.ilog2()
        })
        .zip(0..)
        .collect();
    order.sort_unstable();
    let mut left = budget.saturating_sub(LAST_LINE);
    let mut kept = vec![false; elements.len()];
    for (_, place) in order {
        let element = &elements[place];
        // What it lies in may have to be said, unless it is said already for the one before it.
        let before = place.checked_sub(1).filter(|before| kept[*before]);
        let is_said = before.is_some_and(|before| elements[before].scope == element.scope);
        let around =
            if is_said { 0 } else { heading(element.scope.as_deref().unwrap_or_default()).len() + 1 };
        let size = each[place].len() + 1 + around;
        if size > left {
            break;
        }
        left -= size;
        kept[place] = true;
    }
    let mut roles: BTreeMap<&str, usize> = BTreeMap::new();
    for (element, _) in elements.iter().zip(&kept).filter(|(_, kept)| !**kept) {
        *roles.entry(&element.role).or_default() += 1;
    }
    let cut: usize = roles.values().sum();
    let stay = elements.iter().zip(each).zip(kept).filter(|(_, kept)| *kept).map(|(one, _)| one);
    let mut lines = below_headings(stay);
    lines.push(rest(cut, elements.len(), roles));
    lines
}

/// `… 2941 of 3000 left out to stay within the budget: 2000 link, 900 button, 41 textbox`
fn rest(cut: usize, all: usize, roles: BTreeMap<&str, usize>) -> String {
    let mut roles: Vec<(&str, usize)> = roles.into_iter().collect();
    roles.sort_by_key(|(_, count)| Reverse(*count));
    let others: usize = roles.iter().skip(4).map(|(_, count)| count).sum();
    let mut named: Vec<String> =
        roles.iter().take(4).map(|(role, count)| format!("{count} {role}")).collect();
    if others > 0 {
        named.push(format!("{others} others"));
    }
    plain(&format!("… {cut} of {all} left out to stay within the budget: {}", named.join(", ")))
}

/// How far an element is from what is acted on next: screens away from the top, and what kind of thing it is.
fn distance(element: &ProbedElement) -> u32 {
    let (top, bottom) = (element.bounds.y, element.bounds.y + element.bounds.height);
    let beyond = if bottom < 0.0 { -bottom + SCREEN } else { (top - SCREEN).max(0.0) };
    // Far is far: a list of a thousand screens needs no finer order.
    let screens = (beyond / SCREEN).ceil().min(1000.0) as u32;
    let kind = match element.role.as_str() {
        "textbox" | "searchbox" | "combobox" | "button" | "checkbox" | "radio" | "switch" | "spinbutton"
        | "slider" | "file" | "date" | "time" | "color" => 0,
        "link" => 2,
        "generic" => 3,
        _ => 1,
    };
    let in_dialog = element
        .scope
        .as_deref()
        .is_some_and(|scope| scope.starts_with("dialog:") || scope.starts_with("alertdialog:"));
    let nameless = if element.name.is_empty() { 3 } else { 0 };
    let unusable = if element.unusable.is_some() { 6 } else { 0 };
    let near = if in_dialog { 0 } else { 2 + kind };
    screens * 3 + near + nameless + unusable
}

/// `frame 1/0 "checkout"`: places from the top page, and the innermost one's name or else its address.
pub(super) fn frame(path: &[FrameStep]) -> String {
    let places = path.iter().map(|step| step.index.to_string()).collect::<Vec<_>>().join("/");
    let last = path.last();
    let name = last.map(|step| if step.name.is_empty() { &step.url } else { &step.name });
    match name.filter(|name| !name.is_empty()) {
        Some(name) => format!("frame {places} \"{name}\""),
        None => format!("frame {places}"),
    }
}

/// `[2] textbox "Search entities…" (value "abc", required)`
fn line(element: &ProbedElement) -> String {
    let mut notes = states(&element.states);
    // A disabled control says so twice: as a state, and as why it cannot be used.
    if let Some(why) = element.unusable.as_ref().filter(|why| !notes.contains(why)) {
        notes.push(why.clone());
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let places = element.frame.iter().map(|step| step.index.to_string()).collect::<Vec<_>>().join("/");
    let frame = if places.is_empty() { places } else { format!("  in frame {places}") };
    let text = format!("[{}] {} \"{}\"{notes}{frame}", element.index, element.role, element.name);
    plain(&text).replace('\n', " ")
}

fn states(states: &States) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(value) = &states.value {
        notes.push(format!("value \"{value}\""));
    }
    let three = [("checked", states.checked), ("pressed", states.pressed)];
    for (name, state) in three {
        match state {
            Some(Tristate::True) => notes.push(name.to_owned()),
            Some(Tristate::False) => notes.push(format!("not {name}")),
            Some(Tristate::Mixed) => notes.push(format!("partly {name}")),
            None => {}
        }
    }
    let two = [("expanded", "collapsed", states.expanded), ("selected", "", states.selected)];
    for (on, off, state) in two {
        match state {
            Some(true) => notes.push(on.to_owned()),
            Some(false) if !off.is_empty() => notes.push(off.to_owned()),
            _ => {}
        }
    }
    let flags = [
        ("disabled", states.disabled),
        ("readonly", states.readonly),
        ("required", states.required),
        ("invalid", states.invalid),
        ("focused", states.focused),
        ("aria-hidden", states.aria_hidden),
        ("secret", states.secret),
        ("scrollable", states.scrollable),
        ("cut", states.cut),
    ];
    notes
        .extend(flags.into_iter().filter(|(_, state)| *state == Some(true)).map(|(name, _)| name.to_owned()));
    notes
}

#[cfg(test)]
mod tests {
    use cairn_core::element::Rect;

    use super::*;

    #[test]
    fn a_line_for_people() {
        let element = ProbedElement {
            index: 2,
            role: "textbox".into(),
            name: "Search\u{1b}[2J\nentities…".into(),
            states: States { value: Some("abc".into()), required: Some(true), ..States::default() },
            ..ProbedElement::default()
        };
        assert_eq!(line(&element), "[2] textbox \"Search[2J entities…\" (value \"abc\", required)");
    }

    #[test]
    fn what_elements_lie_in_is_said_once() {
        let element = |name: &str, scope: Option<&str>| ProbedElement {
            role: "button".into(),
            name: name.into(),
            scope: scope.map(str::to_owned),
            ..ProbedElement::default()
        };
        let elements = [
            element("a", None),
            element("b", Some("form:Bill")),
            element("c", Some("form:Bill")),
            element("d", None),
        ];
        let said = [
            "[0] button \"a\"",
            "— form:Bill",
            "[0] button \"b\"",
            "[0] button \"c\"",
            "—",
            "[0] button \"d\"",
        ];
        assert_eq!(lines(&elements), said);
    }

    #[test]
    fn a_budget_keeps_the_topmost_and_likeliest_and_says_what_it_left_out() {
        let element = |index: u32, role: &str, y: f64| ProbedElement {
            index,
            role: role.into(),
            name: format!("number {index}"),
            bounds: Rect { y, width: 10.0, height: 10.0, ..Rect::default() },
            ..ProbedElement::default()
        };
        let mut elements: Vec<ProbedElement> =
            (0..100).map(|index| element(index, "link", f64::from(index) * 100.0)).collect();
        elements.push(element(100, "button", 300.0));
        let whole = lines(&elements);
        assert_eq!(within(&elements, 10_000), whole);
        let cut = within(&elements, 400);
        assert!(cut.join("\n").len() <= 400, "{cut:?}");
        assert!(
            cut[0].starts_with("[0] link") && cut.iter().any(|line| line.starts_with("[100] button")),
            "{cut:?}"
        );
        let last = cut.last().unwrap();
        assert_eq!(
            *last,
            format!("… {0} of 101 left out to stay within the budget: {0} link", 102 - cut.len())
        );
    }
}
