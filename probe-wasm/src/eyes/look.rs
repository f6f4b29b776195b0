//! The eyes of one frame: the last view, when it is stale, and the listing of it.

use std::future::Future;
use std::rc::Rc;

use cairn_core::candidate::Options;
use cairn_core::element::{Element as Entry, Ref};
use cairn_core::script::Target;
use cairn_core::snapshot::{Kind, Symbol, sym};
use cairn_core::wire::page::{Configure, ListOptions, Listed, Listing, Selectors};
use cairn_core::wire::{ErrorCode, WireError};
use cairn_core::{name, role, text};
use js_sys::Object;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Event};

use super::View;
use super::collector::{self, Held};
use super::read::{self, Extent, Page};
use super::refs::Refs;
use super::renew;
use crate::native;

/// The bound of a read where none is given, in milliseconds.
const BOUND_MS: f64 = 2_000.0;
/// Listings are cut at this many elements.
const LISTING_LIMIT: usize = 20_000;

/// The eyes of one frame.
#[derive(Default)]
pub struct Eyes {
    options: Options,
    /// Elements that nothing says can be acted on, and a person was seen to.
    adopted: Vec<Element>,
    /// The last view and the change after which it was made.
    view: Option<(f64, Rc<View>)>,
    /// What `structural` was when it was made.
    structure: f64,
    /// How long the last view took to be read, in milliseconds.
    read_ms: f64,
    /// Role and name of each ref as they were last listed.
    refs: Refs,
    /// What is seen instead of the page: the page as it was when an event of then is heard now.
    recalled: Option<Recalled>,
}

/// An earlier moment of the page.
struct Recalled {
    held: Held,
    view: Rc<View>,
    adopted: usize,
}

impl Eyes {
    /// Eyes that have not looked yet.
    pub fn new() -> Self {
        collector::watch();
        Self::default()
    }

    /// Takes the document's number, its place and the test id attributes.
    pub fn configure(&mut self, configure: &Configure) {
        self.options = Options {
            test_ids: configure.test_id_attributes.clone(),
            frame: configure.frame.clone(),
            document: configure.document,
        };
        self.invalidate();
    }

    /// The page as it is now. Nothing is read again where nothing changed.
    pub fn look(&mut self) -> Rc<View> {
        if let Some(recalled) = &mut self.recalled {
            if recalled.adopted != self.adopted.len() {
                recalled.adopted = self.adopted.len();
                recalled.view = Rc::new(view_of(&recalled.held, &self.adopted, &self.options));
            }
            return Rc::clone(&recalled.view);
        }
        self.look_within(BOUND_MS)
    }

    /// Sees the page as the stub held it from now on; `null`: as it is.
    pub fn recall(&mut self, held: JsValue) {
        if held.is_null() || held.is_undefined() {
            self.recalled = None;
            return;
        }
        let held: Held = held.unchecked_into();
        // Two events of one moment have one page.
        let known = self.recalled.take().filter(|known| Object::is(&known.held.page(), &held.page()));
        let adopted = self.adopted.len();
        let view = known
            .filter(|known| known.adopted == adopted && known.held.boxes().to_vec() == held.boxes().to_vec())
            .map_or_else(|| Rc::new(view_of(&held, &self.adopted, &self.options)), |known| known.view);
        self.recalled = Some(Recalled { held, view, adopted });
    }

    /// The URL of what is seen.
    pub fn url(&self) -> String {
        self.recalled.as_ref().map_or_else(native::url, |recalled| recalled.view.snapshot().url.clone())
    }

    /// True where an earlier moment of the page is seen.
    pub fn is_recalling(&self) -> bool {
        self.recalled.is_some()
    }

    /// The last view, where nothing but values, ticks and the focus changed since: what is there, what it is called and
    /// what is disabled still stands in it, values do not. Else the page as it is now.
    pub fn glance(&mut self) -> Rc<View> {
        match &self.view {
            Some((_, view)) if self.structure >= collector::structural() => Rc::clone(view),
            _ => self.look(),
        }
    }

    /// Since when nothing but values, ticks and the focus has changed, in milliseconds since the document began. What no one
    /// was told of yet is noticed by a look or a glance before this.
    pub fn resting_since(&self) -> f64 {
        collector::resting_since()
    }

    fn look_within(&mut self, budget: f64) -> Rc<View> {
        let known = self.view.as_ref().map_or(0.0, |(change, _)| *change);
        let current = collector::current(known);
        if let Some((change, view)) = &self.view
            && *change >= current
        {
            return Rc::clone(view);
        }
        let structure = collector::structural();
        let began = native::now();
        let view = Rc::new(match self.renewed(budget) {
            Some(page) => View::new(page, self.options.clone()),
            None => self.read(Extent { hidden: false, generated: false, budget }),
        });
        self.read_ms = native::now() - began;
        self.view = Some((current, Rc::clone(&view)));
        self.structure = structure;
        view
    }

    /// The last page with what changed since read anew, where nobody else looks at it and it is certain how far the changes reach.
    fn renewed(&mut self, budget: f64) -> Option<Page> {
        let (_, view) = self.view.take()?;
        renew::page(Rc::into_inner(view)?.into_page(), &self.adopted, budget)
    }

    fn read(&self, extent: Extent) -> View {
        View::new(read::page(extent, &self.adopted), self.options.clone())
    }

    /// Lists an element from now on that nothing says can be acted on: a person was seen to.
    pub fn adopt(&mut self, element: &Element) {
        if !self.adopted.contains(element) {
            self.adopted.push(element.clone());
            self.invalidate();
        }
    }

    /// Takes back `adopt`: nothing came of the act.
    pub fn disown(&mut self, element: &Element) {
        self.adopted.retain(|adopted| adopted != element);
        self.invalidate();
    }

    /// Takes back all of `adopt`: what was listed for one act would pass for the target of another.
    pub fn disown_all(&mut self) {
        if !self.adopted.is_empty() {
            self.adopted.clear();
            self.invalidate();
        }
    }

    /// Lists what a target's selectors hit outside of the index, where it has the target's role, and nothing else that was
    /// listed so: it would pass for a twin. True where that changed the index. The ladder judges it like any other.
    pub fn adopt_for(&mut self, target: &Target) -> bool {
        let view = self.look();
        let tag = target.attributes.get("tag");
        let mut wanted: Vec<Element> = Vec::new();
        for (hit, listed) in target.all_selectors().filter_map(|one| view.sole_hit(one, &target.role)) {
            let strange = !listed || self.adopted.contains(&hit);
            // What says the same by its name may be what lies around it.
            let alike = tag.is_none_or(|tag| *tag == native::tag(&hit));
            if strange && alike && !wanted.contains(&hit) {
                wanted.push(hit);
            }
        }
        if wanted.len() == self.adopted.len() && wanted.iter().all(|one| self.adopted.contains(one)) {
            return false;
        }
        self.adopted = wanted;
        self.invalidate();
        true
    }

    /// Forgets the last view: something changed that the page does not report.
    pub fn invalidate(&mut self) {
        self.view = None;
    }

    /// Resolves at the next change of the page: a mutation, an input, a scroll.
    pub fn on_change(&self) -> impl Future<Output = ()> + use<> {
        let change = JsFuture::from(collector::next_change());
        async move {
            // The promise is never rejected.
            let _ = change.await;
        }
    }

    /// The DOM element of a ref, where it still is what it was when it was listed.
    pub fn node(&self, reference: &Ref) -> Result<Element, WireError> {
        let stale = |why: &str| WireError {
            code: ErrorCode::StaleRef,
            message: format!("ref {} {why}", reference.0),
            hint: "list the page again and take a ref from there".to_owned(),
        };
        let (document, number) = reference
            .0
            .split_once('e')
            .and_then(|(document, number)| Some((document.parse::<u32>().ok()?, number.parse::<u32>().ok()?)))
            .ok_or_else(|| stale("is not of the form 3e12"))?;
        if document != self.options.document {
            return Err(stale("is from an earlier page"));
        }
        let view = match &self.view {
            Some((change, view)) if *change >= collector::current(*change) => Rc::clone(view),
            _ => Rc::new(self.read(Extent { hidden: false, generated: false, budget: BOUND_MS })),
        };
        let place =
            view.place_of_number(number).ok_or_else(|| stale("names an element that is no longer there"))?;
        if let (Some((role, name)), Some(now)) = (self.refs.get(number), view.index().get(place))
            && (role != now.role || !text::same_name(name, &now.name) && name != now.name)
        {
            return Err(stale(&format!(
                "was {role} \u{201c}{name}\u{201d} and is now {} \u{201c}{}\u{201d}",
                now.role, now.name
            )));
        }
        view.node_at(place)
            .filter(|element| collector::is_connected(element))
            .ok_or_else(|| stale("names an element that is no longer there"))
    }

    /// The index as a listing. The time it says is that of the whole list: of the read that its view was made by, whenever
    /// that was, and of the listing itself.
    pub fn list(&mut self, options: &ListOptions) -> Listing {
        let budget = if options.bound_ms == 0 { BOUND_MS } else { f64::from(options.bound_ms) } * 0.6;
        let mut began = native::now();
        if options.tree {
            let listing = self.tree(budget);
            return Listing { took_ms: native::now() - began, ..listing };
        }
        let view = self.look_within(budget);
        began = native::now();
        let mut listing = self.begin(&view);
        let listed = view.listed(options, LISTING_LIMIT);
        listing.truncated |= listed.truncated;
        let selectors = match options.selectors {
            Selectors::First => view.first_selectors(&listed),
            Selectors::Path => view.paths(&listed.nodes),
            Selectors::None => Vec::new(),
        };
        let mut selectors = selectors.into_iter();
        listing.frames = view.held_frames(&listed.nodes);
        for (index, (node, element)) in (0..).zip(listed.nodes.iter().zip(listed.elements)) {
            self.refs.remember(view.snapshot().node(*node).number, &element.role, &element.name);
            listing.elements.push(Listed { index, element, selector: selectors.next() });
        }
        listing.took_ms = self.read_ms + native::now() - began;
        listing
    }

    fn begin(&self, view: &View) -> Listing {
        let snapshot = view.snapshot();
        let document = web_sys::window().and_then(|window| window.document());
        let loading = document.is_some_and(|document| document.ready_state() != "complete");
        let (url, title) = (snapshot.url.clone(), snapshot.title.clone());
        let place = collector::own_place();
        Listing { url, title, loading, truncated: snapshot.truncated, place, ..Listing::default() }
    }

    /// Every element with role, name and selector; what is not rendered has no name.
    fn tree(&mut self, budget: f64) -> Listing {
        let view = self.read(Extent { hidden: true, generated: true, budget });
        let snapshot = view.snapshot();
        let mut paths = cairn_core::selector::Paths::new(snapshot);
        let mut listing = self.begin(&view);
        let mut nodes = Vec::new();
        for (id, node) in snapshot.nodes.iter().enumerate() {
            if node.kind != Kind::Element || is_unrendered_tag(node.tag) {
                continue;
            }
            nodes.push(id);
            let path = paths.of(id);
            let attributes = snapshot
                .attribute_named(id, "id")
                .map(|own| ("id".to_owned(), own.to_owned()))
                .into_iter()
                .collect();
            let element = Entry {
                reference: Some(Ref(format!("{}e{}", self.options.document, node.number))),
                role: role::of(snapshot, id).to_owned(),
                name: name::of(snapshot, id),
                tag: snapshot.tag(id).to_owned(),
                frame: self.options.frame.clone(),
                attributes,
                path: path.clone(),
                ..Entry::default()
            };
            listing.elements.push(Listed {
                index: listing.elements.len() as u32,
                element,
                selector: Some(format!("xpath={path}")),
            });
        }
        listing.frames = view.held_frames(&nodes);
        listing
    }

    /// The whole DOM as data, every text passed through `mask` first.
    pub fn snapshot_json(&mut self, mask: &dyn Fn(&str) -> String) -> String {
        self.look().snapshot().to_json(mask, &crate::number::NUMBERS)
    }
}

/// The page as a person's act meets it, for an act that nobody hears yet: the page may answer it by taking away what was
/// acted on.
pub fn held_for(event: &Event, held: JsValue) -> JsValue {
    let is_act = matches!(
        event.type_().as_str(),
        "pointerdown" | "click" | "contextmenu" | "keydown" | "input" | "change" | "submit"
    );
    if !held.is_null() || !is_act || !event.is_trusted() {
        return held;
    }
    let target = event.composed_path().get(0).dyn_into::<Element>().ok();
    collector::hold(target.as_ref()).map_or(held, Into::into)
}

fn view_of(held: &Held, adopted: &[Element], options: &Options) -> View {
    View::new(read::held(held, adopted), options.clone())
}

/// Parts of a document that never show and name nothing.
fn is_unrendered_tag(tag: Symbol) -> bool {
    matches!(
        tag,
        sym::HEAD
            | sym::TITLE
            | sym::SCRIPT
            | sym::STYLE
            | sym::META
            | sym::LINK
            | sym::TEMPLATE
            | sym::NOSCRIPT
    )
}
