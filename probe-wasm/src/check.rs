//! Evaluates conditions over a view of the page.
