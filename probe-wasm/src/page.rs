//! Owns eyes, hands and watch of one frame and answers the wire.
//!
//! Each part stands in a cell of its own and is borrowed for one call, never across an act or a wait: what the page's
//! listeners do during our own act comes back in through `observe` while that act is still on the stack.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use cairn_core::element::{FramePath, Ref};
use cairn_core::script::{Action, Target};
use cairn_core::wire::page::{
    Batch, Configure, FromPage, PageAnswer, PageEvent, PageRequest, RecordOptions, ToPage,
};
use cairn_core::wire::{self, ErrorCode, WireError};
use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, Event};

use crate::act::Hands;
use crate::build;
use crate::departure::{Departure, Leaving};
use crate::eyes::{self, Eyes, View, collector};
use crate::mask::Mask;
use crate::native;
use crate::number::NUMBERS;
use crate::outgoing::{Outbox, mask_answer, mask_event};
use crate::play::{self, Run, Stop};
use crate::wait::{self, Bell, Deadline, Pace, Turns};
use crate::watch::Recorder;

/// Events of the first so many milliseconds are kept for a recorder that is not there yet,
const EARLY_MS: f64 = 5_000.0;
/// and at most so many.
const EARLY_EVENTS: usize = 300;

/// One frame's probe.
pub struct Page {
    /// Where the mouse is, and what was typed into.
    pub hands: Hands,
    /// Whether the document is being left.
    pub departure: Departure,
    /// Turns of the event loop.
    pub turns: Turns,
    bell: Rc<Bell>,
    eyes: RefCell<Eyes>,
    mask: RefCell<Mask>,
    frame: RefCell<FramePath>,
    run: RefCell<Option<Rc<Run>>>,
    queue: RefCell<VecDeque<(Event, JsValue)>>,
    recorder: RefCell<Option<Recorder>>,
    ticking: Cell<bool>,
    outbox: RefCell<Outbox>,
    started: f64,
    /// When something was last done that pages answer with more than a value.
    stirred: Cell<f64>,
    /// The highest number of a node when something was last done.
    known: Cell<u32>,
    engine: String,
    send: Function,
}

impl Page {
    /// A probe that sends its messages through `send(text, kind)`.
    pub fn new(engine: String, send: Function) -> Self {
        let bell = Rc::new(Bell::default());
        Self {
            hands: Hands::default(),
            departure: Departure::watch(&bell),
            turns: Turns::default(),
            bell,
            eyes: RefCell::new(Eyes::new()),
            mask: RefCell::new(Mask::new()),
            frame: RefCell::default(),
            run: RefCell::default(),
            queue: RefCell::default(),
            recorder: RefCell::default(),
            ticking: Cell::new(false),
            outbox: RefCell::default(),
            started: native::now(),
            stirred: Cell::new(native::now()),
            known: Cell::new(0),
            engine,
            send,
        }
    }

    /// Takes a message of the host.
    pub fn receive(self: &Rc<Self>, text: &str) {
        match wire::read::<ToPage>(text, &NUMBERS) {
            Ok(message) => self.handle(message),
            Err(error) => {
                let id = wire::read_id(text, &NUMBERS);
                self.answer(
                    id,
                    Err(wire_error(ErrorCode::BadMessage, format!("the message cannot be read: {error}"))),
                );
            }
        }
    }

    fn handle(self: &Rc<Self>, ToPage { id, request }: ToPage) {
        let page = Rc::clone(self);
        match request {
            PageRequest::Play(batch) => self.play(id, batch),
            PageRequest::Check { conditions, inputs, bound_ms } => spawn_local(async move {
                page.mask.borrow_mut().expect(&inputs);
                let results = play::check(&page, &conditions, &inputs, bound_ms).await;
                page.answer(id, Ok(PageAnswer::Checked { results }));
            }),
            PageRequest::Build { from } => spawn_local(async move {
                let answer = build::read(&from).await;
                page.answer(id, Ok(answer));
            }),
            PageRequest::Act { reference, action } => spawn_local(async move {
                let answer = page.act(&reference, &action).await;
                page.answer(id, answer);
            }),
            other => {
                let answer = self.reply(other);
                self.answer(id, answer);
            }
        }
    }

    /// What can be answered at once.
    fn reply(self: &Rc<Self>, request: PageRequest) -> Result<PageAnswer, WireError> {
        match request {
            PageRequest::Configure(configure) => self.configure(&configure),
            PageRequest::List(options) => {
                let mut listing = self.eyes.borrow_mut().list(&options);
                listing.engine.clone_from(&self.engine);
                return Ok(PageAnswer::Listing(listing));
            }
            PageRequest::Snapshot => {
                let mask = self.mask.borrow();
                let json = self.eyes.borrow_mut().snapshot_json(&|text| mask.text(text));
                return Ok(PageAnswer::Snapshot { json });
            }
            PageRequest::Record(options) => self.record(options),
            PageRequest::StopRecord => self.stop_recording(),
            PageRequest::Describe { reference } => return self.describe(&reference),
            PageRequest::Proceed { run, number } => self.of_run(&run)?.give_word(number),
            PageRequest::Handed { run, number, refused } => self.of_run(&run)?.hand(number, refused),
            PageRequest::Cancel { run } => self.of_run(&run)?.cancel(),
            _ => {
                return Err(wire_error(ErrorCode::Internal, "this request is answered elsewhere".to_owned()));
            }
        }
        self.bell.ring();
        Ok(PageAnswer::Done)
    }

    fn configure(self: &Rc<Self>, configure: &Configure) {
        // The first look is the dearest. Where the document is there, it is taken while the host still decides.
        let page = Rc::clone(self);
        spawn_local(async move {
            page.turns.next().await;
            let parsed = native::document().is_some_and(|document| document.ready_state() != "loading");
            if parsed && page.run.borrow().is_none() {
                page.look();
            }
        });
        self.departure.arrive();
        self.frame.replace(configure.frame.clone());
        self.mask.borrow_mut().configure(&configure.secrets);
        self.eyes.borrow_mut().configure(configure);
    }

    fn of_run(&self, run: &str) -> Result<Rc<Run>, WireError> {
        let current = self.run.borrow().clone();
        current.filter(|current| current.id == run).ok_or_else(|| {
            wire_error(ErrorCode::BadMessage, format!("no batch of run {run} is under way in this document"))
        })
    }

    fn describe(&self, reference: &Ref) -> Result<PageAnswer, WireError> {
        let element = self.node(reference)?;
        let view = self.look();
        let place = view.position_of(&element).ok_or_else(|| {
            wire_error(
                ErrorCode::StaleRef,
                format!("the element of ref {} is no longer in the index", reference.0),
            )
        })?;
        let (target, weak) = view.describe(place);
        Ok(PageAnswer::Described { target: Box::new(target), weak })
    }

    fn play(self: &Rc<Self>, id: u64, batch: Batch) {
        if let Some(current) = &*self.run.borrow() {
            let message = format!("a batch of run {} is still under way in this document", current.id);
            self.answer(id, Err(wire_error(ErrorCode::BadMessage, message)));
            return;
        }
        let run = Rc::new(Run::new(&batch.run));
        self.run.replace(Some(Rc::clone(&run)));
        self.mask.borrow_mut().expect(&batch.inputs);
        let page = Rc::clone(self);
        spawn_local(async move {
            let played = play::play(Rc::clone(&page), run, batch).await;
            page.run.replace(None);
            page.answer(id, Ok(PageAnswer::Played(played)));
        });
    }

    async fn act(self: &Rc<Self>, reference: &Ref, action: &Action) -> Result<PageAnswer, WireError> {
        // A stale ref is refused at once, and not waited for.
        self.node(reference)?;
        Ok(PageAnswer::Played(play::act(self, reference, action).await))
    }

    /// Hears an event of the page; `held`: the page as it was then, where it is not as it is now.
    pub fn observe(self: &Rc<Self>, event: Event, held: JsValue) {
        self.departure.observe(&event);
        if self.departure.state() != Leaving::No {
            self.flush();
        }
        let recording = self.recorder.try_borrow().map_or(true, |recorder| recorder.is_some());
        let early = !recording && native::now() - self.started < EARLY_MS;
        let held = if early && self.run.borrow().is_none() { eyes::held_for(&event, held) } else { held };
        let mut queue = self.queue.borrow_mut();
        queue.push_back((event, held));
        if !recording {
            // The word to record may still be on its way to a new document: the first events are kept for it.
            let kept = if early { EARLY_EVENTS } else { 0 };
            let surplus = queue.len().saturating_sub(kept);
            queue.drain(..surplus);
        }
        drop(queue);
        self.hear_queue();
        self.bell.ring();
    }

    /// Hands the queued events to the recorder, unless they come from within a look at the page: then the next call does.
    fn hear_queue(self: &Rc<Self>) {
        self.with_recorder(&mut |recorder, eyes, mask| {
            let mut said = Vec::new();
            while let Some((event, held)) = self.next_event() {
                eyes.recall(held);
                said.append(&mut recorder.observe(&event, eyes, mask));
            }
            eyes.recall(JsValue::NULL);
            said
        });
    }

    fn next_event(&self) -> Option<(Event, JsValue)> {
        self.queue.borrow_mut().pop_front()
    }

    /// Lets the recorder do something, tells the host what came of it, and sees to its next look at the page.
    fn with_recorder(
        self: &Rc<Self>,
        act: &mut dyn FnMut(&mut Recorder, &mut Eyes, &mut Mask) -> Vec<PageEvent>,
    ) {
        let (Ok(mut recorder), Ok(mut eyes), Ok(mut mask)) =
            (self.recorder.try_borrow_mut(), self.eyes.try_borrow_mut(), self.mask.try_borrow_mut())
        else {
            return;
        };
        let Some(watching) = recorder.as_mut() else { return };
        let said = act(watching, &mut eyes, &mut mask);
        let due = watching.due();
        drop((recorder, eyes, mask));
        for event in said {
            self.tell(event);
        }
        if let Some(due) = due.filter(|_| !self.ticking.replace(true)) {
            let page = Rc::clone(self);
            spawn_local(async move {
                gloo_timers::future::TimeoutFuture::new(due.ceil() as u32).await;
                page.ticking.set(false);
                page.with_recorder(&mut Recorder::tick);
            });
        }
    }

    fn record(self: &Rc<Self>, options: RecordOptions) {
        let watching = Recorder::start(options, &mut self.eyes.borrow_mut(), &mut self.mask.borrow_mut());
        self.recorder.replace(Some(watching));
        self.hear_queue();
        // What an earlier document's last step brought about here is looked for at once.
        self.with_recorder(&mut Recorder::tick);
    }

    fn stop_recording(self: &Rc<Self>) {
        self.hear_queue();
        self.with_recorder(&mut Recorder::stop);
        self.recorder.replace(None);
    }

    /// Ends everything.
    pub fn stop(&self) {
        if let Some(run) = self.run.take() {
            run.cancel();
        }
        self.bell.ring();
    }

    /// The page as it is now; nothing is read again where nothing changed.
    pub fn look(&self) -> Rc<View> {
        self.eyes.borrow_mut().look()
    }

    /// Reads the page again at the next look: something changed that no record tells of.
    pub fn invalidate(&self) {
        self.eyes.borrow_mut().invalidate();
    }

    /// Lists nothing any more that is no control by itself.
    pub fn disown_all(&self) {
        self.eyes.borrow_mut().disown_all();
    }

    /// Lists what the selectors of a lost target hit outside of the index; true where there was something.
    pub fn adopt_for(&self, target: &Target) -> bool {
        self.eyes.borrow_mut().adopt_for(target)
    }

    /// The element of a ref, or why it is refused.
    pub fn node(&self, reference: &Ref) -> Result<Element, WireError> {
        self.eyes.borrow().node(reference)
    }

    /// The page as it was at the last look, where nothing but values, ticks and the focus changed since.
    pub fn glance(&self) -> Rc<View> {
        self.eyes.borrow_mut().glance()
    }

    /// An act is sent that pages answer with more than a value: what they show now may be about to go.
    pub fn stir(&self) {
        self.stirred.set(native::now());
    }

    /// Something is about to be done: what the page shows first from now on is new.
    pub fn mark_known(&self) {
        self.known.set(collector::last_number());
    }

    /// True for what was not there when something was last done.
    pub fn is_new(&self, element: &Element) -> bool {
        collector::number_of(element) > self.known.get()
    }

    /// For how long the page, as it was at the last look, has neither changed nor been given cause to, in milliseconds.
    pub fn rests(&self) -> f64 {
        let since = self.eyes.borrow().resting_since().max(self.stirred.get());
        native::now() - since
    }

    /// Where this frame is.
    pub fn frame(&self) -> FramePath {
        self.frame.borrow().clone()
    }

    /// Lets the page react to an act before the next look: in its microtasks, and after `a_task` in the task that it made.
    pub async fn react(&self, a_task: bool) {
        let overdue = self.outbox.borrow().is_overdue();
        if overdue {
            self.flush();
        }
        if a_task {
            self.turns.next().await;
        } else {
            wait::microtasks().await;
        }
    }

    /// Waits until looking again is worth while; false where the wait's deadline has passed.
    pub async fn again(&self, pace: &mut Pace) -> bool {
        self.flush();
        let change = self.eyes.borrow().on_change();
        pace.again(&self.turns, &self.bell, change).await
    }

    /// Waits for a message or an event.
    pub async fn heard(&self, deadline: Deadline) {
        self.flush();
        let left = deadline.left().ceil() as u32;
        futures_util::future::select(self.bell.listen(), gloo_timers::future::TimeoutFuture::new(left)).await;
    }

    /// Stops a batch whose run is cancelled or whose document is gone.
    pub fn go_on(&self) -> Result<(), Stop> {
        if self.run.borrow().as_ref().is_some_and(|run| run.is_cancelled()) {
            return Err(Stop::Cancelled);
        }
        if self.departure.state() == Leaving::Gone { Err(Stop::Leaving) } else { Ok(()) }
    }

    /// Tells the host something unasked.
    pub fn tell(&self, event: PageEvent) {
        self.note(event);
        self.flush();
    }

    /// Puts what a batch has to say into the outbox. It goes to the host before the batch waits, when the document is about
    /// to be left, and with whatever is said next.
    pub fn note(&self, mut event: PageEvent) {
        mask_event(&self.mask.borrow(), &mut event);
        self.outbox.borrow_mut().push(event);
    }

    /// Sends what is in the outbox.
    pub fn flush(&self) {
        let bundle = self.outbox.borrow_mut().take();
        if let Some(message) = bundle {
            self.post(message);
        }
    }

    fn answer(&self, id: u64, answer: Result<PageAnswer, WireError>) {
        self.flush();
        let mask = self.mask.borrow();
        let message = match answer {
            Ok(mut answer) => {
                mask_answer(&mask, &mut answer);
                FromPage::Answer { id, answer }
            }
            Err(mut error) => {
                error.message = mask.text(&error.message);
                FromPage::Failed { id, error }
            }
        };
        drop(mask);
        self.post(message);
    }

    fn post(&self, mut message: FromPage) {
        let text = wire::write(&mut message, &NUMBERS);
        let _ = self.send.call2(&JsValue::NULL, &text.into(), &"message".into());
    }
}

/// An error of the wire, without a hint.
pub fn wire_error(code: ErrorCode, message: String) -> WireError {
    WireError { code, message, hint: String::new() }
}
