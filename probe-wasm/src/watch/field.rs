//! Typing: however many keys, one step a field.

use super::control::Control;
use super::mind::{Mind, What};

impl Mind {
    /// A field holds another value: the step that is open on it is amended, or one begins.
    /// `added`: what was written behind what an editor held before; its marks stay what they are.
    pub(super) fn typed(&mut self, control: Control, value: String, secret: bool, added: Option<String>) {
        self.drop_held();
        let what = match added.filter(|_| !secret) {
            Some(text) => What::Type(text),
            None => What::Fill { value, secret },
        };
        let open =
            self.open().filter(|open| open.node == Some(control.node) && open.what.is_writing(open.kind));
        if let Some(open) = open {
            if open.what != what
                && let Some(number) = open.number
            {
                self.amend(number, what);
            }
            return;
        }
        let on_it = self.last().filter(|last| last.node == Some(control.node)).map(|last| last.what.clone());
        match on_it {
            // The caret was moved and the typing went on.
            Some(before) if before.is_writing(Some(control.kind)) => return self.continue_last(what),
            // It was clicked to type into it.
            Some(What::Click(_)) if control.kind.holds_value() => self.retract_last(),
            _ => {}
        }
        if let Some(number) = self.secret_fills.get(&control.node).copied().filter(|_| secret) {
            return self.reopen(number, control, what);
        }
        self.act(Some(control), what, None);
        if let Some(number) = self.open().and_then(|open| open.number).filter(|_| secret) {
            self.secret_fills.insert(control.node, number);
        }
    }
}
