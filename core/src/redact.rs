//! What may never leave: secret values, in every spelling (`spelling`) and encoding in which pages and requests carry them.

use serde_json::Value;

use crate::spelling;

/// Secrets shorter than this, in characters, are not searched for: they would hit everywhere.
pub const SHORTEST_SECRET: usize = 3;

/// Replaces secrets by `%name%`.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// What is looked for, each with its secret's name.
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
    }

    /// True where there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// The name of the first secret that a text holds in any form.
    pub fn finds(&self, text: &str) -> Option<&str> {
        (0..text.len()).find_map(|at| self.longest_at(text, at)).map(|(_, name)| name)
    }

    /// The text with every secret replaced by `%name%`. Where several overlap, all of it goes, under the longest one's name.
    pub fn apply(&self, text: &str) -> String {
        let mut clean = String::new();
        let mut copied = 0;
        let mut at = 0;
        while at < text.len() {
            let Some((mut end, mut name)) = self.longest_at(text, at) else {
                at += 1;
                continue;
            };
            clean.push_str(&text[copied..at]);
            let mut longest = end - at;
            while at + 1 < end {
                at += 1;
                if let Some((later, other)) = self.longest_at(text, at).filter(|(later, _)| *later > end) {
                    end = later;
                    if later - at > longest {
                        (longest, name) = (later - at, other);
                    }
                }
            }
            clean.push('%');
            clean.push_str(name);
            clean.push('%');
            (at, copied) = (end, end);
        }
        clean.push_str(&text[copied..]);
        clean
    }

    /// Where the longest secret that begins at this byte ends, and its name.
    fn longest_at(&self, text: &str, at: usize) -> Option<(usize, &str)> {
        let byte = text.as_bytes()[at];
        let mut longest: Option<(usize, &str)> = None;
        for (form, name) in &self.needles {
            if !spelling::may_begin(byte, form.as_bytes()[0]) {
                continue;
            }
            let end = spelling::ends(text, at, form).into_iter().max();
            if let Some(end) = end.filter(|end| longest.is_none_or(|(known, _)| *end > known)) {
                longest = Some((end, name));
            }
        }
        longest
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

/// What is looked for, in every spelling: the value itself, and in base64 at each of the three alignments.
fn forms(value: &str) -> Vec<String> {
    let mut found = vec![value.to_owned()];
    for skip in 0..3 {
        let core = base64_core(value.as_bytes(), skip);
        // A short run of base64 letters occurs by chance.
        if core.len() >= 8 {
            found.push(core.replace('+', "-").replace('/', "_"));
            found.push(core);
        }
    }
    found
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
    #[case("q=p%22ss+w%C3%B6rd%261%21", "q=%password%%21")]
    #[case(r#"p\"ss w\u00f6rd\u00261"#, "%password%")]
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

    /// Every letter that bears it, in one of the ways in which others write it.
    fn spell(value: &str, way: u32) -> String {
        let bytes = |letter: char, before: &str, upper: bool| -> String {
            let hex = |byte: u8| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") };
            letter
                .to_string()
                .bytes()
                .map(|byte| format!("{before}{}", hex(byte)))
                .collect::<Vec<_>>()
                .concat()
        };
        let one = |letter: char| match (way, letter) {
            (0, letter) => letter.to_string(),
            (1 | 2, ' ') => "+".to_owned(),
            (1, letter) if letter.is_ascii_alphanumeric() => letter.to_string(),
            (1, letter) => bytes(letter, "%", true),
            (2, letter) => bytes(letter, "%", false),
            (3, letter) => letter
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<Vec<_>>()
                .concat(),
            (4, letter) => format!("&#{};", u32::from(letter)),
            (_, letter) => bytes(letter, "%25", true),
        };
        value.chars().map(one).collect()
    }

    #[test]
    fn what_overlaps_goes_whole() {
        let redactor = Redactor::new([("short", "abcd"), ("long", "cdefgh")]);
        assert_eq!(redactor.apply("xabcdefghx abcdabcd"), "x%long%x %short%%short%");
    }

    proptest::proptest! {
        #[test]
        fn no_form_survives(secret in "[a-zA-Z0-9 äß€😀&\"<%]{4,20}", before in "[xyz]{0,5}") {
            let redactor = Redactor::new([("s", secret.as_str())]);
            for (form, _) in &redactor.needles {
                for way in 0..6 {
                    let spelled = spell(form, way);
                    let clean = redactor.apply(&format!("{before}{spelled}"));
                    proptest::prop_assert!(!clean.contains(&spelled) || "%s%".contains(&spelled), "{clean}");
                }
            }
        }
    }
}
