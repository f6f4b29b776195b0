//! Performs actions, one file a method.
