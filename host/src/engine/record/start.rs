//! Begins and ends recordings: by the command line, by the panel, by `cairn stop`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use cairn_core::script::ScriptFile;
use cairn_core::value;
use cairn_core::wire::page::InputValue;
use cairn_core::wire::worker::PanelState;
use tokio::sync::{mpsc, watch};

use super::draft::{self, Head};
use super::note::Notes;
use super::recorder::{Adopt, Panel, Parts, Recorder};
use super::unfinished;
use crate::daemon::{Lease, LeaseEvents, Open};
use crate::engine::api::{ClientEvent, RecordEvent, RecordRequest, Recorded, StopRequest};
use crate::engine::evidence::write_whole;
use crate::engine::masks::masks;
use crate::engine::scribe::{EVENT_QUEUE, Events};
use crate::engine::session::{Active, Done, Engine};
use crate::engine::stop::{StopHandle, StopSignal, stop_pair};
use crate::exit::{ErrorKind, Failure};
use crate::store::{Recording, RecordingState};

/// Looks that may wait for their turn.
const NOTES: usize = 8;

impl Engine {
    /// Records until the caller, the person or the tab ends it, then stores the script and writes its file.
    ///
    /// # Errors
    /// Where nothing could be begun, or the result cannot be kept.
    pub async fn record(
        self: &Arc<Self>,
        request: RecordRequest,
        events: Events,
        caller: StopSignal,
    ) -> Result<Recorded, Failure> {
        check_name(&request.name)?;
        let id = ulid::Ulid::generate().to_string().to_lowercase();
        let done = self.register(&id, &request.name, caller)?;
        let made = Box::pin(self.record_as(&id, &request, &events)).await;
        self.active().remove(&id);
        self.hub.show_panel(&PanelState::default());
        done.send_replace(Some(made.clone()));
        let recording = made?;
        let event = RecordEvent::Finished { recording: Box::new(recording.clone()) };
        // Nobody may listen any more: the script is stored all the same.
        let _ = events.send(ClientEvent::Record { event }).await;
        Ok(recording)
    }

    /// Two recordings of one name would end each other.
    fn register(
        &self,
        id: &str,
        name: &str,
        mut caller: StopSignal,
    ) -> Result<watch::Sender<Option<Result<Recorded, Failure>>>, Failure> {
        let (stop, _) = stop_pair();
        let (done, waiting) = watch::channel(None);
        let mut active = self.active();
        if active.values().any(|other| other.name == name) {
            let next = format!("end it first: `cairn stop {name}`");
            return Err(Failure::new(ErrorKind::Usage, format!("`{name}` is being recorded already"), next));
        }
        let handle = stop.clone();
        tokio::spawn(async move {
            let reason = caller.asked().await;
            handle.ask(&reason);
        });
        active.insert(
            id.to_owned(),
            Active { name: name.to_owned(), steps: 0, stop, done: waiting, notes: None },
        );
        Ok(done)
    }

    async fn record_as(
        self: &Arc<Self>,
        id: &str,
        request: &RecordRequest,
        events: &Events,
    ) -> Result<Recorded, Failure> {
        let inputs = inputs_of(request);
        let (_, configure) = masks(&inputs);
        let open = Open {
            url: (!request.url.is_empty()).then(|| request.url.clone()),
            tab: request.tab,
            engine: request.engine,
            viewport: request.viewport,
            configure,
            ..Open::default()
        };
        let mut stop = self.stop_signal(id);
        let (lease, mut lease_events) = tokio::select! {
            opened = self.hub.open(open) => opened?,
            reason = stop.asked() => return Err(Failure::new(ErrorKind::Interrupted, reason, "")),
        };
        let recording = self.record_in(id, request, inputs, &lease, &mut lease_events, events);
        let recorded = Box::pin(recording).await;
        // The tab is the person's, and stands where they left it.
        lease.close(true).await;
        recorded
    }

    async fn record_in(
        self: &Arc<Self>,
        id: &str,
        request: &RecordRequest,
        inputs: BTreeMap<String, InputValue>,
        lease: &Lease,
        lease_events: &mut LeaseEvents,
        events: &Events,
    ) -> Result<Recorded, Failure> {
        self.say_unfinished(events).await?;
        self.begin(id, request).await?;
        let mut head = Head {
            name: request.name.clone(),
            goal: request.goal.clone().unwrap_or_default(),
            start_url: value::templatize(&request.url, &inputs),
            build_identity: request.build.clone(),
            languages: request.languages.clone(),
            ..Head::default()
        };
        for (name, input) in &inputs {
            head.declare(name, input.secret);
        }
        let engine = Arc::downgrade(self);
        let counted = id.to_owned();
        let mut recorder = Recorder::new(Parts {
            id: id.to_owned(),
            head,
            inputs,
            store: Arc::clone(&self.store),
            events: events.clone(),
            panel: Some(Panel { hub: self.hub.clone(), lease: lease.id().to_owned() }),
            build_from: request.build_from.clone(),
            on_change: Box::new(move |steps| {
                if let Some(engine) = engine.upgrade()
                    && let Some(active) = engine.active().get_mut(&counted)
                {
                    active.steps = steps;
                }
            }),
            tab: lease.clone(),
            adopt: self.adopter(request.engine),
            started: RecordEvent::Started {
                recording: id.to_owned(),
                name: request.name.clone(),
                url: request.url.clone(),
            },
        });
        // A dialog is seen only where the debugger was there before it; a person in front of a window is asked first.
        if let Err(error) = lease.attach_debugger(!request.dialogs).await {
            recorder.say(format!("native dialogs are not recorded: {error}")).await;
        }
        let mut stop = self.stop_signal(id);
        let (notes, mut asked) = mpsc::channel(NOTES);
        if let Some(active) = self.active().get_mut(id) {
            active.notes = Some(notes);
        }
        let ended_by = Box::pin(recorder.watch(lease_events, &mut stop, &mut asked)).await?;
        recorder.settle_build().await;
        self.finish_recording(request, recorder, ended_by).await
    }

    /// Leases tabs that pages open, in the same browser.
    pub(in crate::engine) fn adopter(&self, engine: cairn_core::wire::worker::Engine) -> Adopt<Lease> {
        let hub = self.hub.clone();
        Box::new(move |tab, configure| {
            let hub = hub.clone();
            let open = Open { tab: Some(tab), engine, configure, ..Open::default() };
            Box::pin(async move { hub.open(open).await })
        })
    }

    fn stop_signal(&self, id: &str) -> StopSignal {
        let active = self.active();
        active.get(id).map_or_else(|| stop_pair().1, |active| active.stop.signal())
    }

    async fn begin(&self, id: &str, request: &RecordRequest) -> Result<(), Failure> {
        let recording = Recording {
            id: id.to_owned(),
            name: request.name.clone(),
            url: request.url.clone(),
            started_at: jiff::Timestamp::now().to_string(),
            state: RecordingState::Open,
            owner: std::process::id(),
            entries: 0,
        };
        Ok(self.store.begin_recording(recording).await?)
    }

    /// A recording that died is not forgotten: the next one says where it is.
    async fn say_unfinished(&self, events: &Events) -> Result<(), Failure> {
        let mine: Vec<String> = self.active().keys().cloned().collect();
        for lost in unfinished(&self.store, &mine).await? {
            let steps = lost.script.steps.len();
            let text = format!(
                "an earlier recording of `{}` was interrupted after {steps} steps; they are kept: `cairn scripts recover {} --out FILE`",
                lost.name, lost.recording
            );
            let _ = events.send(ClientEvent::Record { event: RecordEvent::Log { text } }).await;
        }
        Ok(())
    }

    async fn finish_recording(
        &self,
        request: &RecordRequest,
        recorder: Recorder<Lease>,
        ended_by: String,
    ) -> Result<Recorded, Failure> {
        let steps = recorder.trail.steps();
        let (script, goal) = draft::script(&recorder.head, &steps);
        for sentence in draft::left_out(&steps) {
            recorder.say(format!("warning: {sentence}")).await;
        }
        let script = draft::without_secrets(script, &recorder.inputs)?;
        let text = cairn_core::script::write(&ScriptFile::from(script.clone()));
        let mut outcome = Recorded {
            recording: recorder.id.clone(),
            name: request.name.clone(),
            steps: script.steps.len() as u32,
            weak: draft::weak(&script),
            url_only_goal: goal.only_url,
            assertable: goal.offered.clone(),
            ended_by,
            script,
            ..Recorded::default()
        };
        if outcome.steps > 0 {
            let slot = self.store.offer_script(&request.name, text.clone()).await?;
            outcome.slot = Some(slot.as_str().to_owned());
            if let Some(warning) = goal.warning() {
                recorder.say(warning).await;
            }
        } else {
            recorder.say("nothing was recorded").await;
        }
        if let Some(out) = &request.out {
            write_script(out, text).await?;
            outcome.out = Some(out.clone());
        }
        self.store.set_recording(&recorder.id, RecordingState::Finished).await?;
        Ok(outcome)
    }

    /// Ends a recording and waits until its script is stored and its file written.
    ///
    /// # Errors
    /// `NothingSelected` where there is none; the recording's own failure.
    pub async fn stop(&self, request: &StopRequest) -> Result<Recorded, Failure> {
        let (stop, mut done) = self.select(request.name.as_deref())?;
        stop.ask("stopped");
        let made = done.wait_for(Option::is_some).await;
        let gone = || Failure::new(ErrorKind::Internal, "the recording ended without a word", "report this");
        made.map_err(|_| gone())?.clone().ok_or_else(gone)?
    }

    fn select(&self, name: Option<&str>) -> Result<(StopHandle, Done), Failure> {
        self.selected(name, |one| (one.stop.clone(), one.done.clone()))
    }

    /// The door to the recording of this name, or to the only one.
    pub(super) fn notes(&self, name: Option<&str>) -> Result<Notes, Failure> {
        let early = || {
            Failure::new(
                ErrorKind::NothingSelected,
                "the recording has not begun yet",
                "wait until its page is open",
            )
        };
        self.selected(name, |one| one.notes.clone())?.ok_or_else(early)
    }

    fn selected<O>(&self, name: Option<&str>, of: impl Fn(&Active) -> O) -> Result<O, Failure> {
        let active = self.active();
        let mut fitting = active.values().filter(|one| name.is_none_or(|name| one.name == name));
        let nothing = |message: String, next: &str| Failure::new(ErrorKind::NothingSelected, message, next);
        match (fitting.next(), fitting.next()) {
            (Some(one), None) => Ok(of(one)),
            (None, _) if active.is_empty() => Err(nothing(
                "nothing is being recorded".into(),
                "what an interrupted recording captured is listed by `cairn scripts list`",
            )),
            (None, _) => Err(nothing(
                format!("no recording is named `{}`", name.unwrap_or_default()),
                &format!("under way: {}", names(active.values())),
            )),
            (Some(_), Some(_)) => Err(nothing(
                "several recordings are under way".into(),
                &format!("name one: {}", names(active.values())),
            )),
        }
    }

    /// Ends every recording under way, so that each becomes a script. For a daemon that is told to end.
    pub async fn finish_recordings(&self) {
        let under_way: Vec<_> =
            self.active().values().map(|one| (one.stop.clone(), one.done.clone())).collect();
        for (stop, _) in &under_way {
            stop.ask("the daemon was stopped");
        }
        for (_, mut done) in under_way {
            // A recording that fails says so to its own caller.
            let _ = done.wait_for(Option::is_some).await;
        }
    }

    /// Records what people begin in the panels of paired browsers. Runs for as long as the daemon does.
    pub async fn watch_panels(self: Arc<Self>) {
        let mut pressed = self.hub.panel_records();
        loop {
            match pressed.recv().await {
                Ok(panel) => {
                    let engine = Arc::clone(&self);
                    let request = RecordRequest {
                        name: panel.name.trim().to_owned(),
                        tab: Some(panel.tab),
                        ..RecordRequest::default()
                    };
                    tokio::spawn(engine.record_for_panel(request));
                }
                Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
                Err(tokio::sync::broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    async fn record_for_panel(self: Arc<Self>, mut request: RecordRequest) {
        if request.name.is_empty() {
            request.name = format!("recording-{}", jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S"));
        }
        let (events, mut queue) = mpsc::channel(EVENT_QUEUE);
        // The panel is told by itself; nobody else listens.
        tokio::spawn(async move { while queue.recv().await.is_some() {} });
        let (_handle, stop) = stop_pair();
        if let Err(failure) = Box::pin(self.record(request, events, stop)).await {
            tracing::warn!("a recording of the panel: {failure}");
        }
    }
}

fn names<'a>(active: impl Iterator<Item = &'a Active>) -> String {
    active.map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn check_name(name: &str) -> Result<(), Failure> {
    let fits = !name.trim().is_empty() && !name.contains(['/', '\\', '\0']) && !name.starts_with('.');
    if fits {
        return Ok(());
    }
    let message = format!("`{name}` is no name for a test");
    Err(Failure::new(ErrorKind::Usage, message, "use letters, digits, spaces, - and _"))
}

fn inputs_of(request: &RecordRequest) -> BTreeMap<String, InputValue> {
    let value = |(name, value): (&String, &String)| {
        let secret = request.secret_inputs.contains(name);
        (name.clone(), InputValue { value: value.clone(), secret })
    };
    request.inputs.iter().map(value).collect()
}

async fn write_script(out: &std::path::Path, text: String) -> Result<(), Failure> {
    let path: PathBuf = out.to_path_buf();
    let written = tokio::task::spawn_blocking(move || write_whole(&path, text.as_bytes())).await;
    let written = written.unwrap_or_else(|error| Err(std::io::Error::other(error)));
    written.map_err(|error| {
        Failure::new(
            ErrorKind::Usage,
            format!("the script is stored, but its file cannot be written: {error}"),
            "`cairn scripts show NAME` prints it",
        )
        .at(out.display().to_string())
    })
}
