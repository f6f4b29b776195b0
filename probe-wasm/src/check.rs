//! Evaluates conditions over a view of the page, each with a sentence for what was demanded and one for what was there.

use cairn_core::map::Named;
use cairn_core::script::{Condition, Postcondition, Seen};
use cairn_core::wire::page::{CheckResult, InputValue};
use cairn_core::{text, url_pattern, value};
use web_sys::Element;

use crate::act::{self, Tick};
use crate::eyes::{Found, View};
use crate::native;
use crate::number;

/// Today's values of the inputs.
pub type Inputs = Named<InputValue>;

/// Evaluates one condition now.
pub fn condition(view: &View, condition: &Condition, inputs: &Inputs) -> CheckResult {
    match Demand::read(condition, inputs) {
        Ok(demand) => demand.judge(view, inputs),
        Err(unknown) => CheckResult {
            holds: false,
            expected: "a condition whose inputs are known".to_owned(),
            observed: unknown,
        },
    }
}

/// A condition with today's inputs in it.
struct Demand<'a> {
    condition: &'a Condition,
    name: Option<String>,
    scope: Option<String>,
    text: Option<String>,
    value: Option<String>,
}

impl<'a> Demand<'a> {
    fn read(condition: &'a Condition, inputs: &Inputs) -> Result<Self, String> {
        let expand = |text: &Option<String>| text.as_deref().map(|text| expand(text, inputs)).transpose();
        Ok(Self {
            condition,
            name: expand(&condition.name)?,
            scope: expand(&condition.scope)?,
            text: expand(&condition.text)?,
            value: expand(&condition.value)?,
        })
    }

    fn judge(&self, view: &View, inputs: &Inputs) -> CheckResult {
        if let Some(pattern) = &self.condition.url_pattern {
            let judged = url(pattern, inputs);
            if !judged.holds || !self.names_element() && self.text.is_none() {
                return judged;
            }
        }
        if self.names_element() { self.judge_elements(view) } else { self.judge_text(view) }
    }

    fn names_element(&self) -> bool {
        self.condition.role.is_some() || self.name.is_some() || self.scope.is_some()
    }

    fn judge_text(&self, view: &View) -> CheckResult {
        let Some(wanted) = &self.text else {
            return CheckResult {
                holds: false,
                expected: "a condition".to_owned(),
                observed: "it demands nothing".to_owned(),
            };
        };
        let shown = view.shows_text(wanted);
        let gone = self.condition.gone == Some(true);
        CheckResult {
            holds: shown != gone,
            expected: format!(
                "the page {} \u{201c}{wanted}\u{201d}",
                if gone { "does not show" } else { "shows" }
            ),
            observed: if shown { "the text is shown".to_owned() } else { "the text is not shown".to_owned() },
        }
    }

    fn judge_elements(&self, view: &View) -> CheckResult {
        let found =
            view.matching(self.condition.role.as_deref(), self.name.as_deref(), self.scope.as_deref());
        let fit: Vec<&Found> = found.iter().filter(|found| self.fits(found)).collect();
        let holds = match (self.condition.gone, self.condition.count) {
            (Some(true), _) => fit.is_empty(),
            (_, Some(count)) => fit.len() == count as usize,
            _ => !fit.is_empty(),
        };
        CheckResult { holds, expected: self.expected(), observed: self.observed(&found, fit.len()) }
    }

    fn fits(&self, found: &Found) -> bool {
        let element = &found.node;
        self.text.as_deref().is_none_or(|wanted| shows(element, wanted))
            && self.value.as_deref().is_none_or(|wanted| has_value(element, wanted))
            && self
                .condition
                .checked
                .is_none_or(|wanted| act::tick_of(element) == Some(if wanted { Tick::On } else { Tick::Off }))
            && self.condition.enabled.is_none_or(|wanted| found.states.disabled != Some(wanted))
    }

    fn label(&self) -> String {
        let role = self.condition.role.as_deref().unwrap_or("element");
        let name = self.name.as_ref().map(|name| format!(" \u{201c}{name}\u{201d}")).unwrap_or_default();
        let scope = self.scope.as_ref().map(|scope| format!(" in {scope}")).unwrap_or_default();
        format!("{role}{name}{scope}")
    }

    fn expected(&self) -> String {
        let label = self.label();
        let mut demands = Vec::new();
        if let Some(wanted) = &self.text {
            demands.push(format!("shows \u{201c}{wanted}\u{201d}"));
        }
        if let Some(wanted) = &self.value {
            demands.push(format!("has the value \u{201c}{wanted}\u{201d}"));
        }
        if let Some(wanted) = self.condition.checked {
            demands.push(format!("is {}", if wanted { "checked" } else { "unchecked" }));
        }
        if let Some(wanted) = self.condition.enabled {
            demands.push(format!("is {}", if wanted { "enabled" } else { "disabled" }));
        }
        let that =
            if demands.is_empty() { String::new() } else { format!(" that {}", demands.join(" and ")) };
        match (self.condition.gone, self.condition.count) {
            (Some(true), _) => format!("no {label}{that}"),
            (_, Some(count)) => format!("{count} of {label}{that}"),
            _ => format!("{label}{that}"),
        }
    }

    fn observed(&self, found: &[Found], fit: usize) -> String {
        let label = self.label();
        match found {
            [] => format!("no {label} is there"),
            [only] if fit == 0 => format!("{label} {}", self.state(only)),
            many if fit == 0 => format!("{} of {label}, none that fits", many.len()),
            _ => format!("{fit} of {label}"),
        }
    }

    /// What the one element is like instead.
    fn state(&self, found: &Found) -> String {
        if let Some(wanted) = self.value.as_deref()
            && !has_value(&found.node, wanted)
        {
            let value = act::value_of(&found.node).unwrap_or_default();
            return format!("has the value \u{201c}{value}\u{201d}");
        }
        if self.condition.checked.is_some() {
            return match act::tick_of(&found.node) {
                Some(Tick::On) => "is checked",
                Some(Tick::Off) => "is unchecked",
                Some(Tick::Mixed) => "is partly checked",
                None => "has no checked state",
            }
            .to_owned();
        }
        match found.states.disabled {
            Some(true) if self.condition.enabled == Some(true) => "is disabled".to_owned(),
            _ if self.condition.enabled == Some(false) => "is enabled".to_owned(),
            _ => "does not fit".to_owned(),
        }
    }
}

/// Puts today's inputs into a text.
pub fn expand(text: &str, inputs: &Inputs) -> Result<String, String> {
    value::expand(text, inputs).map_err(|unknown| unknown.to_string())
}

/// Is the page where the pattern says?
pub fn url(pattern: &str, inputs: &Inputs) -> CheckResult {
    let now = native::url();
    CheckResult {
        holds: url_pattern::matches(pattern, &now, inputs),
        expected: format!("the URL matches {pattern}"),
        observed: format!("the URL is {now}"),
    }
}

fn shows(element: &Element, wanted: &str) -> bool {
    let text = native::get("HTMLElement", "innerText", element)
        .as_string()
        .or_else(|| native::get("Node", "textContent", element).as_string())
        .unwrap_or_default();
    text::normalise(&text).contains(&text::normalise(wanted))
}

/// A select counts by the value it sends and by the label it shows; line ends and the case of a colour do not count.
pub fn has_value(element: &Element, wanted: &str) -> bool {
    let Some(now) = act::value_of(element) else {
        // A widget without a value of its own shows it as text.
        return shows(element, wanted) && !wanted.is_empty();
    };
    let same = |one: &str, other: &str| one.replace("\r\n", "\n") == other.replace("\r\n", "\n");
    if same(&now, wanted) {
        return true;
    }
    match native::tag(element).as_str() {
        "select" => act::chosen_labels(element).is_some_and(|labels| text::same_name(&labels, wanted)),
        "input" => {
            act::is_formatted(element) && now.eq_ignore_ascii_case(wanted)
                || same_number(element, &now, wanted)
        }
        _ => false,
    }
}

/// A number field may write the same number in another way.
fn same_number(element: &Element, now: &str, wanted: &str) -> bool {
    let numbers = number::of(now).zip(number::of(wanted));
    native::matches(element, "input[type=number]")
        && numbers.is_some_and(|(now, wanted)| (now - wanted).abs() < f64::EPSILON)
}

/// What a wait for a value waits for.
pub const VALUE: &str = "postcondition: value";

/// A part of a postcondition that does not hold yet.
pub struct Missing {
    /// What a wait for it waits for.
    pub cause: String,
    /// What was demanded.
    pub expected: String,
    /// What is there.
    pub observed: String,
}

/// The first part of a postcondition that does not hold. `target` is the step's element, where it is still there; a part
/// that asks for its state is left out where there is no element (the document is another one).
pub fn missing(
    post: &Postcondition,
    target: Option<&Element>,
    inputs: &Inputs,
    view: impl FnOnce() -> std::rc::Rc<View>,
) -> Option<Missing> {
    if let Some(pattern) = &post.url_pattern {
        let judged = url(pattern, inputs);
        if !judged.holds {
            return Some(Missing {
                cause: "postcondition: url".to_owned(),
                expected: judged.expected,
                observed: judged.observed,
            });
        }
    }
    if let Some(missing) = target.and_then(|target| missing_state(post, target, inputs)) {
        return Some(missing);
    }
    if post.appeared.is_empty() && post.vanished.is_empty() {
        return None;
    }
    let view = view();
    let appeared = post.appeared.iter().find(|seen| !is_there(&view, seen, inputs)).map(|seen| Missing {
        cause: format!("postcondition: {} appears", say(seen)),
        expected: format!("{} appears", say(seen)),
        observed: "it is not there".to_owned(),
    });
    appeared.or_else(|| {
        post.vanished.iter().find(|seen| is_there(&view, seen, inputs)).map(|seen| Missing {
            cause: format!("postcondition: {} vanishes", say(seen)),
            expected: format!("{} vanishes", say(seen)),
            observed: "it is still there".to_owned(),
        })
    })
}

fn missing_state(post: &Postcondition, target: &Element, inputs: &Inputs) -> Option<Missing> {
    if let Some(wanted) = &post.value {
        let wanted = expand(wanted, inputs).unwrap_or_else(|_| wanted.clone());
        if !has_value(target, &wanted) {
            let now = act::value_of(target).unwrap_or_default();
            return Some(Missing {
                cause: VALUE.to_owned(),
                expected: format!("the value is \u{201c}{wanted}\u{201d}"),
                observed: format!("it is \u{201c}{now}\u{201d}"),
            });
        }
    }
    let wanted = post.checked?;
    let goal = if wanted { Tick::On } else { Tick::Off };
    let now = act::tick_of(target);
    (now != Some(goal)).then(|| Missing {
        cause: "postcondition: checked".to_owned(),
        expected: format!("it is {}", if wanted { "checked" } else { "unchecked" }),
        observed: match now {
            Some(Tick::On) => "it is checked",
            Some(Tick::Off) => "it is unchecked",
            Some(Tick::Mixed) => "it is partly checked",
            None => "it has no checked state",
        }
        .to_owned(),
    })
}

fn is_there(view: &View, seen: &Seen, inputs: &Inputs) -> bool {
    let name = expand(&seen.name, inputs).unwrap_or_else(|_| seen.name.clone());
    let role = (!seen.role.is_empty()).then_some(seen.role.as_str());
    view.has_seen(role, &name, seen.scope.as_deref())
}

fn say(seen: &Seen) -> String {
    format!("{} \u{201c}{}\u{201d}", seen.role, seen.name)
}
