//! Bits that the reader of the DOM sets. The same numbers stand in the probe's `collect/`.

/// Styles and states of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u32);

impl Flags {
    /// White space stands before it.
    pub const GAP_BEFORE: u32 = 1;
    /// White space stands before its end.
    pub const GAP_AT_END: u32 = 1 << 1;
    /// Not rendered: `display: none`, here or above, or closed details.
    pub const HIDDEN: u32 = 1 << 2;
    /// `visibility` other than `visible`.
    pub const INVISIBLE: u32 = 1 << 3;
    /// Own opacity is 0.
    pub const TRANSPARENT: u32 = 1 << 4;
    /// The cursor over it is a pointing hand.
    pub const POINTER: u32 = 1 << 5;
    /// A box or radio that is on.
    pub const CHECKED: u32 = 1 << 6;
    /// A box that is indeterminate.
    pub const MIXED: u32 = 1 << 7;
    /// A chosen option.
    pub const SELECTED: u32 = 1 << 8;
    /// Has the focus.
    pub const FOCUSED: u32 = 1 << 9;
    /// An open modal dialog.
    pub const MODAL: u32 = 1 << 10;
    /// A text or an attribute was cut at a limit.
    pub const CUT: u32 = 1 << 11;
    /// Not rendered, and what is below it was not read.
    pub const PRUNED: u32 = 1 << 12;
    /// A closed shadow root.
    pub const CLOSED_ROOT: u32 = 1 << 13;
    /// `text-transform: uppercase` on a text.
    pub const UPPERCASE: u32 = 1 << 14;
    /// `text-transform: lowercase` on a text.
    pub const LOWERCASE: u32 = 1 << 15;
    /// `text-transform: capitalize` on a text.
    pub const CAPITALIZE: u32 = 1 << 16;
    /// In an SVG tree.
    pub const SVG: u32 = 1 << 17;
    /// A flex box or a grid, which lays its children out.
    pub const LAYS_OUT: u32 = 1 << 23;
    /// Its content is skipped: `content-visibility: hidden`.
    pub const SKIPS: u32 = 1 << 24;
    /// Its layout and visibility were asked for and are its own.
    pub const OWN_SHOWN: u32 = 1 << 25;
    /// Its cursor was asked for.
    pub const OWN_CURSOR: u32 = 1 << 26;
    /// Its `text-transform` was asked for.
    pub const OWN_CASE: u32 = 1 << 27;
    /// It or something above it may clip.
    pub const CLIPS: u32 = 1 << 28;
    /// It or something above it may be transparent.
    pub const FADES: u32 = 1 << 29;
    /// It may clip itself.
    pub const CLIPS_ITSELF: u32 = 1 << 30;
    const DISPLAY_SHIFT: u32 = 20;

    /// True where all of `bits` are set.
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits == bits
    }

    /// How it is laid out.
    pub fn display(self) -> Display {
        match (self.0 >> Self::DISPLAY_SHIFT) & 7 {
            0 => Display::Inline,
            2 => Display::InlineBlock,
            3 => Display::Contents,
            4 => Display::None,
            5 => Display::TableCell,
            _ => Display::Block,
        }
    }

    /// The same flags with another layout.
    #[must_use]
    pub fn with_display(self, display: Display) -> Self {
        Self((self.0 & !(7 << Self::DISPLAY_SHIFT)) | ((display as u32) << Self::DISPLAY_SHIFT))
    }
}

/// How an element is laid out, as far as names care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// In a line, no break around it.
    Inline = 0,
    /// On lines of its own.
    Block = 1,
    /// A box in a line.
    InlineBlock = 2,
    /// No box; its children stand for it.
    Contents = 3,
    /// Not rendered.
    None = 4,
    /// A table cell.
    TableCell = 5,
}

/// What a measure saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured(pub u32);

impl Measured {
    /// It has a box and is visible.
    pub const RENDERED: u32 = 1;
    /// It or something above it has opacity 0.
    pub const SEE_THROUGH: u32 = 2;
    /// Clipped away where nobody can scroll.
    pub const CLIPPED: u32 = 4;
    /// Scrolled out of a container.
    pub const SCROLLED_OUT: u32 = 8;
    /// The box is its visible label's.
    pub const BY_LABEL: u32 = 16;
    /// In the viewport or within one screen of it.
    pub const NEAR: u32 = 32;
    /// Some of it is in the viewport.
    pub const IN_VIEW: u32 = 64;
    /// It scrolls and has more to show.
    pub const SCROLLS: u32 = 128;
    /// A hit test found it.
    pub const HIT: u32 = 1 << 16;
    /// A hit test found something else at each of its points.
    pub const COVERED: u32 = 1 << 17;

    /// True where all of `bits` are set.
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits == bits
    }
}
