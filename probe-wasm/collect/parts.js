// Which parts of the page changed since it was read, so that those alone are read anew. A part is what stands between two
// neighbouring elements of one parent, or between one and an end; core/src/snapshot/markup/graft.rs puts it in its place.
//
// Where it is not certain that a change reaches no further than its part, the answer is that the whole page must be read.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom, state, REACH } = collect;
  const { nodeType, parentNode, firstChild, nextSibling, previousSibling, localName } = dom;

  /** More changes than these are not told apart: the whole page is read. */
  const MOST_CHANGES = 500;
  const MOST_PARTS = 24;

  let lost = true;
  let count = 0;
  /** @type {Set<Element>} with another attribute or value */
  let elements = new Set();
  /** @type {Set<Node>} whose text is another */
  let texts = new Set();
  /** @type {Map<Node, [Node | null, Node | null][]>} what had children taken away, and between which */
  let gaps = new Map();
  /** @type {Set<Node>} what came or went */
  let moved = new Set();

  const clear = (isLost) => {
    lost = isLost;
    count = 0;
    elements = new Set();
    texts = new Set();
    gaps = new Map();
    moved = new Set();
  };
  /** Something changed of which it is not known how far it reaches. */
  const lose = () => {
    if (!lost) clear(true);
  };
  const note = (records) => {
    if (lost) return;
    count += records.length;
    if (count > MOST_CHANGES) {
      lose();
      return;
    }
    for (const record of records) noteOne(record);
  };
  const noteOne = ({ type, target, addedNodes, removedNodes, previousSibling: previous, nextSibling: next }) => {
    if (type === 'attributes') elements.add(target);
    else if (type === 'characterData') texts.add(target);
    else {
      if (moved.size + addedNodes.length + removedNodes.length > 4 * MOST_CHANGES) {
        lose();
        return;
      }
      for (const node of addedNodes) moved.add(node);
      for (const node of removedNodes) moved.add(node);
      if (!gaps.has(target)) gaps.set(target, []);
      gaps.get(target).push([previous, next]);
    }
  };

  // ------------------------------------------------------------------ from changes to parts

  /** Read as a whole: what is in them is read differently or not at all, or says how they themselves are. */
  const WHOLE = new Set(
    (
      'select datalist object textarea details svg math canvas video audio iframe noscript template map area br col embed ' +
      'hr img input source track wbr xmp noembed noframes frame param keygen basefont bgsound meter progress'
    ).split(' '),
  );
  /** What is in them is nothing of the page, or changes it everywhere. */
  const NEVER = new Set('head style script title link base slot'.split(' '));

  const elementBefore = (node) => {
    let at = node && previousSibling.call(node);
    while (at && (nodeType.call(at) !== 1 || moved.has(at))) at = previousSibling.call(at);
    return at;
  };
  const elementAfter = (node) => {
    let at = node && nextSibling.call(node);
    while (at && (nodeType.call(at) !== 1 || moved.has(at))) at = nextSibling.call(at);
    return at;
  };

  class Parts {
    constructor(reading) {
      this.reading = reading;
      this.out = [];
      this.failed = false;
    }

    /** The outermost element at or above a node that is read as a whole; null for none, undefined where nothing is to do. */
    wholeAround(node) {
      let whole = null;
      for (let up = node; up && nodeType.call(up) === 1; up = parentNode.call(up)) {
        // It came itself, and is in the part of what it came into.
        if (moved.has(up)) return undefined;
        const name = localName.call(up);
        if (WHOLE.has(name)) whole = up;
        else if (NEVER.has(name)) this.failed = true;
      }
      return this.failed ? undefined : whole;
    }

    /** The part of a parent between two elements, or the element around it that is read as a whole. */
    between(parent, previous, next) {
      const whole = this.wholeAround(parent);
      if (whole) this.around(whole);
      else if (whole === null) this.push(parent, previous, next);
    }

    /** An element, or the one around it that is read as a whole. */
    element(element) {
      const whole = this.wholeAround(element);
      if (whole !== undefined) this.around(whole ?? element);
    }

    around(element) {
      const parent = parentNode.call(element);
      if (!parent) this.failed = true;
      else if (this.reading.reach & REACH.siblings) this.push(parent, null, null);
      else this.push(parent, elementBefore(element), elementAfter(element));
    }

    /** All between two elements from which children were taken away, if they are still there; else all of the parent's. */
    gap(parent, before, after) {
      const stays = (node) => !node || (parentNode.call(node) === parent && !moved.has(node));
      const isKept = (node) => node && nodeType.call(node) === 1 && !moved.has(node);
      if (this.reading.reach & REACH.siblings || !(stays(before) || (after && stays(after)))) this.between(parent, null, null);
      else if (!stays(before)) this.between(parent, elementBefore(after), isKept(after) ? after : elementAfter(after));
      else if (before) this.between(parent, isKept(before) ? before : elementBefore(before), elementAfter(before));
      else {
        const first = firstChild.call(parent);
        this.between(parent, null, isKept(first) ? first : elementAfter(first));
      }
    }

    push(parent, previous, next) {
      const type = nodeType.call(parent);
      const host = type === 11 ? dom.hostOf.call(parent) : type === 1 ? parent : null;
      if (!host || (type === 1 && localName.call(host) === 'html')) this.failed = true;
      if (this.failed) return;
      const { reading, out } = this;
      const places = [host, previous, next].map((element) => (element ? reading.place(element) : -1));
      const isKnown = places[0] >= 0 && (!previous || places[1] >= 0) && (!next || places[2] >= 0);
      out.push(places[0], type === 11 ? 1 : 0, places[1], places[2]);
      if (!isKnown || out.length > 4 * MOST_PARTS) this.failed = true;
    }
  }

  /** Parts for everything that was noted. */
  const partsOf = (reading) => {
    const parts = new Parts(reading);
    const wide = reading.reach & REACH.siblings;
    for (const text of texts) {
      const parent = parentNode.call(text);
      if (parent && dom.isConnected.call(text) && !moved.has(text)) parts.between(parent, elementBefore(text), elementAfter(text));
    }
    for (const element of elements) if (dom.isConnected.call(element)) parts.element(element);
    for (const [parent, places] of gaps) {
      if (!dom.isConnected.call(parent)) continue;
      for (const [before, after] of wide ? places.slice(0, 1) : places) {
        if (parts.failed) break;
        parts.gap(parent, before, after);
      }
    }
    for (const node of wide ? [] : moved) {
      const parent = parentNode.call(node);
      if (parts.failed) break;
      // Of what came side by side, the first one tells the part.
      if (moved.has(previousSibling.call(node))) continue;
      if (parent && gaps.has(parent) && dom.isConnected.call(node)) parts.between(parent, elementBefore(node), elementAfter(node));
    }
    return parts;
  };

  /**
   * Parts that changed since `reading` was made, four numbers each: the place of the parent, whether its shadow root is
   * meant, the places of the elements before and behind or -1. Null where the whole page must be read.
   */
  const changedParts = (reading) => {
    if (lost || state.reading !== reading || !collect.standsStill()) return null;
    const { reach } = reading;
    if (reach & REACH.anywhere) return null;
    const fields = collect.changedFields(MOST_PARTS + 1);
    if (reach & REACH.states && (fields.length || reading.focusMoved())) return null;
    for (const field of fields) elements.add(field);
    const parts = partsOf(reading);
    return parts.failed ? null : Int32Array.from(parts.out);
  };
  /** Whether elements came or went since. */
  const hasMoved = () => moved.size > 0;

  state.forget.push(() => clear(false));
  Object.assign(collect, { noteRecords: note, loseTrack: lose, changedParts, hasMoved });
})();
