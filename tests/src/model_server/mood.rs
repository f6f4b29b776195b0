//! How the server behaves.

use std::time::Duration;

/// How a call is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    /// As the rules say.
    #[default]
    Sound,
    /// As the rules say, after this time.
    Late(Duration),
    /// Well formed, and about another element than the rules would say.
    Wrong,
    /// Well formed, about an element that is not there.
    OutOfRange,
    /// The first half of a good answer.
    HalfJson,
    /// Words and no JSON.
    Chatter,
    /// As the rules say, but as a judge it never agrees.
    Contrary,
    /// Does what the page tells it to do.
    Obedient,
    /// This status and no answer.
    Status(u16),
    /// JSON of no known protocol.
    Foreign,
    /// Nothing, for ever.
    Never,
}
