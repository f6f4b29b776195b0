//! The page as a model is shown it: one line an element, and its scope only where that tells it from its twins.

use std::sync::Arc;

use cairn_core::element::Element;
use cairn_core::wire::WireError;
use cairn_core::wire::page::Listing;

use crate::engine::browse::{Browsing, plain_line};
use crate::engine::lines::clean;
use crate::engine::sight::Sight;
use crate::model::Glance;

/// Characters of a URL: a query of a thousand says nothing.
const LONGEST_URL: usize = 200;

/// How a page is to be looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looking {
    /// Elements are listed.
    pub grounding: bool,
    /// Also what lies outside the viewport, and what the page says.
    pub all: bool,
    /// With a picture.
    pub picture: bool,
}

/// What was seen: what the model is told, and what its answer is measured by.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// For the model.
    pub glance: Glance,
    /// The elements in the order of their numbers.
    pub elements: Vec<Element>,
    /// The page as a whole.
    pub sight: Sight,
}

/// Looks. A page that cannot be listed gives an empty list with the reason, and a picture: grounding degrades to coordinates.
///
/// # Errors
/// Where there is neither a list nor a picture.
pub async fn look(browsing: &Browsing, looking: Looking) -> Result<Looked, WireError> {
    let mut looked = Looked::default();
    let tabs = browsing.tabs();
    if tabs.len() > 1 {
        looked.glance.tabs =
            tabs.iter().map(|(number, url)| format!("tab {number}: {}", clean(url))).collect();
    }
    if let Some(dialog) = browsing.dialog() {
        looked.glance.dialog = Some(format!("{} \"{}\"", dialog.kind, clean(&dialog.message)));
        looked.sight.url = browsing.lease().url().unwrap_or_default();
        looked.glance.url.clone_from(&looked.sight.url);
        return Ok(looked);
    }
    let mut note = None;
    if looking.grounding {
        match browsing.settled(looking.all).await {
            Ok(listing) => note = looked.take(listing),
            Err(error) => {
                tracing::debug!("the page could not be listed: {error}");
                note = Some(format!("the page could not be listed: {}", error.message));
            }
        }
    }
    match browsing.sight().await {
        Ok(sight) => looked.sight = sight,
        Err(error) if looked.elements.is_empty() && note.is_none() => {
            note = Some(format!("the page does not answer: {}", error.message));
        }
        Err(_) => {}
    }
    let blind = looked.elements.is_empty() && (note.is_some() || !looking.grounding);
    if looking.picture || blind {
        match browsing.picture().await {
            Ok(png) => looked.glance.picture = Some(Arc::from(png)),
            Err(error) if blind => return Err(error),
            Err(error) => note = Some(format!("there is no picture: {}", error.message)),
        }
    }
    let sight = &looked.sight;
    looked.glance.url = sight.url.chars().take(LONGEST_URL).collect();
    looked.glance.title.clone_from(&sight.title);
    looked.glance.texts.clone_from(&sight.told);
    if looking.all {
        looked.glance.texts.extend(sight.text.iter().cloned());
    }
    looked.glance.note = note;
    Ok(looked)
}

impl Looked {
    /// Takes a listing over; why it is not whole.
    fn take(&mut self, listing: Listing) -> Option<String> {
        let cut = listing.truncated.then(|| "the page is too large: the list is cut".to_owned());
        self.elements = listing.elements.into_iter().map(|listed| listed.element).collect();
        self.glance.lines = lines(&self.elements);
        if self.elements.is_empty() && listing.loading {
            return Some("the page is still being loaded".to_owned());
        }
        cut
    }

    /// What the page is recognised by when nothing came of an act.
    pub fn signature(&self) -> String {
        let dialog = self.glance.dialog.as_deref().unwrap_or_default();
        let (lines, texts) = (self.glance.lines.join("\n"), self.glance.texts.join("\n"));
        format!("{}\n{dialog}\n{lines}\n{texts}", self.sight.url)
    }
}

/// One line an element. The scope stands only where another line would read the same.
pub fn lines(elements: &[Element]) -> Vec<String> {
    let plain: Vec<String> = elements.iter().map(plain_line).collect();
    let is_twin = |at: usize| {
        elements.iter().enumerate().any(|(other, element)| {
            other != at && element.role == elements[at].role && element.name == elements[at].name
        })
    };
    let with_place = |(at, line): (usize, &String)| {
        let element = &elements[at];
        if !is_twin(at) {
            return line.clone();
        }
        let beside = element.row_key.as_ref().or(element.scope.as_ref().map(|scope| &scope.label));
        let beside = beside.or(element.heading.as_ref()).or(element.beside.as_ref());
        beside.map_or_else(|| line.clone(), |beside| format!("{line} in {}", clean(beside)))
    };
    plain.iter().enumerate().map(with_place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::element::Scope;

    #[test]
    fn only_twins_say_where_they_stand() {
        let button = |name: &str, scope: &str| Element {
            role: "button".into(),
            name: name.into(),
            scope: Some(Scope { label: scope.into(), weak: false }),
            ..Element::default()
        };
        let all =
            lines(&[button("Edit", "row:Ada"), button("Save", "form:Profile"), button("Edit", "row:Bob")]);
        assert_eq!(all, ["button \"Edit\" in row:Ada", "button \"Save\"", "button \"Edit\" in row:Bob"]);
    }
}
