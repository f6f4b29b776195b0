//! One tab, seen over the debugging pipe: its elements by the browser's own roles and names, from a world of our own.

use std::time::{Duration, Instant};

use cairn_host::browser::Pipe;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::chrome::BOUND;
use crate::person::Match;
use crate::{Failed, Outcome};

/// Bound of one look into the page. Asked while a document is being replaced, the browser may never answer; the next
/// look will.
const LOOK_BOUND: Duration = Duration::from_secs(4);

/// A tab that is attached to. Detached when dropped with the pipe; the tab itself stays.
#[derive(Clone)]
pub struct Tab {
    pipe: Pipe,
    session: String,
    target: String,
}

/// An element of the page as it is now, by the browser's handle. Gone with the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node(String);

/// The switch under which Chromium tells scripts the role and name that it computes itself.
pub const COMPUTED_NAMES: &str = "--enable-blink-features=ComputedAccessibilityInfo";

/// Does this element have that role and name, as the browser computes them? Where it computes no name, the title inside is
/// what a person reads. Elements that cannot have the role are not computed at all:
/// on a large page that would take seconds.
const IS: &str = "const TAGS = { button: 'button,input,summary', link: 'a,area', textbox: 'input,textarea', \
     searchbox: 'input', checkbox: 'input', radio: 'input', combobox: 'select,input', listbox: 'select', \
     heading: 'h1,h2,h3,h4,h5,h6', option: 'option', dialog: 'dialog', group: 'fieldset,details,optgroup' }; \
     const can = (element, role) => { const tags = TAGS[role]; const own = element.getAttribute('role'); \
       return !tags || own !== null || element.isContentEditable || element.matches(tags); }; \
     const is = (element, role, name, part) => { if (!can(element, role) || !element.checkVisibility()) return false; \
       const same = (text) => (part ? text?.includes(name) : text === name); \
       if (element.computedRole !== role) return false; \
       return same(element.computedName) || (!element.computedName && same(element.querySelector('[title]')?.title)); };";

/// Every element below a root, open shadow roots included, in document order.
const EVERY: &str = "function* every(root) { for (const element of root.querySelectorAll('*')) { yield element; \
     if (element.shadowRoot) yield* every(element.shadowRoot); } }";

/// Finds what a locator of tests/drift means: the first that can be seen, or the first.
pub const LOCATE: &str = r"const locate = (locator) => {
  const one = (root, part) => {
    const [, css, how, text] = /^(.*?)(?::(has-text|text-is)\('(.*)'\))?$/.exec(part.trim());
    const says = (element) => { const said = element.textContent.replace(/\s+/g, ' ').trim();
      return how === 'text-is' ? said === text : said.toLowerCase().includes(text.toLowerCase()); };
    return [...root.querySelectorAll(css)].filter((element) => !how || says(element)); };
  const parts = (list) => list.split(/,(?![^(]*\))/);
  const order = (a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
  let found = [document];
  for (const step of locator.split(' >> ')) {
    const nth = /^nth=(\d+)$/.exec(step);
    found = nth ? found.slice(+nth[1], +nth[1] + 1)
      : [...new Set(found.flatMap((root) => parts(step).flatMap((part) => one(root, part))))].sort(order);
  }
  return found.find((element) => element.checkVisibility()) ?? found[0] ?? null; };";

impl Tab {
    /// Attaches to a target.
    pub async fn attach(pipe: &Pipe, target: &str) -> Outcome<Self> {
        let answer =
            pipe.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }), None).await?;
        let session = answer["sessionId"]
            .as_str()
            .ok_or_else(|| Failed::because("the tab gave no session"))?
            .to_owned();
        let tab = Self { pipe: pipe.clone(), session, target: target.to_owned() };
        tab.call("Page.enable", json!({})).await?;
        Ok(tab)
    }

    /// Calls a method of the tab's session.
    pub async fn call(&self, method: &str, params: Value) -> Outcome<Value> {
        Ok(self.pipe.call(method, params, Some(&self.session)).await?)
    }

    /// Everything that the browser says from now on, of this tab and of all others.
    pub fn events(&self) -> tokio::sync::broadcast::Receiver<cairn_host::browser::PipeEvent> {
        self.pipe.events()
    }

    /// The browser's id of it.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Brings it to the front, as a person would before using it.
    pub async fn bring_to_front(&self) -> Outcome<()> {
        self.call("Page.bringToFront", json!({})).await.map(drop)
    }

    /// Closes it.
    pub async fn close(&self) -> Outcome<()> {
        self.pipe.call("Target.closeTarget", json!({ "targetId": self.target }), None).await?;
        Ok(())
    }

    /// Moves it to a URL, as typed into the address bar.
    pub async fn go(&self, url: &str) -> Outcome<()> {
        self.call("Page.navigate", json!({ "url": url, "transitionType": "typed" })).await.map(drop)
    }

    /// Goes so many places along its history, as by the browser's own buttons.
    pub async fn travel(&self, by: i64) -> Outcome<()> {
        let history = self.call("Page.getNavigationHistory", json!({})).await?;
        let place = history["currentIndex"].as_i64().unwrap_or_default() + by;
        let entry = usize::try_from(place).ok().map(|place| history["entries"][place]["id"].clone());
        let entry =
            entry.filter(Value::is_number).ok_or_else(|| Failed::because("its history ends there"))?;
        self.call("Page.navigateToHistoryEntry", json!({ "entryId": entry })).await.map(drop)
    }

    /// Evaluates an expression in an isolated world of our own: the page cannot see it, and the recorder neither.
    pub async fn evaluate(&self, expression: &str) -> Outcome<Value> {
        let answer = self.evaluate_as(expression, true).await?;
        Ok(answer["value"].clone())
    }

    async fn evaluate_as(&self, expression: &str, by_value: bool) -> Outcome<Value> {
        let tree = self.look("Page.getFrameTree", json!({})).await?;
        let frame = tree["frameTree"]["frame"]["id"].clone();
        let world = self
            .look("Page.createIsolatedWorld", json!({ "frameId": frame, "worldName": "harness" }))
            .await?;
        let params = json!({
            "expression": expression,
            "contextId": world["executionContextId"],
            "returnByValue": by_value,
            "awaitPromise": true,
        });
        let answer = self.look("Runtime.evaluate", params).await?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(Failed::because(format!("{expression}: {details}"))),
            None => Ok(answer["result"].clone()),
        }
    }

    /// A call that only looks: it may be asked again, so it is not waited for long.
    async fn look(&self, method: &str, params: Value) -> Outcome<Value> {
        Ok(self.pipe.call_within(method, params, Some(&self.session), LOOK_BOUND).await?)
    }

    /// The URL.
    pub async fn url(&self) -> Outcome<String> {
        Ok(self.evaluate("location.href").await?.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until an expression is true.
    pub async fn until(&self, expression: &str) -> Outcome<()> {
        let began = Instant::now();
        loop {
            // While a page is being left its world goes away: that is no failure, only "not yet".
            let answer = self.evaluate(&format!("Boolean({expression})")).await;
            match answer {
                Ok(Value::Bool(true)) => return Ok(()),
                answer if began.elapsed() > BOUND => {
                    return Err(Failed::because(format!("never came true: {expression} (last: {answer:?})")));
                }
                _ => sleep(Duration::from_millis(25)).await,
            }
        }
    }

    /// Waits until the page shows a text.
    pub async fn until_text(&self, text: &str) -> Outcome<()> {
        self.until(&format!("document.body?.innerText.includes({})", json!(text))).await
    }

    /// The nth element with this role and name as the browser computes them, inside the element of role and name
    /// `within`, or anywhere. The browser must have been started with [`COMPUTED_NAMES`].
    pub async fn by_role(
        &self,
        role: &str,
        name: &str,
        how: Match,
        within: Option<(&str, &str)>,
        frames: &[String],
        nth: usize,
    ) -> Outcome<Option<Node>> {
        let document = format!(
            "{}.reduce((inside, title) => [...(inside?.querySelectorAll('iframe,frame') ?? [])] \
               .find((frame) => frame.title === title || frame.name === title)?.contentDocument, document)",
            json!(frames)
        );
        let root = within.map_or_else(
            || document.clone(),
            |(role, name)| format!("find({document}, {}, {}, 0)", json!(role), json!(name)),
        );
        self.node(&format!(
            "(() => {{ {EVERY} {IS} \
             const find = (root, role, name, nth, part = false) => {{ for (const element of root ? every(root) : []) \
               if (is(element, role, name, part) && nth-- === 0) return element; \
               return null; }}; \
             return find({root}, {}, {}, {nth}, {}); }})()",
            json!(role),
            json!(name),
            how == Match::Part,
        ))
        .await
    }

    /// The nth element that a CSS selector finds, that shows `text`, and whose parent shows `beside`; ` >> ` steps into an
    /// open shadow root.
    pub async fn by_css(
        &self,
        css: &str,
        text: Option<&str>,
        beside: Option<&str>,
        nth: usize,
    ) -> Outcome<Option<Node>> {
        let parts: Vec<&str> = css.split(" >> ").collect();
        self.node(&format!(
            "((text, beside) => {}.reduce((roots, part, at) => roots.flatMap((root) => \
                 [...((at ? root.shadowRoot : root)?.querySelectorAll(part) ?? [])]), [document]) \
                 .filter((one) => (text === null || (one.innerText ?? one.textContent).trim() === text) \
                   && (beside === null || one.parentElement?.innerText.split('\\n').includes(beside)))[{nth}] ?? null)({}, {})",
            json!(parts),
            json!(text),
            json!(beside),
        ))
        .await
    }

    /// What a locator of tests/drift means.
    pub async fn by_locator(&self, locator: &str) -> Outcome<Option<Node>> {
        self.node(&format!("(() => {{ {LOCATE} return locate({}); }})()", json!(locator))).await
    }

    /// Evaluates an expression in the page's own world.
    pub async fn evaluate_in_page(&self, expression: &str) -> Outcome<Value> {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.look("Runtime.evaluate", params).await?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(Failed::because(format!("{expression}: {details}"))),
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    async fn node(&self, expression: &str) -> Outcome<Option<Node>> {
        let found = self.evaluate_as(expression, false).await?;
        Ok(found["objectId"].as_str().map(|id| Node(id.to_owned())))
    }

    /// Calls a function with the node as `this`.
    pub async fn ask(&self, node: &Node, function: &str) -> Outcome<Value> {
        let params = json!({ "objectId": node.0, "functionDeclaration": function, "returnByValue": true });
        let answer = self.look("Runtime.callFunctionOn", params).await?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(Failed::because(format!("{function}: {details}"))),
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    /// Scrolls a node into view where it is not, and gives the middle of its first box in the viewport; `None` where it
    /// has no box.
    pub async fn point(&self, node: &Node) -> Outcome<Option<(f64, f64)>> {
        let answer = self
            .ask(
                node,
                "function () { \
                   const middle = () => { \
                     const box = [...this.getClientRects()].find((one) => one.width >= 1 && one.height >= 1); \
                     if (!box) return box; const point = [box.x + box.width / 2, box.y + box.height / 2]; \
                     for (let view = this.ownerDocument.defaultView; view?.frameElement; view = view.parent) { \
                       const frame = view.frameElement, at = frame.getBoundingClientRect(); \
                       const style = view.parent.getComputedStyle(frame); \
                       point[0] += at.x + frame.clientLeft + parseFloat(style.paddingLeft); \
                       point[1] += at.y + frame.clientTop + parseFloat(style.paddingTop); } \
                     return point; }; \
                   const inside = (point) => point && point[0] >= 0 && point[1] >= 0 && point[0] < innerWidth && point[1] < innerHeight; \
                   if (!inside(middle())) this.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' }); \
                   const point = middle(); \
                   return this.isConnected && inside(point) ? point : null; }",
            )
            .await?;
        Ok(answer[0].as_f64().zip(answer[1].as_f64()))
    }

    /// True where the node has the focus.
    pub async fn has_focus(&self, node: &Node) -> Outcome<bool> {
        let answer =
            self.ask(node, "function () { return this.getRootNode().activeElement === this; }").await?;
        Ok(answer == true)
    }
}
