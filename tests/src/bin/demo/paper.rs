//! What the demo prints on.

use cairn_tests::say::say;

/// Lines for people, without colours where nobody sees them.
pub struct Paper;

impl Paper {
    /// One line.
    pub fn line(&self, text: &str) {
        say(text);
    }

    /// A heading of a new act.
    pub fn act(&self, text: &str) {
        self.line(&format!("\n\x1b[1m{text}\x1b[0m"));
    }

    /// A line of an act.
    pub fn note(&self, text: &str) {
        self.line(&format!("  {text}"));
    }
}
