//! What may never leave: secret values, exact and in the encodings in which pages and requests carry them.

use serde_json::Value;

/// Secrets shorter than this, in characters, are not searched for: they would hit everywhere.
pub const SHORTEST_SECRET: usize = 3;

/// Replaces secrets by `%name%`.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// Each form a secret may take, longest first, with its name.
    needles: Vec<(String, String)>,
}

impl Redactor {
    /// From secrets by name. Values under `SHORTEST_SECRET` characters are left out.
    pub fn new<N: AsRef<str>, V: AsRef<str>>(secrets: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut redactor = Self::default();
        for (name, value) in secrets {
            redactor.add(name.as_ref(), value.as_ref());
        }
        redactor
    }

    /// Adds one secret.
    pub fn add(&mut self, name: &str, value: &str) {
        if value.chars().count() < SHORTEST_SECRET {
            return;
        }
        for form in forms(value) {
            if !self.needles.iter().any(|(known, _)| *known == form) {
                self.needles.push((form, name.to_owned()));
            }
        }
        crate::order::sort_by_key(&mut self.needles, |(form, _)| std::cmp::Reverse(form.len()));
    }

    /// True where there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// The name of the first secret that a text holds in any form.
    pub fn finds(&self, text: &str) -> Option<&str> {
        self.needles.iter().find(|(form, _)| text.contains(form.as_str())).map(|(_, name)| name.as_str())
    }

    /// The text with every secret replaced by `%name%`.
    pub fn apply(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        for (form, name) in &self.needles {
            if clean.contains(form.as_str()) {
                clean = clean.replace(form.as_str(), &format!("%{name}%"));
            }
        }
        clean
    }

    /// Every string in a message or file of ours that came from a page or a person.
    ///
    /// Keys, and the values of `OWN_WORDS`, are Cairn's own vocabulary: a password `click` must not turn a method into
    /// something that cannot be read.
    pub fn apply_json(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::String(text) => {
                if self.finds(text).is_some() {
                    *text = self.apply(text);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply_json(item)),
            Value::Object(entries) => {
                let foreign = entries.iter_mut().filter(|(key, value)| !is_own(key, value));
                foreign.for_each(|(_, value)| self.apply_json(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The name of the first secret that stands where `apply_json` would replace it.
    pub fn finds_json(&self, value: &Value) -> Option<&str> {
        match value {
            Value::String(text) => self.finds(text),
            Value::Array(items) => items.iter().find_map(|item| self.finds_json(item)),
            Value::Object(entries) => {
                let mut foreign = entries.iter().filter(|(key, value)| !is_own(key, value));
                foreign.find_map(|(_, value)| self.finds_json(value))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }
}

/// Keys, in lower case, whose text values are words of Cairn's and never of a page.
const OWN_WORDS: [&str; 16] = [
    "method",
    "role",
    "type",
    "kind",
    "rung",
    "status",
    "condition",
    "end",
    "tag",
    "engine",
    "by",
    "input",
    "risk",
    "tier",
    "heal",
    "run",
];

fn is_own(key: &str, value: &Value) -> bool {
    value.is_string() && OWN_WORDS.iter().any(|own| key.eq_ignore_ascii_case(own))
}

/// The forms in which a value may be seen: as it is, URL-encoded (both cases of hex, space as `+` and as `%20`), in
/// JSON, in HTML, in base64 at each of the three alignments.
fn forms(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |form: String| {
        if form.chars().count() >= SHORTEST_SECRET {
            found.push(form);
        }
    };
    add(value.to_owned());
    for upper in [true, false] {
        let encoded = percent_encode(value, upper);
        add(encoded.replace("%20", "+"));
        add(encoded);
    }
    add(as_json(value));
    add(value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;"));
    for skip in 0..3 {
        let core = base64_core(value.as_bytes(), skip);
        // A short run of base64 letters occurs by chance.
        if core.len() >= 8 {
            add(core.replace('+', "-").replace('/', "_"));
            add(core);
        }
    }
    found
}

impl IntoIterator for Redactor {
    type Item = (String, String);
    type IntoIter = std::vec::IntoIter<(String, String)>;

    fn into_iter(self) -> Self::IntoIter {
        self.needles.into_iter()
    }
}

/// As `encodeURIComponent` does.
pub(crate) fn percent_encode(value: &str, upper: bool) -> String {
    let mut encoded = String::with_capacity(value.len() * 3);
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            encoded.push(byte as char);
        } else {
            let digits: &[u8; 16] = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
            encoded.push('%');
            encoded.push(digits[usize::from(byte >> 4)] as char);
            encoded.push(digits[usize::from(byte & 15)] as char);
        }
    }
    encoded
}

fn as_json(value: &str) -> String {
    let mut quoted = String::new();
    crate::wire::quote(&mut quoted, value);
    quoted[1..quoted.len() - 1].to_owned()
}

/// The base64 letters that depend on the value alone when `skip` unknown bytes stand before it (0, 1 or 2).
fn base64_core(bytes: &[u8], skip: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bit = |index: usize| bytes.get(index / 8).map(|byte| (byte >> (7 - index % 8)) & 1);
    // Letters cover 6 bits each, counted from the start of the unknown bytes.
    let first = (skip * 8).div_ceil(6);
    let mut core = String::new();
    let mut letter = first;
    loop {
        let mut six = 0_u8;
        for offset in 0..6 {
            let Some(bit) = bit(letter * 6 + offset - skip * 8) else { return core };
            six = six << 1 | bit;
        }
        core.push(LETTERS[usize::from(six)] as char);
        letter += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        Redactor::new([("password", "p\"ss wörd&1"), ("pin", "12"), ("token", "abcdefgh")])
    }

    #[rstest::rstest]
    #[case("p\"ss wörd&1", "%password%")]
    #[case("q=p%22ss%20w%C3%B6rd%261;", "q=%password%;")]
    #[case("q=p%22ss+w%c3%b6rd%261;", "q=%password%;")]
    #[case(r#"{"a":"p\"ss wörd&1"}"#, r#"{"a":"%password%"}"#)]
    #[case("p&quot;ss wörd&amp;1", "%password%")]
    #[case("12", "12")]
    #[case("nothing", "nothing")]
    // btoa("abcdefgh"), and the same after one and two other bytes
    #[case("YWJjZGVmZ2g=", "%token%g=")]
    #[case("eGFiY2RlZmdo", "eG%token%")]
    fn replaces_every_form(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(redactor().apply(text), expected);
    }

    #[test]
    fn in_json_what_came_from_a_page_alone() {
        let redactor = Redactor::new([("password", "click")]);
        let mut value =
            serde_json::json!({"Method": "click", "Name": "click me", "click": ["a click", 1, null]});
        assert_eq!(redactor.finds_json(&value), Some("password"));
        redactor.apply_json(&mut value);
        let clean = serde_json::json!({"Method": "click", "Name": "%password% me", "click": ["a %password%", 1, null]});
        assert_eq!(value, clean);
        assert_eq!(redactor.finds_json(&value), None);
    }

    proptest::proptest! {
        #[test]
        fn no_form_survives(secret in "[a-zA-Z0-9 äß€😀&\"<%]{4,20}", before in "[xyz]{0,5}") {
            let redactor = Redactor::new([("s", secret.as_str())]);
            for (form, _) in redactor.clone() {
                let clean = redactor.apply(&format!("{before}{form}"));
                proptest::prop_assert!(!clean.contains(&form) || "%s%".contains(&form));
            }
        }
    }
}
