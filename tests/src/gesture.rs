//! What a person does with more than one press of a button: drags, files from the browser's chooser, the wheel.

use std::path::Path;
use std::time::Duration;

use cairn_host::browser::PipeEvent;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::time::{sleep, timeout};

use crate::{Failed, Outcome, Person, What};

/// How long the browser may take to answer a gesture.
const BOUND: Duration = Duration::from_secs(10);

/// Pixels that a pointer must travel before the browser calls it a drag.
const NUDGE: f64 = 8.0;

impl Person {
    /// Drags one element to the middle of another: as HTML5 has it where the browser begins a drag, else with the pointer.
    pub async fn drag(&self, from: &What, to: &What) -> Outcome<()> {
        self.drag_to(from, to, None).await
    }

    /// As `drag`, to a place in the other that is counted from its left top corner.
    pub async fn drag_to(&self, from: &What, to: &What, place: Option<(f64, f64)>) -> Outcome<()> {
        let start = self.point(from).await?;
        let end = match place {
            Some(place) => self.corner(to, place).await?,
            None => self.point(to).await?,
        };
        let mut events = self.tab().events();
        self.tab().call("Input.setInterceptDrags", json!({ "enabled": true })).await?;
        self.pointer("mouseMoved", start, 0).await?;
        self.pointer("mousePressed", start, 1).await?;
        let nudged = (start.0 + NUDGE, start.1 + NUDGE);
        self.pointer("mouseMoved", nudged, 1).await?;
        self.pointer("mouseMoved", (nudged.0 + 1.0, nudged.1 + 1.0), 1).await?;
        let begun = timeout(Duration::from_millis(400), next(&mut events, "Input.dragIntercepted")).await;
        if let Ok(Ok(params)) = begun {
            for kind in ["dragEnter", "dragOver", "drop"] {
                let event = json!({ "type": kind, "x": end.0, "y": end.1, "data": params["data"] });
                self.tab().call("Input.dispatchDragEvent", event).await?;
            }
        } else {
            for place in 1..=10 {
                let share = f64::from(place) / 10.0;
                let at = (start.0 + (end.0 - start.0) * share, start.1 + (end.1 - start.1) * share);
                self.pointer("mouseMoved", at, 1).await?;
            }
        }
        self.pointer("mouseReleased", end, 0).await?;
        self.tab().call("Input.setInterceptDrags", json!({ "enabled": false })).await?;
        Ok(())
    }

    /// Takes hold of an element and draws it so many pixels away.
    pub async fn drag_by(&self, what: &What, (across, down): (f64, f64)) -> Outcome<()> {
        let start = self.point(what).await?;
        self.draw(&[start, (start.0 + across, start.1 + down)]).await
    }

    /// Takes hold of the first point of an element, from its left top corner, and draws through the others.
    pub async fn draw_on(&self, what: &What, points: &[(f64, f64)]) -> Outcome<()> {
        let corner = self.corner(what, (0.0, 0.0)).await?;
        let points: Vec<_> = points.iter().map(|(x, y)| (corner.0 + x, corner.1 + y)).collect();
        self.draw(&points).await
    }

    /// Presses and releases the other button on it.
    pub async fn open_menu(&self, what: &What) -> Outcome<()> {
        let (x, y) = self.point(what).await?;
        for (kind, buttons) in [("mouseMoved", 0), ("mousePressed", 2), ("mouseReleased", 0)] {
            let button = if kind == "mouseMoved" { "none" } else { "right" };
            let event = json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1 });
            self.tab().call("Input.dispatchMouseEvent", event).await?;
        }
        Ok(())
    }

    /// Does one act that a script in a page asks for: `{click: [x, y]}` (`add`: with Control held), `{type}`, `{press}`,
    /// `{move: [x, y]}`, `{drag: [[x, y], …]}`, `{wheel: [x, y, pixels]}`, `{wait: ms}`.
    pub async fn perform(&self, act: &Value) -> Outcome<()> {
        let number = |value: &Value| value.as_f64().unwrap_or_default();
        let point = |value: &Value| (number(&value[0]), number(&value[1]));
        if act["click"].is_array() {
            return self.click_with(point(&act["click"]), act["add"] == true).await;
        }
        if let Some(text) = act["type"].as_str() {
            return self.type_text(text).await;
        }
        if let Some(chord) = act["press"].as_str() {
            return self.press(chord).await;
        }
        if act["move"].is_array() {
            return self.pointer("mouseMoved", point(&act["move"]), 0).await;
        }
        if let Some(points) = act["drag"].as_array() {
            return self.draw(&points.iter().map(point).collect::<Vec<_>>()).await;
        }
        if let Some([x, y, by]) = act["wheel"].as_array().map(Vec::as_slice) {
            let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by });
            return self.tab().call("Input.dispatchMouseEvent", event).await.map(drop);
        }
        sleep(Duration::from_millis(act["wait"].as_u64().unwrap_or_default())).await;
        Ok(())
    }

    /// Presses the button at the first point, and draws through the others.
    async fn draw(&self, points: &[(f64, f64)]) -> Outcome<()> {
        let Some(start) = points.first().copied() else { return Ok(()) };
        self.pointer("mouseMoved", start, 0).await?;
        self.pointer("mousePressed", start, 1).await?;
        let mut at = start;
        for to in points.iter().skip(1) {
            let moves = if points.len() > 6 { 1 } else { 6 };
            let from = at;
            for place in 1..=moves {
                let share = f64::from(place) / f64::from(moves);
                at = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
                self.pointer("mouseMoved", at, 1).await?;
            }
        }
        self.pointer("mouseReleased", at, 0).await
    }

    /// Types with an input method: the text grows character by character in a composition, and is taken at the end.
    pub async fn compose(&self, text: &str) -> Outcome<()> {
        let mut made = String::new();
        for character in text.chars() {
            made.push(character);
            let length = made.encode_utf16().count();
            let params = json!({ "text": made, "selectionStart": length, "selectionEnd": length });
            self.tab().call("Input.imeSetComposition", params).await?;
            sleep(Duration::from_millis(8)).await;
        }
        self.tab().call("Input.insertText", json!({ "text": text })).await.map(drop)
    }

    /// Clicks what opens the browser's file chooser, and picks a file there.
    pub async fn give_file(&self, opener: &What, file: &Path) -> Outcome<()> {
        let mut events = self.tab().events();
        self.tab().call("Page.setInterceptFileChooserDialog", json!({ "enabled": true })).await?;
        self.click(opener).await?;
        let opened = timeout(BOUND, next(&mut events, "Page.fileChooserOpened")).await;
        let params = opened.map_err(|_| Failed::because("no file chooser opened"))??;
        let files = json!({ "files": [file], "backendNodeId": params["backendNodeId"] });
        self.tab().call("DOM.setFileInputFiles", files).await?;
        self.tab().call("Page.setInterceptFileChooserDialog", json!({ "enabled": false })).await?;
        Ok(())
    }

    /// Turns the wheel over an element until its own scroll position is there.
    pub async fn scroll_inside(&self, what: &What, top: f64) -> Outcome<()> {
        let (node, point) = self.find(what).await?;
        for _ in 0..200 {
            let now = self.tab().ask(&node, "function () { return this.scrollTop; }").await?;
            let left = top - now.as_f64().unwrap_or_default();
            if left.abs() < 1.0 {
                return Ok(());
            }
            let event = json!({
                "type": "mouseWheel", "x": point.0, "y": point.1, "deltaX": 0, "deltaY": left.clamp(-900.0, 900.0),
            });
            self.tab().call("Input.dispatchMouseEvent", event).await?;
            sleep(Duration::from_millis(20)).await;
        }
        Err(Failed::because(format!("{what:?} does not scroll to {top}")))
    }

    /// Has an aid of the person's (a password manager, a voice control) set a field that has the focus: no key is pressed.
    pub async fn set_by_aid(&self, what: &What, value: &str) -> Outcome<()> {
        let (node, _) = self.find(what).await?;
        let function = format!(
            "function () {{ this.focus(); this.value = {}; for (const type of ['input', 'change']) \
               this.dispatchEvent(new Event(type, {{ bubbles: true, composed: true }})); }}",
            json!(value)
        );
        self.tab().ask(&node, &function).await.map(drop)
    }

    /// Presses and releases the main button at a point.
    pub async fn click_point(&self, point: (f64, f64)) -> Outcome<()> {
        self.click_at(point, 1).await
    }

    async fn pointer(&self, kind: &str, (x, y): (f64, f64), buttons: u32) -> Outcome<()> {
        let button = if buttons == 0 && kind == "mouseMoved" { "none" } else { "left" };
        let count = u32::from(kind != "mouseMoved");
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": count });
        self.tab().call("Input.dispatchMouseEvent", event).await?;
        sleep(Duration::from_millis(8)).await;
        Ok(())
    }
}

async fn next(events: &mut Receiver<PipeEvent>, method: &str) -> Outcome<Value> {
    loop {
        let event = events.recv().await.map_err(|error| Failed::because(error.to_string()))?;
        if event.method == method {
            return Ok(event.params);
        }
    }
}
