// Which elements any style sheet could give a style that matters, so that computed styles, the dearest thing to read, are
// asked for those alone. A sheet of another origin cannot be read: then every element is asked.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom } = collect;

  const CURSOR = 1;
  const CLIP = 2;
  const LAYOUT = 4;
  const TRANSFORM = 8;
  const GENERATES = 16;
  /** What each rule can be asked for, and the bit that says so. */
  const ASKED = [
    ['cursor', CURSOR],
    ['overflow-x', CLIP],
    ['position', CLIP | LAYOUT],
    ['display', LAYOUT | CLIP],
    ['float', LAYOUT],
    ['text-transform', TRANSFORM],
    ['all', CURSOR | CLIP | LAYOUT | TRANSFORM],
  ];
  const EVERY = CURSOR | CLIP | LAYOUT | TRANSFORM;

  /** What a sheet says: selectors with the bits of their rules. Kept while its number of rules stays the same. */
  const known = new WeakMap();
  const rulesOf = (sheet) => {
    const rules = sheet.cssRules;
    const before = known.get(sheet);
    if (before && before.length === rules.length && before.media === sheet.media.mediaText) return before;
    const found = { length: rules.length, media: sheet.media.mediaText, selectors: [], bits: 0 };
    known.set(sheet, found);
    gather(rules, '', found);
    return found;
  };
  const gather = (rules, outer, found) => {
    for (const rule of rules) {
      if (rule.styleSheet) gather(rule.styleSheet.cssRules, '', found);
      const selector = rule.selectorText;
      if (selector === undefined) {
        if (rule.cssRules) gather(rule.cssRules, outer, found);
        // Declarations that stand in a nested group by themselves.
        if (rule.style && outer) note(rule.style, outer, found);
        continue;
      }
      const whole = !outer ? selector : selector.includes('&') ? selector.replaceAll('&', `:is(${outer})`) : `:is(${outer}) ${selector}`;
      note(rule.style, whole, found);
      if (rule.cssRules?.length) gather(rule.cssRules, whole, found);
    }
  };
  const PSEUDO_ELEMENT = /:(before|after)\b/;
  const note = (style, selector, found) => {
    if (PSEUDO_ELEMENT.test(selector) && style.getPropertyValue('content') !== '') found.bits |= GENERATES;
    let bits = 0;
    for (const [property, bit] of ASKED) if (style.getPropertyValue(property) !== '') bits |= bit;
    if (bits) found.selectors.push([selector, bits]);
  };

  const setsOf = () => ({ [CURSOR]: new Set(), [CLIP]: new Set(), [LAYOUT]: new Set(), [TRANSFORM]: new Set() });
  /** Elements by bit; `known` is false where some sheet could not be read. */
  let scouted = { known: false, generates: true, sets: setsOf() };
  const mark = (element, bits) => {
    for (const bit of [CURSOR, CLIP, LAYOUT, TRANSFORM]) if (bits & bit) scouted.sets[bit].add(element);
  };

  /** Adds what the sheets of one tree say. `host` is null for the document. */
  const scout = (root, host) => {
    if (!host) scouted = { known: true, generates: false, sets: setsOf() };
    if (!scouted.known) return;
    const query = host ? dom.queryInFragment : dom.queryInDocument;
    const sheets = host ? [...root.styleSheets, ...root.adoptedStyleSheets] : [...dom.styleSheets.call(root), ...dom.adoptedSheets.call(root)];
    try {
      for (const element of query.call(root, '[style]')) mark(element, EVERY);
      /** One query for each combination of bits. */
      const lists = new Map();
      for (const sheet of sheets) {
        if (sheet.disabled) continue;
        const { selectors, bits } = rulesOf(sheet);
        if (bits & GENERATES) scouted.generates = true;
        for (const [selector, asked] of selectors) {
          if (selector.includes('::part')) throw new Error('a part may be anywhere');
          if (host && selector.includes(':host')) mark(host, asked);
          if (host && selector.includes('::slotted')) for (let child = dom.firstChild.call(host); child; child = dom.nextSibling.call(child)) mark(child, asked);
          if (selector.includes('::') || PSEUDO_ELEMENT.test(selector)) continue;
          const list = lists.get(asked);
          if (list) list.push(selector);
          else lists.set(asked, [selector]);
        }
      }
      for (const [asked, list] of lists) for (const element of query.call(root, list.join(','))) mark(element, asked);
    } catch {
      scouted.known = false;
      scouted.generates = true;
    }
  };

  /** Whether a computed style must be asked for one of these bits. */
  const mayHave = (element, bit) => !scouted.known || scouted.sets[bit].has(element);

  Object.assign(collect, { scout, mayHave, mayGenerate: () => scouted.generates, styleBits: { CURSOR, CLIP, LAYOUT, TRANSFORM } });
})();
