//! End to end: a real Chromium with the extension and the real daemon. One browser at a time.
#![expect(clippy::unwrap_used, reason = "a test fails by it")]

mod adversity;
mod agent;
mod agent_tasks;
mod attached;
mod bad_input;
mod cases;
mod demo;
mod early;
mod extension;
mod faults;
mod frames;
mod hard_pages;
mod hostile;
mod journal;
mod killed;
mod model;
mod model_bounds;
mod operator;
mod person;
mod probe;
mod scratch;
mod worker;
