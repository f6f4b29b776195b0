//! DOM events read into plain records. The one file of the recorder, beside `stir`, that touches the page.

use cairn_core::map::Map;
use cairn_core::script::course;
use cairn_core::text;

use js_sys::{Array, WeakMap};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, MouseEvent};

use super::control::{Chosen, Control, Kind, NodeId, Place};
use super::heard::Heard;
use super::key::KeyStroke;
use super::part::part_in;
use super::secret::Field;
use crate::eyes::{Eyes, View, collector};
use crate::native;

/// What tells of an element what is dropped there.
const SAYS: &str = "[role],[aria-label],[aria-labelledby],[data-testid],[id],li,td,th,section,article";

/// A pointer that moved so far was drawing something along, in CSS pixels.
const FAR: f64 = 16.0;

/// So many elements are held to be read again; beyond that, those that left the page are let go.
const MOST_HELD: usize = 200;

/// Reads events, and knows the nodes they came from.
pub struct Reader {
    numbers: WeakMap<JsValue, JsValue>,
    last: u32,
    held: Map<NodeId, Element>,
    /// The event being read is over already: states are no longer those that it met.
    late: bool,
    /// Where the pointer's button went down last.
    down: Option<(f64, f64)>,
    /// What is being drawn along.
    pull: Option<Pull>,
    /// The field that was typed into last.
    typed_into: Option<NodeId>,
}

/// What tells one field from another, whatever it holds.
const TELLING: [&str; 6] = ["id", "name", "type", "aria-label", "placeholder", "maxlength"];

impl Reader {
    /// A reader that has seen nothing.
    pub fn new() -> Self {
        Self {
            numbers: WeakMap::new_typed(),
            last: 0,
            held: Map::new(),
            late: false,
            down: None,
            pull: None,
            typed_into: None,
        }
    }

    /// The number of an element, the same as long as it lives.
    fn number(&mut self, element: &Element) -> NodeId {
        let key: &JsValue = element.as_ref();
        let known = self.numbers.get(key).as_f64();
        let node = NodeId(known.map_or_else(
            || {
                let number = self.renewed(element).unwrap_or_else(|| {
                    self.last += 1;
                    self.last
                });
                self.numbers.set(key, &JsValue::from(number));
                number
            },
            |number| number as u32,
        ));
        if self.held.get(&node).is_some_and(|held| held != element) {
            self.held.insert(node, element.clone());
        }
        if self.held.len() >= MOST_HELD {
            self.held.retain(|_, element| native::is_connected(element));
        }
        self.held.get_or_insert_with(node, || element.clone());
        node
    }

    /// The number of the field that was typed into, where the page has put this one in its place: some are made anew at
    /// every key.
    fn renewed(&self, element: &Element) -> Option<u32> {
        let node = self.typed_into?;
        let before = self.held.get(&node).filter(|before| !native::is_connected(before))?;
        let is_same = |name: &&str| native::attribute(before, name) == native::attribute(element, name);
        let tag = native::tag(before) == native::tag(element) && own_kind(element).is_some_and(Kind::is_text);
        (tag && TELLING.iter().all(is_same)).then_some(node.0)
    }

    /// The element of a node.
    pub fn element(&self, node: NodeId) -> Option<&Element> {
        self.held.get(&node)
    }

    /// The innermost element that an event happened on, inside open shadow roots too.
    pub fn target(event: &Event) -> Option<Element> {
        Self::path(event).into_iter().next()
    }

    /// The elements that an event passed, the innermost first.
    fn path(event: &Event) -> Vec<Element> {
        // An event that was kept until the probe was ready has its path as a property of its own.
        let own = js_sys::Reflect::get(event, &"composedPath".into()).ok();
        let path = own.and_then(|own| own.dyn_into::<js_sys::Function>().ok()?.call0(event).ok());
        let mut path: Vec<Element> = path
            .map(|path| Array::from(&path).iter().filter_map(|one| one.dyn_into().ok()).collect())
            .unwrap_or_default();
        if path.is_empty() {
            path.extend(native::get("Event", "target", event).dyn_into::<Element>().ok());
        }
        if let Some(host) = path.first().cloned() {
            into_closed_roots(event, &host, &mut path);
        }
        path
    }

    /// The pointer has moved since its button went down last: what it is over now has not come under it by itself.
    pub fn has_moved(&self, event: &Event) -> bool {
        self.down.is_none_or(|down| down != point(event))
    }

    /// The page's bare ground: a click there means nothing, a key there has no target.
    pub fn is_ground(element: &Element) -> bool {
        is_ground(element)
    }

    /// True for a native field whose value is picked rather than typed.
    pub fn is_picker(element: &Element) -> bool {
        own_kind(element) == Some(Kind::Picker)
    }

    /// What the event means as a record; `None` where it is none of the recorder's. `pressed`: it is known already what the
    /// pointer went down on, so a click need not be looked up.
    pub fn read(&mut self, event: &Event, pressed: bool, eyes: &mut Eyes) -> Option<Heard> {
        let path = Self::path(event);
        let target = path.first().cloned();
        self.late = native::get("Event", "eventPhase", event).as_f64() == Some(0.0);
        match event.type_().as_str() {
            "pointerdown" => {
                let (at, mouse) = (point(event), event.dyn_ref::<MouseEvent>()?);
                self.down = Some(at);
                let control = self.placed_on(&path, at, eyes);
                let source = control.and_then(|control| self.element(control.node)).cloned();
                self.pull = source.map(|source| Pull::begin(source, at));
                Some(Heard::Down { control, at, main: mouse.button() == 0 })
            }
            "pointerup" => {
                let at = point(event);
                let far = self.down.is_some_and(|down| (down.0 - at.0).hypot(down.1 - at.1) >= FAR);
                let pulled = if far && !has_selection() { self.end_of_pull(at, eyes) } else { None };
                let (end, way) = pulled.map_or((None, None), |(end, way)| (Some(end), way));
                Some(Heard::Up { at, end, way })
            }
            "drop" => {
                let control = self.end_of_drag(&path, point(event), eyes);
                Some(Heard::Dropped { control })
            }
            "dragstart" => Some(Heard::DragStarted),
            "click" => {
                let at = point(event);
                let control = if pressed { None } else { self.placed_on(&path, at, eyes) };
                Some(Heard::Click { control, at, selects: has_selection(), time: event.time_stamp() })
            }
            "dblclick" => Some(Heard::DoubleClick { alike: false }),
            "contextmenu" => Some(Heard::ContextMenu { control: self.control_on(&path, eyes) }),
            "keydown" => self.read_key(event, &path, eyes),
            "keyup" => Some(Heard::KeyUp),
            "input" | "compositionend" => self.typed(&target?),
            "change" => self.read_change(&target?),
            "pagehide" => Some(Heard::Leaving),
            _ => None,
        }
    }

    fn read_key(&mut self, event: &Event, path: &[Element], eyes: &mut Eyes) -> Option<Heard> {
        let key = event.dyn_ref::<KeyboardEvent>()?;
        let stroke = KeyStroke {
            key: key.key(),
            control: key.ctrl_key(),
            alt: key.alt_key(),
            meta: key.meta_key(),
            shift: key.shift_key(),
            alt_graph: key.get_modifier_state("AltGraph"),
            composing: key.is_composing(),
        };
        let on_ground = path.first().is_none_or(|focused| is_ground(focused) && field_of(focused).is_none());
        let control = if on_ground { None } else { self.control_on(path, eyes) };
        Some(Heard::KeyDown {
            control,
            meaning: stroke.meaning(control.map(|control| control.kind)),
            chord: stroke.chord(),
        })
    }

    fn read_change(&mut self, target: &Element) -> Option<Heard> {
        match own_kind(target)? {
            Kind::Select => {
                let control = self.control(target, Kind::Select);
                let several = native::get("HTMLSelectElement", "multiple", target).is_truthy();
                Some(Heard::Chose { control, options: chosen(target), several })
            }
            Kind::File => {
                let (control, names) = (self.control(target, Kind::File), file_names(target));
                Some(Heard::Gave { control, names, made: false })
            }
            Kind::Picker => self.typed(target),
            _ => None,
        }
    }

    /// A field with the value it holds now.
    pub fn typed(&mut self, target: &Element) -> Option<Heard> {
        let (field, kind) = field_of(target)?;
        if let Some((whole, boxes)) = split_of(&field) {
            let secret = boxes.iter().any(|one| field_facts(one, "").is_secret());
            return Some(Heard::Typed {
                control: self.control(&whole, SPLIT),
                value: joined(&boxes),
                secret,
                added: None,
            });
        }
        if !kind.holds_value() {
            return None;
        }
        let value = value_of(&field, kind);
        let control = self.control(&field, kind);
        self.typed_into = Some(control.node);
        Some(Heard::Typed { control, value, secret: field_facts(&field, "").is_secret(), added: None })
    }

    /// The value that a field, or a row of boxes for one character each, holds now.
    pub fn value(&self, node: NodeId) -> Option<String> {
        let element = self.element(node)?;
        if let Some(boxes) = boxes_in(element) {
            return Some(joined(&boxes));
        }
        self.own_value(node)
    }

    /// The value that a field itself holds now.
    pub fn own_value(&self, node: NodeId) -> Option<String> {
        let (field, kind) = field_of(self.element(node)?)?;
        kind.holds_value().then(|| value_of(&field, kind))
    }

    /// True for what holds a row of boxes for one character each: it is no control by itself.
    pub fn is_split(&self, node: NodeId) -> bool {
        self.element(node).is_some_and(|element| boxes_in(element).is_some())
    }

    /// The checked state of a box, radio or switch; `None` where it is gone.
    pub fn checked(&self, node: NodeId, kind: Kind) -> Option<bool> {
        let element = self.element(node).filter(|element| native::is_connected(element))?;
        checked_of(element, kind)
    }

    /// What a field says of itself.
    pub fn field(&self, node: NodeId, label: &str) -> Field {
        let Some(element) = self.element(node) else { return Field::default() };
        let boxes = boxes_in(element).unwrap_or_default();
        let secret = boxes.iter().map(|one| field_facts(one, label)).find(Field::is_secret);
        secret.unwrap_or_else(|| field_facts(element, label))
    }

    /// The pointer moves with its button down, or what HTML drags is over something: what it passes is remembered, since a
    /// list that sorts itself on the way has nothing but the dragged thing there at the end.
    pub fn passes(&mut self, event: &Event, eyes: &mut Eyes) -> Option<Control> {
        let at = point(event);
        let pull = self.pull.as_mut()?;
        pull.note(at);
        // What it comes to is looked at in any case: the page may have made room there by the next event.
        let over = Self::target(event);
        if over == pull.over && event.time_stamp() - pull.looked < PASSING {
            return None;
        }
        (pull.over, pull.looked) = (over, event.time_stamp());
        let source = pull.source.clone();
        let zone = zone_at(at, &source, eyes).filter(|zone| !native::encloses(zone, &source))?;
        let place = place_in(&zone, at);
        self.pull.as_mut()?.passed = Some((zone.clone(), place));
        Some(self.control(&zone, Kind::Loose))
    }

    /// What a pull of the pointer's ends on, and where in that. Something beside what is drawn along; where the drawn thing
    /// has been sorted in meanwhile, what it passed last; else nothing but how far it went: along a track, over a board.
    fn end_of_pull(&mut self, at: (f64, f64), eyes: &mut Eyes) -> Option<(Control, Option<String>)> {
        let mut pull = self.pull.take()?;
        pull.note(at);
        let zone = zone_at(at, &pull.source, eyes);
        let passed =
            pull.passed.clone().filter(|(passed, _)| pull.is_sorted() && native::is_connected(passed));
        let holds = zone.as_ref().is_none_or(|zone| native::encloses(zone, &pull.source));
        // What is drawn on is not carried anywhere.
        let is_drawing = native::tag(&pull.source) == "canvas";
        let (zone, place) = match (zone, passed) {
            (_, Some(passed)) if !is_drawing && (holds || pull.is_new(at)) => passed,
            _ if holds || is_drawing => {
                let way = course::write(pull.begun_at, course::thin(&pull.way).get(1..).unwrap_or_default());
                return Some((self.control(&pull.source, Kind::Loose), Some(way)));
            }
            (Some(zone), _) => {
                let place = place_in(&zone, at);
                (zone, place)
            }
            (None, _) => return None,
        };
        Some((Control { place: Some(place), ..self.control(&zone, Kind::Loose) }, None))
    }

    /// What HTML drags was let go over this.
    fn end_of_drag(&mut self, path: &[Element], at: (f64, f64), eyes: &mut Eyes) -> Option<Control> {
        let pull = self.pull.take();
        let zone = telling(path, &eyes.look())?;
        let own = pull
            .filter(|pull| native::encloses(&pull.source, &zone) || native::encloses(&zone, &pull.source));
        // Before or behind a thing in a list, above or below its middle: it matters where. A thing ends on what it lies in
        // rather than on itself, which would say nothing of where that is.
        let (end, place) = match own {
            Some(Pull { passed: Some(passed), .. }) => passed,
            own => {
                let around = own.and_then(|pull| {
                    let outer = path.iter().filter(|one| !native::encloses(&pull.source, one)).cloned();
                    telling(&outer.collect::<Vec<_>>(), &eyes.look())
                });
                let end = around.unwrap_or(zone);
                let place = place_in(&end, at);
                (end, place)
            }
        };
        Some(Control { place: Some(place), ..self.control(&end, Kind::Loose) })
    }

    /// What a person means who points at this: the innermost thing around it that can be found again.
    pub fn pointed_at(&mut self, element: &Element, view: &View) -> Control {
        let size = |element: &Element| {
            let [.., width, height] = native::bounds(element);
            width * height
        };
        let most = size(element) * 3.0;
        // What is much larger holds more than what was meant.
        let path: Vec<Element> = upwards(element).into_iter().take_while(|one| size(one) <= most).collect();
        let meant = telling(&path, view).unwrap_or_else(|| element.clone());
        self.control(&meant, Kind::Loose)
    }

    /// A container as something that can be acted on.
    pub fn container(&mut self, element: &Element) -> Control {
        self.control(element, Kind::Loose)
    }

    fn control(&mut self, element: &Element, kind: Kind) -> Control {
        let checked = checked_of(element, kind).filter(|_| !self.late);
        Control { node: self.number(element), kind, checked, place: None }
    }

    /// As `control_on`, with the place in it where that is what was meant.
    fn placed_on(&mut self, path: &[Element], at: (f64, f64), eyes: &mut Eyes) -> Option<Control> {
        let control = self.control_on(path, eyes)?;
        let element = self.element(control.node)?.clone();
        let place = is_ground_of_its_own(&element, control.kind).then(|| place_in(&element, at));
        Some(Control { place, ..control })
    }

    /// The control that a person meant who hit the first of these.
    fn control_on(&mut self, path: &[Element], eyes: &mut Eyes) -> Option<Control> {
        let hit = path.first()?;
        if let Some((field, kind)) = field_of(hit) {
            let whole = split_of(&field).map(|(whole, _)| (whole, SPLIT));
            let (field, kind) = whole.unwrap_or((field, kind));
            return Some(self.control(&field, kind));
        }
        let view = eyes.look();
        let listed = view.position_on(path).and_then(|place| Some((place, view.node_at(place)?)));
        if let Some((place, listed)) = listed {
            let role = view.index().get(place).map(|entry| entry.role.as_str());
            if let Some(part) = part_in(&listed, role.unwrap_or_default(), path) {
                return Some(self.control(&part, Kind::Loose));
            }
            let (element, kind) = field_of(&listed).unwrap_or_else(|| {
                let kind = if is_switch(&listed) { Kind::Switch } else { Kind::Plain };
                (listed, kind)
            });
            return Some(self.control(&element, kind));
        }
        let mut loose = hit.clone();
        while !loose.is_instance_of::<HtmlElement>() {
            if native::tag(&loose) == "svg" && is_wide(&loose) {
                break;
            }
            loose = native::parent(&loose)?;
        }
        let kind = if native::tag(&loose) == "canvas" { Kind::Canvas } else { Kind::Loose };
        (!is_ground(&loose)).then(|| self.control(&loose, kind))
    }
}

/// What is drawn along by the pointer.
struct Pull {
    source: Element,
    /// Its neighbours when that began.
    beside: (JsValue, JsValue),
    /// What it passed last, and where in that.
    passed: Option<(Element, Place)>,
    /// When it was last asked what is passed, and what the pointer was over then.
    looked: f64,
    over: Option<Element>,
    /// Where the pointer took hold of it: in the viewport, and in something large that matters.
    from: (f64, f64),
    begun_at: Option<(u16, u16)>,
    /// The way since, as distances from there.
    way: Vec<(i32, i32)>,
}

/// What is passed is asked for no more often than this, in milliseconds, as long as that is one thing.
const PASSING: f64 = 30.0;

/// Corners of a way that are held.
const MOST_CORNERS: usize = 4000;

/// So far from its middle, in thousandths of its size, a thing was taken hold of elsewhere.
const MIDDLE: u16 = 100;

impl Pull {
    fn begin(source: Element, from: (f64, f64)) -> Self {
        let Place(across, down) = place_in(&source, from);
        let is_off = [across, down].iter().any(|share| share.abs_diff(500) > MIDDLE);
        let begun_at = (is_off && is_wide(&source)).then_some((across, down));
        Self {
            beside: beside(&source),
            source,
            passed: None,
            looked: f64::NEG_INFINITY,
            over: None,
            from,
            begun_at,
            way: vec![(0, 0)],
        }
    }

    fn note(&mut self, at: (f64, f64)) {
        let to = ((at.0 - self.from.0) as i32, (at.1 - self.from.1) as i32);
        if self.way.len() < MOST_CORNERS && self.way.last() != Some(&to) {
            self.way.push(to);
        }
    }

    /// It has other neighbours now: the page has sorted it in, or made room for it.
    fn is_sorted(&self) -> bool {
        self.beside != beside(&self.source)
    }

    /// What lies under the pointer now stands where room was made for what is drawn along.
    fn is_new(&self, at: (f64, f64)) -> bool {
        let under = native::topmost(at);
        let (before, after) = beside(&self.source);
        under.is_some_and(|under| {
            [before, after].iter().any(|one| {
                one.dyn_ref::<Element>().is_some_and(|one| {
                    native::encloses(one, &under) && ![&self.beside.0, &self.beside.1].contains(&one.as_ref())
                })
            })
        })
    }
}

fn beside(element: &Element) -> (JsValue, JsValue) {
    let get = |name: &'static str| native::get("Element", name, element);
    (get("previousElementSibling"), get("nextElementSibling"))
}

/// What lies at a point beside the element that is drawn along, and says of itself what it is.
fn zone_at(at: (f64, f64), source: &Element, eyes: &mut Eyes) -> Option<Element> {
    let document = native::document()?;
    let all = native::call("Document", "elementsFromPoint", &document, &[&at.0.into(), &at.1.into()]).ok()?;
    let beside = |one: &Element| !native::encloses(source, one) && !is_ground(one);
    let under = Array::from(&all).iter().filter_map(|one| one.dyn_into().ok()).find(beside)?;
    telling(&upwards(&under), &eyes.look())
}

/// An element and what it lies in.
fn upwards(element: &Element) -> Vec<Element> {
    let mut path = vec![element.clone()];
    while let Some(parent) = path.last().and_then(native::parent) {
        path.push(parent);
    }
    path
}

/// The innermost of these that says of itself what it is.
fn telling(path: &[Element], view: &View) -> Option<Element> {
    let says = |element: &&Element| view.exact_position(element).is_some() || native::matches(element, SAYS);
    path.iter().find(says).or_else(|| path.first()).filter(|zone| !is_ground(zone)).cloned()
}

fn place_in(element: &Element, at: (f64, f64)) -> Place {
    let [left, top, width, height] = native::bounds(element);
    let share = |at: f64, from: f64, size: f64| ((at - from) / size.max(1.0) * 1000.0) as u16;
    Place(share(at.0, left, width), share(at.1, top, height))
}

/// Elements of which it matters where they are hit: drawings, pictures, tracks, and areas that hold nothing to read.
fn is_ground_of_its_own(element: &Element, kind: Kind) -> bool {
    if kind == Kind::Canvas {
        return true;
    }
    let role = native::attribute(element, "role").unwrap_or_default();
    let drawn =
        matches!(native::tag(element).as_str(), "canvas" | "svg" | "img" | "video" | "object" | "embed");
    let empty =
        || native::get("Node", "textContent", element).as_string().is_none_or(|text| text.trim().is_empty());
    match kind {
        Kind::Loose => is_wide(element) && (drawn || empty()),
        Kind::Plain => {
            is_wide(element) && (drawn || matches!(role.as_str(), "slider" | "application" | "scrollbar"))
        }
        _ => false,
    }
}

/// Larger than an icon.
const ICON: f64 = 40.0;

fn is_wide(element: &Element) -> bool {
    let [.., width, height] = native::bounds(element);
    width > ICON || height > ICON
}

/// A closed root hides from its outside what an event happened on: it is what lies at the pointer, or what has the focus.
fn into_closed_roots(event: &Event, host: &Element, path: &mut Vec<Element>) {
    let mut outer = host.clone();
    while let Some(root) = collector::closed_root(&outer) {
        let inner = match event.dyn_ref::<MouseEvent>() {
            Some(mouse) if mouse.detail() > 0 || event.type_() != "click" => {
                let (x, y) = (f64::from(mouse.client_x()), f64::from(mouse.client_y()));
                native::call("ShadowRoot", "elementFromPoint", &root, &[&x.into(), &y.into()])
                    .unwrap_or_default()
            }
            _ => native::get("ShadowRoot", "activeElement", &root),
        };
        let Ok(inner) = inner.dyn_into::<Element>() else { return };
        if inner == outer {
            return;
        }
        path.insert(0, inner.clone());
        outer = inner;
    }
}

/// The page's bare ground: a click there means nothing, a key there has no target.
fn is_ground(element: &Element) -> bool {
    matches!(native::tag(element).as_str(), "body" | "html" | "frameset")
}

/// The native field or editing host that an element is or lies in.
fn field_of(element: &Element) -> Option<(Element, Kind)> {
    if let Some(kind) = own_kind(element) {
        return Some((element.clone(), kind));
    }
    let editable = |element: &Element| {
        element.is_instance_of::<HtmlElement>()
            && native::get("HTMLElement", "isContentEditable", element).is_truthy()
    };
    if !editable(element) {
        return None;
    }
    let mut host = element.clone();
    while let Some(parent) = native::parent(&host).filter(&editable) {
        host = parent;
    }
    // A part of a date that takes the keys itself is told by them, and by no text.
    if native::attribute(&host, "role").as_deref() == Some("spinbutton") {
        return None;
    }
    // The body of a frame is the usual host of an editor; a whole document that can be edited has none.
    (native::tag(&host) != "html").then_some((host, Kind::Editor))
}

/// What a row of boxes for one character each is: one field.
const SPLIT: Kind = Kind::Text { lines: false };

/// So many boxes beside each other are one field.
const FEWEST_BOXES: usize = 3;

/// What holds the row of boxes that this one-character box belongs to, and the boxes: codes are typed into such.
fn split_of(field: &Element) -> Option<(Element, Vec<Element>)> {
    if !native::matches(field, ONE_CHARACTER) {
        return None;
    }
    let mut at = native::parent(field)?;
    for _ in 0..3 {
        if let Some(boxes) = boxes_in(&at) {
            return Some((at, boxes));
        }
        at = native::parent(&at)?;
    }
    None
}

const ONE_CHARACTER: &str = "input[maxlength='1']";

/// The row of boxes in an element that is no field itself.
fn boxes_in(element: &Element) -> Option<Vec<Element>> {
    if own_kind(element).is_some() || is_ground(element) || native::tag(element) == "form" {
        return None;
    }
    let boxes = native::query_all(element, ONE_CHARACTER);
    (boxes.len() >= FEWEST_BOXES).then_some(boxes)
}

fn joined(boxes: &[Element]) -> String {
    boxes.iter().map(|one| value_of(one, SPLIT)).collect()
}

/// The kind of a native field; `None` for everything else, buttons among it.
fn own_kind(element: &Element) -> Option<Kind> {
    match native::tag(element).as_str() {
        "textarea" => Some(Kind::Text { lines: true }),
        "select" => Some(Kind::Select),
        "option" | "optgroup" => Some(Kind::Choice),
        "input" => match input_type(element).as_str() {
            "checkbox" => Some(Kind::Checkbox),
            "radio" => Some(Kind::Radio),
            "file" => Some(Kind::File),
            "date" | "time" | "month" | "week" | "datetime-local" | "color" | "range" => Some(Kind::Picker),
            "button" | "submit" | "reset" | "image" | "hidden" => None,
            _ => Some(Kind::Text { lines: false }),
        },
        _ => None,
    }
}

fn input_type(element: &Element) -> String {
    native::get("HTMLInputElement", "type", element).as_string().unwrap_or_default()
}

fn is_switch(element: &Element) -> bool {
    let role = native::attribute(element, "role").unwrap_or_default();
    matches!(text::lower(role.trim()).as_str(), "checkbox" | "switch" | "radio")
}

fn checked_of(element: &Element, kind: Kind) -> Option<bool> {
    match kind {
        Kind::Checkbox | Kind::Radio => Some(native::get("HTMLInputElement", "checked", element).is_truthy()),
        Kind::Switch => match native::attribute(element, "aria-checked")?.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn value_of(field: &Element, kind: Kind) -> String {
    let class = match (kind, native::tag(field).as_str()) {
        (Kind::Editor, _) => return crate::act::editor_text(field),
        (_, "textarea") => "HTMLTextAreaElement",
        _ => "HTMLInputElement",
    };
    native::get(class, "value", field).as_string().unwrap_or_default()
}

fn field_facts(field: &Element, label: &str) -> Field {
    let attribute = |name: &str| native::attribute(field, name).unwrap_or_default();
    let name = Some(attribute("name")).filter(|name| !name.is_empty()).unwrap_or_else(|| attribute("id"));
    let kind = if native::tag(field) == "input" { input_type(field) } else { String::new() };
    Field { kind, autocomplete: text::lower(&attribute("autocomplete")), name, label: label.to_owned() }
}

/// The chosen options of a select, with their places among all of them.
fn chosen(select: &Element) -> Vec<Chosen> {
    let options = native::query_all(select, "option");
    let is_chosen = |option: &Element| native::get("HTMLOptionElement", "selected", option).is_truthy();
    let text = |option: &Element, name: &'static str| {
        native::get("HTMLOptionElement", name, option).as_string().unwrap_or_default()
    };
    let group = |option: &Element| {
        native::parent(option)
            .filter(|parent| native::tag(parent) == "optgroup")
            .and_then(|group| native::attribute(&group, "label"))
    };
    let all = options.iter().enumerate().filter(|(_, option)| is_chosen(option));
    all.map(|(index, option)| Chosen {
        label: text(option, "label").trim().to_owned(),
        value: text(option, "value"),
        group: group(option),
        index: index as u32,
    })
    .collect()
}

fn file_names(field: &Element) -> Vec<String> {
    let files = native::get("HTMLInputElement", "files", field);
    let Ok(files) = files.dyn_into::<web_sys::FileList>() else { return Vec::new() };
    (0..files.length()).filter_map(|place| files.get(place)).map(|file| file.name()).collect()
}

fn point(event: &Event) -> (f64, f64) {
    event
        .dyn_ref::<MouseEvent>()
        .map_or((0.0, 0.0), |mouse| (f64::from(mouse.client_x()), f64::from(mouse.client_y())))
}

fn has_selection() -> bool {
    let selection = web_sys::window().and_then(|window| window.get_selection().ok().flatten());
    selection.is_some_and(|selection| {
        !selection.is_collapsed() && !selection.to_string().as_string().unwrap_or_default().is_empty()
    })
}
