// Walks the tree once, without recursion, and hands the probe one Int32Array and one string. The layout of a batch is in
// core/src/snapshot/decode.rs, which reads it; the bits are in core/src/snapshot/flags.rs.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom, state, numberOf, rootOf, deepActive } = collect;
  const { nodeType, firstChild, nextSibling, parentNode, data, localName, getAttribute, getAttributeNames } = dom;
  const { hasAttribute, openRoot, checkVisibility, styleOf, labelledByElements, now } = dom;

  /** @type {Map<string, number>} names of tags and attributes, numbered as they come */
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
  const SVG_TAG = intern('svg');
  const FOREIGN = intern('foreignObject');
  const LABELLEDBY_ATTRIBUTE = intern('aria-labelledby');
  /** Never read into. */
  const UNREAD = new Set(['script', 'style', 'template', 'noscript'].map(intern));
  /** Attributes without a meaning for us that can be long or many. */
  const IGNORED = new Set(
    'style d points srcset sizes transform viewBox fill stroke xmlns nonce integrity'.split(' ').map(intern),
  );
  /** Elements whose name comes from their content, or that name others: there generated content matters. */
  const NAMING = new Set(
    'button a label summary h1 h2 h3 h4 h5 h6 option legend caption th td figcaption output'.split(' ').map(intern),
  );
  const NAMING_ATTRIBUTES = ['role', 'tabindex', 'onclick', 'aria-labelledby'];

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
  const BLOCK = 1;
  const NOT_RENDERED = 4;
  /** How an element is laid out; what is not here stands on lines of its own. */
  const DISPLAYS = new Map([
    ['inline', 0],
    ['ruby', 0],
    ['inline-block', 2],
    ['inline-flex', 2],
    ['inline-grid', 2],
    ['inline-table', 2],
    ['contents', 3],
    ['none', NOT_RENDERED],
    ['table-cell', 5],
  ]);
  const displayOf = (style) => DISPLAYS.get(style.display) ?? BLOCK;
  const TRANSFORMS = new Map([
    ['uppercase', UPPERCASE],
    ['lowercase', LOWERCASE],
    ['capitalize', CAPITALIZE],
  ]);

  // Tags of records that are no elements.
  const TEXT = -1;
  const SHADOW = -2;
  const BEFORE = -3;
  const AFTER = -4;

  const TEXT_LIMIT = 20000;
  const ATTRIBUTE_LIMIT = 1000;
  const VALUE_LIMIT = 2000;
  const MOST_ATTRIBUTES = 100;

  let ints = new Int32Array(1 << 16);
  let used = 0;
  /** @type {string[]} */
  let parts = [];
  /** @type {Node[]} */
  let nodes = [];

  const room = (count) => {
    if (used + count <= ints.length) return;
    const larger = new Int32Array(ints.length * 2);
    larger.set(ints);
    ints = larger;
  };

  const addText = (value, limit) => {
    const cut = value.length > limit;
    const text = cut ? value.slice(0, limit) : value;
    parts.push(text);
    ints[used++] = text.length;
    return cut ? CUT : 0;
  };

  /** One record: tag, parent, number, flags; then a text's length, or a count of attributes with them. */
  const begin = (tag, parent, node) => {
    room(16);
    ints[used] = tag;
    ints[used + 1] = parent;
    ints[used + 2] = numberOf(node);
    used += 4;
    nodes.push(node);
    return used - 1;
  };

  // ------------------------------------------------------------------ what is hidden and needed all the same

  /** 1 lies on the way to a needed element, 2 is one, with all below it. */
  let wanted = new Map();
  const want = (element) => {
    if (checkVisibility.call(element)) return;
    wanted.set(element, 2);
    for (let up = parentNode.call(element); up && !wanted.has(up); up = parentNode.call(up)) {
      if (nodeType.call(up) !== 1) break;
      wanted.set(up, 1);
    }
  };
  const WANTED =
    '[aria-labelledby],[aria-owns],label,input[type=file],input[type=checkbox],input[type=radio],[role=option][aria-selected=true]';
  /** What names something, and the hidden native controls that stand behind drawn ones. */
  const findWanted = (root, query, byId) => {
    for (const element of query.call(root, WANTED)) {
      const name = localName.call(element);
      if (name === 'label' || name === 'input') want(element);
      for (const attribute of ['aria-labelledby', 'aria-owns']) {
        const ids = getAttribute.call(element, attribute);
        if (ids === null) continue;
        if (ids === '') {
          for (const other of labelledByElements.call(element) || []) want(other);
        }
        for (const id of ids.split(/\s+/)) {
          const other = id && byId.call(root, id);
          if (other) want(other);
        }
      }
    }
  };

  // ------------------------------------------------------------------ attributes and live state

  /** Writes the attributes of `element` and what its live state adds; returns flag bits. */
  const addAttributes = (element, tag) => {
    const start = used++;
    let count = 0;
    let bits = 0;
    for (const name of getAttributeNames.call(element)) {
      const id = intern(name);
      if (IGNORED.has(id) || count >= MOST_ATTRIBUTES) continue;
      const value = getAttribute.call(element, name);
      if (value === null) continue;
      room(16);
      count++;
      if (id === LABELLEDBY_ATTRIBUTE && value === '') {
        ints[used++] = LABELLED_BY;
        addText((labelledByElements.call(element) || []).map(numberOf).join(' '), ATTRIBUTE_LIMIT);
        continue;
      }
      ints[used++] = id;
      bits |= addText(value, ATTRIBUTE_LIMIT);
    }
    room(16);
    const add = (name, value) => {
      ints[used++] = name;
      bits |= addText(value, VALUE_LIMIT);
      count++;
    };
    if (tag === INPUT && element instanceof HTMLInputElement) bits |= addInput(element, add);
    else if (tag === TEXTAREA && element instanceof HTMLTextAreaElement) {
      const value = dom.textValue.call(element);
      add(VALUE, value);
      state.fields.push(element, value, 0);
    } else if (element instanceof HTMLSelectElement) state.fields.push(element, dom.selectIndex.call(element), 0);
    else if (tag === OPTION && element instanceof HTMLOptionElement) {
      if (dom.optionSelected.call(element)) bits |= SELECTED;
    } else if (tag === DIALOG && dom.matches.call(element, ':modal')) bits |= MODAL;
    ints[start] = count;
    return bits;
  };

  const addInput = (element, add) => {
    const type = dom.inputType.call(element);
    const bits = (dom.inputChecked.call(element) ? CHECKED : 0) | (dom.inputMixed.call(element) ? MIXED : 0);
    state.fields.push(element, type === 'file' ? '' : dom.inputValue.call(element), bits);
    if (type === 'file') {
      const files = dom.inputFiles.call(element);
      if (files?.length) add(FILES, Array.from(files, (file) => file.name).join(', '));
    } else {
      // The probe decides what of it may be told: a password is not even read.
      add(VALUE, type === 'password' ? '' : dom.inputValue.call(element));
    }
    return bits;
  };

  // ------------------------------------------------------------------ generated content

  const addPseudo = (element, index, which, tag) => {
    const style = styleOf(element, which);
    const content = style.content;
    if (content === 'none' || content === 'normal' || content === '') return;
    if (style.display === 'none' || style.visibility !== 'visible') return;
    const away = style.position === 'absolute' || style.position === 'fixed';
    const flagsAt = begin(tag, index, element);
    const bits = addText(content, ATTRIBUTE_LIMIT) | (TRANSFORMS.get(style.textTransform) ?? 0);
    ints[flagsAt] = bits | ((away ? BLOCK : displayOf(style)) << DISPLAY_SHIFT);
  };

  const isNaming = (element, tag, bits) =>
    NAMING.has(tag) ||
    (bits & POINTER) !== 0 ||
    NAMING_ATTRIBUTES.some((attribute) => hasAttribute.call(element, attribute));

  // ------------------------------------------------------------------ the walk

  /** What is open on the way from the root: one entry a level. */
  class Level {
    constructor(node, index, tag, flagsAt, hidden, naming, inherited) {
      this.node = node;
      this.index = index;
      this.tag = tag;
      this.flagsAt = flagsAt;
      /** 0 rendered, 1 not, 2 not but needed. */
      this.hidden = hidden;
      /** Generated content matters here and below. */
      this.naming = naming;
      /** Bits that go down to children: the hand cursor, the case of texts, the SVG tree. */
      this.inherited = inherited;
    }
  }

  /** Whether a closed `<details>` does not show this child. */
  const isFolded = (details, child) => {
    if (hasAttribute.call(details, 'open')) return false;
    let first = firstChild.call(details);
    while (first && !(nodeType.call(first) === 1 && names.get(localName.call(first)) === SUMMARY)) {
      first = nextSibling.call(first);
    }
    return first !== child;
  };

  const AREA = intern('area');
  const LISTS = new Set(['select', 'optgroup'].map(intern));
  const VISIBLE = { visibilityProperty: true };
  const CASES = UPPERCASE | LOWERCASE | CAPITALIZE;

  /** Flag bits from styles; NOT_RENDERED as display where the element is not. */
  const styleBits = (element, tag, up, inherited) => {
    let bits = inherited & SVG;
    // An area has no box of its own, its image has.
    if (tag === AREA) return bits | POINTER;
    const style = styleOf(element);
    if (checkVisibility.call(element, VISIBLE)) bits |= displayOf(style) << DISPLAY_SHIFT;
    else {
      const display = up && up.tag === DETAILS && isFolded(up.node, element) ? NOT_RENDERED : displayOf(style);
      bits |= display << DISPLAY_SHIFT;
      if (display === NOT_RENDERED) return bits;
      if (style.visibility !== 'visible') bits |= INVISIBLE;
      // Rendered, visible, and yet not: in a part whose content is skipped (`content-visibility`, `until-found`). The options
      // of a closed select are in none, nor are the parts of a drawing that show nothing, such as its title.
      else if (display !== 3 && !(bits & SVG) && !(up && LISTS.has(up.tag))) return (bits & SVG) | (NOT_RENDERED << DISPLAY_SHIFT);
    }
    if (style.cursor === 'pointer') bits |= POINTER;
    bits |= TRANSFORMS.get(style.textTransform) ?? 0;
    if (tag === INPUT && style.opacity === '0') bits |= TRANSPARENT;
    return bits;
  };

  /** Writes one element; the level that opens with it where there is something below, else null. */
  const addElement = (element, up, gap, walk) => {
    const name = localName.call(element);
    const tag = intern(name);
    const index = nodes.length;
    const flagsAt = begin(tag, up ? up.index : -1, element);
    let inherited = up ? up.inherited : 0;
    if (tag === SVG_TAG) inherited |= SVG;
    else if (tag === FOREIGN) inherited &= ~SVG;
    let bits = gap;
    let hidden = up ? up.hidden : 0;
    if (hidden) bits |= inherited & SVG;
    else {
      bits |= styleBits(element, tag, up, inherited);
      if (((bits >> DISPLAY_SHIFT) & 7) === NOT_RENDERED) hidden = 1;
    }
    if (element === walk.active) bits |= FOCUSED;
    bits |= addAttributes(element, tag);
    let enter = true;
    if (hidden) {
      bits |= HIDDEN | (NOT_RENDERED << DISPLAY_SHIFT);
      const need = wanted.get(element);
      if (need === 2) hidden = 2;
      enter = (walk.everything || hidden === 2 || need === 1) && !UNREAD.has(tag);
    }
    const naming = up?.naming || walk.generateAll || (!hidden && isNaming(element, tag, bits));
    const below = firstChild.call(element);
    const child = enter ? rootOf(element, name) || below : null;
    if (!enter && below) bits |= PRUNED;
    ints[flagsAt] = bits;
    if (naming && !hidden) addPseudo(element, index, '::before', BEFORE);
    if (child) {
      const down = (inherited & SVG) | (bits & (POINTER | CASES));
      return { level: new Level(element, index, tag, flagsAt, hidden, naming, down), child };
    }
    if (naming && !hidden) addPseudo(element, index, '::after', AFTER);
    return null;
  };

  const addShadow = (root, up, walk) => {
    const index = nodes.length;
    const flagsAt = begin(SHADOW, up.index, root);
    ints[flagsAt] = openRoot.call(up.node) ? 0 : CLOSED_ROOT;
    ints[used++] = 0;
    collect.observeRoot?.(root);
    if (!walk.everything) findWanted(root, dom.queryInFragment, dom.byIdInFragment);
    const child = firstChild.call(root);
    const inherited = up.inherited & ~SVG;
    return child ? { level: new Level(root, index, SHADOW, flagsAt, up.hidden, up.naming, inherited), child } : null;
  };

  const isBlank = (text) => !/[^\t\n\f\r ]/.test(text);

  const addTextNode = (node, text, up, gap) => {
    if (up && up.tag === DETAILS && !hasAttribute.call(up.node, 'open')) return;
    const flagsAt = begin(TEXT, up ? up.index : -1, node);
    const bits = addText(text, TEXT_LIMIT);
    ints[flagsAt] = bits | (up ? up.inherited & CASES : 0) | gap;
  };

  /** What was read, and where its nodes are. */
  class Batch {
    constructor(ints, text, nodes, truncated) {
      Object.assign(this, { ints, text, names: nameList, nodes, truncated });
      /** @type {Map<Node, number> | null} */
      this.places = null;
    }

    element(place) {
      return this.nodes[place];
    }

    place(element) {
      if (!this.places) {
        this.places = new Map();
        // Generated content stands under its element: the element comes first.
        this.nodes.forEach((node, at) => {
          if (!this.places.has(node)) this.places.set(node, at);
        });
      }
      return this.places.get(element) ?? -1;
    }
  }

  /**
   * Reads the document. `mode` bit 0: also into what is not rendered; bit 1: generated content everywhere.
   * `budget` in milliseconds; what was not reached by then is missing and the batch says `truncated`.
   */
  const read = (mode, budget) => {
    const deadline = now() + budget;
    const walk = {
      everything: (mode & 1) !== 0,
      generateAll: (mode & 2) !== 0,
      active: deepActive(),
    };
    nodes = [];
    state.fields = [];
    state.hosts = [];
    state.scrollers = [];
    used = 0;
    parts = [];
    wanted = new Map();
    const root = dom.rootElement.call(document);
    let truncated = false;
    if (root && !walk.everything) findWanted(document, dom.queryInDocument, dom.byIdInDocument);
    /** @type {Level[]} */
    const open = [];
    let up = null;
    let node = root;
    let gap = 0;
    while (node) {
      const type = nodeType.call(node);
      let opened = null;
      if (type === 1) {
        if ((nodes.length & 255) === 0 && now() > deadline) {
          truncated = true;
          break;
        }
        opened = addElement(node, up, gap, walk);
        gap = 0;
      } else if (type === 3 || type === 4) {
        const text = data.call(node);
        if (isBlank(text)) gap = text.length ? GAP_BEFORE : gap;
        else {
          addTextNode(node, text, up, gap);
          gap = 0;
        }
      } else if (type === 11) opened = addShadow(node, up, walk);
      if (opened) {
        open.push(opened.level);
        up = opened.level;
        node = opened.child;
        continue;
      }
      // On to the next node: a sibling, the light children after a shadow root, or up.
      let next = null;
      let left = node;
      while (up) {
        next = nodeType.call(left) === 11 ? firstChild.call(up.node) : nextSibling.call(left);
        if (next) break;
        if (gap) ints[up.flagsAt] |= GAP_AT_END;
        gap = 0;
        open.pop();
        if (up.naming && !up.hidden && up.tag !== SHADOW) addPseudo(up.node, up.index, '::after', AFTER);
        left = up.node;
        up = open.length ? open[open.length - 1] : null;
      }
      node = next;
    }
    const batch = new Batch(ints.slice(0, used), parts.join('\u0001'), nodes, truncated);
    state.reading = batch;
    for (const forget of state.forget) forget();
    parts = [];
    return batch;
  };

  collect.read = read;
})();
