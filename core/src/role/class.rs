//! Groups of roles that rules speak of together.

/// True for roles that a person acts on.
pub fn is_widget(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "checkbox"
            | "combobox"
            | "gridcell"
            | "link"
            | "listbox"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "option"
            | "radio"
            | "scrollbar"
            | "searchbox"
            | "slider"
            | "spinbutton"
            | "switch"
            | "tab"
            | "textbox"
            | "treeitem"
            | "date"
            | "time"
            | "color"
            | "file"
            | "doc-backlink"
            | "doc-biblioref"
            | "doc-glossref"
            | "doc-noteref"
    )
}

/// True for landmark regions.
pub fn is_landmark(role: &str) -> bool {
    matches!(
        role,
        "banner" | "complementary" | "contentinfo" | "form" | "main" | "navigation" | "region" | "search"
    )
}
