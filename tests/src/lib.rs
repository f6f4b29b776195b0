//! The demo driver and the test harness.
