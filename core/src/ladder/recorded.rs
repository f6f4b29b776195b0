//! A target as the ladder reads it: names normalised once, what is absent told from what is empty.

use crate::script::Target;
use crate::text::{Bag, Name, looks_generated, normalise};

use super::class::{RoleClass, role_class};
use super::index::TELLING;

/// One target, ready to be compared with many elements.
pub(super) struct Recorded<'t> {
    pub target: &'t Target,
    pub name: Name,
    pub class: RoleClass,
    pub scope: Option<String>,
    pub row: Bag,
    pub heading: Bag,
    pub beside: Bag,
    pub near: Vec<String>,
}

impl<'t> Recorded<'t> {
    pub fn read(target: &'t Target) -> Self {
        let bag = |text: &Option<String>| text.as_deref().map(Bag::read).unwrap_or_default();
        let tag = target.attributes.get("tag").map_or("", String::as_str);
        Self {
            target,
            name: Name::read(&target.name),
            class: role_class(&target.role, tag),
            scope: target.scope.as_deref().map(normalise).filter(|scope| !scope.is_empty()),
            row: bag(&target.row_key),
            heading: bag(&target.heading),
            beside: bag(&target.beside),
            near: target.near_names.iter().flatten().map(|name| normalise(name)).collect(),
        }
    }

    /// An attribute as recorded.
    pub fn attribute(&self, name: &str) -> Option<&'t str> {
        self.target.attributes.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The attributes that may tell it: chosen by somebody, not dealt out by a program.
    pub fn telling(&self) -> impl Iterator<Item = (&'static str, &'t str)> + '_ {
        TELLING
            .into_iter()
            .filter_map(|name| Some((name, self.attribute(name)?)))
            .filter(|(_, value)| !looks_generated(value))
    }

    /// True where it had twins on its own page.
    pub fn had_twins(&self) -> bool {
        self.target.twins.is_some_and(|twins| twins > 1)
    }

    /// True where something with this normalised name stood on the recorded page beside it.
    pub fn stood_near(&self, name: &str) -> bool {
        self.near.iter().any(|near| near == name)
    }

    /// True where the recorded scope is only a fallback label.
    pub fn is_scope_weak(&self) -> bool {
        self.target.scope_weak == Some(true)
    }
}
