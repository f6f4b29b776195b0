//! Snapshots from a plain subset of HTML, for tables of cases that need no browser.
//!
//! Tags, quoted and bare attributes, text with the five basic entities, void elements, `<template shadowrootmode>`, and of
//! inline styles what flags hold. No implied tags but `<html><body>` around it all, no style sheets.

use super::{Display, Flags, Kind, NONE, Node, Snapshot, Span, sym};

const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "map", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u",
    "var", "svg", "img", "area", "slot", "output", "canvas", "picture",
];
const INLINE_BLOCK: &[&str] =
    &["button", "input", "select", "textarea", "meter", "progress", "video", "audio"];
const UNRENDERED: &[&str] =
    &["head", "script", "style", "template", "noscript", "title", "meta", "link", "datalist", "base"];

impl Snapshot {
    /// The page that `html` describes.
    pub fn from_html(html: &str) -> Self {
        let mut parser = Parser { snapshot: Self::default(), open: Vec::new(), gap: false };
        parser.open("html", &[]);
        parser.open("body", &[]);
        parser.run(html);
        parser.snapshot.seal();
        parser.snapshot
    }
}

struct Parser {
    snapshot: Snapshot,
    open: Vec<(String, usize)>,
    gap: bool,
}

impl Parser {
    fn run(&mut self, html: &str) {
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            self.text(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix("<!--") {
                rest = after.split_once("-->").map_or("", |(_, after)| after);
                continue;
            }
            let end = tag_end(rest);
            let inside = &rest[1..end];
            rest = rest.get(end + 1..).unwrap_or_default();
            if let Some(name) = inside.strip_prefix('/') {
                self.close(name.trim());
            } else if !inside.starts_with('!') {
                let (name, attributes) = parse_tag(inside.trim_end_matches('/'));
                self.open(&name, &attributes);
                if VOID.contains(&name.as_str()) || inside.ends_with('/') {
                    self.close(&name);
                }
            }
        }
        self.text(rest);
    }

    fn text(&mut self, raw: &str) {
        if raw.trim_matches([' ', '\t', '\n', '\r']).is_empty() {
            self.gap |= !raw.is_empty();
            return;
        }
        let span = self.span(&unescape(raw));
        let mut flags = self.take_gap();
        let mut up = self.parent();
        while let Some(node) = self.snapshot.nodes.get(up as usize) {
            let style = node.flags.0 & (Flags::UPPERCASE | Flags::LOWERCASE | Flags::CAPITALIZE);
            if style != 0 {
                flags |= style;
                break;
            }
            up = node.parent;
        }
        let mut node = Node::new(Kind::Text, self.parent(), 0, Flags(flags));
        node.text = span;
        self.add(node);
    }

    fn open(&mut self, name: &str, attributes: &[(String, String)]) {
        let gap = self.take_gap();
        let shadow = name == "template" && attributes.iter().any(|(name, _)| name == "shadowrootmode");
        let kind = if shadow { Kind::Shadow } else { Kind::Element };
        let mut node = Node::new(kind, self.parent(), 0, Flags(gap));
        node.first_attribute = self.snapshot.attributes.len() as u32;
        let hidden_above =
            self.snapshot.nodes.get(self.parent() as usize).is_some_and(|up| up.flags.has(Flags::HIDDEN));
        if !shadow {
            node.tag = self.snapshot.symbols.intern(name);
            let display = if hidden_above || UNRENDERED.contains(&name) {
                Display::None
            } else {
                default_display(name)
            };
            node.flags = node.flags.with_display(display);
            for (name, value) in attributes {
                let symbol = self.snapshot.symbols.intern(name);
                let span = self.span(value);
                self.snapshot.attributes.push((symbol, span));
                node.flags = styled(node.flags, name, value);
            }
            if matches!(name, "input" | "textarea") {
                let value =
                    attributes.iter().find(|(name, _)| name == "value").map_or("", |(_, value)| value);
                let span = self.span(value);
                self.snapshot.attributes.push((sym::VALUE_NOW, span));
            }
            node.attribute_count = (self.snapshot.attributes.len() - node.first_attribute as usize) as u16;
            if node.flags.display() == Display::None {
                node.flags.0 |= Flags::HIDDEN;
            }
        }
        let at = self.add(node);
        self.open.push((name.to_owned(), at));
    }

    fn close(&mut self, name: &str) {
        if let Some(at) = self.open.iter().rposition(|(open, _)| open == name) {
            for (_, node) in self.open.drain(at..) {
                if self.gap {
                    self.snapshot.nodes[node].flags.0 |= Flags::GAP_AT_END;
                    self.gap = false;
                }
            }
        }
    }

    fn parent(&self) -> u32 {
        self.open.last().map_or(NONE, |(_, node)| *node as u32)
    }

    fn take_gap(&mut self) -> u32 {
        if std::mem::take(&mut self.gap) { Flags::GAP_BEFORE } else { 0 }
    }

    fn span(&mut self, text: &str) -> Span {
        let start = self.snapshot.pool.len() as u32;
        self.snapshot.pool.push_str(text);
        Span { start, end: self.snapshot.pool.len() as u32 }
    }

    fn add(&mut self, mut node: Node) -> usize {
        node.number = self.snapshot.nodes.len() as u32 + 1;
        self.snapshot.nodes.push(node);
        self.snapshot.nodes.len() - 1
    }
}

fn default_display(name: &str) -> Display {
    if INLINE.contains(&name) {
        Display::Inline
    } else if INLINE_BLOCK.contains(&name) {
        Display::InlineBlock
    } else if matches!(name, "td" | "th") {
        Display::TableCell
    } else {
        Display::Block
    }
}

fn styled(mut flags: Flags, name: &str, value: &str) -> Flags {
    match name {
        "hidden" => flags = flags.with_display(Display::None),
        "checked" => flags.0 |= Flags::CHECKED,
        "selected" => flags.0 |= Flags::SELECTED,
        "style" => {
            let value = value.replace(' ', "");
            let says = |text: &str| value.split(';').any(|part| part == text);
            for (text, display) in [
                ("display:none", Display::None),
                ("display:block", Display::Block),
                ("display:inline", Display::Inline),
                ("display:inline-block", Display::InlineBlock),
                ("display:contents", Display::Contents),
            ] {
                if says(text) {
                    flags = flags.with_display(display);
                }
            }
            for (text, bit) in [
                ("visibility:hidden", Flags::INVISIBLE),
                ("opacity:0", Flags::TRANSPARENT),
                ("cursor:pointer", Flags::POINTER),
                ("text-transform:uppercase", Flags::UPPERCASE),
                ("text-transform:capitalize", Flags::CAPITALIZE),
            ] {
                if says(text) {
                    flags.0 |= bit;
                }
            }
        }
        _ => {}
    }
    flags
}

/// Where a tag ends, quotes considered.
fn tag_end(text: &str) -> usize {
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            (None, '>') => return at,
            _ => {}
        }
    }
    text.len()
}

fn parse_tag(inside: &str) -> (String, Vec<(String, String)>) {
    let inside = inside.trim();
    let end = inside.find(char::is_whitespace).unwrap_or(inside.len());
    let mut attributes = Vec::new();
    let mut rest = inside[end..].trim_start();
    while !rest.is_empty() {
        let end = rest.find(|at: char| at == '=' || at.is_whitespace()).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = rest[end..].trim_start();
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|first| matches!(first, '"' | '\''));
            let (taken, left) = match quote {
                Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
                None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
            };
            value = unescape(taken);
            rest = left.trim_start();
        }
        if name.is_empty() {
            break;
        }
        attributes.push((name, value));
    }
    (inside[..end].to_owned(), attributes)
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&nbsp;", "\u{a0}")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_nodes() {
        let page = Snapshot::from_html(
            "<p id=a class='b c'>One <b>two</b></p> <x-host><template shadowrootmode=open><slot></slot></template>light</x-host>",
        );
        let paragraph = page.by_id(0, "a").unwrap();
        assert_eq!(page.attribute(paragraph, sym::CLASS), Some("b c"));
        let children: Vec<_> = page.children(paragraph).collect();
        assert_eq!((page.text(children[0]), page.tag(children[1])), ("One ", "b"));
        let host = (0..page.nodes.len()).find(|node| page.tag(*node) == "x-host").unwrap();
        let root = page.shadow_root(host).unwrap();
        let slot = page.children(root).next().unwrap();
        assert_eq!(page.text(page.flat_children(slot)[0]), "light");
    }
}
