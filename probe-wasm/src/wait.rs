//! Waits for causes: a mutation, an event, a message, a stable box; never a fixed sleep.
//!
//! A background tab gets no animation frames and its timers are slow, so a wait rests on mutation records, on the events
//! that the page's listeners hear, and on message ports, which nothing slows. A field's value, a style rule or a scroll
//! position changes without a record: for those a wait looks again after a few turns of the event loop, and then at a slow
//! beat. A timer alone ends a wait only at its bound.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures_util::future::{self, Either, FutureExt};
use gloo_timers::future::TimeoutFuture;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{MessageChannel, MessagePort};

use crate::native;

/// Bound of a wait where a batch names none, in milliseconds.
pub const DEFAULT_BOUND_MS: f64 = 10_000.0;

/// How often a wait looks again for what no record and no event tells of.
const BEAT_MS: f64 = 40.0;

/// Turns of the event loop after which a wait looks again at once: what a page does in its next task is seen without delay.
const QUICK_TURNS: u32 = 4;

/// Wakes everybody who waits.
#[derive(Default)]
pub struct Bell {
    wakers: RefCell<Vec<Waker>>,
    rung: Cell<u64>,
}

impl Bell {
    /// Something happened.
    pub fn ring(&self) {
        self.rung.set(self.rung.get().wrapping_add(1));
        for waker in self.wakers.take() {
            waker.wake();
        }
    }

    /// Resolves at the next ring after this call.
    pub fn listen(self: &Rc<Self>) -> Ring {
        Ring { bell: Rc::clone(self), since: self.rung.get() }
    }
}

/// The next ring of a bell.
pub struct Ring {
    bell: Rc<Bell>,
    since: u64,
}

impl Future for Ring {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.bell.rung.get() != self.since {
            return Poll::Ready(());
        }
        self.bell.wakers.borrow_mut().push(context.waker().clone());
        Poll::Pending
    }
}

/// A message port to ourselves: one turn of the event loop, also in a background tab.
pub struct Turns {
    channel: Option<MessageChannel>,
    bell: Rc<Bell>,
    _heard: Closure<dyn FnMut()>,
}

impl Default for Turns {
    fn default() -> Self {
        let bell = Rc::new(Bell::default());
        let ringing = Rc::clone(&bell);
        let heard = Closure::<dyn FnMut()>::new(move || ringing.ring());
        let channel = MessageChannel::new().ok();
        if let Some(channel) = &channel {
            let port: MessagePort = channel.port1();
            port.set_onmessage(Some(heard.as_ref().unchecked_ref()));
        }
        Self { channel, bell, _heard: heard }
    }
}

impl Turns {
    /// Resolves after the tasks that are due now.
    pub async fn next(&self) {
        let ring = self.bell.listen();
        let posted = self
            .channel
            .as_ref()
            .is_some_and(|channel| channel.port2().post_message(&wasm_bindgen::JsValue::NULL).is_ok());
        if posted {
            ring.await;
        } else {
            TimeoutFuture::new(0).await;
        }
    }
}

/// Steps behind what the page's listeners have queued: a promise that waits for a promise is one more.
const HOPS: u32 = 10;

/// Resolves after the page's microtasks that are due now, within this task: no frame is drawn in between.
pub async fn microtasks() {
    let mut hops = HOPS;
    future::poll_fn(|context| {
        if hops == 0 {
            return Poll::Ready(());
        }
        hops -= 1;
        // Waking puts us at the end of the microtask queue.
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// When a wait must end.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(f64);

impl Deadline {
    /// `bound_ms` from now.
    pub fn after(bound_ms: f64) -> Self {
        Self(native::now() + bound_ms)
    }

    /// Milliseconds left; 0 once it has passed.
    pub fn left(self) -> f64 {
        (self.0 - native::now()).max(0.0)
    }

    /// True once it has passed.
    pub fn is_over(self) -> bool {
        self.left() <= 0.0
    }
}

/// Paces one wait: quick turns first, then causes, and never so often that looking eats the page's time.
pub struct Pace {
    deadline: Deadline,
    turns: u32,
    looked_at: f64,
}

impl Pace {
    /// A wait that ends at `deadline`. Make it just before the first look.
    pub fn new(deadline: Deadline) -> Self {
        Self { deadline, turns: 0, looked_at: native::now() }
    }

    /// Waits until looking again is worth while; false once the deadline has passed. `change` resolves at the page's next
    /// mutation, `bell` at an event or a message.
    pub async fn again(&mut self, turns: &Turns, bell: &Rc<Bell>, change: impl Future<Output = ()>) -> bool {
        let cost = native::now() - self.looked_at;
        if self.deadline.is_over() {
            return false;
        }
        if self.turns < QUICK_TURNS {
            self.turns += 1;
            turns.next().await;
        } else {
            self.cause(bell, change, cost).await;
        }
        self.looked_at = native::now();
        true
    }

    async fn cause(&self, bell: &Rc<Bell>, change: impl Future<Output = ()>, cost: f64) {
        let left = self.deadline.left();
        // A page that mutates for ever would have us look for ever: leave it as much time as the look took.
        if cost > 2.0 {
            TimeoutFuture::new(cost.min(left).ceil() as u32).await;
        }
        let ring = bell.listen();
        let beat = TimeoutFuture::new(BEAT_MS.max(cost).min(left).ceil() as u32);
        let happened = future::select(ring, Box::pin(change));
        match future::select(happened, beat).await {
            Either::Left(_) | Either::Right(_) => {}
        }
    }
}

/// Resolves with the next animation frame; in a tab that gets none, after a turn at a slow beat.
pub async fn frame() {
    let shown = Rc::new(Bell::default());
    let ringing = Rc::clone(&shown);
    let ring = shown.listen();
    let heard = Closure::once(move |_: f64| ringing.ring());
    let asked = web_sys::window()
        .and_then(|window| window.request_animation_frame(heard.as_ref().unchecked_ref()).ok());
    let beat = TimeoutFuture::new(BEAT_MS as u32);
    future::select(ring, beat).map(|_| ()).await;
    if let (Some(asked), Some(window)) = (asked, web_sys::window()) {
        let _ = window.cancel_animation_frame(asked);
    }
}
