//! Roles that a redesign swaps for one another without changing what the element does.

/// A set of role classes; two roles are equivalent where their sets meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RoleClass(u8);

impl RoleClass {
    const NONE: Self = Self(0);
    /// What is pressed: link, button, tab, menu item, a clickable thing.
    const PRESS: Self = Self(1);
    /// What is typed into: text box, search box, number field, an editable combo box.
    const TYPE: Self = Self(2);
    /// What is ticked: checkbox, switch, menu item with a tick.
    const TICK: Self = Self(4);
    /// What is chosen from: combo box, list box.
    const CHOOSE: Self = Self(8);
    /// One of several: radio button and its kin in a menu.
    const ONE_OF: Self = Self(16);

    /// True where a redesign may turn one into the other.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// What takes a value: it is named by a label.
    pub(super) fn is_field(self) -> bool {
        self != Self::NONE && !self.meets(Self::PRESS)
    }
}

/// The class of a role. The tag tells an editable combo box (`input`) from a drawn one.
pub fn role_class(role: &str, tag: &str) -> RoleClass {
    match role {
        "link" | "button" | "tab" | "menuitem" => RoleClass::PRESS,
        "textbox" | "searchbox" | "spinbutton" => RoleClass::TYPE,
        "checkbox" | "switch" | "menuitemcheckbox" => RoleClass::TICK,
        "radio" | "menuitemradio" => RoleClass::ONE_OF,
        "combobox" if matches!(tag, "input" | "textarea") => {
            RoleClass(RoleClass::CHOOSE.0 | RoleClass::TYPE.0)
        }
        "combobox" | "listbox" => RoleClass::CHOOSE,
        _ => RoleClass::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("link", "a", "button", "button", true)]
    #[case("menuitem", "li", "tab", "button", true)]
    #[case("textbox", "input", "searchbox", "input", true)]
    #[case("textbox", "input", "combobox", "input", true)]
    #[case("textbox", "input", "combobox", "div", false)]
    #[case("listbox", "select", "combobox", "select", true)]
    #[case("checkbox", "input", "switch", "button", true)]
    #[case("checkbox", "input", "radio", "input", false)]
    #[case("button", "button", "checkbox", "input", false)]
    #[case("slider", "input", "slider", "input", false)]
    fn classes(
        #[case] a: &str,
        #[case] a_tag: &str,
        #[case] b: &str,
        #[case] b_tag: &str,
        #[case] same: bool,
    ) {
        assert_eq!(role_class(a, a_tag).meets(role_class(b, b_tag)), same);
    }
}
