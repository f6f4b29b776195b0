//! How targets may be found in a run, from its flags and its tier.

use cairn_core::ladder::Heal;
use cairn_core::wire::page::Policy;

use super::api::{ReplayHeal, RunOptions, Tier};
use super::lines;
use super::replay::Finding;
use crate::exit::{ErrorKind, Failure};

/// The lowest confidence that may ever be acted on.
const LOWEST: f64 = 0.6;

/// `replayHeal: deterministic` takes nothing below.
const DETERMINISTIC: f64 = 0.9;

/// Refuses what cannot be run. `model`: one may be asked. `scripted`: there is a script to replay.
///
/// # Errors
/// `Usage`, with the flag.
pub fn check_options(options: &RunOptions, model: bool, scripted: bool) -> Result<(), Failure> {
    let usage = |message: String, next: &str| Err(Failure::new(ErrorKind::Usage, message, next));
    if let Some(threshold) = options.heal_threshold
        && !(LOWEST..=1.0).contains(&threshold)
    {
        return usage(
            format!("the heal threshold {threshold} is not between {LOWEST} and 1.0"),
            "give --heal-threshold a number from 0.6 to 1.0",
        );
    }
    if options.tier == Some(Tier::Llm) && !model {
        return usage(
            "the tier llm needs a model, and none is configured".into(),
            "set CAIRN_MODEL to PROVIDER/MODEL, leave --tier out, or use --tier replay-with-heal",
        );
    }
    if options.no_grounding && scripted && options.tier != Some(Tier::Llm) {
        return usage(
            "without element grounding there is no script to replay: coordinate mode is a model's".into(),
            "leave --no-grounding out (in the test file: elementGrounding)",
        );
    }
    Ok(())
}

/// The policy at the start, and after the first miss.
pub fn finding(options: &RunOptions, tier: Tier) -> Finding {
    let threshold = options.heal_threshold.unwrap_or(LOWEST);
    let healing = match options.heal.unwrap_or_default() {
        ReplayHeal::Llm => Policy { heal: Heal::Ladder, threshold },
        ReplayHeal::Deterministic => {
            Policy { heal: Heal::Deterministic, threshold: threshold.max(DETERMINISTIC) }
        }
        ReplayHeal::Off => Policy { heal: Heal::Off, threshold },
    };
    if tier == Tier::Replay && healing.heal != Heal::Off {
        let strict = Policy { heal: Heal::Off, threshold };
        return Finding { policy: strict, after_miss: Some(healing) };
    }
    Finding { policy: healing, after_miss: None }
}

/// What is said at the start beside the tier.
pub fn finding_lines(options: &RunOptions, tier: Tier, model: bool) -> Vec<&'static str> {
    let asks_model = !model && options.heal.unwrap_or_default() == ReplayHeal::Llm;
    if asks_model && tier == Tier::ReplayWithHeal { vec![lines::NO_MODEL] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(None, Tier::ReplayWithHeal, Heal::Ladder, 0.6, None)]
    #[case(Some(ReplayHeal::Deterministic), Tier::ReplayWithHeal, Heal::Deterministic, 0.9, None)]
    #[case(Some(ReplayHeal::Off), Tier::ReplayWithHeal, Heal::Off, 0.6, None)]
    #[case(None, Tier::Replay, Heal::Off, 0.6, Some(Heal::Ladder))]
    #[case(Some(ReplayHeal::Deterministic), Tier::Replay, Heal::Off, 0.6, Some(Heal::Deterministic))]
    #[case(Some(ReplayHeal::Off), Tier::Replay, Heal::Off, 0.6, None)]
    fn flags_and_tier_make_the_policy(
        #[case] heal: Option<ReplayHeal>,
        #[case] tier: Tier,
        #[case] now: Heal,
        #[case] threshold: f64,
        #[case] then: Option<Heal>,
    ) {
        let finding = finding(&RunOptions { heal, ..RunOptions::default() }, tier);
        assert_eq!((finding.policy.heal, finding.policy.threshold), (now, threshold));
        assert_eq!(finding.after_miss.map(|policy| policy.heal), then);
    }

    #[rstest]
    #[case(0.59)]
    #[case(1.01)]
    #[case(f64::NAN)]
    fn a_threshold_out_of_range_is_refused(#[case] threshold: f64) {
        let options = RunOptions { heal_threshold: Some(threshold), ..RunOptions::default() };
        assert_eq!(
            check_options(&options, false, true).map_err(|failure| failure.kind),
            Err(ErrorKind::Usage)
        );
    }
}
