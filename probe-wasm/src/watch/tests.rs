//! What streams of events mean, told without a page: `click 1:plain` reads "a whole click on node 1, a plain control".

use std::collections::BTreeMap;

use super::control::{Chosen, Control, Kind, NodeId, Place};
use super::heard::Heard;
use super::key::{KeyStroke, Meaning};
use super::mind::{Mind, Outcome, Say, What};

/// A mind, and the steps it has told of as lines.
struct Bench {
    mind: Mind,
    steps: BTreeMap<u32, String>,
    time: f64,
}

impl Bench {
    fn new() -> Self {
        Self { mind: Mind::new(1), steps: BTreeMap::new(), time: 0.0 }
    }

    fn take(&mut self, said: Vec<Say>) {
        for say in said {
            match say {
                Say::Capture(act) => {
                    let line = line(&act.what, act.node);
                    assert!(self.steps.insert(act.number.unwrap(), line).is_none());
                }
                Say::Amend(number, what) => {
                    let node = self.mind.node_of(number);
                    self.steps.insert(number, line(&what, node));
                }
                Say::Retract(number) => assert!(self.steps.remove(&number).is_some()),
            }
        }
    }

    fn settle(&mut self, outcome: Outcome) {
        let said = self.mind.settle(outcome);
        self.take(said);
    }

    fn hear(&mut self, heard: Heard) {
        if self.mind.is_boundary(&heard) {
            self.settle(Outcome { last: true, ..Outcome::default() });
        }
        let said = self.mind.hear(heard);
        self.take(said);
    }

    fn press(&mut self, control: Option<Control>) {
        self.hear(Heard::Down { control, at: (5.0, 5.0), main: true });
        self.hear(Heard::Up { at: (6.0, 5.0), end: None, way: None });
    }

    fn click(&mut self, control: Option<Control>) {
        self.press(control);
        self.click_event(control, 100.0);
    }

    fn click_event(&mut self, control: Option<Control>, later: f64) {
        self.time += later;
        self.hear(Heard::Click { control, at: (6.0, 5.0), selects: false, time: self.time });
    }

    fn key(&mut self, key: &str, control: Option<Control>) {
        let (modifiers, key) = key.rsplit_once('+').unwrap_or(("", key));
        let stroke =
            KeyStroke { key: key.to_owned(), control: modifiers == "Control", ..KeyStroke::default() };
        let meaning = stroke.meaning(control.map(|control| control.kind));
        self.hear(Heard::KeyDown { control, chord: stroke.chord(), meaning });
    }

    fn typed(&mut self, control: Control, value: &str) {
        self.hear(Heard::Typed { control, value: value.to_owned(), secret: false, added: None });
    }

    fn steps(&self) -> Vec<&str> {
        self.steps.values().map(String::as_str).collect()
    }
}

fn line(what: &What, node: Option<NodeId>) -> String {
    let done = match what {
        What::Click(_) => "click".to_owned(),
        What::Dblclick => "dblclick".to_owned(),
        What::Contextmenu => "contextmenu".to_owned(),
        What::Check(true) => "check".to_owned(),
        What::Check(false) => "uncheck".to_owned(),
        What::Fill { value, secret: false } => format!("fill {value}"),
        What::Fill { secret: true, .. } => "fill %secret%".to_owned(),
        What::Type(text) => format!("type {text}"),
        What::Press(chord) => format!("press {chord}"),
        What::Select { options, .. } => {
            format!(
                "select {}",
                options.iter().map(|option| option.label.as_str()).collect::<Vec<_>>().join("+")
            )
        }
        What::Drag { to, .. } => format!("drag to @{}", to.0),
        What::Scroll => "scroll".to_owned(),
        What::Hover => "hover".to_owned(),
        What::Upload(names) => format!("upload {}", names.join("+")),
    };
    node.map_or_else(|| done.clone(), |node| format!("{done} @{}", node.0))
}

fn control(node: u32, kind: Kind) -> Control {
    Control { node: NodeId(node), kind, checked: None, place: None }
}

fn plain(node: u32) -> Control {
    control(node, Kind::Plain)
}

fn text(node: u32) -> Control {
    control(node, Kind::Text { lines: false })
}

fn unchecked(node: u32, kind: Kind) -> Control {
    Control { checked: Some(false), ..control(node, kind) }
}

const TELLS: Outcome = Outcome { tells: true, stirs: true, checked: None, last: false };
const STIRS: Outcome = Outcome { tells: false, stirs: true, checked: None, last: false };
const NOTHING: Outcome = Outcome { tells: false, stirs: false, checked: None, last: false };
const LAST: Outcome = Outcome { tells: false, stirs: false, checked: None, last: true };

#[test]
fn of_two_keys_the_second_proves_the_first() {
    let mut bench = Bench::new();
    bench.key("g", None);
    bench.settle(LAST);
    bench.key("i", None);
    bench.settle(TELLS);
    bench.key("x", None);
    bench.settle(LAST);
    bench.key("Delete", None);
    bench.settle(TELLS);
    assert_eq!(bench.steps(), ["press g", "press i", "press Delete"]);
}

#[test]
fn two_clicks_on_one_element_are_two_steps() {
    let mut bench = Bench::new();
    bench.click(Some(plain(1)));
    bench.click(Some(plain(1)));
    assert_eq!(bench.steps(), ["click @1", "click @1"]);
}

#[test]
fn a_double_click_is_one_step() {
    let mut bench = Bench::new();
    bench.click(Some(plain(1)));
    bench.click(Some(plain(1)));
    bench.hear(Heard::DoubleClick { alike: false });
    assert_eq!(bench.steps(), ["dblclick @1"]);
}

#[test]
fn a_double_click_of_whose_first_half_nothing_came_is_one_all_the_same() {
    let mut bench = Bench::new();
    // Nothing said that it can be clicked; since the first click it stands in the index.
    bench.click(Some(control(1, Kind::Loose)));
    bench.click(Some(plain(1)));
    bench.hear(Heard::DoubleClick { alike: false });
    assert_eq!(bench.steps(), ["dblclick @1"]);
}

#[test]
fn what_is_added_to_an_editor_is_typed_behind_its_marks() {
    let mut bench = Bench::new();
    let editor = control(1, Kind::Editor);
    bench.typed(editor, "Dear Ada, ");
    bench.click(Some(plain(2)));
    let added = |text: &str| Heard::Typed {
        control: editor,
        value: format!("Dear Ada, {text}"),
        secret: false,
        added: Some(text.to_owned()),
    };
    bench.hear(added("b"));
    bench.hear(added("bold"));
    assert_eq!(bench.steps(), ["fill Dear Ada,  @1", "click @2", "type bold @1"]);
}

#[test]
fn what_is_drawn_is_clicked_at_a_place_though_nothing_shows() {
    let mut bench = Bench::new();
    let place = Some(Place(250, 1000));
    bench.click(Some(Control { place, ..control(1, Kind::Canvas) }));
    assert_eq!(bench.steps(), ["click @1"]);
    assert_eq!(place.map(Place::text).as_deref(), Some("0.250 1.000"));
}

#[test]
fn a_click_means_what_was_pressed() {
    let mut bench = Bench::new();
    bench.press(Some(plain(1)));
    bench.click_event(Some(plain(9)), 100.0);
    assert_eq!(bench.steps(), ["click @1"]);
}

#[test]
fn what_goes_when_it_is_pressed_is_recorded_without_a_click() {
    let mut bench = Bench::new();
    bench.press(Some(plain(1)));
    bench.settle(TELLS);
    assert_eq!(bench.steps(), ["click @1"]);
}

#[test]
fn a_label_ticks_its_box_once() {
    let mut bench = Bench::new();
    let receipts = unchecked(1, Kind::Checkbox);
    bench.click(Some(receipts));
    // The browser's own click on the box, in the same moment.
    bench.click_event(Some(Control { checked: Some(true), ..receipts }), 1.0);
    assert_eq!(bench.steps(), ["check @1"]);
}

#[test]
fn a_box_that_the_page_keeps_was_clicked() {
    let mut bench = Bench::new();
    bench.click(Some(unchecked(1, Kind::Checkbox)));
    bench.settle(Outcome { checked: Some(false), ..LAST });
    assert_eq!(bench.steps(), ["click @1"]);
    bench.click(Some(unchecked(2, Kind::Switch)));
    bench.settle(Outcome { checked: Some(true), ..LAST });
    bench.click(Some(unchecked(3, Kind::Radio)));
    assert_eq!(bench.steps(), ["click @1", "check @2", "check @3"]);
}

#[test]
fn space_on_a_box_and_enter_on_a_button() {
    let mut bench = Bench::new();
    let receipts = unchecked(1, Kind::Checkbox);
    bench.key(" ", Some(receipts));
    bench.hear(Heard::KeyUp);
    bench.click_event(Some(Control { checked: Some(true), ..receipts }), 100.0);
    bench.key("Enter", Some(plain(2)));
    bench.click_event(Some(plain(2)), 100.0);
    assert_eq!(bench.steps(), ["check @1", "click @2"]);
}

#[test]
fn a_key_that_stirs_the_page_and_then_clicks_is_the_click() {
    let mut bench = Bench::new();
    bench.key(" ", Some(plain(1)));
    bench.settle(STIRS);
    bench.hear(Heard::KeyUp);
    bench.click_event(Some(plain(1)), 100.0);
    assert_eq!(bench.steps(), ["click @1"]);
}

#[test]
fn typing_is_one_step_and_enter_submits_once() {
    let mut bench = Bench::new();
    bench.click(Some(text(1)));
    for value in ["S", "SP", "SPR"] {
        bench.key("x", Some(text(1)));
        bench.typed(text(1), value);
    }
    bench.key("Enter", Some(text(1)));
    // The browser's click on the form's default button.
    bench.click_event(Some(plain(2)), 2.0);
    assert_eq!(bench.steps(), ["fill SPR @1", "press Enter @1"]);
}

#[test]
fn a_click_into_a_field_is_a_step_where_it_opens_something() {
    let mut bench = Bench::new();
    bench.click(Some(text(1)));
    bench.settle(STIRS);
    bench.click(Some(text(1)));
    bench.settle(TELLS);
    bench.click(Some(plain(2)));
    assert_eq!(bench.steps(), ["click @1", "click @2"]);
    // Unless it was only the way to type into it.
    bench.click(Some(text(3)));
    bench.settle(TELLS);
    bench.key("a", Some(text(3)));
    bench.typed(text(3), "a");
    assert_eq!(bench.steps(), ["click @1", "click @2", "fill a @3"]);
}

#[test]
fn typing_goes_on_after_the_caret_was_moved() {
    let mut bench = Bench::new();
    bench.typed(text(1), "ab");
    bench.click(Some(text(1)));
    bench.settle(NOTHING);
    bench.key("c", Some(text(1)));
    bench.typed(text(1), "abc");
    assert_eq!(bench.steps(), ["fill abc @1"]);
}

#[test]
fn a_secret_typed_on_later_is_the_same_step() {
    let mut bench = Bench::new();
    let secret =
        |value: &str| Heard::Typed { control: text(1), value: value.to_owned(), secret: true, added: None };
    bench.hear(secret("orchid"));
    bench.click(Some(plain(2)));
    bench.hear(secret("orchid-7"));
    bench.click(Some(plain(3)));
    assert_eq!(bench.steps(), ["fill %secret% @1", "click @2", "click @3"]);
}

#[test]
fn a_few_keys_on_a_cell_are_keys_and_more_are_text() {
    let mut bench = Bench::new();
    bench.click(Some(plain(1)));
    for key in ["4", "2", "Enter", "h", "e", "l", " ", "o"] {
        bench.key(key, Some(plain(1)));
        bench.hear(Heard::Taken);
        bench.hear(Heard::KeyUp);
    }
    assert_eq!(bench.steps(), ["click @1", "press 4 @1", "press 2 @1", "press Enter @1", "type hel o @1"]);
}

#[test]
fn a_box_heard_of_too_late_says_itself_what_was_done() {
    let mut bench = Bench::new();
    bench.click(Some(control(1, Kind::Checkbox)));
    bench.settle(Outcome { checked: Some(false), ..NOTHING });
    bench.settle(Outcome { checked: Some(false), ..LAST });
    assert_eq!(bench.steps(), ["uncheck @1"]);
}

#[test]
fn shortcuts_are_steps_where_the_page_takes_them() {
    let mut bench = Bench::new();
    bench.key("Control+k", None);
    bench.hear(Heard::Taken);
    bench.key("Control+c", None);
    bench.settle(NOTHING);
    bench.key("Escape", None);
    bench.settle(TELLS);
    bench.key("Tab", Some(plain(1)));
    bench.settle(STIRS);
    bench.key("ArrowDown", Some(text(2)));
    bench.settle(STIRS);
    bench.key("ArrowDown", Some(text(2)));
    bench.hear(Heard::Taken);
    bench.key("F5", None);
    assert_eq!(bench.steps(), ["press Control+k", "press Escape", "press ArrowDown @2"]);
}

#[test]
fn an_arrow_among_radio_buttons_checks_the_next() {
    let mut bench = Bench::new();
    bench.key("ArrowDown", Some(unchecked(1, Kind::Radio)));
    bench.click_event(Some(Control { checked: Some(true), ..control(2, Kind::Radio) }), 2.0);
    assert_eq!(bench.steps(), ["check @2"]);
}

#[test]
fn a_select_is_one_step_however_it_is_gone_through() {
    let mut bench = Bench::new();
    let chose = |label: &str| Heard::Chose {
        control: control(1, Kind::Select),
        options: vec![Chosen { label: label.to_owned(), ..Chosen::default() }],
        several: false,
    };
    bench.click(Some(control(1, Kind::Select)));
    bench.hear(chose("Paris"));
    for city in ["Rome", "Oslo"] {
        bench.key("ArrowDown", Some(control(1, Kind::Select)));
        bench.hear(chose(city));
    }
    assert_eq!(bench.steps(), ["select Oslo @1"]);
}

#[test]
fn files_are_given_and_their_button_not_clicked() {
    let mut bench = Bench::new();
    bench.click(Some(plain(1)));
    bench.hear(Heard::Gave { control: control(2, Kind::File), names: vec!["a.txt".to_owned()], made: false });
    assert_eq!(bench.steps(), ["upload a.txt @2"]);
}

#[test]
fn what_nothing_says_can_be_clicked_is_a_step_where_something_comes_of_it() {
    let mut bench = Bench::new();
    bench.click(Some(control(1, Kind::Loose)));
    bench.settle(NOTHING);
    bench.click(None);
    bench.click(Some(control(2, Kind::Loose)));
    bench.settle(STIRS);
    bench.click(Some(control(3, Kind::Loose)));
    bench.hear(Heard::Leaving);
    assert_eq!(bench.steps(), ["click @2", "click @3"]);
}

#[test]
fn a_drag_and_a_selection_are_no_clicks() {
    let mut bench = Bench::new();
    bench.hear(Heard::Down { control: Some(plain(1)), at: (0.0, 0.0), main: true });
    bench.hear(Heard::DragStarted);
    bench.hear(Heard::Up { at: (90.0, 0.0), end: None, way: None });
    bench.hear(Heard::Down { control: Some(control(2, Kind::Loose)), at: (0.0, 0.0), main: true });
    bench.hear(Heard::Up { at: (90.0, 0.0), end: None, way: None });
    bench.hear(Heard::Click { control: None, at: (90.0, 0.0), selects: true, time: 5000.0 });
    bench.settle(TELLS);
    assert!(bench.steps().is_empty());
}

#[test]
fn the_pages_own_menu_is_a_step() {
    let mut bench = Bench::new();
    for taken in [false, true] {
        bench.hear(Heard::Down { control: Some(plain(1)), at: (0.0, 0.0), main: false });
        bench.hear(Heard::ContextMenu { control: Some(plain(1)) });
        if taken {
            bench.hear(Heard::Taken);
        }
        bench.settle(NOTHING);
    }
    assert_eq!(bench.steps(), ["contextmenu @1"]);
}

#[test]
fn a_step_of_the_document_before_goes_on() {
    let mut mind = Mind::new(3);
    mind.resume(3);
    assert_eq!(mind.open().and_then(|open| open.number), Some(3));
    let said =
        mind.hear(Heard::KeyDown { control: None, chord: "Escape".to_owned(), meaning: Meaning::Submits });
    assert!(matches!(&said[..], [Say::Capture(act)] if act.number == Some(4)));
}
