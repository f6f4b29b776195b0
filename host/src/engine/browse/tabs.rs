//! What a driven run has beside the page in front: the tabs that its pages opened, native dialogs, and the browser's own hand
//! where a page takes no events but its.

use std::time::Duration;

use cairn_core::script::{Action, Method};
use cairn_core::wire::page::Point;
use cairn_core::wire::{ErrorCode, WireError};

use super::{Browsing, PAGE_BOUND};
use crate::daemon::{Lease, LeaseEvents, OpenDialog};

/// How long a tab that an act opens may take to be told of.
const OPENS: Duration = Duration::from_millis(300);

/// A tab that is not in front.
pub(super) struct Other {
    number: u32,
    lease: Lease,
    events: LeaseEvents,
}

impl Browsing {
    /// The debugger sees native dialogs from now on, where that disturbs nobody.
    pub(in crate::engine) async fn expect_dialogs(&self) {
        if let Err(error) = self.lease.attach_debugger(true).await {
            tracing::debug!("native dialogs are not seen: {error}");
        }
    }

    /// The dialog that is open.
    pub fn dialog(&self) -> Option<OpenDialog> {
        self.lease.dialog().borrow().clone()
    }

    /// Answers it.
    ///
    /// # Errors
    /// Where the browser refuses.
    pub async fn answer_dialog(&mut self, accept: bool, text: &str) -> Result<(), WireError> {
        self.lease.answer_dialog(accept, text).await?;
        let mut dialog = self.lease.dialog();
        // The page goes on when the browser says that it is closed.
        let _ = tokio::time::timeout(OPENS * 10, dialog.wait_for(Option::is_none)).await;
        Ok(())
    }

    /// Asks the page, unless a dialog holds it: then nothing will be answered.
    pub(super) async fn unless_dialog<O>(
        &self,
        asking: impl Future<Output = Result<O, WireError>>,
    ) -> Result<O, WireError> {
        let mut dialog = self.lease.dialog();
        let opened = async {
            let open = dialog.wait_for(Option::is_some).await.ok().and_then(|open| open.clone());
            // Nobody can tell of one any more.
            match open {
                Some(open) => open,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = asking => answer,
            OpenDialog { kind, message } = opened => {
                let message = format!("a dialog is open ({kind}): \u{201c}{message}\u{201d}");
                Err(WireError::new(ErrorCode::Refused, message, "answer the dialog"))
            }
        }
    }

    /// The number of the tab in front, from 1; `None` where there has been but one.
    pub(in crate::engine) fn tab_number(&self) -> Option<u32> {
        (self.count > 1).then_some(self.number)
    }

    /// Every tab with its URL, the one in front first.
    pub fn tabs(&self) -> Vec<(u32, String)> {
        let url = |lease: &Lease| lease.url().unwrap_or_default();
        let others = self.others.iter().map(|other| (other.number, url(&other.lease)));
        std::iter::once((self.number, url(&self.lease))).chain(others).collect()
    }

    /// Something was sent or opened since the last act began.
    pub(in crate::engine) fn has_stirred(&mut self) -> bool {
        self.catch_up();
        !self.sent.is_empty() || !self.arriving.is_empty()
    }

    /// Leases the tabs that pages have opened; the last one is in front now. Their URLs, as they were opened.
    pub async fn take_opened(&mut self) -> Vec<String> {
        self.catch_up();
        let mut urls = Vec::new();
        for (tab, url) in std::mem::take(&mut self.arriving) {
            match self.lease.adopt(tab).await {
                Ok((lease, events)) => {
                    self.count += 1;
                    self.others.push(Other { number: self.count, lease, events });
                    urls.push(url);
                }
                Err(error) => tracing::warn!("a tab that the page opened cannot be driven: {error}"),
            }
        }
        if !urls.is_empty() && self.switch_to(self.count).await.is_ok() {
            self.expect_dialogs().await;
        }
        urls
    }

    /// Another tab comes to the front.
    ///
    /// # Errors
    /// Where there is none of this number, or it shows nothing.
    pub async fn switch_to(&mut self, number: u32) -> Result<(), WireError> {
        if number == self.number {
            return Ok(());
        }
        let Some(other) = self.others.iter_mut().find(|other| other.number == number) else {
            let message = format!("there is no tab {number}");
            return Err(WireError::new(ErrorCode::Refused, message, "name one that is open"));
        };
        std::mem::swap(&mut self.lease, &mut other.lease);
        std::mem::swap(&mut self.events, &mut other.events);
        std::mem::swap(&mut self.number, &mut other.number);
        self.given.clear();
        self.opened(PAGE_BOUND).await
    }

    /// Closes the tab in front; the first of the others comes there.
    ///
    /// # Errors
    /// Where it is the only one.
    pub async fn close_front(&mut self) -> Result<u32, WireError> {
        let closed = self.number;
        let Some(next) = self.others.iter().map(|other| other.number).min() else {
            return Err(WireError::new(ErrorCode::Refused, "it is the only tab", "end the run instead"));
        };
        self.switch_to(next).await?;
        if let Some(place) = self.others.iter().position(|other| other.number == closed) {
            self.others.remove(place).lease.close(false).await;
        }
        Ok(next)
    }

    /// Where the tab in front has gone by itself, the first of the others comes there.
    pub(in crate::engine) async fn fall_back(&mut self) -> Option<u32> {
        if self.lease.tab().is_some() {
            return None;
        }
        self.close_front().await.ok()
    }

    /// The first tab is in front again; the others are closed, or left.
    pub(in crate::engine) async fn gather(&mut self, keep_open: bool) {
        if self.number != 1 && self.others.iter().any(|other| other.number == 1) {
            // A page that does not answer is in front all the same.
            let _ = self.switch_to(1).await;
        }
        for other in self.others.drain(..) {
            other.lease.close(keep_open).await;
        }
    }

    /// Does an act on an element once more, by the browser's own pointer: for pages that take no events but the browser's.
    ///
    /// # Errors
    /// Where the element is not to be seen, or the browser refuses.
    pub(in crate::engine) async fn by_pointer(
        &mut self,
        reference: &str,
        method: Method,
    ) -> Result<(), WireError> {
        let listing = self.list(true).await?.listing;
        let meant = listing
            .elements
            .iter()
            .map(|listed| &listed.element)
            .find(|element| element.reference.as_ref().is_some_and(|one| one.0 == reference))
            .filter(|element| element.usable.is_usable());
        let Some(element) = meant else {
            return Err(WireError::new(
                ErrorCode::Gone,
                "the element is not to be seen",
                "list the page again",
            ));
        };
        let bounds = element.bounds;
        let at = Point { x: bounds.x + bounds.width / 2.0, y: bounds.y + bounds.height / 2.0 };
        let action = Action { method, ..Action::default() };
        self.by_hand(&action, "", Some(at)).await?;
        // What it opens is told a moment later.
        tokio::time::sleep(OPENS).await;
        Ok(())
    }
}
