//! Conducts a batch of steps.
