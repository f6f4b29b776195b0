//! Which fields hold a secret, and what its token is called.

use cairn_core::map::Map;
use cairn_core::text;

use super::control::NodeId;
use crate::mask::Mask;

/// What a field says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// `type`, lower case.
    pub kind: String,
    /// `autocomplete`, lower case.
    pub autocomplete: String,
    /// `name` or `id`.
    pub name: String,
    /// Its accessible name.
    pub label: String,
}

impl Field {
    /// A password, a one-time code, or anything of a payment card.
    pub fn is_secret(&self) -> bool {
        self.kind == "password" || self.autocomplete.split_ascii_whitespace().any(is_secret_token)
    }

    /// What its token would be called, if that were free.
    fn token(&self) -> String {
        let told = self.autocomplete.split_ascii_whitespace().find(|token| is_secret_token(token));
        match told {
            Some("current-password") => "password".to_owned(),
            Some("one-time-code") => "otp".to_owned(),
            Some(token) => identifier(token).unwrap_or_else(fallback),
            None if is_plain_password(&self.name) || is_plain_password(&self.label) => "password".to_owned(),
            None => identifier(&self.name).or_else(|| identifier(&self.label)).unwrap_or_else(fallback),
        }
    }
}

fn fallback() -> String {
    "password".to_owned()
}

fn is_secret_token(token: &str) -> bool {
    matches!(token, "current-password" | "new-password" | "one-time-code") || token.starts_with("cc-")
}

/// The usual names of the one password of a sign-in form; more would only be longer.
fn is_plain_password(name: &str) -> bool {
    matches!(
        text::lower(name).as_str(),
        "" | "p" | "pw" | "pwd" | "pass" | "passwd" | "password" | "passphrase" | "your password"
    )
}

/// A name that can stand between percent signs: ASCII words joined by `_`, 30 characters at most.
fn identifier(text: &str) -> Option<String> {
    let mut made = String::new();
    for character in text.chars() {
        if character.is_ascii_alphanumeric() {
            made.push(character.to_ascii_lowercase());
        } else if !made.is_empty() && !made.ends_with('_') {
            made.push('_');
        }
        if made.len() >= 30 {
            break;
        }
    }
    let made = made.trim_end_matches('_').to_owned();
    made.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(made)
}

/// The secret fields of this document. A field that was secret once stays so, whatever the page makes of it.
#[derive(Debug, Default)]
pub struct Secrets {
    tokens: Map<NodeId, String>,
}

impl Secrets {
    /// True where the node was a secret field before.
    pub fn knows(&self, node: NodeId) -> bool {
        self.tokens.contains_key(&node)
    }

    /// Takes the value of a secret field into the mask and gives the name that stands for it. A value that is known is the
    /// secret it is known as: the repeated password is the password.
    pub fn take(&mut self, node: NodeId, field: &Field, value: &str, mask: &mut Mask) -> String {
        if let Some(name) = mask.secret_named(value) {
            let name = name.to_owned();
            self.tokens.get_or_insert_with(node, || name.clone());
            return name;
        }
        let name = self.tokens.get_or_insert_with(node, || free_name(&field.token(), mask)).clone();
        mask.learn(&name, value);
        name
    }
}

fn free_name(wanted: &str, mask: &Mask) -> String {
    if !mask.knows(wanted) {
        return wanted.to_owned();
    }
    let mut number = 2;
    loop {
        let name = format!("{wanted}_{number}");
        if !mask.knows(&name) {
            return name;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: &str, autocomplete: &str, name: &str, label: &str) -> Field {
        let own = |text: &str| text.to_owned();
        Field { kind: own(kind), autocomplete: own(autocomplete), name: own(name), label: own(label) }
    }

    #[rstest::rstest]
    #[case("password", "", "p", "Password", Some("password"))]
    #[case("text", "section-a current-password", "x", "", Some("password"))]
    #[case("password", "new-password", "", "", Some("new_password"))]
    #[case("password", "", "confirm-password", "Again", Some("confirm_password"))]
    #[case("password", "", "123", "Your PIN code", Some("your_pin_code"))]
    #[case("password", "off", "", "סיסמה", Some("password"))]
    #[case("tel", "one-time-code", "", "Digit 1", Some("otp"))]
    #[case("text", "cc-number", "", "Card", Some("cc_number"))]
    #[case("text", "username", "user", "User", None)]
    fn tokens(
        #[case] kind: &str,
        #[case] autocomplete: &str,
        #[case] name: &str,
        #[case] label: &str,
        #[case] token: Option<&str>,
    ) {
        let field = field(kind, autocomplete, name, label);
        assert_eq!(field.is_secret().then(|| field.token()).as_deref(), token);
    }

    #[test]
    fn names_are_unique_and_the_repeated_password_is_the_password() {
        let (mut mask, mut secrets) = (Mask::new(), Secrets::default());
        let password = field("password", "", "password", "");
        assert_eq!(secrets.take(NodeId(1), &password, "or", &mut mask), "password");
        assert_eq!(secrets.take(NodeId(1), &password, "orchid", &mut mask), "password");
        assert_eq!(secrets.take(NodeId(2), &password, "tulip", &mut mask), "password_2");
        assert_eq!(secrets.take(NodeId(3), &password, "orchid", &mut mask), "password");
        assert!(secrets.knows(NodeId(3)));
    }
}
