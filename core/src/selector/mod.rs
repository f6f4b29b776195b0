//! Selectors: making several for an element, and resolving them over a snapshot.
//!
//! A selector is text, `kind=value`:
//!
//! | kind | value | looks in |
//! |---|---|---|
//! | `testid` | value of a test id attribute | every tree of the frame |
//! | `role` | `button[name="Save"]`, names compared in normalised form | every tree of the frame |
//! | `id`, `name` | value of that attribute | every tree of the frame |
//! | `link` | path and query of a link's target | every tree of the frame |
//! | `css` | a CSS selector | one tree; ` >> ` goes on in the shadow root of what was found |
//! | `xpath` | `/html[1]/body[1]/…` | one tree; ` >> ` likewise |

mod css;
mod link;
mod make;
mod path;
mod resolve;

pub use link::link_path;
pub use make::{Maker, make};
pub use path::Paths;
pub(crate) use path::push_number;
pub use resolve::{Parsed, SHADOW, parse, resolve, resolve_parsed};
