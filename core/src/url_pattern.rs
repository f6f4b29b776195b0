//! URL patterns: exact, globs, inputs; generalising a recorded URL.
