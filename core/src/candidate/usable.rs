//! Whether a person could use an element where it stands.

use crate::element::Usable;
use crate::role;
use crate::snapshot::{Flags, Measured, NONE, NodeId, Snapshot, sym};

/// What is known of the element's use, from the tree, its box and the hit tests that were made.
pub fn usable(snapshot: &Snapshot, id: NodeId, modals: &[NodeId]) -> Usable {
    let Some(measure) = snapshot.measure(id) else {
        return if snapshot.flags(id).has(Flags::HIDDEN) {
            Usable::Hidden
        } else {
            unmeasured(snapshot, id, modals)
        };
    };
    let bits = measure.bits;
    let seen_through = bits.has(Measured::SEE_THROUGH) && !is_own_transparent_control(snapshot, id);
    let sized = measure.bounds.width > 1.0 || measure.bounds.height > 1.0;
    let thin = measure.bounds.width <= 0.0 || measure.bounds.height <= 0.0;
    if !bits.has(Measured::RENDERED) || seen_through || !sized || thin || bits.has(Measured::CLIPPED) {
        return Usable::Hidden;
    }
    let above = unmeasured(snapshot, id, modals);
    if above != Usable::Unknown {
        return above;
    }
    if bits.has(Measured::COVERED) {
        let by = if measure.cover == NONE {
            "something".to_owned()
        } else {
            describe(snapshot, measure.cover as usize)
        };
        return Usable::Covered { by };
    }
    if bits.has(Measured::HIT) { Usable::Yes } else { Usable::Unknown }
}

/// What the tree alone says.
fn unmeasured(snapshot: &Snapshot, id: NodeId, modals: &[NodeId]) -> Usable {
    let inert = snapshot.is_inert(id);
    let behind = !modals.is_empty()
        && !modals.iter().any(|modal| *modal == id || snapshot.flat_ancestors(id).any(|up| up == *modal));
    if inert || behind {
        Usable::Inert
    } else if role::is_disabled(snapshot, id) {
        Usable::Disabled
    } else {
        Usable::Unknown
    }
}

/// Boxes, radios and file fields made transparent over something drawn are what a person presses.
fn is_own_transparent_control(snapshot: &Snapshot, id: NodeId) -> bool {
    snapshot.is(id, sym::INPUT)
        && matches!(role::input_type(snapshot, id), "checkbox" | "radio" | "file")
        && snapshot.flags(id).has(Flags::TRANSPARENT)
}

/// A node in words: `button "Accept all"`, or `<div>`.
pub fn describe(snapshot: &Snapshot, id: NodeId) -> String {
    let role = role::of(snapshot, id);
    let text = crate::name::of(snapshot, id);
    if text.is_empty() || matches!(role, "generic" | "none") {
        return match snapshot.attribute(id, sym::ID).filter(|id| !id.is_empty()) {
            Some(own) => format!("<{} id=\"{}\">", snapshot.tag(id), crate::scope::cut(own, 60)),
            None => format!("<{}>", snapshot.tag(id)),
        };
    }
    format!("{role} \"{}\"", crate::scope::cut(&text, 80))
}
