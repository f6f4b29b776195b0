//! The keys of a US keyboard: what `key`, `code` and `keyCode` an event carries, and how a chord is written.

use crate::act::event::{Key, Modifiers};

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

/// The key that makes a character; without a code where no key of the layout does.
pub fn of_character(character: char) -> Key {
    let key = character.to_string();
    let lower = character.to_ascii_lowercase();
    if lower.is_ascii_lowercase() {
        let place = lower as usize - 'a' as usize;
        return Key {
            name: key,
            code: LETTERS[place],
            number: lower.to_ascii_uppercase() as u32,
            location: 0,
        };
    }
    match PRINTED.iter().find(|(plain, shifted, ..)| *plain == character || *shifted == character) {
        Some((_, _, code, number)) => Key { name: key, code, number: *number, location: 0 },
        None => Key { name: key, ..Key::default() },
    }
}

/// True where the character needs Shift on the layout.
pub fn needs_shift(character: char) -> bool {
    character.is_ascii_uppercase()
        || PRINTED.iter().any(|(plain, shifted, ..)| *shifted == character && plain != shifted)
}

/// The key with this name (`Enter`, `ArrowDown`, `F2`, `a`); one that no layout has carries the name alone.
pub fn named(name: &str) -> Key {
    let name = match name {
        "Esc" => "Escape",
        "Return" => "Enter",
        "Space" => " ",
        "Up" => "ArrowUp",
        "Down" => "ArrowDown",
        "Left" => "ArrowLeft",
        "Right" => "ArrowRight",
        other => other,
    };
    if let Some((key, code, number, location)) = NAMED.iter().find(|(key, ..)| *key == name) {
        return Key { name: (*key).to_owned(), code, number: *number, location: *location };
    }
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => of_character(only),
        _ => Key { name: name.to_owned(), ..Key::default() },
    }
}

/// A chord as a script writes it: `Control+Shift+k`, `Enter`, `Control++`.
pub fn chord(text: &str) -> (Key, Modifiers) {
    let mut held = Modifiers::default();
    let mut rest = text;
    while let Some((modifier, after)) = rest.split_once('+') {
        let known = match modifier {
            "Control" | "Ctrl" => &mut held.control,
            "Alt" => &mut held.alt,
            "Shift" => &mut held.shift,
            "Meta" | "Command" => &mut held.meta,
            _ => break,
        };
        if after.is_empty() {
            break;
        }
        *known = true;
        rest = after;
    }
    (named(rest), held)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, key: &str, code: &str, held: Modifiers) {
        let (found, modifiers) = chord(text);
        assert_eq!((found.name.as_str(), found.code, modifiers), (key, code, held), "{text}");
    }

    #[test]
    fn chords_are_read() {
        let none = Modifiers::default();
        let control = Modifiers { control: true, ..none };
        check("Enter", "Enter", "Enter", none);
        check("Control+k", "k", "KeyK", control);
        check("Control+Shift+ArrowDown", "ArrowDown", "ArrowDown", Modifiers { shift: true, ..control });
        check("Control++", "+", "Equal", control);
        check("+", "+", "Equal", none);
        check("é", "é", "", none);
        check("Space", " ", "Space", none);
        check("Meta+Enter", "Enter", "Enter", Modifiers { meta: true, ..none });
    }

    #[test]
    fn shift_is_known() {
        assert!(
            needs_shift('A')
                && needs_shift('?')
                && !needs_shift('a')
                && !needs_shift(' ')
                && !needs_shift('é')
        );
    }
}
