//! What a verb prints: data on stdout, everything else on stderr. The only file that writes to either.

use std::io::{IsTerminal as _, Write as _};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::json;

use crate::engine::api::line;
use crate::exit::Failure;

/// Where a verb prints.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    json: bool,
}

impl Output {
    /// Data as JSON, or as text for people.
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// Is `--json` on?
    pub fn is_json(self) -> bool {
        self.json
    }

    /// One line of data as JSON, `schemaVersion` first.
    pub fn data(self, data: &impl Serialize) {
        self.line(&line(data));
    }

    /// One line of text on stdout, as it is.
    pub fn line(self, text: &str) {
        // A reader that has gone away is no error of ours.
        let _ = writeln!(anstream::stdout().lock(), "{text}").and_then(|()| std::io::stdout().flush());
    }

    /// One line for people on stderr.
    pub fn note(self, text: &str) {
        let _ = writeln!(anstream::stderr().lock(), "{text}");
    }

    /// A bar of so many steps on stderr: only on a terminal that somebody looks at.
    pub fn progress(self, name: &str, steps: u64) -> Option<ProgressBar> {
        let watched = !self.json && std::io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        watched.then(|| {
            let bar = ProgressBar::new(steps).with_message(name.to_owned());
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {elapsed}");
            style.map_or(bar.clone(), |style| bar.with_style(style))
        })
    }

    /// An error: what, where, what to do next. Under `--json` it is one object on stdout, as the data would have been.
    pub fn failure(self, failure: &Failure) {
        if self.json {
            self.data(&json!({"error": {
                "kind": failure.kind,
                "message": failure.message,
                "place": failure.place,
                "next": failure.next,
                "exitCode": failure.kind.exit() as u8,
            }}));
            return;
        }
        let mut stderr = anstream::stderr().lock();
        let _ = writeln!(stderr, "\x1b[1;31merror\x1b[0m: {}", indented(&plain(&failure.message)));
        if !failure.place.is_empty() {
            let _ = writeln!(stderr, " \x1b[36mwhere\x1b[0m: {}", indented(&plain(&failure.place)));
        }
        if !failure.next.is_empty() {
            let _ = writeln!(stderr, "  \x1b[32mnext\x1b[0m: {}", indented(&plain(&failure.next)));
        }
    }
}

/// A warning for people on stderr.
pub fn warn(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "warning: {}", plain(text));
}

/// Text that came from a page or a file, fit for a terminal: control characters and what turns the direction of writing
/// become a space or nothing; line breaks stay.
pub fn plain(text: &str) -> String {
    text.chars()
        .filter_map(|letter| match letter {
            '\n' => Some('\n'),
            '\t' | '\r' => Some(' '),
            '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
            letter if letter.is_control() => None,
            letter => Some(letter),
        })
        .collect()
}

/// May stderr have colours?
pub fn stderr_has_colour() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && std::io::stderr().is_terminal()
}

fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n       ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_a_page_do_not_reach_the_terminal() {
        assert_eq!(plain("a\u{1b}[31mb\u{7}\tc\u{202e}d\u{9b}2J\nE"), "a[31mb cd2J\nE");
        assert_eq!(plain("Überweisung — 1 €"), "Überweisung — 1 €");
    }
}
