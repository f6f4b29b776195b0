//! Keys as a US keyboard sends them.

use cairn_core::keyboard;
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

/// A key by its name: `Enter`, `ArrowDown`, or one character.
pub fn named(name: &str) -> Option<Key> {
    let name = keyboard::usual_name(name);
    if let Some((key, code, code_number, _)) = keyboard::named(name) {
        // Enter types a line end, as the keys with a character type that.
        let text = if key == "Enter" { "\r" } else { "" };
        return Some(Key {
            key: key.to_owned(),
            code: code.to_owned(),
            code_number,
            text: text.to_owned(),
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
    match character {
        '\n' => return named("Enter"),
        '\t' => return named("Tab"),
        _ => {}
    }
    let key = keyboard::printed(character)?;
    Some(Key {
        key: character.to_string(),
        code: key.code.to_owned(),
        code_number: key.number,
        text: character.to_string(),
        shift: key.shift,
    })
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
