//! What the engine needs of a leased tab. The lease of the daemon is one; the tests of replay have another.

use std::future::Future;
use std::time::Duration;

use cairn_core::element::FrameStep;
use cairn_core::wire::WireError;
use cairn_core::wire::page::{PageAnswer, PageRequest};
use cairn_core::wire::worker::{Command, Navigation};

use crate::daemon::{Lease, LeaseEvent, LeaseEvents};

/// A tab that is ours alone.
pub trait Tab: Clone + Send + Sync + 'static {
    /// Asks the top frame's document with this number, and no other.
    fn ask(
        &self,
        document: u32,
        request: PageRequest,
        bound: Duration,
    ) -> impl Future<Output = Result<PageAnswer, WireError>> + Send;

    /// Moves the tab.
    fn navigate(&self, to: Navigation) -> impl Future<Output = Result<(), WireError>> + Send;

    /// A picture of the visible part, as PNG.
    fn capture(&self) -> impl Future<Output = Result<Vec<u8>, WireError>> + Send;

    /// The top frame's document, where its probe is ready.
    fn document(&self) -> Option<u32>;

    /// Every document whose probe is ready, those of frames among them.
    fn documents(&self) -> Vec<u32>;

    /// The document that the frame of this path shows, where its probe is ready.
    fn document_in(&self, path: &[FrameStep]) -> Option<u32>;

    /// From now on every page masks this value.
    fn hide(&self, name: &str, secret: &str);

    /// Has the browser's debugger do these commands, one after the other.
    fn debug(&self, commands: Vec<Command>) -> impl Future<Output = Result<(), WireError>> + Send;

    /// Attaches the debugger, so that native dialogs are seen and can be answered; `unseen`: only where that disturbs nobody.
    fn attach_debugger(&self, unseen: bool) -> impl Future<Output = Result<(), WireError>> + Send;

    /// Ends the right to the tab.
    fn end(&self, keep_tab: bool) -> impl Future<Output = ()> + Send;

    /// Tells the page that it stays: the navigation that had begun brings no document.
    fn stays(&self);
}

/// What happens in it, in order.
pub trait TabEvents: Send {
    /// The next event; `None` when nothing follows.
    fn next(&mut self) -> impl Future<Output = Option<LeaseEvent>> + Send;
}

impl Tab for Lease {
    async fn ask(
        &self,
        document: u32,
        request: PageRequest,
        bound: Duration,
    ) -> Result<PageAnswer, WireError> {
        self.ask_document(document, request, bound).await
    }

    async fn navigate(&self, to: Navigation) -> Result<(), WireError> {
        Self::navigate(self, to).await
    }

    async fn capture(&self) -> Result<Vec<u8>, WireError> {
        Self::capture(self).await
    }

    fn document(&self) -> Option<u32> {
        Self::document(self)
    }

    fn documents(&self) -> Vec<u32> {
        Self::documents(self)
    }

    fn document_in(&self, path: &[FrameStep]) -> Option<u32> {
        Self::document_in(self, path)
    }

    fn hide(&self, name: &str, secret: &str) {
        self.reconfigure(|configure| {
            configure.secrets.insert(name.to_owned(), secret.to_owned());
        });
    }

    async fn debug(&self, commands: Vec<Command>) -> Result<(), WireError> {
        Self::debug(self, commands).await
    }

    async fn attach_debugger(&self, unseen: bool) -> Result<(), WireError> {
        Self::attach_debugger(self, unseen).await
    }

    async fn end(&self, keep_tab: bool) {
        self.close(keep_tab).await;
    }

    fn stays(&self) {
        // A page that is configured is there to stay.
        self.reconfigure(|_| ());
    }
}

impl TabEvents for LeaseEvents {
    async fn next(&mut self) -> Option<LeaseEvent> {
        Self::next(self).await
    }
}
