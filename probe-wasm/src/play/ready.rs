//! A step made ready to be played: today's inputs stand in it.

use cairn_core::element::FramePath;
use cairn_core::script::{Method, Postcondition, Step, Target};
use cairn_core::wire::page::Diverged;

use super::line::Stop;
use crate::check::{self, Inputs};

/// A step with its inputs put in. Conditions keep their tokens: they are expanded where they are judged.
pub struct Ready {
    /// The target, where the step names one.
    pub target: Option<Target>,
    /// Where a drag ends.
    pub to: Option<Target>,
    /// The text, label or chord.
    pub value: String,
    /// What must hold after it, with what the method itself promises.
    pub post: Postcondition,
}

/// True for steps that the page cannot do for itself.
pub fn is_for_host(step: &Step) -> bool {
    matches!(
        step.action.method,
        Method::Goto
            | Method::Back
            | Method::Forward
            | Method::Reload
            | Method::SwitchTab
            | Method::CloseTab
            | Method::Dialog
    )
}

/// Puts today's inputs into a step.
pub fn ready(step: &Step, inputs: &Inputs, frame: &FramePath) -> Result<Ready, Stop> {
    let unknown = |reason: String| Stop::before(Diverged::Act, "every input of the step is known", reason);
    let action = &step.action;
    let target =
        action.target.as_ref().map(|target| expand_target(target, inputs)).transpose().map_err(unknown)?;
    if let Some(target) = &target {
        let here = frame.iter().map(|step| step.index);
        if !target.frame.iter().map(|step| step.index).eq(here) {
            let place = target.frame.iter().map(|step| step.index.to_string()).collect::<Vec<_>>().join("/");
            return Err(Stop::before(
                Diverged::Target,
                format!("{} in frame {place}", say(target)),
                "the batch plays in another frame",
            ));
        }
    }
    let to = step.to.as_ref().map(|to| expand_target(to, inputs)).transpose().map_err(unknown)?;
    let value = check::expand(action.value.as_deref().unwrap_or_default(), inputs).map_err(unknown)?;
    let mut post = step.postcondition.clone();
    match action.method {
        Method::Check => post.checked = post.checked.or(Some(true)),
        Method::Uncheck => post.checked = post.checked.or(Some(false)),
        _ => {}
    }
    Ok(Ready { target, to, value, post })
}

fn expand_target(target: &Target, inputs: &Inputs) -> Result<Target, String> {
    let one = |text: &String| check::expand(text, inputs);
    let maybe = |text: &Option<String>| text.as_ref().map(one).transpose();
    Ok(Target {
        name: one(&target.name)?,
        selector: one(&target.selector)?,
        selectors: target.selectors.iter().map(one).collect::<Result<_, _>>()?,
        scope: maybe(&target.scope)?,
        attributes: target
            .attributes
            .iter()
            .map(|(key, text)| Ok((key.clone(), one(text)?)))
            .collect::<Result<_, String>>()?,
        near_names: target
            .near_names
            .as_ref()
            .map(|names| names.iter().map(one).collect::<Result<_, _>>())
            .transpose()?,
        row_key: maybe(&target.row_key)?,
        heading: maybe(&target.heading)?,
        beside: maybe(&target.beside)?,
        ..target.clone()
    })
}

/// A target as people read it.
pub fn say(target: &Target) -> String {
    let role = if target.role.is_empty() { "element" } else { &target.role };
    let scope = target.scope.as_ref().map(|scope| format!(" in {scope}")).unwrap_or_default();
    format!("{role} \u{201c}{}\u{201d}{scope}", target.name)
}
