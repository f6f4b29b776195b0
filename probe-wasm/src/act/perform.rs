//! The one door to the methods.

use cairn_core::map::Named;

use cairn_core::script::Method;
use web_sys::Element;

use super::choose::{self, Wanted};
use super::drag;
use super::event::Aim;
use super::fill;
use super::pointer::{self, Hands};
use super::press::stroke;
use super::tick;
use super::upload;

/// What is to be done, with its inputs already put in.
pub struct Order<'a> {
    /// The method.
    pub method: Method,
    /// Where; absent for a key that goes to whatever has the focus.
    pub aim: Option<&'a Aim>,
    /// The text or chord.
    pub value: &'a str,
    /// The options of a select.
    pub wanted: Wanted<'a>,
    /// Where a drag ends.
    pub to: Option<&'a Aim>,
    /// What an upload gives, as base64 by name.
    pub files: &'a Named<String>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// The act was sent.
    Acted,
    /// The state already held: nothing was sent.
    AlreadySo,
}

/// An act that could not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ActError {
    /// Why, for people.
    pub message: String,
    /// Something was sent to the page before that was found out.
    pub acted: bool,
}

impl ActError {
    /// Found out before anything was sent.
    pub fn before(message: impl Into<String>) -> Self {
        Self { message: message.into(), acted: false }
    }
}

/// Performs `order` on the page: within this task, but for a drag, which takes the page a few tasks.
pub async fn carry_out(hands: &Hands, order: &Order<'_>) -> Result<Did, ActError> {
    if order.method != Method::Drag {
        return perform(hands, order).await;
    }
    let from = order.aim.ok_or_else(|| ActError::before("the step names no target"))?;
    let to = order.to.ok_or_else(|| ActError::before("the step does not say where the drag ends (To)"))?;
    drag::drag(hands, from, to, order.value).await.map(|()| Did::Acted)
}

/// Performs `order` on the page, within this task; a drag it cannot.
pub async fn perform(hands: &Hands, order: &Order<'_>) -> Result<Did, ActError> {
    let aim = || order.aim.ok_or_else(|| ActError::before("the step names no target"));
    match order.method {
        Method::Click => pointer::click(hands, aim()?, 1).await,
        Method::Dblclick => pointer::click(hands, aim()?, 2).await,
        Method::Contextmenu => pointer::context_menu(hands, aim()?).await,
        Method::Hover => pointer::move_over(hands, aim()?),
        Method::Scroll => {}
        Method::Fill => fill::fill(hands, &aim()?.element, order.value).await?,
        Method::Type => fill::type_into(hands, element_of(order), order.value).await,
        Method::Press => stroke::press(hands, element_of(order), order.value).await,
        Method::Select => return choose_of(hands, &aim()?.element, order),
        Method::Upload => upload::upload(&aim()?.element, order.value, order.files)?,
        Method::Check => return tick::tick(hands, aim()?, true).await,
        Method::Uncheck => return tick::tick(hands, aim()?, false).await,
        other => {
            return Err(ActError::before(format!(
                "this build cannot perform \u{201c}{}\u{201d} in the page",
                other.as_str()
            )));
        }
    }
    Ok(Did::Acted)
}

fn element_of<'a>(order: &Order<'a>) -> Option<&'a Element> {
    order.aim.map(|aim| &aim.element)
}

fn choose_of(hands: &Hands, select: &Element, order: &Order<'_>) -> Result<Did, ActError> {
    let wanted = choose::find_options(select, order.wanted).map_err(ActError::before)?;
    choose::choose(hands, select, &wanted)
}
