//! Choosing: boxes, radio buttons, switches, selects and files.

use super::control::{Chosen, Control, Kind};
use super::mind::{Mind, Outcome, What};

impl Mind {
    /// Options of a native select: one step however often the choice changes before the next act.
    pub(super) fn chose(&mut self, control: Control, options: Vec<Chosen>, several: bool) {
        self.drop_held();
        let what = What::Select { options, several };
        let last = self.last().filter(|last| last.node == Some(control.node)).map(|last| last.what.clone());
        match last {
            Some(What::Select { .. }) => self.continue_last(what),
            _ => self.act(Some(control), what, None),
        }
    }

    /// Files for a file field: what opened the chooser was the way to it and no step, unless it made the field.
    pub(super) fn gave(&mut self, control: Control, names: Vec<String>, made: bool) {
        self.drop_held();
        let opener = self.open().and_then(|open| open.number.filter(|_| matches!(open.what, What::Click(_))));
        if !made && opener.is_some() && opener == self.last().map(|last| last.number) {
            self.retract_last();
        }
        self.act(Some(control), What::Upload(names), None);
    }

    /// A box that the page did not let change, or a switch that is told otherwise, was clicked and not checked.
    pub(super) fn mend_check(&mut self, outcome: Outcome) {
        let Some(open) = self.open() else { return };
        let (What::Check(to), Some(number)) = (&open.what, open.number) else { return };
        if open.kind == Some(Kind::Checkbox) && open.checked_before.is_none() {
            // The event was heard too late to know what it met: the box itself says what it did.
            let now = outcome.checked.filter(|now| now != to);
            if let Some(now) = now {
                self.amend(number, What::Check(now));
            }
            return;
        }
        let unchanged = outcome.checked.is_some() && outcome.checked != Some(*to);
        // What is gone cannot tell its state; of a native box the browser has told it.
        let unknown = outcome.checked.is_none() && open.kind == Some(Kind::Switch);
        if outcome.last && (unchanged || unknown) {
            self.amend(number, What::Click(None));
        }
    }
}
