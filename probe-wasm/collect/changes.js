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

  let rebuiltAt = performance.now();
  /** What is there, what it is called or where it stands may be another. */
  const rebuilt = () => {
    structure++;
    rebuiltAt = performance.now();
    changed();
  };

  /** As `rebuilt`, and nobody says what of the page it was. */
  const upset = () => {
    collect.loseTrack();
    layers = null;
    rebuilt();
  };
  const recorded = (records) => {
    collect.noteRecords(records);
    if (layers) for (const record of records) noteLayers(record);
    rebuilt();
  };

  const observer = new MutationObserver(recorded);
  const CHANGES = { subtree: true, childList: true, attributes: true, characterData: true };
  const EVENTS = 'scroll toggle load transitionend animationend fullscreenchange resize slotchange close'.split(' ');
  /** Values, ticks and the focus changed, and nothing else by themselves. */
  const VALUE_EVENTS = 'input change focusin focusout reset'.split(' ');
  /** Where the mouse goes matters only where a rule says so. */
  const MOUSE_EVENTS = 'mouseover mousedown mouseup'.split(' ');
  const moved = () => {
    if (collect.heedsMouse()) upset();
  };
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
    for (const type of EVENTS) addEventListener(type, upset, LISTEN);
    for (const type of VALUE_EVENTS) addEventListener(type, changed, LISTEN);
    for (const type of MOUSE_EVENTS) addEventListener(type, moved, LISTEN);
  };
  const stop = () => {
    watching = false;
    observer.disconnect();
    observed = new WeakSet();
    for (const type of EVENTS) removeEventListener(type, upset, LISTEN);
    for (const type of VALUE_EVENTS) removeEventListener(type, changed, LISTEN);
    for (const type of MOUSE_EVENTS) removeEventListener(type, moved, LISTEN);
    state.reading = null;
    state.fields = [];
    state.hosts = [];
    state.scrollers = [];
    for (const forget of state.forget) forget();
    rebuilt();
  };

  const LAYERS = 'dialog,[popover]';
  /** @type {Set<Element> | null} dialogs and popovers of the document; null where they have to be looked for */
  let layers = null;
  const layersNow = () => {
    layers ??= new Set(dom.queryInDocument.call(document, LAYERS));
    return layers;
  };
  /** Those that came; of those that went or are none any more nothing is shown, and it does no harm to ask them. */
  const noteLayers = ({ type, target, attributeName, addedNodes }) => {
    if (type === 'attributes' && attributeName === 'popover') layers.add(target);
    for (const node of addedNodes) {
      if (dom.nodeType.call(node) !== 1) continue;
      if (dom.matches.call(node, LAYERS)) layers.add(node);
      for (const inner of dom.queryInElement.call(node, LAYERS)) layers.add(inner);
    }
  };

  /** What changes without a record or an event and is known at once: how many sheets there are, what is open as a layer. */
  const silent = () => {
    const now = [dom.styleSheets.call(document).length, dom.adoptedSheets.call(document)?.length];
    for (const layer of layersNow()) {
      if (!dom.isConnected.call(layer)) layers.delete(layer);
      else if (dom.matches.call(layer, ':modal')) now.push(layer, true);
      else if (dom.matches.call(layer, ':popover-open')) now.push(layer, false);
    }
    return now;
  };

  const CHECKED = 1 << 6;
  const MIXED = 1 << 7;
  const differs = (field, was, bits) => {
    if (field instanceof HTMLInputElement) {
      const now = (dom.inputChecked.call(field) ? CHECKED : 0) | (dom.inputMixed.call(field) ? MIXED : 0);
      return now !== bits || (dom.inputValue.call(field) !== was && dom.inputType.call(field) !== 'file');
    }
    if (field instanceof HTMLTextAreaElement) return dom.textValue.call(field) !== was;
    return dom.selectIndex.call(field) !== was;
  };
  /** Fields that were read and have another value or tick now, `most` at the most; scripts set them without a word. */
  const changedFields = (most) => {
    const { fields } = state;
    const found = [];
    for (let at = 0; at < fields.length && found.length < most; at += 3) {
      if (differs(fields[at], fields[at + 1], fields[at + 2])) found.push(fields[at]);
    }
    return found;
  };

  /** Whether a shadow root was attached since: that makes no record. */
  const rootsCame = () => {
    const { hosts } = state;
    for (let at = 0; at < hosts.length; at++) if (dom.openRoot.call(hosts[at]) !== null) return true;
    return false;
  };

  /** Whether a box inside the page was scrolled: the event comes with the next frame, and a page in the background has none. */
  const boxScrolled = () => {
    const { scrollers } = state;
    for (let at = 0; at < scrollers.length; at += 3) {
      const box = scrollers[at];
      if (dom.scrollTop.call(box) !== scrollers[at + 1] || dom.scrollLeft.call(box) !== scrollers[at + 2]) return true;
    }
    return false;
  };

  let lastSilent = [];
  /** How things stood at the last read: the window, and what asks for the layout, which is clean right after a read. */
  let lastPlace = { window: '', size: '' };
  const place = () => {
    // A frame that was not drawn, and now is, has other boxes and no other nodes; so has a page whose font has come.
    const root = dom.rootElement.call(document);
    const { width, height } = root ? dom.boundingRect.call(root) : { width: 0, height: 0 };
    const animations = dom.animations.call(document).length;
    return { window: `${scrollX},${scrollY},${innerWidth},${innerHeight},${collect.rulesMark()},${animations}`, size: `${width},${height}`, animations };
  };
  const remember = () => {
    lastPlace = place();
  };

  /** Takes the records that no one was told of yet, and what the page never tells. Forces no layout. */
  const notice = () => {
    const records = observer.takeRecords();
    if (records.length) recorded(records);
    const now = silent();
    if (now.length !== lastSilent.length || now.some((one, at) => one !== lastSilent[at])) upset();
    lastSilent = now;
  };

  /** Whether window, rules, scrolled boxes or shadow roots are others than at the last read. */
  const isElsewhere = (now) => now.window !== lastPlace.window || boxScrolled() || rootsCame();

  /** Whether they are the same, and nothing moves by itself. */
  const standsStill = () => {
    const now = place();
    return !now.animations && !isElsewhere(now);
  };

  /**
   * A number that grows with every change of the page, those included that no one was told of yet. Where it is past
   * `known` already, nothing else is asked: what forces layout or goes through every field is looked at only while the page
   * seems to be as it was.
   */
  const current = (known) => {
    notice();
    if (generation > known) return generation;
    const now = place();
    if (now.size !== lastPlace.size || isElsewhere(now)) upset();
    else if (changedFields(1).length) changed();
    return generation;
  };
  /** The same for what was more than a value, a tick, a scroll or the focus; it forces no layout. */
  const structural = () => {
    notice();
    return structure;
  };
  /** When it last grew, in milliseconds since the document began. */
  const restingSince = () => rebuiltAt;
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

  Object.assign(collect, { watch, stop, standsStill, changedFields, remember, current, structural, restingSince, nextChange, observeRoot, query, evaluate });
})();
