// Where the frames of the document are, how what is in them maps to it, and what lies over them. What is in a frame is read by
// the frame's own probe; the host puts the parts together.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom, state, rootOf, flatParent, partsOf } = collect;
  const { boundingRect, styleOf } = dom;

  const windowOf = (element) => {
    if (element instanceof HTMLIFrameElement) return dom.iframeWindow.call(element);
    if (element instanceof HTMLFrameElement) return dom.frameWindow.call(element);
    return element instanceof HTMLObjectElement ? dom.objectWindow.call(element) : null;
  };

  const pixels = (text) => Number.parseFloat(text) || 0;

  /** How an element is drawn, its place aside: its transforms, those of all around it, and its zoom. */
  const linear = (element) => {
    const zoom = dom.zoomOf.call(element) ?? 1;
    let matrix = new DOMMatrix([zoom, 0, 0, zoom, 0, 0]);
    for (let up = element; up; up = flatParent(up)) {
      const { transform, rotate, scale } = styleOf(up);
      if (transform === 'none' && rotate === 'none' && scale === 'none') continue;
      const turned = rotate === 'none' || rotate.includes(' ') ? '' : `rotate(${rotate})`;
      const scaled = scale === 'none' ? '' : `scale(${scale.split(' ').slice(0, 2).join()})`;
      matrix = new DOMMatrix(`${turned}${scaled}${transform === 'none' ? '' : transform}`).multiply(matrix);
    }
    return matrix;
  };

  /** The matrix from a frame's viewport to ours, and the size of that viewport. An affine map keeps centres. */
  const mapOf = (element) => {
    const style = styleOf(element);
    const edge = (side) => pixels(style[`border${side}Width`]) + pixels(style[`padding${side}`]);
    const [left, top, right, bottom] = ['Left', 'Top', 'Right', 'Bottom'].map(edge);
    const outer = style.boxSizing === 'border-box';
    const width = pixels(style.width) + (outer ? 0 : left + right);
    const height = pixels(style.height) + (outer ? 0 : top + bottom);
    const { a, b, c, d } = linear(element);
    const rect = boundingRect.call(element);
    const x = left - width / 2;
    const y = top - height / 2;
    const e = (rect.left + rect.right) / 2 + a * x + c * y;
    const f = (rect.top + rect.bottom) / 2 + b * x + d * y;
    return { matrix: [a, b, c, d, e, f], width: width - left - right, height: height - top - bottom };
  };

  const mapped = ({ matrix: [a, b, c, d, e, f], width, height }) => {
    const xs = [e, e + a * width, e + c * height, e + a * width + c * height];
    const ys = [f, f + b * width, f + d * height, f + b * width + d * height];
    return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
  };

  const GRID = 8;
  /** What lies over a frame at the points of a grid: of each point the lowest thing above it. */
  const coversOf = (element, part) => {
    const root = dom.getRootNode.call(element);
    const stackAt = root === document ? dom.stackInDocument : dom.stackInRoot;
    const found = new Set();
    for (let at = 0; at < GRID * GRID; at++) {
      const x = part.left + ((part.right - part.left) * ((at % GRID) + 0.5)) / GRID;
      const y = part.top + ((part.bottom - part.top) * (Math.floor(at / GRID) + 0.5)) / GRID;
      const stack = stackAt.call(root, x, y);
      const above = stack.indexOf(element) - 1;
      // Where it is not in the stack, a round corner or a clip of its own keeps it out of it.
      if (above >= 0) found.add(stack[above]);
    }
    return found;
  };

  const UNKNOWN = 0xffff;

  /** Elements in shadow trees that may hold a frame: a window does not count those. */
  const inShadow = () => {
    const found = [];
    const look = (root, inside) => {
      const query = inside ? dom.queryInFragment : dom.queryInDocument;
      for (const element of query.call(root, '*')) {
        if (inside && windowOf(element)) found.push(element);
        const inner = rootOf(element, dom.localName.call(element));
        if (inner) look(inner, true);
      }
    };
    look(document, false);
    return found;
  };

  /** The place of a frame among those of the window; those in shadow trees come after all others. -1 for what holds no frame. */
  const placeOf = (element) => {
    const held = windowOf(element);
    if (!held) return -1;
    for (let at = 0; at < window.length; at++) if (window[at] === held) return at;
    const at = inShadow().indexOf(element);
    return at < 0 ? -1 : window.length + at;
  };

  const sides = ({ left, top, right, bottom }) => [left, top, Math.max(0, right - left), Math.max(0, bottom - top)];

  /**
   * Of each element that holds a frame: its place among the frames of the window, -1 where it holds none; a matrix of six
   * numbers; what of it is to be seen, what is near (x, y, width, height each); how many things lie over it, and of each its
   * box and its place in the reading.
   */
  const frames = (places) => {
    const out = [];
    for (const place of places) {
      const element = state.reading.element(place);
      const map = mapOf(element);
      const { near, shown } = partsOf(element, mapped(map));
      out.push(placeOf(element), ...map.matrix, ...sides(shown), ...sides(near));
      const covers = shown.right > shown.left && shown.bottom > shown.top ? coversOf(element, shown) : new Set();
      out.push(covers.size);
      for (const cover of covers) out.push(...sides(boundingRect.call(cover)), state.reading.place(cover));
    }
    return Float64Array.from(out);
  };

  /** This document's own place among the frames of its parent; `UNKNOWN` for a frame of another site in a shadow tree. */
  const ownPlace = () => {
    const { parent } = window;
    for (let at = 0; at < parent.length; at++) if (parent[at] === window) return at;
    const element = window === parent ? null : window.frameElement;
    // Of one site, the two see each other here; an element of the page may bear the name.
    const above = element && Object.hasOwn(parent, '__cairn_collect') ? parent.__cairn_collect : null;
    return above?.placeOf(element) ?? UNKNOWN;
  };

  Object.assign(collect, { frames, placeOf, ownPlace });
})();
