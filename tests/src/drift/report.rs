//! The tables, as Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::applications::{self, APPLICATIONS};
use super::live;
use super::measure::{Measured, measure};
use super::mutation::{Half, mutants};
use super::pairs;
use super::rivals::{Ancestors, Ladder, RecordedSelector, Similo, StrictRole};
use super::score::{Outcome, Tally, wilson};
use super::stored::DataError;
use super::task::{Resolver, Task, Truth};

/// Every table, over all of the data. `stride` thins the mutants out.
pub fn tables(stride: u64) -> Result<String, DataError> {
    let mut text = String::new();
    let pairs = pairs::load()?;
    let broken: Vec<&Task> =
        pairs.there.iter().filter(|(t, disputed)| t.drifted && !disputed).map(|(t, _)| t).collect();
    let disputed: Vec<&Task> = pairs.there.iter().filter(|(t, _)| t.drifted).map(|(t, _)| t).collect();
    let gone: Vec<&Task> =
        pairs.gone.iter().filter(|(t, disputed)| t.drifted && !disputed).map(|(t, _)| t).collect();
    section(&mut text, "Public pairs with a broken XPath, undisputed", &broken, &Extra::Rungs);
    section(&mut text, "Public pairs with a broken XPath, the disputed ones too", &disputed, &Extra::None);
    section(&mut text, "Public pairs with a broken XPath, undisputed, target removed", &gone, &Extra::None);

    let applications = applications::load()?;
    let there: Vec<&Task> = applications.there.iter().collect();
    let drifted: Vec<&Task> = applications.there.iter().filter(|task| task.drifted).collect();
    let gone: Vec<&Task> = applications.gone.iter().collect();
    section(&mut text, "Applications at two versions, every step", &there, &Extra::Groups);
    section(&mut text, "Applications at two versions, steps whose XPath is broken", &drifted, &Extra::Rungs);
    section(&mut text, "Applications at two versions, target removed", &gone, &Extra::None);

    let report = mutants(Half::Report, stride)?;
    let all: Vec<&Task> = report.iter().collect();
    let heal: Vec<&Task> = report.iter().filter(|task| matches!(task.truth, Truth::Heal(_))).collect();
    let decline: Vec<&Task> =
        report.iter().filter(|task| matches!(task.truth, Truth::Decline { .. })).collect();
    section(&mut text, "Mutants of the reporting half, all", &all, &Extra::Operators);
    section(&mut text, "Mutants of the reporting half that must heal", &heal, &Extra::None);
    section(&mut text, "Mutants of the reporting half that must decline", &decline, &Extra::None);
    let tuning = mutants(Half::Tune, stride)?;
    let tuned = measure(tuning.iter(), &Ladder).all;
    let _ = writeln!(text, "The tuning half, for comparison: {}.\n", words(&tuned));
    Ok(text)
}

/// What a section shows of the ladder beside its own row.
enum Extra {
    None,
    Rungs,
    Groups,
    Operators,
}

fn section(text: &mut String, title: &str, tasks: &[&Task], extra: &Extra) {
    let rivals: [&dyn Resolver; 6] = [
        &Ladder,
        &RecordedSelector,
        &StrictRole,
        &Similo { margin: 0.0 },
        &Similo { margin: 0.5 },
        &Ancestors,
    ];
    let _ = writeln!(text, "### {title} ({})\n", tasks.len());
    text.push_str("| resolver | right | wrong | declined | harmless | cost |\n|---|---|---|---|---|---|\n");
    for rival in rivals {
        let measured = measure(tasks.iter().copied(), rival);
        text.push_str(&row(rival.name(), &measured.all));
    }
    text.push('\n');
    let ladder = measure(tasks.iter().copied(), &Ladder);
    match extra {
        Extra::None => {}
        Extra::Rungs => rungs(text, &ladder),
        Extra::Groups => {
            grouped(text, "application", &ladder.by_group);
            rungs(text, &ladder);
        }
        Extra::Operators => {
            grouped(text, "operator", &ladder.by_operator);
            grouped(text, "host", &ladder.by_group);
            rungs(text, &ladder);
        }
    }
}

fn row(name: &str, tally: &Tally) -> String {
    format!(
        "| {name} | {} | {} | {} | {} | {:.2} |\n",
        cell(tally.right, tally.total()),
        cell(tally.wrong, tally.total()),
        cell(tally.declined, tally.total()),
        tally.harmless,
        tally.cost()
    )
}

/// `12 = 3.4 % (1.9–5.8)`: the count, the share and its 95 % Wilson interval.
fn cell(part: usize, total: usize) -> String {
    let (low, high) = wilson(part, total);
    let share = 100.0 * part as f64 / total.max(1) as f64;
    format!("{part} = {share:.1} % ({:.1}–{:.1})", 100.0 * low, 100.0 * high)
}

fn grouped(text: &mut String, what: &str, groups: &BTreeMap<&str, Tally>) {
    let _ = writeln!(
        text,
        "| ladder by {what} | n | right | wrong | declined | harmless |\n|---|---|---|---|---|---|"
    );
    for (name, tally) in groups {
        let percent = |part: usize| 100.0 * tally.share(part);
        let _ = writeln!(
            text,
            "| {name} | {} | {:.1} % | {} | {:.1} % | {} |",
            tally.total(),
            percent(tally.right),
            tally.wrong,
            percent(tally.declined),
            tally.harmless
        );
    }
    text.push('\n');
}

fn rungs(text: &mut String, measured: &Measured<'_>) {
    text.push_str("| ladder by rung | confidence | acted | precision |\n|---|---|---|---|\n");
    for (rung, (right, wrong)) in &measured.all.rungs {
        let total = right + wrong;
        let _ = writeln!(text, "| {rung:?} | {} | {total} | {} |", rung.confidence(), cell(*right, total));
    }
    text.push('\n');
}

fn words(tally: &Tally) -> String {
    format!(
        "{} mutants, {:.1} % right, {} wrong, {:.1} % declined needlessly, {} harmless",
        tally.total(),
        100.0 * tally.share(tally.right),
        tally.wrong,
        100.0 * tally.share(tally.declined),
        tally.harmless
    )
}

/// Everything that the ladder got wrong (or, with `declined`, declined needlessly), one paragraph each.
pub fn explain(declined: bool, stride: u64) -> Result<String, DataError> {
    let pairs = pairs::load()?;
    let applications = applications::load()?;
    let mutants = [mutants(Half::Tune, stride)?, mutants(Half::Report, stride)?];
    let wanted = if declined { Outcome::Declined } else { Outcome::Wrong };
    let mut text = live::explain(&APPLICATIONS, applications::may_decline, wanted)?;
    let sets: [(&str, Vec<&Task>); 6] = [
        ("pairs", pairs.there.iter().map(|(task, _)| task).collect()),
        ("pairs, gone", pairs.gone.iter().map(|(task, _)| task).collect()),
        ("applications", applications.there.iter().collect()),
        ("applications, gone", applications.gone.iter().collect()),
        ("mutants, tuning half", mutants[0].iter().collect()),
        ("mutants, reporting half", mutants[1].iter().collect()),
    ];
    for (set, tasks) in sets {
        for (task, answer, outcome) in measure(tasks.into_iter(), &Ladder).missed {
            if (outcome == Outcome::Wrong) != declined {
                let _ = writeln!(text, "{set}: {} [{outcome:?}] {}", task.label, answer.reason);
                let _ =
                    writeln!(text, "  recorded {}", serde_json::to_string(&task.target).unwrap_or_default());
                for (word, place) in [("right", right(&task.truth)), ("picked", answer.pick)] {
                    let element = place.and_then(|place| task.page.index.get(place));
                    let _ =
                        writeln!(text, "  {word} {}", serde_json::to_string(&element).unwrap_or_default());
                }
            }
        }
    }
    Ok(text)
}

fn right(truth: &Truth) -> Option<usize> {
    match truth {
        Truth::Heal(place) | Truth::HealOrDecline(place) => Some(*place),
        Truth::Decline { .. } => None,
    }
}
