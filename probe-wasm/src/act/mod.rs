//! Performs actions, one file a method. Nothing here waits or judges: the player has done both before it comes here.

mod choose;
mod drag;
mod editable;
mod event;
mod field;
mod fill;
mod focus;
mod perform;
mod pointer;
mod press;
mod tick;
mod upload;

pub use choose::{Wanted, chosen_labels};
pub use drag::is_carried;
pub use editable::text_of as editor_text;
pub use event::Aim;
pub use field::{is_formatted, value_of};
pub use focus::{commit, leave};
pub use perform::{ActError, Did, Order, carry_out};
pub use pointer::Hands;
pub use press::ready_for_keys;
pub use tick::{Tick, tick_of};

#[cfg(all(test, target_arch = "wasm32"))]
mod tests;
