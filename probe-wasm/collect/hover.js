// Finds what shows an element only while the pointer is over something: rules with `:hover` make no event and no record.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom, flatParent } = collect;

  /** Rules are looked through again where their number changed. */
  let known = -1;
  /** Of each rule that shows something: what is shown, and what is under the pointer then. @type {{shown: string, ever: string, hovered: string}[]} */
  let rules = [];

  const shows = (style) =>
    (style.display && style.display !== 'none') ||
    style.visibility === 'visible' ||
    [style.opacity, style.width, style.height, style.maxWidth, style.maxHeight].some((size) => Number.parseFloat(size) > 0);

  const addRules = (list) => {
    for (const rule of list) {
      if (rule instanceof CSSStyleRule) {
        if (!rule.selectorText.includes(':hover') || !shows(rule.style)) continue;
        for (const shown of rule.selectorText.split(',')) {
          const at = shown.indexOf(':hover');
          const hovered = shown.slice(0, at).trim() || '*';
          if (at >= 0) rules.push({ shown: shown.trim(), ever: shown.replaceAll(':hover', '').trim() || '*', hovered });
        }
      } else if (rule.cssRules) addRules(rule.cssRules);
    }
  };

  const readRules = () => {
    const lists = [];
    for (const sheet of [...dom.styleSheets.call(document), ...(dom.adoptedSheets.call(document) ?? [])]) {
      try {
        lists.push(sheet.cssRules);
      } catch {
        // Another origin's.
      }
    }
    const count = lists.reduce((sum, list) => sum + list.length, 0);
    if (count === known) return;
    known = count;
    rules = [];
    for (const list of lists) addRules(list);
  };

  const closest = (element, selector) => {
    try {
      return dom.closest.call(element, selector);
    } catch {
      return null;
    }
  };

  /** What must be hovered so that an element shows, the outermost first: hovered, shown, hovered, shown, …; `ever`: whether or
   * not it shows now. */
  const hovers = (element, ever) => {
    readRules();
    const found = [];
    for (let up = rules.length ? element : null; up; up = flatParent(up)) {
      for (const { shown, ever: always, hovered } of rules) {
        if (closest(up, ever ? always : shown) !== up) continue;
        const over = closest(up, hovered);
        if (over && over !== up && !found.includes(over)) {
          found.unshift(over, up);
          break;
        }
      }
    }
    return found;
  };

  collect.hovers = hovers;
})();
