//! The interactive elements of a snapshot: which they are, and each as the index lists it.

mod affordance;
mod entry;
mod state;
mod usable;

pub use affordance::{Affordance, adopt, find, find_again};
pub use entry::{Entries, Lister, Options, entries, told};
pub use state::{is_secret, states};
pub use usable::{describe, usable};
