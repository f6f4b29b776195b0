//! The part of CSS that selectors of recorded elements use, over a snapshot.

use crate::snapshot::{Kind, NodeId, Snapshot};
use crate::text;

/// The elements of one tree that match, in document order; `None` where the selector is more than is understood here.
pub(super) fn query(snapshot: &Snapshot, root: NodeId, text: &str) -> Option<Vec<NodeId>> {
    let list = parse(text)?;
    let matches = snapshot
        .subtree(root)
        .filter(|id| {
            snapshot.node(*id).kind == Kind::Element && snapshot.root_of(*id) == snapshot.root_of(root)
        })
        .filter(|id| list.iter().any(|complex| complex.matches(snapshot, *id)))
        .collect();
    Some(matches)
}

/// Compounds from right to left, each with the combinator that stands before it.
struct Complex(Vec<(Compound, Combinator)>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Combinator {
    None,
    Descendant,
    Child,
    Next,
    Later,
}

#[derive(Default)]
struct Compound {
    tag: Option<String>,
    tests: Vec<Test>,
}

enum Test {
    Attribute { name: String, operator: Operator, value: String, fold: bool },
    Nth { of_type: bool, from_end: bool, step: i64, offset: i64 },
    Not(Compound),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Present,
    Equal,
    Prefix,
    Suffix,
    Contains,
    Word,
    Dash,
}

impl Complex {
    fn matches(&self, snapshot: &Snapshot, id: NodeId) -> bool {
        Self::matches_from(&self.0, snapshot, id)
    }

    fn matches_from(parts: &[(Compound, Combinator)], snapshot: &Snapshot, id: NodeId) -> bool {
        let Some(((compound, combinator), rest)) = parts.split_first() else { return true };
        if !compound.matches(snapshot, id) {
            return false;
        }
        let parent = || snapshot.parent(id).filter(|parent| snapshot.node(*parent).kind == Kind::Element);
        match combinator {
            Combinator::None => true,
            Combinator::Child => parent().is_some_and(|parent| Self::matches_from(rest, snapshot, parent)),
            Combinator::Descendant => snapshot
                .ancestors(id)
                .take_while(|up| snapshot.node(*up).kind == Kind::Element)
                .any(|up| Self::matches_from(rest, snapshot, up)),
            Combinator::Next => {
                earlier(snapshot, id).last().is_some_and(|before| Self::matches_from(rest, snapshot, *before))
            }
            Combinator::Later => {
                earlier(snapshot, id).iter().any(|before| Self::matches_from(rest, snapshot, *before))
            }
        }
    }
}

impl Compound {
    fn matches(&self, snapshot: &Snapshot, id: NodeId) -> bool {
        self.tag.as_ref().is_none_or(|tag| snapshot.tag(id).eq_ignore_ascii_case(tag))
            && self.tests.iter().all(|test| test.holds(snapshot, id))
    }
}

impl Test {
    fn holds(&self, snapshot: &Snapshot, id: NodeId) -> bool {
        match self {
            Self::Not(compound) => !compound.matches(snapshot, id),
            Self::Nth { of_type, from_end, step, offset } => {
                let tag = snapshot.node(id).tag;
                let mut siblings = siblings(snapshot, id);
                siblings.retain(|sibling| !of_type || snapshot.node(*sibling).tag == tag);
                if *from_end {
                    siblings.reverse();
                }
                let Some(at) = siblings.iter().position(|sibling| *sibling == id) else { return false };
                let difference = at as i64 + 1 - offset;
                if *step == 0 { difference == 0 } else { difference % step == 0 && difference / step >= 0 }
            }
            Self::Attribute { name, operator, value, fold } => {
                let Some(own) = snapshot.attribute_named(id, name) else { return false };
                let (own, value) = if *fold {
                    (text::lower(own), text::lower(value))
                } else {
                    (own.to_owned(), value.clone())
                };
                match operator {
                    Operator::Present => true,
                    Operator::Equal => own == value,
                    Operator::Prefix => !value.is_empty() && own.starts_with(&value),
                    Operator::Suffix => !value.is_empty() && own.ends_with(&value),
                    Operator::Contains => !value.is_empty() && own.contains(&value),
                    Operator::Word => own.split_ascii_whitespace().any(|word| word == value),
                    Operator::Dash => own == value || own.starts_with(&format!("{value}-")),
                }
            }
        }
    }
}

fn siblings(snapshot: &Snapshot, id: NodeId) -> Vec<NodeId> {
    match snapshot.parent(id) {
        Some(parent) => {
            snapshot.children(parent).filter(|child| snapshot.node(*child).kind == Kind::Element).collect()
        }
        None => vec![id],
    }
}

fn earlier(snapshot: &Snapshot, id: NodeId) -> Vec<NodeId> {
    siblings(snapshot, id).into_iter().take_while(|sibling| *sibling != id).collect()
}

// ---------------------------------------------------------------------------------------------- reading

struct Reader<'a> {
    rest: &'a str,
}

fn parse(text: &str) -> Option<Vec<Complex>> {
    let mut reader = Reader { rest: text.trim() };
    let mut list = vec![reader.complex()?];
    while reader.take(',') {
        reader.space();
        list.push(reader.complex()?);
    }
    reader.rest.is_empty().then_some(list)
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self, character: char) -> bool {
        match self.rest.strip_prefix(character) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn space(&mut self) -> bool {
        let trimmed = self.rest.trim_start();
        let moved = trimmed.len() != self.rest.len();
        self.rest = trimmed;
        moved
    }

    fn complex(&mut self) -> Option<Complex> {
        let mut parts = vec![(self.compound()?, Combinator::None)];
        loop {
            let spaced = self.space();
            let combinator = match self.peek() {
                Some('>') => Combinator::Child,
                Some('+') => Combinator::Next,
                Some('~') => Combinator::Later,
                Some(',') | None => break,
                _ if spaced => Combinator::Descendant,
                _ => return None,
            };
            if combinator != Combinator::Descendant {
                self.rest = &self.rest[1..];
                self.space();
            }
            parts.push((self.compound()?, combinator));
        }
        parts.reverse();
        Some(Complex(parts))
    }

    fn compound(&mut self) -> Option<Compound> {
        let mut compound = Compound::default();
        let mut any = self.take('*');
        if let Some(tag) = self.name() {
            compound.tag = Some(tag);
            any = true;
        }
        loop {
            let test = match self.peek() {
                Some('#') => {
                    self.take('#');
                    attribute("id", Operator::Equal, self.name()?)
                }
                Some('.') => {
                    self.take('.');
                    attribute("class", Operator::Word, self.name()?)
                }
                Some('[') => self.attribute()?,
                Some(':') => self.pseudo()?,
                _ => break,
            };
            compound.tests.push(test);
            any = true;
        }
        any.then_some(compound)
    }

    /// An identifier, escapes resolved.
    fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        while let Some(character) = self.peek() {
            if character.is_alphanumeric() || matches!(character, '-' | '_') || !character.is_ascii() {
                name.push(character);
                self.rest = &self.rest[character.len_utf8()..];
            } else if character == '\\' {
                self.rest = &self.rest[1..];
                name.push(self.escaped()?);
            } else {
                break;
            }
        }
        (!name.is_empty()).then_some(name)
    }

    fn escaped(&mut self) -> Option<char> {
        let digits = self.rest.chars().take(6).take_while(char::is_ascii_hexdigit).count();
        if digits == 0 {
            let character = self.peek()?;
            self.rest = &self.rest[character.len_utf8()..];
            return Some(character);
        }
        let code = u32::from_str_radix(&self.rest[..digits], 16).ok()?;
        self.rest = &self.rest[digits..];
        self.rest = self.rest.strip_prefix(' ').unwrap_or(self.rest);
        char::from_u32(code)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek().filter(|at| matches!(at, '"' | '\''))?;
        self.take(quote);
        let mut text = String::new();
        loop {
            let character = self.peek()?;
            self.rest = &self.rest[character.len_utf8()..];
            match character {
                '\\' => text.push(self.escaped()?),
                _ if character == quote => return Some(text),
                _ => text.push(character),
            }
        }
    }

    fn attribute(&mut self) -> Option<Test> {
        self.take('[');
        self.space();
        let name = self.name()?;
        self.space();
        let operator = match self.peek()? {
            ']' => Operator::Present,
            '=' => Operator::Equal,
            '^' => Operator::Prefix,
            '$' => Operator::Suffix,
            '*' => Operator::Contains,
            '~' => Operator::Word,
            '|' => Operator::Dash,
            _ => return None,
        };
        if operator == Operator::Present {
            self.take(']');
            return Some(attribute(&name, operator, String::new()));
        }
        if operator != Operator::Equal {
            self.rest = &self.rest[1..];
        }
        if !self.take('=') {
            return None;
        }
        self.space();
        let value = self.string().or_else(|| self.name())?;
        self.space();
        let fold = self.take('i') || self.take('I');
        self.space();
        self.take(']').then_some(Test::Attribute { name, operator, value, fold })
    }

    fn pseudo(&mut self) -> Option<Test> {
        self.take(':');
        let name = self.name()?;
        let nth = |of_type, from_end, step, offset| Some(Test::Nth { of_type, from_end, step, offset });
        match name.as_str() {
            "first-child" => return nth(false, false, 0, 1),
            "last-child" => return nth(false, true, 0, 1),
            "first-of-type" => return nth(true, false, 0, 1),
            "last-of-type" => return nth(true, true, 0, 1),
            _ => {}
        }
        if !self.take('(') {
            return None;
        }
        if name == "not" {
            let inner = self.compound()?;
            return self.take(')').then_some(Test::Not(inner));
        }
        let (argument, rest) = self.rest.split_once(')')?;
        self.rest = rest;
        let (step, offset) = read_nth(argument.trim())?;
        match name.as_str() {
            "nth-child" => nth(false, false, step, offset),
            "nth-last-child" => nth(false, true, step, offset),
            "nth-of-type" => nth(true, false, step, offset),
            "nth-last-of-type" => nth(true, true, step, offset),
            _ => None,
        }
    }
}

fn attribute(name: &str, operator: Operator, value: String) -> Test {
    Test::Attribute { name: name.to_owned(), operator, value, fold: false }
}

/// `3`, `odd`, `even`, `2n+1`.
fn read_nth(text: &str) -> Option<(i64, i64)> {
    match text {
        "odd" => return Some((2, 1)),
        "even" => return Some((2, 0)),
        _ => {}
    }
    let Some((step, offset)) = text.split_once('n') else { return Some((0, text.parse().ok()?)) };
    let step = match step.trim() {
        "" | "+" => 1,
        "-" => -1,
        step => step.parse().ok()?,
    };
    let offset: String = offset.split_whitespace().collect();
    Some((step, if offset.is_empty() { 0 } else { offset.trim_start_matches('+').parse().ok()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_find_what_css_would() {
        let page = Snapshot::from_html(
            "<main id=m><ul class='nav big'><li><a href='/a' data-x='one two'>A</a></li><li class=on><a href='/b'>B</a></li></ul><input type=email name='u[0]'></main>",
        );
        for (selector, tags) in [
            ("a", "a a"),
            ("#m > ul > li.on a", "a"),
            ("li:nth-of-type(2) > a[href='/b']", "a"),
            ("ul.nav.big", "ul"),
            ("a[data-x~=\"two\"], input[type=email]", "a input"),
            ("li + li", "li"),
            ("li ~ li > a", "a"),
            ("li:not(.on)", "li"),
            ("input[name=\"u[0]\"]", "input"),
            ("*[href^='/']", "a a"),
            ("li:last-child a", "a"),
            (".missing", ""),
        ] {
            let found = query(&page, 0, selector).unwrap();
            let found: Vec<_> = found.into_iter().map(|id| page.tag(id)).collect();
            assert_eq!(found.join(" "), tags, "{selector}");
        }
        assert!(query(&page, 0, "a:has(b)").is_none());
        assert!(query(&page, 0, "a >").is_none());
    }
}
