//! Holds the recorder together: an event is read, heard by the mind, and what the mind says becomes steps with all their
//! evidence, measured against the page and masked before they leave.

use std::rc::Rc;

use cairn_core::element::Usable;
use cairn_core::map::Map;
use cairn_core::script::{Action, Seen, Step, Target};
use cairn_core::wire::page::{Captured, PageEvent, RecordOptions};
use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event};

use super::control::{Control, Kind, NodeId};
use super::effect::{self, Moment, Restless};
use super::heard::Heard;
use super::key::Meaning;
use super::ledger::Ledger;
use super::mind::{Hold, Mind, Outcome, Say, What};
use super::pointed::Pointed;
use super::read::Reader;
use super::remnant::remnant;
use super::secret::Secrets;
use super::stir::Stir;
use crate::eyes::{Eyes, View, collector};
use crate::mask::Mask;
use crate::native;

/// When after an act the page is looked at, in milliseconds: often at first, and no more after six seconds. What comes later
/// has another cause.
const LOOKS: [f64; 11] = [40.0, 150.0, 300.0, 500.0, 800.0, 1200.0, 1800.0, 2600.0, 3600.0, 4800.0, 6000.0];

/// A change of the page so soon after an act is the act's doing.
const SOON: f64 = 1000.0;

/// A page that answers a click or a key by moving the focus does so within this time, in milliseconds.
const REACTION: f64 = 5.0;

/// A page that has not changed for so long rests, in milliseconds.
const CALM: f64 = 300.0;

/// An element as it was when the act on it began.
#[derive(Clone, Default)]
struct Described {
    target: Target,
    weak: Option<String>,
}

/// The field that is being typed into, and the value it is known to hold.
struct Writing {
    node: NodeId,
    value: String,
}

/// Watches a person in one frame and makes steps of what they do.
pub struct Recorder {
    mind: Mind,
    reader: Reader,
    secrets: Secrets,
    stir: Stir,
    restless: Restless,
    described: Map<NodeId, Described>,
    ledger: Ledger,
    /// The page when the open act began.
    before: Moment,
    before_view: Option<Rc<View>>,
    /// The page when it was last looked at, and the view of that look.
    latest: Moment,
    view: Option<Rc<View>>,
    /// The texts of `before` are stored ones: it is the last document's.
    handed_over: bool,
    began: f64,
    looks: usize,
    stirred: u32,
    /// The page was changing by itself when the act began: that it changed after it tells nothing.
    unquiet: bool,
    /// The field that got the focus from no hand, and when the hand last did something.
    reached: Option<Element>,
    touched: f64,
    /// The event whose default the page may yet prevent.
    held: Option<Event>,
    writing: Option<Writing>,
    /// The editor that is written into, and what it held before.
    held_text: Option<(NodeId, String)>,
    /// The element that is listed only because the open act is on it.
    adopted: Vec<(NodeId, Element)>,
    /// Containers that were scrolled since the last act, and the page as it was seen before that.
    scrolled: Vec<Element>,
    rest: Option<Rc<View>>,
    pointed: Pointed,
    /// The page as the act before is to be judged by, where it has changed since by no act.
    as_seen: Option<Rc<View>>,
}

impl Recorder {
    /// Begins to watch. A step that the last document left open goes on here.
    pub fn start(options: RecordOptions, eyes: &mut Eyes, mask: &mut Mask) -> Self {
        mask.expect(&options.inputs);
        let mut recorder = Self {
            mind: Mind::new(options.next_number),
            reader: Reader::new(),
            secrets: Secrets::default(),
            stir: Stir::new(),
            restless: Restless::default(),
            described: Map::new(),
            ledger: Ledger::default(),
            before: Moment::default(),
            before_view: None,
            latest: Moment::default(),
            view: None,
            handed_over: false,
            began: native::now(),
            looks: 0,
            stirred: 0,
            unquiet: false,
            reached: None,
            touched: f64::NEG_INFINITY,
            held: None,
            writing: None,
            held_text: None,
            adopted: Vec::new(),
            scrolled: Vec::new(),
            rest: None,
            pointed: Pointed::default(),
            as_seen: None,
        };
        match options.prior {
            Some(prior) => recorder.go_on_with(*prior),
            None => recorder.look(eyes),
        }
        recorder
    }

    fn go_on_with(&mut self, prior: Captured) {
        self.handed_over = true;
        self.before =
            Moment { url: prior.step.url_before.clone(), seen: prior.assertable.clone(), focus: None };
        self.mind.resume(prior.number);
        self.ledger.take_over(prior);
    }

    /// Takes one event of the page's. Events that no person made are none of ours.
    pub fn observe(&mut self, event: &Event, eyes: &mut Eyes, mask: &mut Mask) -> Vec<PageEvent> {
        if event.is_trusted() {
            self.follow_focus(event);
        }
        if event.is_trusted() || self.is_of_aid(event) { self.take(event, eyes, mask) } else { Vec::new() }
    }

    /// A date, a colour or a slider is also set by a person's aids (a password manager, a voice), with events that only look
    /// like the browser's. It has the focus then, which no
    /// click and no key of the person's brought there.
    fn is_of_aid(&self, event: &Event) -> bool {
        if !matches!(event.type_().as_str(), "input" | "change") {
            return false;
        }
        let Some(field) = Reader::target(event).filter(Reader::is_picker) else { return false };
        self.reached.as_ref() == Some(&field) && native::active_element() == Some(field)
    }

    /// Whether the focus came to a field without a hand on the pointer or a key: an aid brought it there.
    fn follow_focus(&mut self, event: &Event) {
        match event.type_().as_str() {
            "pointerdown" | "click" | "keydown" => (self.reached, self.touched) = (None, event.time_stamp()),
            "focusin" => {
                let by_itself = event.time_stamp() - self.touched > REACTION;
                self.reached = Reader::target(event).filter(|_| by_itself);
            }
            _ => {}
        }
    }

    /// As `observe`, whoever made the event.
    pub(super) fn take(&mut self, event: &Event, eyes: &mut Eyes, mask: &mut Mask) -> Vec<PageEvent> {
        let kind = event.type_();
        if matches!(kind.as_str(), "pointermove" | "dragenter" | "dragover") {
            // As it stands before the page makes room there for what is drawn along.
            if let Some(zone) = self.reader.passes(event, eyes)
                && !self.described.contains_key(&zone.node)
            {
                self.describe(zone, eyes);
            }
            return Vec::new();
        }
        if kind == "pointerover" {
            self.come_over(event, eyes);
            return Vec::new();
        }
        if kind == "navigate" {
            return self.travels(event, eyes, mask);
        }
        self.catch_up(mask);
        match kind.as_str() {
            "focusout" => self.left_field(event),
            "scroll" => self.scrolled_by(event, eyes),
            "submit" => self.submits(event),
            // Last look: nothing more can be sent once the handlers of this event have run.
            "pagehide" => self.measure(false, eyes, mask),
            _ => {}
        }
        if let Some(heard) = self.reader.read(event, self.mind.is_pressed(), eyes) {
            self.hear(heard, eyes, mask);
        }
        if matches!(kind.as_str(), "keydown" | "contextmenu") {
            self.held = Some(event.clone());
        }
        let leaves = kind == "pagehide";
        if leaves && let Some(number) = self.mind.open().and_then(|open| open.number) {
            self.ledger.touch(number);
        }
        self.ledger.tell(leaves)
    }

    /// The browser's own Back, Forward and Reload: what they bring is no doing of the act before. A page that does the same
    /// by a script is not the user's initiative here.
    fn travels(&mut self, event: &Event, eyes: &mut Eyes, mask: &mut Mask) -> Vec<PageEvent> {
        let read = |name: &str| Reflect::get(event, &name.into()).unwrap_or(JsValue::UNDEFINED);
        let kind = read("navigationType").as_string();
        if !matches!(kind.as_deref(), Some("traverse" | "reload")) || !read("userInitiated").is_truthy() {
            return Vec::new();
        }
        self.catch_up(mask);
        self.draw_boundary(eyes, mask);
        let mut said = self.ledger.tell(true);
        said.push(PageEvent::Travels);
        said
    }

    /// Milliseconds until `tick` wants to be called; `None` where nothing is open.
    pub fn due(&self) -> Option<f64> {
        self.mind.open()?;
        let next = LOOKS.get(self.looks)?;
        Some((self.began + next - native::now()).max(1.0))
    }

    /// Looks at what came of the open act so far.
    pub fn tick(&mut self, eyes: &mut Eyes, mask: &mut Mask) -> Vec<PageEvent> {
        self.catch_up(mask);
        let age = native::now() - self.began;
        while LOOKS.get(self.looks).is_some_and(|look| *look <= age + 1.0) {
            self.looks += 1;
        }
        self.measure(false, eyes, mask);
        self.ledger.tell(false)
    }

    /// Ends the watch: what is under way is settled.
    pub fn stop(&mut self, eyes: &mut Eyes, mask: &mut Mask) -> Vec<PageEvent> {
        self.catch_up(mask);
        self.measure(true, eyes, mask);
        self.ledger.tell(true)
    }

    fn hear(&mut self, heard: Heard, eyes: &mut Eyes, mask: &mut Mask) {
        let heard = if matches!(heard, Heard::Gave { .. }) { self.with_known(heard) } else { heard };
        if let Heard::KeyDown { control: Some(control), meaning: Meaning::Typing, .. } = &heard
            && self.was_emptied(*control)
        {
            self.draw_boundary(eyes, mask);
            let said = self.mind.took_text();
            self.write_down(said, mask);
            self.writing = None;
        }
        if self.mind.is_boundary(&heard) {
            // What only the pointer's way brought is none of the last act's doing.
            let meant = match &heard {
                Heard::Down { control: Some(control), .. } => self.reader.element(control.node),
                _ => None,
            };
            self.as_seen = meant.and_then(|element| self.pointed.before_way_to(element, &eyes.look()));
            self.draw_boundary(eyes, mask);
            if !matches!(heard, Heard::Down { .. }) {
                // What a key did is no doing of the pointer's, which was there before.
                self.pointed.clear();
            }
        }
        if let Heard::Down { control: Some(control), .. } = &heard {
            self.lead_up_to(*control, eyes, mask);
        }
        if let Some(control) = end_of(&heard).filter(|control| !self.described.contains_key(&control.node)) {
            self.describe(control, eyes);
        }
        if let Some(control) =
            control_of(&heard).filter(|control| !self.described.contains_key(&control.node))
        {
            self.describe(control, eyes);
        }
        match &heard {
            Heard::KeyDown {
                control: Some(control), meaning: Meaning::Typing | Meaning::IfTaken, ..
            } => {
                self.begin_writing(control.node);
                if control.kind == Kind::Editor && !self.mind.goes_on_writing(control.node) {
                    self.held_text = self.reader.value(control.node).map(|value| (control.node, value));
                }
            }
            Heard::KeyDown { meaning: Meaning::Submits, .. } | Heard::Down { .. } => self.writing = None,
            _ => {}
        }
        self.mind_says(heard, mask);
    }

    /// The pointer is brought over something, with no button down.
    fn come_over(&mut self, event: &Event, eyes: &mut Eyes) {
        let moves = native::get("MouseEvent", "buttons", event).as_f64() == Some(0.0);
        let over = Reader::target(event).filter(|over| !Reader::is_ground(over));
        let moves = moves && self.reader.has_moved(event);
        if moves {
            self.stir.passes();
        }
        if let Some(element) = over.filter(|_| moves && !eyes.is_recalling()) {
            self.pointed.comes_over(element, eyes);
        }
    }

    /// A container was scrolled, or the page itself.
    fn scrolled_by(&mut self, event: &Event, eyes: &mut Eyes) {
        let Some(container) = Reader::target(event).or_else(native::scrolling_element) else { return };
        if self.scrolled.is_empty() && !eyes.is_recalling() {
            self.rest = Some(eyes.look());
        }
        if !self.scrolled.contains(&container) {
            self.scrolled.push(container);
        }
    }

    /// What the person did before, without an event of its own, so that this could be acted on at all.
    fn lead_up_to(&mut self, control: Control, eyes: &mut Eyes, mask: &mut Mask) {
        let Some(element) = self.reader.element(control.node).cloned() else { return };
        let (scrolled, rest) = (std::mem::take(&mut self.scrolled), self.rest.take());
        let around = scrolled.into_iter().find(|container| native::encloses(container, &element));
        if let (Some(container), Some(rest)) = (around, rest)
            && (!rest.holds(&element) || is_new(&eyes.look(), &rest, &element))
        {
            let is_page = native::scrolling_element().is_some_and(|page| page == container);
            let control = (!is_page).then(|| self.reader.container(&container));
            if let Some(control) = control {
                self.describe(control, eyes);
            }
            self.mind_says(Heard::Scrolled { control }, mask);
        }
        let styled = collector::hovers(&element, false).unwrap_or_default().to_vec();
        if styled.is_empty() {
            // A script answers to the pointer, and no style.
            for (over, before) in self.pointed.way_to(&element, &eyes.look()) {
                let control = self.reader.pointed_at(&over, &before);
                // What shows now by the pointer is no part of what was pointed at.
                let then = self.reader.element(control.node).and_then(|node| before.describe_element(node));
                match then {
                    Some((target, weak)) => {
                        drop(self.described.insert(control.node, Described { target, weak }));
                    }
                    None => self.describe(control, eyes),
                }
                self.mind_says(Heard::Hovered { control }, mask);
            }
        }
        self.pointed.clear();
        for pair in styled.chunks_exact(2) {
            let (Some(hovered), Some(shown)) = (pair[0].dyn_ref::<Element>(), pair[1].dyn_ref::<Element>())
            else {
                continue;
            };
            let Some(handle) = handle_of(&eyes.look(), hovered, shown) else { continue };
            let control = self.reader.container(&handle);
            self.describe(control, eyes);
            self.mind_says(Heard::Hovered { control }, mask);
        }
    }

    /// The field that is being typed into holds nothing now, and no key of the person's emptied it.
    fn was_emptied(&self, control: Control) -> bool {
        let last = self.mind.past().back().filter(|last| last.node == Some(control.node));
        let wrote =
            last.is_some_and(|last| matches!(&last.what, What::Fill { value, .. } if !value.is_empty()));
        wrote
            && matches!(control.kind, Kind::Text { .. })
            && self.reader.own_value(control.node).is_some_and(|now| now.is_empty())
    }

    fn begin_writing(&mut self, node: NodeId) {
        if self.writing.as_ref().is_none_or(|writing| writing.node != node) {
            self.writing = self.reader.value(node).map(|value| Writing { node, value });
        }
    }

    /// The act before is over, and another may begin: the page is looked at once for both.
    fn draw_boundary(&mut self, eyes: &mut Eyes, mask: &mut Mask) {
        self.feel(eyes);
        self.measure(true, eyes, mask);
        self.as_seen = None;
        // The next one is described among what is there for anybody, as a replay will find it.
        let adopted: Vec<_> = self.adopted.drain(..).collect();
        for (_, element) in &adopted {
            eyes.disown(element);
        }
        let idle = std::mem::take(&mut self.latest);
        self.look(eyes);
        // What differs between an event that was kept and the page of now tells nothing of what moves by itself.
        if adopted.is_empty() && !self.handed_over && !idle.url.is_empty() && !eyes.is_recalling() {
            self.restless.learn(&idle, &self.latest);
        }
        self.handed_over = false;
        self.before = self.latest.clone();
        self.before_view.clone_from(&self.view);
        (self.began, self.looks, self.stirred, self.held) = (native::now(), 0, self.stir.changes(), None);
        self.described.clear();
    }

    fn describe(&mut self, control: Control, eyes: &mut Eyes) {
        let Some(element) = self.reader.element(control.node).cloned() else { return };
        self.stir.watch_roots_of(&element);
        // One that was listed for the sake of the act before is so no more.
        let is_unlisted = native::is_connected(&element) && eyes.look().position_of(&element).is_none();
        if is_unlisted || control.kind == Kind::Loose || self.reader.is_split(control.node) {
            eyes.adopt(&element);
            self.adopted.push((control.node, element.clone()));
            // It is in the index from now on, which is none of the act's doing.
            self.look(eyes);
            self.before = self.latest.clone();
        }
        let view = eyes.look();
        let (target, weak) = view.position_of(&element).map_or_else(
            || {
                let (target, weak) = remnant(&element);
                (target, Some(weak))
            },
            |place| view.describe(place),
        );
        self.described.insert(control.node, Described { target, weak });
    }

    /// What happened without an event of its own: the page took the key that is held, or wrote the field itself.
    fn catch_up(&mut self, mask: &mut Mask) {
        if let Some(typed) = self.own_writing() {
            self.mind_says(typed, mask);
        }
        let waits = self.mind.open().and_then(|open| open.hold);
        let waits = matches!(waits, Some(Hold::Taken | Hold::TakenOrStirs | Hold::TakenAndTells));
        if waits && self.held.as_ref().is_some_and(Event::default_prevented) {
            self.held = None;
            self.mind_says(Heard::Taken, mask);
            // What the field holds now is the page's doing, and no typing.
            self.writing = None;
        }
    }

    /// An editor or a mask that prevents the browser's typing and writes the text itself: no `input` event tells of it.
    fn own_writing(&mut self) -> Option<Heard> {
        let Writing { node, value: known } = self.writing.as_ref()?;
        let value = self.reader.value(*node)?;
        let taken = match self.mind.open() {
            None => true,
            Some(open) if matches!(open.what, What::Fill { .. }) => open.node == Some(*node),
            // Enter that the page takes makes a new line in an editor; in a chat box it sends and empties, and where names
            // are offered it puts one in.
            Some(open) => {
                open.number.is_none() && open.node == Some(*node) && goes_on(known, &value, &open.what)
            }
        };
        if !taken || value.is_empty() || value == *known {
            return None;
        }
        let element = self.reader.element(*node)?.clone();
        self.reader.typed(&element)
    }

    /// The focus leaves a field: what it holds before the page's own listeners hear of it is what the person left there.
    fn left_field(&mut self, event: &Event) {
        let left = Reader::target(event).and_then(|target| self.reader.typed(&target));
        if let (Some(Heard::Typed { control, .. }), Some(writing)) = (left, &self.writing)
            && control.node == writing.node
        {
            self.writing = None;
        }
    }

    /// A form is sent: a second time would be one too many.
    fn submits(&mut self, event: &Event) {
        let form = Reader::target(event).filter(|form| native::tag(form) == "form");
        let method =
            form.map(|form| native::get("HTMLFormElement", "method", &form).as_string().unwrap_or_default());
        let open = self.mind.open().and_then(|open| open.number);
        if let (Some("post"), Some(number)) = (method.as_deref(), open) {
            self.ledger.sends(number);
        }
    }

    fn mind_says(&mut self, heard: Heard, mask: &mut Mask) {
        let heard = self.with_known(heard);
        if let Heard::Typed { control, value, .. } = &heard {
            self.writing = Some(Writing { node: control.node, value: value.clone() });
        }
        let said = self.mind.hear(heard);
        self.write_down(said, mask);
    }

    /// What an editor holds beyond what it held when the writing into it began.
    fn added_to(&self, control: Control, value: &str) -> Option<String> {
        let (node, before) = self.held_text.as_ref()?;
        let added = value.strip_prefix(before.as_str()).filter(|_| *node == control.node)?;
        (control.kind == Kind::Editor && !before.trim().is_empty() && !added.is_empty())
            .then(|| added.to_owned())
    }

    /// With what is known of the elements: a field that was a password's once is a secret's, whatever type it has now.
    fn with_known(&self, heard: Heard) -> Heard {
        match heard {
            Heard::Gave { control, names, made } => {
                let field = self.reader.element(control.node);
                let opened = self.mind.open().is_some_and(|open| matches!(open.what, What::Click(_)));
                let was_there =
                    field.zip(self.before_view.as_ref()).is_none_or(|(field, view)| view.holds(field));
                Heard::Gave { control, names, made: made || (opened && !was_there) }
            }
            Heard::DoubleClick { .. } => {
                let mut past = self.mind.past().iter().rev().map(|past| past.number);
                let open = self.mind.open().filter(|open| open.number.is_none()).and_then(|open| open.node);
                let second = match open.and_then(|node| self.described.get(&node)) {
                    Some(described) => Some(&described.target),
                    None => past.next().and_then(|number| self.ledger.target(number)),
                };
                let first = past.next().and_then(|number| self.ledger.target(number));
                let alike = first.zip(second).is_some_and(|(first, second)| {
                    (&first.role, &first.name) == (&second.role, &second.name)
                });
                Heard::DoubleClick { alike }
            }
            Heard::Typed { control, value, secret, .. } => {
                let secret = secret || self.secrets.knows(control.node);
                let added = self.added_to(control, &value);
                Heard::Typed { control, value, secret, added }
            }
            other => other,
        }
    }

    fn write_down(&mut self, said: Vec<Say>, mask: &mut Mask) {
        for say in said {
            match say {
                Say::Capture(act) => {
                    let Some(number) = act.number else { continue };
                    let described =
                        act.node.and_then(|node| self.described.get(&node)).cloned().unwrap_or_default();
                    let step = self.step(&described, act.node.is_some());
                    self.ledger.begin(
                        number,
                        native::wall_clock(self.touched),
                        step,
                        effect::assertable(&self.before.seen),
                        mask,
                    );
                    let end = match &act.what {
                        What::Drag { to, .. } if Some(*to) != act.node => {
                            self.described.get(to).map(|end| end.target.clone())
                        }
                        _ => None,
                    };
                    if let Some(end) = end {
                        self.ledger.ends_at(number, end, mask);
                    }
                    self.write_action(number, act.node, act.what, &described.target.name, mask);
                }
                Say::Amend(number, what) => {
                    let node = self.mind.node_of(number);
                    let label = self.ledger.target_name(number);
                    self.write_action(number, node, what, &label, mask);
                }
                Say::Retract(number) => self.ledger.retract(number),
            }
        }
    }

    fn step(&self, described: &Described, has_target: bool) -> Step {
        let target = has_target.then(|| described.target.clone());
        let url_before = self.before.url.clone();
        let action = Action { target, ..Action::default() };
        let (by, weak) = (Some("person".to_owned()), described.weak.clone());
        Step { url_before, action, by, weak, ..Step::default() }
    }

    /// The secret's value goes into the mask first, so that nothing of the step can show it.
    fn write_action(&mut self, number: u32, node: Option<NodeId>, what: What, label: &str, mask: &mut Mask) {
        let secret = match (&what, node) {
            (What::Fill { value, secret: true }, Some(node)) => {
                let field = self.reader.field(node, label);
                Some((self.secrets.take(node, &field, value, mask), value.clone()))
            }
            _ => None,
        };
        self.ledger.act(number, what, secret, mask);
    }

    /// Looks at the page and tells the mind what came of the open act.
    fn measure(&mut self, last: bool, eyes: &mut Eyes, mask: &mut Mask) {
        let Some(open) = self.mind.open().cloned() else { return };
        let stirs = self.stir.changes() != self.stirred && native::now() - self.began < SOON;
        self.look(eyes);
        let mut effect = if self.handed_over {
            effect::difference(&self.before, &self.latest_stored(mask), &Restless::default())
        } else {
            effect::difference(&self.before, &self.latest, &self.restless)
        };
        // What shows only under the pointer is the pointer's doing, and page events bring no pointer there.
        effect.appeared.retain(|seen| !shows_under_pointer(self.view.as_deref(), seen));
        effect.vanished.retain(|seen| !shows_under_pointer(self.before_view.as_deref(), seen));
        let checked = open.node.zip(open.kind).and_then(|(node, kind)| self.reader.checked(node, kind));
        let said = self.mind.settle(Outcome { tells: effect::tells(&effect), stirs, checked, last });
        self.write_down(said, mask);
        let Some(number) = self.mind.settled_number(&open) else { return };
        effect.checked = checked;
        effect.stirs = self.stirs_of(number, stirs, last);
        effect.value = open.node.and_then(|node| self.reader.own_value(node));
        self.ledger.effect(
            number,
            effect,
            effect::assertable(&self.latest.seen),
            self.handed_over,
            last,
            mask,
        );
    }

    /// Whether the page is changing by itself now. For a while after an act its changes are the act's doing.
    fn feel(&mut self, eyes: &Eyes) {
        let now = native::now();
        if self.began == 0.0 || now - self.began > SOON || eyes.is_recalling() {
            self.unquiet = now - self.stir.last_change() < CALM || eyes.is_recalling();
        }
    }

    /// Whether the act was seen to change the page in any way; `None` where that cannot be told.
    fn stirs_of(&self, number: u32, stirs: bool, last: bool) -> Option<bool> {
        if self.handed_over || self.unquiet {
            return None;
        }
        let known = self.ledger.stirs(number) == Some(true);
        if stirs || known { Some(true) } else { last.then_some(false) }
    }

    fn look(&mut self, eyes: &mut Eyes) {
        let url = eyes.url();
        let view = self.as_seen.clone().unwrap_or_else(|| eyes.look());
        if self.view.as_ref().is_some_and(|known| Rc::ptr_eq(known, &view)) && self.latest.url == url {
            return;
        }
        let focused = view.index().elements().iter().find(|element| element.states.focused == Some(true));
        let focus = focused.map(|element| Seen {
            role: element.role.clone(),
            name: element.name.clone(),
            scope: element.scope.as_ref().map(|scope| scope.label.clone()),
        });
        self.latest = Moment { url, seen: view.seen(), focus };
        self.view = Some(view);
    }

    /// The page as a script would tell it: the last document handed its elements over in that form.
    fn latest_stored(&self, mask: &Mask) -> Moment {
        let mut seen = effect::assertable(&self.latest.seen);
        for one in &mut seen {
            mask.store_seen(one);
        }
        Moment { url: mask.stored(&self.latest.url), seen, focus: None }
    }
}

/// True where a style shows such an element only while the pointer is over something.
fn shows_under_pointer(view: Option<&View>, seen: &Seen) -> bool {
    let Some(view) = view else { return false };
    let found = view.matching(Some(&seen.role), Some(&seen.name), seen.scope.as_deref());
    let under = |element: &Element| collector::hovers(element, true).is_ok_and(|hovers| hovers.length() > 0);
    !found.is_empty() && found.iter().all(|one| under(&one.node))
}

/// True where an element's like was not there before, or could not be used yet.
fn is_new(now: &View, before: &View, element: &Element) -> bool {
    let Some(entry) = now.position_of(element).and_then(|place| now.index().get(place)) else { return false };
    let like = |other: &cairn_core::element::Element| {
        other.role == entry.role && other.name == entry.name && other.usable != Usable::Disabled
    };
    !before.index().elements().iter().any(like)
}

/// What of a hovered element can be pointed at while the rest of it does not show.
fn handle_of(view: &View, hovered: &Element, shown: &Element) -> Option<Element> {
    let nodes = (0..view.index().elements().len()).filter_map(|place| view.node_at(place));
    let mut inside = nodes.filter(|node| native::encloses(hovered, node) && !native::encloses(shown, node));
    inside.next().or_else(|| Some(hovered.clone()))
}

/// True where a field holds what the key that is held writes by itself: its character, or a new line.
fn goes_on(known: &str, value: &str, held: &What) -> bool {
    let What::Press(key) = held else { return false };
    let added = value.strip_prefix(known.trim_end_matches('\n'));
    value.len() > known.len()
        && (key.chars().count() == 1 || added.is_some_and(|added| added.trim().is_empty()))
}

/// What a drag ends on.
fn end_of(heard: &Heard) -> Option<Control> {
    match heard {
        Heard::Up { end, .. } => *end,
        Heard::Dropped { control } => *control,
        _ => None,
    }
}

fn control_of(heard: &Heard) -> Option<Control> {
    match heard {
        Heard::Down { control, .. }
        | Heard::Click { control, .. }
        | Heard::ContextMenu { control }
        | Heard::KeyDown { control, .. } => *control,
        Heard::Typed { control, .. } | Heard::Chose { control, .. } | Heard::Gave { control, .. } => {
            Some(*control)
        }
        _ => None,
    }
}
