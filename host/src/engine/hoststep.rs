//! Steps of the host: goto, back, forward, reload. They end the document, so the page cannot do them.

use std::ops::ControlFlow;

use cairn_core::script::{Method, Step, Trouble};
use cairn_core::value;
use cairn_core::wire::ErrorCode;
use cairn_core::wire::page::{Diverged, Divergence};
use cairn_core::wire::worker::Navigation;
use tokio::time::{Instant, sleep_until};

use super::replay::{Acted, Conductor, End, PAGE_BOUND};
use super::tab::{Tab, TabEvents};
use super::take::Taken;
use crate::daemon::LeaseEvent;
use crate::exit::Failure;

impl<T: Tab, E: TabEvents> Conductor<'_, T, E> {
    /// Does the next step, which is the host's, and waits for its page. The page judges it as the step before its own.
    pub(super) async fn host_step(&mut self, step: &Step) -> Result<ControlFlow<End>, Failure> {
        let number = self.next;
        let navigation = match self.navigation(step) {
            Ok(navigation) => navigation,
            Err(observed) => return Ok(self.host_diverged(number, observed, false)),
        };
        if let Navigation::Goto { url } = &navigation
            && let Some(fault) = self.plan.origins.fault(Some(number), url)
        {
            return Ok(ControlFlow::Break(End::Failed(Box::new(fault))));
        }
        let sends = step.sends == Some(true);
        self.scribe.intent(number, step, None, sends).await?;
        self.result.sent |= sends;
        let before = self.document;
        self.acted = Some(Acted { number, found: None, repointed: None, held: false });
        // Where the worker was stopped meanwhile, it may have begun: the page that comes, or does not, tells.
        if let Err(error) = self.tab.navigate(navigation).await
            && error.code != ErrorCode::Disconnected
        {
            return Ok(self.host_diverged(number, error.message, false));
        }
        self.moving = true;
        self.host_step_done(number, before).await
    }

    fn navigation(&self, step: &Step) -> Result<Navigation, String> {
        match step.action.method {
            Method::Back => Ok(Navigation::Back),
            Method::Forward => Ok(Navigation::Forward),
            Method::Reload => Ok(Navigation::Reload),
            _ => {
                let url = step.action.value.as_deref().filter(|url| !url.is_empty());
                let url = url.ok_or("the step has no URL (Action.Value)")?;
                let url = value::expand(url, &self.plan.inputs).map_err(|error| error.to_string())?;
                Ok(Navigation::Goto { url })
            }
        }
    }

    /// A new document, or the same one at another URL: `goto` of a fragment and `back` over pushState keep it.
    async fn host_step_done(
        &mut self,
        number: u32,
        before: Option<u32>,
    ) -> Result<ControlFlow<End>, Failure> {
        let mut stop = self.stop.clone();
        let deadline = Instant::now() + PAGE_BOUND;
        loop {
            let event = tokio::select! {
                biased;
                event = self.events.next() => event,
                reason = stop.asked() => return Ok(ControlFlow::Break(End::Interrupted(reason))),
                () = sleep_until(deadline) => {
                    let observed = format!("no page came within {} s", PAGE_BOUND.as_secs());
                    if let Some(end) = self.transient(Trouble::Timeout, &observed) {
                        return Ok(ControlFlow::Break(end));
                    }
                    return Ok(self.host_diverged(number, observed, true));
                }
            };
            let stayed = matches!(&event, Some(LeaseEvent::Committed { frame: 0, same_document: true, .. }));
            match self.take(event).await? {
                Taken::Document => return Ok(ControlFlow::Continue(())),
                Taken::End(end) => return Ok(ControlFlow::Break(end)),
                Taken::Nothing if stayed && self.document == before => {
                    self.moving = false;
                    return Ok(ControlFlow::Continue(()));
                }
                Taken::Nothing => {}
            }
        }
    }

    fn host_diverged(&mut self, number: u32, observed: String, acted: bool) -> ControlFlow<End> {
        let divergence = Divergence { condition: Diverged::Act, expected: "a page".into(), observed, acted };
        self.acted = None;
        self.diverged = Some(self.report(number, divergence));
        ControlFlow::Continue(())
    }
}
