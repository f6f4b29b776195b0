//! Answers in the words and the length that an agent can use.

use cairn_core::wire::WireError;
use rmcp::model::{CallToolResult, ContentBlock};

use crate::engine::browse::Seen;
use crate::exit::Failure;

/// Lines of a list at most: what is left out is said.
const MOST_LINES: usize = 400;

/// A good answer.
pub(super) fn said(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// An answer that says what went wrong, and what to do next.
pub(super) fn failed(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// A failure of the engine.
pub(super) fn failure(failure: &Failure) -> CallToolResult {
    let next = if failure.next.is_empty() { String::new() } else { format!("\nnext: {}", failure.next) };
    failed(format!("{}{next}", failure.message))
}

/// A failure of the page.
pub(super) fn wire(error: &WireError) -> CallToolResult {
    let next = if error.hint.is_empty() { String::new() } else { format!("\nnext: {}", error.hint) };
    failed(format!("{}{next}", error.message))
}

/// The whole page.
pub(super) fn page(seen: &Seen) -> String {
    format!("{}\n{}", head(seen), list(&seen.lines, seen.cut))
}

/// What an act changed; the whole page where most of it is new.
pub(super) fn changes(seen: &Seen) -> String {
    let few = (seen.appeared.len() + seen.vanished.len()) * 2 <= seen.lines.len();
    if !few {
        return page(seen);
    }
    let mark =
        |mark: &str, lines: &[String]| lines.iter().map(|line| format!("{mark} {line}")).collect::<Vec<_>>();
    let mut changed = mark("-", &seen.vanished);
    changed.extend(mark("+", &seen.appeared));
    if changed.is_empty() {
        return format!("{}\nnothing in the list changed", head(seen));
    }
    format!("{}\nchanged ({} elements in all):\n{}", head(seen), seen.lines.len(), list(&changed, false))
}

fn head(seen: &Seen) -> String {
    let missing = seen.missing.iter().map(|missing| format!("\n(not read: what is in {missing})"));
    format!("page: {} ({}){}", seen.title, seen.url, missing.collect::<String>())
}

fn list(lines: &[String], cut: bool) -> String {
    let mut shown: Vec<String> = lines.iter().take(MOST_LINES).cloned().collect();
    if lines.len() > MOST_LINES {
        shown.push(format!("({} more are left out)", lines.len() - MOST_LINES));
    }
    if cut {
        shown.push("(the page is too large: the list is cut)".into());
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| format!("button \"{name}\"")).collect()
    }

    #[test]
    fn a_small_change_is_told_alone() {
        let seen = Seen {
            url: "http://a/".into(),
            title: "A".into(),
            lines: lines(&["a", "b", "c", "d", "e"]),
            appeared: lines(&["e"]),
            vanished: lines(&["x"]),
            cut: false,
            missing: Vec::new(),
        };
        assert_eq!(
            changes(&seen),
            "page: A (http://a/)\nchanged (5 elements in all):\n- button \"x\"\n+ button \"e\""
        );
        let other_page = Seen { appeared: seen.lines.clone(), ..seen.clone() };
        assert_eq!(changes(&other_page), page(&seen));
        let silent = Seen { missing: vec!["frame 0: it is still loading".into()], ..seen.clone() };
        assert!(changes(&silent).contains("(not read: what is in frame 0: it is still loading)"));
        let nothing = Seen { appeared: vec![], vanished: vec![], ..seen };
        assert!(changes(&nothing).ends_with("nothing in the list changed"));
    }
}
