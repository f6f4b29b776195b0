//! Heal cases reduced from public reports, as element lists: the page before, the page after, and the only right verdict.
//!
//! `public` holds the cases as they were reported (numbers as in the collection), `siblings` what else is of their kind.

mod page;
mod public;
mod siblings;
