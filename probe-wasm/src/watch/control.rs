//! What a person can act on, as plain data: which element, and what kind of control it is.

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
