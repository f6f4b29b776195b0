//! Reads the DOM, keeps the index, the refs and the mutation feed.
