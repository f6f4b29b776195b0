//! A step in words, for people: what was done, to what, with what.

use cairn_core::script::{Action, Method};
use cairn_core::text;

/// Longest name or value that is quoted, in characters.
const LONGEST: usize = 60;

/// The sentence for an action. Its texts must be masked already.
pub fn sentence(action: &Action) -> String {
    let target = action.target.as_ref();
    let role = target.map_or("", |target| spoken(&target.role));
    let name = target.map_or_else(String::new, |target| target.name.clone());
    let object = match (role, name.as_str()) {
        ("", "") => "the page".to_owned(),
        ("", name) => quoted(name),
        (role, "") => format!("the {role} without a name"),
        (role, name) => format!("the {role} {}", quoted(name)),
    };
    let value = action.value.as_deref().unwrap_or_default();
    match action.method {
        Method::Click => format!("Click {object}"),
        Method::Dblclick => format!("Double-click {object}"),
        Method::Contextmenu => format!("Open the menu of {object}"),
        Method::Check if role == "radio button" => format!("Choose {object}"),
        Method::Check => format!("Check {object}"),
        Method::Uncheck => format!("Uncheck {object}"),
        Method::Fill if value.is_empty() => format!("Empty {object}"),
        Method::Fill => format!("Fill {object} with {}", quoted(value)),
        Method::Type => format!("Type {} into {object}", quoted(value)),
        Method::Press if target.is_none() => format!("Press {value}"),
        Method::Press => format!("Press {value} in {object}"),
        Method::Select if action.options.len() > 1 => {
            let labels: Vec<String> =
                action.options.iter().filter_map(|option| option.label.as_deref()).map(quoted).collect();
            format!("Select {} in {object}", labels.join(", "))
        }
        Method::Select => format!("Select {} in {object}", quoted(value)),
        Method::Upload => format!("Give {} to {object}", quoted(value)),
        Method::Scroll if target.is_none() => "Scroll down until the next target is there".to_owned(),
        Method::Scroll => format!("Scroll {object} until the next target is there"),
        Method::Hover => format!("Point at {object}"),
        Method::Goto => format!("Open {value}"),
        method => format!("{} {object}", capitalised(method.as_str())),
    }
}

/// Roles as people call them.
fn spoken(role: &str) -> &str {
    match role {
        "textbox" | "searchbox" | "spinbutton" => "field",
        "combobox" | "listbox" => "list",
        "radio" => "radio button",
        "generic" | "none" | "presentation" => "element",
        "menuitem" | "menuitemcheckbox" | "menuitemradio" => "menu item",
        "gridcell" => "cell",
        role => role,
    }
}

fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST {
        return format!("\"{line}\"");
    }
    let cut: String = line.chars().take(LONGEST - 1).collect();
    format!("\"{cut}…\"")
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    let mut capitalised = String::new();
    if let Some(first) = characters.next() {
        text::push_upper(first, &mut capitalised);
    }
    capitalised + characters.as_str()
}

#[cfg(test)]
mod tests {
    use cairn_core::script::Target;

    use super::*;

    #[rstest::rstest]
    #[case(Method::Click, "button", "Add", "", "Click the button \"Add\"")]
    #[case(Method::Fill, "textbox", "Email", "%email%", "Fill the field \"Email\" with \"%email%\"")]
    #[case(Method::Fill, "textbox", "Email", "", "Empty the field \"Email\"")]
    #[case(Method::Check, "radio", "Large", "", "Choose the radio button \"Large\"")]
    #[case(Method::Select, "combobox", "City", "Paris", "Select \"Paris\" in the list \"City\"")]
    #[case(Method::Click, "generic", "", "", "Click the element without a name")]
    #[case(Method::Press, "textbox", "Email", "Enter", "Press Enter in the field \"Email\"")]
    fn sentences(
        #[case] method: Method,
        #[case] role: &str,
        #[case] name: &str,
        #[case] value: &str,
        #[case] words: &str,
    ) {
        let target = Some(Target { role: role.to_owned(), name: name.to_owned(), ..Target::default() });
        let value = (!value.is_empty()).then(|| value.to_owned());
        assert_eq!(sentence(&Action { method, target, value, ..Action::default() }), words);
    }

    #[test]
    fn a_shortcut_has_no_object() {
        let action =
            Action { method: Method::Press, value: Some("Control+k".to_owned()), ..Action::default() };
        assert_eq!(sentence(&action), "Press Control+k");
    }
}
