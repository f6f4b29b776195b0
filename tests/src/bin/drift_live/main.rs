//! `drift_live`: records on the old version of real applications, looks for each step in the new one, live and natively over the
//! probe's own snapshots; and replays steps on pages that are changed in the browser.
//!
//! `scripts/drift-live.sh` brings the applications first; `--write` keeps the snapshots for `drift --check` and `rejudge`.

mod flow;
mod mutants;
mod page;
mod site;

use std::process::ExitCode;

use cairn_tests::Outcome;
use cairn_tests::drift::applications::APPLICATIONS;
use cairn_tests::drift::live;
use cairn_tests::drift::score::Tally;
use cairn_tests::say::{exit, say};
use clap::Parser;

use flow::Measured;
use page::World;

/// Heal quality on live pages.
#[derive(Parser)]
struct Arguments {
    /// Only these applications; `none` for none
    #[arg(long)]
    app: Vec<String>,
    /// How many pages to change in the browser
    #[arg(long, default_value_t = 300)]
    mutants: u32,
    /// Which pages and which changes are drawn
    #[arg(long, default_value_t = mutants::SEED)]
    seed: u64,
    /// Keep what the probe saw in tests/drift/live
    #[arg(long)]
    write: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    exit(measure(&Arguments::parse()).await, "the live drift")
}

async fn measure(arguments: &Arguments) -> Outcome<bool> {
    let world = World::make().await?;
    let mut measured = Measured::default();
    for app in APPLICATIONS {
        if !arguments.app.is_empty() && !arguments.app.iter().any(|wanted| wanted == app) {
            continue;
        }
        say(app);
        let file = flow::walk(&world, app, &mut measured).await?;
        if arguments.write {
            live::write(&live::path(app), &file).map_err(cairn_tests::Failed::io("keeping the snapshots"))?;
        }
    }
    say(&format!("mutants: {}", arguments.mutants));
    let mutated = mutants::measure(&world, arguments.mutants, arguments.seed).await?;
    world.end().await;
    let mut holds = true;
    for (what, (there, gone)) in
        [("applications, live", &measured.live), ("applications, natively", &measured.native)]
    {
        holds &= bar(&format!("{what}: right"), there, there.right, At::Least(0.90));
        holds &= bar(&format!("{what}: wrong"), there, there.wrong, At::Most(0.0));
        holds &= bar(&format!("{what}, target gone: acted"), gone, gone.wrong, At::Most(0.03));
    }
    holds &= bar("mutants that must heal: right", &mutated.heal, mutated.heal.right, At::Least(0.95));
    holds &= bar("mutants that must decline: acted", &mutated.decline, mutated.decline.wrong, At::Most(0.01));
    let mut all = mutated.heal.clone();
    all.merge(&mutated.either);
    all.merge(&mutated.decline);
    holds &= bar("mutants: wrong", &all, all.wrong, At::Most(0.005));
    Ok(holds)
}

#[derive(Clone, Copy)]
enum At {
    Least(f64),
    Most(f64),
}

/// Says one figure beside its bar; nothing measured holds.
fn bar(what: &str, tally: &Tally, part: usize, at: At) -> bool {
    let share = tally.share(part);
    let (holds, word, bound) = match at {
        At::Least(bound) => (share >= bound, "at least", bound),
        At::Most(bound) => (share <= bound, "at most", bound),
    };
    let holds = holds || tally.total() == 0;
    say(&format!(
        "{} {what:<42} {:5.1} % ({part} of {}; {word} {:.1} %)",
        if holds { "holds " } else { "BROKEN" },
        100.0 * share,
        tally.total(),
        100.0 * bound
    ));
    holds
}
