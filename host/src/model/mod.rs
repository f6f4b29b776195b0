//! Asking a model: which one, what it is told, what it answers, and what that may cost. This room knows no page, no run and no
//! store: plain lines go in, one typed decision comes out.

mod adviser;
mod ask;
mod budget;
mod client;
mod counsel;
mod decision;
mod prompt;
mod settings;

pub use adviser::Adviser;
pub use ask::{Answer, Model, Prompt, Shape, Tokens, Trouble};
pub use budget::{Budget, Limits, Over, Prices, Spent};
pub use client::Client;
pub use counsel::{Counsel, Dismay};
pub use decision::{Act, Agreement, Choice, Claim, Decision, Typed};
pub use prompt::{Briefing, Glance, choosing, deciding, judging};
pub use settings::{Provider, Settings};
