//! The operators by name and weight.

use cairn_core::element::Element;
use cairn_core::text::normalise;

use super::chance::Chance;
use super::document::Document;
use super::{neutral, telling};

/// What the right answer is after an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Find it.
    Heal,
    /// Find it or decline; nothing else.
    Either,
    /// Decline.
    Decline,
}

/// One kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Containers around the target or an ancestor; another tag for a container.
    Wrap,
    /// Siblings and blocks before it inserted, removed, reordered; a banner on top.
    Shuffle,
    /// Every class and id hashed, test ids dropped.
    Hash,
    /// Boxes elsewhere, another viewport.
    Move,
    /// The name decorated.
    Decorate,
    /// Another tag or role of its class.
    Swap,
    /// One word more, a plural.
    RelabelNear,
    /// Another word, or the whole page in another language.
    RelabelFar,
    /// Another word, and the old one stands elsewhere.
    Decoy,
    /// Gone.
    Remove,
    /// Gone, its twins stay.
    RemoveTwin,
    /// Its region twice.
    Duplicate,
    /// In another labelled region.
    Relocate,
    /// Same-named row controls changed places, or a row above.
    Rows,
    /// Its name gone, or a name for an unnamed one.
    Strip,
    /// A copy that cannot be used.
    Copy,
    /// In a shadow root or a frame.
    Shadow,
    /// Another page in its place.
    OtherPage,
}

/// Weight of each, by how often each is why a recorded test breaks.
const WEIGHTS: [(Operator, usize); 18] = [
    (Operator::Wrap, 18),
    (Operator::Shuffle, 14),
    (Operator::Hash, 14),
    (Operator::Move, 6),
    (Operator::Decorate, 7),
    (Operator::Swap, 6),
    (Operator::RelabelNear, 4),
    (Operator::RelabelFar, 5),
    (Operator::Decoy, 3),
    (Operator::Remove, 5),
    (Operator::RemoveTwin, 3),
    (Operator::Duplicate, 4),
    (Operator::Relocate, 3),
    (Operator::Rows, 4),
    (Operator::Strip, 2),
    (Operator::Copy, 2),
    (Operator::Shadow, 1),
    (Operator::OtherPage, 3),
];

/// Those that must not matter, whatever else happened.
const NEUTRAL: [Operator; 5] =
    [Operator::Wrap, Operator::Shuffle, Operator::Hash, Operator::Move, Operator::Decorate];

impl Operator {
    /// Draws one by weight.
    pub fn draw(chance: &mut Chance) -> Self {
        Self::draw_from(&WEIGHTS, chance)
    }

    /// Draws one that must not matter, by weight.
    pub fn draw_neutral(chance: &mut Chance) -> Self {
        let some: Vec<(Self, usize)> =
            WEIGHTS.iter().copied().filter(|(which, _)| NEUTRAL.contains(which)).collect();
        Self::draw_from(&some, chance)
    }

    fn draw_from(weights: &[(Self, usize)], chance: &mut Chance) -> Self {
        let mut left = chance.below(weights.iter().map(|(_, weight)| weight).sum());
        for (which, weight) in weights {
            if left < *weight {
                return *which;
            }
            left -= weight;
        }
        Self::Wrap
    }

    /// Its name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wrap => "wrap in containers",
            Self::Shuffle => "insert, remove, reorder before it",
            Self::Hash => "hash classes and ids",
            Self::Move => "move boxes",
            Self::Decorate => "decorate the name",
            Self::Swap => "swap role inside its class",
            Self::RelabelNear => "relabel nearly",
            Self::RelabelFar => "relabel far",
            Self::Decoy => "relabel, decoy takes the name",
            Self::Remove => "remove",
            Self::RemoveTwin => "remove, its twin survives",
            Self::Duplicate => "duplicate its region",
            Self::Relocate => "move to another region",
            Self::Rows => "swap rows, insert a row",
            Self::Strip => "strip or give a name",
            Self::Copy => "add an unusable copy",
            Self::Shadow => "into a shadow root or frame",
            Self::OtherPage => "another page in its place",
        }
    }

    /// The elements of a page that this operator makes sense for.
    pub fn suitable(self, page: &[Element]) -> Vec<usize> {
        let usable = (0..page.len()).filter(|place| page[*place].usable.is_usable());
        let named = |place: &usize| !normalise(&page[*place].name).is_empty();
        let twin = |place: &usize| {
            let name = normalise(&page[*place].name);
            let same = |other: &Element| other.role == page[*place].role && normalise(&other.name) == name;
            page.iter().filter(|other| same(other)).count() > 1
        };
        match self {
            Self::Decorate | Self::RelabelNear | Self::RelabelFar | Self::Swap => {
                usable.filter(named).collect()
            }
            Self::Decoy => usable.filter(|place| named(place) && !twin(place)).collect(),
            Self::RemoveTwin => usable.filter(twin).collect(),
            Self::Rows => usable.filter(|place| page[*place].row_key.is_some() && twin(place)).collect(),
            _ => usable.collect(),
        }
    }

    /// Changes the page and says what is right now; `None` where there was nothing to change.
    pub fn apply(self, document: &mut Document, chance: &mut Chance) -> Option<Right> {
        match self {
            Self::Wrap => neutral::wrap(document, chance),
            Self::Shuffle => neutral::shuffle(document, chance),
            Self::Hash => neutral::hash(document, chance),
            Self::Move => neutral::move_boxes(document, chance),
            Self::Decorate => neutral::decorate(document, chance),
            Self::Copy => neutral::unusable_copy(document, chance),
            Self::Shadow => neutral::shadow(document, chance),
            Self::Swap => telling::swap_role(document),
            Self::RelabelNear => telling::relabel_near(document, chance),
            Self::RelabelFar => telling::relabel_far(document, chance),
            Self::Decoy => telling::decoy(document, chance),
            Self::Remove => telling::remove(document),
            Self::RemoveTwin => telling::remove_twin(document),
            Self::Duplicate => telling::duplicate_region(document, chance),
            Self::Relocate => telling::relocate(document, chance),
            Self::Rows => telling::rows(document, chance),
            Self::Strip => telling::strip(document, chance),
            Self::OtherPage => telling::other_page(document, chance),
        }
    }
}
