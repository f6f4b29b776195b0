//! What a stream of events means: a small state machine from plain records to steps. It reads no page.
//!
//! At most one *act* is open: the last thing the person did, whose effect is still being watched. An act is either
//! *captured* (it has a number and the host knows of it) or *held*: it becomes a step only if the page takes it or something
//! comes of it, because a click beside a button or a stray key is no step. The next act ends the one before it.

use std::collections::VecDeque;

use super::control::Chosen;
use super::control::{Control, Kind, NodeId, Place};
use super::heard::Heard;
use super::key::Meaning;
use super::pointer::Pressed;
use cairn_core::map::Map;

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A click; where in the element, where that is what was meant.
    Click(Option<Place>),
    /// A double click.
    Dblclick,
    /// A click of the other button.
    Contextmenu,
    /// A box or radio is made checked or unchecked.
    Check(bool),
    /// A field is made to hold a text; `secret`: the text may not leave the page.
    Fill {
        /// The text.
        value: String,
        /// It is a secret's.
        secret: bool,
    },
    /// Characters sent key by key.
    Type(String),
    /// A chord.
    Press(String),
    /// Options chosen; `several`: of a select that takes more than one.
    Select {
        /// The options.
        options: Vec<Chosen>,
        /// It takes several.
        several: bool,
    },
    /// Files given, by name.
    Upload(Vec<String>),
    /// Dragged to another element.
    Drag {
        /// That element.
        to: NodeId,
        /// Where in it, where that matters; or the way there, where that is all that can be said.
        place: Option<String>,
        /// By HTML's own dragging, and not by what the page makes of the pointer.
        carried: bool,
    },
    /// A container scrolled until something is there.
    Scroll,
    /// The pointer brought over it.
    Hover,
}

impl What {
    /// Text goes into the field or the editor that it is done to.
    pub fn is_writing(&self, kind: Option<Kind>) -> bool {
        matches!(self, Self::Fill { .. }) || (matches!(self, Self::Type(_)) && kind == Some(Kind::Editor))
    }
}

/// What a held act waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Something to appear, to go, or another URL.
    Tells,
    /// As `Tells`, or the page to change in any way; soon, for later changes have other causes.
    Stirs,
    /// The page to prevent its default, or as `Stirs`.
    TakenOrStirs,
    /// The page to prevent its default.
    Taken,
    /// The page to prevent its default, and then as `Tells`.
    TakenAndTells,
}

/// The act under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// Its number, once it is captured.
    pub number: Option<u32>,
    /// The element.
    pub node: Option<NodeId>,
    /// What kind of control that is.
    pub kind: Option<Kind>,
    /// The checked state before it.
    pub checked_before: Option<bool>,
    /// What was done.
    pub what: What,
    /// What it still waits for, while it has no number.
    pub hold: Option<Hold>,
}

impl Act {
    /// A letter that goes into no field, and of which nothing was seen to come.
    fn may_lead(&self) -> bool {
        self.number.is_none() && matches!(&self.what, What::Press(key) if is_letter(key))
    }
}

fn is_letter(key: &str) -> bool {
    key.chars().all(char::is_alphanumeric) && key.chars().nth(1).is_none()
}

/// A captured step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// Its number.
    pub number: u32,
    /// The element.
    pub node: Option<NodeId>,
    /// What was done.
    pub what: What,
}

/// What the host is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Say {
    /// A new step.
    Capture(Act),
    /// The step of this number is this now.
    Amend(u32, What),
    /// The step of this number was none, or part of another.
    Retract(u32),
}

/// What came of the open act so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Elements appeared or went, or the URL changed.
    pub tells: bool,
    /// The page changed in any way, soon after the act.
    pub stirs: bool,
    /// The target's checked state now; `None` where it is gone or has none.
    pub checked: Option<bool>,
    /// The next act begins, or the recording ends: nothing more will be known.
    pub last: bool,
}

/// So many captured steps are remembered, to join later events to them.
const REMEMBERED: usize = 4;

/// The state machine.
#[derive(Debug, Default)]
pub struct Mind {
    next: u32,
    open: Option<Act>,
    past: VecDeque<Past>,
    said: Vec<Say>,
    /// A boundary was drawn and no act has begun since.
    fresh: bool,
    pub(super) pressed: Option<Pressed>,
    pub(super) key: Option<PressedKey>,
    pub(super) clicked_at: Option<f64>,
    /// The element of the click before, of which nothing came.
    pub(super) unproved: Option<NodeId>,
    /// The key before, of which nothing came: in `g i` the second key alone shows that both were meant.
    pub(super) lead: Option<Act>,
    /// The step that fills each secret field: typed into again, it is the same step, for the secret is one.
    pub(super) secret_fills: Map<NodeId, u32>,
}

/// The key that is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PressedKey {
    /// What had the focus.
    pub control: Option<Control>,
    /// What it means there.
    pub meaning: Meaning,
    /// A click has come of it.
    pub clicked: bool,
}

impl Mind {
    /// A mind whose next step has this number.
    pub fn new(next: u32) -> Self {
        Self { next: next.max(1), ..Self::default() }
    }

    /// True where an event may begin a new act: before it is heard, the open act must be settled for the last time and the
    /// page looked at.
    pub fn is_boundary(&self, heard: &Heard) -> bool {
        match heard {
            Heard::KeyDown { meaning: Meaning::Nothing, .. } => false,
            Heard::KeyDown { meaning: Meaning::Typing, control: Some(control), .. } => {
                !self.is_filling(control.node)
            }
            Heard::Down { .. } | Heard::KeyDown { .. } => true,
            Heard::Typed { control, .. } => {
                !self.fresh && !self.is_filling(control.node) && !self.is_held_on(control.node)
            }
            Heard::Chose { control, .. } => {
                let own = self.open.as_ref().is_some_and(|open| open.node == Some(control.node));
                !self.fresh && !own && !self.is_held_on(control.node)
            }
            // What opened the chooser is the way to it: its before is theirs.
            Heard::Gave { made, .. } => *made || (!self.fresh && self.open.is_none()),
            Heard::Click { time, .. } => {
                !self.fresh && self.pressed.is_none() && self.key.is_none() && !self.follows_click(*time)
            }
            Heard::ContextMenu { .. } => !self.fresh && self.pressed.is_none(),
            _ => false,
        }
    }

    /// Takes one event; gives what the host is to be told. At a boundary the caller has called `settle` before.
    pub fn hear(&mut self, heard: Heard) -> Vec<Say> {
        if self.is_boundary(&heard) {
            self.fresh = true;
        }
        match heard {
            Heard::Down { control, at, main } => self.went_down(control, at, main),
            Heard::Up { at, end, way } => self.went_up(at, end, way),
            Heard::Dropped { control } => self.dropped(control),
            Heard::Scrolled { control } => self.act(control, What::Scroll, None),
            Heard::Hovered { control } => self.act(Some(control), What::Hover, None),
            Heard::DragStarted => self.drag_started(),
            Heard::Click { control, at, selects, time } => self.clicked(control, at, selects, time),
            Heard::DoubleClick { alike } => self.double_clicked(alike),
            Heard::ContextMenu { control } => self.menu_opened(control),
            Heard::KeyDown { control, chord, meaning } => self.key_down(control, chord, meaning),
            // A click by Space comes after its key went up: the key is kept until the next.
            Heard::KeyUp => {}
            Heard::Typed { control, value, secret, added } => self.typed(control, value, secret, added),
            Heard::Chose { control, options, several } => self.chose(control, options, several),
            Heard::Gave { control, names, made } => self.gave(control, names, made),
            Heard::Taken => self.taken(),
            Heard::Leaving => self.leaving(),
        }
        std::mem::take(&mut self.said)
    }

    /// Takes what came of the open act so far.
    pub fn settle(&mut self, outcome: Outcome) -> Vec<Say> {
        let holds = self.open.as_ref().and_then(|open| open.hold);
        let came = match holds {
            Some(Hold::Tells) => outcome.tells,
            Some(Hold::Stirs | Hold::TakenOrStirs) => outcome.tells || outcome.stirs,
            Some(Hold::Taken | Hold::TakenAndTells) | None => false,
        };
        if came {
            self.capture_open();
        }
        self.mend_check(outcome);
        if outcome.last {
            let open = self.open.take();
            // Looked at again when the next key comes, nothing is open any more.
            if let Some(open) = &open {
                self.lead = Some(open.clone()).filter(Act::may_lead);
            }
            let unproved = open.filter(|open| open.number.is_none() && matches!(open.what, What::Click(_)));
            self.unproved = unproved.and_then(|open| open.node);
        }
        std::mem::take(&mut self.said)
    }

    /// True where it is known what the pointer is down on.
    pub fn is_pressed(&self) -> bool {
        self.pressed.is_some_and(|pressed| pressed.control.is_some())
    }

    /// The open act.
    pub fn open(&self) -> Option<&Act> {
        self.open.as_ref()
    }

    /// The element of a captured step that is still remembered.
    pub fn node_of(&self, number: u32) -> Option<NodeId> {
        let open = self.open.as_ref().filter(|open| open.number == Some(number)).and_then(|open| open.node);
        let past = || self.past.iter().find(|past| past.number == number).and_then(|past| past.node);
        let secret = || self.secret_fills.iter().find(|(_, fill)| **fill == number).map(|(node, _)| *node);
        open.or_else(past).or_else(secret)
    }

    /// The number of an act that was open a moment ago: settling may just have given it one.
    pub fn settled_number(&self, act: &Act) -> Option<u32> {
        let still = self.open.as_ref().and_then(|open| open.number);
        let last = || {
            self.past
                .back()
                .filter(|past| past.node == act.node && past.what == act.what)
                .map(|past| past.number)
        };
        act.number.or(still).or_else(last)
    }

    pub(super) fn open_mut(&mut self) -> Option<&mut Act> {
        self.open.as_mut()
    }

    pub(super) fn last(&self) -> Option<&Past> {
        self.past.back()
    }

    /// The captured steps that are remembered, the latest last.
    pub fn past(&self) -> &VecDeque<Past> {
        &self.past
    }

    /// Begins an act: captured at once, or held.
    pub(super) fn act(&mut self, control: Option<Control>, what: What, hold: Option<Hold>) {
        self.fresh = false;
        self.open = Some(Act {
            number: None,
            node: control.map(|control| control.node),
            kind: control.map(|control| control.kind),
            checked_before: control.and_then(|control| control.checked),
            what,
            hold,
        });
        if hold.is_none() {
            self.capture_open();
        }
    }

    /// Gives the open act its number.
    pub(super) fn capture_open(&mut self) {
        self.capture_lead();
        let Some(open) = self.open.as_mut().filter(|open| open.number.is_none()) else { return };
        open.number = Some(self.next);
        open.hold = None;
        self.past.push_back(Past { number: self.next, node: open.node, what: open.what.clone() });
        if self.past.len() > REMEMBERED {
            self.past.pop_front();
        }
        self.next += 1;
        self.said.push(Say::Capture(open.clone()));
    }

    /// The key before a key of which something came, where both go to the same.
    fn capture_lead(&mut self) {
        let Some(lead) = self.lead.take() else { return };
        let follows = self.open.as_ref().is_some_and(|open| {
            open.node == lead.node
                && open.number.is_none()
                && matches!(&open.what, What::Press(key) if is_letter(key))
        });
        if follows {
            let key = self.open.replace(lead);
            self.capture_open();
            self.open = key;
        }
    }

    /// The last captured step becomes `what`, and is the open act again.
    pub(super) fn continue_last(&mut self, what: What) {
        let Some(last) = self.past.back_mut() else { return };
        last.what = what.clone();
        let (number, node) = (last.number, last.node);
        let kind = self.open.as_ref().filter(|open| open.node == node).and_then(|open| open.kind);
        self.open = Some(Act {
            number: Some(number),
            node,
            kind,
            checked_before: None,
            what: what.clone(),
            hold: None,
        });
        self.fresh = false;
        self.said.push(Say::Amend(number, what));
    }

    /// The page has taken the text out of the field and begun anew: it is typed there, and no value of it. What comes now is
    /// another step.
    pub fn took_text(&mut self) -> Vec<Say> {
        let Some(last) = self.past.back_mut() else { return Vec::new() };
        let What::Fill { value, secret: false } = &last.what else { return Vec::new() };
        last.what = What::Type(value.clone());
        last.node = None;
        vec![Say::Amend(last.number, last.what.clone())]
    }

    /// An earlier step is the open act again.
    pub(super) fn reopen(&mut self, number: u32, control: Control, what: What) {
        let (node, kind) = (Some(control.node), Some(control.kind));
        self.open = Some(Act {
            number: Some(number),
            node,
            kind,
            checked_before: None,
            what: what.clone(),
            hold: None,
        });
        self.fresh = false;
        self.amend(number, what);
    }

    /// The last step of the document before goes on here: what it brought about is still to be seen.
    pub fn resume(&mut self, number: u32) {
        let what = What::Click(None);
        self.open = Some(Act {
            number: Some(number),
            node: None,
            kind: None,
            checked_before: None,
            what,
            hold: None,
        });
        self.next = self.next.max(number + 1);
    }

    /// Takes back the last captured step.
    pub(super) fn retract_last(&mut self) {
        let Some(last) = self.past.pop_back() else { return };
        if self.open.as_ref().is_some_and(|open| open.number == Some(last.number)) {
            self.open = None;
        }
        self.said.push(Say::Retract(last.number));
    }

    pub(super) fn amend(&mut self, number: u32, what: What) {
        for past in self.past.iter_mut().filter(|past| past.number == number) {
            past.what = what.clone();
        }
        if let Some(open) = self.open.as_mut().filter(|open| open.number == Some(number)) {
            open.what = what.clone();
        }
        self.said.push(Say::Amend(number, what));
    }

    /// Drops an act that is held: what it led to is the step.
    pub(super) fn drop_held(&mut self) {
        if self.open.as_ref().is_some_and(|open| open.number.is_none()) {
            self.open = None;
            self.fresh = true;
        }
    }

    /// True where text that goes into this element now belongs to a step that has begun.
    pub fn goes_on_writing(&self, node: NodeId) -> bool {
        let last = self
            .last()
            .is_some_and(|last| last.node == Some(node) && last.what.is_writing(Some(Kind::Editor)));
        last || self.is_filling(node)
    }

    /// True where text that goes into this element now belongs to the open act.
    pub fn is_filling(&self, node: NodeId) -> bool {
        self.open.as_ref().is_some_and(|open| open.node == Some(node) && open.what.is_writing(open.kind))
    }

    fn is_held_on(&self, node: NodeId) -> bool {
        self.open.as_ref().is_some_and(|open| open.number.is_none() && open.node == Some(node))
    }

    pub(super) fn begin_key(&mut self, control: Option<Control>, meaning: Meaning) {
        if meaning != Meaning::Nothing {
            self.key = Some(PressedKey { control, meaning, clicked: false });
        }
    }

    /// The document goes: what is held and would only be proved by that is a step now.
    fn leaving(&mut self) {
        let proved = self
            .open
            .as_ref()
            .and_then(|open| open.hold)
            .is_some_and(|hold| matches!(hold, Hold::Tells | Hold::Stirs | Hold::TakenOrStirs));
        if proved {
            self.capture_open();
        }
    }
}
