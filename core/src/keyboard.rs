//! The keys of a US keyboard: what the page presses by itself and what the browser is told to press are the same keys.

/// Keys without a character: name, code, key code, location.
const NAMED: &[(&str, &str, u32, u32)] = &[
    ("Enter", "Enter", 13, 0),
    ("Tab", "Tab", 9, 0),
    ("Escape", "Escape", 27, 0),
    ("Backspace", "Backspace", 8, 0),
    ("Delete", "Delete", 46, 0),
    ("Insert", "Insert", 45, 0),
    ("ArrowUp", "ArrowUp", 38, 0),
    ("ArrowDown", "ArrowDown", 40, 0),
    ("ArrowLeft", "ArrowLeft", 37, 0),
    ("ArrowRight", "ArrowRight", 39, 0),
    ("Home", "Home", 36, 0),
    ("End", "End", 35, 0),
    ("PageUp", "PageUp", 33, 0),
    ("PageDown", "PageDown", 34, 0),
    ("Control", "ControlLeft", 17, 1),
    ("Shift", "ShiftLeft", 16, 1),
    ("Alt", "AltLeft", 18, 1),
    ("Meta", "MetaLeft", 91, 1),
    ("CapsLock", "CapsLock", 20, 0),
    ("ContextMenu", "ContextMenu", 93, 0),
    ("F1", "F1", 112, 0),
    ("F2", "F2", 113, 0),
    ("F3", "F3", 114, 0),
    ("F4", "F4", 115, 0),
    ("F5", "F5", 116, 0),
    ("F6", "F6", 117, 0),
    ("F7", "F7", 118, 0),
    ("F8", "F8", 119, 0),
    ("F9", "F9", 120, 0),
    ("F10", "F10", 121, 0),
    ("F11", "F11", 122, 0),
    ("F12", "F12", 123, 0),
];

/// Keys with a character: without Shift, with Shift, code, key code.
const PRINTED: &[(char, char, &str, u32)] = &[
    ('`', '~', "Backquote", 192),
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    (' ', ' ', "Space", 32),
];

const LETTERS: [&str; 26] = [
    "KeyA", "KeyB", "KeyC", "KeyD", "KeyE", "KeyF", "KeyG", "KeyH", "KeyI", "KeyJ", "KeyK", "KeyL", "KeyM",
    "KeyN", "KeyO", "KeyP", "KeyQ", "KeyR", "KeyS", "KeyT", "KeyU", "KeyV", "KeyW", "KeyX", "KeyY", "KeyZ",
];

/// A key that makes a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printed {
    /// `KeyboardEvent.code`.
    pub code: &'static str,
    /// `KeyboardEvent.keyCode`, the virtual key code of Windows.
    pub number: u32,
    /// It makes that character with Shift.
    pub shift: bool,
}

/// The key that makes a character; `None` where none of the layout does.
pub fn printed(character: char) -> Option<Printed> {
    let lower = character.to_ascii_lowercase();
    if lower.is_ascii_lowercase() {
        let code = LETTERS[lower as usize - 'a' as usize];
        return Some(Printed {
            code,
            number: lower.to_ascii_uppercase() as u32,
            shift: character.is_ascii_uppercase(),
        });
    }
    let (plain, _, code, number) =
        PRINTED.iter().find(|(plain, shifted, ..)| *plain == character || *shifted == character)?;
    Some(Printed { code, number: *number, shift: *plain != character })
}

/// The key without a character that has this name: name, code, key code, location.
pub fn named(name: &str) -> Option<(&'static str, &'static str, u32, u32)> {
    NAMED.iter().find(|(key, ..)| *key == name).copied()
}

/// The name by which the tables know a key that people write otherwise.
pub fn usual_name(name: &str) -> &str {
    match name {
        "Esc" => "Escape",
        "Return" => "Enter",
        "Space" => " ",
        "Up" => "ArrowUp",
        "Down" => "ArrowDown",
        "Left" => "ArrowLeft",
        "Right" => "ArrowRight",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_ascii_character_has_a_key() {
        for character in ' '..='~' {
            assert!(printed(character).is_some(), "{character:?}");
        }
        assert_eq!(printed('é'), None);
        assert_eq!(printed('%').map(|key| (key.code, key.shift)), Some(("Digit5", true)));
        assert_eq!(printed('q').map(|key| (key.code, key.number)), Some(("KeyQ", 81)));
    }
}
