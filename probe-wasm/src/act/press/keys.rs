//! What `key`, `code` and `keyCode` an event carries, and how a chord is written.

use cairn_core::keyboard;

use crate::act::event::{Key, Modifiers};

/// The key that makes a character; without a code where no key of the layout does.
pub fn of_character(character: char) -> Key {
    let name = character.to_string();
    match keyboard::printed(character) {
        Some(key) => Key { name, code: key.code, number: key.number, location: 0 },
        None => Key { name, ..Key::default() },
    }
}

/// True where the character needs Shift on the layout.
pub fn needs_shift(character: char) -> bool {
    keyboard::printed(character).is_some_and(|key| key.shift)
}

/// The key with this name (`Enter`, `ArrowDown`, `F2`, `a`); one that no layout has carries the name alone.
pub fn named(name: &str) -> Key {
    let name = keyboard::usual_name(name);
    if let Some((key, code, number, location)) = keyboard::named(name) {
        return Key { name: key.to_owned(), code, number, location };
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
