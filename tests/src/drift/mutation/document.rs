//! A page that can be changed, and the mark on the target.

use cairn_core::element::Element;

use super::operator::Right;
use crate::drift::pairs::same_effect;
use crate::drift::task::Truth;

/// Elements in document order; `true` marks the target. No resolver sees the mark.
pub struct Document {
    /// The elements.
    pub nodes: Vec<(Element, bool)>,
}

impl Document {
    /// The page with its target marked.
    pub fn new(page: &[Element], target: usize) -> Self {
        Self {
            nodes: page
                .iter()
                .cloned()
                .enumerate()
                .map(|(place, element)| (element, place == target))
                .collect(),
        }
    }

    /// The target's place.
    pub fn target(&self) -> Option<usize> {
        self.nodes.iter().position(|(_, marked)| *marked)
    }

    /// The target is still there.
    pub fn has_target(&self) -> bool {
        self.target().is_some()
    }

    /// Elements with the role and name of the element at `place`, itself left out.
    pub fn twins_of(&self, place: usize) -> Vec<usize> {
        let element = &self.nodes[place].0;
        let same = |other: &Element| {
            other.role == element.role
                && cairn_core::text::normalise(&other.name) == cairn_core::text::normalise(&element.name)
        };
        (0..self.nodes.len()).filter(|other| *other != place && same(&self.nodes[*other].0)).collect()
    }

    /// Replaces a text wherever it stands around other elements: they are described by what is beside them.
    pub fn rename_around(&mut self, old: &str, new: &str) {
        if old.chars().count() < 3 {
            return;
        }
        for (element, _) in &mut self.nodes {
            for text in
                [&mut element.row_key, &mut element.heading, &mut element.beside].into_iter().flatten()
            {
                *text = text.replace(old, new);
            }
        }
    }

    /// The elements whose path goes through `prefix`.
    pub fn inside(&self, prefix: &str) -> Vec<usize> {
        let within = |path: &str| {
            path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        (0..self.nodes.len()).filter(|place| within(&self.nodes[*place].0.path)).collect()
    }

    /// The path of the ancestor `levels` above the element at `place`.
    pub fn ancestor(&self, place: usize, levels: usize) -> String {
        let path = &self.nodes[place].0.path;
        let mut end = path.len();
        for _ in 0..levels {
            end = path[..end].rfind('/').filter(|at| *at > 0).unwrap_or(end);
        }
        path[..end].to_owned()
    }

    /// The right answer, now that every operator has been applied.
    pub fn truth(&self, right: Right, before: &Element) -> Truth {
        let decline = || {
            let elements: Vec<Element> = self.nodes.iter().map(|(element, _)| element.clone()).collect();
            let marked = self.target();
            let harmless = same_effect(before, &elements).into_iter().filter(|place| Some(*place) != marked);
            Truth::Decline { harmless: harmless.collect() }
        };
        match (right, self.target()) {
            (Right::Heal, Some(place)) => Truth::Heal(place),
            (Right::Either, Some(place)) => Truth::HealOrDecline(place),
            (Right::Decline, _) | (_, None) => decline(),
        }
    }

    /// The elements without the mark.
    pub fn into_elements(self) -> Vec<Element> {
        self.nodes.into_iter().map(|(element, _)| element).collect()
    }
}
