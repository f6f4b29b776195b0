//! One resolver over one set of tasks.

use std::collections::BTreeMap;

use super::score::{Outcome, Tally, judge};
use super::task::{Answer, Resolver, Task};

/// What a resolver did on a set.
pub struct Measured<'t> {
    /// All together.
    pub all: Tally,
    /// By site, application or host.
    pub by_group: BTreeMap<&'t str, Tally>,
    /// By the operator that decided the right answer.
    pub by_operator: BTreeMap<&'static str, Tally>,
    /// What was wrong or needlessly declined.
    pub missed: Vec<(&'t Task, Answer, Outcome)>,
}

/// Asks `resolver` for every task.
pub fn measure<'t>(tasks: impl Iterator<Item = &'t Task>, resolver: &dyn Resolver) -> Measured<'t> {
    let mut measured = Measured {
        all: Tally::default(),
        by_group: BTreeMap::new(),
        by_operator: BTreeMap::new(),
        missed: Vec::new(),
    };
    for task in tasks {
        let answer = resolver.choose(task);
        let outcome = judge(task, &answer);
        measured.all.add(outcome, &answer);
        measured.by_group.entry(task.group.as_str()).or_default().add(outcome, &answer);
        if let Some(operator) = task.operators.first() {
            measured.by_operator.entry(operator).or_default().add(outcome, &answer);
        }
        if outcome != Outcome::Right {
            measured.missed.push((task, answer, outcome));
        }
    }
    measured
}
