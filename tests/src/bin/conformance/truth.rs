//! What Chromium itself knows of a page's elements: its tree, its listeners, and what a hit test finds.

use std::collections::HashMap;

use cairn_tests::tab::Tab;
use cairn_tests::{Failed, Outcome};
use serde_json::{Value, json};

/// Of every element of the page: its path, whether a hit test at one of its points finds it, whether something listens to
/// clicks on it, on something around it, whether its cursor is a hand, its `tabindex`, whether it scrolls.
/// Needs the command-line API, which alone tells listeners.
const ELEMENTS: &str = r"(() => {
  const TYPES = ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'dblclick'];
  const hears = (target) => { const heard = getEventListeners(target); return TYPES.some((type) => heard[type]?.length); };
  const everywhere = hears(document) || hears(window);
  const hitAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    for (let inner; hit?.shadowRoot && (inner = hit.shadowRoot.elementFromPoint(x, y)) && inner !== hit; ) hit = inner;
    return hit;
  };
  const up = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const within = (inner, outer) => { for (let at = inner; at; at = up(at)) if (at === outer) return true; return false; };
  const isHit = (element) => {
    for (const { left, top, width, height } of element.getClientRects()) {
      if (width < 2 || height < 2) continue;
      for (const across of [0.5, 0.1, 0.9]) for (const down of [0.5, 0.15, 0.85]) {
        const hit = hitAt(left + width * across, top + height * down);
        if (hit && within(hit, element)) return true;
      }
    }
    return false;
  };
  const inWindow = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const cross = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  const told = [];
  const walk = (node, path, around, view) => {
    const counts = {};
    for (const child of node.children) {
      const name = child.localName;
      counts[name] = (counts[name] ?? 0) + 1;
      const step = child instanceof SVGElement ? `*[local-name()='${name}']` : name;
      const own = `${path}/${step}[${counts[name]}]`;
      const heard = hears(child);
      const { cursor, overflowX, overflowY } = getComputedStyle(child);
      const scrolls = /auto|scroll/.test(overflowX + overflowY) && (child.scrollHeight > child.clientHeight || child.scrollWidth > child.clientWidth);
      const labels = [...(child.labels ?? [])];
      const box = child.getBoundingClientRect();
      const seen = cross(box, view);
      // Scrolled out, or beyond the window: a hit test says nothing of it.
      const outside = box.width > 1 && box.height > 1 && !(seen.right - seen.left > 1 && seen.bottom - seen.top > 1);
      const inner = /auto|scroll/.test(overflowX + overflowY) ? cross(box, view) : view;
      told.push({ path: own, outside, hit: isHit(child), labelHit: labels.some(isHit), heard, around, everywhere, hand: cursor === 'pointer',
        index: child.getAttribute('tabindex') ?? '', scrolls, edited: child.parentElement?.isContentEditable ?? false, disabled: child.matches(':disabled,[aria-disabled=true]') });
      if (child.shadowRoot) walk(child.shadowRoot, `${own} >> `, around || heard, inner);
      walk(child, own, around || heard, inner);
    }
  };
  walk(document, '', false, inWindow);
  return told;
})()";

/// What the browser knows of one element.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Known {
    path: String,
    /// It is scrolled out, or beyond the window: a hit test says nothing of it.
    pub outside: bool,
    /// A hit test finds it.
    pub hit: bool,
    /// A hit test finds its label.
    pub label_hit: bool,
    /// Something listens to clicks on it.
    pub heard: bool,
    /// Something listens to clicks on an element around it.
    pub around: bool,
    /// The document or the window listens to clicks.
    pub everywhere: bool,
    /// The cursor over it is a hand.
    pub hand: bool,
    /// Its `tabindex`.
    pub index: String,
    /// It scrolls.
    pub scrolls: bool,
    /// It lies in an editor.
    pub edited: bool,
    /// It cannot be used.
    pub disabled: bool,
    /// Role and name in the browser's words, where its tree has it; empty otherwise.
    #[serde(skip)]
    pub role: String,
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// The browser calls it focusable.
    #[serde(skip)]
    pub focusable: bool,
}

impl Known {
    /// In a few words.
    pub fn line(&self) -> String {
        let words = [
            ("outside", self.outside),
            ("hit", self.hit),
            ("label hit", self.label_hit),
            ("listened to", self.heard),
            ("listened to around", self.around),
            ("hand", self.hand),
            ("focusable", self.focusable),
            ("scrolls", self.scrolls),
            ("disabled", self.disabled),
        ];
        let words: Vec<&str> = words.into_iter().filter(|(_, holds)| *holds).map(|(word, _)| word).collect();
        let name: String = self.name.chars().take(40).collect();
        format!("{} {name:?} [{}] tabindex {:?}", self.role, words.join(", "), self.index)
    }
}

/// All elements of the page, by path.
pub async fn of(tab: &Tab) -> Outcome<HashMap<String, Known>> {
    let params = json!({ "expression": ELEMENTS, "includeCommandLineAPI": true, "returnByValue": true });
    let answer = tab.call("Runtime.evaluate", params).await?;
    if let Some(details) = answer.get("exceptionDetails") {
        return Err(Failed::because(details.to_string()));
    }
    let list: Vec<Known> = serde_json::from_value(answer["result"]["value"].clone())
        .map_err(|error| Failed::because(error.to_string()))?;
    let mut known: HashMap<String, Known> = list.into_iter().map(|one| (one.path.clone(), one)).collect();
    tab.call("Accessibility.enable", json!({})).await?;
    let tree = tab.call("Accessibility.getFullAXTree", json!({})).await?;
    let document = tab.call("DOM.getDocument", json!({ "depth": -1, "pierce": true })).await?;
    let paths = super::dom::paths(&document["root"]);
    for node in tree["nodes"].as_array().into_iter().flatten().filter(|node| node["ignored"] != true) {
        let Some(path) = node["backendDOMNodeId"].as_i64().and_then(|id| paths.get(&id)) else { continue };
        let Some(known) = known.get_mut(path) else { continue };
        let text = |key: &str| node[key]["value"].as_str().unwrap_or_default().to_owned();
        known.role = text("role");
        known.name = text("name");
        let properties = node["properties"].as_array().into_iter().flatten();
        let focusable = |one: &Value| one["name"] == "focusable" && one["value"]["value"] == true;
        known.focusable = properties.clone().any(focusable);
    }
    Ok(known)
}
