// Reads the document through its own serialisation: one call gives a tree's whole text, one more what the text does not
// tell of the elements that the probe asks for. How it is put together stands in core/src/snapshot/markup.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom, state, rootOf, deepActive, keysOf } = collect;
  const { openRoot, styleOf, checkVisibility } = dom;

  const SHOWN = 1;
  const CURSOR = 1 << 1;
  const CASE = 1 << 2;
  const OPACITY = 1 << 3;
  const STYLES = SHOWN | CURSOR | CASE | OPACITY;
  const BEFORE = 1 << 4;
  const AFTER = 1 << 5;
  /** What is asked of a host because of its own tree's sheets. */
  const BY_HOST = SHOWN | CURSOR | CASE | BEFORE | AFTER;
  const FIELD = 1 << 6;
  const OPTION = 1 << 7;
  const SELECT = 1 << 8;
  const MODAL = 1 << 9;
  const HOST = 1 << 10;
  const CLOSED_HOST = 1 << 11;
  const LABELLED = 1 << 12;
  const RENDERED = 1 << 14;

  // Bits of an answer; most are those of core/src/snapshot/flags.rs.
  const IS = {
    hidden: 1 << 2,
    invisible: 1 << 3,
    transparent: 1 << 4,
    pointer: 1 << 5,
    checked: 1 << 6,
    mixed: 1 << 7,
    selected: 1 << 8,
    modal: 1 << 10,
    laysOut: 1 << 23,
    skips: 1 << 24,
    files: 1 << 28,
    closed: 1 << 29,
    root: 1 << 30,
  };
  const CASES = new Map([
    ['uppercase', 1 << 14],
    ['lowercase', 1 << 15],
    ['capitalize', 1 << 16],
  ]);
  /** How an element is laid out; what is not here stands on lines of its own. */
  const DISPLAYS = new Map(
    Object.entries({
      inline: 0,
      ruby: 0,
      'inline-block': 2 << 20,
      'inline-flex': (2 << 20) | IS.laysOut,
      'inline-grid': (2 << 20) | IS.laysOut,
      'inline-table': 2 << 20,
      contents: 3 << 20,
      none: 4 << 20,
      'table-cell': 5 << 20,
      flex: (1 << 20) | IS.laysOut,
      grid: (1 << 20) | IS.laysOut,
    }),
  );
  const BLOCK = 1 << 20;
  const encoder = new TextEncoder();
  const VALUE_LIMIT = 2000;
  const CONTENT_LIMIT = 1000;

  const listOf = (root, host) => (host ? dom.queryInFragment : dom.queryInDocument).call(root, '*');

  const ESCAPES = new Map([['&', '&amp;'], ['<', '&lt;'], ['>', '&gt;'], ['\u00a0', '&nbsp;']]);
  /** The text of what lies between two children, as the browser writes it, and how many elements that are. */
  const between = (parent, previous, next) => {
    let text = '';
    let elements = 0;
    let node = previous ? dom.nextSibling.call(previous) : dom.firstChild.call(parent);
    for (; node && node !== next; node = dom.nextSibling.call(node)) {
      const type = dom.nodeType.call(node);
      if (type === 1) {
        text += dom.outerHtml.call(node);
        elements += 1 + dom.queryInElement.call(node, '*').length;
      } else if (type === 3) text += dom.data.call(node).replace(/[&<>\u00a0]/g, (sign) => ESCAPES.get(sign));
    }
    return [text, elements];
  };

  /** The trees of the page that is being read: each root with its elements in document order. */
  class Reading {
    constructor() {
      this.trees = [];
      /** The text that is being read. */
      this.text = '';
      /** Texts of the last answers, each followed by a separator. */
      this.texts = '';
      /** Of parts that are read anew. */
      this.pieces = [];
      this.hosts = 0;
      /** How far a change reaches by what the sheets say; see styles.js. */
      this.reach = 0;
      this.active = null;
      this.animations = dom.animations.call(document);
      this.add(document, null);
    }

    add(root, host) {
      const list = listOf(root, host);
      const last = this.trees.at(-1);
      const first = last ? last.first + last.list.length : 0;
      const keys = keysOf(root, host);
      this.reach |= keys.reach;
      this.trees.push({ root, host, list, first, keys });
    }

    /** Takes the text of a tree; how many UTF-16 units it has. */
    take(at) {
      const { root, host } = this.trees[at];
      this.text = host ? dom.shadowHtml.call(root) : dom.outerHtml.call(dom.rootElement.call(root));
      return this.text.length;
    }

    /** Writes the text that was taken in UTF-8; how many bytes, -1 where there is not room enough. */
    write(into) {
      const { read, written } = encoder.encodeInto(this.text, into);
      const whole = read === this.text.length;
      if (whole) this.text = '';
      return whole ? written : -1;
    }

    count(at) {
      return this.trees[at].list.length;
    }

    keys(at) {
      return this.trees[at].keys.names;
    }

    bits(at) {
      return this.trees[at].keys.bits;
    }

    /** Elements of a tree whose styles are being animated by scripts or rules, as their places within the tree. */
    animated(at) {
      const { first, list } = this.trees[at];
      const places = [];
      for (const animation of this.animations) {
        const target = animation.effect?.target;
        const place = target ? this.place(target) - first : -1;
        if (place >= 0 && place < list.length) places.push(place);
      }
      return Uint32Array.from(places.sort((one, other) => one - other));
    }

    /** The element at a place. */
    element(place) {
      let at = 0;
      while (at + 1 < this.trees.length && this.trees[at + 1].first <= place) at++;
      return this.trees[at].list[place - this.trees[at].first];
    }

    /** The place of an element, -1 where it was not there. */
    place(element) {
      const root = dom.getRootNode.call(element);
      for (const { root: own, list, first } of this.trees) {
        if (own !== root) continue;
        let low = 0;
        let high = list.length;
        while (low < high) {
          const middle = (low + high) >> 1;
          // 4: `element` comes after the other.
          if (dom.compare.call(list[middle], element) & 4) low = middle + 1;
          else high = middle;
        }
        return list[low] === element ? first + low : this.search(element);
      }
      return this.search(element);
    }

    /** As `place`, where the page has changed since and order says nothing. */
    search(element) {
      for (const { list, first } of this.trees) {
        const at = Array.prototype.indexOf.call(list, element);
        if (at >= 0) return first + at;
      }
      return -1;
    }

    /** The place of the focused element, or -1. */
    focused() {
      const active = deepActive();
      this.active = active;
      return active && active !== document.body ? this.place(active) : -1;
    }

    /** Whether the focus is elsewhere since. */
    focusMoved() {
      return deepActive() !== this.active;
    }

    /**
     * Takes parts anew, given as `changedParts` gives them. Three numbers each: the tree, the place there of its first
     * element, how many elements it has.
     */
    renew(parts) {
      const found = [];
      for (let at = 0; at < parts.length; at += 4) {
        const host = this.element(parts[at]);
        const parent = parts[at + 1] ? rootOf(host, dom.localName.call(host)) : host;
        const [previous, next] = [parts[at + 2], parts[at + 3]].map((place) => (place < 0 ? null : this.element(place)));
        const root = dom.getRootNode.call(parent);
        found.push({ parent, previous, next, tree: this.trees.findIndex((tree) => tree.root === root) });
      }
      if (collect.hasMoved()) this.listAnew();
      const out = new Int32Array(found.length * 3);
      this.pieces = found.map(({ parent, previous, next, tree }, at) => {
        const { first } = this.trees[tree];
        let start = 0;
        if (previous) start = this.place(previous) - first + 1 + dom.queryInElement.call(previous, '*').length;
        else if (dom.nodeType.call(parent) === 1) start = this.place(parent) - first + 1;
        const [text, elements] = between(parent, previous, next);
        out.set([tree, start, elements], at * 3);
        return text;
      });
      return out;
    }

    listAnew() {
      let first = 0;
      for (const tree of this.trees) {
        tree.list = listOf(tree.root, tree.host);
        tree.first = first;
        first += tree.list.length;
      }
    }

    /** Takes the text of the n-th part that was taken anew; how many UTF-16 units it has. */
    piece(at) {
      this.text = this.pieces[at];
      return this.text.length;
    }

    /** Ends `renew`: what is remembered of elements is of the last time that they were asked. */
    renewed() {
      this.pieces = [];
      const known = new Set();
      const fields = [];
      for (let at = state.fields.length - 3; at >= 0; at -= 3) {
        const field = state.fields[at];
        if (known.has(field) || !dom.isConnected.call(field)) continue;
        known.add(field);
        fields.push(field, state.fields[at + 1], state.fields[at + 2]);
      }
      state.fields = fields;
      this.hosts ||= state.hosts.length;
      if (state.hosts.length > 2 * this.hosts + 1000) {
        state.hosts = [...new Set(state.hosts)].filter((host) => dom.isConnected.call(host));
        this.hosts = state.hosts.length;
      }
      for (const forget of state.forget) forget();
    }

    /** Answers what is asked of elements of a tree; shadow roots that are found become trees. */
    ask(at, elements, asks) {
      const { list } = this.trees[at];
      const out = new Answers();
      for (let i = 0; i < elements.length; i++) {
        const element = list[elements[i]];
        // Most are asked for a shadow root alone, and have none.
        if (asks[i] === HOST && openRoot.call(element) === null) {
          out.none();
          state.hosts.push(element);
        } else this.answer(element, asks[i], out);
      }
      this.texts = out.parts.join('\u0001') + (out.parts.length ? '\u0001' : '');
      return out.ints.subarray(0, out.used);
    }

    answer(element, asks, out) {
      out.room();
      const at = out.used++;
      let bits = 0;
      if (asks & HOST) {
        bits |= this.rootBits(element, (asks & CLOSED_HOST) !== 0);
        // What the sheets of its own tree can do to it was not known when it was asked for.
        if (bits & IS.root) {
          const own = this.trees.at(-1).keys.host;
          out.ints[out.used++] = own;
          asks |= own & BY_HOST;
        }
      }
      if (asks & STYLES) bits |= styleBits(element, asks);
      if (asks & RENDERED && !checkVisibility.call(element)) bits |= IS.hidden;
      if (asks & OPTION && element instanceof HTMLOptionElement && dom.optionSelected.call(element)) bits |= IS.selected;
      if (asks & MODAL && dom.matches.call(element, ':modal')) bits |= IS.modal;
      if (asks & FIELD) bits |= addField(element, out);
      if (asks & SELECT) {
        const index = element instanceof HTMLSelectElement ? dom.selectIndex.call(element) : -1;
        out.ints[out.used++] = index;
        state.fields.push(element, index, 0);
      }
      if (asks & LABELLED) out.text((dom.labelledByElements.call(element) || []).map((other) => this.named(other)).join(' '));
      if (asks & BEFORE) addGenerated(element, '::before', out);
      if (asks & AFTER) addGenerated(element, '::after', out);
      out.ints[at] = bits;
    }

    rootBits(element, mayBeClosed) {
      let root = openRoot.call(element);
      let bits = IS.root;
      if (!root && mayBeClosed) {
        root = rootOf(element, dom.localName.call(element));
        bits |= IS.closed;
      }
      if (!root) {
        state.hosts.push(element);
        return 0;
      }
      collect.observeRoot?.(root);
      this.add(root, element);
      return bits;
    }

    /** An element that names another, told by its place. */
    named(element) {
      return `p${this.place(element)}`;
    }
  }

  class Answers {
    constructor() {
      this.ints = new Int32Array(1 << 14);
      this.used = 0;
      this.parts = [];
    }

    room() {
      if (this.used + 24 <= this.ints.length) return;
      const larger = new Int32Array(this.ints.length * 2);
      larger.set(this.ints);
      this.ints = larger;
    }

    none() {
      if (this.used === this.ints.length) this.room();
      this.ints[this.used++] = 0;
    }

    text(text) {
      this.parts.push(text);
      this.ints[this.used++] = text.length;
    }
  }

  const cut = (value) => (value.length > VALUE_LIMIT ? value.slice(0, VALUE_LIMIT) : value);

  const styleBits = (element, asks) => {
    const style = styleOf(element);
    let bits = 0;
    if (asks & SHOWN) {
      bits |= DISPLAYS.get(style.display) ?? BLOCK;
      if (style.visibility !== 'visible') bits |= IS.invisible;
      if (style.contentVisibility === 'hidden') bits |= IS.skips;
    }
    if (asks & CURSOR && style.cursor === 'pointer') bits |= IS.pointer;
    if (asks & CASE) bits |= CASES.get(style.textTransform) ?? 0;
    if (asks & OPACITY && style.opacity === '0') bits |= IS.transparent;
    return bits;
  };

  /** The value of a field, -1 for none. It is remembered, since scripts change values without a word. */
  const addField = (element, out) => {
    if (element instanceof HTMLInputElement) {
      let bits = (dom.inputChecked.call(element) ? IS.checked : 0) | (dom.inputMixed.call(element) ? IS.mixed : 0);
      const type = dom.inputType.call(element);
      if (type === 'file') {
        const files = dom.inputFiles.call(element);
        if (files?.length) {
          out.text(Array.from(files, (file) => file.name).join(', ').slice(0, VALUE_LIMIT));
          bits |= IS.files;
        } else out.ints[out.used++] = -1;
      } else {
        // The probe decides what of it may be told: a password is not even read.
        const value = dom.inputValue.call(element);
        out.text(type === 'password' ? '' : cut(value));
        state.fields.push(element, value, bits);
        return bits;
      }
      state.fields.push(element, '', bits);
      return bits;
    }
    if (element instanceof HTMLTextAreaElement) {
      const value = dom.textValue.call(element);
      out.text(cut(value));
      state.fields.push(element, value, 0);
    } else out.ints[out.used++] = -1;
    return 0;
  };

  /** The text of generated content, -1 for none; then its flags. */
  const addGenerated = (element, which, out) => {
    const style = styleOf(element, which);
    const content = style.content;
    const none = content === 'none' || content === 'normal' || content === '';
    if (none || style.display === 'none' || style.visibility !== 'visible') {
      out.ints[out.used++] = -1;
      return;
    }
    const away = style.position === 'absolute' || style.position === 'fixed';
    out.text(content.slice(0, CONTENT_LIMIT));
    const display = away ? BLOCK : (DISPLAYS.get(style.display) ?? BLOCK) & (7 << 20);
    out.ints[out.used++] = display | (CASES.get(style.textTransform) ?? 0);
  };

  /** A reading of the document; null where its text is not HTML's. */
  const open = () => {
    if (dom.contentType.call(document) !== 'text/html' || !dom.rootElement.call(document)) return null;
    const reading = new Reading();
    state.reading = reading;
    state.fields = [];
    state.hosts = [];
    state.scrollers = [];
    for (const forget of state.forget) forget();
    return reading;
  };

  Object.assign(collect, { open });
})();
