//! Steps by command: an output that is read, a condition that is checked. Each is played on the page once before it is kept,
//! as every later run will play it: what does not work now is refused, and the recording goes on without it.

use std::time::Duration;

use cairn_core::script::{Action, Extract, Method, Output, Step, Target};
use cairn_core::text::same_name;
use cairn_core::wire::page::{
    Batch, ListOptions, Listed, PageAnswer, PageEvent, PageRequest, StepReport, StepStatus,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep_until;

use super::recorder::Recorder;
use crate::daemon::LeaseEvent;
use crate::engine::api::{Look, NoteRequest, Noted, Place, Reading};
use crate::engine::difference::condition_words;
use crate::engine::lines;
use crate::engine::outputs;
use crate::engine::session::Engine;
use crate::engine::tab::{Tab, TabEvents};
use crate::exit::{ErrorKind, Failure};

/// How long what is looked at may take to be there.
const BOUND: Duration = Duration::from_secs(3);

/// What a page gets beyond that to answer.
const GRACE: Duration = Duration::from_secs(2);

/// A look that a recording is asked for, and where the answer goes.
pub(in crate::engine) type Asked = (Look, oneshot::Sender<Result<Noted, Failure>>);

/// The door to a recording under way.
pub(in crate::engine) type Notes = mpsc::Sender<Asked>;

impl Engine {
    /// Adds a step that looks to a recording under way.
    ///
    /// # Errors
    /// `NothingSelected` where there is none, `Usage` for what no page could meet, `Page` where it is not so now.
    pub async fn note(&self, request: NoteRequest) -> Result<Noted, Failure> {
        if let Look::Extract(reading) = &request.look {
            check(reading)?;
        }
        let notes = self.notes(request.name.as_deref())?;
        let (answer, answered) = oneshot::channel();
        let over =
            || Failure::new(ErrorKind::NothingSelected, "the recording has just ended", "record again");
        notes.send((request.look, answer)).await.map_err(|_| over())?;
        answered.await.map_err(|_| over())?
    }
}

/// Refused before any page is asked.
fn check(reading: &Reading) -> Result<(), Failure> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if reading.output.is_empty() || !reading.output.chars().all(fits) {
        let message = format!("`{}` is no name for an output", reading.output);
        return Err(Failure::new(ErrorKind::Usage, message, "use letters, digits and _"));
    }
    if let Some(pattern) = &reading.pattern {
        outputs::regex(pattern).map_err(|reason| {
            let message = format!("`{pattern}` is no regular expression: {reason}");
            Failure::new(
                ErrorKind::Usage,
                message,
                "mend --match; look-arounds and back-references are not known",
            )
        })?;
    }
    if reading.place.is_none() && reading.pattern.is_none() {
        let message = "the whole page is no output";
        return Err(Failure::new(ErrorKind::Usage, message, "say where (--named, --ref) or what (--match)"));
    }
    Ok(())
}

impl<T: Tab> Recorder<T> {
    /// Answers one look.
    pub(super) async fn take_note<E: TabEvents>(
        &mut self,
        (look, answer): Asked,
        tab_events: &mut E,
    ) -> Result<(), Failure> {
        let noted = self.noted(look, tab_events).await;
        // Who asked may be gone; the step is kept all the same.
        let _ = answer.send(noted);
        Ok(())
    }

    async fn noted<E: TabEvents>(&mut self, look: Look, tab_events: &mut E) -> Result<Noted, Failure> {
        let (tab, document, url) = self.in_front()?;
        let by = Some("person".to_owned());
        let (step, output) = match look {
            Look::Assert { check } => {
                let action = Action { method: Method::Assert, ..Action::default() };
                let instruction = format!("Check that {}", condition_words(&check));
                (Step { instruction, action, check: Some(check), by, ..Step::default() }, None)
            }
            Look::Extract(reading) => {
                let target = match &reading.place {
                    Some(place) => Some(find(&tab, document, place).await?),
                    None => None,
                };
                let from = target.as_ref().map_or_else(
                    || "the page".to_owned(),
                    |target| format!("the {} \u{201c}{}\u{201d}", target.role, lines::clean(&target.name)),
                );
                let instruction = format!("Read {} from {from}", reading.output);
                let extract = (!reading.read.is_empty()).then(|| Extract { read: reading.read.clone() });
                let value = Some(reading.output.clone());
                let action = Action { method: Method::Extract, target, value, ..Action::default() };
                let output = Output { kind: reading.kind, pattern: reading.pattern, ..Output::default() };
                (Step { instruction, action, extract, by, ..Step::default() }, Some((reading.output, output)))
            }
        };
        let step = Step { url_before: url, tab: self.tab_number(), ..step };
        let report = self.play_once(&tab, document, &step, tab_events).await?;
        let mut read = report.extracted;
        if let (Some((name, output)), Some(text)) = (&output, &read) {
            let value = outputs::one(output, text).map_err(|expected| {
                let shown = lines::clean(text);
                let message =
                    format!("`{name}` would be {expected}, and what is there is \u{201c}{shown}\u{201d}");
                Failure::new(ErrorKind::Page, message, "nothing was recorded; mend --match or --type")
            })?;
            read = Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        if let Some((name, output)) = output {
            self.head.outputs.insert(name, output);
            self.keep_head().await?;
        }
        let text = step.instruction.clone();
        let change = self.trail.host_step(step, None);
        self.changed(change).await?;
        Ok(Noted { number: self.trail.len(), text, read })
    }

    /// Plays a step that only looks, as a run will.
    async fn play_once<E: TabEvents>(
        &mut self,
        tab: &T,
        document: u32,
        step: &Step,
        tab_events: &mut E,
    ) -> Result<StepReport, Failure> {
        let run = format!("note-{}", self.trail.next_number());
        let batch = Batch {
            run: run.clone(),
            first: 1,
            steps: vec![step.clone()],
            inputs: self.inputs.clone(),
            bound_ms: u32::try_from(BOUND.as_millis()).unwrap_or(u32::MAX),
            ..Batch::default()
        };
        let mut play = std::pin::pin!(tab.ask(document, PageRequest::Play(batch), BOUND + GRACE));
        let mut report: Option<StepReport> = None;
        let mut done = false;
        let deadline = tokio::time::Instant::now() + BOUND + GRACE;
        while report.is_none() {
            tokio::select! {
                biased;
                event = self.next_event(tab_events) => {
                    let Some((at, event)) = event else { break };
                    match event {
                        LeaseEvent::Page { event: PageEvent::Step { run: of, report: told }, .. } if of == run => {
                            report = Some(*told);
                        }
                        event => drop(self.take(at, event).await?),
                    }
                }
                answer = &mut play, if !done => {
                    done = true;
                    answer.map_err(Failure::from)?;
                }
                () = sleep_until(deadline) => break,
            }
        }
        let silent =
            || Failure::new(ErrorKind::Page, "the page did not answer", "try again once it has loaded");
        let report = report.ok_or_else(silent)?;
        if report.status == StepStatus::Diverged {
            let divergence = report.divergence.clone().unwrap_or_default();
            let message =
                format!("it is not so now: wanted {}, found {}", divergence.expected, divergence.observed);
            return Err(Failure::new(ErrorKind::Page, message, "nothing was recorded; go on and try again"));
        }
        Ok(report)
    }
}

/// The element that a person names.
async fn find<T: Tab>(tab: &T, document: u32, place: &Place) -> Result<Target, Failure> {
    let reference = match place {
        Place::Reference { reference } => cairn_core::element::Ref(reference.clone()),
        Place::Named { role, name } => {
            let fits = |listed: &&Listed| {
                same_name(&listed.element.name, name)
                    && role.as_ref().is_none_or(|role| *role == listed.element.role)
            };
            for tree in [false, true] {
                let options = ListOptions { all: true, tree, ..ListOptions::default() };
                let request = PageRequest::List(options);
                let PageAnswer::Listing(listing) = tab.ask(document, request, BOUND + GRACE).await? else {
                    continue;
                };
                let found: Vec<&Listed> = listing.elements.iter().filter(fits).collect();
                match found.as_slice() {
                    [] => {}
                    [only] => {
                        if let Some(reference) = only.element.reference.as_ref().filter(|_| !tree) {
                            return describe(tab, document, reference.clone()).await;
                        }
                        return Ok(short(only));
                    }
                    several => {
                        let message = format!("{} elements are called \u{201c}{name}\u{201d}", several.len());
                        let next =
                            "name one by its role (--role) or its ref (--ref, see `cairn probe --attach`)";
                        return Err(Failure::new(ErrorKind::Page, message, next));
                    }
                }
            }
            let message = format!("nothing on the page is called \u{201c}{name}\u{201d}");
            return Err(Failure::new(
                ErrorKind::Page,
                message,
                "nothing was recorded; see `cairn probe --attach`",
            ));
        }
    };
    describe(tab, document, reference).await
}

async fn describe<T: Tab>(
    tab: &T,
    document: u32,
    reference: cairn_core::element::Ref,
) -> Result<Target, Failure> {
    match tab.ask(document, PageRequest::Describe { reference }, BOUND + GRACE).await? {
        PageAnswer::Described { target, .. } => Ok(*target),
        _ => Err(Failure::new(ErrorKind::Internal, "the page answered another question", "report this")),
    }
}

/// What is no control has no ref: its role, its name and where it is.
fn short(listed: &Listed) -> Target {
    Target {
        role: listed.element.role.clone(),
        name: listed.element.name.clone(),
        selector: listed.selector.clone().unwrap_or_default(),
        ..Target::default()
    }
}
