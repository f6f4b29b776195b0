//! One act on an element that a caller names by its ref, with the guards of a step.

use cairn_core::map::Named;

use cairn_core::element::Ref;
use cairn_core::script::{Action, Method, Postcondition, Step};
use cairn_core::wire::page::{BatchEnd, InputMode, PageEvent, Played, Policy};

use super::aim::Sought;
use super::judge::Judge;
use super::line::{Line, Stop};
use super::ready::Ready;
use super::run::Run;
use super::step::Player;
use crate::check::Inputs;
use crate::page::Page;
use crate::wait::{DEFAULT_BOUND_MS, Deadline};

/// Acts on the element of `reference`. Its `Step` event has an empty run and the number 1.
pub async fn act(page: &Page, reference: &Ref, action: &Action) -> Played {
    let inputs = Inputs::new();
    let run = Run::default();
    let judge = Judge { page, inputs: &inputs, outcomes: &[] };
    let files = Named::new();
    let player = Player {
        judge,
        run: &run,
        policy: Policy::default(),
        input: InputMode::Page,
        files: &files,
        bound_ms: DEFAULT_BOUND_MS,
    };
    let step = Step { action: Action { target: None, ..action.clone() }, ..Step::default() };
    let mut line = Line::begin(1);
    let (end, divergence) = match act_and_judge(&player, reference, &step, &mut line).await {
        Ok(()) => (BatchEnd::Completed, None),
        Err(Stop::Diverged(divergence)) => (BatchEnd::Diverged, Some(divergence)),
        Err(Stop::Leaving | Stop::Unmoved) => (BatchEnd::Leaving, None),
        Err(Stop::Outcome { .. } | Stop::Cancelled) => (BatchEnd::Cancelled, None),
    };
    page.tell(PageEvent::Step { run: String::new(), report: Box::new(line.end(divergence)) });
    Played { last: 1, end, goal: Vec::new() }
}

async fn act_and_judge(
    player: &Player<'_>,
    reference: &Ref,
    step: &Step,
    line: &mut Line,
) -> Result<(), Stop> {
    let method = step.action.method;
    // A caller's value is a value: a percent sign in it is a percent sign.
    let value = step.action.value.clone().unwrap_or_default();
    let post = Postcondition { checked: promised(method), ..Postcondition::default() };
    let ready = Ready { target: None, to: None, value, post };
    let search = player.search(Sought::Reference(reference), method, Deadline::after(player.bound_ms));
    let found = player.act(1, step, &ready, Some(search), line).await?;
    player
        .judge
        .after(
            &ready.post,
            found.map(|found| found.aim.element).as_ref(),
            None,
            Deadline::after(player.bound_ms),
            line,
        )
        .await
}

/// The checked state that a method promises.
fn promised(method: Method) -> Option<bool> {
    match method {
        Method::Check => Some(true),
        Method::Uncheck => Some(false),
        _ => None,
    }
}
