//! What a model may decide. Whatever a page has talked it into ends here: the refusal is told to it, and nothing is done.

use cairn_core::element::Element;
use cairn_core::text::normalise;
use cairn_core::value::{Piece, pieces};

use super::page::Looked;
use super::task::Task;
use crate::model::{Act, Decision};

/// A decision that is of no use whatever the page is like: it is asked for again at once.
///
/// # Errors
/// What is wrong with it, for the model.
pub fn fits(decision: &Decision, looked: &Looked, task: &Task) -> Result<(), String> {
    let (elements, glance) = (&looked.elements, &looked.glance);
    let answers = matches!(decision.act, Act::AcceptDialog | Act::DismissDialog);
    match (&glance.dialog, answers || decision.act == Act::Fail) {
        (Some(_), false) => return Err("a dialog is open: answer it first".into()),
        (None, _) if answers => return Err("no dialog is open".into()),
        _ => {}
    }
    if matches!(decision.act, Act::SwitchTab | Act::CloseTab) && glance.tabs.is_empty() {
        return Err("there is but one tab".into());
    }
    if Act::ON_ELEMENTS.contains(&decision.act) {
        let meant = usize::try_from(decision.index).ok().and_then(|index| elements.get(index));
        let Some(meant) = meant else {
            return Err(match elements.len().checked_sub(1) {
                None => format!("there is no element {}: the list is empty", decision.index),
                Some(last) => {
                    format!("there is no element {}: the list goes from 0 to {last}", decision.index)
                }
            });
        };
        suits(decision.act, meant)?;
    }
    if matches!(decision.act, Act::ClickAt | Act::TypeText) && glance.picture.is_none() {
        return Err("there was no picture to take a point from: act on the list, or look first".into());
    }
    let needs_value =
        matches!(decision.act, Act::Press | Act::Goto | Act::Select | Act::Extract | Act::SwitchTab);
    if needs_value && decision.value.trim().is_empty() {
        return Err("the value is missing".into());
    }
    if !task.only.is_empty()
        && !task.only.contains(&decision.act)
        && !matches!(decision.act, Act::Wait | Act::ListAll | Act::Look | Act::Done | Act::Fail)
    {
        return Err("the caller does not allow this act".into());
    }
    if decision.act == Act::Extract && !task.outputs.contains(&decision.value) {
        return Err(format!("there is no output `{}`", decision.value));
    }
    Ok(())
}

/// Whether an act can be done to an element of this kind at all: the page would wait for that in vain.
fn suits(act: Act, element: &Element) -> Result<(), String> {
    // A combo box with a text of its own can be typed into; what only offers options cannot.
    let offers = element.tag == "select" || !element.states.options.is_empty();
    let chosen_from = element.role == "listbox" || element.role == "combobox" && offers;
    let pressed = matches!(element.role.as_str(), "button" | "link" | "tab" | "menuitem");
    let ticked = matches!(
        element.role.as_str(),
        "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio" | "option" | "treeitem"
    );
    let possible = match act {
        Act::Fill => !chosen_from && !pressed && !ticked,
        Act::Select => element.role == "listbox" || element.role == "combobox",
        Act::Check | Act::Uncheck => ticked,
        _ => true,
    };
    if possible { Ok(()) } else { Err(format!("a {} is nothing to {}", element.role, word(act))) }
}

fn word(act: Act) -> String {
    format!("{act:?}").to_lowercase()
}

/// A secret goes only into a field that the page itself keeps secret, or that bears the name of the input.
///
/// # Errors
/// Why not.
pub fn secrets_go_home(value: &str, field: &Element, task: &Task) -> Result<(), String> {
    for name in secrets_in(value, task) {
        let kept_secret = field.states.secret == Some(true) || field.attribute("type") == Some("password");
        if !kept_secret && !bears_name(field, name) {
            return Err(format!(
                "the secret %{name}% may go only into a field of its own, and {} \"{}\" is none",
                field.role, field.name
            ));
        }
    }
    Ok(())
}

/// The secrets that a text asks for.
pub fn secrets_in<'a>(value: &'a str, task: &Task) -> Vec<&'a str> {
    pieces(value, |name| task.inputs.contains_key(name))
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Input(name) => Some(name),
            Piece::Literal(_) => None,
        })
        .filter(|name| task.inputs.get(*name).is_some_and(|input| input.secret))
        .collect()
}

/// `card_number` and "Card number", `otp` and `name="otp"`.
fn bears_name(field: &Element, input: &str) -> bool {
    let folded = |text: &str| {
        let spaced: String =
            normalise(text).chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
        spaced.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let wanted = folded(input);
    let own = [Some(field.name.as_str()), field.attribute("name"), field.attribute("autocomplete")];
    !wanted.is_empty()
        && own.into_iter().flatten().any(|text| {
            let words = folded(text);
            wanted.iter().all(|word| words.contains(word))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_core::element::States;
    use cairn_core::wire::page::InputValue;
    use rstest::rstest;

    fn task() -> Task {
        let secret = |value: &str| InputValue { value: value.into(), secret: true };
        let inputs = [
            ("password".to_owned(), secret("hunter2!")),
            ("card_number".to_owned(), secret("4111")),
            ("email".to_owned(), InputValue { value: "a@b.c".into(), secret: false }),
        ];
        Task { inputs: inputs.into(), grounding: true, ..Task::default() }
    }

    fn page(buttons: usize) -> Looked {
        let button = Element { role: "button".into(), ..Element::default() };
        Looked { elements: vec![button; buttons], ..Looked::default() }
    }

    fn decision(act: Act, index: i64, value: &str) -> Decision {
        Decision { why: String::new(), act, index, value: value.into(), x: 0.0, y: 0.0, checks: vec![] }
    }

    #[rstest]
    #[case(Act::Fill, 0, "x", "a button is nothing to fill")]
    #[case(Act::Check, 0, "", "nothing to check")]
    #[case(Act::Click, 3, "", "goes from 0 to 2")]
    #[case(Act::Click, -1, "", "goes from 0 to 2")]
    #[case(Act::Goto, -1, " ", "value is missing")]
    #[case(Act::ClickAt, -1, "", "no picture")]
    #[case(Act::Extract, 0, "total", "no output")]
    fn what_cannot_be_meant_is_said(
        #[case] act: Act,
        #[case] index: i64,
        #[case] value: &str,
        #[case] why: &str,
    ) {
        let said = fits(&decision(act, index, value), &page(3), &task()).unwrap_err();
        assert!(said.contains(why), "{said}");
    }

    #[test]
    fn what_the_caller_does_not_allow_is_refused() {
        let narrow = Task { only: vec![Act::Click], ..task() };
        assert!(fits(&decision(Act::Click, 0, ""), &page(1), &narrow).is_ok());
        assert!(fits(&decision(Act::Hover, 0, ""), &page(1), &narrow).is_err());
        assert!(fits(&decision(Act::Done, -1, ""), &page(1), &narrow).is_ok());
    }

    #[test]
    fn while_a_dialog_is_open_it_is_answered_and_nothing_else_is_done() {
        let mut open = page(1);
        open.glance.dialog = Some("confirm \"Sure?\"".into());
        assert!(fits(&decision(Act::Click, 0, ""), &open, &task()).is_err());
        assert!(fits(&decision(Act::AcceptDialog, -1, ""), &open, &task()).is_ok());
        assert!(fits(&decision(Act::DismissDialog, -1, ""), &page(1), &task()).is_err());
        assert!(fits(&decision(Act::SwitchTab, -1, "2"), &page(1), &task()).is_err());
    }

    #[rstest]
    #[case("Comment", false, "%password%", false)]
    #[case("Anything", true, "%password%", true)]
    #[case("Card number", false, "%card_number%", true)]
    #[case("Card holder", false, "%card_number%", false)]
    #[case("Comment", false, "%email%", true)]
    #[case("Comment", false, "my %password%", false)]
    fn a_secret_goes_into_its_own_field(
        #[case] name: &str,
        #[case] secret: bool,
        #[case] value: &str,
        #[case] allowed: bool,
    ) {
        let states = States { secret: secret.then_some(true), ..States::default() };
        let field = Element { role: "textbox".into(), name: name.into(), states, ..Element::default() };
        assert_eq!(secrets_go_home(value, &field, &task()).is_ok(), allowed);
    }
}
