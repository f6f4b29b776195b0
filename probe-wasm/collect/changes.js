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
    lastPlace = '';
    lastValues = 0;
    rebuilt();
  };

  /** What changes without a record or an event: rules, modals and the scroll position, and values and ticks set by scripts. */
  const silent = () => {
    let text = `${scrollX},${scrollY},${innerWidth},${innerHeight}`;
    for (const sheet of dom.styleSheets.call(document)) {
      try {
        text += `;${sheet.disabled ? 'x' : sheet.cssRules.length}`;
      } catch {
        text += ';?';
      }
    }
    for (const sheet of dom.adoptedSheets.call(document) || []) text += `;${sheet.cssRules.length}`;
    let hash = 0;
    const mix = (value) => {
      for (let at = 0; at < value.length; at++) hash = (Math.imul(hash, 31) + value.charCodeAt(at)) | 0;
      hash = (Math.imul(hash, 31) + 7) | 0;
    };
    for (const field of dom.queryInDocument.call(document, 'input,textarea,select,dialog,[popover]')) {
      if (field instanceof HTMLInputElement) {
        mix(dom.inputValue.call(field));
        mix(dom.inputChecked.call(field) ? '1' : '0');
        mix(dom.inputMixed.call(field) ? '1' : '0');
      } else if (field instanceof HTMLTextAreaElement) mix(dom.textValue.call(field));
      else if (field instanceof HTMLSelectElement) mix(String(dom.selectIndex.call(field)));
      else text += dom.matches.call(field, ':modal,:popover-open') ? ';1' : ';0';
    }
    return { place: text, values: hash };
  };
  let lastPlace = '';
  let lastValues = 0;

  /** A number that grows with every change of the page, those included that no one was told of yet. */
  const current = () => {
    if (observer.takeRecords().length) rebuilt();
    const { place, values } = silent();
    if (place !== lastPlace) rebuilt();
    else if (values !== lastValues) changed();
    lastPlace = place;
    lastValues = values;
    return generation;
  };
  /** Of `current`, what was more than a value, a tick or the focus. Ask `current` first. */
  const structural = () => structure;
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

  Object.assign(collect, { watch, stop, current, structural, nextChange, observeRoot, query, evaluate });
})();
