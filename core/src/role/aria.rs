//! WAI-ARIA 1.2 as tables: which roles exist, which take their name from content, which may not be named.

use crate::snapshot::{Symbol, sym};

/// Every concrete role, and the graphics and DPUB ones that browsers map.
const ROLES: &[&str] = &[
    "alert",
    "alertdialog",
    "application",
    "article",
    "banner",
    "blockquote",
    "button",
    "caption",
    "cell",
    "checkbox",
    "code",
    "columnheader",
    "combobox",
    "comment",
    "complementary",
    "contentinfo",
    "definition",
    "deletion",
    "dialog",
    "directory",
    "document",
    "emphasis",
    "feed",
    "figure",
    "form",
    "generic",
    "graphics-document",
    "graphics-object",
    "graphics-symbol",
    "grid",
    "gridcell",
    "group",
    "heading",
    "image",
    "img",
    "insertion",
    "link",
    "list",
    "listbox",
    "listitem",
    "log",
    "main",
    "mark",
    "marquee",
    "math",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "meter",
    "navigation",
    "none",
    "note",
    "option",
    "paragraph",
    "presentation",
    "progressbar",
    "radio",
    "radiogroup",
    "region",
    "row",
    "rowgroup",
    "rowheader",
    "scrollbar",
    "search",
    "searchbox",
    "sectionfooter",
    "sectionheader",
    "separator",
    "slider",
    "spinbutton",
    "status",
    "strong",
    "subscript",
    "suggestion",
    "superscript",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "term",
    "textbox",
    "time",
    "timer",
    "toolbar",
    "tooltip",
    "tree",
    "treegrid",
    "treeitem",
    "doc-backlink",
    "doc-biblioref",
    "doc-glossref",
    "doc-noteref",
    "doc-abstract",
    "doc-acknowledgments",
    "doc-afterword",
    "doc-appendix",
    "doc-bibliography",
    "doc-chapter",
    "doc-colophon",
    "doc-conclusion",
    "doc-cover",
    "doc-credit",
    "doc-credits",
    "doc-dedication",
    "doc-endnotes",
    "doc-epigraph",
    "doc-epilogue",
    "doc-errata",
    "doc-example",
    "doc-footnote",
    "doc-foreword",
    "doc-glossary",
    "doc-index",
    "doc-introduction",
    "doc-notice",
    "doc-pagebreak",
    "doc-pagefooter",
    "doc-pageheader",
    "doc-pagelist",
    "doc-part",
    "doc-preface",
    "doc-prologue",
    "doc-pullquote",
    "doc-qna",
    "doc-subtitle",
    "doc-tip",
    "doc-toc",
];

/// A token of `role` in its canonical spelling, `None` where it is no role.
pub(super) fn canonical(token: &str) -> Option<&'static str> {
    let role = *ROLES.iter().find(|role| role.eq_ignore_ascii_case(token))?;
    Some(match role {
        "presentation" => "none",
        "image" => "img",
        "directory" => "list",
        _ => role,
    })
}

/// True for a role that ARIA knows.
pub fn is_known(role: &str) -> bool {
    ROLES.contains(&role)
}

/// True where the role's name may come from what the element holds.
pub fn names_from_content(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "cell"
            | "checkbox"
            | "columnheader"
            | "gridcell"
            | "heading"
            | "link"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "option"
            | "radio"
            | "row"
            | "rowheader"
            | "switch"
            | "tab"
            | "tooltip"
            | "treeitem"
            | "comment"
            | "sectionhead"
            | "doc-backlink"
            | "doc-biblioref"
            | "doc-glossref"
            | "doc-noteref"
            | "graphics-symbol"
    )
}

/// True where authors may not name the role: a label on it counts for nothing.
pub fn prohibits_naming(role: &str) -> bool {
    matches!(
        role,
        "caption"
            | "code"
            | "definition"
            | "deletion"
            | "emphasis"
            | "generic"
            | "insertion"
            | "mark"
            | "none"
            | "paragraph"
            | "strong"
            | "subscript"
            | "suggestion"
            | "superscript"
            | "term"
            | "time"
    )
}

/// True where everything inside is presentation: descendants have no role of their own.
pub fn children_presentational(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "checkbox"
            | "img"
            | "math"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "meter"
            | "option"
            | "progressbar"
            | "radio"
            | "scrollbar"
            | "separator"
            | "slider"
            | "switch"
            | "tab"
    )
}

/// True for the attributes that keep an element in the tree though its role is `none`.
pub(super) fn is_global(name: Symbol) -> bool {
    matches!(
        name,
        sym::ARIA_ATOMIC
            | sym::ARIA_BUSY
            | sym::ARIA_CONTROLS
            | sym::ARIA_CURRENT
            | sym::ARIA_DESCRIBEDBY
            | sym::ARIA_DESCRIPTION
            | sym::ARIA_DETAILS
            | sym::ARIA_DROPEFFECT
            | sym::ARIA_FLOWTO
            | sym::ARIA_GRABBED
            | sym::ARIA_KEYSHORTCUTS
            | sym::ARIA_LABEL
            | sym::ARIA_LABELLEDBY
            | sym::ARIA_LIVE
            | sym::ARIA_OWNS
            | sym::ARIA_RELEVANT
            | sym::ARIA_ROLEDESCRIPTION
            | sym::ARIA_BRAILLELABEL
            | sym::ARIA_BRAILLEROLEDESCRIPTION
            | sym::LABELLED_BY_NODES
    )
}
