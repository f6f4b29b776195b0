// What the style sheets of a tree can do to which elements, so that computed styles, the dearest thing to read, are asked of
// those alone. Each selector is filed under one key of its last part; what carries the key is asked, which is too much
// rather than too little. A sheet of another origin cannot be read: then every element is asked. The bits are those of
// core/src/snapshot/markup/ask.rs.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom, state } = collect;

  const SHOWN = 1;
  const CURSOR = 1 << 1;
  const CASE = 1 << 2;
  const OPACITY = 1 << 3;
  const BEFORE = 1 << 4;
  const AFTER = 1 << 5;
  const CLIP = 1 << 13;
  const EVERY = SHOWN | CURSOR | CASE | OPACITY | CLIP;
  /** What a property can change, and the values with which it changes nothing. */
  const PROPERTIES = new Map([
    ['display', [SHOWN, '']],
    ['visibility', [SHOWN, '']],
    ['content-visibility', [SHOWN, 'visible']],
    ['float', [SHOWN, 'none']],
    ['position', [SHOWN | CLIP, 'relative static']],
    ['overflow-x', [CLIP, 'visible']],
    ['overflow-y', [CLIP, 'visible']],
    ['cursor', [CURSOR, '']],
    ['text-transform', [CASE, '']],
    ['opacity', [OPACITY, '1']],
    ['animation-name', [SHOWN | CURSOR | OPACITY, 'none']],
    ['all', [EVERY, '']],
  ]);

  // ------------------------------------------------------------------ the key of a selector

  const IDENT = '(?:\\\\[0-9a-fA-F]{1,6}\\s?|\\\\.|[\\w-]|[^\\x00-\\x7f])+';
  const KEYS = [new RegExp(`\\.(${IDENT})`), new RegExp(`#(${IDENT})`), new RegExp(`^(?:[\\w*]*\\|)?(${IDENT})`), new RegExp(`\\[\\s*(?:[\\w*]*\\|)?(${IDENT})`)];
  const SIGNS = ['.', '#', '', '['];
  const unescape = (name) =>
    name.replace(/\\(?:([0-9a-fA-F]{1,6})\s?|(.))/g, (_, code, other) => (code ? String.fromCodePoint(Number.parseInt(code, 16) || 0xfffd) : other));

  /** The selectors of a list, and of each its last part. */
  const lastParts = (list) => {
    const parts = [];
    let depth = 0;
    let quote = '';
    let start = 0;
    const end = (at) => {
      const part = list.slice(start, at).trim();
      if (part) parts.push(part);
    };
    for (let at = 0; at < list.length; at++) {
      const sign = list[at];
      if (sign === '\\') at++;
      else if (quote) quote = sign === quote ? '' : quote;
      else if (sign === '"' || sign === "'") quote = sign;
      else if (sign === '(' || sign === '[') depth++;
      else if (sign === ')' || sign === ']') depth--;
      else if (depth === 0 && sign === ',') {
        end(at);
        start = at + 1;
      } else if (depth === 0 && (sign === '>' || sign === '+' || sign === '~' || (sign === ' ' && /[^\s,>+~)]/.test(list[at + 1] ?? ',')))) start = at + 1;
    }
    end(list.length);
    return parts;
  };

  /** What stands in the brackets of a part's `:is()` and the like, and the part without brackets. */
  const brackets = (part) => {
    let bare = '';
    let inner = '';
    let depth = 0;
    let from = 0;
    for (let at = 0; at < part.length; at++) {
      if (part[at] === '\\') {
        if (!depth) bare += part.slice(at, at + 2);
        at++;
      } else if (part[at] === '(') {
        if (depth++ === 0) from = at;
      } else if (part[at] === ')') {
        if (--depth === 0 && /:(is|where|-webkit-any|matches)$/.test(bare)) inner = part.slice(from + 1, at);
      } else if (!depth) bare += part[at];
    }
    return [bare, inner];
  };

  const PSEUDO = /::?(before|after)$|::/;
  const file = (list, bits, content, into) => {
    for (const part of lastParts(list)) {
      const [bare, inner] = brackets(part);
      if (bare.includes('::slotted')) into.push(['::slotted', bits]);
      else if (bare.includes('::part')) into.push(['[part', bits]);
      else {
        const pseudo = PSEUDO.exec(bare);
        let own = bits;
        if (pseudo) own = !content ? 0 : pseudo[1] === 'before' ? BEFORE : pseudo[1] === 'after' ? AFTER : 0;
        if (own) fileOne(bare.replace(/::.*$/, ''), inner, own, content, into);
      }
    }
  };
  const fileOne = (bare, inner, bits, content, into) => {
    if (bare.includes(':host')) {
      into.push([':host', bits]);
      return;
    }
    for (let at = 0; at < KEYS.length; at++) {
      const found = KEYS[at].exec(bare);
      if (!found || (at === 2 && found[1].startsWith('*'))) continue;
      const name = unescape(found[1]);
      into.push([SIGNS[at] + name, bits]);
      // Tags of HTML are written in any case.
      if (at === 2 && name !== name.toLowerCase()) into.push([name.toLowerCase(), bits]);
      return;
    }
    if (inner) file(inner, bits, content, into);
    else into.push([/:root\b/.test(bare) ? 'html' : '*', bits]);
  };

  // ------------------------------------------------------------------ sheets

  /** Some rule that matters holds only where the mouse is, or is down. */
  let moves = false;
  /**
   * How far a change in an element reaches by the rules of a sheet that matter: to what stands beside it, where a value, a
   * tick or the focus changes, anywhere.
   */
  const REACH = { siblings: 1, states: 2, anywhere: 4 };
  let reaches = 0;
  const REACHES = [
    [/[+~]|:(nth|first|last|only)-/, REACH.siblings],
    [/:(checked|indeterminate|placeholder-shown|focus|in-range|out-of-range|autofill|default|blank)/, REACH.states],
    [/:(has|empty|valid|invalid|user-|target|state|open|dir)\b/, REACH.anywhere],
  ];

  const gather = (rules, outer, into) => {
    for (const rule of rules) {
      if (rule.styleSheet) gather(rule.styleSheet.cssRules, '', into);
      const selector = rule.selectorText;
      if (selector === undefined) {
        // What stands in a nested group by itself is the outer rule's.
        if (rule.style && outer) note(rule.style, outer, into);
        if (rule instanceof CSSContainerRule) reaches |= REACH.anywhere;
        if (rule.cssRules && !(rule instanceof CSSKeyframesRule)) gather(rule.cssRules, outer, into);
        continue;
      }
      const whole = !outer ? selector : selector.includes('&') ? selector.replaceAll('&', `:is(${outer})`) : `:is(${outer}) ${selector}`;
      note(rule.style, whole, into);
      if (rule.cssRules?.length) gather(rule.cssRules, whole, into);
    }
  };
  const note = (style, selector, into) => {
    let bits = 0;
    let content = false;
    for (let at = 0; at < style.length; at++) {
      const property = style[at];
      if (property === 'content') content = true;
      const known = PROPERTIES.get(property);
      if (known && !(known[1] && known[1].includes(style.getPropertyValue(property) || ' '))) bits |= known[0];
    }
    if (!bits && !content) return;
    moves ||= /:(hover|active)\b/.test(selector);
    for (const [pattern, how] of REACHES) if (pattern.test(selector)) reaches |= how;
    file(selector, bits, content, into);
  };

  /** Rules that are looked into for edits in place: those of sheets that have no address, up to this many. */
  const MOST_RULES = 200;
  /** A number that changes with the rules of a sheet. */
  const markOf = (sheet) => {
    const rules = sheet.cssRules;
    let mark = rules.length;
    if (sheet.href || mark > MOST_RULES) return mark;
    for (let at = 0; at < rules.length; at++) {
      mark = (Math.imul(mark, 31) + (rules[at].style?.cssText.length ?? rules[at].cssRules?.length ?? 0)) | 0;
    }
    return mark;
  };
  /** Keys of a sheet, kept while its rules stay the same. */
  const known = new WeakMap();
  const ofSheet = (sheet) => {
    const before = known.get(sheet);
    const mark = markOf(sheet);
    if (before && before.mark === mark) return before;
    const keys = [];
    reaches = 0;
    gather(sheet.cssRules, '', keys);
    const found = { mark, keys, reach: reaches };
    known.set(sheet, found);
    return found;
  };
  const sheetsOf = (root, host) =>
    host
      ? [...dom.sheetsOfRoot.call(root), ...dom.adoptedOfRoot.call(root)]
      : [...dom.styleSheets.call(root), ...dom.adoptedSheets.call(root)];

  /** In documents of the old kind, classes and ids fit in any case. */
  const isLoose = () => dom.compatMode.call(document) === 'BackCompat';

  /**
   * The keys of a tree's sheets, one a line, their bits, what they can do to the tree's host, and how far a change reaches.
   * `host` is null for the document.
   */
  const keysOf = (root, host) => {
    /** @type {Map<string, number>} */
    const table = new Map();
    let ofHost = 0;
    const loose = isLoose();
    let reach = 0;
    try {
      for (const sheet of sheetsOf(root, host)) {
        if (sheet.disabled) continue;
        const own = ofSheet(sheet);
        reach |= own.reach;
        for (const [key, bits] of own.keys) {
          if (key === ':host') {
            ofHost |= bits;
            continue;
          }
          const filed = loose && (key[0] === '.' || key[0] === '#') && key !== key.toLowerCase() ? '*' : key;
          table.set(filed, (table.get(filed) ?? 0) | bits);
        }
      }
    } catch {
      table.set('*', EVERY | BEFORE | AFTER);
      ofHost = EVERY | BEFORE | AFTER;
      reach = REACH.anywhere;
    }
    return { names: [...table.keys()].join('\n'), bits: Uint32Array.from(table.values()), host: ofHost, reach };
  };

  /** Changes with the sheets of the document and of the shadow trees that were read. */
  const rulesMark = () => {
    let mark = 0;
    let looked = 0;
    /** Trees of one kind share their sheets. */
    const marks = new Map();
    const ownMark = (sheet) => {
      if (sheet.disabled) return 7;
      try {
        if (looked > MOST_RULES) return sheet.cssRules.length;
        looked += sheet.cssRules.length;
        return markOf(sheet);
      } catch {
        return 3;
      }
    };
    const add = (sheet) => {
      let own = marks.get(sheet);
      if (own === undefined) {
        own = ownMark(sheet);
        marks.set(sheet, own);
      }
      mark = (Math.imul(mark, 31) + own) | 0;
    };
    for (const sheet of sheetsOf(document, null)) add(sheet);
    looked = 0;
    for (const { root, host } of state.reading?.trees ?? []) if (host) for (const sheet of sheetsOf(root, host)) add(sheet);
    return mark;
  };

  Object.assign(collect, { REACH, keysOf, rulesMark, heedsMouse: () => moves });
})();
