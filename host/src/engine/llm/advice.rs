//! The model of one run: made when it is first asked, with one budget for everything that the run asks.

use std::sync::Arc;

use crate::engine::api::{ModelUse, RunOptions, RunResult};
use crate::exit::{ErrorKind, Failure};
use crate::model::{Adviser, Counsel, Limits};

/// Whom a run may ask.
pub struct Advice {
    adviser: Option<Arc<Adviser>>,
    limits: Limits,
    counsel: Option<Counsel>,
}

impl Advice {
    /// Asks nobody yet.
    pub fn new(adviser: Option<Arc<Adviser>>, options: &RunOptions) -> Self {
        let own = adviser.as_ref().map(|adviser| adviser.settings().limits).unwrap_or_default();
        let limits = Limits {
            steps: options.max_steps.unwrap_or(own.steps),
            tokens: options.max_tokens.unwrap_or(own.tokens),
            money: options.max_cost.or(own.money),
            ..own
        };
        Self { adviser, limits, counsel: None }
    }

    /// There is somebody.
    pub fn is_there(&self) -> bool {
        self.adviser.is_some()
    }

    /// A passing run is judged once more.
    pub fn judges(&self) -> bool {
        self.adviser.as_ref().is_some_and(|adviser| adviser.settings().judge)
    }

    /// The limits, as far as they can be kept.
    ///
    /// # Errors
    /// `Usage` where they cannot.
    pub fn check(&self) -> Result<(), Failure> {
        self.adviser.as_ref().map_or(Ok(()), |adviser| adviser.settings().check(&self.limits))
    }

    /// The model, with what is left of its budget.
    ///
    /// # Errors
    /// `Usage` where there is none, `Internal` where no client can be made.
    pub fn counsel(&mut self) -> Result<&mut Counsel, Failure> {
        if self.counsel.is_none() {
            let adviser = self.adviser.as_ref().ok_or_else(|| {
                Failure::new(ErrorKind::Usage, "no model is configured", "set CAIRN_MODEL to PROVIDER/MODEL")
            })?;
            self.counsel = Some(adviser.counsel(self.limits)?);
        }
        self.counsel.as_mut().ok_or_else(|| Failure::new(ErrorKind::Internal, "no model", "report this"))
    }

    /// What was asked, for the result.
    pub fn account(&self, result: &mut RunResult) {
        let Some(counsel) = &self.counsel else { return };
        let spent = counsel.spent();
        result.model_calls = spent.calls;
        result.model = Some(ModelUse { name: counsel.model().to_owned(), spent });
    }
}
