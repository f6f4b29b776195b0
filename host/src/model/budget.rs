//! What asking may cost: steps, tokens, money, time. What is used up is said before the next call, never after it.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::ask::Tokens;

/// What may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Acts on the page.
    pub steps: u32,
    /// Tokens, questions and answers together.
    pub tokens: u64,
    /// US dollars.
    pub money: Option<f64>,
    /// Milliseconds, from the first question on.
    pub time_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 40, tokens: 400_000, money: None, time_ms: 600_000 }
    }
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prices {
    /// Of questions.
    pub given: f64,
    /// Of answers.
    pub made: f64,
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Spent {
    /// Calls, failed ones included.
    pub calls: u32,
    /// Tokens of the questions.
    pub tokens_given: u64,
    /// Tokens of the answers.
    pub tokens_made: u64,
    /// US dollars, where the prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
}

/// A budget that is used up, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Over {
    /// What may be spent.
    pub allowed: String,
    /// What was, or would be.
    pub spent: String,
    /// The setting that allows more.
    pub setting: &'static str,
}

/// A budget with what is left of it.
#[derive(Clone, Debug)]
pub struct Budget {
    limits: Limits,
    prices: Option<Prices>,
    spent: Spent,
    steps: u32,
    begun: Instant,
}

impl Budget {
    /// From now on.
    pub fn new(limits: Limits, prices: Option<Prices>) -> Self {
        let spent = Spent { money: prices.map(|_| 0.0), ..Spent::default() };
        Self { limits, prices, spent, steps: 0, begun: Instant::now() }
    }

    /// What was spent so far.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Time that is left.
    pub fn time_left(&self) -> Duration {
        Duration::from_millis(self.limits.time_ms).saturating_sub(self.begun.elapsed())
    }

    /// One more act on the page.
    ///
    /// # Errors
    /// Where there is none left.
    pub fn take_step(&mut self) -> Result<(), Over> {
        if self.steps >= self.limits.steps {
            let allowed = format!("at most {} steps", self.limits.steps);
            return Err(Over { allowed, spent: format!("{} steps", self.steps), setting: "--max-steps" });
        }
        self.steps += 1;
        Ok(())
    }

    /// May a question of `weight` tokens be asked, with an answer of at most `answer`?
    ///
    /// # Errors
    /// Where tokens, money or time do not reach.
    pub fn allows(&self, weight: u64, answer: u32) -> Result<(), Over> {
        let used = self.spent.tokens_given + self.spent.tokens_made;
        let whole = used + weight + u64::from(answer);
        if whole > self.limits.tokens {
            return Err(Over {
                allowed: format!("at most {} tokens", self.limits.tokens),
                spent: format!("{used} tokens, and the next question needs up to {}", whole - used),
                setting: "--max-tokens",
            });
        }
        if let (Some(limit), Some(prices)) = (self.limits.money, self.prices) {
            let used = self.spent.money.unwrap_or_default();
            let next = cost(prices, Tokens { given: weight, made: u64::from(answer) });
            if used + next > limit {
                return Err(Over {
                    allowed: format!("at most ${limit:.4}"),
                    spent: format!("${used:.4}, and the next question costs up to ${next:.4}"),
                    setting: "--max-cost",
                });
            }
        }
        if self.time_left().is_zero() {
            return Err(Over {
                allowed: format!("at most {} s", self.limits.time_ms / 1000),
                spent: format!("{:.0} s", self.begun.elapsed().as_secs_f64()),
                setting: "CAIRN_MODEL_TIME",
            });
        }
        Ok(())
    }

    /// A call was made. Where the provider did not say what it cost, the estimate counts.
    pub fn count(&mut self, tokens: Tokens) {
        self.spent.calls += 1;
        self.spent.tokens_given += tokens.given;
        self.spent.tokens_made += tokens.made;
        if let (Some(money), Some(prices)) = (&mut self.spent.money, self.prices) {
            *money += cost(prices, tokens);
        }
    }
}

fn cost(prices: Prices, tokens: Tokens) -> f64 {
    (tokens.given as f64 * prices.given + tokens.made as f64 * prices.made) / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_said_before_it_is_passed() {
        let limits = Limits { steps: 1, tokens: 1000, money: Some(0.01), time_ms: 60_000 };
        let prices = Prices { given: 3.0, made: 15.0 };
        let mut budget = Budget::new(limits, Some(prices));
        assert!(budget.take_step().is_ok());
        assert_eq!(budget.take_step().unwrap_err().setting, "--max-steps");
        assert!(budget.allows(500, 300).is_ok());
        assert_eq!(budget.allows(500, 501).unwrap_err().setting, "--max-tokens");
        budget.count(Tokens { given: 100, made: 600 });
        assert_eq!(budget.spent().calls, 1);
        assert!((budget.spent().money.unwrap() - 0.0093).abs() < 1e-9);
        assert_eq!(budget.allows(10, 100).unwrap_err().setting, "--max-cost");
        let out_of_time = Budget::new(Limits { time_ms: 0, ..Limits::default() }, None);
        assert_eq!(out_of_time.allows(1, 1).unwrap_err().setting, "CAIRN_MODEL_TIME");
    }
}
