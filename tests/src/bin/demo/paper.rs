//! What the demo prints on.

use std::io::Write as _;

/// Lines for people, without colours where nobody sees them.
pub struct Paper;

impl Paper {
    /// One line.
    pub fn line(&self, text: &str) {
        // Nobody reads: nothing to do about it.
        let _ = writeln!(anstream::stdout(), "{text}");
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
