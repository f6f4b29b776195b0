//! A person: looks for a control by what it is called, and acts with input that the browser itself calls trusted.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::time::sleep;

use crate::chrome::BOUND;
use crate::keyboard::{self, Key};
use crate::tab::Node;
use crate::{Failed, Outcome, Tab};

/// So often the pointer is brought after a control that moves.
const FOLLOWS: u32 = 4;

/// How a name is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// It is the name.
    Whole,
    /// The name holds it.
    Part,
}

/// What a person looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct What {
    by: By,
    within: Option<(String, String)>,
    shows: Option<String>,
    beside: Option<String>,
    frames: Vec<String>,
    nth: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum By {
    Role(String, String, Match),
    Css(String),
    Locator(String),
}

impl What {
    /// By role and exact name, as the browser's accessibility tree has them.
    pub fn role(role: &str, name: &str) -> Self {
        Self::by(By::Role(role.to_owned(), name.to_owned(), Match::Whole))
    }

    /// By role and a part of the name.
    pub fn role_containing(role: &str, part: &str) -> Self {
        Self::by(By::Role(role.to_owned(), part.to_owned(), Match::Part))
    }

    /// By CSS; ` >> ` steps into an open shadow root.
    pub fn css(css: &str) -> Self {
        Self::by(By::Css(css.to_owned()))
    }

    fn by(by: By) -> Self {
        Self { by, within: None, shows: None, beside: None, frames: Vec::new(), nth: 0 }
    }

    /// Of what CSS finds only what shows exactly this text.
    #[must_use]
    pub fn showing(mut self, text: Option<&str>) -> Self {
        self.shows = text.map(str::to_owned);
        self
    }

    /// Of what CSS finds only what has this text beside it.
    #[must_use]
    pub fn beside(mut self, text: Option<&str>) -> Self {
        self.beside = text.map(str::to_owned);
        self
    }

    /// By the locators of tests/drift: CSS, `:has-text('…')` or `:text-is('…')` at the end of it, ` >> nth=N` behind it.
    pub fn locator(locator: &str) -> Self {
        Self::by(By::Locator(locator.to_owned()))
    }

    /// Only inside the element of this role and name.
    #[must_use]
    pub fn within(mut self, role: &str, name: &str) -> Self {
        self.within = Some((role.to_owned(), name.to_owned()));
        self
    }

    /// Inside the frames of these titles, from the top page.
    #[must_use]
    pub fn in_frames(mut self, titles: &[String]) -> Self {
        self.frames = titles.to_vec();
        self
    }

    /// The `nth` of several, from 0.
    #[must_use]
    pub fn nth(mut self, nth: usize) -> Self {
        self.nth = nth;
        self
    }
}

/// A person at one tab.
#[derive(Clone)]
pub struct Person {
    tab: Tab,
    pace: Duration,
}

/// A point in the viewport, in CSS pixels.
type Point = (f64, f64);

impl Person {
    /// A quick but human person: a few milliseconds a key.
    pub fn at(tab: Tab) -> Self {
        Self { tab, pace: Duration::from_millis(8) }
    }

    /// A person who takes this long from key to key.
    #[must_use]
    pub fn with_pace(mut self, pace: Duration) -> Self {
        self.pace = pace;
        self
    }

    /// The tab.
    pub fn tab(&self) -> &Tab {
        &self.tab
    }

    /// Waits until what is looked for can be seen, and does not move.
    pub async fn see(&self, what: &What) -> Outcome<()> {
        self.find(what).await.map(drop)
    }

    /// Presses and releases the main button on it.
    pub async fn click(&self, what: &What) -> Outcome<()> {
        let (node, mut point) = self.find(what).await?;
        // A control that moved while the pointer went there is followed, as an eye would.
        for _ in 0..FOLLOWS {
            self.move_to(point).await?;
            match self.tab.point(&node).await {
                Ok(Some(now)) if now != point => point = now,
                _ => break,
            }
        }
        self.click_at(point, 1).await
    }

    /// Clicks twice.
    pub async fn double_click(&self, what: &What) -> Outcome<()> {
        let (_, point) = self.find(what).await?;
        self.click_at(point, 1).await?;
        self.click_at(point, 2).await
    }

    /// Clicks at a place inside the control, counted from the left top corner of its box.
    pub async fn click_inside(&self, what: &What, place: Point) -> Outcome<()> {
        let point = self.corner(what, place).await?;
        self.click_at(point, 1).await
    }

    /// A place inside it, counted from the left top corner of its box, as a point of the viewport.
    pub(crate) async fn corner(&self, what: &What, place: Point) -> Outcome<Point> {
        let (node, _) = self.find(what).await?;
        let corner = "function () { const box = this.getBoundingClientRect(); return [box.x, box.y]; }";
        let corner = self.tab.ask(&node, corner).await?;
        let (x, y) = (corner[0].as_f64().unwrap_or_default(), corner[1].as_f64().unwrap_or_default());
        Ok((x + place.0, y + place.1))
    }

    /// Clicks an option of a list that shows its options, by place; with Control held where others are to stay chosen.
    pub async fn click_option(&self, what: &What, index: u64, add: bool) -> Outcome<()> {
        let (node, _) = self.find(what).await?;
        let middle = format!(
            "function () {{ const box = this.options[{index}].getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }}"
        );
        let middle = self.tab.ask(&node, &middle).await?;
        self.click_with((middle[0].as_f64().unwrap_or_default(), middle[1].as_f64().unwrap_or_default()), add)
            .await
    }

    /// Clicks at a point, with Control held where others are to stay chosen.
    pub(crate) async fn click_with(&self, point: Point, add: bool) -> Outcome<()> {
        let control = keyboard::named("Control").filter(|_| add);
        if let Some(control) = &control {
            self.key(control, true, 2).await?;
        }
        self.press_button(point, 1, u32::from(add) * 2).await?;
        if let Some(control) = &control {
            self.key(control, false, 0).await?;
        }
        Ok(())
    }

    /// Clicks at a point of the viewport.
    pub async fn click_at(&self, point: Point, count: u32) -> Outcome<()> {
        self.press_button(point, count, 0).await
    }

    async fn move_to(&self, (x, y): Point) -> Outcome<()> {
        let event = json!({ "type": "mouseMoved", "x": x, "y": y, "button": "none", "buttons": 0 });
        self.tab.call("Input.dispatchMouseEvent", event).await.map(drop)
    }

    async fn press_button(&self, (x, y): Point, count: u32, modifiers: u32) -> Outcome<()> {
        let event = |kind: &str, buttons: u32, count: u32| {
            let button = if count == 0 { "none" } else { "left" };
            json!({
                "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": count,
                "modifiers": modifiers,
            })
        };
        self.tab.call("Input.dispatchMouseEvent", event("mouseMoved", 0, 0)).await?;
        self.tab.call("Input.dispatchMouseEvent", event("mousePressed", 1, count)).await?;
        sleep(self.pace).await;
        self.tab.call("Input.dispatchMouseEvent", event("mouseReleased", 0, count)).await?;
        sleep(self.pace).await;
        Ok(())
    }

    /// Moves the pointer over it.
    pub async fn hover(&self, what: &What) -> Outcome<()> {
        let point = self.point(what).await?;
        self.move_to(point).await
    }

    /// Clicks into a field and types.
    pub async fn fill(&self, what: &What, text: &str) -> Outcome<()> {
        self.click(what).await?;
        self.type_text(text).await
    }

    /// Clicks into a field, selects what it holds and types over it.
    pub async fn refill(&self, what: &What, text: &str) -> Outcome<()> {
        self.click(what).await?;
        self.press("Control+a").await?;
        self.type_text(text).await
    }

    /// Types with real keys; what no key has comes as from an input method.
    pub async fn type_text(&self, text: &str) -> Outcome<()> {
        for character in text.chars() {
            match keyboard::typed(character) {
                Some(key) => self.strike(&key, u32::from(key.shift) * 8).await?,
                None => {
                    self.tab.call("Input.insertText", json!({ "text": character.to_string() })).await?;
                }
            }
            sleep(self.pace).await;
        }
        Ok(())
    }

    /// Presses a key or a chord: `Enter`, `Control+k`, `Control+Shift+P`.
    pub async fn press(&self, chord: &str) -> Outcome<()> {
        let unknown = || Failed::because(format!("no keyboard has {chord:?}"));
        let mut names: Vec<&str> = chord.split('+').collect();
        let last = names.pop().filter(|name| !name.is_empty()).ok_or_else(unknown)?;
        let mut modifiers = 0;
        let mut held = Vec::new();
        for name in names {
            modifiers |= keyboard::modifier_bit(name).ok_or_else(unknown)?;
            let key = keyboard::named(name).ok_or_else(unknown)?;
            self.key(&key, true, modifiers).await?;
            held.push(key);
        }
        let key = keyboard::named(last).ok_or_else(unknown)?;
        self.key(&key, true, modifiers).await?;
        self.key(&key, false, modifiers).await?;
        for key in held.iter().rev() {
            modifiers &= !keyboard::modifier_bit(&key.key).unwrap_or_default();
            self.key(key, false, modifiers).await?;
        }
        sleep(self.pace).await;
        Ok(())
    }

    /// Tabs until the control has the focus.
    pub async fn tab_to(&self, what: &What) -> Outcome<()> {
        let (node, _) = self.find(what).await?;
        for _ in 0..60 {
            if self.tab.has_focus(&node).await? {
                return Ok(());
            }
            self.press("Tab").await?;
        }
        Err(Failed::because(format!("Tab never came to {what:?}")))
    }

    /// Tabs to a native select and types the option's label, as the select understands it.
    pub async fn choose(&self, what: &What, label: &str) -> Outcome<()> {
        self.tab_to(what).await?;
        self.type_text(label).await
    }

    /// Tabs to a native date field and types the date, `2027-03-15`, in the order of an English-speaking browser.
    pub async fn enter_date(&self, what: &What, date: &str) -> Outcome<()> {
        let parts: Vec<&str> = date.split('-').collect();
        let [year, month, day] = parts[..] else {
            return Err(Failed::because(format!("{date:?} is no date like 2027-03-15")));
        };
        self.tab_to(what).await?;
        self.type_text(&format!("{month}{day}{year}")).await
    }

    /// Turns the wheel by so many pixels.
    pub async fn scroll(&self, by: f64) -> Outcome<()> {
        let event = json!({ "type": "mouseWheel", "x": 200, "y": 200, "deltaX": 0, "deltaY": by });
        self.tab.call("Input.dispatchMouseEvent", event).await.map(drop)
    }

    async fn strike(&self, key: &Key, modifiers: u32) -> Outcome<()> {
        let shift = keyboard::named("Shift").filter(|_| modifiers & 8 != 0);
        if let Some(shift) = &shift {
            self.key(shift, true, modifiers).await?;
        }
        self.key(key, true, modifiers).await?;
        self.key(key, false, modifiers).await?;
        if let Some(shift) = &shift {
            self.key(shift, false, modifiers & !8).await?;
        }
        Ok(())
    }

    async fn key(&self, key: &Key, press: bool, modifiers: u32) -> Outcome<()> {
        let message = keyboard::message(key, press, modifiers);
        self.tab.call("Input.dispatchKeyEvent", message).await.map(drop)
    }

    /// Where it is.
    pub(crate) async fn point(&self, what: &What) -> Outcome<Point> {
        Ok(self.find(what).await?.1)
    }

    pub(crate) async fn find(&self, what: &What) -> Outcome<(Node, Point)> {
        let began = Instant::now();
        let mut last = String::from("it is not there");
        while began.elapsed() < BOUND {
            match self.look(what).await {
                Ok(Some(found)) => return Ok(found),
                Ok(None) => {}
                // The page may be changing under the look: the next one will tell.
                Err(error) => last = error.to_string(),
            }
            sleep(Duration::from_millis(25)).await;
        }
        Err(Failed::because(format!("looked in vain for {what:?}: {last}")))
    }

    /// One look: the node, and a point on it, where it has a box and stands still.
    async fn look(&self, what: &What) -> Outcome<Option<(Node, Point)>> {
        let within = what.within.as_ref().map(|(role, name)| (role.as_str(), name.as_str()));
        let found = match &what.by {
            By::Role(role, name, how) => {
                self.tab.by_role(role, name, *how, within, &what.frames, what.nth).await?
            }
            By::Css(css) => {
                self.tab.by_css(css, what.shows.as_deref(), what.beside.as_deref(), what.nth).await?
            }
            By::Locator(locator) => self.tab.by_locator(locator).await?,
        };
        let Some(node) = found else { return Ok(None) };
        let Some(before) = self.tab.point(&node).await? else { return Ok(None) };
        sleep(Duration::from_millis(10)).await;
        let after = self.tab.point(&node).await?;
        Ok((after == Some(before)).then_some((node, before)))
    }
}
