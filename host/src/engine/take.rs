//! What the conductor makes of each event of its tab.

use std::time::Duration;

use cairn_core::script::{Method, Step};
use cairn_core::url_pattern;
use cairn_core::wire::ErrorCode;
use cairn_core::wire::page::{Diverged, Divergence, PageEvent, PageRequest, StepReport, StepStatus, Waited};
use tokio::time::{Instant, sleep_until};

use super::hands::Reach;
use super::replay::{Acted, Conductor, End, is_host_step};
use super::tab::{Tab, TabEvents};
use super::transient;
use crate::daemon::LeaseEvent;
use crate::exit::Failure;

/// What an event means for the batch under way.
pub(super) enum Taken {
    /// Go on listening.
    Nothing,
    /// Another document is there.
    Document,
    /// It is over.
    End(End),
}

/// How long the worker may take to carry the host's word.
const WORD_BOUND: Duration = Duration::from_secs(10);

/// After so long without an answer the word is given again.
const WORD_AGAIN: Duration = Duration::from_millis(1500);

/// How long what a page said before it opened a dialog may be on its way.
const OVERTAKEN: Duration = Duration::from_millis(500);

/// How long a failed page may take to be replaced by the next one.
const REPLACED: Duration = Duration::from_millis(600);

/// How long a browser may take to come back before silence counts as loss. The daemon's own bound is shorter.
const RECONNECT: Duration = Duration::from_mins(1);

impl<T: Tab, E: TabEvents> Conductor<'_, T, E> {
    /// Takes one event.
    pub(super) async fn take(&mut self, event: Option<LeaseEvent>) -> Result<Taken, Failure> {
        if let Some(end) = self.strayed(event.as_ref()) {
            return Ok(Taken::End(end));
        }
        match event {
            Some(LeaseEvent::Page { document, event, .. }) => {
                // What a document says that was left already is history: the new one judges.
                if Some(document) == self.document || Some(document) == self.playing {
                    self.heard();
                    return self.page_said(document, event).await;
                }
                Ok(Taken::Nothing)
            }
            Some(LeaseEvent::Ready { frame: 0, document, url, engine }) => {
                Ok(self.arrived(document, url, engine))
            }
            Some(LeaseEvent::Leaving { .. }) => {
                self.moving = true;
                self.heard();
                Ok(Taken::Nothing)
            }
            Some(LeaseEvent::Committed { frame: 0, document, url, same_document, status, .. }) => {
                if let Some(end) = self.answered(status, &url).await {
                    return Ok(Taken::End(end));
                }
                self.result.url = url;
                if !same_document && Some(document) != self.document {
                    self.moving = true;
                }
                self.heard();
                Ok(Taken::Nothing)
            }
            Some(LeaseEvent::NotReady { frame: 0, url, error }) => {
                let observed = format!("{url} cannot be read: {}", error.message);
                let end = self.lost(&observed, &error.hint);
                Ok(self.unless_replaced(end).await)
            }
            Some(LeaseEvent::LoadFailed { frame: 0, url, error }) => {
                let end = self.load_failed(&url, &error);
                Ok(self.unless_replaced(end).await)
            }
            Some(LeaseEvent::Opened { tab, url }) => {
                self.opened(tab, url).await;
                Ok(Taken::Nothing)
            }
            Some(LeaseEvent::DialogOpened { kind, message, .. }) => {
                self.heard();
                let taken = self.catch_up_with(&kind).await?;
                Ok(self.dialog(&kind, &message).await.map_or(taken, Taken::End))
            }
            Some(LeaseEvent::Stays) => {
                self.moving = false;
                self.tab.stays();
                self.heard();
                Ok(Taken::Nothing)
            }
            Some(LeaseEvent::Request { .. }) => {
                self.requests += 1;
                Ok(Taken::Nothing)
            }
            Some(LeaseEvent::TabGone { reason }) => self.tab_closed(&reason).await,
            None => Ok(self.lost("the tab is gone", "run again")),
            Some(LeaseEvent::Disconnected) => {
                self.silence = Instant::now() + RECONNECT;
                Ok(Taken::Nothing)
            }
            Some(LeaseEvent::Reconnected) => {
                self.unheard = true;
                self.heard();
                Ok(Taken::Nothing)
            }
            Some(_) => Ok(Taken::Nothing),
        }
    }

    /// The browser's word of a dialog may overtake the page's word of the step that opens it: where the step under way has no
    /// such dialog, what the page said before is heard first. It says no more as long as the dialog is open.
    async fn catch_up_with(&mut self, dialog: &str) -> Result<Taken, Failure> {
        let deadline = Instant::now() + OVERTAKEN;
        while self.recorded_dialog(dialog).is_none() {
            let event = tokio::select! {
                event = self.events.next() => event,
                () = sleep_until(deadline) => break,
            };
            let taken = Box::pin(self.take(event)).await?;
            if !matches!(taken, Taken::Nothing) {
                return Ok(taken);
            }
        }
        Ok(Taken::Nothing)
    }

    /// A page may close its own tab, as sign-in windows do: the run goes on in the tab of the next step.
    async fn tab_closed(&mut self, reason: &str) -> Result<Taken, Failure> {
        let next = self.acted.as_ref().map_or(self.next, |acted| acted.number + 1);
        let closing = self.tab_number;
        let elsewhere = match self.step(next) {
            Some(step) if step.action.method == Method::CloseTab => self.tab_of(next) == closing,
            Some(_) => self.tab_of(next) != closing,
            None => closing != 1,
        };
        if !elsewhere || self.asides.is_empty() {
            return Ok(self.lost(reason, "run again"));
        }
        if let Some(acted) = self.acted.take() {
            let waits = vec![Waited { cause: "its tab closed".into(), ms: 0.0 }];
            self.judged(StepReport {
                number: acted.number,
                found: acted.found,
                waits,
                ..StepReport::default()
            })
            .await?;
        }
        self.leave_tab();
        Ok(Taken::Document)
    }

    fn lost(&self, observed: &str, hint: &str) -> Taken {
        match self.lose(observed, hint) {
            std::ops::ControlFlow::Break(end) => Taken::End(end),
            std::ops::ControlFlow::Continue(()) => Taken::Nothing,
        }
    }

    /// A page that fails may only have made room for the next one: that one is waited for a moment.
    async fn unless_replaced(&mut self, end: Taken) -> Taken {
        if !matches!(end, Taken::End(_)) {
            return end;
        }
        let deadline = Instant::now() + REPLACED;
        loop {
            let event = tokio::select! {
                event = self.events.next() => event,
                () = sleep_until(deadline) => return end,
            };
            match event {
                Some(LeaseEvent::Ready { frame: 0, document, url, engine }) => {
                    return self.arrived(document, url, engine);
                }
                Some(LeaseEvent::TabGone { .. }) | None => return end,
                // What the failed page still says is history.
                Some(_) => {}
            }
        }
    }

    fn arrived(&mut self, document: u32, url: String, engine: String) -> Taken {
        (self.result.url, self.result.engine) = (url, engine);
        if Some(document) == self.document {
            return Taken::Nothing;
        }
        self.document = Some(document);
        self.moving = false;
        // A step that waited for our word and never got it has not happened.
        if self.acted.as_ref().is_some_and(|acted| acted.held) {
            self.acted = None;
        }
        if std::mem::take(&mut self.unheard) && self.acted.is_none() {
            self.take_by_url();
        }
        Taken::Document
    }

    /// What a page said in the moment in which the browser stopped the worker is lost where the page went with it. A page that
    /// a step leads to tells of it: that step, and those before it, were acted, and are not done again. One that sends is
    /// none of them: it has had no word.
    fn take_by_url(&mut self) {
        let may_have_been = |(number, step): &(u32, &Step)| {
            step.sends != Some(true)
                && !is_host_step(step.action.method)
                && self.tab_of(*number) == self.tab_number
        };
        let leads_here = |step: &Step| {
            let leads = |pattern: &String| {
                url_pattern::matches(pattern, &self.result.url, &self.plan.inputs)
                    && !url_pattern::matches(pattern, &step.url_before, &self.plan.inputs)
            };
            step.postcondition.url_pattern.as_ref().is_some_and(leads)
        };
        let rest = (self.next..).map_while(|number| Some((number, self.step(number)?)));
        let acted = rest.take_while(may_have_been).find(|(_, step)| leads_here(step));
        if let Some(number) = acted.map(|(number, _)| number) {
            self.acted = Some(Acted { number, found: None, repointed: None, held: false });
            self.next = number;
        }
    }

    fn load_failed(&mut self, url: &str, error: &str) -> Taken {
        // A download or a second navigation in its place: the page stays, or another comes.
        if error.contains("ERR_ABORTED") {
            return Taken::Nothing;
        }
        let observed = format!("{url} could not be loaded: {error}");
        if let Some(end) = transient::of_error(error).and_then(|trouble| self.transient(trouble, &observed)) {
            return Taken::End(end);
        }
        let Some(acted) = self.acted.as_ref().filter(|acted| !acted.held) else {
            return self.lost(&observed, "check the address, and that its server runs");
        };
        let divergence = Divergence {
            condition: Diverged::Postcondition,
            expected: self.expected_page(acted.number),
            observed,
            acted: true,
        };
        Taken::End(End::Diverged(Box::new(self.report(acted.number, divergence))))
    }

    fn expected_page(&self, number: u32) -> String {
        let pattern = self.step(number).and_then(|step| step.postcondition.url_pattern.clone());
        pattern.map_or_else(|| "a page".to_owned(), |pattern| format!("url {pattern}"))
    }

    async fn page_said(&mut self, document: u32, event: PageEvent) -> Result<Taken, Failure> {
        match event {
            PageEvent::Intent { run, number, found, repointed, awaits_word } if run == self.plan.run => {
                let acted = Acted { number, found, repointed, held: awaits_word };
                self.intends(document, acted).await?;
            }
            PageEvent::Step { run, report } if run == self.plan.run => self.judged(*report).await?,
            PageEvent::Hand { run, number, at, to, again } if run == self.plan.run => {
                if again {
                    self.handed_again = Some(number);
                }
                self.hand(document, number, Reach { at, to, again, ..Reach::default() });
            }
            PageEvent::Outcome { run, number, code, detail } if run == self.plan.run => {
                self.outcome = Some((number, code, detail));
            }
            PageEvent::Panicked { message } => {
                self.scribe.say(format!("the probe panicked and was made anew: {message}")).await;
            }
            _ => {}
        }
        Ok(Taken::Nothing)
    }

    /// A step is about to act: written down first; one that sends gets the word when that is on the disk.
    async fn intends(&mut self, document: u32, acted: Acted) -> Result<(), Failure> {
        let (number, awaits_word) = (acted.number, acted.held);
        let Some(step) = self.step(number) else { return Ok(()) };
        let found = acted.found.clone();
        self.acted = Some(acted);
        self.next = number;
        self.requests = 0;
        self.tabs_before = self.opened_urls.len();
        let written = self.scribe.intent(number, step, found.as_ref(), awaits_word).await;
        if !awaits_word {
            return written;
        }
        if let Err(failure) = written {
            // Without the word it does not act, and the silence must not be taken for an act.
            self.acted = None;
            return Err(failure);
        }
        if let Some(acted) = &mut self.acted {
            acted.held = false;
        }
        self.result.sent = true;
        let (tab, run) = (self.tab.clone(), self.plan.run.clone());
        tokio::spawn(async move {
            let deadline = Instant::now() + WORD_BOUND;
            // A message that is on its way when the browser stops the worker is lost. Given twice, the word is the same.
            while Instant::now() < deadline {
                let word = PageRequest::Proceed { run: run.clone(), number };
                match tab.ask(document, word, WORD_AGAIN).await {
                    Ok(_) => return,
                    Err(error) if error.code == ErrorCode::TimedOut => {}
                    Err(error) => {
                        tracing::debug!("the word for step {number}: {error}");
                        return;
                    }
                }
            }
        });
        Ok(())
    }

    pub(super) async fn judged(&mut self, mut report: StepReport) -> Result<(), Failure> {
        let Some(step) = self.step(report.number) else { return Ok(()) };
        // The document that judges a step which navigated knows how its target was found, not what it is now.
        if let Some(acted) = self.acted.as_mut().filter(|acted| acted.number == report.number)
            && report.repointed.is_none()
        {
            report.repointed = acted.repointed.take();
        }
        if report.status == StepStatus::Diverged {
            self.diverged = Some(report);
            return Ok(());
        }
        if self.misses_dialog(report.number).is_some() {
            // Pages ask after a while, too: the step is judged when the dialog has come, or its bound is over.
            self.owed_dialog = Some(report);
            return Ok(());
        }
        if step.postcondition.new_tab.is_some() {
            self.owed_tab = Some((report.number, self.tabs_before));
        }
        if report.status != StepStatus::Skipped {
            self.result.executed += 1;
        }
        if report.trusted && self.handed_again == Some(report.number) {
            self.result.trusted.push(report.number);
        }
        if let Some(text) = &report.extracted {
            self.result.extracted.insert(report.number, text.clone());
        }
        if !report.url.is_empty() {
            self.result.url.clone_from(&report.url);
        }
        self.next = report.number + 1;
        if self.acted.as_ref().is_some_and(|acted| acted.number <= report.number) {
            self.acted = None;
        }
        self.progress();
        self.scribe.step(step, report).await
    }
}
