//! A person's events as plain records: what the recorder's mind hears.

use super::control::{Chosen, Control};
use super::key::Meaning;

/// One trusted event, read.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// A button of the pointer went down.
    Down {
        /// What it went down on; `None` outside of everything, on the page's bare ground.
        control: Option<Control>,
        /// Where, in CSS pixels of the viewport.
        at: (f64, f64),
        /// The main button.
        main: bool,
    },
    /// It went up.
    Up {
        /// Where.
        at: (f64, f64),
        /// Far from where it went down: on what, and where in that.
        end: Option<Control>,
        /// The way there, where that is all that can be said.
        way: Option<String>,
    },
    /// A drag of the browser's began: no click will come.
    DragStarted,
    /// What was dragged is dropped.
    Dropped {
        /// On this.
        control: Option<Control>,
    },
    /// A container was scrolled, and what is acted on now came into view by that.
    Scrolled {
        /// The container; `None`: the page itself.
        control: Option<Control>,
    },
    /// What is acted on now shows only while the pointer is over this.
    Hovered {
        /// This.
        control: Control,
    },
    /// A click, by pointer, by key, or by the browser on a label's control.
    Click {
        /// The control, now.
        control: Option<Control>,
        /// Where.
        at: (f64, f64),
        /// Text is selected that was not selected when the button went down.
        selects: bool,
        /// Milliseconds.
        time: f64,
    },
    /// The second of two quick clicks.
    DoubleClick {
        /// The last two clicks were on what is called the same: the page may have made it anew between them.
        alike: bool,
    },
    /// The other button, or its key.
    ContextMenu {
        /// The control.
        control: Option<Control>,
    },
    /// A key went down.
    KeyDown {
        /// What had the focus.
        control: Option<Control>,
        /// The chord, e.g. `Control+k`.
        chord: String,
        /// What it means there.
        meaning: Meaning,
    },
    /// A key went up.
    KeyUp,
    /// A field holds another value.
    Typed {
        /// The field.
        control: Control,
        /// Its value.
        value: String,
        /// The value is a secret's.
        secret: bool,
        /// What was added to what an editor held before; `None` for all else.
        added: Option<String>,
    },
    /// Options of a native select were chosen.
    Chose {
        /// The select.
        control: Control,
        /// All chosen options.
        options: Vec<Chosen>,
        /// It takes several.
        several: bool,
    },
    /// Files were given to a file field.
    Gave {
        /// The field.
        control: Control,
        /// The files' names.
        names: Vec<String>,
        /// The field came with the click that opened the chooser.
        made: bool,
    },
    /// The page itself prevented the default of the key or menu that is held: it took it.
    Taken,
    /// The document is going.
    Leaving,
}
