//! What a person does without thinking when nothing goes on after typing: leave the field.
//!
//! Some pages take a value over only at `change`, some only when the focus goes. A recording holds no step for that: the
//! person's next click did it on the way. So where the next thing is not to be had yet, the typed field is committed at
//! once, and left at once where the thing is there and disabled; where it is not there at all, it is left late, since a
//! list that opened under the field would close.

use crate::act;
use crate::native;
use crate::page::Page;

/// How long something that is not there is waited for with the focus still in the field, in milliseconds.
const PATIENCE_MS: f64 = 1_500.0;

/// The nudges of one wait.
pub struct Nudge {
    began: f64,
    committed: bool,
    left: bool,
}

impl Nudge {
    /// For a wait that begins now.
    pub fn begin() -> Self {
        Self { began: native::now(), committed: false, left: false }
    }

    /// Nudges where it is time for it; `disabled`: what is waited for is there and disabled.
    pub fn give(&mut self, page: &Page, disabled: bool) {
        if !page.hands.has_typed() {
            return;
        }
        if !self.committed {
            self.committed = true;
            act::commit(&page.hands);
        }
        if !self.left && (disabled || native::now() - self.began > PATIENCE_MS) {
            self.left = true;
            act::leave(&page.hands);
        }
    }
}
