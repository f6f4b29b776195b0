//! Selectors: making several for an element, and resolving them over a snapshot.
