//! The browser's own hand: the input of a step that a page would not take from itself, as commands of the debugger.
//!
//! The page says where the act goes, and has given the focus where keys go. What is typed is known here already: it does not
//! leave the page a second time.

use std::time::Duration;

use cairn_core::element::FrameStep;
use cairn_core::script::{Action, Method, course};
use cairn_core::value;
use cairn_core::wire::page::{ListOptions, PageAnswer, PageRequest, Point, Selectors};
use cairn_core::wire::worker::Command;
use serde_json::{Value, json};

use super::keyboard::{self, Key};
use super::replay::Conductor;
use super::tab::{Tab, TabEvents};

/// How long the page may take to hear that it was done.
const WORD_BOUND: Duration = Duration::from_secs(10);

/// Places on the way of a drag.
const DRAG_MOVES: u32 = 8;

/// Between two corners of a drawn way the pointer is moved no farther than this at a time, in CSS pixels.
const DRAWN: f64 = 12.0;

/// Where the browser is to act.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// The pointer goes there.
    pub(super) at: Option<Point>,
    /// A drag ends there.
    pub(super) to: Option<Point>,
    /// The corners of a way that is drawn to there.
    pub(super) way: Vec<Point>,
    /// Page events were sent before, and nothing at all came of them.
    pub(super) again: bool,
}

impl<T: Tab, E: TabEvents> Conductor<'_, T, E> {
    /// Has the browser do a step's act, and tells the page so. The page counts on nothing until it hears of it.
    pub(super) fn hand(&self, document: u32, number: u32, reach: Reach) {
        let Some(step) = self.step(number) else { return };
        let text = step.action.value.as_deref().unwrap_or_default();
        let text = if reach.again && self.requests > 0 {
            Err("the page sent something already: a second time would be one too many".to_owned())
        } else {
            value::expand(text, &self.plan.inputs).map_err(|error| error.to_string())
        };
        let (tab, run, action) = (self.tab.clone(), self.plan.run.clone(), step.action.clone());
        tokio::spawn(async move {
            let done = async {
                let text = text?;
                let frame = action.target.as_ref().map_or(&[][..], |target| &target.frame);
                let mut reach = reach;
                reach.way = reach.at.map(|at| way_from(at, &action, &text)).unwrap_or_default();
                let reach = in_page(&tab, frame, reach).await?;
                let commands = commands(&action, &text, &reach)?;
                tab.debug(commands).await.map_err(|error| format!("{error}; {}", error.hint))
            };
            let word = PageRequest::Handed { run, number, refused: done.await.err() };
            if let Err(error) = tab.ask(document, word, WORD_BOUND).await {
                tracing::debug!("the page is not there to hear of step {number}: {error}");
            }
        });
    }
}

/// Points of a frame as points of the top page: each frame's place is asked of the document around it.
async fn in_page<T: Tab>(tab: &T, frame: &[FrameStep], mut reach: Reach) -> Result<Reach, String> {
    if reach.at.is_none() && reach.to.is_none() {
        return Ok(reach);
    }
    for depth in (0..frame.len()).rev() {
        let around = if depth == 0 { tab.document() } else { tab.document_in(&frame[..depth]) };
        let around = around.ok_or("the page around the frame is not there")?;
        let options = ListOptions { all: true, selectors: Selectors::None, ..ListOptions::default() };
        let listing = match tab.ask(around, PageRequest::List(options), WORD_BOUND).await {
            Ok(PageAnswer::Listing(listing)) => listing,
            Ok(_) => return Err("the page around the frame answered another question".into()),
            Err(error) => return Err(format!("where the frame lies is not known: {error}")),
        };
        let held = listing.frames.iter().find(|held| held.place == frame[depth].index);
        let matrix = held.map(|held| held.matrix.as_slice());
        let Some([xx, xy, yx, yy, left, top]) = matrix else {
            return Err("the frame is not in its page".into());
        };
        let map = |at: Point| Point { x: xx * at.x + yx * at.y + left, y: xy * at.x + yy * at.y + top };
        let way = reach.way.into_iter().map(map).collect();
        reach = Reach { at: reach.at.map(map), to: reach.to.map(map), way, again: reach.again };
    }
    Ok(reach)
}

/// The commands for an action; `text` is its value with today's inputs.
pub(super) fn commands(action: &Action, text: &str, reach: &Reach) -> Result<Vec<Command>, String> {
    let at = || reach.at.ok_or_else(|| "the page named no point".to_owned());
    match action.method {
        Method::Hover => Ok(vec![mouse("mouseMoved", at()?, "none", 0, 0)]),
        Method::Click | Method::Check | Method::Uncheck => Ok(clicks(at()?, "left", 1)),
        Method::Dblclick => Ok(clicks(at()?, "left", 2)),
        Method::Contextmenu => Ok(clicks(at()?, "right", 1)),
        Method::Drag => Ok(drag(at()?, &reach.way, reach.to.ok_or("the page named no end of the drag")?)),
        Method::Fill if text.is_empty() => chord("Delete"),
        Method::Fill | Method::Type => Ok(text.chars().flat_map(character).collect()),
        Method::Press => chord(text),
        other => Err(format!("the browser has no input of its own for {}", other.as_str())),
    }
}

fn command(method: &str, params: Value) -> Command {
    Command { method: method.to_owned(), params }
}

fn mouse(kind: &str, Point { x, y }: Point, button: &str, buttons: u32, count: u32) -> Command {
    let params = json!({
        "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": count, "pointerType": "mouse",
    });
    command("Input.dispatchMouseEvent", params)
}

fn clicks(at: Point, button: &str, count: u32) -> Vec<Command> {
    let held = if button == "right" { 2 } else { 1 };
    let mut all = vec![mouse("mouseMoved", at, "none", 0, 0)];
    for time in 1..=count {
        all.push(mouse("mousePressed", at, button, held, time));
        all.push(mouse("mouseReleased", at, button, 0, time));
    }
    all
}

/// The way of a drag that is told by its corners; a straight one has none but its end.
fn way_from(at: Point, action: &Action, text: &str) -> Vec<Point> {
    let way = if action.method == Method::Drag { course::way(text) } else { Vec::new() };
    let place = |(right, down): (i32, i32)| Point { x: at.x + f64::from(right), y: at.y + f64::from(down) };
    way.into_iter().map(place).collect()
}

fn drag(from: Point, way: &[Point], to: Point) -> Vec<Command> {
    let mut all = vec![mouse("mouseMoved", from, "none", 0, 0), mouse("mousePressed", from, "left", 1, 1)];
    let straight = [to];
    let mut last = from;
    for corner in if way.is_empty() { &straight } else { way } {
        let length = (corner.x - last.x).hypot(corner.y - last.y);
        let moves = if way.is_empty() { DRAG_MOVES } else { (length / DRAWN).ceil().clamp(1.0, 16.0) as u32 };
        for place in 1..=moves {
            let share = f64::from(place) / f64::from(moves);
            let at =
                Point { x: last.x + (corner.x - last.x) * share, y: last.y + (corner.y - last.y) * share };
            all.push(mouse("mouseMoved", at, "left", 1, 0));
        }
        last = *corner;
    }
    all.push(mouse("mouseReleased", to, "left", 0, 1));
    all
}

/// A character by its key; what no key has comes as from an input method.
fn character(character: char) -> Vec<Command> {
    let Some(key) = keyboard::typed(character) else {
        return vec![command("Input.insertText", json!({ "text": character.to_string() }))];
    };
    let modifiers = u32::from(key.shift) * 8;
    vec![stroke(&key, true, modifiers), stroke(&key, false, modifiers)]
}

fn stroke(key: &Key, press: bool, modifiers: u32) -> Command {
    command("Input.dispatchKeyEvent", keyboard::message(key, press, modifiers))
}

fn chord(text: &str) -> Result<Vec<Command>, String> {
    let unknown = || format!("no keyboard has {text}");
    let (held, last) = match text.rsplit_once('+') {
        // `Control++` and `+` end with the key of that name.
        Some((before, "")) => (before.strip_suffix('+').unwrap_or_default(), "+"),
        Some((before, last)) => (before, last),
        None => ("", text),
    };
    let mut modifiers = 0;
    let mut all = Vec::new();
    let mut down = Vec::new();
    for name in held.split('+').filter(|name| !name.is_empty()) {
        modifiers |= keyboard::modifier_bit(name).ok_or_else(unknown)?;
        let key = keyboard::named(name).ok_or_else(unknown)?;
        all.push(stroke(&key, true, modifiers));
        down.push((name, key));
    }
    let key = keyboard::named(last).ok_or_else(unknown)?;
    all.push(stroke(&key, true, modifiers));
    all.push(stroke(&key, false, modifiers));
    for (name, key) in down.iter().rev() {
        modifiers &= !keyboard::modifier_bit(name).unwrap_or_default();
        all.push(stroke(key, false, modifiers));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(method: Method, text: &str) -> Vec<String> {
        let action = Action { method, ..Action::default() };
        let at = Point { x: 5.0, y: 6.0 };
        let way = way_from(at, &action, text);
        let reach = Reach { at: Some(at), to: Some(Point { x: 50.0, y: 60.0 }), way, again: false };
        let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let all = commands(&action, text, &reach).unwrap();
        all.iter()
            .map(|one| format!("{} {}", text_of(&one.params["type"]), text_of(&one.params["key"])))
            .collect()
    }

    #[test]
    fn gestures_are_complete() {
        assert_eq!(kinds(Method::Click, ""), ["mouseMoved ", "mousePressed ", "mouseReleased "]);
        assert_eq!(kinds(Method::Dblclick, "").len(), 5);
        let drag = kinds(Method::Drag, "");
        assert_eq!(drag.last().map(String::as_str), Some("mouseReleased "));
        let drawn = kinds(Method::Drag, "0.100 0.100, +24 +0, +24 +30");
        assert_eq!(drawn.len(), 2 + 2 + 3 + 1, "every corner is passed: {drawn:?}");
        assert_eq!(kinds(Method::Press, "Control++").len(), 4);
        let keys = ["rawKeyDown Control", "rawKeyDown k", "keyUp k", "keyUp Control"];
        assert_eq!(kinds(Method::Press, "Control+k"), keys);
        assert_eq!(kinds(Method::Fill, "aß"), ["keyDown a", "keyUp a", " "]);
    }

    #[test]
    fn what_the_browser_cannot_do_is_refused() {
        let action = Action { method: Method::Select, ..Action::default() };
        assert!(commands(&action, "Paris", &Reach::default()).is_err());
    }
}
