// Boxes and hit tests of the nodes that the probe asks for, by their place in the last batch. The bits of a measure are in
// core/src/snapshot/flags.rs.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom, state, numberOf, numberAll, rootOf, flatParent } = collect;
  const { nodeType, firstChild, localName, getAttribute, checkVisibility, boundingRect, clientRects, styleOf } = dom;

  // ------------------------------------------------------------------ rectangles

  const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  const plain = (rect) => ({ left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom });
  const cross = (a, b) => {
    if (a === EVERYWHERE || a === b) return b;
    if (b === EVERYWHERE) return a;
    return {
      left: Math.max(a.left, b.left),
      top: Math.max(a.top, b.top),
      right: Math.min(a.right, b.right),
      bottom: Math.min(a.bottom, b.bottom),
    };
  };
  const isEmpty = (rect) => !(rect.right - rect.left > 0.5 && rect.bottom - rect.top > 0.5);
  const hasSize = (rect) => rect.right > rect.left && rect.bottom > rect.top;
  const NOWHERE = { left: 0, top: 0, right: 0, bottom: 0 };

  // ------------------------------------------------------------------ clipping

  /** What clips the content of an element: `hard` cannot be scrolled by a person, `soft` can. */
  let clips = new Map();
  const NO_CLIP = { hard: EVERYWHERE, soft: EVERYWHERE, fixed: false };
  const NO_CLIP_FIXED = { hard: EVERYWHERE, soft: EVERYWHERE, fixed: true };

  /** @type {Set<Element> | null} what may clip or leave the flow; null where that is not known */
  let suspects = null;
  const isPlain = (element) => suspects !== null && !suspects.has(element);

  /** What clips the element itself. */
  const clipAround = (element) => {
    const position = isPlain(element) ? 'static' : styleOf(element).position;
    if (position === 'fixed') return NO_CLIP_FIXED;
    const parent = position === 'absolute' ? containingBlock(element) : flatParent(element);
    const clip = parent ? clipInside(parent) : NO_CLIP;
    return position === 'sticky' && !clip.fixed ? { ...clip, fixed: true } : clip;
  };
  const containingBlock = (element) => {
    for (let up = flatParent(element); up; up = flatParent(up)) {
      const style = styleOf(up);
      if (style.position !== 'static' || style.transform !== 'none' || style.contain.includes('paint')) return up;
    }
    return null;
  };
  const clipInside = (element) => {
    // Up to what is known, then down again: deep trees do not nest calls.
    const chain = [];
    let clip = NO_CLIP;
    for (let up = element; up; ) {
      const known = clips.get(up);
      if (known) {
        clip = known;
        break;
      }
      if (isPlain(up)) {
        chain.push(up, null);
        up = flatParent(up);
        continue;
      }
      const style = styleOf(up);
      chain.push(up, style);
      const position = style.position;
      if (position === 'fixed') {
        clip = NO_CLIP_FIXED;
        break;
      }
      up = position === 'absolute' ? containingBlock(up) : flatParent(up);
    }
    while (chain.length) {
      const style = chain.pop();
      const next = chain.pop();
      if (style) clip = withOwn(clip, next, style);
      clips.set(next, clip);
    }
    return clip;
  };
  const withOwn = (clip, element, style) => {
    const overflow = style.overflow;
    if (overflow === 'visible') return clip;
    const name = localName.call(element);
    if (name === 'html' || name === 'body' || style.display === 'inline' || style.display === 'contents') return clip;
    const rect = plain(boundingRect.call(element));
    const scrolls = overflow.includes('auto') || overflow.includes('scroll');
    if (scrolls) state.scrollers.push(element, dom.scrollTop.call(element), dom.scrollLeft.call(element));
    return {
      hard: scrolls ? clip.hard : cross(clip.hard, rect),
      soft: scrolls ? cross(clip.soft, rect) : clip.soft,
      // What a fixed box holds and scrolls can be brought into view.
      fixed: clip.fixed && !scrolls,
    };
  };

  // ------------------------------------------------------------------ the box that stands for an element

  /** The box of what an element without a box of its own holds. */
  const contentRect = (element) => {
    const range = dom.createRange.call(document);
    range.selectNodeContents(element);
    return plain(range.getBoundingClientRect());
  };

  const imageOf = (map) => {
    const name = getAttribute.call(map, 'name') || getAttribute.call(map, 'id');
    const root = dom.getRootNode.call(map);
    const query = nodeType.call(root) === 11 ? dom.queryInFragment : dom.queryInDocument;
    for (const image of query.call(root, 'img[usemap]')) {
      if ((getAttribute.call(image, 'usemap') || '').slice(1) === name) return image;
    }
    return null;
  };
  /** The box of an image-map area, from its coordinates and its image. */
  const areaBox = (area) => {
    const map = dom.closest.call(area, 'map');
    const image = map && imageOf(map);
    if (!image || !checkVisibility.call(image)) return { shown: area, rect: NOWHERE, bits: 0 };
    const box = boundingRect.call(image);
    const coords = (getAttribute.call(area, 'coords') || '').split(/[\s,;]+/).map(Number);
    const shape = (getAttribute.call(area, 'shape') || 'rect').toLowerCase();
    let edges = [0, 0, box.width, box.height];
    if (shape.startsWith('circ')) {
      const [x, y, radius] = coords;
      edges = [x - radius, y - radius, x + radius, y + radius];
    } else if (shape !== 'default') {
      const xs = coords.filter((_, at) => at % 2 === 0);
      const ys = coords.filter((_, at) => at % 2 === 1);
      edges = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    }
    if (!edges.every(Number.isFinite)) return { shown: image, rect: NOWHERE, bits: 0 };
    const [left, top, right, bottom] = edges;
    const rect = { left: box.left + left, top: box.top + top, right: box.left + right, bottom: box.top + bottom };
    return { shown: image, rect, bits: RENDERED };
  };

  /** The first visible label of a control that is itself not to be seen. */
  const visibleLabel = (control) => {
    const labels = control instanceof HTMLInputElement ? dom.inputLabels.call(control) : null;
    for (const label of labels || []) {
      if (!checkVisibility.call(label, SEEN)) continue;
      const rect = boundingRect.call(label);
      if (rect.width > 1 && rect.height > 1) return label;
    }
    return null;
  };

  const RENDERED = 1;
  const SEE_THROUGH = 2;
  const CLIPPED = 4;
  const SCROLLED_OUT = 8;
  const BY_LABEL = 16;
  const NEAR = 32;
  const IN_VIEW = 64;
  const SCROLLS = 128;

  const SEEN = { opacityProperty: true, visibilityProperty: true };
  const VISIBLE = { visibilityProperty: true };

  // What is known of a node that is to be measured: its label may stand for it, something around it may clip, it or
  // something above it may be transparent or unseen, it is an area.
  const LABELLED = 1;
  const CLIPS = 2;
  const FADES = 4;
  const AREA = 8;
  const EVERYTHING = LABELLED | CLIPS | FADES;

  const boxOf = (element, kind) => {
    if (kind & AREA) return areaBox(element);
    let rect = boundingRect.call(element);
    let bits = RENDERED;
    if (kind & FADES && !checkVisibility.call(element, SEEN)) {
      bits = checkVisibility.call(element, VISIBLE) ? RENDERED | SEE_THROUGH : 0;
    }
    let shown = element;
    if (kind & LABELLED && (bits !== RENDERED || rect.width <= 1 || rect.height <= 1 || isAway(element, plain(rect)))) {
      const label = visibleLabel(element);
      if (label) {
        shown = label;
        rect = boundingRect.call(label);
        bits = RENDERED | BY_LABEL;
      }
    }
    const own = plain(rect);
    // What is skipped (closed details, until-found) has the box of when it was last laid out, if ever.
    if (!bits && hasSize(own) && !checkVisibility.call(element)) return { shown, rect: NOWHERE, bits };
    if (!hasSize(own) && firstChild.call(shown)) {
      const content = contentRect(shown);
      if (hasSize(content)) {
        const style = bits ? null : styleOf(shown);
        if (style?.display === 'contents' && style.visibility === 'visible') bits |= RENDERED;
        return { shown, rect: bits ? content : NOWHERE, bits };
      }
    }
    return { shown, rect: own, bits };
  };
  /** Off the page to the left or above, or clipped away: nobody can scroll there. */
  const isAway = (element, rect) => isOffPage(rect) || isEmpty(cross(rect, clipAround(element).hard));
  /** How far the page is scrolled, and how large the window is; asked once for many. */
  let scrolled = { x: 0, y: 0 };
  let view = EVERYWHERE;
  const lookAtWindow = () => {
    scrolled = { x: scrollX, y: scrollY };
    // A frame in a process of its own is told its size late; until then nothing is outside.
    view = { left: 0, top: 0, right: innerWidth || Infinity, bottom: innerHeight || Infinity };
  };
  const isOffPage = (rect) => rect.right + scrolled.x < 0 || rect.bottom + scrolled.y < 0;

  /** @type {Map<number, {element: Element, shown: Element, part: object}>} what a person could see of a measured node */
  let visible = new Map();

  /** The bits of a box: clipped away, scrolled out, in view, near; `part` is what of it is in view. */
  const placeBits = (rect, clip) => {
    let bits = 0;
    const hard = cross(rect, clip.hard);
    if (isEmpty(hard) || isOffPage(rect) || (clip.fixed && isEmpty(cross(rect, view)))) bits |= CLIPPED;
    const part = cross(hard, clip.soft);
    if (isEmpty(part)) bits |= SCROLLED_OUT;
    const inView = cross(part, view);
    if (!isEmpty(inView)) return { bits: bits | IN_VIEW | NEAR, part: inView };
    const { right: width, bottom: height } = view;
    const near = rect.bottom > -height && rect.top < 2 * height && rect.right > -width && rect.left < 2 * width;
    return { bits: !(bits & SCROLLED_OUT) && near ? bits | NEAR : bits, part: null };
  };

  /** What of a box near the window can be scrolled to within what clips it, and what of that is in the window now. */
  const partsOf = (element, rect) => {
    lookAtWindow();
    const clip = clipAround(element);
    const part = cross(cross(rect, clip.hard), clip.soft);
    const { right, bottom } = view;
    const near = cross(part, { left: -right, top: -bottom, right: 2 * right, bottom: 2 * bottom });
    return { near, shown: cross(near, view) };
  };

  /** Of fields that scroll by themselves it need not be said. */
  const FIELD_TAGS = new Set(['textarea', 'input', 'select']);
  /** Whether a person can scroll what it holds. */
  const scrolls = (element) => {
    if (isPlain(element) || FIELD_TAGS.has(localName.call(element))) return false;
    if (!/auto|scroll/.test(styleOf(element).overflow)) return false;
    return (
      dom.scrollHeight.call(element) > dom.clientHeight.call(element) || dom.scrollWidth.call(element) > dom.clientWidth.call(element)
    );
  };

  /** Measures what nothing clips or fades, if it has a box and lies on the page: most elements of most pages. */
  const measureFree = (element, place, out, at) => {
    const rect = boundingRect.call(element);
    const { left, top, width, height } = rect;
    const right = left + width;
    const bottom = top + height;
    if (!(width > 0.5 && height > 0.5) || right + scrolled.x < 0 || bottom + scrolled.y < 0) return false;
    let bits = RENDERED;
    const { right: across, bottom: down } = view;
    if (top < 2 * down && bottom > -down && left < 2 * across && right > -across) {
      bits |= NEAR;
      const part = { left: Math.max(left, 0), top: Math.max(top, 0), right: Math.min(right, across), bottom: Math.min(bottom, down) };
      if (!isEmpty(part)) {
        bits |= IN_VIEW;
        visible.set(place, { element, shown: element, part });
      }
    }
    out[at] = left;
    out[at + 1] = top;
    out[at + 2] = width;
    out[at + 3] = height;
    out[at + 4] = bits;
    out[at + 5] = -1;
    return true;
  };

  const FIELDS = 7;
  /**
   * Measures elements of the last reading by their places. Seven numbers each: x, y, width, height, bits, number of the
   * label that stands for it, its own number. `clipping` are the places of what may clip, null where that is not known.
   * What is not reached within `budget` milliseconds stays at zero, its own number too.
   */
  const measure = (places, kinds, clipping, budget) => {
    const deadline = dom.now() + budget;
    const { reading } = state;
    const out = new Float64Array(places.length * FIELDS);
    suspects = clipping ? new Set(Array.from(clipping, (place) => reading.element(place))) : null;
    lookAtWindow();
    const elements = [];
    for (let i = 0; i < places.length; i++) elements.push(reading.element(places[i]));
    const number = numberAll(elements);
    for (let i = 0, at = 0; i < places.length; i++, at += FIELDS) {
      if ((i & 255) === 255 && dom.now() > deadline) break;
      const element = elements[i];
      out[at + 6] = number(i);
      if (kinds[i] === 0 && measureFree(element, places[i], out, at)) continue;
      const { shown, rect, bits } = boxOf(element, kinds[i]);
      const { bits: placed, part } = placeBits(rect, kinds[i] & CLIPS ? clipAround(shown) : NO_CLIP);
      if (part) visible.set(places[i], { element, shown, part });
      out[at] = rect.left;
      out[at + 1] = rect.top;
      out[at + 2] = rect.right - rect.left;
      out[at + 3] = rect.bottom - rect.top;
      out[at + 4] = bits | placed | (kinds[i] & CLIPS && scrolls(element) ? SCROLLS : 0);
      out[at + 5] = shown === element ? -1 : numberOf(shown);
    }
    return out;
  };

  // ------------------------------------------------------------------ hit tests

  /** The topmost element at a point, through shadow roots. */
  const deepestAt = (x, y) => {
    let hit = dom.pointInDocument.call(document, x, y);
    for (let depth = 0; hit && depth < 50; depth++) {
      const root = rootOf(hit, localName.call(hit));
      const inner = root ? dom.pointInRoot.call(root, x, y) : null;
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };

  /** Elements that a person can use by themselves: a hit on one of them is no hit on what is around it. */
  let interactive = new WeakSet();

  /** 2: the element itself is what a person would hit there. 1: it is hit, through something else of use. 0: no. */
  const hitQuality = (hit, element, shown) => {
    let quality = 2;
    for (let up = hit; up; up = flatParent(up)) {
      if (up === element || up === shown) return quality;
      if (up instanceof HTMLLabelElement && dom.labelControl.call(up) === element) return quality;
      if (interactive.has(up)) quality = 1;
    }
    return 0;
  };
  const isAbove = (ancestor, element) => {
    for (let up = flatParent(element); up; up = flatParent(up)) if (up === ancestor) return true;
    return false;
  };

  const INSET = 0.12;
  /** The centre, four inset corners, the middles of four inset edges. */
  const pointsOf = (rect) => {
    const width = rect.right - rect.left;
    const height = rect.bottom - rect.top;
    const x = rect.left + width / 2;
    const y = rect.top + height / 2;
    const dx = Math.max(0, width / 2 - Math.max(1, Math.min(width * INSET, 8)));
    const dy = Math.max(0, height / 2 - Math.max(1, Math.min(height * INSET, 8)));
    const corners = [[x - dx, y - dy], [x + dx, y - dy], [x - dx, y + dy], [x + dx, y + dy]];
    return [[x, y], ...corners, [x, y - dy], [x, y + dy], [x - dx, y], [x + dx, y]];
  };

  /** The best point of the visible part; `cover` is what lay over the first point that failed. */
  const bestPoint = (element, shown, part) => {
    const best = { quality: 0, x: 0, y: 0, hit: null, cover: null };
    // A sliver at an edge often belongs to what is around it: that is no cover.
    const large = part.right - part.left > 4 && part.bottom - part.top > 4;
    const tryRect = (rect) => {
      for (const [x, y] of pointsOf(rect)) {
        const hit = deepestAt(x, y);
        if (!hit) continue;
        const quality = hitQuality(hit, element, shown);
        if (quality > best.quality) Object.assign(best, { quality, x, y, hit });
        if (quality === 2) return true;
        if (!quality && !best.cover && (large || !isAbove(hit, element))) best.cover = hit;
      }
      return false;
    };
    // Where an element breaks over lines, its union box holds points that are not its own.
    const rects = shown === element ? clientRects.call(shown) : [];
    if (rects.length > 1) {
      for (let at = 0; at < rects.length && at < 4; at++) {
        const piece = cross(plain(rects[at]), part);
        if (rects[at].width >= 2 && !isEmpty(piece) && tryRect(piece)) return best;
      }
    }
    if (rects.length <= 1 || !best.quality) tryRect(part);
    return best;
  };

  /**
   * Hit-tests measured elements in view. Two numbers each: 0 unknown, 1 hit, 2 covered; the place of what covers it, or -1.
   * What is not reached within `budget` milliseconds stays unknown.
   */
  const hits = (places, budget) => {
    const deadline = dom.now() + budget;
    const { reading } = state;
    const out = new Int32Array(places.length * 2).fill(-1);
    let late = false;
    interactive = new WeakSet();
    for (const place of places) interactive.add(reading.element(place));
    for (let i = 0; i < places.length; i++) {
      out[i * 2] = 0;
      const seen = visible.get(places[i]);
      late ||= (i & 15) === 15 && dom.now() > deadline;
      if (!seen || late) continue;
      const point = bestPoint(seen.element, seen.shown, seen.part);
      out[i * 2] = point.quality ? 1 : point.cover ? 2 : 0;
      if (!point.quality && point.cover) out[i * 2 + 1] = reading.place(point.cover);
    }
    return out;
  };

  /** Where a person would press now: [code, x, y, element]; 0 no box, 1 at a point, 2 covered, 3 outside the viewport. */
  const usablePoint = (element) => {
    clips = new Map();
    suspects = null;
    lookAtWindow();
    const kind = localName.call(element) === 'area' ? AREA : EVERYTHING;
    const { shown, rect, bits } = boxOf(element, kind);
    if (!(bits & RENDERED) || !hasSize(rect)) return [0, 0, 0, null];
    const clip = clipAround(shown);
    const part = cross(cross(cross(rect, clip.hard), clip.soft), view);
    if (isEmpty(part)) return [3, 0, 0, null];
    const point = bestPoint(element, shown, part);
    if (point.quality) return [1, point.x, point.y, point.hit];
    return point.cover ? [2, 0, 0, point.cover] : [3, 0, 0, null];
  };

  state.forget.push(() => {
    clips = new Map();
    visible = new Map();
  });
  Object.assign(collect, { measure, hits, usablePoint, deepestAt, partsOf });
})();
