//! Batches played on real pages in a real browser, asked and answered over the wire.

use std::cell::RefCell;
use std::rc::Rc;

use cairn_core::ladder::{Heal, Rung, Verdict};
use cairn_core::script::{
    Action, Condition, Method, Outcome, Postcondition, Precondition, Seen, Step, Target,
};
use cairn_core::wire::page::{
    Batch, BatchEnd, Configure, Diverged, Divergence, FromPage, InputMode, InputValue, ListOptions,
    PageAnswer, PageEvent, PageRequest, Played, Policy, PriorStep, StepReport, StepStatus, ToPage,
};
use gloo_timers::future::TimeoutFuture;
use js_sys::{Function, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

use crate::native;
use crate::page::Page;

wasm_bindgen_test_configure!(run_in_browser);

fn js(code: &str) -> String {
    js_sys::eval(code).unwrap().as_string().unwrap_or_default()
}

fn said() -> String {
    js("log.join(' ')")
}

/// A page under test with the probe's messages.
struct Bench {
    page: Rc<Page>,
    heard: Rc<RefCell<Vec<FromPage>>>,
    next: u64,
    _send: Closure<dyn FnMut(JsValue, JsValue)>,
}

impl Bench {
    fn new(html: &str, script: &str) -> Self {
        if js("typeof __cairn_collect") != "object" {
            js_sys::eval(crate::eyes::COLLECT).unwrap();
        }
        let document = native::document().unwrap();
        // The tests share one document, and a failed one leaves its page.
        native::query_all(&document, "#page,#stage,.stage").iter().for_each(web_sys::Element::remove);
        let stage = document.create_element("main").unwrap();
        stage.set_class_name("stage");
        stage
            .set_attribute("style", "position:fixed;inset:0;overflow:auto;background:white;z-index:9")
            .unwrap();
        stage.set_inner_html(html);
        native::body().unwrap().append_child(&stage).unwrap();
        js(
            "{ const mine = window.log = []; window.say = x => mine.push(x) } window.$ = s => document.querySelector('.stage ' + s); ''",
        );
        js(&format!("(say => {{ {script} }})(window.say); ''"));
        let heard = Rc::new(RefCell::new(Vec::new()));
        let hearing = Rc::clone(&heard);
        let send = Closure::<dyn FnMut(JsValue, JsValue)>::new(move |text: JsValue, _kind| {
            hearing.borrow_mut().push(serde_json::from_str(&text.as_string().unwrap()).unwrap());
        });
        let page = Rc::new(Page::new("wasm".to_owned(), send.as_ref().unchecked_ref::<Function>().clone()));
        let mut bench = Self { page, heard, next: 1, _send: send };
        bench.ask(PageRequest::Configure(Configure { document: 1, ..Configure::default() }));
        bench
    }

    fn ask(&mut self, request: PageRequest) -> u64 {
        let id = self.next;
        self.next += 1;
        self.page.receive(&serde_json::to_string(&ToPage { id, request }).unwrap());
        id
    }

    async fn answer(&mut self, request: PageRequest) -> PageAnswer {
        let id = self.ask(request);
        self.answer_to(id).await
    }

    async fn answer_to(&self, id: u64) -> PageAnswer {
        for _ in 0..2000 {
            let found = self.heard.borrow().iter().find_map(|message| match message {
                FromPage::Answer { id: of, answer } if *of == id => Some(answer.clone()),
                FromPage::Failed { id: of, error } if *of == id => panic!("{error:?}"),
                _ => None,
            });
            if let Some(answer) = found {
                return answer;
            }
            TimeoutFuture::new(5).await;
        }
        panic!("no answer; heard {:?}", self.heard.borrow());
    }

    async fn played(&self, id: u64) -> Played {
        match self.answer_to(id).await {
            PageAnswer::Played(played) => played,
            other => panic!("{other:?}"),
        }
    }

    async fn play(&mut self, steps: Vec<Step>) -> Played {
        let id = self.begin(batch(steps));
        self.played(id).await
    }

    fn begin(&mut self, batch: Batch) -> u64 {
        self.ask(PageRequest::Play(batch))
    }

    fn events(&self) -> Vec<PageEvent> {
        let events = |message: &FromPage| match message {
            FromPage::Event { event } => vec![event.clone()],
            FromPage::Events { events } => events.clone(),
            _ => Vec::new(),
        };
        self.heard.borrow().iter().flat_map(events).collect()
    }

    fn reports(&self) -> Vec<StepReport> {
        let report = |event| match event {
            PageEvent::Step { report, .. } => Some(*report),
            _ => None,
        };
        self.events().into_iter().filter_map(report).collect()
    }

    fn divergence(&self) -> Divergence {
        self.reports().pop().and_then(|report| report.divergence).expect("a divergence")
    }

    fn intents(&self) -> usize {
        self.events().iter().filter(|event| matches!(event, PageEvent::Intent { .. })).count()
    }

    /// The target that the probe itself would record for the element with this role and name.
    async fn target(&mut self, role: &str, name: &str) -> Target {
        let listing = match self
            .answer(PageRequest::List(ListOptions { all: true, hidden: true, ..ListOptions::default() }))
            .await
        {
            PageAnswer::Listing(listing) => listing,
            other => panic!("{other:?}"),
        };
        let element =
            listing.elements.iter().find(|listed| listed.element.role == role && listed.element.name == name);
        let reference =
            element.unwrap_or_else(|| panic!("no {role} {name}")).element.reference.clone().unwrap();
        match self.answer(PageRequest::Describe { reference }).await {
            PageAnswer::Described { target, .. } => *target,
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.page.stop();
    }
}

fn batch(steps: Vec<Step>) -> Batch {
    // No host is here to lend the browser's own hand.
    let input = InputMode::Page;
    Batch { run: "r1".to_owned(), first: 1, steps, input, bound_ms: 700, ..Batch::default() }
}

fn short(role: &str, name: &str) -> Target {
    Target { role: role.to_owned(), name: name.to_owned(), ..Target::default() }
}

fn step(method: Method, target: Target, value: &str) -> Step {
    let action = Action {
        method,
        target: Some(target),
        value: (!value.is_empty()).then(|| value.to_owned()),
        ..Action::default()
    };
    Step {
        action,
        precondition: Precondition { wait_for_target: true, url_pattern: None },
        ..Step::default()
    }
}

fn click(target: Target) -> Step {
    step(Method::Click, target, "")
}

fn seen(role: &str, name: &str) -> Seen {
    Seen { role: role.to_owned(), name: name.to_owned(), scope: None }
}

#[wasm_bindgen_test]
async fn a_recorded_form_is_played_in_one_batch() {
    let html = "<form aria-label=Visit><label>Name <input id=name></label><label for=town>Town</label><select id=town><option>Lund</option>\
        <option>Malmö</option></select><label><input type=checkbox id=mail>Mail</label><button id=go>Save</button></form>";
    let script = "$('form').onsubmit = e => { e.preventDefault(); say([$('#name').value, $('#town').value, $('#mail').checked].join()) };";
    let mut bench = Bench::new(html, script);
    let steps = vec![
        step(Method::Fill, bench.target("textbox", "Name").await, "%who%"),
        step(Method::Select, bench.target("combobox", "Town").await, "Malmö"),
        step(Method::Check, bench.target("checkbox", "Mail").await, ""),
        click(bench.target("button", "Save").await),
    ];
    let mut batch = batch(steps);
    batch.inputs.insert("who".to_owned(), InputValue { value: "Ann".to_owned(), secret: false });
    batch.goal = vec![Condition {
        role: Some("textbox".to_owned()),
        value: Some("%who%".to_owned()),
        ..Condition::default()
    }];
    let id = bench.begin(batch);
    let played = bench.played(id).await;
    assert_eq!(
        (played.end, played.last, said().as_str()),
        (BatchEnd::Completed, 4, "Ann,Malmö,true"),
        "{:?}",
        bench.reports()
    );
    assert!(bench.reports().iter().all(|report| report.status == StepStatus::Hit), "{:?}", bench.reports());
    assert!(played.goal[0].holds, "{:?}", played.goal);
    assert_eq!(bench.intents(), 4);
}

#[wasm_bindgen_test]
async fn a_secret_never_leaves() {
    let html = "<label>Password <input id=p type=password></label><output></output>";
    let script = "$('input').oninput = e => { $('output').textContent = 'You typed ' + e.target.value };";
    let mut bench = Bench::new(html, script);
    let target = bench.target("textbox", "Password").await;
    let mut batch = batch(vec![step(Method::Fill, target, "%password%")]);
    batch.inputs.insert("password".to_owned(), InputValue { value: "orchid 7".to_owned(), secret: true });
    batch.goal = vec![Condition { text: Some("typed %password%".to_owned()), ..Condition::default() }];
    let id = bench.begin(batch);
    let played = bench.played(id).await;
    assert!(played.goal[0].holds);
    let heard = serde_json::to_string(&*bench.heard.borrow()).unwrap();
    assert!(!heard.contains("orchid"), "{heard}");
}

#[wasm_bindgen_test]
async fn a_box_that_is_checked_already_is_left_alone() {
    let mut bench = Bench::new(
        "<label><input type=checkbox checked>Mail</label>",
        "$('input').onchange = () => say('toggled');",
    );
    let target = bench.target("checkbox", "Mail").await;
    let played = bench.play(vec![step(Method::Check, target, "")]).await;
    assert_eq!(
        (played.end, said().as_str(), bench.reports()[0].status),
        (BatchEnd::Completed, "", StepStatus::Skipped)
    );
    assert_eq!(bench.intents(), 0);
}

#[wasm_bindgen_test]
async fn a_covered_target_is_not_clicked() {
    let html =
        "<button id=pay style='position:absolute;left:20px;top:20px;width:200px;height:40px'>Pay</button>";
    let script = "$('#pay').onclick = () => say('paid');";
    let mut bench = Bench::new(html, script);
    let target = bench.target("button", "Pay").await;
    js("document.querySelector('.stage').insertAdjacentHTML('beforeend', \
        '<div role=dialog aria-label=\"Cookie choices\" style=\"position:fixed;inset:0;background:#fff\">We like cookies</div>'); ''");
    let played = bench.play(vec![click(target)]).await;
    assert_eq!((played.end, said().as_str()), (BatchEnd::Diverged, ""));
    let divergence = bench.divergence();
    assert!(divergence.observed.contains("Cookie choices") && !divergence.acted, "{divergence:?}");
    assert_eq!(bench.intents(), 0);
}

#[wasm_bindgen_test]
async fn a_cover_that_goes_away_is_waited_for() {
    let html = "<button id=pay>Pay</button><div id=veil style='position:fixed;inset:0'></div>";
    let script = "$('#pay').onclick = () => say('paid'); setTimeout(() => $('#veil').remove(), 150);";
    let mut bench = Bench::new(html, script);
    let target = bench.target("button", "Pay").await;
    let played = bench.play(vec![click(target)]).await;
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, "paid"), "{:?}", bench.reports());
    assert!(bench.reports()[0].waits.iter().any(|waited| waited.cause == "target" && waited.ms > 50.0));
}

#[wasm_bindgen_test]
async fn a_moving_target_is_waited_for() {
    let html = "<style>button{position:absolute;left:40px;width:200px;height:40px;top:50px;transition:transform .4s linear}\
        .go{transform:translateY(200px)}</style><button>Keep</button>";
    let script = "$('button').onclick = e => say('at:' + Math.round($('button').getBoundingClientRect().top)); $('button').getBoundingClientRect(); $('button').className = 'go';";
    let mut bench = Bench::new(html, script);
    let mut batch = batch(vec![click(short("button", "Keep"))]);
    batch.bound_ms = 3000;
    let id = bench.begin(batch);
    assert_eq!(bench.played(id).await.end, BatchEnd::Completed, "{:?}", bench.reports());
    assert_eq!(said(), "at:250");
    assert!(
        bench.reports()[0].waits.iter().any(|waited| waited.cause == "stable box"),
        "{:?}",
        bench.reports()
    );
}

#[wasm_bindgen_test]
async fn an_endless_pulse_is_no_obstacle() {
    let html = "<style>@keyframes pulse{from{transform:none}to{transform:none}}button{animation:pulse 1s infinite}</style><button>Go</button>";
    let mut bench = Bench::new(html, "$('button').onclick = () => say('clicked');");
    let played = bench.play(vec![click(short("button", "Go"))]).await;
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, "clicked"), "{:?}", bench.reports());
}

#[wasm_bindgen_test]
async fn a_target_under_a_sticky_bar_is_scrolled_free() {
    let html = "<header style='position:sticky;top:0;height:90px;background:#222;z-index:5'><button id=del style='position:absolute;left:40px;\
        top:20px;width:220px;height:50px'>Close account</button></header><div style='height:1500px'>text</div>\
        <button id=exp style='display:block;margin-left:40px;width:220px;height:50px'>Export</button><div style='height:1500px'>text</div>";
    let script = "$('#del').onclick = () => say('closed'); $('#exp').onclick = e => say('exported:' + \
        (document.elementFromPoint(e.clientX, e.clientY) === e.target));";
    let mut bench = Bench::new(html, script);
    js("document.querySelector('.stage').scrollTop = 1520; ''");
    let target = bench.target("button", "Export").await;
    let played = bench.play(vec![click(target)]).await;
    assert_eq!(
        (played.end, said().as_str()),
        (BatchEnd::Completed, "exported:true"),
        "{:?}",
        bench.reports()
    );
}

#[wasm_bindgen_test]
async fn what_stands_for_itself_inside_a_control_is_not_pressed() {
    let html = "<div class=head role=button tabindex=0 aria-label=Shipping style='width:600px;height:40px;position:relative'>Shipping\
        <span role=img aria-label='What is this?' style='position:absolute;left:250px;width:100px;top:0;height:40px;background:#ddd'>i</span></div>";
    let script = "$('span').onclick = e => { e.stopPropagation(); say('tip') }; $('.head').onclick = () => say('open');";
    let mut bench = Bench::new(html, script);
    let target = bench.target("button", "Shipping").await;
    assert_eq!(bench.play(vec![click(target)]).await.end, BatchEnd::Completed, "{:?}", bench.reports());
    assert_eq!(said(), "open");
}

#[wasm_bindgen_test]
async fn what_a_rule_reveals_or_covers_is_seen_without_a_record() {
    let html = "<style>.more,.veil{display:none}#a:checked~.more{display:block}#b:checked~.veil{display:block;position:fixed;inset:0;z-index:3}\
        </style><input type=checkbox id=a aria-label=A><input type=checkbox id=b aria-label=B><p class=more><button>Go</button></p>\
        <div class=veil></div>";
    let mut bench = Bench::new(html, "$('button').onclick = () => say('go');");
    let steps = vec![
        step(Method::Check, bench.target("checkbox", "A").await, ""),
        click(short("button", "Go")),
        step(Method::Check, bench.target("checkbox", "B").await, ""),
        click(short("button", "Go")),
    ];
    let played = bench.play(steps).await;
    assert_eq!(
        (played.end, bench.divergence().condition, said().as_str()),
        (BatchEnd::Diverged, Diverged::Unusable, "go")
    );
    assert_eq!(bench.reports().len(), 4, "{:?}", bench.reports());
}

#[wasm_bindgen_test]
async fn a_click_that_does_nothing_diverges() {
    let mut bench =
        Bench::new("<button id=open>Open</button>", "$('button').onclick = () => say('clicked');");
    let mut step = click(bench.target("button", "Open").await);
    step.postcondition =
        Postcondition { appeared: vec![seen("dialog", "Settings")], ..Postcondition::default() };
    let played = bench.play(vec![step, click(short("button", "Open"))]).await;
    assert_eq!((played.end, played.last, said().as_str()), (BatchEnd::Diverged, 1, "clicked"));
    let divergence = bench.divergence();
    assert_eq!((divergence.condition, divergence.acted), (Diverged::Postcondition, true));
    assert!(divergence.expected.contains("Settings"), "{divergence:?}");
}

#[wasm_bindgen_test]
async fn what_appears_and_vanishes_is_waited_for() {
    let script = "$('#open').onclick = () => setTimeout(() => { $('#old').remove(); document.querySelector('.stage')\
        .insertAdjacentHTML('beforeend', '<section role=dialog aria-label=Settings>x</section>') }, 100);";
    let mut bench = Bench::new("<button id=open>Open</button><h2 id=old>Old</h2>", script);
    let mut step = click(bench.target("button", "Open").await);
    step.postcondition = Postcondition {
        appeared: vec![seen("dialog", "Settings")],
        vanished: vec![seen("heading", "Old")],
        ..Postcondition::default()
    };
    let played = bench.play(vec![step]).await;
    assert_eq!(played.end, BatchEnd::Completed, "{:?}", bench.reports());
    assert!(
        bench.reports()[0].waits.iter().any(|waited| waited.cause.starts_with("postcondition")),
        "{:?}",
        bench.reports()
    );
}

#[wasm_bindgen_test]
async fn an_ambiguous_twin_is_declined_and_nothing_is_clicked() {
    let html = "<button>Delete</button><button>Delete</button>";
    let mut bench = Bench::new(
        html,
        "for (const b of document.querySelectorAll('.stage button')) b.onclick = () => say('deleted');",
    );
    let played = bench.play(vec![click(short("button", "Delete"))]).await;
    assert_eq!((played.end, said().as_str(), bench.intents()), (BatchEnd::Diverged, "", 0));
    let report = bench.reports().remove(0);
    assert!(matches!(report.found, Some(Verdict::Ambiguous(_))), "{report:?}");
    assert!(report.divergence.unwrap().observed.contains("ambiguous"));
}

#[wasm_bindgen_test]
async fn a_drifted_selector_is_repointed_and_says_so() {
    let mut bench = Bench::new("<button id=old class=a>Send reply</button>", "");
    let target = bench.target("button", "Send reply").await;
    js(
        "document.querySelector('.stage').innerHTML = '<div><p><a href=\"#x\">Other</a></p><section><button id=new class=a>Send reply</button></section></div>'; \
        $('button').onclick = () => say('sent'); ''",
    );
    let played = bench.play(vec![click(target)]).await;
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, "sent"), "{:?}", bench.reports());
    let report = bench.reports().remove(0);
    if report.status == StepStatus::Healed {
        assert_eq!(report.repointed.unwrap().attributes.get("id").map(String::as_str), Some("new"));
        assert!(matches!(report.found, Some(Verdict::Healed(found)) if found.rung == Rung::RoleName));
    }
}

#[wasm_bindgen_test]
async fn with_healing_off_a_drifted_target_diverges() {
    let mut bench = Bench::new("<button id=new>Send</button>", "$('button').onclick = () => say('sent');");
    let target = Target { selector: "id=old".to_owned(), ..short("button", "Send") };
    let mut batch = batch(vec![click(target)]);
    batch.policy = Policy { heal: Heal::Off, threshold: 0.6 };
    let id = bench.begin(batch);
    assert_eq!((bench.played(id).await.end, said().as_str()), (BatchEnd::Diverged, ""));
}

#[wasm_bindgen_test]
async fn with_healing_off_a_drifted_target_is_missed_early() {
    let mut bench = Bench::new("<button id=new>Send</button>", "");
    let target = Target { selector: "id=old".to_owned(), ..short("button", "Send") };
    let mut batch = batch(vec![click(target)]);
    batch.policy = Policy { heal: Heal::Off, threshold: 0.6 };
    batch.bound_ms = 10_000;
    let id = bench.begin(batch);
    assert_eq!(bench.played(id).await.end, BatchEnd::Diverged);
    assert_eq!(bench.divergence().condition, Diverged::Target);
    assert!(bench.reports()[0].took_ms < 3000.0, "{:?}", bench.reports());
}

#[wasm_bindgen_test]
async fn a_list_that_makes_its_rows_on_scroll_is_unrolled() {
    let html = "<div id=v role=listbox aria-label=Contacts tabindex=0 style='position:relative;height:200px;width:300px;overflow:auto'>\
        <div id=sp></div></div>";
    let script = "const v = $('#v'), N = 200, H = 30; $('#sp').style.height = N * H + 'px'; const rows = [];\
        for (let i = 0; i < 8; i++) { const d = document.createElement('div'); d.style.cssText = 'position:absolute;height:30px;left:0;right:0';\
          d.setAttribute('role', 'option'); d.onclick = () => say('opened:' + d.textContent); rows.push(d); v.append(d) }\
        const paint = () => { const s = Math.floor(v.scrollTop / H); rows.forEach((d, i) => { const k = s + i; d.hidden = k >= N;\
          d.style.top = k * H + 'px'; d.textContent = 'Contact ' + String(k + 1).padStart(3, '0') }) };\
        v.onscroll = () => requestAnimationFrame(paint); paint();";
    let mut bench = Bench::new(html, script);
    let list = bench.target("listbox", "Contacts").await;
    let mut batch = batch(vec![step(Method::Scroll, list, ""), click(short("option", "Contact 118"))]);
    batch.bound_ms = 8_000;
    let id = bench.begin(batch);
    assert_eq!(bench.played(id).await.end, BatchEnd::Completed, "{:?}", bench.reports());
    assert_eq!(said(), "opened:Contact 118");
}

#[wasm_bindgen_test]
async fn a_step_that_sends_waits_for_the_word() {
    let mut bench = Bench::new("<button>Order</button>", "$('button').onclick = () => say('ordered');");
    let mut step = click(bench.target("button", "Order").await);
    step.sends = Some(true);
    let id = bench.begin(batch(vec![step]));
    TimeoutFuture::new(100).await;
    assert_eq!((said().as_str(), bench.intents()), ("", 1));
    bench.ask(PageRequest::Proceed { run: "r1".to_owned(), number: 1 });
    let played = bench.played(id).await;
    assert_eq!((played.end, said().as_str(), bench.intents()), (BatchEnd::Completed, "ordered", 1));
}

#[wasm_bindgen_test]
async fn after_the_word_the_target_is_verified_again() {
    let mut bench = Bench::new("<button id=b>Order</button>", "$('button').onclick = () => say('ordered');");
    let mut step = click(bench.target("button", "Order").await);
    step.sends = Some(true);
    let id = bench.begin(batch(vec![step]));
    TimeoutFuture::new(50).await;
    js("$('button').textContent = 'Cancel my account'; ''");
    bench.ask(PageRequest::Proceed { run: "r1".to_owned(), number: 1 });
    assert_eq!(
        (bench.played(id).await.end, said().as_str()),
        (BatchEnd::Diverged, ""),
        "{:?}",
        bench.reports()
    );
}

#[wasm_bindgen_test]
async fn without_the_word_nothing_is_sent() {
    let mut bench = Bench::new("<button>Order</button>", "$('button').onclick = () => say('ordered');");
    let mut step = click(bench.target("button", "Order").await);
    step.sends = Some(true);
    let played = bench.play(vec![step]).await;
    assert_eq!(
        (played.end, said().as_str(), bench.divergence().condition),
        (BatchEnd::Diverged, "", Diverged::Lost)
    );
}

#[wasm_bindgen_test]
async fn a_cancelled_batch_ends_before_its_next_act() {
    let mut bench = Bench::new("<button>Go</button>", "");
    let id = bench.begin(batch(vec![click(short("button", "Nowhere"))]));
    TimeoutFuture::new(30).await;
    bench.ask(PageRequest::Cancel { run: "r1".to_owned() });
    assert_eq!(bench.played(id).await.end, BatchEnd::Cancelled);
}

#[wasm_bindgen_test]
async fn a_field_is_left_for_what_waits_for_it() {
    let html = "<label>Town <input id=t></label><button disabled>Save place</button>";
    let script = "let m = ''; $('#t').onblur = e => { m = e.target.value; $('button').disabled = !m }; $('button').onclick = () => say(m);";
    let mut bench = Bench::new(html, script);
    let steps = vec![
        step(Method::Fill, bench.target("textbox", "Town").await, "Lund"),
        click(bench.target("button", "Save place").await),
    ];
    let played = bench.play(steps).await;
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, "Lund"), "{:?}", bench.reports());
}

/// Frameworks write what a value or a click brought about in a microtask or in the next task: the next step is for that.
#[wasm_bindgen_test]
async fn the_next_step_waits_for_what_the_page_makes_of_the_last_one() {
    let html = "<label>Town <input id=t></label><p id=p><label>Code <input id=c></label></p><button>Add line</button>";
    let script = "const fresh = who => { $('#p').innerHTML = '<label>Code <input id=c></label>'; \
        $('#c').oninput = e => say(who + e.target.value) }; fresh('first '); \
        $('#t').oninput = () => Promise.resolve().then(() => Promise.resolve()).then(() => fresh('microtask ')); \
        $('button').onclick = () => { const c = new MessageChannel(); c.port1.onmessage = () => fresh('task '); \
          c.port2.postMessage(0) };";
    let mut bench = Bench::new(html, script);
    let steps = vec![
        step(Method::Fill, short("textbox", "Town"), "Lund"),
        step(Method::Fill, short("textbox", "Code"), "1"),
        click(short("button", "Add line")),
        step(Method::Fill, short("textbox", "Code"), "2"),
    ];
    let played = bench.play(steps).await;
    let heard = "microtask 1 task 2";
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, heard), "{:?}", bench.reports());
}

/// What the host hears of a step does not depend on how the lines of a batch are bundled.
#[wasm_bindgen_test]
async fn an_act_that_may_hold_the_page_is_announced_before_it() {
    let html = "<label>Town <input id=t></label><button>Ask first</button>";
    let mut bench = Bench::new(html, "$('button').onclick = () => say(window.announced());");
    let heard = Rc::clone(&bench.heard);
    let announced = Closure::<dyn FnMut() -> String>::new(move || {
        let text = serde_json::to_string(&*heard.borrow()).unwrap();
        format!("{} intents", text.matches("\"intent\"").count())
    });
    Reflect::set(&js_sys::global(), &"announced".into(), announced.as_ref()).unwrap();
    let steps =
        vec![step(Method::Fill, short("textbox", "Town"), "Lund"), click(short("button", "Ask first"))];
    let played = bench.play(steps).await;
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, "2 intents"), "{:?}", bench.reports());
    assert_eq!((bench.intents(), bench.reports().len()), (2, 2));
}

/// Without selectors every target is found by what it is called, and that waits for a page at rest: once, and not for each
/// field of a page that rests.
#[wasm_bindgen_test]
async fn a_page_at_rest_is_not_waited_for_again() {
    let names = ["Town", "Street", "House", "Floor", "Door"];
    let html: String = names.iter().map(|name| format!("<label>{name} <input></label>")).collect();
    let mut bench = Bench::new(&html, "");
    let fill = |name: &&str| step(Method::Fill, short("textbox", name), "1");
    let played = bench.play(names.iter().map(fill).collect()).await;
    let reports = bench.reports();
    assert_eq!(played.end, BatchEnd::Completed, "{reports:?}");
    assert!(reports.iter().all(|report| report.status == StepStatus::Healed), "{reports:?}");
    let waits = reports.iter().skip(1).flat_map(|report| &report.waits);
    let waited: f64 = waits.filter(|wait| wait.cause == "target").map(|wait| wait.ms).sum();
    assert!(waited < 160.0, "80 ms for each would be 320 ms: {reports:?}");
}

/// What an act has yet to bring about is waited for before another element is taken for the target.
#[wasm_bindgen_test]
async fn after_a_click_a_lookalike_is_not_taken_at_once() {
    let html = "<button id=next>Next page</button><section><label>Town of birth <input></label></section>";
    let script = "$('#next').onclick = () => setTimeout(() => { $('section').innerHTML = \
        '<label>Town <input oninput=\"say(1)\"></label>' }, 40);";
    let mut bench = Bench::new(html, script);
    let steps =
        vec![click(short("button", "Next page")), step(Method::Fill, short("textbox", "Town"), "Lund")];
    let played = bench.play(steps).await;
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, "1"), "{:?}", bench.reports());
}

#[wasm_bindgen_test]
async fn an_option_that_comes_late_is_waited_for() {
    let html = "<select aria-label=City><option>Loading…</option></select>";
    let mut bench = Bench::new(
        html,
        "setTimeout(() => { $('select').innerHTML = '<option>Lund</option><option>Umeå</option>' }, 120);",
    );
    let target = short("combobox", "City");
    let played = bench.play(vec![step(Method::Select, target, "Umeå")]).await;
    assert_eq!(
        (played.end, js("$('select').value").as_str()),
        (BatchEnd::Completed, "Umeå"),
        "{:?}",
        bench.reports()
    );
}

#[wasm_bindgen_test]
async fn a_page_that_never_rests_is_played() {
    let html = "<div id=t></div><button>Pin board</button>";
    let script = "window.busy = setInterval(() => { const s = document.createElement('span'); s.textContent = Math.random(); \
        $('#t').replaceChildren(s); $('button').className = 'c' + Math.random() }, 5); $('button').onclick = () => say('pinned');";
    let mut bench = Bench::new(html, script);
    let mut batch = batch(vec![click(short("button", "Pin board"))]);
    batch.bound_ms = 5000;
    let id = bench.begin(batch);
    let played = bench.played(id).await;
    js("clearInterval(window.busy); ''");
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, "pinned"), "{:?}", bench.reports());
}

#[wasm_bindgen_test]
async fn the_url_is_a_pre_and_a_postcondition() {
    let mut bench = Bench::new("<a href='#next'>Next</a>", "");
    let mut next = click(bench.target("link", "Next").await);
    next.postcondition.url_pattern = Some("**#next".to_owned());
    let mut wrong = click(bench.target("link", "Next").await);
    wrong.precondition.url_pattern = Some("https://elsewhere.example/**".to_owned());
    let played = bench.play(vec![next, wrong]).await;
    js("history.replaceState(null, '', location.pathname); ''");
    assert_eq!((played.end, played.last), (BatchEnd::Diverged, 2));
    assert_eq!((bench.reports()[0].status, bench.divergence().condition), (StepStatus::Hit, Diverged::Url));
}

#[wasm_bindgen_test]
async fn a_business_outcome_ends_the_batch() {
    let script =
        "$('button').onclick = () => setTimeout(() => { $('p').textContent = 'No such member' }, 60);";
    let mut bench = Bench::new("<button>Find</button><p></p>", script);
    let mut step = click(bench.target("button", "Find").await);
    step.postcondition.appeared = vec![seen("heading", "Member")];
    let when = Condition { text: Some("no such member".to_owned()), ..Condition::default() };
    let mut batch = batch(vec![step]);
    batch.outcomes = vec![Outcome { code: "member_not_found".to_owned(), when, detail: None }];
    let id = bench.begin(batch);
    assert_eq!(bench.played(id).await.end, BatchEnd::Outcome);
    let seen = bench
        .events()
        .into_iter()
        .any(|event| matches!(event, PageEvent::Outcome { code, .. } if code == "member_not_found"));
    assert!(seen);
}

#[wasm_bindgen_test]
async fn a_prior_step_is_judged_and_not_acted() {
    let mut bench =
        Bench::new("<h1>Welcome</h1><button>Go</button>", "$('button').onclick = () => say('clicked');");
    let mut prior = click(short("button", "Go"));
    prior.postcondition.appeared = vec![seen("heading", "Welcome")];
    let mut batch = batch(vec![]);
    batch.first = 4;
    batch.prior = Some(PriorStep { number: 3, step: prior, found: None });
    let id = bench.begin(batch);
    let played = bench.played(id).await;
    assert_eq!((played.end, played.last, said().as_str()), (BatchEnd::Completed, 3, ""));
    assert_eq!(bench.reports()[0].status, StepStatus::Hit);
}

#[wasm_bindgen_test]
async fn steps_of_the_host_end_the_batch_before_them() {
    let mut bench = Bench::new("<button>Go</button>", "");
    let first = click(bench.target("button", "Go").await);
    let goto = Step { action: Action { method: Method::Goto, ..Action::default() }, ..Step::default() };
    let played = bench.play(vec![first, goto]).await;
    assert_eq!((played.end, played.last), (BatchEnd::HostStep, 1));
}

#[wasm_bindgen_test]
async fn a_document_that_is_left_ends_the_batch() {
    let mut bench = Bench::new("<button>Go</button>", "");
    let mut step = click(bench.target("button", "Go").await);
    step.postcondition.url_pattern = Some("https://elsewhere.example/".to_owned());
    let id = bench.begin(batch(vec![step]));
    TimeoutFuture::new(50).await;
    bench.page.observe(web_sys::Event::new("pagehide").unwrap(), JsValue::UNDEFINED);
    let played = bench.played(id).await;
    assert_eq!((played.end, played.last, bench.intents()), (BatchEnd::Leaving, 0, 1));
    assert!(bench.reports().is_empty());
}

#[wasm_bindgen_test]
async fn events_of_our_own_act_come_back_in_without_harm() {
    let mut bench = Bench::new("<label>Name <input></label>", "");
    let page = Rc::clone(&bench.page);
    let hear =
        Closure::<dyn FnMut(web_sys::Event)>::new(move |event| page.observe(event, JsValue::UNDEFINED));
    let window = web_sys::window().unwrap();
    for kind in ["input", "focusin", "keydown"] {
        window.add_event_listener_with_callback_and_bool(kind, hear.as_ref().unchecked_ref(), true).unwrap();
    }
    let target = bench.target("textbox", "Name").await;
    let played = bench.play(vec![step(Method::Fill, target, "Ann")]).await;
    for kind in ["input", "focusin", "keydown"] {
        window
            .remove_event_listener_with_callback_and_bool(kind, hear.as_ref().unchecked_ref(), true)
            .unwrap();
    }
    assert_eq!(played.end, BatchEnd::Completed);
}

#[wasm_bindgen_test]
async fn a_list_that_sorts_itself_into_the_same_nodes() {
    let script = "let order = ['Josh', 'Pria', 'Gus', 'Vera']; const paint = () => order.forEach((n, i) => { $('nav').children[i].textContent = n });\
        for (let i = 0; i < 4; i++) { const b = document.createElement('button'); $('nav').append(b); \
          b.onclick = () => { say(b.textContent); order = [b.textContent, ...order.filter(x => x !== b.textContent)]; paint() } } paint();";
    let mut bench = Bench::new("<nav aria-label=Conversations></nav>", script);
    let (vera, gus) = (bench.target("button", "Vera").await, bench.target("button", "Gus").await);
    let played = bench.play(vec![click(vera), click(gus)]).await;
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, "Vera Gus"), "{:?}", bench.reports());
}

#[wasm_bindgen_test]
async fn an_act_by_ref_is_guarded_and_a_stale_ref_refused() {
    let mut bench = Bench::new("<button>Gus</button>", "$('button').onclick = () => say('clicked');");
    let listing =
        match bench.answer(PageRequest::List(ListOptions { all: true, ..ListOptions::default() })).await {
            PageAnswer::Listing(listing) => listing,
            other => panic!("{other:?}"),
        };
    let reference = listing
        .elements
        .iter()
        .find(|listed| listed.element.name == "Gus")
        .unwrap()
        .element
        .reference
        .clone()
        .unwrap();
    let action = Action { method: Method::Click, ..Action::default() };
    bench.answer(PageRequest::Act { reference: reference.clone(), action: action.clone() }).await;
    assert_eq!((said().as_str(), bench.reports()[0].status), ("clicked", StepStatus::Hit));
    js("$('button').textContent = 'Pria'; ''");
    let id = bench.ask(PageRequest::Act { reference, action });
    TimeoutFuture::new(50).await;
    let refused = bench
        .heard
        .borrow()
        .iter()
        .any(|message| matches!(message, FromPage::Failed { id: of, .. } if *of == id));
    assert!(refused && said() == "clicked");
}

#[wasm_bindgen_test]
async fn checks_are_answered_one_by_one() {
    let html = "<h1>Thank you</h1><ul><li><button>A</button></li><li><button disabled>B</button></li></ul><label><input type=checkbox checked>Ok</label>";
    let mut bench = Bench::new(html, "");
    let role = |role: &str| Condition { role: Some(role.to_owned()), ..Condition::default() };
    let named = |role: &str, name: &str| Condition {
        role: Some(role.to_owned()),
        name: Some(name.to_owned()),
        ..Condition::default()
    };
    let conditions = vec![
        named("heading", "thank you"),
        Condition { count: Some(2), scope: None, ..role("listitem") },
        Condition { enabled: Some(false), ..named("button", "B") },
        Condition { checked: Some(true), ..named("checkbox", "Ok") },
        Condition { gone: Some(true), ..named("alert", "Error") },
        Condition { enabled: Some(true), ..named("button", "B") },
        named("heading", "Sorry"),
        Condition { text: Some("Thank YOU".to_owned()), ..Condition::default() },
    ];
    let answer =
        bench.answer(PageRequest::Check { conditions, inputs: Default::default(), bound_ms: 0 }).await;
    let PageAnswer::Checked { results } = answer else { panic!("{answer:?}") };
    let holds: Vec<bool> = results.iter().map(|result| result.holds).collect();
    assert_eq!(holds, [true, true, true, true, true, false, false, true], "{results:#?}");
    assert_eq!(results[5].observed, "button \u{201c}B\u{201d} is disabled");
    assert_eq!(results[6].observed, "no heading \u{201c}Sorry\u{201d} is there");
}

#[wasm_bindgen_test]
async fn a_message_that_cannot_be_read_is_refused_by_its_number() {
    let bench = Bench::new("", "");
    bench.page.receive("{\"id\":77,\"request\":{\"fly\":{}}}");
    let refused =
        bench.heard.borrow().iter().any(|message| matches!(message, FromPage::Failed { id: 77, .. }));
    assert!(refused, "{:?}", bench.heard.borrow());
}

#[wasm_bindgen_test]
async fn forty_steps_are_fast() {
    let fields: String = (0..40).map(|at| format!("<label>Field {at} <input id=f{at}></label>")).collect();
    let mut bench = Bench::new(&format!("<form>{fields}</form>"), "");
    let mut steps = Vec::new();
    for at in 0..40 {
        steps.push(step(
            Method::Fill,
            bench.target("textbox", &format!("Field {at}")).await,
            &format!("value {at}"),
        ));
    }
    let began = native::now();
    let id = bench.begin(batch(steps));
    while bench
        .heard
        .borrow()
        .iter()
        .all(|message| !matches!(message, FromPage::Answer { id: of, .. } if *of == id))
    {
        bench.page.turns.next().await;
    }
    let took = native::now() - began;
    let own: f64 = bench.reports().iter().map(|report| report.took_ms).sum();
    let waits: Vec<String> =
        bench.reports().iter().flat_map(|report| report.waits.clone()).map(|waited| waited.cause).collect();
    web_sys::console::log_1(
        &format!("40 steps took {took:.1} ms, of which in steps {own:.1} ms; waits {waits:?}").into(),
    );
    assert_eq!(bench.played(id).await.end, BatchEnd::Completed, "{:?}", bench.reports());
    assert!(Reflect::has(&js_sys::global(), &"$".into()).unwrap());
}

/// What nothing says can be clicked, as a recording has it: unnamed, found by CSS alone.
fn unlisted(css: &str) -> Target {
    let attributes = [("tag".to_owned(), "span".to_owned())].into_iter().collect();
    let selector = format!("css={css}");
    Target {
        role: "generic".to_owned(),
        name: "+".to_owned(),
        selector: "role=generic[name=\"+\"]".to_owned(),
        selectors: vec![selector],
        twins: Some(1),
        attributes,
        ..Target::default()
    }
}

#[wasm_bindgen_test]
async fn what_was_listed_for_one_step_is_no_twin_of_the_next_ones() {
    let html = "<p>Tea <span id=a>+</span></p><p>Rice <span id=b>+</span></p>";
    let script = "for (const s of document.querySelectorAll('.stage span')) s.onclick = () => say(s.id);";
    let mut bench = Bench::new(html, script);
    let steps = ["#a", "#b", "#a"].map(|css| click(unlisted(css))).to_vec();
    let played = bench.play(steps).await;
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, "a b a"), "{:?}", bench.reports());
}

#[wasm_bindgen_test]
async fn where_the_browsers_hand_is_refused_what_the_page_does_is_waited_for() {
    let script = "$('button').onclick = () => { say('asked'); setTimeout(() => document.querySelector('.stage')\
        .insertAdjacentHTML('beforeend', '<h2>Answer</h2>'), 900) };";
    let mut bench = Bench::new("<button>Ask</button>", script);
    let mut step = click(bench.target("button", "Ask").await);
    step.postcondition =
        Postcondition { appeared: vec![seen("heading", "Answer")], ..Postcondition::default() };
    let id = bench.begin(Batch { input: InputMode::Auto, bound_ms: 3000, ..batch(vec![step]) });
    for _ in 0..200 {
        if bench.events().iter().any(|event| matches!(event, PageEvent::Hand { .. })) {
            break;
        }
        TimeoutFuture::new(10).await;
    }
    let refused = Some("the page sent something already".to_owned());
    bench.ask(PageRequest::Handed { run: "r1".to_owned(), number: 1, refused });
    let played = bench.played(id).await;
    assert_eq!((played.end, said().as_str()), (BatchEnd::Completed, "asked"), "{:?}", bench.reports());
}
