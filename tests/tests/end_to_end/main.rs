//! End to end: a real Chromium with the extension and the real daemon. One browser at a time.

mod attached;
mod cases;
mod demo;
mod extension;
mod hard_pages;
mod hostile;
mod journal;
mod killed;
mod person;
mod probe;
mod scratch;
mod worker;
