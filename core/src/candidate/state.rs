//! The states of an element that matter for a person and for a check.

use crate::element::{States, Tristate};
use crate::name;
use crate::role;
use crate::snapshot::{Flags, Kind, NodeId, Snapshot, Symbol, sym};

/// Values are cut at this many characters.
const VALUE_LIMIT: usize = 500;
/// Options beyond this number are left out.
const OPTION_LIMIT: usize = 100;

/// True where a field's value is never to be told.
pub fn is_secret(snapshot: &Snapshot, id: NodeId) -> bool {
    if snapshot.is(id, sym::INPUT) && role::input_type(snapshot, id) == "password" {
        return true;
    }
    let hints = snapshot.attribute(id, sym::AUTOCOMPLETE).unwrap_or_default().to_ascii_lowercase();
    hints.split_ascii_whitespace().any(|hint| {
        matches!(hint, "current-password" | "new-password" | "one-time-code") || hint.starts_with("cc-")
    })
}

/// The states of an element with this role.
pub fn states(snapshot: &Snapshot, id: NodeId, role: &str) -> States {
    let flags = snapshot.flags(id);
    if is_stateless(snapshot, id, role) {
        let on = |holds: bool| holds.then_some(true);
        return States {
            disabled: on(role::is_disabled(snapshot, id)),
            focused: on(flags.has(Flags::FOCUSED)),
            aria_hidden: on(snapshot.is_aria_hidden(id)),
            ..States::default()
        };
    }
    let truth = |name: Symbol| match snapshot.attribute(id, name) {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    let on = |holds: bool| holds.then_some(true);
    let secret = is_secret(snapshot, id);
    let value = if secret { None } else { value(snapshot, id, role) };
    let is_long = value.as_ref().is_some_and(|value| value.len() > VALUE_LIMIT);
    States {
        checked: checked(snapshot, id, role),
        disabled: on(role::is_disabled(snapshot, id)),
        expanded: expanded(snapshot, id),
        selected: if snapshot.is(id, sym::OPTION) {
            Some(flags.has(Flags::SELECTED))
        } else {
            truth(sym::ARIA_SELECTED)
        },
        pressed: snapshot.attribute(id, sym::ARIA_PRESSED).and_then(tristate).filter(|_| role == "button"),
        readonly: on(is_readonly(snapshot, id)),
        required: on(is_field(snapshot, id) && snapshot.has_attribute(id, sym::REQUIRED)
            || truth(sym::ARIA_REQUIRED) == Some(true)),
        invalid: on(snapshot
            .attribute(id, sym::ARIA_INVALID)
            .is_some_and(|value| !matches!(value, "" | "false"))),
        focused: on(flags.has(Flags::FOCUSED)),
        aria_hidden: on(snapshot.is_aria_hidden(id)),
        value: value.map(|value| if is_long { crate::scope::cut(&value, VALUE_LIMIT) } else { value }),
        cut: on(is_long),
        secret: on(secret),
        options: options(snapshot, id),
        scrollable: on(snapshot
            .measure(id)
            .is_some_and(|measure| measure.bits.has(crate::snapshot::Measured::SCROLLS))),
    }
}

/// A link or a button without an attribute that tells of a state: most of what a page lists.
fn is_stateless(snapshot: &Snapshot, id: NodeId, role: &str) -> bool {
    matches!(role, "link" | "button")
        && matches!(snapshot.node(id).tag, sym::A | sym::BUTTON)
        && snapshot.attributes_of(id).all(|(name, _)| {
            matches!(
                name,
                sym::HREF
                    | sym::CLASS
                    | sym::ID
                    | sym::TYPE
                    | sym::TITLE
                    | sym::ARIA_LABEL
                    | sym::NAME
                    | sym::ROLE
                    | sym::DISABLED
            )
        })
}

fn tristate(value: &str) -> Option<Tristate> {
    match value {
        "true" => Some(Tristate::True),
        "false" => Some(Tristate::False),
        "mixed" => Some(Tristate::Mixed),
        _ => None,
    }
}

fn checked(snapshot: &Snapshot, id: NodeId, role: &str) -> Option<Tristate> {
    let flags = snapshot.flags(id);
    if snapshot.is(id, sym::INPUT) && matches!(role::input_type(snapshot, id), "checkbox" | "radio") {
        return Some(if flags.has(Flags::MIXED) {
            Tristate::Mixed
        } else if flags.has(Flags::CHECKED) {
            Tristate::True
        } else {
            Tristate::False
        });
    }
    if !matches!(
        role,
        "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio" | "option" | "treeitem"
    ) {
        return None;
    }
    let written = snapshot.attribute(id, sym::ARIA_CHECKED).and_then(tristate);
    written.or_else(|| (!matches!(role, "option" | "treeitem")).then_some(Tristate::False))
}

fn expanded(snapshot: &Snapshot, id: NodeId) -> Option<bool> {
    match snapshot.attribute(id, sym::ARIA_EXPANDED) {
        Some("true") => return Some(true),
        Some("false") => return Some(false),
        _ => {}
    }
    if role::is_details_summary(snapshot, id) {
        return snapshot.parent(id).map(|details| snapshot.has_attribute(details, sym::OPEN));
    }
    let target =
        snapshot.attribute(id, sym::POPOVERTARGET).or_else(|| snapshot.attribute(id, sym::COMMANDFOR))?;
    let popover =
        snapshot.by_id(id, target).filter(|popover| snapshot.has_attribute(*popover, sym::POPOVER))?;
    Some(!snapshot.flags(popover).has(Flags::HIDDEN))
}

fn is_field(snapshot: &Snapshot, id: NodeId) -> bool {
    matches!(snapshot.node(id).tag, sym::INPUT | sym::SELECT | sym::TEXTAREA)
}

fn is_readonly(snapshot: &Snapshot, id: NodeId) -> bool {
    matches!(snapshot.node(id).tag, sym::INPUT | sym::TEXTAREA) && snapshot.has_attribute(id, sym::READONLY)
        || snapshot.attribute(id, sym::ARIA_READONLY) == Some("true")
}

fn value(snapshot: &Snapshot, id: NodeId, role: &str) -> Option<String> {
    let text = match snapshot.node(id).tag {
        sym::INPUT => match role::input_type(snapshot, id) {
            "checkbox" | "radio" | "button" | "submit" | "reset" | "image" | "hidden" => return None,
            "file" => snapshot.attribute(id, sym::FILES)?.to_owned(),
            _ => snapshot.attribute(id, sym::VALUE_NOW)?.to_owned(),
        },
        sym::TEXTAREA => snapshot.attribute(id, sym::VALUE_NOW)?.to_owned(),
        sym::SELECT => chosen(snapshot, id),
        _ => match role {
            "slider" | "spinbutton" | "scrollbar" | "separator" => snapshot
                .attribute(id, sym::ARIA_VALUETEXT)
                .or_else(|| snapshot.attribute(id, sym::ARIA_VALUENOW))?
                .to_owned(),
            _ if role::is_editing_host(snapshot, id) => name::content(snapshot, id),
            _ => return None,
        },
    };
    Some(text)
}

/// The options of a select as people read them, the chosen ones alone.
fn chosen(snapshot: &Snapshot, id: NodeId) -> String {
    let texts: Vec<String> = option_nodes(snapshot, id)
        .filter(|option| snapshot.flags(*option).has(Flags::SELECTED))
        .map(|option| option_label(snapshot, option))
        .collect();
    texts.join(", ")
}

/// The options of a closed select, in order.
fn options(snapshot: &Snapshot, id: NodeId) -> Vec<String> {
    if !snapshot.is(id, sym::SELECT) || role::of(snapshot, id) != "combobox" {
        return Vec::new();
    }
    option_nodes(snapshot, id).take(OPTION_LIMIT).map(|option| option_label(snapshot, option)).collect()
}

fn option_nodes(snapshot: &Snapshot, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    snapshot.subtree(id).skip(1).filter(|inner| snapshot.is(*inner, sym::OPTION))
}

fn option_label(snapshot: &Snapshot, option: NodeId) -> String {
    if let Some(label) = snapshot.attribute(option, sym::LABEL).filter(|label| !label.is_empty()) {
        return label.to_owned();
    }
    let text: String = snapshot
        .subtree(option)
        .filter(|node| snapshot.node(*node).kind == Kind::Text)
        .map(|node| snapshot.text(node))
        .collect();
    name::collapse(&text)
}
