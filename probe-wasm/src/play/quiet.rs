//! How long the page has been unchanged.

use std::rc::Rc;

use crate::eyes::View;
use crate::native;

/// Follows the views of one wait. `Eyes` hands out the same view for as long as nothing changed.
#[derive(Default)]
pub struct Quiet {
    view: Option<Rc<View>>,
    since: f64,
}

impl Quiet {
    /// Milliseconds for which `view` has been what the page looks like.
    pub fn lasts(&mut self, view: &Rc<View>) -> f64 {
        let now = native::now();
        if !self.view.as_ref().is_some_and(|known| Rc::ptr_eq(known, view)) {
            self.view = Some(Rc::clone(view));
            self.since = now;
        }
        now - self.since
    }
}
