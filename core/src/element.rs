//! One interactive element of a page, as the probe lists it and the ladder judges it.

use crate::map::Named;
use serde::{Deserialize, Serialize};

/// The name of an element for as long as it lives: `3e12` is element 12 of the lease's document 3.
///
/// The document number changes with every navigation, so a ref from an earlier page is refused by its prefix alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ref(pub String);

/// A box in CSS pixels: left, top, width, height, relative to the top page's viewport. On the wire `[x,y,w,h]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 4]", into = "[f64; 4]")]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl From<[f64; 4]> for Rect {
    fn from([x, y, width, height]: [f64; 4]) -> Self {
        Self { x, y, width, height }
    }
}

impl From<Rect> for [f64; 4] {
    fn from(rect: Rect) -> Self {
        [rect.x, rect.y, rect.width, rect.height]
    }
}

/// One frame on the way from the top page to an element. An empty path is the top page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct FrameStep {
    /// Place among the frames of its parent document, from 0 (`parent[i] === window`).
    pub index: u32,
    /// The frame element's `name`, empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The frame's URL, ids generalised as in a URL pattern.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
}

/// The way from the top page to a frame; empty for the top page itself.
pub type FramePath = Vec<FrameStep>;

/// The nearest labelled ancestor region of an element.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// `role:name`, e.g. `group:All applications`; `heading:Billing` where only a heading labels the section.
    pub label: String,
    /// True where the label is a fallback (heading, card, list item) and no ARIA region.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
}

/// Whether a person could use the element where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Usable {
    /// The topmost thing at one of its points.
    Yes,
    /// Outside the viewport, where a hit test gives no answer. Taken for usable.
    #[default]
    Unknown,
    /// Something else lies over every usable point; `by` says what, in words.
    Covered {
        /// The covering element as `role "name"` or `<tag>`.
        by: String,
    },
    /// Behind an open modal dialog, or inside an `inert` part.
    Inert,
    /// `disabled`, or inside a disabled fieldset, or `aria-disabled`.
    Disabled,
    /// Not rendered: no box, `display: none`, `visibility: hidden`, fully transparent, clipped away.
    Hidden,
}

impl Usable {
    /// True where a person's click could reach the element.
    pub fn is_usable(&self) -> bool {
        matches!(self, Self::Yes | Self::Unknown)
    }
}

/// The states that matter for a person and for a check. Absent means "does not apply".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct States {
    /// `checked` / `aria-checked`: `true`, `false` or `mixed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<Tristate>,
    /// Present and true only where the element is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
    /// `aria-expanded`, an open `<details>`, an open popover or listbox of its invoker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    /// `aria-selected` or a selected option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    /// `aria-pressed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressed: Option<Tristate>,
    /// `readonly` / `aria-readonly`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readonly: Option<bool>,
    /// `required` / `aria-required`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// `aria-invalid` other than `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid: Option<bool>,
    /// True where the element has the focus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focused: Option<bool>,
    /// `aria-hidden` is set on it or above it, yet a person can click it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aria_hidden: Option<bool>,
    /// The value of a field, masked where it is secret; a password's value is never read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// True where `value` is withheld or masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<bool>,
    /// The options of a closed select, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// More can be scrolled into view in this container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrollable: Option<bool>,
    /// Its name, its value or an attribute was longer than what is kept, and is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<bool>,
}

/// A state with a third value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Tristate {
    /// On.
    True,
    /// Off.
    False,
    /// Partly.
    Mixed,
}

/// One entry of the index, with the evidence that tells it from its twins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Element {
    /// The ref; `None` in stored pages that no probe has numbered.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<Ref>,
    /// ARIA role, or one of the pseudo-roles `date`, `time`, `color`, `file`; `generic` with an `affordance`.
    pub role: String,
    /// Accessible name as rendered, white space collapsed. Compare only through the normalised form.
    pub name: String,
    /// Lower-case tag name.
    pub tag: String,
    /// The nearest labelled region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Frames from the top page to the element.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frame: FramePath,
    /// Border box.
    #[serde(rename = "box")]
    pub bounds: Rect,
    /// States.
    pub states: States,
    /// Can a person use it?
    pub usable: Usable,
    /// `click` where only the cursor or a handler attribute says that it can be clicked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affordance: Option<String>,
    /// Stable attributes: `id`, `name`, `type`, `href`, `data-testid` (or the configured one), `class`, `title`,
    /// `placeholder`, `autocomplete`, `alt`. Values are cut at 200 characters.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub attributes: Named<String>,
    /// Absolute XPath inside its frame and root; parts inside shadow roots are joined by ` >> `.
    pub path: String,
    /// Key of its table row or list item: the row header, else the first cell or line that is not a control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_key: Option<String>,
    /// Nearest preceding heading, legend or caption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// Text of the nearest ancestor without the element's own text, cut at 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
}

impl Element {
    /// An attribute's value, `None` where it is absent or empty.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}
