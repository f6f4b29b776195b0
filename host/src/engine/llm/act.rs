//! From a decision to an action, and what is told of it afterwards.

use cairn_core::element::Element;
use cairn_core::script::{Action, Effect, Method};
use cairn_core::wire::page::{StepReport, StepStatus};

use crate::engine::lines::clean;
use crate::model::{Act, Decision};

/// Elements that a line of history names, at most.
const NAMED: usize = 4;

/// The action of a decision about an element, with today's inputs still as tokens. `None` where it is no act on one.
pub fn action(decision: &Decision) -> Option<Action> {
    let method = match decision.act {
        Act::Click => Method::Click,
        Act::Dblclick => Method::Dblclick,
        Act::Hover => Method::Hover,
        Act::Fill => Method::Fill,
        Act::Select => Method::Select,
        Act::Check => Method::Check,
        Act::Uncheck => Method::Uncheck,
        Act::Press => Method::Press,
        Act::Extract => Method::Extract,
        _ => return None,
    };
    let has_value = matches!(method, Method::Fill | Method::Select | Method::Press | Method::Extract);
    Some(Action { method, value: has_value.then(|| decision.value.clone()), ..Action::default() })
}

/// `fill textbox "Email" with "%email%"`
pub fn words(decision: &Decision, element: Option<&Element>) -> String {
    let act = serde_json::to_value(decision.act).ok();
    let act = act.as_ref().and_then(|act| act.as_str()).unwrap_or_default();
    let on =
        element.map_or_else(String::new, |element| format!(" {} \"{}\"", element.role, clean(&element.name)));
    let at =
        if decision.act == Act::ClickAt { format!(" {}, {}", decision.x, decision.y) } else { String::new() };
    let with = if decision.value.is_empty() {
        String::new()
    } else {
        format!(" with \"{}\"", clean(&decision.value))
    };
    format!("{act}{on}{at}{with}")
}

/// Why an act was not done, where it was not.
pub fn refusal(report: &StepReport) -> Option<String> {
    let divergence = report.divergence.as_ref().filter(|_| report.status == StepStatus::Diverged)?;
    Some(format!("expected {}, observed {}", divergence.expected, divergence.observed))
}

/// What an act was seen to cause, in a line.
pub fn came_of(effect: &Effect) -> String {
    let mut parts = Vec::new();
    parts.extend(effect.url_after.as_ref().map(|url| format!("now at {}", clean(url))));
    for (word, seen) in [("appeared", &effect.appeared), ("vanished", &effect.vanished)] {
        let named: Vec<String> =
            seen.iter().take(NAMED).map(|one| format!("{} \"{}\"", one.role, clean(&one.name))).collect();
        if !named.is_empty() {
            parts.push(format!("{word}: {}", named.join(", ")));
        }
    }
    if parts.is_empty() { "nothing else changed".to_owned() } else { parts.join("; ") }
}
