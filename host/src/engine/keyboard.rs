//! Keys as a US keyboard sends them.

use serde_json::{Value, json};

/// What the browser is told of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// `KeyboardEvent.key`.
    pub key: String,
    /// `KeyboardEvent.code`.
    pub code: String,
    /// Windows virtual key code.
    pub code_number: u32,
    /// The text it types; empty for none.
    pub text: String,
    /// It needs Shift.
    pub shift: bool,
}

/// Modifier bits of the browser's input domain.
pub fn modifier_bit(name: &str) -> Option<u32> {
    match name {
        "Alt" => Some(1),
        "Control" => Some(2),
        "Meta" => Some(4),
        "Shift" => Some(8),
        _ => None,
    }
}

/// Keys with a name.
const NAMED: [(&str, &str, u32, &str); 22] = [
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("Space", "Space", 32, " "),
    ("Shift", "ShiftLeft", 16, ""),
    ("Control", "ControlLeft", 17, ""),
    ("Alt", "AltLeft", 18, ""),
    ("Meta", "MetaLeft", 91, ""),
    ("F1", "F1", 112, ""),
    ("F2", "F2", 113, ""),
    ("F4", "F4", 115, ""),
    ("F5", "F5", 116, ""),
];

/// Punctuation: character, character with Shift, code, virtual key code.
const PUNCTUATION: [(char, char, &str, u32); 11] = [
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    ('`', '~', "Backquote", 192),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
];

const SHIFTED_DIGITS: &str = ")!@#$%^&*(";

/// A key by its name: `Enter`, `ArrowDown`, or one character.
pub fn named(name: &str) -> Option<Key> {
    let found = NAMED.iter().find(|(key, ..)| *key == name);
    if let Some((key, code, code_number, text)) = found {
        let key = if *key == "Space" { " " } else { key };
        return Some(Key {
            key: key.to_owned(),
            code: (*code).to_owned(),
            code_number: *code_number,
            text: (*text).to_owned(),
            shift: false,
        });
    }
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => typed(character),
        _ => None,
    }
}

/// The key that types this character; `None` where a US keyboard has none.
pub fn typed(character: char) -> Option<Key> {
    let key = |code: String, code_number: u32, shift: bool| {
        Some(Key { key: character.to_string(), code, code_number, text: character.to_string(), shift })
    };
    match character {
        '\n' => return named("Enter"),
        '\t' => return named("Tab"),
        ' ' => return named("Space"),
        'a'..='z' | 'A'..='Z' => {
            let upper = character.to_ascii_uppercase();
            return key(format!("Key{upper}"), u32::from(upper), character.is_ascii_uppercase());
        }
        '0'..='9' => return key(format!("Digit{character}"), u32::from(character), false),
        _ => {}
    }
    if let Some(digit) = SHIFTED_DIGITS.find(character) {
        return key(format!("Digit{digit}"), 48 + digit as u32, true);
    }
    let (plain, _, code, code_number) =
        PUNCTUATION.iter().find(|(plain, shifted, ..)| *plain == character || *shifted == character)?;
    key((*code).to_owned(), *code_number, *plain != character)
}

/// The message that presses or releases a key under these modifiers.
pub fn message(key: &Key, press: bool, modifiers: u32) -> Value {
    // With Control, Alt or Meta held a key types nothing.
    let text = if press && modifiers.trailing_zeros() >= 3 { key.text.as_str() } else { "" };
    let kind = match (press, text.is_empty()) {
        (true, false) => "keyDown",
        (true, true) => "rawKeyDown",
        (false, _) => "keyUp",
    };
    json!({
        "type": kind,
        "key": key.key,
        "code": key.code,
        "windowsVirtualKeyCode": key.code_number,
        "nativeVirtualKeyCode": key.code_number,
        "text": text,
        "unmodifiedText": text,
        "modifiers": modifiers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_ascii_character_has_a_key() {
        for character in ' '..='~' {
            let key = typed(character);
            assert_eq!(key.map(|key| key.text), Some(character.to_string()), "{character:?}");
        }
    }

    #[test]
    fn shift_is_needed_where_it_is() {
        let shifted: Vec<char> = (' '..='~').filter(|one| typed(*one).is_some_and(|key| key.shift)).collect();
        let expected: Vec<char> = "!\"#$%&()*+:<>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ^_{|}~".chars().collect();
        assert_eq!(shifted, expected);
    }

    #[test]
    fn a_chord_types_nothing() {
        let key = named("k").unwrap();
        assert_eq!(message(&key, true, 2)["type"], "rawKeyDown");
        assert_eq!(message(&key, true, 0)["text"], "k");
    }
}
