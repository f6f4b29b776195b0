//! JSON as the probe reads and writes it: one text, one place in it, nothing generic. What is read is checked as strictly as
//! by `serde_json`, apart from this: `null` stands for a key that is not there.

use super::number::{self, Numbers};

/// A message under way: a text that is read from its beginning, or one that grows.
pub struct Json<'a> {
    /// What is read; `None` while writing.
    source: Option<&'a str>,
    at: usize,
    written: String,
    fault: String,
    numbers: &'static Numbers,
}

/// Values inside one another, in what is skipped: more than any message of ours, less than a stack.
const DEEPEST: usize = 128;

impl<'a> Json<'a> {
    /// Reads a text.
    pub fn reader(source: &'a str, numbers: &'static Numbers) -> Self {
        Self { source: Some(source), at: 0, written: String::new(), fault: String::new(), numbers }
    }

    /// Writes a text.
    pub fn writer(numbers: &'static Numbers) -> Self {
        Self { source: None, at: 0, written: String::new(), fault: String::new(), numbers }
    }

    /// What was written.
    pub fn into_text(self) -> String {
        self.written
    }

    /// Why reading failed.
    pub fn into_fault(self) -> String {
        self.fault
    }

    /// True while reading.
    pub fn reads(&self) -> bool {
        self.source.is_some()
    }

    /// Notes why reading failed, unless something was noted already.
    pub fn fail<T>(&mut self, what: &str, which: &str) -> Option<T> {
        if self.fault.is_empty() {
            self.fault = [what, " `", which, "`"].concat();
        }
        None
    }

    /// Something else was expected here.
    pub fn expected<T>(&mut self, what: &str) -> Option<T> {
        if self.fault.is_empty() {
            self.fault = ["expected ", what].concat();
        }
        None
    }

    fn bytes(&self) -> &'a [u8] {
        self.source.unwrap_or_default().as_bytes()
    }

    /// The next byte that is no white space, which is not taken; 0 at the end.
    pub fn peek(&mut self) -> u8 {
        let bytes = self.bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(byte) => return *byte,
                None => return 0,
            }
        }
    }

    /// Takes the next byte where it is this one.
    pub fn takes(&mut self, byte: u8) -> bool {
        let taken = self.peek() == byte;
        self.at += usize::from(taken);
        taken
    }

    /// Takes the next byte, which must be this one.
    pub fn take(&mut self, byte: u8) -> Option<()> {
        if self.takes(byte) { Some(()) } else { self.expected(&char::from(byte).to_string()) }
    }

    /// Takes a word such as `null` where it stands next.
    pub fn takes_word(&mut self, word: &str) -> bool {
        self.peek();
        let taken = self.bytes()[self.at..].starts_with(word.as_bytes());
        if taken {
            self.at += word.len();
        }
        taken
    }

    /// Before an item of an array or an object that `close` ends: false where there is no other. `first` is true before
    /// the first one, and false from then on.
    pub fn another(&mut self, first: &mut bool, close: u8) -> Option<bool> {
        let begun = !std::mem::take(first);
        if self.takes(close) {
            return Some(false);
        }
        if begun {
            self.take(b',')?;
            if self.peek() == close {
                return self.expected("a value");
            }
        }
        Some(true)
    }

    /// Reads the key of an entry and the colon behind it.
    pub fn key(&mut self) -> Option<String> {
        let key = self.read_string()?;
        self.take(b':')?;
        Some(key)
    }

    /// Nothing but white space is left.
    pub fn end(&mut self) -> Option<()> {
        if self.peek() == 0 && self.at == self.bytes().len() { Some(()) } else { self.expected("the end") }
    }

    /// Reads a string.
    pub fn read_string(&mut self) -> Option<String> {
        if !self.takes(b'"') {
            return self.expected("a string");
        }
        let source = self.source.unwrap_or_default();
        let mut text = String::new();
        loop {
            let start = self.at;
            let special = |byte: &u8| matches!(byte, b'"' | b'\\') || *byte < b' ';
            let Some(length) = self.bytes()[start..].iter().position(special) else {
                return self.expected("the end of a string");
            };
            self.at += length;
            text.push_str(&source[start..self.at]);
            self.at += 1;
            match self.bytes()[self.at - 1] {
                b'"' => return Some(text),
                b'\\' => text.push(self.escaped()?),
                _ => return self.expected("no control character in a string"),
            }
        }
    }

    /// What stands behind a backslash.
    fn escaped(&mut self) -> Option<char> {
        let letter = self.bytes().get(self.at).copied().unwrap_or_default();
        self.at += 1;
        Some(match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let mut code = self.four_digits()?;
                if (0xD800..0xDC00).contains(&code) && self.bytes()[self.at..].starts_with(b"\\u") {
                    self.at += 2;
                    let low = self.four_digits()?;
                    // Anything but a low half makes a code that is no character.
                    code = if (0xDC00..0xE000).contains(&low) {
                        0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                    } else {
                        0xD800
                    };
                }
                match char::from_u32(code) {
                    Some(character) => character,
                    None => return self.expected("both halves of a character"),
                }
            }
            _ => return self.expected("an escape"),
        })
    }

    fn four_digits(&mut self) -> Option<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let byte = self.bytes().get(self.at).copied().unwrap_or_default();
            let Some(digit) = char::from(byte).to_digit(16) else { return self.expected("four digits") };
            code = code << 4 | digit;
            self.at += 1;
        }
        Some(code)
    }

    /// Takes the digits that stand next, at least one.
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.bytes().get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at > start { Some(()) } else { self.expected("a digit") }
    }

    /// Takes the text of a number.
    fn number_text(&mut self) -> Option<&'a str> {
        if !matches!(self.peek(), b'-' | b'0'..=b'9') {
            return self.expected("a number");
        }
        let start = self.at;
        let next = |json: &Self| json.bytes().get(json.at).copied().unwrap_or_default();
        if next(self) == b'-' {
            self.at += 1;
        }
        let leading = self.at;
        self.digits()?;
        if self.bytes()[leading] == b'0' && self.at > leading + 1 {
            return self.expected("a number without a leading zero");
        }
        if next(self) == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(next(self), b'e' | b'E') {
            self.at += 1;
            if matches!(next(self), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        self.source.unwrap_or_default().get(start..self.at)
    }

    /// Reads a whole number from 0 to `most`.
    pub fn read_whole(&mut self, most: u64) -> Option<u64> {
        let text = self.number_text()?;
        let whole = text.bytes().try_fold(0_u64, |sum, byte| {
            let digit = char::from(byte).to_digit(10)?;
            sum.checked_mul(10)?.checked_add(u64::from(digit))
        });
        match whole.filter(|whole| *whole <= most) {
            Some(whole) => Some(whole),
            None => self.expected("a whole number within its bounds"),
        }
    }

    /// Reads a number.
    pub fn read_number(&mut self) -> Option<f64> {
        let text = self.number_text()?;
        number::read(text).or_else(|| (self.numbers.read)(text))
    }

    /// Reads a value and forgets it.
    pub fn skip(&mut self) -> Option<()> {
        // What closes each array and object that is open.
        let mut open = Vec::new();
        loop {
            match self.peek() {
                b'"' => drop(self.read_string()?),
                b'-' | b'0'..=b'9' => drop(self.number_text()?),
                bracket @ (b'[' | b'{') => {
                    if open.len() == DEEPEST {
                        return self.expected("values less deep inside one another");
                    }
                    self.at += 1;
                    // In ASCII the closing one stands two behind the opening one.
                    let close = bracket + 2;
                    if !self.takes(close) {
                        open.push(close);
                        self.key_within(close)?;
                        continue;
                    }
                }
                _ => {
                    if !["null", "true", "false"].into_iter().any(|word| self.takes_word(word)) {
                        return self.expected("a value");
                    }
                }
            }
            // A value has ended, and with it perhaps what it is in.
            loop {
                let Some(close) = open.last().copied() else { return Some(()) };
                if self.takes(close) {
                    open.pop();
                    continue;
                }
                self.take(b',')?;
                self.key_within(close)?;
                break;
            }
        }
    }

    /// Takes the key of the next entry, where what `close` ends is an object.
    fn key_within(&mut self, close: u8) -> Option<()> {
        if close == b'}' { self.key().map(drop) } else { Some(()) }
    }

    /// Writes as it is.
    pub fn push(&mut self, raw: &str) {
        self.written.push_str(raw);
    }

    /// Writes a comma, unless an array or object has just begun.
    pub fn comma(&mut self) {
        if !matches!(self.written.as_bytes().last(), None | Some(b'[' | b'{')) {
            self.written.push(',');
        }
    }

    /// Writes a string.
    pub fn write_string(&mut self, text: &str) {
        quote(&mut self.written, text);
    }

    /// Writes a whole number.
    pub fn write_whole(&mut self, whole: u64) {
        number::write_whole(&mut self.written, whole);
    }

    /// Writes a number; one that is none becomes `null`.
    pub fn write_number(&mut self, value: f64) {
        if !value.is_finite() {
            self.push("null");
        } else if !number::write(&mut self.written, value) {
            let text = (self.numbers.write)(value);
            self.push(&text);
        }
    }
}

/// Writes `text` in quotation marks, as JSON has it.
pub fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let letter = match byte {
            b'"' | b'\\' => byte,
            0x8 => b'b',
            0x9 => b't',
            0xA => b'n',
            0xC => b'f',
            0xD => b'r',
            0..0x20 => b'u',
            _ => continue,
        };
        out.push_str(&text[from..at]);
        from = at + 1;
        out.push('\\');
        out.push(char::from(letter));
        if letter == b'u' {
            out.push_str(if byte < 0x10 { "000" } else { "001" });
            out.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        }
    }
    out.push_str(&text[from..]);
    out.push('"');
}
