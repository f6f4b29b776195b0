//! What the reader answers, and what follows from it for every node below.

use super::{Ask, Tree};
use crate::snapshot::decode::Texts;
use crate::snapshot::{Display, Flags, Kind, Node, Snapshot, Symbol, sym};

/// Bits of an answer that are flags of the element as they stand.
const LIVE: u32 =
    Flags::CHECKED | Flags::MIXED | Flags::SELECTED | Flags::MODAL | Flags::TRANSPARENT | Flags::FOCUSED;
/// Bits of an answer about a root: there is one, and it is closed.
const HAS_ROOT: u32 = 1 << 30;
const IS_CLOSED: u32 = 1 << 29;
/// The value is a list of files.
const IS_FILES: u32 = 1 << 28;
const CASES: u32 = Flags::UPPERCASE | Flags::LOWERCASE | Flags::CAPITALIZE;
const DISPLAY: u32 = 7 << 20;

/// Takes the answers, one record an asked element: its bits, then where it has a shadow root what the sheets in that can do to it
/// (of which what can be answered is answered as if it had been asked), where it was asked a field's text length, a select's
/// index, the number of labelling elements with their numbers, and for generated content length and flags (-1 for none).
pub(super) fn take(tree: &mut Tree, ints: &[i32], mut texts: Texts<'_>, next_tree: usize) -> Option<()> {
    let asked = std::mem::take(&mut tree.asked);
    let mut ints = ints.iter().copied();
    for (id, mut asks) in asked {
        let bits = ints.next()? as u32;
        let node = &mut tree.nodes[id as usize];
        if bits & HAS_ROOT != 0 {
            let own = ints.next()? as u32;
            asks |= own & Ask::BY_HOST;
            node.flags.0 |= Ask::marks(own);
        }
        node.flags.0 |= bits & LIVE;
        if asks & Ask::SHOWN != 0 {
            node.flags.0 |=
                bits & (DISPLAY | Flags::INVISIBLE | Flags::LAYS_OUT | Flags::SKIPS) | Flags::OWN_SHOWN;
        }
        if asks & Ask::RENDERED != 0 && bits & Flags::HIDDEN != 0 {
            node.flags = Flags(node.flags.0 | Flags::OWN_SHOWN).with_display(Display::None);
        }
        if asks & Ask::CURSOR != 0 {
            node.flags.0 |= bits & Flags::POINTER | Flags::OWN_CURSOR;
        }
        if asks & Ask::CASE != 0 {
            node.flags.0 |= bits & CASES | Flags::OWN_CASE;
        }
        if bits & HAS_ROOT != 0 {
            let closed = if bits & IS_CLOSED != 0 { Flags::CLOSED_ROOT } else { 0 };
            tree.roots.push((id, next_tree + tree.roots.len(), Flags(closed)));
        }
        if asks & Ask::FIELD != 0 {
            let name = if bits & IS_FILES != 0 { sym::FILES } else { sym::VALUE_NOW };
            if let Ok(length) = usize::try_from(ints.next()?) {
                add_attribute(tree, id, name, texts.take(length)?);
            }
        }
        if asks & Ask::SELECT != 0 {
            select(tree, id as usize, usize::try_from(ints.next()?).ok());
        }
        if asks & Ask::LABELLED != 0 {
            let length = usize::try_from(ints.next()?).ok()?;
            add_attribute(tree, id, sym::LABELLED_BY_NODES, texts.take(length)?);
        }
        for (ask, after) in [(Ask::BEFORE, false), (Ask::AFTER, true)] {
            if asks & ask != 0
                && let Ok(length) = usize::try_from(ints.next()?)
            {
                let flags = Flags(ints.next()? as u32);
                tree.generated.push((id, after, texts.take(length)?, flags));
            }
        }
    }
    Some(())
}

/// Writes what the reader adds into the room that was left for it, or behind all attributes where there was none.
fn add_attribute(tree: &mut Tree, id: u32, name: Symbol, span: crate::snapshot::Span) {
    let node = &mut tree.nodes[id as usize];
    let own =
        node.first_attribute as usize..node.first_attribute as usize + usize::from(node.attribute_count);
    if let Some(room) = tree.attributes[own.clone()].iter_mut().find(|(known, _)| *known == sym::NONE) {
        *room = (name, span);
        return;
    }
    let first = tree.attributes.len();
    tree.attributes.extend_from_within(own);
    tree.attributes.push((name, span));
    node.first_attribute = first as u32;
    node.attribute_count += 1;
}

/// Marks the option that a select shows.
fn select(tree: &mut Tree, id: usize, index: Option<usize>) {
    let Some(index) = index else { return };
    let end = tree.nodes[id].end as usize;
    if let Some(option) = (id + 1..end).filter(|inner| tree.nodes[*inner].tag == sym::OPTION).nth(index) {
        tree.nodes[option].flags.0 |= Flags::SELECTED;
    }
}

/// Goes down the page, or a part of it, once: what is hidden, invisible, pointed at and in capitals goes on to what is below.
pub(super) fn settle(snapshot: &mut Snapshot, nodes: std::ops::Range<usize>) {
    for id in nodes {
        let node = &snapshot.nodes[id];
        let up = snapshot.nodes.get(node.parent as usize);
        let above = above(snapshot, id, up);
        let flags = match node.kind {
            Kind::Element => element(snapshot, id, up, above),
            Kind::Text => {
                let folded = up.is_some_and(|up| up.tag == sym::DETAILS && !has(snapshot, up, sym::OPEN));
                Flags(node.flags.0 | above.0 & CASES | if folded { Flags::HIDDEN } else { 0 })
            }
            Kind::Shadow => {
                let down = Flags::POINTER | CASES | Flags::HIDDEN | Flags::INVISIBLE | Flags::LAYS_OUT | DOWN;
                Flags(node.flags.0 | above.0 & down)
            }
            Kind::Before | Kind::After => node.flags,
        };
        snapshot.nodes[id].flags = flags;
    }
}

/// The flags that go down to a node: its parent's, its slot's where it is slotted. What no slot shows has no box.
fn above(snapshot: &Snapshot, id: usize, up: Option<&Node>) -> Flags {
    let Some(up) = up else { return Flags::default() };
    let parent = snapshot.nodes[id].parent as usize;
    if snapshot.shadow_root(parent).is_none()
        || !matches!(snapshot.nodes[id].kind, Kind::Element | Kind::Text)
    {
        return up.flags;
    }
    match snapshot.flat_parent(id).filter(|_| !snapshot.is_unslotted(id)) {
        Some(slot) => snapshot.nodes[slot].flags,
        None => Flags(up.flags.0 | Flags::INVISIBLE),
    }
}

/// Suspicions that hold for all that is below.
const DOWN: u32 = Flags::CLIPS | Flags::FADES;

fn has(snapshot: &Snapshot, node: &Node, name: Symbol) -> bool {
    let first = node.first_attribute as usize;
    let own = snapshot.attributes.get(first..first + usize::from(node.attribute_count)).unwrap_or_default();
    own.iter().any(|(known, _)| *known == name)
}

fn element(snapshot: &Snapshot, id: usize, up: Option<&Node>, above: Flags) -> Flags {
    let node = &snapshot.nodes[id];
    let mut flags = Flags(node.flags.0 | above.0 & DOWN);
    let own = flags.has(Flags::OWN_SHOWN);
    let hidden = above.has(Flags::HIDDEN)
        || above.has(Flags::SKIPS)
        || up.is_some_and(|up| is_without_content(snapshot, up, id))
        || if own { flags.display() == Display::None } else { is_unrendered(snapshot, node) };
    if hidden {
        let kept = Flags::GAP_BEFORE
            | Flags::GAP_AT_END
            | Flags::CUT
            | Flags::SVG
            | Flags::CLIPS_ITSELF
            | LIVE
            | DOWN;
        return Flags(flags.0 & kept | Flags::HIDDEN).with_display(Display::None);
    }
    if !own {
        let usual = usual_display(node.tag, flags.has(Flags::SVG));
        let laid_out = above.has(Flags::LAYS_OUT)
            && matches!(usual, Display::Inline | Display::InlineBlock | Display::TableCell);
        flags = flags.with_display(if laid_out { Display::Block } else { usual });
        flags.0 |= above.0 & Flags::INVISIBLE;
    }
    if flags.display() == Display::Contents {
        flags.0 |= above.0 & Flags::LAYS_OUT;
    }
    if !flags.has(Flags::OWN_CURSOR) {
        let linked = matches!(node.tag, sym::A) && has(snapshot, node, sym::HREF) || node.tag == sym::AREA;
        flags.0 |= if linked { Flags::POINTER } else { above.0 & Flags::POINTER };
    }
    let is_field = matches!(
        node.tag,
        sym::BUTTON | sym::INPUT | sym::SELECT | sym::TEXTAREA | sym::OPTION | sym::OPTGROUP
    );
    if !flags.has(Flags::OWN_CASE) && !is_field {
        flags.0 |= above.0 & CASES;
    }
    flags
}

/// What `up` does not show of its content: all but the summary of closed details, what stands in for what a browser can do.
fn is_without_content(snapshot: &Snapshot, up: &Node, id: usize) -> bool {
    match up.tag {
        sym::DETAILS => {
            let parent = snapshot.nodes[id].parent as usize;
            !has(snapshot, up, sym::OPEN)
                && snapshot.children(parent).find(|child| snapshot.nodes[*child].tag == sym::SUMMARY)
                    != Some(id)
        }
        sym::CANVAS | sym::VIDEO | sym::AUDIO | sym::METER | sym::PROGRESS | sym::IFRAME => true,
        _ => false,
    }
}

/// Not rendered by the browser's own sheet.
fn is_unrendered(snapshot: &Snapshot, node: &Node) -> bool {
    match node.tag {
        sym::HEAD
        | sym::SCRIPT
        | sym::STYLE
        | sym::TEMPLATE
        | sym::NOSCRIPT
        | sym::LINK
        | sym::META
        | sym::BASE
        | sym::DATALIST
        | sym::PARAM
        | sym::RP
        | sym::NOEMBED
        | sym::NOFRAMES
        | sym::SOURCE
        | sym::TRACK => true,
        sym::TITLE => !node.flags.has(Flags::SVG),
        sym::DIALOG => !has(snapshot, node, sym::OPEN),
        sym::AUDIO => !has(snapshot, node, sym::CONTROLS),
        sym::INPUT => {
            let first = node.first_attribute as usize;
            let own = &snapshot.attributes[first..first + usize::from(node.attribute_count)];
            own.iter().any(|(name, span)| {
                *name == sym::TYPE && snapshot.pooled(*span).eq_ignore_ascii_case("hidden")
            })
        }
        _ => false,
    }
}

/// How elements are laid out that no style sheet of the page speaks of.
fn usual_display(tag: Symbol, svg: bool) -> Display {
    if svg {
        return if tag == sym::TEXT_TAG { Display::Block } else { Display::Inline };
    }
    match tag {
        sym::HTML
        | sym::BODY
        | sym::ADDRESS
        | sym::ARTICLE
        | sym::ASIDE
        | sym::BLOCKQUOTE
        | sym::CENTER
        | sym::DD
        | sym::DETAILS
        | sym::DIALOG
        | sym::DIR
        | sym::DIV
        | sym::DL
        | sym::DT
        | sym::FIELDSET
        | sym::FIGCAPTION
        | sym::FIGURE
        | sym::FOOTER
        | sym::FORM
        | sym::FOREIGN_OBJECT
        | sym::H1
        | sym::H2
        | sym::H3
        | sym::H4
        | sym::H5
        | sym::H6
        | sym::HEADER
        | sym::HGROUP
        | sym::HR
        | sym::LEGEND
        | sym::LI
        | sym::LISTING
        | sym::MAIN
        | sym::MENU
        | sym::NAV
        | sym::OL
        | sym::OPTGROUP
        | sym::OPTION
        | sym::P
        | sym::PLAINTEXT
        | sym::PRE
        | sym::SEARCH
        | sym::SECTION
        | sym::SUMMARY
        | sym::TABLE
        | sym::TBODY
        | sym::THEAD
        | sym::TFOOT
        | sym::TR
        | sym::CAPTION
        | sym::COLGROUP
        | sym::COL
        | sym::UL
        | sym::XMP => Display::Block,
        sym::BUTTON
        | sym::INPUT
        | sym::SELECT
        | sym::TEXTAREA
        | sym::METER
        | sym::PROGRESS
        | sym::VIDEO
        | sym::AUDIO
        | sym::MARQUEE => Display::InlineBlock,
        sym::TD | sym::TH => Display::TableCell,
        sym::SLOT => Display::Contents,
        _ => Display::Inline,
    }
}
