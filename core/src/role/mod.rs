//! Roles over a snapshot, by HTML-AAM and WAI-ARIA.

mod aria;
mod class;
mod implicit;

pub use aria::{children_presentational, is_known, names_from_content, prohibits_naming};
pub use class::{is_landmark, is_widget};

use crate::snapshot::{NodeId, Snapshot, sym};

/// The role that a person's software would be told: the authored one where it is valid, else the element's own.
/// `generic` for what has none, `none` for what its author took out.
pub fn of(snapshot: &Snapshot, id: NodeId) -> &str {
    if let Some(authored) = authored(snapshot, id) {
        return authored;
    }
    implicit::of(snapshot, id)
}

/// The first valid token of `role`, resolved against what the element can do. `None` leaves it to the element's own.
fn authored(snapshot: &Snapshot, id: NodeId) -> Option<&'static str> {
    let value = snapshot.attribute(id, sym::ROLE)?;
    for token in value.split_ascii_whitespace() {
        let Some(role) = aria::canonical(token) else { continue };
        // Conflict resolution: what can be focused, or carries a global ARIA attribute, stays in the tree.
        if role == "none" && keeps_role(snapshot, id) {
            return None;
        }
        // A region or a form without a name is none.
        if matches!(role, "region" | "form") && !has_author_name(snapshot, id) {
            continue;
        }
        return Some(role);
    }
    None
}

/// The first valid role that the author wrote, before conflicts are resolved.
pub fn written(snapshot: &Snapshot, id: NodeId) -> Option<&'static str> {
    snapshot.attribute(id, sym::ROLE)?.split_ascii_whitespace().find_map(aria::canonical)
}

fn keeps_role(snapshot: &Snapshot, id: NodeId) -> bool {
    is_focusable(snapshot, id)
        || snapshot.attributes_of(id).any(|(name, value)| aria::is_global(name) && !value.is_empty())
}

/// True where a name was given to it by attributes.
pub fn has_author_name(snapshot: &Snapshot, id: NodeId) -> bool {
    let filled = |name| snapshot.attribute(id, name).is_some_and(|value| !value.trim().is_empty());
    filled(sym::ARIA_LABEL)
        || filled(sym::TITLE)
        || filled(sym::LABELLED_BY_NODES)
        || snapshot
            .attribute(id, sym::ARIA_LABELLEDBY)
            .is_some_and(|ids| ids.split_ascii_whitespace().any(|other| snapshot.by_id(id, other).is_some()))
}

/// True where the keyboard or a click can give it the focus.
pub fn is_focusable(snapshot: &Snapshot, id: NodeId) -> bool {
    if is_natively_disabled(snapshot, id) {
        return false;
    }
    snapshot.attribute(id, sym::TABINDEX).is_some_and(|value| value.trim().parse::<i32>().is_ok())
        || is_natively_interactive(snapshot, id)
        || is_editing_host(snapshot, id)
}

/// True for links, buttons, fields, summaries and the like, without regard to ARIA.
pub fn is_natively_interactive(snapshot: &Snapshot, id: NodeId) -> bool {
    match snapshot.node(id).tag {
        sym::A => snapshot.has_attribute(id, sym::HREF) || snapshot.has_attribute(id, sym::XLINK_HREF),
        sym::AREA => snapshot.has_attribute(id, sym::HREF),
        sym::BUTTON | sym::SELECT | sym::TEXTAREA => true,
        sym::INPUT => input_type(snapshot, id) != "hidden",
        sym::SUMMARY => is_details_summary(snapshot, id),
        sym::AUDIO | sym::VIDEO => snapshot.has_attribute(id, sym::CONTROLS),
        _ => false,
    }
}

/// True for the first summary of a `<details>`.
pub fn is_details_summary(snapshot: &Snapshot, id: NodeId) -> bool {
    snapshot.is(id, sym::SUMMARY)
        && snapshot.parent(id).is_some_and(|parent| {
            snapshot.is(parent, sym::DETAILS)
                && snapshot.children(parent).find(|child| snapshot.is(*child, sym::SUMMARY)) == Some(id)
        })
}

/// True where text can be typed into the element itself because of `contenteditable`.
pub fn is_editing_host(snapshot: &Snapshot, id: NodeId) -> bool {
    snapshot
        .attribute(id, sym::CONTENTEDITABLE)
        .is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "" | "true" | "plaintext-only"))
}

/// The lower-case type of an `<input>`; `text` where it is none of HTML's.
pub fn input_type(snapshot: &Snapshot, id: NodeId) -> &'static str {
    const TYPES: &[&str] = &[
        "button",
        "checkbox",
        "color",
        "date",
        "datetime-local",
        "email",
        "file",
        "hidden",
        "image",
        "month",
        "number",
        "password",
        "radio",
        "range",
        "reset",
        "search",
        "submit",
        "tel",
        "text",
        "time",
        "url",
        "week",
    ];
    let written = snapshot.attribute(id, sym::TYPE).unwrap_or("text");
    TYPES.iter().find(|known| known.eq_ignore_ascii_case(written)).copied().unwrap_or("text")
}

/// `disabled` on a control, or a disabled fieldset (its first legend apart) or optgroup around it.
pub fn is_natively_disabled(snapshot: &Snapshot, id: NodeId) -> bool {
    let node = snapshot.node(id);
    let can = matches!(
        node.tag,
        sym::BUTTON | sym::INPUT | sym::SELECT | sym::TEXTAREA | sym::OPTION | sym::OPTGROUP | sym::FIELDSET
    );
    if !can {
        return false;
    }
    if snapshot.has_attribute(id, sym::DISABLED) {
        return true;
    }
    if node.tag == sym::OPTION {
        return snapshot.parent(id).is_some_and(|parent| {
            snapshot.is(parent, sym::OPTGROUP) && snapshot.has_attribute(parent, sym::DISABLED)
        });
    }
    if !snapshot.is_in_disabled_fieldset(id) {
        return false;
    }
    let mut below = id;
    for up in snapshot.ancestors(id) {
        if snapshot.is(up, sym::FIELDSET) && snapshot.has_attribute(up, sym::DISABLED) {
            let legend = snapshot.children(up).find(|child| snapshot.is(*child, sym::LEGEND));
            if legend != Some(below) {
                return true;
            }
        }
        below = up;
    }
    false
}

/// Disabled natively, or by `aria-disabled` here or above.
pub fn is_disabled(snapshot: &Snapshot, id: NodeId) -> bool {
    is_natively_disabled(snapshot, id) || snapshot.is_aria_disabled(id)
}
