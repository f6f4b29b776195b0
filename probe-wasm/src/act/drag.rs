//! `drag`: what a pointer does that presses here and releases there. An element that HTML drags gets the events of that, with
//! one `DataTransfer` that keeps what the page writes into it; everything else gets the pointer's.

use cairn_core::script::course;
use gloo_timers::future::TimeoutFuture;
use web_sys::{DataTransfer, DragEvent, DragEventInit, Element};

use super::event::{self, Aim, Button, Mouse};
use super::perform::ActError;
use super::pointer::{self, Hands};
use crate::native;

/// Places on the way.
const MOVES: u32 = 6;

/// Between the start of a drag and its first move pass so many milliseconds.
const START_MS: u32 = 8;

/// Times that what is dragged is told to be over the place where it will be dropped.
const OVERS: u32 = 3;

/// Drags from one place to another; `way`: as a script has it, where it is more than straight.
pub async fn drag(hands: &Hands, from: &Aim, to: &Aim, way: &str) -> Result<(), ActError> {
    pointer::move_over(hands, from);
    let down = Mouse {
        kind: "pointerdown",
        point: from.point,
        button: Some(Button::Main),
        held: true,
        detail: 0,
        related: None,
    };
    if event::pointer(&from.hit, down) {
        event::mouse(&from.hit, Mouse { kind: "mousedown", detail: 1, ..down });
    }
    if let Some(source) = draggable(&from.hit) {
        return carry(&source, from, to).await;
    }
    pull(hands, from, to, way);
    Ok(())
}

/// True where HTML drags what is aimed at: the page gets events of its own for that.
pub fn is_carried(aim: &Aim) -> bool {
    draggable(&aim.hit).is_some()
}

/// The element that HTML would drag.
fn draggable(hit: &Element) -> Option<Element> {
    native::closest(hit, "[draggable=true],a[href]:not([draggable=false]),img:not([draggable=false])")
}

async fn carry(source: &Element, from: &Aim, to: &Aim) -> Result<(), ActError> {
    let data = DataTransfer::new().map_err(|_| ActError::before("the browser makes no drag"))?;
    let send = |target: &Element, kind: &str, point: (f64, f64)| {
        let init = DragEventInit::new();
        init.set_bubbles(true);
        init.set_cancelable(!matches!(kind, "dragleave" | "dragend"));
        init.set_composed(true);
        init.set_client_x(point.0 as i32);
        init.set_client_y(point.1 as i32);
        init.set_data_transfer(Some(&data));
        DragEvent::new_with_event_init_dict(kind, &init).is_ok_and(|event| native::dispatch(target, &event))
    };
    if !send(source, "dragstart", from.point) {
        return Err(ActError { message: "the page does not let it be dragged".to_owned(), acted: true });
    }
    // Pages make ready for what is dragged in a task of their own.
    TimeoutFuture::new(START_MS).await;
    send(source, "drag", from.point);
    let mut under = source.clone();
    let mut taken = false;
    for time in 0..OVERS {
        if time > 0 {
            TimeoutFuture::new(0).await;
        }
        // What lies there may be another element since the drag began: a list that sorts itself puts what is dragged there.
        let now = native::topmost(to.point).unwrap_or_else(|| to.hit.clone());
        if now != under {
            send(&now, "dragenter", to.point);
            send(&under, "dragleave", to.point);
            under = now;
        }
        send(source, "drag", to.point);
        taken = !send(&under, "dragover", to.point);
    }
    if taken {
        send(&under, "drop", to.point);
    } else {
        send(&under, "dragleave", to.point);
    }
    send(source, "dragend", to.point);
    if taken {
        Ok(())
    } else {
        Err(ActError { message: "nothing there takes a drop".to_owned(), acted: true })
    }
}

/// A drag that the page makes of the pointer's own events.
fn pull(hands: &Hands, from: &Aim, to: &Aim, way: &str) {
    let mut over = from.hit.clone();
    let mut point = from.point;
    let place = |(right, down): (i32, i32)| (from.point.0 + f64::from(right), from.point.1 + f64::from(down));
    let drawn: Vec<(f64, f64)> = course::way(way).into_iter().map(place).collect();
    let (corners, moves) = if drawn.is_empty() { (vec![to.point], MOVES) } else { (drawn, 2) };
    for corner in corners {
        let last = point;
        for place in 1..=moves {
            let share = f64::from(place) / f64::from(moves);
            point = (last.0 + (corner.0 - last.0) * share, last.1 + (corner.1 - last.1) * share);
            over = native::topmost(point).unwrap_or(over);
            pointer::move_held(hands, &Aim { element: from.element.clone(), hit: over.clone(), point });
        }
    }
    let up =
        Mouse { kind: "pointerup", point, button: Some(Button::Main), held: false, detail: 0, related: None };
    event::pointer(&over, up);
    event::mouse(&over, Mouse { kind: "mouseup", detail: 1, ..up });
}
