//! What a person can act on, as plain data: which element, and what kind of control it is.

use cairn_core::script::course;

/// A DOM node for as long as the recorder lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// What a control is to a person's hand: it decides which step an event means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A field that takes text; `lines`: several lines, so that Enter is text too.
    Text {
        /// Enter makes a new line.
        lines: bool,
    },
    /// A `contenteditable` host.
    Editor,
    /// A field whose value is picked or dragged rather than typed: date, time, month, week, color, range.
    Picker,
    /// A native checkbox.
    Checkbox,
    /// A native radio button.
    Radio,
    /// A checkbox, radio button or switch made of ARIA.
    Switch,
    /// A native select.
    Select,
    /// An option of a native select.
    Choice,
    /// A file field.
    File,
    /// A link, a button, or anything else that a click activates.
    Plain,
    /// Not in the index: nothing says that it can be clicked.
    Loose,
    /// Drawn by the page's script, in a way that no record tells of.
    Canvas,
}

impl Kind {
    /// Text goes into it.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text { .. } | Self::Editor)
    }

    /// Its value comes with `input` events of its own.
    pub fn holds_value(self) -> bool {
        self.is_text() || self == Self::Picker
    }
}

/// A control at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// The node.
    pub node: NodeId,
    /// Its kind.
    pub kind: Kind,
    /// Its checked state, where it has one and that could be read in time.
    pub checked: Option<bool>,
    /// Where in it the pointer was, where that is what was meant: a drawing, a picture, a slider's track.
    pub place: Option<Place>,
}

/// Where in a box the pointer was: from its left and its top, in thousandths of its width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(pub u16, pub u16);

impl Place {
    /// As it stands in a script: shares of the box, e.g. `0.250 0.500`.
    pub fn text(self) -> String {
        course::share(self.0) + " " + &course::share(self.1)
    }
}

/// An option that a person chose in a native select.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Its label.
    pub label: String,
    /// Its value.
    pub value: String,
    /// The label of its group.
    pub group: Option<String>,
    /// Its place among all options, from 0.
    pub index: u32,
}
