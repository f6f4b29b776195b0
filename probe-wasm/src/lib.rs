//! The probe.
