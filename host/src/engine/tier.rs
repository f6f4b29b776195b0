//! Which tier a run executes in, and why.

use super::api::Tier;
use crate::store::HealRate;

/// What the decision rests on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// The identity of the build that the script was recorded on.
    pub recorded: Option<&'a str>,
    /// The identity of the build that is there now.
    pub live: Option<&'a str>,
    /// `--tier`.
    pub forced: Option<Tier>,
    /// Heals over the test's last runs.
    pub rate: HealRate,
    /// A model could be asked.
    pub model: bool,
    /// There is no script yet.
    pub unscripted: bool,
}

/// A tier with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The tier.
    pub tier: Tier,
    /// Why, in words.
    pub reason: String,
    /// What a person should know of it.
    pub warning: Option<String>,
}

/// Decides. A crossed heal rate demotes to the model, where there is one; else it is a warning.
pub fn decide(facts: Facts<'_>) -> Decision {
    let plain = |tier, reason: &str| Decision { tier, reason: reason.to_owned(), warning: None };
    if facts.unscripted {
        return plain(Tier::Llm, "no script yet");
    }
    if let Some(tier) = facts.forced {
        return plain(tier, "asked for with --tier");
    }
    let crossed = facts.rate.crossed();
    if crossed && facts.model {
        return plain(Tier::Llm, &rate_words(facts.rate));
    }
    let mut decision = match (facts.recorded, facts.live) {
        (Some(recorded), Some(live)) if recorded == live => plain(Tier::Replay, "build identity equal"),
        (Some(_), Some(_)) => plain(Tier::ReplayWithHeal, "build identity differs"),
        _ => plain(Tier::ReplayWithHeal, "build identity unavailable"),
    };
    if crossed {
        decision.tier = Tier::ReplayWithHeal;
        decision.warning = Some(format!(
            "{}; no model is configured, so the run stays on replay-with-heal: record the test anew",
            rate_words(facts.rate)
        ));
    }
    decision
}

fn rate_words(rate: HealRate) -> String {
    format!("{} of {} steps were healed over the last {} runs", rate.healed, rate.steps, rate.runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const CALM: HealRate = HealRate { runs: 10, steps: 100, healed: 49 };
    const CROSSED: HealRate = HealRate { runs: 10, steps: 100, healed: 50 };

    #[rstest]
    #[case::equal(Some("a"), Some("a"), None, CALM, Tier::Replay, "build identity equal")]
    #[case::differs(Some("a"), Some("b"), None, CALM, Tier::ReplayWithHeal, "build identity differs")]
    #[case::no_live(Some("a"), None, None, CALM, Tier::ReplayWithHeal, "build identity unavailable")]
    #[case::not_recorded(None, Some("a"), None, CALM, Tier::ReplayWithHeal, "build identity unavailable")]
    #[case::neither(None, None, None, CALM, Tier::ReplayWithHeal, "build identity unavailable")]
    #[case::forced(Some("a"), Some("b"), Some(Tier::Replay), CALM, Tier::Replay, "asked for with --tier")]
    #[case::crossed(Some("a"), Some("a"), None, CROSSED, Tier::ReplayWithHeal, "build identity equal")]
    fn the_tier_follows_from_the_facts(
        #[case] recorded: Option<&str>,
        #[case] live: Option<&str>,
        #[case] forced: Option<Tier>,
        #[case] rate: HealRate,
        #[case] tier: Tier,
        #[case] reason: &str,
    ) {
        let decision = decide(Facts { recorded, live, forced, rate, ..Facts::default() });
        assert_eq!((decision.tier, decision.reason.as_str()), (tier, reason));
        assert_eq!(decision.warning.is_some(), rate.crossed() && forced.is_none());
    }

    #[test]
    fn a_crossed_rate_goes_to_the_model_where_there_is_one() {
        let decision = decide(Facts { rate: CROSSED, model: true, ..Facts::default() });
        assert_eq!(decision.tier, Tier::Llm);
        let decision = decide(Facts { unscripted: true, forced: Some(Tier::Replay), ..Facts::default() });
        assert_eq!((decision.tier, decision.reason.as_str()), (Tier::Llm, "no script yet"));
    }
}
