//! The probe: the eyes and hands of Cairn in one frame of a page. Exports only.

mod act;
mod build;
mod check;
mod eyes;
mod mask;
mod page;
mod play;
mod wait;
mod watch;
