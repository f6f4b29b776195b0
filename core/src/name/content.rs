//! Step 2F: names from content, and step 2C: the values of controls inside it.

use super::text::{generated, rendered};
use super::{LIMIT, Piece, Step, Through, Walk};
use crate::role;
use crate::snapshot::{Display, Flags, Kind, NodeId, sym};

impl Walk<'_> {
    /// The texts of what an element holds, in the flat tree, then of what it owns.
    pub(super) fn content(&mut self, id: NodeId, step: Step) -> String {
        let snapshot = self.snapshot;
        let mut out = String::new();
        let mut break_after = false;
        let plain = snapshot.has_plain_children(id);
        let listed = if plain { Vec::new() } else { snapshot.flat_children(id) };
        let children = snapshot.children(id).take_while(|_| plain).chain(listed);
        for child in children {
            if out.len() > LIMIT {
                break;
            }
            let flags = snapshot.flags(child);
            if flags.has(Flags::GAP_BEFORE) {
                out.push(' ');
            }
            // What is owned elsewhere is told there.
            if snapshot.owner(child).is_some_and(|owner| owner != id) {
                continue;
            }
            if !break_after && self.is_shown_as_written(child) {
                out.push_str(snapshot.text(child));
                continue;
            }
            let (piece, block) = self.child(child, step);
            if block || break_after || piece.apart {
                space(&mut out);
            }
            out.push_str(&piece.text);
            break_after = block || piece.apart && !piece.text.is_empty();
        }
        if break_after {
            space(&mut out);
        }
        if snapshot.flags(id).has(Flags::GAP_AT_END) {
            out.push(' ');
        }
        let owned = snapshot.attribute(id, sym::ARIA_OWNS).unwrap_or_default();
        for other in owned.split_ascii_whitespace().filter_map(|other| snapshot.by_id(id, other)) {
            if snapshot.owner(other) == Some(id) {
                space(&mut out);
                let piece = self.compute(other, below(step));
                out.push_str(&piece.text);
            }
        }
        out
    }

    /// A text that is visible and in no other case than it was written in.
    fn is_shown_as_written(&self, child: NodeId) -> bool {
        const OTHER: u32 = Flags::UPPERCASE | Flags::LOWERCASE | Flags::CAPITALIZE | Flags::HIDDEN;
        let node = self.snapshot.node(child);
        let holder = self.snapshot.parent(child).map(|holder| self.snapshot.flags(holder));
        node.kind == Kind::Text
            && node.flags.0 & OTHER == 0
            && !holder.is_some_and(|holder| holder.has(Flags::INVISIBLE))
    }

    /// One child's text, and whether it stands on lines of its own.
    fn child(&mut self, child: NodeId, step: Step) -> (Piece, bool) {
        let snapshot = self.snapshot;
        let flags = snapshot.flags(child);
        match snapshot.node(child).kind {
            Kind::Text => {
                let holder_hidden =
                    snapshot.parent(child).is_some_and(|holder| snapshot.flags(holder).has(Flags::INVISIBLE));
                if flags.has(Flags::HIDDEN) || holder_hidden && !step.hidden_counts {
                    return (Piece::default(), false);
                }
                (Piece::plain(rendered(snapshot.text(child), flags)), false)
            }
            Kind::Before | Kind::After => {
                let block = flags.display() != Display::Inline;
                (Piece::plain(rendered(&generated(snapshot.text(child)), flags)), block)
            }
            Kind::Shadow => (Piece::default(), false),
            Kind::Element if snapshot.is(child, sym::BR) => (Piece::default(), true),
            // A word may break here: the browser tells a space.
            Kind::Element if snapshot.is(child, sym::WBR) => (Piece::plain(" ".into()), false),
            Kind::Element => {
                let block =
                    !matches!(flags.display(), Display::Inline | Display::Contents) && !self.is_hidden(child);
                // `visibility: hidden` may hold what is visible again.
                if !step.hidden_counts && flags.has(Flags::INVISIBLE) && !flags.has(Flags::HIDDEN) {
                    return (Piece::plain(self.content(child, below(step))), block);
                }
                (self.compute(child, below(step)), block)
            }
        }
    }

    /// Step 2C: a control inside what is told counts with its value.
    pub(super) fn embedded_value(&mut self, id: NodeId, role: &str, step: Step) -> Option<String> {
        let snapshot = self.snapshot;
        match role {
            "textbox" | "searchbox" => {
                let value = self.text_value(id);
                // An empty field is told by its label.
                (!value.is_empty()).then_some(value)
            }
            "combobox" | "listbox" => self.chosen(id, step),
            "spinbutton" | "slider" | "scrollbar" | "progressbar" | "meter" => {
                let range = snapshot
                    .attribute(id, sym::ARIA_VALUETEXT)
                    .or_else(|| snapshot.attribute(id, sym::ARIA_VALUENOW))
                    .or_else(|| snapshot.attribute(id, sym::VALUE_NOW))
                    .or_else(|| snapshot.attribute(id, sym::VALUE));
                match (role, range) {
                    ("progressbar" | "meter", None) => None,
                    (_, value) => Some(value.unwrap_or_default().to_owned()),
                }
            }
            _ => None,
        }
    }

    fn text_value(&mut self, id: NodeId) -> String {
        let snapshot = self.snapshot;
        if snapshot.is(id, sym::INPUT) && role::input_type(snapshot, id) == "password" {
            return String::new();
        }
        match snapshot.attribute(id, sym::VALUE_NOW) {
            Some(value) => value.to_owned(),
            None => super::content(snapshot, id),
        }
    }

    /// What is chosen in a combobox or listbox.
    fn chosen(&mut self, id: NodeId, step: Step) -> Option<String> {
        let snapshot = self.snapshot;
        if snapshot.is(id, sym::INPUT) {
            return Some(self.text_value(id));
        }
        let native = snapshot.is(id, sym::SELECT);
        let mut lists = vec![id];
        // A combobox that owns or controls its listbox shows what is chosen there.
        for name in [sym::ARIA_OWNS, sym::ARIA_CONTROLS] {
            let ids = snapshot.attribute(id, name).unwrap_or_default();
            lists.extend(ids.split_ascii_whitespace().filter_map(|other| snapshot.by_id(id, other)));
        }
        let mut texts = Vec::new();
        for list in lists {
            for option in snapshot.subtree(list).skip(1) {
                let node = snapshot.node(option);
                let chosen = if native {
                    node.tag == sym::OPTION && node.flags.has(Flags::SELECTED)
                } else {
                    node.kind == Kind::Element
                        && snapshot.attribute(option, sym::ARIA_SELECTED) == Some("true")
                        && role::of(snapshot, option) == "option"
                };
                if chosen {
                    texts.push(
                        self.compute(
                            option,
                            Step { through: Through::Content, hidden_counts: true, depth: step.depth + 1 },
                        )
                        .text,
                    );
                }
            }
        }
        if texts.is_empty() && !native {
            let own = super::content(snapshot, id);
            return role::written(snapshot, id).filter(|_| !own.is_empty()).map(|_| own);
        }
        Some(texts.join(" "))
    }
}

fn below(step: Step) -> Step {
    let through = if step.through == Through::Itself { Through::Content } else { step.through };
    Step { through, depth: step.depth + 1, ..step }
}

fn space(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}
