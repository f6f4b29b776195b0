//! Turns a person's trusted events into steps.
