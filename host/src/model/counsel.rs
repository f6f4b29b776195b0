//! Gets one typed answer: asks until there is one that the caller takes, tells the model what was wrong with the one before,
//! waits where the provider is busy, and stops where the budget or the patience ends.

use std::sync::Arc;
use std::time::Duration;

use super::ask::{Model, Prompt, Tokens, Trouble};
use super::budget::{Budget, Limits, Over, Spent};
use super::decision::{Typed, read};
use super::settings::Settings;

/// Attempts at one answer, the first included.
const ATTEMPTS: u32 = 3;

/// The longest pause that a busy provider gets.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// Characters of a wrong answer that are shown to the model again.
const SHOWN: usize = 300;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dismay {
    /// The provider gives none; `attempts` were made.
    Trouble {
        /// The last one.
        trouble: Trouble,
        /// How many.
        attempts: u32,
        /// Pauses between them.
        waited: Duration,
    },
    /// The model answers, and never with what can be used.
    Unusable {
        /// What was wrong with its last answer.
        last: String,
        /// How many were asked for.
        attempts: u32,
    },
    /// The budget is used up.
    Over(Over),
}

impl Dismay {
    /// In words.
    pub fn words(&self) -> String {
        match self {
            Self::Trouble { trouble, attempts, .. } => format!("{trouble} ({attempts} attempts)"),
            Self::Unusable { last, attempts } => {
                format!("{attempts} answers that cannot be used; of the last one: {last}")
            }
            Self::Over(over) => format!("{}, and there were {}", over.allowed, over.spent),
        }
    }
}

/// A model with a budget.
pub struct Counsel {
    model: Arc<dyn Model>,
    budget: Budget,
    bound: Duration,
}

impl Counsel {
    /// For one run.
    pub fn new(model: Arc<dyn Model>, settings: &Settings, limits: Limits) -> Self {
        Self { model, budget: Budget::new(limits, settings.prices), bound: settings.bound }
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        self.model.name()
    }

    /// What was spent so far.
    pub fn spent(&self) -> Spent {
        self.budget.spent()
    }

    /// One more act on the page.
    ///
    /// # Errors
    /// Where there is none left.
    pub fn take_step(&mut self) -> Result<(), Over> {
        self.budget.take_step()
    }

    /// Asks for an answer that `takes` accepts; its error is told to the model.
    ///
    /// # Errors
    /// Where none can be had.
    pub async fn ask<T: Typed>(
        &mut self,
        prompt: &Prompt,
        takes: impl Fn(&T) -> Result<(), String>,
    ) -> Result<T, Dismay> {
        let mut waited = Duration::ZERO;
        let mut asked = prompt.clone();
        let mut attempts = 0;
        loop {
            attempts += 1;
            match self.once(&asked).await? {
                Ok(text) => {
                    let wrong = match read::<T>(&text) {
                        Ok(answer) => match takes(&answer) {
                            Ok(()) => return Ok(answer),
                            Err(wrong) => wrong,
                        },
                        Err(wrong) => wrong,
                    };
                    if attempts >= ATTEMPTS {
                        return Err(Dismay::Unusable { last: wrong, attempts });
                    }
                    asked.user = complaint(&prompt.user, &text, &wrong);
                }
                Err(trouble) => {
                    if !trouble.is_transient() || attempts >= ATTEMPTS {
                        return Err(Dismay::Trouble { trouble, attempts, waited });
                    }
                    let pause = pause(&trouble, attempts).min(self.budget.time_left());
                    tracing::info!("{}: {trouble}; asked again in {pause:?}", self.model.name());
                    tokio::time::sleep(pause).await;
                    waited += pause;
                }
            }
        }
    }

    async fn once(&mut self, prompt: &Prompt) -> Result<Result<String, Trouble>, Dismay> {
        let weight = prompt.weight();
        self.budget.allows(weight, prompt.most_tokens).map_err(Dismay::Over)?;
        let bound = self.bound.min(self.budget.time_left());
        let answer = self.model.ask(prompt, bound).await;
        Ok(match answer {
            Ok(answer) => {
                let made = answer.text.chars().count() as u64 / 4 + 1;
                self.budget.count(answer.tokens.unwrap_or(Tokens { given: weight, made }));
                Ok(answer.text)
            }
            Err(trouble) => {
                // Nobody says what a failed call cost: the question may have been read.
                self.budget.count(Tokens { given: weight, made: 0 });
                Err(trouble)
            }
        })
    }
}

fn pause(trouble: &Trouble, attempts: u32) -> Duration {
    let own = Duration::from_millis(500 << attempts.min(5));
    let wait = match trouble {
        Trouble::Busy { wait, .. } => wait.unwrap_or(own),
        _ => own,
    };
    wait.min(LONGEST_PAUSE)
}

fn complaint(question: &str, answer: &str, wrong: &str) -> String {
    let shown: String = answer.chars().take(SHOWN).collect();
    format!(
        "{question}\n\nYour last answer was not used: {wrong}. It began: {shown:?}\nAnswer again, with one JSON object alone."
    )
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use futures_util::future::BoxFuture;

    use super::*;
    use crate::model::{Answer, Choice};

    /// Says what it was given, in order, and notes what it was asked.
    struct Parrot {
        says: Mutex<VecDeque<Result<&'static str, Trouble>>>,
        asked: Mutex<Vec<String>>,
    }

    impl Model for Parrot {
        fn name(&self) -> &'static str {
            "test/parrot"
        }

        fn ask<'a>(&'a self, prompt: &'a Prompt, _: Duration) -> BoxFuture<'a, Result<Answer, Trouble>> {
            self.asked.lock().unwrap().push(prompt.user.clone());
            let next = self.says.lock().unwrap().pop_front().unwrap_or(Ok(""));
            Box::pin(async move { next.map(|text| Answer { text: text.to_owned(), tokens: None }) })
        }
    }

    async fn ask(
        says: Vec<Result<&'static str, Trouble>>,
        limits: Limits,
    ) -> (Result<Choice, Dismay>, u32, Vec<String>) {
        let parrot = Arc::new(Parrot { says: Mutex::new(says.into()), asked: Mutex::default() });
        let model = Arc::clone(&parrot) as Arc<dyn Model>;
        let budget = Budget::new(limits, None);
        let mut counsel = Counsel { model, budget, bound: Duration::from_secs(1) };
        let prompt = Prompt { user: "Which one?".into(), most_tokens: 50, ..Prompt::default() };
        let takes =
            |choice: &Choice| if choice.index < 3 { Ok(()) } else { Err("there is no element 7".to_owned()) };
        let answer = counsel.ask(&prompt, takes).await;
        let asked = parrot.asked.lock().unwrap().clone();
        (answer, counsel.spent().calls, asked)
    }

    #[tokio::test]
    async fn a_wrong_answer_is_told_and_asked_for_again() {
        let says = vec![Ok("{\"index\": 7}"), Ok("{\"ind"), Ok("{\"index\": 1, \"why\": \"it is\"}")];
        let (answer, calls, asked) = ask(says, Limits::default()).await;
        assert_eq!((answer.unwrap().index, calls), (1, 3));
        assert!(asked[1].contains("there is no element 7") && asked[2].contains("ends too early"));
        let says = vec![Ok("no"), Ok("no"), Ok("no"), Ok("{\"index\": 1}")];
        let (answer, calls, _) = ask(says, Limits::default()).await;
        assert!(matches!(answer, Err(Dismay::Unusable { attempts: 3, .. })) && calls == 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_provider_is_asked_again_and_a_refusal_is_not() {
        let busy = || Err(Trouble::Busy { status: 429, said: String::new(), wait: None });
        let (answer, calls, _) = ask(vec![busy(), Ok("{\"index\": 0}")], Limits::default()).await;
        assert!(answer.is_ok() && calls == 2);
        let (answer, calls, _) = ask(vec![busy(), busy(), busy()], Limits::default()).await;
        assert!(matches!(answer, Err(Dismay::Trouble { attempts: 3, .. })) && calls == 3);
        let refused = Err(Trouble::Refused { status: 401, said: String::new() });
        let (answer, calls, _) = ask(vec![refused], Limits::default()).await;
        assert!(matches!(answer, Err(Dismay::Trouble { attempts: 1, .. })) && calls == 1);
    }

    #[tokio::test]
    async fn what_the_budget_does_not_reach_is_not_asked() {
        let limits = Limits { tokens: 40, ..Limits::default() };
        let (answer, calls, _) = ask(vec![Ok("{\"index\": 0}")], limits).await;
        assert!(matches!(answer, Err(Dismay::Over(_))) && calls == 0);
    }
}
