//! One step: an action on a target, with what must hold before it and what it did.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Condition, Effect, Postcondition, Precondition};
use crate::element::FramePath;
use crate::map::Named;

/// One action with its precondition, postcondition and recorded effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Step {
    /// What the step means, for people.
    #[serde(deserialize_with = "null_as_default")]
    pub instruction: String,
    /// The page it was recorded on.
    #[serde(deserialize_with = "null_as_default")]
    pub url_before: String,
    /// The action.
    pub action: Action,
    /// What must hold before it.
    #[serde(deserialize_with = "null_as_default")]
    pub precondition: Precondition,
    /// What must hold after it.
    #[serde(skip_serializing_if = "Postcondition::is_empty", deserialize_with = "null_as_default")]
    pub postcondition: Postcondition,
    /// All that it was seen to cause.
    #[serde(skip_serializing_if = "Effect::is_empty", deserialize_with = "null_as_default")]
    pub effect: Effect,
    /// Who did it: `person`, `model`, `agent:<name>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The tab it happens in, from 1; absent means the one before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<u32>,
    /// `page` or `trusted`: the kind of input it needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// drag: where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Box<Target>>,
    /// extract: what is read of the target; absent: its value, else its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract: Option<Extract>,
    /// assert, wait: what must hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Condition>,
    /// Native dialogs that the act brings, in order, each with its answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dialogs: Vec<Dialog>,
    /// It sends something that must not be sent twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sends: Option<bool>,
    /// `safe` or `risky`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// Why the target would be hard to find again, and what would help. Written by the recorder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak: Option<String>,
}

/// A native dialog and how it is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// What it says; empty: not compared.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// By its yes.
    pub accept: bool,
    /// What a prompt gets; may hold `%name%`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What an extract step reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Extract {
    /// `text`, `value`, or the name of an attribute. The output that gets it is `Action.Value`.
    pub read: String,
}

/// What is done, to what, with what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Action {
    /// The method.
    pub method: Method,
    /// The element; absent for goto, back, a shortcut with nothing focused, and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// fill, type: the text. select: the option's label. press: the chord, e.g. `Control+k`, `Enter`. goto: the URL.
    /// Inputs stand in it as `%name%`, a literal percent sign as `%%`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// select: what else tells the option from its like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<OptionChoice>,
    /// select where several can be chosen: all that are to be chosen, in order, each with its label; no others.
    /// `Value` and `Option` then name the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<OptionChoice>,
}

/// The ways to act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Method {
    /// Press and release the main button.
    #[default]
    Click,
    /// Twice.
    Dblclick,
    /// The other button.
    Contextmenu,
    /// Move over it.
    Hover,
    /// Make the field hold the text.
    Fill,
    /// Send the text key by key.
    Type,
    /// Press a key or a chord.
    Press,
    /// Choose an option of a select.
    Select,
    /// Make a box or radio checked.
    Check,
    /// Make a box unchecked.
    Uncheck,
    /// Give files to a file field.
    Upload,
    /// Drag to another element.
    Drag,
    /// Scroll until the target is there.
    Scroll,
    /// Open a URL.
    Goto,
    /// History back.
    Back,
    /// History forward.
    Forward,
    /// Reload the page.
    Reload,
    /// Go on in another tab.
    SwitchTab,
    /// Close a tab.
    CloseTab,
    /// Answer a native dialog.
    Dialog,
    /// Wait until a condition holds.
    Wait,
    /// Read an output.
    Extract,
    /// Check a condition.
    Assert,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 23] = [
        Self::Click,
        Self::Dblclick,
        Self::Contextmenu,
        Self::Hover,
        Self::Fill,
        Self::Type,
        Self::Press,
        Self::Select,
        Self::Check,
        Self::Uncheck,
        Self::Upload,
        Self::Drag,
        Self::Scroll,
        Self::Goto,
        Self::Back,
        Self::Forward,
        Self::Reload,
        Self::SwitchTab,
        Self::CloseTab,
        Self::Dialog,
        Self::Wait,
        Self::Extract,
        Self::Assert,
    ];

    /// The name as it stands in a file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Click => "click",
            Self::Dblclick => "dblclick",
            Self::Contextmenu => "contextmenu",
            Self::Hover => "hover",
            Self::Fill => "fill",
            Self::Type => "type",
            Self::Press => "press",
            Self::Select => "select",
            Self::Check => "check",
            Self::Uncheck => "uncheck",
            Self::Upload => "upload",
            Self::Drag => "drag",
            Self::Scroll => "scroll",
            Self::Goto => "goto",
            Self::Back => "back",
            Self::Forward => "forward",
            Self::Reload => "reload",
            Self::SwitchTab => "switchTab",
            Self::CloseTab => "closeTab",
            Self::Dialog => "dialog",
            Self::Wait => "wait",
            Self::Extract => "extract",
            Self::Assert => "assert",
        }
    }
}

/// What tells one option of a select from the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct OptionChoice {
    /// The option's label, where `Action.Value` does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The option's `value`.
    pub value: String,
    /// The label of its `optgroup`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Its place among all options, from 0.
    pub index: u32,
}

/// What a script remembers of an element. Every key but `Role` and `Name` may be absent: what was not recorded
/// neither supports nor forbids.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Target {
    /// ARIA role or pseudo-role.
    #[serde(deserialize_with = "null_as_default")]
    pub role: String,
    /// Accessible name as rendered.
    #[serde(deserialize_with = "null_as_default")]
    pub name: String,
    /// The first selector to try, as `kind=value` (see `selector`).
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub selector: String,
    /// The others, in the order to try them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selectors: Vec<String>,
    /// Nearest labelled region, `role:name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The scope is a fallback label and no ARIA region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_weak: Option<bool>,
    /// Frames from the top page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frame: FramePath,
    /// Absolute XPath when recorded: evidence, never a rung.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Stable attributes when recorded, `tag` among them.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub attributes: Named<String>,
    /// Elements of the page with the same role and normalised name, itself included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twins: Option<u32>,
    /// How many of the twins stand in its scope, itself included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_twins: Option<u32>,
    /// Its place among the twins in document order, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// Names of the page's other elements of the same role class that contain its name, are contained in it, or are
    /// otherwise near: known not to be the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_names: Option<Vec<String>>,
    /// Key of its table row or list item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_key: Option<String>,
    /// Nearest preceding heading, legend or caption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// Text beside it that tells it from its twins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
    /// Where it stood: evidence for people, never a rung.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounding_box: Option<BoundingBox>,
}

impl Target {
    /// Every recorded selector in the order to try them, the first one first, without repeats.
    pub fn all_selectors(&self) -> impl Iterator<Item = &str> {
        let first = (!self.selector.is_empty()).then_some(self.selector.as_str());
        let others = self.selectors.iter().map(String::as_str).filter(move |other| Some(*other) != first);
        first.into_iter().chain(others)
    }
}

/// A box in CSS pixels by its corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct BoundingBox {
    /// Left.
    #[serde(serialize_with = "short_number")]
    pub x_min: f64,
    /// Top.
    #[serde(serialize_with = "short_number")]
    pub y_min: f64,
    /// Right.
    #[serde(serialize_with = "short_number")]
    pub x_max: f64,
    /// Bottom.
    #[serde(serialize_with = "short_number")]
    pub y_max: f64,
}

impl From<crate::element::Rect> for BoundingBox {
    fn from(rect: crate::element::Rect) -> Self {
        Self { x_min: rect.x, y_min: rect.y, x_max: rect.x + rect.width, y_max: rect.y + rect.height }
    }
}

/// Whole pixels: a fraction is noise in a diff, and the box is evidence only.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn short_number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(value.round() as i64)
}

/// Other writers put `null` where they know nothing.
pub(super) fn null_as_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}
