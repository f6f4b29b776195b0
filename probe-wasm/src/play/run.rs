//! What a running batch shares with the messages that reach it on its way.

use std::cell::{Cell, RefCell};

/// One run's batch in this document.
#[derive(Debug, Default)]
pub struct Run {
    /// The run's id.
    pub id: String,
    word: Cell<u32>,
    cancelled: Cell<bool>,
    handed: RefCell<Option<(u32, Result<(), String>)>>,
}

impl Run {
    /// A batch of the run `id`.
    pub fn new(id: &str) -> Self {
        Self { id: id.to_owned(), ..Self::default() }
    }

    /// The host's word for step `number` has come.
    pub fn give_word(&self, number: u32) {
        self.word.set(self.word.get().max(number));
    }

    /// True once the host's word for step `number` has come.
    pub fn has_word(&self, number: u32) -> bool {
        self.word.get() >= number
    }

    /// The browser has acted for step `number`, or why it has not.
    pub fn hand(&self, number: u32, refused: Option<String>) {
        self.handed.replace(Some((number, refused.map_or(Ok(()), Err))));
    }

    /// What the browser did for step `number`: nothing known yet, or whether it was refused.
    pub fn handed(&self, number: u32) -> Option<Result<(), String>> {
        self.handed.borrow_mut().take_if(|(of, _)| *of == number).map(|(_, done)| done)
    }

    /// Ends the batch before its next act.
    pub fn cancel(&self) {
        self.cancelled.set(true);
    }

    /// True once it is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.get()
    }
}
