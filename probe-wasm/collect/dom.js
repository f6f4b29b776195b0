// What the readers of the page share. The files of this folder run in the isolated world before the probe, in the order
// dom, styles, markup, read, measure, frames, parts, changes, hold, hover, and put one object on its global: `__cairn_collect`. They decide
// nothing.
//
// DOM members are taken from their prototypes once and called on nodes: a form field named `parentNode` shadows nothing.
(() => {
  const getter = (holder, name) => Object.getOwnPropertyDescriptor(holder.prototype, name)?.get ?? (() => null);
  const method = (holder, name) => holder.prototype[name];

  const dom = {
    nodeType: getter(Node, 'nodeType'),
    firstChild: getter(Node, 'firstChild'),
    nextSibling: getter(Node, 'nextSibling'),
    previousSibling: getter(Node, 'previousSibling'),
    parentNode: getter(Node, 'parentNode'),
    isConnected: getter(Node, 'isConnected'),
    getRootNode: method(Node, 'getRootNode'),
    data: getter(CharacterData, 'data'),
    localName: getter(Element, 'localName'),
    getAttribute: method(Element, 'getAttribute'),
    getAttributeNames: method(Element, 'getAttributeNames'),
    hasAttribute: method(Element, 'hasAttribute'),
    openRoot: getter(Element, 'shadowRoot'),
    checkVisibility: method(Element, 'checkVisibility'),
    boundingRect: method(Element, 'getBoundingClientRect'),
    clientRects: method(Element, 'getClientRects'),
    matches: method(Element, 'matches'),
    closest: method(Element, 'closest'),
    assignedSlot: getter(Element, 'assignedSlot'),
    scrollTop: getter(Element, 'scrollTop'),
    scrollHeight: getter(Element, 'scrollHeight'),
    scrollWidth: getter(Element, 'scrollWidth'),
    clientHeight: getter(Element, 'clientHeight'),
    clientWidth: getter(Element, 'clientWidth'),
    scrollLeft: getter(Element, 'scrollLeft'),
    labelledByElements: getter(Element, 'ariaLabelledByElements'),
    queryInElement: method(Element, 'querySelectorAll'),
    queryInFragment: method(DocumentFragment, 'querySelectorAll'),
    queryInDocument: method(Document, 'querySelectorAll'),
    byIdInDocument: method(Document, 'getElementById'),
    byIdInFragment: method(DocumentFragment, 'getElementById'),
    rootElement: getter(Document, 'documentElement'),
    activeOfDocument: getter(Document, 'activeElement'),
    activeOfRoot: getter(ShadowRoot, 'activeElement'),
    pointInDocument: method(Document, 'elementFromPoint'),
    pointInRoot: method(ShadowRoot, 'elementFromPoint'),
    stackInDocument: method(Document, 'elementsFromPoint'),
    stackInRoot: method(ShadowRoot, 'elementsFromPoint'),
    zoomOf: getter(Element, 'currentCSSZoom'),
    iframeWindow: getter(HTMLIFrameElement, 'contentWindow'),
    frameWindow: getter(HTMLFrameElement, 'contentWindow'),
    objectWindow: getter(HTMLObjectElement, 'contentWindow'),
    styleSheets: getter(Document, 'styleSheets'),
    adoptedSheets: getter(Document, 'adoptedStyleSheets'),
    sheetsOfRoot: getter(ShadowRoot, 'styleSheets'),
    adoptedOfRoot: getter(ShadowRoot, 'adoptedStyleSheets'),
    compatMode: getter(Document, 'compatMode'),
    contentType: getter(Document, 'contentType'),
    animations: method(Document, 'getAnimations'),
    outerHtml: getter(Element, 'outerHTML'),
    shadowHtml: method(ShadowRoot, 'getHTML'),
    compare: method(Node, 'compareDocumentPosition'),
    createRange: method(Document, 'createRange'),
    evaluate: method(Document, 'evaluate'),
    titleOf: getter(Document, 'title'),
    hostOf: getter(ShadowRoot, 'host'),
    inputType: getter(HTMLInputElement, 'type'),
    inputValue: getter(HTMLInputElement, 'value'),
    inputChecked: getter(HTMLInputElement, 'checked'),
    inputMixed: getter(HTMLInputElement, 'indeterminate'),
    inputLabels: getter(HTMLInputElement, 'labels'),
    inputFiles: getter(HTMLInputElement, 'files'),
    textValue: getter(HTMLTextAreaElement, 'value'),
    optionSelected: getter(HTMLOptionElement, 'selected'),
    selectIndex: getter(HTMLSelectElement, 'selectedIndex'),
    labelControl: getter(HTMLLabelElement, 'control'),
    styleOf: window.getComputedStyle.bind(window),
    now: performance.now.bind(performance),
  };
  const { nodeType, firstChild, parentNode, localName, openRoot, assignedSlot, hostOf, activeOfDocument, activeOfRoot } = dom;

  /** @type {WeakMap<Node, number>} numbers that nodes keep as long as they live */
  const numbers = new WeakMap();
  let lastNumber = 0;
  /** Nodes that were given numbers in a row and are not filed yet, and the number before the first. */
  let row = [];
  let rowStart = 0;
  const fileRow = () => {
    const waiting = row;
    row = [];
    for (let at = 0; at < waiting.length; at++) numbers.set(waiting[at], rowStart + at + 1);
  };
  const numberOf = (node) => {
    if (row.length) fileRow();
    let number = numbers.get(node);
    if (number === undefined) {
      number = ++lastNumber;
      numbers.set(node, number);
    }
    return number;
  };
  /** As `numberOf` for many nodes, each once. Where no node has a number yet, they are filed when one is first looked for. */
  const numberAll = (nodes) => {
    if (lastNumber === 0) {
      row = nodes;
      rowStart = 0;
      lastNumber = nodes.length;
      return (at) => at + 1;
    }
    return (at) => numberOf(nodes[at]);
  };

  /** What the browser gives to extensions, unless an element or a frame of the page stands under that name. */
  const extensionDom = (name) => {
    try {
      const found = globalThis[name]?.dom;
      return typeof found?.openOrClosedShadowRoot === 'function' ? found : null;
    } catch {
      return null;
    }
  };
  const askExtension = extensionDom('chrome') ?? extensionDom('browser');
  /** The shadow root of an element, closed ones where the browser hands them to extensions. It throws on what is not HTML. */
  const closedRoot = askExtension
    ? (element) => {
        try {
          return askExtension.openOrClosedShadowRoot(element);
        } catch {
          return null;
        }
      }
    : () => null;
  const PLAIN_HOSTS = new Set(
    'div span article aside blockquote body footer h1 h2 h3 h4 h5 h6 header main nav p section'.split(' '),
  );
  /** A closed root on a plain element is asked for where the element looks empty: the call is not cheap. */
  const rootOf = (element, name) => {
    const open = openRoot.call(element);
    if (open || !askExtension) return open;
    return name.includes('-') || (PLAIN_HOSTS.has(name) && !firstChild.call(element)) ? closedRoot(element) : null;
  };

  /** The parent element in the flat tree: slot, element or shadow host. */
  const flatParent = (node) => {
    const slot = nodeType.call(node) === 1 ? assignedSlot.call(node) : null;
    if (slot) return slot;
    const parent = parentNode.call(node);
    if (!parent) return null;
    const type = nodeType.call(parent);
    return type === 11 ? hostOf.call(parent) : type === 1 ? parent : null;
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

  /**
   * The last read, what it makes void, the fields that it saw (three entries each: the element, its value or its chosen
   * place, its ticks), the elements that could have a shadow root and had none, and the boxes that scroll with how far they
   * are scrolled, three entries each.
   */
  const state = { reading: null, forget: [], fields: [], hosts: [], scrollers: [] };

  globalThis.__cairn_collect = {
    dom,
    state,
    numberOf,
    /** The highest number that a node has so far. */
    lastNumber: () => lastNumber,
    numberAll,
    rootOf,
    /** The shadow root of an element where the page keeps it to itself. */
    closedRootOf: (element) => {
      const root = openRoot.call(element) ? null : rootOf(element, localName.call(element));
      return root ?? undefined;
    },
    flatParent,
    deepActive,
    isConnected: (node) => dom.isConnected.call(node),
    attribute: (element, name) => dom.getAttribute.call(element, name) ?? undefined,
    localName: (element) => localName.call(element),
    labelControl: (node) => (node instanceof HTMLLabelElement ? dom.labelControl.call(node) : null),
    url: () => location.href,
    title: () => dom.titleOf.call(document) || '',
    viewport: () => [innerWidth, innerHeight, scrollX, scrollY],
  };
})();
