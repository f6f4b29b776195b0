//! The trait behind which any model can stand, and how asking one can fail.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;
use thiserror::Error;

/// A model that can be asked.
pub trait Model: Send + Sync {
    /// Its name, as `provider/model`.
    fn name(&self) -> &str;

    /// Asks once; no attempt is repeated here.
    fn ask<'a>(&'a self, prompt: &'a Prompt, bound: Duration) -> BoxFuture<'a, Result<Answer, Trouble>>;
}

/// One question.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    /// What holds for every question of its kind.
    pub system: String,
    /// This question.
    pub user: String,
    /// The page as a PNG.
    pub picture: Option<Arc<[u8]>>,
    /// The form that the answer must have.
    pub shape: Shape,
    /// The answer's length in tokens, at most.
    pub most_tokens: u32,
}

impl Prompt {
    /// About how many tokens asking costs: four characters are one, and a picture is a thousand.
    pub fn weight(&self) -> u64 {
        let letters = self.system.chars().count() + self.user.chars().count();
        letters as u64 / 4 + self.picture.as_ref().map_or(0, |_| 1000)
    }
}

/// A JSON Schema with its name.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Letters and underscores.
    pub name: &'static str,
    /// The schema.
    pub schema: Value,
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its text.
    pub text: String,
    /// What it cost; `None` where the provider does not say.
    pub tokens: Option<Tokens>,
}

/// Tokens of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Of the question.
    pub given: u64,
    /// Of the answer.
    pub made: u64,
}

/// Why a call brought no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Trouble {
    /// It may work later: 429, 5xx.
    #[error("the provider answered {status}: {said}")]
    Busy {
        /// HTTP status.
        status: u16,
        /// What it said.
        said: String,
        /// How long it asks to be left alone.
        wait: Option<Duration>,
    },
    /// It will not work like this: a wrong key, no such model.
    #[error("the provider refused with {status}: {said}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// What it said.
        said: String,
    },
    /// What came is no answer of this protocol.
    #[error("the provider's answer cannot be read: {0}")]
    Garbled(String),
    /// Nothing came in time.
    #[error("no answer within {:.1} s", .0.as_secs_f64())]
    Silent(Duration),
    /// Nobody is there.
    #[error("the provider cannot be reached: {0}")]
    Unreachable(String),
}

impl Trouble {
    /// It may work when tried again.
    pub fn is_transient(&self) -> bool {
        !matches!(self, Self::Refused { .. })
    }
}
