// Boxes and hit tests of the nodes that the probe asks for, by their place in the last batch. The bits of a measure are in
// core/src/snapshot/flags.rs.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom, state, numberOf, rootOf, flatParent, mayHave } = collect;
  const { CLIP } = collect.styleBits;
  const { nodeType, firstChild, localName, getAttribute, checkVisibility, boundingRect, clientRects, styleOf } = dom;

  /** @type {Map<number, number> | null} number of a node -> its place in the last batch */
  let places = null;
  /** The place of a node in the last batch, or -1. */
  const indexOf = (node) => {
    if (!places) {
      places = new Map();
      // Generated content stands under its element's number: the element comes first.
      state.nodes.forEach((known, at) => {
        const number = numberOf(known);
        if (!places.has(number)) places.set(number, at);
      });
    }
    return places.get(numberOf(node)) ?? -1;
  };

  // ------------------------------------------------------------------ rectangles

  const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  const plain = (rect) => ({ left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom });
  const cross = (a, b) => {
    if (a === EVERYWHERE) return b;
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

  /** Tags that the browser itself clips or takes out of the flow. */
  const OWN_CLIP = new Set('dialog svg marquee fieldset'.split(' '));
  const isPlain = (element) => !mayHave(element, CLIP) && !OWN_CLIP.has(localName.call(element)) && !dom.hasAttribute.call(element, 'popover');

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
    return {
      hard: scrolls ? clip.hard : cross(clip.hard, rect),
      soft: scrolls ? cross(clip.soft, rect) : clip.soft,
      fixed: clip.fixed,
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

  const boxOf = (element, mayStandBehindLabel) => {
    if (localName.call(element) === 'area') return areaBox(element);
    let rect = plain(boundingRect.call(element));
    let bits = RENDERED;
    if (!checkVisibility.call(element, SEEN)) {
      bits = checkVisibility.call(element, VISIBLE) ? RENDERED | SEE_THROUGH : 0;
    }
    let shown = element;
    if (mayStandBehindLabel && (bits !== RENDERED || rect.right - rect.left <= 1 || rect.bottom - rect.top <= 1 || isAway(element, rect))) {
      const label = visibleLabel(element);
      if (label) {
        shown = label;
        rect = plain(boundingRect.call(label));
        bits = RENDERED | BY_LABEL;
      }
    }
    if (!hasSize(rect) && firstChild.call(shown)) {
      const content = contentRect(shown);
      if (hasSize(content)) {
        rect = content;
        const style = bits ? null : styleOf(shown);
        if (style?.display === 'contents' && style.visibility === 'visible') bits |= RENDERED;
      }
    }
    return { shown, rect, bits };
  };
  /** Off the page to the left or above, or clipped away: nobody can scroll there. */
  const isAway = (element, rect) => isOffPage(rect) || isEmpty(cross(rect, clipAround(element).hard));
  const isOffPage = (rect) => rect.right + scrollX < 0 || rect.bottom + scrollY < 0;

  const viewport = () => ({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });

  /** @type {Map<number, {element: Element, shown: Element, part: object}>} what a person could see of a measured node */
  let visible = new Map();

  /**
   * Measures nodes of the last batch. Six numbers each: x, y, width, height, bits, number of the label that stands for it.
   * `kinds[i]` bit 0: a native control whose label may stand for it.
   */
  const measure = (indexes, kinds) => {
    const out = new Float64Array(indexes.length * 6);
    const view = viewport();
    const { right: width, bottom: height } = view;
    for (let i = 0, at = 0; i < indexes.length; i++, at += 6) {
      const element = state.nodes[indexes[i]];
      const { shown, rect, bits: found } = boxOf(element, (kinds[i] & 1) !== 0);
      let bits = found;
      const clip = clipAround(shown);
      const hard = cross(rect, clip.hard);
      if (isEmpty(hard) || isOffPage(rect) || (clip.fixed && isEmpty(cross(rect, view)))) bits |= CLIPPED;
      const part = cross(hard, clip.soft);
      if (isEmpty(part)) bits |= SCROLLED_OUT;
      const inView = cross(part, view);
      if (!isEmpty(inView)) {
        bits |= IN_VIEW | NEAR;
        visible.set(indexes[i], { element, shown, part: inView });
      } else if (!(bits & SCROLLED_OUT) && rect.bottom > -height && rect.top < 2 * height && rect.right > -width && rect.left < 2 * width) {
        bits |= NEAR;
      }
      out[at] = rect.left;
      out[at + 1] = rect.top;
      out[at + 2] = rect.right - rect.left;
      out[at + 3] = rect.bottom - rect.top;
      out[at + 4] = bits;
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

  /** Hit-tests measured nodes in view. Two numbers each: 0 unknown, 1 hit, 2 covered; the place of what covers it, or -1. */
  const hits = (indexes) => {
    const out = new Int32Array(indexes.length * 2).fill(-1);
    interactive = new WeakSet();
    for (const index of indexes) interactive.add(state.nodes[index]);
    for (let i = 0; i < indexes.length; i++) {
      out[i * 2] = 0;
      const seen = visible.get(indexes[i]);
      if (!seen) continue;
      const point = bestPoint(seen.element, seen.shown, seen.part);
      out[i * 2] = point.quality ? 1 : point.cover ? 2 : 0;
      if (!point.quality && point.cover) out[i * 2 + 1] = indexOf(point.cover);
    }
    return out;
  };

  /** Where a person would press now: [code, x, y, element]; 0 no box, 1 at a point, 2 covered, 3 outside the viewport. */
  const usablePoint = (element) => {
    clips = new Map();
    const { shown, rect, bits } = boxOf(element, true);
    if (!(bits & RENDERED) || !hasSize(rect)) return [0, 0, 0, null];
    const clip = clipAround(shown);
    const part = cross(cross(cross(rect, clip.hard), clip.soft), viewport());
    if (isEmpty(part)) return [3, 0, 0, null];
    const point = bestPoint(element, shown, part);
    if (point.quality) return [1, point.x, point.y, point.hit];
    return point.cover ? [2, 0, 0, point.cover] : [3, 0, 0, null];
  };

  state.forget.push(() => {
    places = null;
    clips = new Map();
    visible = new Map();
  });
  Object.assign(collect, { indexOf, measure, hits, usablePoint, deepestAt });
})();
