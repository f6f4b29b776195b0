//! Who has a run: the engine that plays it, or a person who took it over. Whoever asks for it names the run; what plays it
//! hears of it between two acts and gives way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::api::{HandRequest, Handed, RunStatus};
use super::session::Engine;
use crate::exit::{ErrorKind, Failure};

/// Runs under way, by id.
#[derive(Default)]
pub(super) struct Runs(Mutex<BTreeMap<String, Playing>>);

/// A run under way.
struct Playing {
    script: String,
    hand: watch::Sender<bool>,
}

/// Hears who has the run. One that nobody can take over is the engine's for good.
#[derive(Clone, Debug)]
pub(super) struct HandSignal(watch::Receiver<bool>);

/// A run that is listed for as long as this is held.
pub(super) struct Listed {
    runs: Arc<Runs>,
    run: String,
}

impl Default for HandSignal {
    fn default() -> Self {
        Self(watch::channel(false).1)
    }
}

impl HandSignal {
    /// A person has the run.
    pub(super) fn is_taken(&self) -> bool {
        *self.0.borrow()
    }

    /// Ready once a person has the run.
    pub(super) async fn taken(&mut self) {
        self.until(true).await;
    }

    /// Ready once the engine has it again.
    pub(super) async fn given_back(&mut self) {
        self.until(false).await;
    }

    async fn until(&mut self, by_person: bool) {
        if self.0.wait_for(|now| *now == by_person).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.runs.all().remove(&self.run);
    }
}

impl Runs {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Playing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists a run, so that it can be taken over.
    pub(super) fn list(self: &Arc<Self>, run: &str, script: &str) -> Listed {
        let playing = Playing { script: script.to_owned(), hand: watch::channel(false).0 };
        self.all().insert(run.to_owned(), playing);
        Listed { runs: Arc::clone(self), run: run.to_owned() }
    }

    /// Says who has a run.
    pub(super) fn signal(&self, run: &str) -> HandSignal {
        let all = self.all();
        all.get(run).map_or_else(HandSignal::default, |playing| HandSignal(playing.hand.subscribe()))
    }

    /// Every run under way.
    pub(super) fn status(&self) -> Vec<RunStatus> {
        let one = |(run, playing): (&String, &Playing)| RunStatus {
            run: run.clone(),
            script: playing.script.clone(),
            by_person: *playing.hand.borrow(),
        };
        self.all().iter().map(one).collect()
    }
}

impl Engine {
    /// Gives a run under way to a person, or back.
    ///
    /// # Errors
    /// `NothingSelected` where there is no such run, or where several are meant; `Usage` where it is so already.
    pub fn hand(&self, request: &HandRequest) -> Result<Handed, Failure> {
        let runs = self.runs.all();
        let fits = |(run, playing): &(&String, &Playing)| {
            request.run.as_deref().is_none_or(|wanted| **run == wanted || playing.script == wanted)
        };
        let mut fitting = runs.iter().filter(fits);
        let nothing = |message: String, next: String| Failure::new(ErrorKind::NothingSelected, message, next);
        let under_way = || {
            let all = runs.iter().map(|(run, playing)| format!("{run} ({})", playing.script));
            all.collect::<Vec<_>>().join(", ")
        };
        let (run, playing) = match (fitting.next(), fitting.next()) {
            (Some(one), None) => one,
            (None, _) if runs.is_empty() => {
                let next = "it is for runs of the daemon: `cairn run … --attach`";
                return Err(nothing("no run is under way".into(), next.into()));
            }
            (None, _) => {
                let wanted = request.run.as_deref().unwrap_or_default();
                return Err(nothing(
                    format!("no run `{wanted}` is under way"),
                    format!("under way: {}", under_way()),
                ));
            }
            (Some(_), Some(_)) => {
                return Err(nothing(
                    "several runs are under way".into(),
                    format!("name one: {}", under_way()),
                ));
            }
        };
        let changed = playing.hand.send_if_modified(|by_person| {
            std::mem::replace(by_person, request.to_person) != request.to_person
        });
        if !changed {
            let (message, next) = if request.to_person {
                (format!("a person has the run {run} already"), "give it back with `cairn give`")
            } else {
                (format!("the run {run} was not taken over"), "take it over with `cairn take`")
            };
            return Err(Failure::new(ErrorKind::Usage, message, next));
        }
        Ok(Handed { run: run.clone(), script: playing.script.clone(), to_person: request.to_person })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::Hub;
    use crate::store::SqliteStore;

    #[tokio::test]
    async fn a_run_is_taken_once_and_given_back_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let engine = Engine::new(Hub::new(), store, folder.path());
        let ask = |run: Option<&str>, to_person| {
            engine.hand(&HandRequest { run: run.map(str::to_owned), to_person })
        };
        assert_eq!(ask(None, true).unwrap_err().kind, ErrorKind::NothingSelected);
        let one = engine.runs.list("a1", "buy");
        let other = engine.runs.list("b2", "sell");
        assert!(ask(None, true).unwrap_err().next.contains("a1 (buy), b2 (sell)"));
        assert_eq!(ask(Some("buy"), true).unwrap().run, "a1");
        assert_eq!(ask(Some("a1"), true).unwrap_err().kind, ErrorKind::Usage);
        let (mut mine, theirs) = (engine.runs.signal("a1"), engine.runs.signal("b2"));
        assert!(mine.is_taken() && !theirs.is_taken());
        mine.taken().await;
        assert!(ask(Some("a1"), false).is_ok() && ask(Some("a1"), false).is_err());
        mine.given_back().await;
        drop((one, other));
        assert!(engine.runs.status().is_empty());
    }
}
