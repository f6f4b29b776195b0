//! One heal to be judged: a target, the page it was recorded on where that is known, the page now, and the truth.

use std::rc::Rc;

use cairn_core::ladder::{Hits, Index, Rung, Selectors};
use cairn_core::script::Target;

/// What the right answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// This element.
    Heal(usize),
    /// This element, or none.
    HealOrDecline(usize),
    /// None: the target is gone, or nothing tells it any more.
    Decline {
        /// Elements that do the same as the target did (same link, same name): acting on them does no harm.
        harmless: Vec<usize>,
    },
}

/// One heal to be judged.
pub struct Task {
    /// Site, application or host: what results are grouped and split by.
    pub group: String,
    /// What it is, for people.
    pub label: String,
    /// How the page was changed; empty where we did not change it.
    pub operators: Vec<&'static str>,
    /// What the script remembers.
    pub target: Target,
    /// The element as it was, for the rivals that compare whole elements.
    pub old: Rc<Rival>,
    /// The page now.
    pub page: Rc<Page>,
    /// The right answer.
    pub truth: Truth,
    /// The recorded XPath misses, or hits something else.
    pub drifted: bool,
}

/// A page: its index, and what the rivals want beside it.
pub struct Page {
    /// The elements.
    pub index: Index,
    /// One entry an element.
    pub rivals: Vec<Rival>,
}

/// What the rivals compare: not part of an element.
#[derive(Clone, Debug, Default)]
pub struct Rival {
    /// The element's attributes as one list is kept beside, so that rivals need no index of the old page.
    pub element: cairn_core::element::Element,
    /// XPath from the nearest ancestor with an id.
    pub id_path: String,
    /// The dataset's own idea of a button.
    pub is_button: bool,
}

impl Rival {
    /// What can be said of an element without its page.
    pub fn of(element: &cairn_core::element::Element) -> Self {
        let is_button = element.role == "button" || element.tag == "button";
        Self { element: element.clone(), id_path: element.path.clone(), is_button }
    }
}

/// Answers selectors over a list: `xpath=`, `id=`, `name=`, `testid=`.
impl Selectors for Page {
    fn hits(&self, selector: &str) -> Hits {
        let Some((kind, value)) = selector.split_once('=') else { return Hits::default() };
        let key = match kind {
            "testid" => "data-testid",
            other => other,
        };
        let elements = self.index.elements().iter().enumerate();
        let hit = |element: &cairn_core::element::Element| match key {
            "xpath" => element.path == value,
            _ => element.attribute(key) == Some(value),
        };
        Hits {
            listed: elements.filter(|(_, element)| hit(element)).map(|(place, _)| place).collect(),
            others: 0,
        }
    }
}

/// What a resolver did.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The element it would act on.
    pub pick: Option<usize>,
    /// The rung, where the resolver has rungs.
    pub rung: Option<Rung>,
    /// Why, in words.
    pub reason: String,
}

impl Answer {
    /// An answer without a rung.
    pub fn plain(pick: Option<usize>) -> Self {
        Self { pick, rung: None, reason: String::new() }
    }
}

/// Anything that finds targets again.
pub trait Resolver {
    /// Its name in the tables.
    fn name(&self) -> &'static str;
    /// The element it would act on.
    fn choose(&self, task: &Task) -> Answer;
}
