//! Keys: how a chord is written, and what a key means where the focus is.

use super::control::Control;
use super::control::Kind;
use super::mind::{Hold, Mind, Past, What};
use cairn_core::text;

/// A key as the browser reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyStroke {
    /// `KeyboardEvent.key`.
    pub key: String,
    /// Control.
    pub control: bool,
    /// Alt, or Option.
    pub alt: bool,
    /// Meta: Command, or the Windows key.
    pub meta: bool,
    /// Shift.
    pub shift: bool,
    /// AltGraph makes characters and no chords.
    pub alt_graph: bool,
    /// An input method is composing.
    pub composing: bool,
}

/// What a key means where it is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A modifier, a dead key, an input method's key, a key of the browser's own: never a step.
    Nothing,
    /// Text, or the editing of text, in a field: the field's value tells it.
    Typing,
    /// Enter in a field of one line: it submits or commits. A step at once, for the page may go.
    Submits,
    /// Enter or Space on what they activate: a click follows, and the click is the step.
    Activates,
    /// A step if the page takes it or it does something.
    Maybe,
    /// A step only if the page takes it: by itself it moves the caret or the focus.
    IfTaken,
    /// A step only if the page takes it and something comes of it: a focus trap takes every Tab.
    IfTakenAndTells,
}

impl KeyStroke {
    /// The chord as a script holds it: modifiers in a fixed order, then the key. Shift is part of a character and only
    /// named with keys that have none.
    pub fn chord(&self) -> String {
        let mut chord = String::new();
        let graphic = self.is_character();
        for (held, name) in [
            (self.control, "Control"),
            (self.alt && !self.alt_graph, "Alt"),
            (self.meta, "Meta"),
            (self.shift && (!graphic || self.is_chord()), "Shift"),
        ] {
            if held {
                chord.push_str(name);
                chord.push('+');
            }
        }
        let key = if self.key == " " { "Space" } else { &self.key };
        // With modifiers the letter's case is Shift's or Caps Lock's doing.
        if graphic && self.is_chord() {
            chord.push_str(&text::lower(key));
        } else {
            chord.push_str(key);
        }
        chord
    }

    /// The key makes a character.
    pub fn is_character(&self) -> bool {
        let mut characters = self.key.chars();
        let first = characters.next();
        first.is_some_and(|first| !first.is_ascii_alphanumeric() || characters.next().is_none())
    }

    /// Control, Meta or Alt is held, and not to make a character.
    fn is_chord(&self) -> bool {
        self.meta || ((self.control || self.alt) && !self.alt_graph)
    }

    /// What it means with the focus on a control of `kind`, or on nothing.
    pub fn meaning(&self, kind: Option<Kind>) -> Meaning {
        if self.composing || self.is_mute() || self.is_browsers() {
            return Meaning::Nothing;
        }
        if self.key == "Tab" {
            return Meaning::IfTakenAndTells;
        }
        match kind {
            Some(kind) if kind.is_text() => self.meaning_in_text(kind),
            Some(kind) if self.activates(kind) => Meaning::Activates,
            Some(Kind::Picker | Kind::Checkbox | Kind::Radio) if self.key == "Enter" && !self.is_chord() => {
                Meaning::Submits
            }
            _ => Meaning::Maybe,
        }
    }

    fn meaning_in_text(&self, kind: Kind) -> Meaning {
        if self.is_chord() {
            return if self.edits_text() { Meaning::Typing } else { Meaning::Maybe };
        }
        match self.key.as_str() {
            "Enter" if kind == (Kind::Text { lines: false }) => Meaning::Submits,
            "Enter" => Meaning::IfTaken,
            "Backspace" | "Delete" => Meaning::Typing,
            "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" | "Home" | "End" | "PageUp" | "PageDown" => {
                Meaning::IfTaken
            }
            _ if self.is_character() => Meaning::Typing,
            _ => Meaning::Maybe,
        }
    }

    /// Keys that a button, a link or a box takes for a click.
    fn activates(&self, kind: Kind) -> bool {
        if self.is_chord() {
            return false;
        }
        match kind {
            Kind::Checkbox | Kind::Radio => self.key == " ",
            Kind::Plain | Kind::File | Kind::Switch => self.key == " " || self.key == "Enter",
            _ => false,
        }
    }

    /// Chords by which a field is edited and the caret moved.
    fn edits_text(&self) -> bool {
        let key = text::lower(&self.key);
        let with_command = (self.control || self.meta) && !self.alt;
        let named = matches!(
            key.as_str(),
            "arrowleft" | "arrowright" | "arrowup" | "arrowdown" | "home" | "end" | "backspace" | "delete"
        );
        named || (with_command && matches!(key.as_str(), "a" | "c" | "v" | "x" | "z" | "y" | "insert"))
    }

    /// Keys that say nothing by themselves.
    fn is_mute(&self) -> bool {
        matches!(
            self.key.as_str(),
            "" | "Shift"
                | "Control"
                | "Alt"
                | "Meta"
                | "AltGraph"
                | "CapsLock"
                | "NumLock"
                | "ScrollLock"
                | "Fn"
                | "FnLock"
                | "Dead"
                | "Process"
                | "Unidentified"
                | "Hyper"
                | "Super"
                | "Symbol"
                | "SymbolLock"
                | "ContextMenu"
                | "PrintScreen"
                | "Compose"
        )
    }

    /// Keys that the browser takes before or after the page: reload, tabs, zoom, history, tools. What they do to the tab
    /// is seen from outside.
    fn is_browsers(&self) -> bool {
        let key = text::lower(&self.key);
        if matches!(key.as_str(), "f5" | "f6" | "f11" | "f12")
            || key.starts_with("browser")
            || key.starts_with("media")
            || key.starts_with("audio")
        {
            return true;
        }
        if self.alt
            && !self.alt_graph
            && matches!(key.as_str(), "arrowleft" | "arrowright" | "home" | "f4" | "d")
        {
            return true;
        }
        let command = (self.control || self.meta) && !self.alt;
        command
            && matches!(
                key.as_str(),
                "r" | "t"
                    | "n"
                    | "w"
                    | "q"
                    | "+"
                    | "-"
                    | "="
                    | "0"
                    | "l"
                    | "tab"
                    | "f4"
                    | "pageup"
                    | "pagedown"
            )
    }
}

impl Mind {
    pub(super) fn key_down(&mut self, control: Option<Control>, chord: String, meaning: Meaning) {
        self.begin_key(control, meaning);
        let hold = match meaning {
            Meaning::Nothing | Meaning::Typing => return,
            Meaning::Submits => None,
            Meaning::Activates | Meaning::Maybe => Some(Hold::TakenOrStirs),
            Meaning::IfTaken => Some(Hold::Taken),
            Meaning::IfTakenAndTells => Some(Hold::TakenAndTells),
        };
        self.act(control, What::Press(chord), hold);
    }

    /// The page took the key that is held.
    pub(super) fn taken(&mut self) {
        match self.open().and_then(|open| open.hold) {
            Some(Hold::TakenAndTells) => {
                if let Some(open) = self.open_mut() {
                    open.hold = Some(Hold::Tells);
                }
            }
            Some(Hold::Taken | Hold::TakenOrStirs) if !self.joins_typing() => self.capture_open(),
            _ => {}
        }
    }

    /// Character after character taken on one element that is no field: a few are keys, more are text, and text is one
    /// step.
    fn joins_typing(&mut self) -> bool {
        let Some(open) = self.open() else { return false };
        let (What::Press(key), Some(node)) = (&open.what, open.node) else { return false };
        let Some(next) = character(key).map(str::to_owned) else { return false };
        if let Some(What::Type(text)) =
            self.last().filter(|last| last.node == Some(node)).map(|last| &last.what)
        {
            let text = text.clone() + &next;
            self.continue_last(What::Type(text));
            return true;
        }
        let pressed = |past: &Past| match &past.what {
            What::Press(key) if past.node == Some(node) => character(key).map(str::to_owned),
            _ => None,
        };
        let mut before: Vec<String> = self.past().iter().rev().map_while(pressed).take(FEW_KEYS).collect();
        if before.len() < FEW_KEYS {
            return false;
        }
        before.reverse();
        for _ in 1..FEW_KEYS {
            self.retract_last();
        }
        self.continue_last(What::Type(before.concat() + &next));
        true
    }
}

/// So many characters in a row are keys that are pressed; one more and all are a text that is typed.
const FEW_KEYS: usize = 3;

/// The one character that a chord types.
fn character(chord: &str) -> Option<&str> {
    if chord == "Space" {
        return Some(" ");
    }
    let mut characters = chord.chars();
    characters.next()?;
    characters.next().is_none().then_some(chord)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn stroke(text: &str) -> KeyStroke {
        let mut stroke = KeyStroke::default();
        let mut rest = text;
        while let Some((modifier, key)) = rest.split_once('+').filter(|(_, key)| !key.is_empty()) {
            match modifier {
                "Control" => stroke.control = true,
                "Alt" => stroke.alt = true,
                "Meta" => stroke.meta = true,
                "Shift" => stroke.shift = true,
                other => panic!("{other}"),
            }
            rest = key;
        }
        rest.clone_into(&mut stroke.key);
        stroke
    }

    #[rstest]
    #[case("Control+k", "Control+k")]
    #[case("Control+Shift+K", "Control+Shift+k")]
    #[case("Shift+A", "A")]
    #[case("Shift+Enter", "Shift+Enter")]
    #[case("Meta+Alt+ArrowUp", "Alt+Meta+ArrowUp")]
    #[case(" ", "Space")]
    #[case("é", "é")]
    #[case("Escape", "Escape")]
    #[case("?", "?")]
    fn chords(#[case] pressed: &str, #[case] written: &str) {
        assert_eq!(stroke(pressed).chord(), written);
    }

    const LINE: Option<Kind> = Some(Kind::Text { lines: false });
    const LINES: Option<Kind> = Some(Kind::Text { lines: true });

    #[rstest]
    #[case("a", LINE, Meaning::Typing)]
    #[case("𠮷", LINE, Meaning::Typing)]
    #[case("Control+v", LINE, Meaning::Typing)]
    #[case("Control+k", LINE, Meaning::Maybe)]
    #[case("Enter", LINE, Meaning::Submits)]
    #[case("Enter", LINES, Meaning::IfTaken)]
    #[case("Control+Enter", LINES, Meaning::Maybe)]
    #[case("ArrowDown", LINE, Meaning::IfTaken)]
    #[case("Tab", LINE, Meaning::IfTakenAndTells)]
    #[case("Escape", LINE, Meaning::Maybe)]
    #[case("Enter", Some(Kind::Plain), Meaning::Activates)]
    #[case(" ", Some(Kind::Checkbox), Meaning::Activates)]
    #[case("Enter", Some(Kind::Checkbox), Meaning::Submits)]
    #[case("4", Some(Kind::Plain), Meaning::Maybe)]
    #[case("j", None, Meaning::Maybe)]
    #[case("Control+k", None, Meaning::Maybe)]
    #[case("F5", None, Meaning::Nothing)]
    #[case("Control+r", None, Meaning::Nothing)]
    #[case("Shift", LINE, Meaning::Nothing)]
    fn meanings(#[case] pressed: &str, #[case] kind: Option<Kind>, #[case] meaning: Meaning) {
        assert_eq!(stroke(pressed).meaning(kind), meaning);
    }
}
