//! Inputs and %tokens%.
