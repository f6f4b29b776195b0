// Says when the page changed since the last read, and finds elements by selectors that only the DOM understands.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom, state, rootOf } = collect;

  let generation = 1;
  let structure = 1;
  /** @type {(() => void)[]} */
  let waiting = [];
  const changed = () => {
    generation++;
    const wake = waiting;
    waiting = [];
    for (const resolve of wake) resolve();
  };

  /** What is there, what it is called or where it stands may be another. */
  const rebuilt = () => {
    structure++;
    changed();
  };

  const observer = new MutationObserver(rebuilt);
  const CHANGES = { subtree: true, childList: true, attributes: true, characterData: true };
  const EVENTS = 'scroll toggle load transitionend animationend fullscreenchange resize slotchange close'.split(' ');
  /** Values, ticks and the focus changed, and nothing else by themselves. */
  const VALUE_EVENTS = 'input change focusin focusout reset'.split(' ');
  const LISTEN = { capture: true, passive: true };
  let watching = false;
  /** @type {WeakSet<Node>} */
  let observed = new WeakSet();
  const observeRoot = (root) => {
    if (!watching || observed.has(root)) return;
    observed.add(root);
    observer.observe(root, CHANGES);
  };
  const watch = () => {
    if (watching) return;
    watching = true;
    observeRoot(document);
    for (const type of EVENTS) addEventListener(type, rebuilt, LISTEN);
    for (const type of VALUE_EVENTS) addEventListener(type, changed, LISTEN);
  };
  const stop = () => {
    watching = false;
    observer.disconnect();
    observed = new WeakSet();
    for (const type of EVENTS) removeEventListener(type, rebuilt, LISTEN);
    for (const type of VALUE_EVENTS) removeEventListener(type, changed, LISTEN);
    state.nodes = [];
    for (const forget of state.forget) forget();
    rebuilt();
  };

  /** What changes without a record or an event and is known without the page's layout: rules, modals, popovers. */
  const silent = () => {
    let text = '';
    for (const sheet of dom.styleSheets.call(document)) {
      try {
        text += `;${sheet.disabled ? 'x' : sheet.cssRules.length}`;
      } catch {
        text += ';?';
      }
    }
    for (const sheet of dom.adoptedSheets.call(document) || []) text += `;${sheet.cssRules.length}`;
    for (const layer of fieldsNow().layers) text += dom.matches.call(layer, ':modal,:popover-open') ? ';1' : ';0';
    return text;
  };

  /** The fields, dialogs and popovers of the document, looked for again when something was rebuilt. */
  let fields = { structure: 0, inputs: [], areas: [], selects: [], layers: [] };
  const fieldsNow = () => {
    if (fields.structure === structure) return fields;
    fields = { structure, inputs: [], areas: [], selects: [], layers: [] };
    for (const field of dom.queryInDocument.call(document, 'input,textarea,select,dialog,[popover]')) {
      if (field instanceof HTMLInputElement) fields.inputs.push(field);
      else if (field instanceof HTMLTextAreaElement) fields.areas.push(field);
      else if (field instanceof HTMLSelectElement) fields.selects.push(field);
      else fields.layers.push(field);
    }
    return fields;
  };

  /** Values and ticks, which scripts set without a word. */
  const values = () => {
    let hash = 0;
    const mix = (value) => {
      for (let at = 0; at < value.length; at++) hash = (Math.imul(hash, 31) + value.charCodeAt(at)) | 0;
      hash = (Math.imul(hash, 31) + 7) | 0;
    };
    const { inputs, areas, selects } = fieldsNow();
    for (const field of inputs) {
      mix(dom.inputValue.call(field));
      hash = (Math.imul(hash, 31) + (dom.inputChecked.call(field) ? 2 : 0) + (dom.inputMixed.call(field) ? 1 : 0)) | 0;
    }
    for (const field of areas) mix(dom.textValue.call(field));
    for (const field of selects) hash = (Math.imul(hash, 31) + dom.selectIndex.call(field)) | 0;
    return hash;
  };

  let lastSilent = '';
  /** How things stood at the last read; `place` asks for the layout, which is clean right after a read. */
  let lastPlace = '';
  let lastValues = 0;
  const place = () => `${scrollX},${scrollY},${innerWidth},${innerHeight}`;
  const remember = () => {
    lastPlace = place();
    lastValues = values();
  };

  /** Takes the records that no one was told of yet, and what the page never tells. Forces no layout. */
  const notice = () => {
    if (observer.takeRecords().length) rebuilt();
    const now = silent();
    if (now !== lastSilent) rebuilt();
    lastSilent = now;
  };

  /**
   * A number that grows with every change of the page, those included that no one was told of yet. Where it is past
   * `known` already, nothing else is asked: what forces layout or goes through every field is looked at only while the page
   * seems to be as it was.
   */
  const current = (known) => {
    notice();
    if (generation > known) return generation;
    if (place() !== lastPlace) rebuilt();
    else if (values() !== lastValues) changed();
    return generation;
  };
  /** The same for what was more than a value, a tick, a scroll or the focus; it forces no layout. */
  const structural = () => {
    notice();
    return structure;
  };
  const nextChange = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
    });

  // ------------------------------------------------------------------ selectors

  /** Elements that CSS finds: `parts[0]` in the document, each next part in the shadow roots of what was found. Null for bad CSS. */
  const query = (parts) => {
    let found = [];
    try {
      parts.forEach((part, at) => {
        const roots = at ? found.map((host) => rootOf(host, dom.localName.call(host))).filter(Boolean) : [document];
        found = roots.flatMap((root) => [...(root === document ? dom.queryInDocument : dom.queryInFragment).call(root, part)]);
      });
    } catch {
      return null;
    }
    return found;
  };

  const MOST_FOUND = 1000;
  /** Elements that an XPath finds in the document; null for a bad one. */
  const evaluate = (path) => {
    try {
      const result = dom.evaluate.call(document, path, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
      const found = [];
      for (let at = 0; at < result.snapshotLength && at < MOST_FOUND; at++) found.push(result.snapshotItem(at));
      return found.filter((node) => dom.nodeType.call(node) === 1);
    } catch {
      return null;
    }
  };

  Object.assign(collect, { watch, stop, remember, current, structural, nextChange, observeRoot, query, evaluate });
})();
