//! The model that is configured, made when it is first asked: a run that needs none makes no client.

use std::sync::{Arc, OnceLock};

use super::ask::Model;
use super::budget::Limits;
use super::client::Client;
use super::counsel::Counsel;
use super::settings::Settings;
use crate::exit::Failure;

/// Whoever can be asked for advice.
pub struct Adviser {
    settings: Settings,
    model: OnceLock<Arc<dyn Model>>,
}

impl Adviser {
    /// Nothing is opened yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings, model: OnceLock::new() }
    }

    /// The one that the environment names; `None` where it names none.
    ///
    /// # Errors
    /// `Usage`, with the variable.
    pub fn from_environment() -> Result<Option<Self>, Failure> {
        Ok(Settings::from_environment()?.map(Self::new))
    }

    /// What is configured.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// For one run.
    ///
    /// # Errors
    /// `Usage` where the limits cannot be kept, `Internal` where no client can be made.
    pub fn counsel(&self, limits: Limits) -> Result<Counsel, Failure> {
        self.settings.check(&limits)?;
        let model = if let Some(model) = self.model.get() {
            Arc::clone(model)
        } else {
            let made: Arc<dyn Model> = Arc::new(Client::new(&self.settings)?);
            Arc::clone(self.model.get_or_init(|| made))
        };
        Ok(Counsel::new(model, &self.settings, limits))
    }
}
