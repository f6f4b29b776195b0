//! What the ladder is measured against, on the same data.

mod ancestors;
mod similo;

pub use ancestors::Ancestors;
pub use similo::Similo;

use cairn_core::ladder::{Heal, Selectors, resolve};
use cairn_core::text::normalise;

use super::task::{Answer, Resolver, Task};

/// The ladder itself.
pub struct Ladder;

impl Resolver for Ladder {
    fn name(&self) -> &'static str {
        "ladder"
    }

    fn choose(&self, task: &Task) -> Answer {
        let verdict = resolve(&task.target, &task.page.index, task.page.as_ref(), Heal::Ladder);
        let found = verdict.accepted(0.6);
        Answer {
            pick: found.map(|found| found.index),
            rung: found.map(|found| found.rung),
            reason: verdict.reason().to_owned(),
        }
    }
}

/// The recorded absolute XPath, nothing else.
pub struct RecordedSelector;

impl Resolver for RecordedSelector {
    fn name(&self) -> &'static str {
        "recorded selector alone"
    }

    fn choose(&self, task: &Task) -> Answer {
        Answer::plain(task.page.hits(&task.target.selector).only())
    }
}

/// `getByRole(role, {name, exact: true})` in strict mode: exactly one, by the name as rendered with white space collapsed.
pub struct StrictRole;

impl Resolver for StrictRole {
    fn name(&self) -> &'static str {
        "role+name, strict"
    }

    fn choose(&self, task: &Task) -> Answer {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = plain(&task.target.name);
        let mut all = task.page.index.elements().iter().enumerate().filter(|(_, element)| {
            element.role == task.target.role && !normalise(&name).is_empty() && plain(&element.name) == name
        });
        let first = all.next().map(|(place, _)| place);
        Answer::plain(first.filter(|_| all.next().is_none()))
    }
}
