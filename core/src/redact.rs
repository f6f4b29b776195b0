//! What may never leave.
