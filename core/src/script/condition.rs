//! What must hold before and after a step, at the end, and for a business outcome.

use serde::{Deserialize, Serialize};

/// What must hold before the act.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Precondition {
    /// The target becomes attached, visible, enabled, stable and topmost within the bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wait_for_target: bool,
    /// The page's URL matches this pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_pattern: Option<String>,
}

/// What must hold after the act. Every key that is present must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Postcondition {
    /// The page's URL matches this pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_pattern: Option<String>,
    /// The target's value; may hold `%name%`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The target's checked state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// Elements that are there now and were not before the act.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub appeared: Vec<Seen>,
    /// Elements that were there before the act and are gone now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vanished: Vec<Seen>,
    /// The page changes in some way soon after the act: demanded where nothing that can be named came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stirs: Option<bool>,
    /// A new tab was opened whose URL matches this pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_tab: Option<String>,
    /// A native dialog opened, with this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<String>,
}

impl Postcondition {
    /// True where nothing is demanded.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An element as an effect or a check names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Seen {
    /// Role.
    pub role: String,
    /// Name; may hold `%name%`.
    pub name: String,
    /// Nearest labelled region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// All that a step was seen to cause.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Effect {
    /// The URL after it, where it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_after: Option<String>,
    /// The target's value after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The target's checked state after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// New elements, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub appeared: Vec<Seen>,
    /// Elements that went, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vanished: Vec<Seen>,
    /// Requests in its window: a correlation, not a cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Requested>,
    /// Native dialogs, by text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dialogs: Vec<String>,
    /// URL of a tab that opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_tab: Option<String>,
    /// Name of a file that was downloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download: Option<String>,
    /// What got the focus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<Seen>,
    /// `true`: the page changed in some way soon after the act. `false`: not at all, so there is nothing to check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stirs: Option<bool>,
}

impl Effect {
    /// True where nothing was seen.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A request in a step's window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Requested {
    /// HTTP method.
    pub method: String,
    /// URL without its query, ids generalised.
    pub url_pattern: String,
}

/// One check. Every key that is present must hold together: role and name find elements, the rest is asked of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Condition {
    /// The page's URL matches this pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_pattern: Option<String>,
    /// Role of an element, of any kind, interactive or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Its name, compared in normalised form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Text that the page (or the element that role and name find) shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Its checked state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// Its enabled state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// How many elements match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// True: none may match. An absence check never heals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<bool>,
}

impl Condition {
    /// Why nothing can be checked by it, where that is so: it asks for nothing, or does not say of which element.
    pub fn lacks(&self) -> Option<&'static str> {
        let element = self.role.is_some() || self.name.is_some() || self.scope.is_some();
        let of_element = self.value.is_some()
            || self.checked.is_some()
            || self.enabled.is_some()
            || self.count.is_some()
            || self.gone.is_some() && self.text.is_none();
        if !element && of_element {
            return Some("it does not say of which element");
        }
        // Every page shows an empty text.
        let text = self.text.as_deref().is_some_and(|text| !text.is_empty());
        (!element && !text && self.url_pattern.is_none()).then_some("it asks for nothing")
    }
}

/// A declared business result, or a condition that a retry may cure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Outcome {
    /// Its code, e.g. `member_not_found`.
    pub code: String,
    /// When it holds.
    pub when: Condition,
    /// What to tell people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
