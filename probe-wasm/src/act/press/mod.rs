//! Keys: the events of a stroke, and what a browser does by default after them. It does none of that for events that a
//! script sends, except for clicks: so it is done here.

mod activate;
mod arrows;
mod dismiss;
pub(super) mod keys;
pub(super) mod stroke;
mod tab_order;

pub use stroke::ready_for_keys;
