//! Clicks: which of them are steps, and on what.
//!
//! The control is the one that was under the pointer when the button went down: by the time the click comes, the page may have
//! renamed, moved or removed it.

use super::control::{Control, Kind, Place};
use super::key::Meaning;
use super::mind::{Hold, Mind, Past, What};

/// The pointer's button is down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressed {
    /// What it went down on.
    pub control: Option<Control>,
    /// Where.
    pub at: (f64, f64),
    /// The main button.
    pub main: bool,
    /// A drag of the browser's began.
    pub dragged: bool,
}

/// A pointer that moved so far, in CSS pixels, and left a selection behind was selecting.
const SELECTING: f64 = 8.0;

/// A pointer that moved so far was dragging, and what it does is no click where no click event says so.
const DRAGGING: f64 = 16.0;

/// A click that the browser sends on to a label's control comes in the same moment, in milliseconds.
const SAME_MOMENT: f64 = 25.0;

impl Mind {
    pub(super) fn went_down(&mut self, control: Option<Control>, at: (f64, f64), main: bool) {
        self.key = None;
        self.pressed = Some(Pressed { control, at, main, dragged: false });
    }

    /// Some pages act on the press and take the element away, and then no click comes. So the act begins here, held, and the
    /// click confirms it.
    pub(super) fn went_up(&mut self, at: (f64, f64), end: Option<Control>, way: Option<String>) {
        let Some(pressed) = self.pressed.filter(|pressed| pressed.main && !pressed.dragged) else { return };
        let activates = |control: &Control| {
            matches!(control.kind, Kind::Plain | Kind::Loose | Kind::Canvas | Kind::Switch)
        };
        let near = distance(pressed.at, at) < DRAGGING;
        if let (Some(control), Some(to), false) = (pressed.control, end, near) {
            return self.pulled(control, to, way);
        }
        if let Some(control) = pressed.control.filter(|control| near && activates(control)) {
            self.act(Some(control), What::Click(control.place), Some(Hold::Stirs));
        }
    }

    pub(super) fn drag_started(&mut self) {
        if let Some(pressed) = &mut self.pressed {
            pressed.dragged = true;
        }
        self.drop_held();
    }

    /// The pointer drew something along: a step where the page made something of it.
    fn pulled(&mut self, from: Control, to: Control, way: Option<String>) {
        // Their own values say what was done, and a selection of text is none of it.
        if from.kind.holds_value() || matches!(from.kind, Kind::Select | Kind::Choice | Kind::File) {
            return;
        }
        if let Some(pressed) = &mut self.pressed {
            pressed.dragged = true;
        }
        // What is drawn shows in no record of the page's changes: it is taken at its word.
        let hold = (from.kind != Kind::Canvas).then_some(Hold::Stirs);
        let place = way.or(to.place.map(Place::text));
        self.act(Some(from), What::Drag { to: to.node, place, carried: false }, hold);
    }

    /// What HTML dragged was let go over something that takes it.
    pub(super) fn dropped(&mut self, to: Option<Control>) {
        let from = self.pressed.take().filter(|pressed| pressed.dragged).and_then(|pressed| pressed.control);
        if let (Some(from), Some(to)) = (from, to) {
            self.act(
                Some(from),
                What::Drag { to: to.node, place: to.place.map(Place::text), carried: true },
                None,
            );
        }
    }

    pub(super) fn clicked(&mut self, now: Option<Control>, at: (f64, f64), selects: bool, time: f64) {
        if let Some(pressed) = self.pressed.take().filter(|pressed| pressed.main) {
            self.clicked_at = Some(time);
            if pressed.dragged {
                return;
            }
            if selects && distance(pressed.at, at) > SELECTING {
                self.drop_held();
                return;
            }
            // A click elsewhere than the press is on what both lie in: the press says what was meant.
            return self.click_on(pressed.control.or(now));
        }
        if self.follows_click(time) {
            return;
        }
        self.clicked_by_key(now);
    }

    /// The browser's own click on a label's control, after the person's on the label.
    pub(super) fn follows_click(&self, time: f64) -> bool {
        self.clicked_at.is_some_and(|clicked| (time - clicked).abs() < SAME_MOMENT)
    }

    /// A click without a pointer: Enter or Space on the control, Enter in a field of a form (the browser clicks the
    /// form's default button), an arrow in a group of radio buttons, an access key, or an aid.
    fn clicked_by_key(&mut self, now: Option<Control>) {
        let Some(key) = &mut self.key else { return self.click_on(now) };
        if std::mem::replace(&mut key.clicked, true) {
            return;
        }
        let (held, meaning) = (key.control, key.meaning);
        let on_same = now.map(|now| now.node) == held.map(|control| control.node);
        if meaning == Meaning::Submits && !on_same {
            return;
        }
        // The page changed at the key already, and the key was taken for a step of its own.
        let is_press = |last: &&Past| {
            matches!(last.what, What::Press(_)) && last.node == held.map(|control| control.node)
        };
        let open_number = self.open().and_then(|open| open.number);
        if open_number.is_some() && self.last().filter(is_press).map(|last| last.number) == open_number {
            self.retract_last();
        }
        self.click_on(if on_same { held } else { now });
    }

    fn click_on(&mut self, control: Option<Control>) {
        let Some(on) = control else { return };
        let (what, hold) = match on.kind {
            // Their own events say what was done.
            Kind::Select | Kind::Choice | Kind::File | Kind::Picker => return,
            // Typing says so; a click alone is a step where it opens something.
            Kind::Text { .. } | Kind::Editor => (What::Click(None), Some(Hold::Tells)),
            Kind::Loose => (What::Click(on.place), Some(Hold::Stirs)),
            Kind::Checkbox => (What::Check(!on.checked.unwrap_or_default()), None),
            Kind::Radio => (What::Check(true), None),
            Kind::Switch => (on.checked.map_or(What::Click(None), |checked| What::Check(!checked)), None),
            // What is drawn shows in no record of the page's changes: a click there is taken at its word.
            Kind::Plain | Kind::Canvas => (What::Click(on.place), None),
        };
        self.act(control, what, hold);
    }

    /// Two clicks on one element that the browser calls a double click are one step. It is played as both clicks and the
    /// double click, so a page that counts clicks is served as well.
    pub(super) fn double_clicked(&mut self, alike: bool) {
        if self.open().is_some_and(|open| open.number.is_none()) {
            let first = self.unproved.is_none().then(|| self.last()).flatten();
            if alike && first.is_some_and(|first| matches!(first.what, What::Click(_))) {
                self.drop_held();
                self.continue_last(What::Dblclick);
            } else if let Some(open) = self.open_mut().filter(|open| open.kind == Some(Kind::Loose)) {
                open.what = What::Dblclick;
            }
            return;
        }
        // Of the first click nothing came: it is known by the browser's word alone.
        let unproved = self.unproved.take();
        let second = self.last().filter(|last| matches!(last.what, What::Click(_)) && last.node.is_some());
        if unproved.is_some() && second.is_some_and(|second| second.node == unproved) {
            return self.continue_last(What::Dblclick);
        }
        let mut latest = self.past().iter().rev();
        let (Some(second), Some(first)) = (latest.next(), latest.next()) else { return };
        if (second.node == first.node || alike)
            && second.node.is_some()
            && matches!(second.what, What::Click(_))
            && matches!(first.what, What::Click(_))
        {
            self.retract_last();
            self.continue_last(What::Dblclick);
        }
    }

    /// The page's own menu is a step, the browser's is none.
    pub(super) fn menu_opened(&mut self, now: Option<Control>) {
        let pressed = self.pressed.take();
        let control = pressed.and_then(|pressed| pressed.control).or(now);
        if control.is_some() {
            self.act(control, What::Contextmenu, Some(Hold::TakenOrStirs));
        }
    }
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}
