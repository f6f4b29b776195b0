// The reader of the DOM. It is loaded into the isolated world before the probe and puts one object on its global:
// `__cairn_collect`. It decides nothing: it walks the tree once, without recursion, and hands the probe one Int32Array
// and one string a batch (the layout is in core/src/snapshot/decode.rs, which reads it), and it measures and hit-tests
// the nodes that the probe asks for by their place in that batch.
//
// DOM members are taken from their prototypes once and called on nodes: a form field named `parentNode` shadows nothing.
(() => {
  'use strict';

  const getter = (holder, name) => {
    const found = Object.getOwnPropertyDescriptor(holder.prototype, name);
    return found && found.get ? found.get : () => null;
  };
  const method = (holder, name) => holder.prototype[name];

  const nodeType = getter(Node, 'nodeType');
  const firstChild = getter(Node, 'firstChild');
  const nextSibling = getter(Node, 'nextSibling');
  const parentNode = getter(Node, 'parentNode');
  const isConnected = getter(Node, 'isConnected');
  const getRootNode = method(Node, 'getRootNode');
  const contains = method(Node, 'contains');
  const data = getter(CharacterData, 'data');
  const localName = getter(Element, 'localName');
  const getAttribute = method(Element, 'getAttribute');
  const getAttributeNames = method(Element, 'getAttributeNames');
  const hasAttribute = method(Element, 'hasAttribute');
  const openRoot = getter(Element, 'shadowRoot');
  const checkVisibility = method(Element, 'checkVisibility');
  const boundingRect = method(Element, 'getBoundingClientRect');
  const clientRects = method(Element, 'getClientRects');
  const matches = method(Element, 'matches');
  const closest = method(Element, 'closest');
  const assignedSlot = getter(Element, 'assignedSlot');
  const scrollHeight = getter(Element, 'scrollHeight');
  const scrollWidth = getter(Element, 'scrollWidth');
  const clientHeight = getter(Element, 'clientHeight');
  const clientWidth = getter(Element, 'clientWidth');
  const labelledByElements = getter(Element, 'ariaLabelledByElements');
  const queryAll = method(Element, 'querySelectorAll');
  const queryAllInFragment = method(DocumentFragment, 'querySelectorAll');
  const rootElement = getter(Document, 'documentElement');
  const activeOfDocument = getter(Document, 'activeElement');
  const activeOfRoot = getter(ShadowRoot, 'activeElement');
  const pointInDocument = method(Document, 'elementFromPoint');
  const pointInRoot = method(ShadowRoot, 'elementFromPoint');
  const byIdInDocument = method(Document, 'getElementById');
  const byIdInFragment = method(DocumentFragment, 'getElementById');
  const styleSheets = getter(Document, 'styleSheets');
  const adoptedSheets = getter(Document, 'adoptedStyleSheets');
  const titleOf = getter(Document, 'title');
  const hostOf = getter(ShadowRoot, 'host');
  const inputType = getter(HTMLInputElement, 'type');
  const inputValue = getter(HTMLInputElement, 'value');
  const inputChecked = getter(HTMLInputElement, 'checked');
  const inputMixed = getter(HTMLInputElement, 'indeterminate');
  const inputLabels = getter(HTMLInputElement, 'labels');
  const inputFiles = getter(HTMLInputElement, 'files');
  const areaValue = getter(HTMLTextAreaElement, 'value');
  const optionSelected = getter(HTMLOptionElement, 'selected');
  const labelControl = getter(HTMLLabelElement, 'control');
  const styleOf = window.getComputedStyle.bind(window);
  const now = performance.now.bind(performance);

  // ------------------------------------------------------------------ numbers that nodes keep as long as they live

  /** @type {WeakMap<Node, number>} */
  const numbers = new WeakMap();
  let lastNumber = 0;
  const numberOf = (node) => {
    let number = numbers.get(node);
    if (number === undefined) {
      number = ++lastNumber;
      numbers.set(node, number);
    }
    return number;
  };

  // ------------------------------------------------------------------ names, sent once each

  /** @type {Map<string, number>} */
  const names = new Map();
  /** @type {string[]} */
  const nameList = [];
  const intern = (name) => {
    let id = names.get(name);
    if (id === undefined) {
      id = nameList.length;
      names.set(name, id);
      nameList.push(name.slice(0, 100));
    }
    return id;
  };
  const VALUE = intern('=value');
  const LABELLED_BY = intern('=labelledby');
  const FILES = intern('=files');
  const INPUT = intern('input');
  const TEXTAREA = intern('textarea');
  const OPTION = intern('option');
  const DETAILS = intern('details');
  const SUMMARY = intern('summary');
  const DIALOG = intern('dialog');
  const SCRIPT = intern('script');
  const STYLE = intern('style');
  const TEMPLATE = intern('template');
  const NOSCRIPT = intern('noscript');
  const LABELLEDBY_ATTRIBUTE = intern('aria-labelledby');

  /** Attributes without a meaning for us that can be long or many. */
  const IGNORED = new Set(['style', 'd', 'points', 'srcset', 'sizes', 'transform', 'viewBox', 'fill', 'stroke', 'xmlns', 'nonce', 'integrity']);

  // Bits of a node's flags: see `Flags` in core/src/snapshot.
  const GAP_BEFORE = 1 << 0;
  const GAP_AT_END = 1 << 1;
  const HIDDEN = 1 << 2;
  const INVISIBLE = 1 << 3;
  const TRANSPARENT = 1 << 4;
  const POINTER = 1 << 5;
  const CHECKED = 1 << 6;
  const MIXED = 1 << 7;
  const SELECTED = 1 << 8;
  const FOCUSED = 1 << 9;
  const MODAL = 1 << 10;
  const CUT = 1 << 11;
  const PRUNED = 1 << 12;
  const CLOSED_ROOT = 1 << 13;
  const UPPERCASE = 1 << 14;
  const LOWERCASE = 1 << 15;
  const CAPITALIZE = 1 << 16;
  const SVG = 1 << 17;
  const DISPLAY_SHIFT = 20;
  const DISPLAYS = { inline: 0, block: 1, 'inline-block': 2, contents: 3, none: 4, 'table-cell': 5, flex: 1, grid: 1, 'list-item': 1,
    table: 1, 'table-row': 1, 'inline-flex': 2, 'inline-grid': 2, 'inline-table': 2, 'flow-root': 1, 'table-row-group': 1,
    'table-header-group': 1, 'table-footer-group': 1, 'table-caption': 1, 'table-column': 1, 'table-column-group': 1, ruby: 0 };

  // Tags of records that are no elements.
  const TEXT = -1;
  const SHADOW = -2;
  const BEFORE = -3;
  const AFTER = -4;

  const TEXT_LIMIT = 20000;
  const ATTRIBUTE_LIMIT = 1000;
  const VALUE_LIMIT = 2000;

  // ------------------------------------------------------------------ one read

  /** @type {Node[]} */
  let nodes = [];
  let ints = new Int32Array(1 << 16);
  let used = 0;
  /** @type {string[]} */
  let parts = [];

  const room = (count) => {
    if (used + count > ints.length) {
      const larger = new Int32Array(ints.length * 2);
      larger.set(ints);
      ints = larger;
    }
  };

  const closedRoot = typeof chrome !== 'undefined' && chrome.dom && chrome.dom.openOrClosedShadowRoot
    ? (element) => { try { return chrome.dom.openOrClosedShadowRoot(element); } catch { return null; } }
    : () => null;
  const PLAIN_HOSTS = new Set(['div', 'span', 'article', 'aside', 'blockquote', 'body', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'main', 'nav', 'p', 'section']);
  const rootOf = (element, name) => {
    const open = openRoot.call(element);
    if (open) return open;
    // A closed root on a plain element is asked for where the element looks empty: the call is not cheap.
    if (name.includes('-') || (PLAIN_HOSTS.has(name) && !firstChild.call(element))) return closedRoot(element);
    return null;
  };

  /** The focused element, through shadow roots. */
  const deepActive = () => {
    let active = activeOfDocument.call(document);
    for (let depth = 0; active && depth < 50; depth++) {
      const root = rootOf(active, localName.call(active));
      const inner = root ? activeOfRoot.call(root) : null;
      if (!inner) break;
      active = inner;
    }
    return active;
  };

  /** Hidden elements that are needed all the same: 1 lies on the way to one, 2 is one, with all below it. */
  let wanted = new Map();
  const want = (element, depth) => {
    if (checkVisibility.call(element)) return;
    wanted.set(element, depth);
    for (let up = parentNode.call(element); up && !wanted.has(up); up = parentNode.call(up)) {
      if (nodeType.call(up) !== 1) break;
      wanted.set(up, 1);
    }
  };
  /** What names something, and the hidden native controls that stand behind drawn ones. */
  const findWanted = (root, query, byId) => {
    for (const element of query.call(root, '[aria-labelledby],[aria-owns],label,input[type=file],input[type=checkbox],input[type=radio]')) {
      const name = localName.call(element);
      if (name === 'label') want(element, 2);
      else if (name === 'input') want(element, 2);
      for (const attribute of ['aria-labelledby', 'aria-owns']) {
        const ids = getAttribute.call(element, attribute);
        if (ids === null) continue;
        if (ids === '' && attribute === 'aria-labelledby') {
          for (const other of labelledByElements.call(element) || []) want(other, 2);
        }
        for (const id of ids.split(/\s+/)) {
          const other = id && byId.call(root.ownerDocument && nodeType.call(root) === 1 ? document : root, id);
          if (other) want(other, 2);
        }
      }
    }
  };

  const addText = (value, limit) => {
    let bits = 0;
    if (value.length > limit) {
      value = value.slice(0, limit);
      bits = CUT;
    }
    parts.push(value);
    ints[used++] = value.length;
    return bits;
  };

  /** Writes the attributes of `element` and what its live state adds; returns flag bits. */
  const addAttributes = (element, tag) => {
    const start = used++;
    let count = 0;
    let bits = 0;
    const attributeNames = getAttributeNames.call(element);
    for (let i = 0; i < attributeNames.length; i++) {
      const name = attributeNames[i];
      if (IGNORED.has(name) || count >= 100) continue;
      const value = getAttribute.call(element, name);
      if (value === null) continue;
      room(16);
      const id = intern(name);
      if (id === LABELLEDBY_ATTRIBUTE && value === '') {
        const others = labelledByElements.call(element);
        if (others && others.length) {
          ints[used++] = LABELLED_BY;
          addText(others.map(numberOf).join(' '), ATTRIBUTE_LIMIT);
          count++;
          continue;
        }
      }
      ints[used++] = id;
      bits |= addText(value, ATTRIBUTE_LIMIT);
      count++;
    }
    room(16);
    if (tag === INPUT && element instanceof HTMLInputElement) {
      const type = inputType.call(element);
      if (inputChecked.call(element)) bits |= CHECKED;
      if (inputMixed.call(element)) bits |= MIXED;
      if (type === 'file') {
        const files = inputFiles.call(element);
        if (files && files.length) {
          ints[used++] = FILES;
          addText(Array.from(files, (file) => file.name).join(', '), VALUE_LIMIT);
          count++;
        }
      } else {
        // The probe decides what of it may be told: a password's value never is.
        ints[used++] = VALUE;
        bits |= addText(type === 'password' ? '' : inputValue.call(element), VALUE_LIMIT);
        count++;
      }
    } else if (tag === TEXTAREA && element instanceof HTMLTextAreaElement) {
      ints[used++] = VALUE;
      bits |= addText(areaValue.call(element), VALUE_LIMIT);
      count++;
    } else if (tag === OPTION && element instanceof HTMLOptionElement) {
      if (optionSelected.call(element)) bits |= SELECTED;
    } else if (tag === DIALOG) {
      if (matches.call(element, ':modal')) bits |= MODAL;
    }
    ints[start] = count;
    return bits;
  };

  /** One record: tag, parent, number, flags, then a text or a count of attributes with them. */
  const begin = (tag, parent, node) => {
    room(64);
    const at = used;
    ints[used++] = tag;
    ints[used++] = parent;
    ints[used++] = numberOf(node);
    used++;
    nodes.push(node);
    return at + 3;
  };

  const addPseudo = (element, index, which, tag) => {
    const style = styleOf(element, which);
    const content = style.content;
    if (content === 'none' || content === 'normal' || content === '' || style.display === 'none' || style.visibility !== 'visible') return;
    const flagsAt = begin(tag, index, element);
    ints[flagsAt] = (DISPLAYS[style.display] ?? 1) << DISPLAY_SHIFT;
    if (style.position === 'absolute' || style.position === 'fixed') ints[flagsAt] = 1 << DISPLAY_SHIFT;
    ints[flagsAt] |= transformBits(style.textTransform) | addText(content, ATTRIBUTE_LIMIT);
  };

  const transformBits = (value) => (value === 'none' ? 0 : value === 'uppercase' ? UPPERCASE : value === 'lowercase' ? LOWERCASE : value === 'capitalize' ? CAPITALIZE : 0);

  /** Whether any style sheet could give generated content. Sheets of other origins cannot be read: then yes. */
  let generatedCache = { key: '', answer: false };
  const mayGenerate = () => {
    const sheets = [...styleSheets.call(document), ...(adoptedSheets.call(document) || [])];
    let key = '';
    const read = [];
    for (const sheet of sheets) {
      try { read.push(sheet.cssRules); key += `${sheet.cssRules.length},`; } catch { read.push(null); key += '?,'; }
    }
    if (key === generatedCache.key) return generatedCache.answer;
    const mentions = (rules) => {
      for (const rule of rules) {
        if (rule.selectorText !== undefined ? /:(before|after)/.test(rule.selectorText) : rule.cssRules && mentions(rule.cssRules)) return true;
        if (rule.selectorText !== undefined && rule.cssRules && rule.cssRules.length && mentions(rule.cssRules)) return true;
        if (rule.styleSheet) { try { if (mentions(rule.styleSheet.cssRules)) return true; } catch { return true; } }
      }
      return false;
    };
    generatedCache = { key, answer: read.some((rules) => rules === null || mentions(rules)) };
    return generatedCache.answer;
  };

  /** Whether `parent` is a closed `<details>` that does not show `child`. */
  const closedDetails = (parent, child) => {
    if (nodeType.call(parent) !== 1 || names.get(localName.call(parent)) !== DETAILS || hasAttribute.call(parent, 'open')) return false;
    let first = firstChild.call(parent);
    while (first && !(nodeType.call(first) === 1 && names.get(localName.call(first)) === SUMMARY)) first = nextSibling.call(first);
    return first !== child;
  };

  /** Elements whose name comes from their content, or that name others: only there generated content matters. */
  const NAMING = new Set(['button', 'a', 'label', 'summary', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'option', 'legend', 'caption', 'th', 'td', 'figcaption', 'output']);
  const NAMING_ATTRIBUTES = ['role', 'tabindex', 'onclick', 'aria-labelledby'];

  /**
   * Reads the document. `mode` bit 0: also read into what is not rendered; bit 1: generated content everywhere.
   * `budget` in milliseconds.
   */
  const read = (mode, budget) => {
    const deadline = now() + budget;
    const everything = (mode & 1) !== 0;
    const root = rootElement.call(document);
    nodes = [];
    used = 0;
    parts = [];
    wanted = new Map();
    let truncated = false;
    if (!root) return finish(truncated);
    const active = deepActive();
    const generate = mayGenerate();
    if (!everything) findWanted(root, queryAll, byIdInDocument);

    // What is open: the node, its place, how it is hidden, whether generated content matters below it.
    const openNodes = [];
    const openIndexes = [];
    const openHidden = [];
    const openNaming = [];
    const openFlags = [];
    let node = root;
    let gap = 0;
    let count = 0;
    for (;;) {
      const depth = openNodes.length;
      const parent = depth ? openIndexes[depth - 1] : -1;
      const type = nodeType.call(node);
      let child = null;
      if (type === 1) {
        if ((++count & 255) === 0 && now() > deadline) {
          truncated = true;
          break;
        }
        const name = localName.call(node);
        const tag = intern(name);
        let hidden = depth ? openHidden[depth - 1] : 0;
        let bits = gap;
        gap = 0;
        const index = nodes.length;
        const flagsAt = begin(tag, parent, node);
        const svg = name === 'svg' || (depth > 0 && (ints[openFlags[depth - 1]] & SVG) !== 0 && name !== 'foreignObject');
        if (svg) bits |= SVG;
        let style = null;
        if (!hidden) {
          if (depth && closedDetails(openNodes[depth - 1], node)) hidden = 1;
          else {
            style = styleOf(node);
            const display = DISPLAYS[style.display] ?? 1;
            if (display === 4) hidden = 1;
            else {
              bits |= display << DISPLAY_SHIFT;
              if (style.visibility !== 'visible') bits |= INVISIBLE;
              if (style.cursor === 'pointer') bits |= POINTER;
              if (style.opacity === '0') bits |= TRANSPARENT;
            }
          }
        }
        if (hidden) bits |= HIDDEN | (4 << DISPLAY_SHIFT);
        if (node === active) bits |= FOCUSED;
        bits |= addAttributes(node, tag);
        let enter = true;
        if (hidden) {
          const need = wanted.get(node);
          if (need === 2) hidden = 2;
          enter = everything || hidden === 2 || need === 1;
          if (tag === SCRIPT || tag === STYLE || tag === TEMPLATE || tag === NOSCRIPT) enter = false;
        }
        let naming = depth ? openNaming[depth - 1] : false;
        if (generate && style && !naming && (NAMING.has(name) || (mode & 2) !== 0 || NAMING_ATTRIBUTES.some((attribute) => hasAttribute.call(node, attribute)) || (bits & POINTER) !== 0)) naming = true;
        const shadow = enter ? rootOf(node, name) : null;
        const first = enter ? firstChild.call(node) : null;
        if (!enter && firstChild.call(node)) bits |= PRUNED;
        ints[flagsAt] = bits;
        if (naming && style) addPseudo(node, index, '::before', BEFORE);
        child = shadow || first;
        if (child) {
          openNodes.push(node);
          openIndexes.push(index);
          openHidden.push(hidden);
          openNaming.push(naming && style ? node : naming);
          openFlags.push(flagsAt);
          node = child;
          continue;
        }
        if (naming && style) addPseudo(node, index, '::after', AFTER);
      } else if (type === 11) {
        const index = nodes.length;
        const flagsAt = begin(SHADOW, parent, node);
        ints[flagsAt] = openRoot.call(hostOf.call(node)) ? 0 : CLOSED_ROOT;
        ints[used++] = 0;
        observeRoot(node);
        if (!everything) findWanted(node, queryAllInFragment, byIdInFragment);
        child = firstChild.call(node);
        if (child) {
          openNodes.push(node);
          openIndexes.push(index);
          openHidden.push(depth ? openHidden[depth - 1] : 0);
          openNaming.push(depth ? Boolean(openNaming[depth - 1]) : false);
          openFlags.push(flagsAt);
          gap = 0;
          node = child;
          continue;
        }
      } else if (type === 3 || type === 4) {
        const text = data.call(node);
        if (/[^\t\n\f\r ]/.test(text)) {
          const flagsAt = begin(TEXT, parent, node);
          let bits = gap;
          gap = 0;
          if (depth && !openHidden[depth - 1]) {
            const holder = openNodes[depth - 1];
            if (nodeType.call(holder) === 1) bits |= transformBits(styleOf(holder).textTransform);
          }
          bits |= addText(text, TEXT_LIMIT);
          ints[flagsAt] = bits;
        } else if (text.length) gap = GAP_BEFORE;
      }
      // On to the next node: a sibling, the light children after a shadow root, or up.
      let next = null;
      for (;;) {
        const level = openNodes.length;
        if (!level) break;
        next = nodeType.call(node) === 11 ? firstChild.call(openNodes[level - 1]) : nextSibling.call(node);
        if (next) break;
        if (gap) {
          ints[openFlags[level - 1]] |= GAP_AT_END;
          gap = 0;
        }
        node = openNodes.pop();
        const index = openIndexes.pop();
        const naming = openNaming.pop();
        openHidden.pop();
        openFlags.pop();
        if (naming === node) addPseudo(node, index, '::after', AFTER);
      }
      if (!next) break;
      node = next;
    }
    return finish(truncated);
  };

  const finish = (truncated) => {
    const batch = { ints: ints.slice(0, used), text: parts.join('\u0001'), names: nameList, nodes, truncated };
    parts = [];
    indexOfNumber = null;
    clips = new Map();
    visible = new Map();
    return batch;
  };

  // ------------------------------------------------------------------ boxes

  /** @type {Map<number, number> | null} */
  let indexOfNumber = null;
  /** The place of a node in the last batch, or -1. */
  const indexOf = (node) => {
    const number = numbers.get(node);
    if (number === undefined) return -1;
    if (!indexOfNumber) {
      indexOfNumber = new Map();
      for (let i = 0; i < nodes.length; i++) {
        // Generated content stands under its element's number: the element comes first.
        const other = numbers.get(nodes[i]);
        if (other !== undefined && !indexOfNumber.has(other)) indexOfNumber.set(other, i);
      }
    }
    return indexOfNumber.get(number) ?? -1;
  };

  /** The parent in the flat tree: slot, element or shadow host. */
  const flatParent = (node) => {
    const slot = nodeType.call(node) === 1 ? assignedSlot.call(node) : null;
    if (slot) return slot;
    const parent = parentNode.call(node);
    if (!parent) return null;
    return nodeType.call(parent) === 11 ? hostOf.call(parent) : nodeType.call(parent) === 1 ? parent : null;
  };

  const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  const cross = (a, b) => (a === EVERYWHERE ? b : b === EVERYWHERE ? a : { left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  const isEmpty = (rect) => !(rect.right - rect.left > 0.5 && rect.bottom - rect.top > 0.5);

  /** What clips the content of an element: `hard` cannot be scrolled by a person, `soft` can; apart for absolute children. */
  let clips = new Map();
  const NO_CLIP = { hard: EVERYWHERE, soft: EVERYWHERE, absoluteHard: EVERYWHERE, absoluteSoft: EVERYWHERE, fixed: false };
  const clipOf = (element) => {
    const chain = [];
    let clip = NO_CLIP;
    for (let up = element; up; up = flatParent(up)) {
      const known = clips.get(up);
      if (known) {
        clip = known;
        break;
      }
      chain.push(up);
    }
    while (chain.length) {
      const next = chain.pop();
      const style = styleOf(next);
      const position = style.position;
      let hard = clip.hard;
      let soft = clip.soft;
      if (position === 'absolute') {
        hard = clip.absoluteHard;
        soft = clip.absoluteSoft;
      } else if (position === 'fixed') {
        hard = EVERYWHERE;
        soft = EVERYWHERE;
      }
      const outerHard = hard;
      const outerSoft = soft;
      const overflow = style.overflow;
      const name = localName.call(next);
      if (overflow !== 'visible' && name !== 'html' && name !== 'body' && style.display !== 'inline' && style.display !== 'contents') {
        const rect = boundingRect.call(next);
        if (overflow.includes('auto') || overflow.includes('scroll')) soft = cross(soft, rect);
        else hard = cross(hard, rect);
      }
      const holds = position !== 'static' || style.transform !== 'none';
      clip = {
        hard, soft, outerHard, outerSoft,
        absoluteHard: holds ? hard : clip.absoluteHard,
        absoluteSoft: holds ? soft : clip.absoluteSoft,
        fixed: position === 'fixed' || position === 'sticky' || clip.fixed,
      };
      clips.set(next, clip);
    }
    return clip;
  };

  /** The box of what an element without a box of its own holds. */
  const contentRect = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };

  /** The box of an image-map area, from its coordinates and its image. */
  const areaRect = (area) => {
    const map = closest.call(area, 'map');
    const image = map && imageOf(map);
    if (!image) return null;
    const box = boundingRect.call(image);
    const coords = (getAttribute.call(area, 'coords') || '').split(/[\s,;]+/).map(Number);
    const shape = (getAttribute.call(area, 'shape') || 'rect').toLowerCase();
    if (shape === 'default') return box;
    let edges;
    if (shape.startsWith('circ')) edges = [coords[0] - coords[2], coords[1] - coords[2], coords[0] + coords[2], coords[1] + coords[2]];
    else {
      const xs = coords.filter((_, i) => i % 2 === 0);
      const ys = coords.filter((_, i) => i % 2 === 1);
      edges = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    }
    if (!edges.every(Number.isFinite)) return null;
    return new DOMRect(box.left + edges[0], box.top + edges[1], edges[2] - edges[0], edges[3] - edges[1]);
  };
  const imageOf = (map) => {
    const name = getAttribute.call(map, 'name') || getAttribute.call(map, 'id');
    const root = getRootNode.call(map);
    const images = (nodeType.call(root) === 11 ? queryAllInFragment : Document.prototype.querySelectorAll).call(root, 'img[usemap]');
    for (const image of images) if ((getAttribute.call(image, 'usemap') || '').slice(1) === name) return image;
    return null;
  };

  /** The first visible label of a control that is itself not to be seen. */
  const visibleLabel = (control) => {
    const labels = control instanceof HTMLInputElement ? inputLabels.call(control) : null;
    for (const label of labels || []) {
      if (!checkVisibility.call(label, { opacityProperty: true, visibilityProperty: true })) continue;
      const rect = boundingRect.call(label);
      if (rect.width > 1 && rect.height > 1) return label;
    }
    return null;
  };

  // Bits of a measure: see `Measured` in core/src/snapshot.
  const RENDERED = 1;
  const SEE_THROUGH = 2;
  const CLIPPED = 4;
  const SCROLLED_OUT = 8;
  const BY_LABEL = 16;
  const NEAR = 32;
  const IN_VIEW = 64;
  const SCROLLS = 128;
  const NO_POINTER = 256;

  /** What a person could see of a measured node: index -> {element, rect}. */
  let visible = new Map();

  /** The element whose box stands for `element`, its box, and the bits that say why. */
  const boxOf = (element, withLabel) => {
    const name = localName.call(element);
    let bits = 0;
    let shown = element;
    let rect;
    if (name === 'area') {
      rect = areaRect(element);
      const map = rect && imageOf(closest.call(element, 'map'));
      if (!map || !checkVisibility.call(map)) return { shown, rect: new DOMRect(), bits };
      return { shown: map, rect, bits: RENDERED };
    }
    rect = boundingRect.call(element);
    const rendered = checkVisibility.call(element, { visibilityProperty: true });
    if (rendered) bits |= RENDERED;
    if (rendered && !checkVisibility.call(element, { opacityProperty: true })) bits |= SEE_THROUGH;
    if (withLabel && (!rendered || (bits & SEE_THROUGH) !== 0 || rect.width <= 1 || rect.height <= 1 || isAway(element, rect))) {
      const label = visibleLabel(element);
      if (label) {
        shown = label;
        rect = boundingRect.call(label);
        bits = RENDERED | BY_LABEL;
      }
    }
    if (!(rect.width > 0 && rect.height > 0) && firstChild.call(shown)) {
      const content = contentRect(shown);
      if (content.width > 0 && content.height > 0) {
        rect = content;
        if (!rendered && styleOf(shown).display === 'contents' && styleOf(shown).visibility === 'visible') bits |= RENDERED;
      }
    }
    return { shown, rect, bits };
  };
  /** Far off the page to the left or above: nobody can scroll there. */
  const isAway = (element, rect) => rect.right + scrollX < 0 || rect.bottom + scrollY < 0 || isEmpty(cross(rect, clipOf(element).outerHard));

  /**
   * Measures nodes of the last batch. Six numbers each: x, y, width, height, bits, number of the label that stands for it.
   * `kinds[i]` bit 0: a native control whose label may stand for it.
   */
  const measure = (indexes, kinds) => {
    const out = new Float64Array(indexes.length * 6);
    const view = new DOMRect(0, 0, innerWidth, innerHeight);
    for (let i = 0; i < indexes.length; i++) {
      const element = nodes[indexes[i]];
      const { shown, rect, bits: found } = boxOf(element, (kinds[i] & 1) !== 0);
      let bits = found;
      const clip = clipOf(shown);
      const hard = cross(rect, clip.outerHard);
      if (isEmpty(hard) || rect.right + scrollX < 0 || rect.bottom + scrollY < 0 || (clip.fixed && isEmpty(cross(rect, view)))) bits |= CLIPPED;
      const part = cross(hard, clip.outerSoft);
      if (isEmpty(part)) bits |= SCROLLED_OUT;
      const inView = cross(part, view);
      if (!isEmpty(inView)) {
        bits |= IN_VIEW | NEAR;
        visible.set(indexes[i], { element, shown, part: inView });
      } else if (!(bits & SCROLLED_OUT) && rect.bottom > -innerHeight && rect.top < 2 * innerHeight && rect.right > -innerWidth && rect.left < 2 * innerWidth) bits |= NEAR;
      const at = i * 6;
      out[at] = rect.left;
      out[at + 1] = rect.top;
      out[at + 2] = rect.width;
      out[at + 3] = rect.height;
      out[at + 4] = bits;
      out[at + 5] = shown === element ? -1 : numberOf(shown);
    }
    return out;
  };

  // ------------------------------------------------------------------ hit tests

  const deepestAt = (x, y) => {
    let hit = pointInDocument.call(document, x, y);
    for (let depth = 0; hit && depth < 50; depth++) {
      const root = rootOf(hit, localName.call(hit)) || (firstChild.call(hit) ? null : closedRoot(hit));
      const inner = root ? pointInRoot.call(root, x, y) : null;
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };

  /** Elements of the last batch that a person can use by themselves: a hit on one of them is no hit on what is around it. */
  let interactive = new WeakSet();

  /** 2: the element itself is what a person would hit there. 1: it is hit, through something else of use. 0: no. */
  const hitQuality = (hit, element, shown) => {
    let quality = 2;
    for (let up = hit; up; up = flatParent(up)) {
      if (up === element || up === shown) return quality;
      if (localName.call(up) === 'label' && up instanceof HTMLLabelElement && labelControl.call(up) === element) return quality;
      if (interactive.has(up)) quality = 1;
    }
    return 0;
  };

  const INSET = 0.12;
  const pointsOf = (rect) => {
    const width = rect.right - rect.left;
    const height = rect.bottom - rect.top;
    const x = rect.left + width / 2;
    const y = rect.top + height / 2;
    const dx = Math.max(0, width / 2 - Math.max(1, Math.min(width * INSET, 8)));
    const dy = Math.max(0, height / 2 - Math.max(1, Math.min(height * INSET, 8)));
    return [[x, y], [x - dx, y - dy], [x + dx, y - dy], [x - dx, y + dy], [x + dx, y + dy], [x, y - dy], [x, y + dy], [x - dx, y], [x + dx, y]];
  };

  /** The best point of what is visible: {quality, x, y, hit}; `cover` is what lay over the first point that failed. */
  const bestPoint = (element, shown, part) => {
    let best = { quality: 0, x: 0, y: 0, cover: null };
    const tryRect = (rect) => {
      for (const [x, y] of pointsOf(rect)) {
        const hit = deepestAt(x, y);
        if (!hit) continue;
        const quality = hitQuality(hit, element, shown);
        if (quality > best.quality) best = { quality, x, y, cover: best.cover };
        if (quality === 2) return true;
        if (!quality && !best.cover) best.cover = hit;
      }
      return false;
    };
    const rects = shown === element && localName.call(element) !== 'area' ? clientRects.call(shown) : [];
    if (rects.length > 1) {
      for (let i = 0; i < rects.length && i < 4; i++) {
        const piece = cross(rects[i], part);
        if (rects[i].width >= 2 && !isEmpty(piece) && tryRect(piece)) return best;
      }
    }
    if (rects.length <= 1 || !best.quality) tryRect(part);
    return best;
  };

  /** Hit-tests measured nodes in view. Two numbers each: 0 unknown, 1 hit, 2 covered; the place of what covers it, or -1. */
  const hits = (indexes) => {
    const out = new Int32Array(indexes.length * 2);
    interactive = new WeakSet();
    for (const index of indexes) interactive.add(nodes[index]);
    for (let i = 0; i < indexes.length; i++) {
      out[i * 2 + 1] = -1;
      const seen = visible.get(indexes[i]);
      if (!seen) continue;
      const point = bestPoint(seen.element, seen.shown, seen.part);
      out[i * 2] = point.quality ? 1 : point.cover ? 2 : 0;
      if (!point.quality && point.cover) out[i * 2 + 1] = indexOf(point.cover);
    }
    return out;
  };

  /** Where a person would press `element` now: [code, x, y, cover]; code 0 no box, 1 at a point, 2 covered, 3 outside the viewport. */
  const usablePoint = (element) => {
    clips = new Map();
    const { shown, rect, bits } = boxOf(element, true);
    if (!(bits & RENDERED) || !(rect.width > 0 && rect.height > 0)) return [0, 0, 0, null];
    const clip = clipOf(shown);
    const part = cross(cross(cross(rect, clip.outerHard), clip.outerSoft), new DOMRect(0, 0, innerWidth, innerHeight));
    if (isEmpty(part)) return [3, 0, 0, null];
    const point = bestPoint(element, shown, part);
    if (point.quality) return [1, point.x, point.y, deepestAt(point.x, point.y)];
    return point.cover ? [2, 0, 0, point.cover] : [3, 0, 0, null];
  };

  // ------------------------------------------------------------------ changes

  let generation = 1;
  /** @type {(() => void)[]} */
  let waiting = [];
  const changed = () => {
    generation++;
    const wake = waiting;
    waiting = [];
    for (const resolve of wake) resolve();
  };
  const observer = new MutationObserver(changed);
  const CHANGES = { subtree: true, childList: true, attributes: true, characterData: true };
  const EVENTS = ['input', 'change', 'scroll', 'toggle', 'focusin', 'focusout', 'reset', 'load', 'transitionend', 'animationend', 'fullscreenchange', 'resize', 'slotchange'];
  /** @type {WeakSet<Node>} */
  let observed = new WeakSet();
  const observeRoot = (root) => {
    if (!watching || observed.has(root)) return;
    observed.add(root);
    observer.observe(root, CHANGES);
  };
  let watching = false;
  const watch = () => {
    if (watching) return;
    watching = true;
    observeRoot(document);
    for (const type of EVENTS) addEventListener(type, changed, { capture: true, passive: true });
  };
  const stop = () => {
    watching = false;
    observer.disconnect();
    observed = new WeakSet();
    for (const type of EVENTS) removeEventListener(type, changed, { capture: true });
    nodes = [];
    visible = new Map();
    clips = new Map();
    indexOfNumber = null;
    changed();
  };

  // ------------------------------------------------------------------ selectors that need the DOM

  const queryDocument = Document.prototype.querySelectorAll;
  /** Elements that CSS finds, `parts[0]` in the document, the next part in the shadow roots of what was found; null for bad CSS. */
  const query = (parts) => {
    let roots = [document];
    let found = [];
    try {
      for (let at = 0; at < parts.length; at++) {
        if (at) roots = found.map((host) => rootOf(host, localName.call(host))).filter(Boolean);
        found = [];
        for (const root of roots) found.push(...(root === document ? queryDocument : queryAllInFragment).call(root, parts[at]));
      }
    } catch {
      return null;
    }
    return found;
  };

  /** Elements that an XPath finds in the document; null for a bad one. */
  const evaluate = (path) => {
    try {
      const result = Document.prototype.evaluate.call(document, path, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
      const found = [];
      for (let at = 0; at < result.snapshotLength && at < 1000; at++) {
        const node = result.snapshotItem(at);
        if (nodeType.call(node) === 1) found.push(node);
      }
      return found;
    } catch {
      return null;
    }
  };

  /** A number that grows with every change of the page, those included that no one was told of yet. */
  const current = () => {
    if (observer.takeRecords().length) changed();
    return generation;
  };
  const nextChange = () => new Promise((resolve) => { waiting.push(resolve); });

  globalThis.__cairn_collect = {
    read, measure, hits, usablePoint, query, evaluate, watch, stop, current, nextChange, indexOf, deepestAt, closedRoot,
    numberOf,
    isConnected: (node) => isConnected.call(node),
    flatParent,
    attribute: (element, name) => getAttribute.call(element, name) ?? undefined,
    localName: (element) => localName.call(element),
    labelControl: (node) => (node instanceof HTMLLabelElement ? labelControl.call(node) : null),
    url: () => location.href,
    title: () => titleOf.call(document) || '',
    viewport: () => [innerWidth, innerHeight, scrollX, scrollY],
  };
})();
