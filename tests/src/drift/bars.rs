//! The bars that must not be lost, and the fast check of them.

use anstream::println;

use super::applications::{self, APPLICATIONS, Applications};
use super::live;
use super::measure::measure;
use super::mutation::{Half, mutants};
use super::pairs::{self, Pairs};
use super::rivals::Ladder;
use super::score::Tally;
use super::stored::DataError;
use super::task::{Task, Truth};

/// Every how many mutants are made for the check.
const STRIDE: u64 = 6;

/// One bar.
struct Bar {
    what: &'static str,
    got: f64,
    bound: Bound,
}

/// At least, or at most.
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bar {
    fn holds(&self) -> bool {
        match self.bound {
            Bound::AtLeast(bound) => self.got >= bound,
            Bound::AtMost(bound) => self.got <= bound,
        }
    }

    fn line(&self) -> String {
        let (word, bound) = match self.bound {
            Bound::AtLeast(bound) => ("at least", bound),
            Bound::AtMost(bound) => ("at most", bound),
        };
        let verdict = if self.holds() { "ok  " } else { "LOST" };
        format!("{verdict} {:<52} {:6.2} %  ({word} {:.1} %)", self.what, 100.0 * self.got, 100.0 * bound)
    }
}

/// Measures the ladder alone and prints each bar; true where all hold.
pub fn check() -> Result<bool, DataError> {
    let mut bars = pair_bars(&pairs::load()?);
    bars.extend(application_bars(&applications::load()?));
    bars.extend(live_bars()?);
    bars.extend(mutant_bars(&mutants(Half::Report, STRIDE)?));
    for bar in &bars {
        println!("{}", bar.line());
    }
    Ok(bars.iter().all(Bar::holds))
}

fn tally<'t>(tasks: impl Iterator<Item = &'t Task>) -> Tally {
    measure(tasks, &Ladder).all
}

fn pair_bars(pairs: &Pairs) -> Vec<Bar> {
    let there =
        tally(pairs.there.iter().filter(|(task, disputed)| task.drifted && !disputed).map(|(task, _)| task));
    let gone =
        tally(pairs.gone.iter().filter(|(task, disputed)| task.drifted && !disputed).map(|(task, _)| task));
    vec![
        Bar { what: "public pairs: right", got: there.share(there.right), bound: Bound::AtLeast(0.65) },
        Bar { what: "public pairs: wrong", got: there.share(there.wrong), bound: Bound::AtMost(0.005) },
        Bar {
            what: "public pairs, target gone: harmful",
            got: gone.share(gone.wrong),
            bound: Bound::AtMost(0.10),
        },
    ]
}

fn application_bars(applications: &Applications) -> Vec<Bar> {
    let there = tally(applications.there.iter());
    let gone = tally(applications.gone.iter());
    vec![
        Bar { what: "applications: right", got: there.share(there.right), bound: Bound::AtLeast(0.90) },
        Bar { what: "applications: wrong", got: there.share(there.wrong), bound: Bound::AtMost(0.0) },
        Bar {
            what: "applications, target gone: acted",
            got: gone.share(gone.wrong),
            bound: Bound::AtMost(0.03),
        },
    ]
}

/// Over what the probe itself remembered and saw of the applications (`make drift-live` keeps it).
fn live_bars() -> Result<Vec<Bar>, DataError> {
    let (there, gone) = live::tallies(&APPLICATIONS, applications::may_decline)?;
    Ok(vec![
        Bar { what: "probe's own pages: right", got: there.share(there.right), bound: Bound::AtLeast(0.90) },
        Bar { what: "probe's own pages: wrong", got: there.share(there.wrong), bound: Bound::AtMost(0.0) },
        Bar {
            what: "probe's own pages, target gone: acted",
            got: gone.share(gone.wrong),
            bound: Bound::AtMost(0.03),
        },
    ])
}

fn mutant_bars(mutants: &[Task]) -> Vec<Bar> {
    let heal = tally(mutants.iter().filter(|task| matches!(task.truth, Truth::Heal(_))));
    let decline = tally(mutants.iter().filter(|task| matches!(task.truth, Truth::Decline { .. })));
    let all = tally(mutants.iter());
    vec![
        Bar {
            what: "mutants that must heal: right",
            got: heal.share(heal.right),
            bound: Bound::AtLeast(0.95),
        },
        Bar {
            what: "mutants that must decline: acted",
            got: decline.share(decline.wrong),
            bound: Bound::AtMost(0.01),
        },
        Bar { what: "mutants: wrong", got: all.share(all.wrong), bound: Bound::AtMost(0.005) },
    ]
}
