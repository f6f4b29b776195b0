//! Step 2E: names that HTML and SVG give by their own means (HTML-AAM 4.1, SVG-AAM).

use super::{Step, Through, Walk, collapse};
use crate::role;
use crate::snapshot::{Flags, Kind, NodeId, Symbol, sym};

impl Walk<'_> {
    /// The name that the element's own language gives it; `None` leaves it to content and title.
    pub(super) fn native(&mut self, id: NodeId, role: &str, step: Step) -> Option<String> {
        let snapshot = self.snapshot;
        let tag = snapshot.node(id).tag;
        if matches!(role, "none") && !matches!(tag, sym::INPUT) {
            return None;
        }
        // A label names its control; it is not asked while it tells its own content.
        if step.through != Through::Label
            && snapshot.is_labelable(id)
            && let Some(label) = self.label_texts(id, step)
        {
            return Some(label);
        }
        match tag {
            sym::INPUT => self.input(id),
            sym::TEXTAREA => self.title_or_placeholder(id),
            sym::IMG | sym::IMAGE_TAG | sym::AREA => self.given(id, sym::ALT),
            sym::FIELDSET => self.child_text(id, sym::LEGEND, step),
            sym::TABLE => self.child_text(id, sym::CAPTION, step),
            sym::FIGURE => self.child_text(id, sym::FIGCAPTION, step),
            sym::OPTGROUP => self.given(id, sym::LABEL),
            sym::OPTION => self.given(id, sym::LABEL).or_else(|| {
                let text = self.content(id, step);
                (!text.trim().is_empty()).then_some(text)
            }),
            sym::HTML => (!snapshot.title.is_empty()).then(|| snapshot.title.clone()),
            _ if snapshot.flags(id).has(Flags::SVG) => self.svg(id),
            _ => None,
        }
    }

    fn given(&self, id: NodeId, name: Symbol) -> Option<String> {
        self.filled(id, name).map(str::to_owned)
    }

    fn label_texts(&mut self, id: NodeId, step: Step) -> Option<String> {
        let mut texts = Vec::new();
        for label in self.snapshot.labels(id) {
            let hidden = self.is_hidden(label) || self.snapshot.flags(label).has(Flags::HIDDEN);
            let next = Step { through: Through::Label, hidden_counts: hidden, depth: step.depth + 1 };
            let text = collapse(&self.compute(label, next).text);
            if !text.is_empty() {
                texts.push(text);
            }
        }
        (!texts.is_empty()).then(|| texts.join(" "))
    }

    fn child_text(&mut self, id: NodeId, tag: Symbol, step: Step) -> Option<String> {
        let child = self.snapshot.children(id).find(|child| self.snapshot.is(*child, tag))?;
        let next = Step { through: Through::Label, hidden_counts: false, depth: step.depth + 1 };
        let text = self.compute(child, next).text;
        (!text.trim().is_empty()).then_some(text)
    }

    fn input(&mut self, id: NodeId) -> Option<String> {
        match role::input_type(self.snapshot, id) {
            "button" => self.given(id, sym::VALUE),
            "submit" => Some(self.given(id, sym::VALUE).unwrap_or_else(|| "Submit".to_owned())),
            "reset" => Some(self.given(id, sym::VALUE).unwrap_or_else(|| "Reset".to_owned())),
            "image" => Some(
                self.given(id, sym::ALT)
                    .or_else(|| self.given(id, sym::VALUE))
                    .or_else(|| self.given(id, sym::TITLE))
                    .unwrap_or_else(|| "Submit".to_owned()),
            ),
            "checkbox" | "radio" | "range" | "color" | "file" | "hidden" => None,
            _ => self.title_or_placeholder(id),
        }
    }

    fn title_or_placeholder(&self, id: NodeId) -> Option<String> {
        self.given(id, sym::TITLE).or_else(|| self.given(id, sym::PLACEHOLDER))
    }

    /// An SVG element is named by its own first `<title>`, an SVG link also by its `xlink:title`.
    fn svg(&self, id: NodeId) -> Option<String> {
        let snapshot = self.snapshot;
        let title = snapshot.children(id).find(|child| snapshot.is(*child, sym::TITLE))?;
        let texts: String = snapshot
            .subtree(title)
            .filter(|node| snapshot.node(*node).kind == Kind::Text)
            .map(|node| snapshot.text(node))
            .collect();
        (!texts.trim().is_empty()).then_some(texts)
    }
}
