//! The log lines that people learn to read. Their wording is part of the contract.

use cairn_core::ladder::{Match, Verdict};
use cairn_core::script::{Action, Step};
use cairn_core::wire::page::{CheckResult, Diverged, Divergence};

use super::api::{CheckpointResult, Tier};
use super::replay::Fault;

/// A run changed hands before a step.
pub fn handed(number: u32, to_person: bool) -> String {
    if to_person {
        format!("a person has taken over before step {number}; `cairn give` gives the run back")
    } else {
        format!("the person has given the run back; it stood before step {number}")
    }
}

/// `Tier: replay-with-heal — build identity unavailable`
pub fn tier(tier: Tier, reason: &str) -> String {
    format!("Tier: {} — {reason}", tier.as_str())
}

/// `Replay Completed: all steps hit (N steps, 0 healed, 0 diverged)`
pub fn completed(steps: u32, healed: u32) -> String {
    let hits =
        if healed == 0 { "all".to_owned() } else { format!("{} of {steps}", steps - healed.min(steps)) };
    format!("Replay Completed: {hits} steps hit ({steps} steps, {healed} healed, 0 diverged)")
}

/// `Step 4 (click button "Save"): re-pointed (unique role+name match)`
pub fn repointed(number: u32, step: &Step, found: &Match) -> String {
    format!("Step {number} ({}): re-pointed ({})", step_words(step), found.reason)
}

/// `Step 4 (click button "Save"): was NOT re-pointed: 2 elements match role+name — ambiguous (confidence 0.3)`
pub fn not_repointed(number: u32, step: &Step, verdict: &Verdict) -> String {
    format!(
        "Step {number} ({}): was NOT re-pointed: {} (confidence {})",
        step_words(step),
        verdict.reason(),
        verdict.confidence()
    )
}

/// `Replay Failed: diverged at step N: postcondition — …`
pub fn diverged(number: u32, divergence: &Divergence) -> String {
    format!(
        "Replay Failed: diverged at step {number}: {} — expected {}, observed {}",
        condition(divergence.condition),
        or_nothing(&divergence.expected),
        or_nothing(&divergence.observed)
    )
}

/// `Replay Failed: the goal does not hold — …`
pub fn goal_failed(failed: &CheckResult) -> String {
    format!(
        "Replay Failed: the goal does not hold — expected {}, observed {}",
        or_nothing(&failed.expected),
        or_nothing(&failed.observed)
    )
}

/// `Checkpoint cart: holds` · `Checkpoint cart: does not hold — expected …, observed …`
pub fn checkpoint(result: &CheckpointResult) -> String {
    match result.checks.iter().find(|check| !check.holds) {
        None if result.holds => format!("Checkpoint {}: holds", result.name),
        None => format!("Checkpoint {}: does not hold", result.name),
        Some(failed) => format!(
            "Checkpoint {}: does not hold — expected {}, observed {}",
            result.name,
            or_nothing(&failed.expected),
            or_nothing(&failed.observed)
        ),
    }
}

/// `Replay Failed: origin at step N — …`
pub fn fault(fault: &Fault) -> String {
    let step = fault.step.map_or_else(String::new, |step| format!(" at step {step}"));
    format!(
        "Replay Failed: {}{step} — expected {}, observed {}",
        fault.condition,
        or_nothing(&fault.expected),
        or_nothing(&fault.observed)
    )
}

/// `Replay Failed: lost at step N — …`
pub fn lost(step: Option<u32>, observed: &str) -> String {
    match step {
        Some(step) => format!("Replay Failed: lost at step {step} — {observed}"),
        None => format!("Replay Failed: lost — {observed}"),
    }
}

/// `Replay Ended: business outcome member_not_found after step N — …`
pub fn outcome(code: &str, step: u32, detail: &str) -> String {
    format!("Replay Ended: business outcome {code} after step {step} — {}", or_nothing(detail))
}

/// Said once where `replayHeal: llm` has no model to ask.
pub const NO_MODEL: &str = "replayHeal: llm — no model is configured; the full ladder decides by itself";

/// Said where a divergence would go to a model and there is none.
pub const NO_FALLBACK: &str = "no model is configured; the divergence is the result";

/// Said where the model begins anew.
pub const STALE: &str = "the stored script is stale for this build; restarting clean on the LLM tier";

/// `Model Completed: N steps, M calls of provider/model`
pub fn model_completed(steps: u32, calls: u32, name: &str) -> String {
    format!("Model Completed: {steps} steps, {calls} calls of {name}")
}

/// A condition's word in lines and results.
pub fn condition(condition: Diverged) -> &'static str {
    match condition {
        Diverged::Url => "url",
        Diverged::Target => "target",
        Diverged::Unusable => "unusable",
        Diverged::Act => "act",
        Diverged::Postcondition => "postcondition",
        Diverged::Goal => "goal",
        Diverged::Lost => "lost",
    }
}

/// `click button "Save"`, `fill textbox "Email" with "%email%"`, `goto https://…`
pub fn step_words(step: &Step) -> String {
    action_words(&step.action)
}

fn action_words(action: &Action) -> String {
    let method = action.method.as_str();
    let value = action.value.as_deref().filter(|value| !value.is_empty());
    match (&action.target, value) {
        (Some(target), Some(value)) => {
            format!("{method} {} \"{}\" with \"{}\"", target.role, clean(&target.name), clean(value))
        }
        (Some(target), None) => format!("{method} {} \"{}\"", target.role, clean(&target.name)),
        (None, Some(value)) => format!("{method} {}", clean(value)),
        (None, None) => method.to_owned(),
    }
}

/// One line, at most 80 characters, and nothing that moves a terminal's cursor: names come from pages.
pub fn clean(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if plain.chars().count() <= 80 {
        return plain;
    }
    let cut: String = plain.chars().take(79).collect();
    format!("{cut}…")
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::ladder::{Decline, Rung};
    use cairn_core::script::{Method, Target};

    fn save() -> Step {
        let target = Target { role: "button".into(), name: "Save".into(), ..Target::default() };
        Step {
            action: Action { method: Method::Click, target: Some(target), ..Action::default() },
            ..Step::default()
        }
    }

    #[test]
    fn the_lines_are_those_of_the_contract() {
        assert_eq!(
            tier(Tier::ReplayWithHeal, "build identity unavailable"),
            "Tier: replay-with-heal — build identity unavailable"
        );
        assert_eq!(completed(7, 0), "Replay Completed: all steps hit (7 steps, 0 healed, 0 diverged)");
        assert_eq!(completed(7, 2), "Replay Completed: 5 of 7 steps hit (7 steps, 2 healed, 0 diverged)");
        let found = Match {
            index: 3,
            rung: Rung::RoleName,
            confidence: 0.9,
            selector: None,
            runner_up: None,
            margin: 1.0,
            reason: "unique role+name match".into(),
        };
        assert_eq!(
            repointed(4, &save(), &found),
            "Step 4 (click button \"Save\"): re-pointed (unique role+name match)"
        );
        let declined = Verdict::Ambiguous(Decline {
            confidence: 0.3,
            shortlist: vec![],
            reason: "2 elements match role+name — ambiguous".into(),
        });
        assert!(
            not_repointed(4, &save(), &declined)
                .ends_with("was NOT re-pointed: 2 elements match role+name — ambiguous (confidence 0.3)")
        );
        let divergence = Divergence {
            condition: Diverged::Postcondition,
            expected: "url https://*/done".into(),
            observed: "url https://a/b".into(),
            acted: true,
        };
        assert_eq!(
            diverged(2, &divergence),
            "Replay Failed: diverged at step 2: postcondition — expected url https://*/done, observed url https://a/b"
        );
    }

    #[test]
    fn names_from_pages_cannot_move_the_cursor() {
        assert_eq!(clean("a\u{1b}[2Jb\nc"), "a [2Jb c");
    }
}
