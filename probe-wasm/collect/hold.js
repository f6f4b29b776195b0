// Reads the page for a probe that is not there yet: what a person acts on may be another by the time it is, or gone.
(() => {
  const collect = globalThis.__cairn_collect;
  const { dom, flatParent } = collect;

  /** Milliseconds that one read may take out of a person's act. */
  const BUDGET_MS = 150;
  /** Elements above the one that was acted on whose place is kept. */
  const MOST_BOXES = 12;

  let heldAt = -1;
  /** @type {{place(element: Element): number} | null} */
  let page = null;
  let url = '';

  /**
   * The page as it is now, and where the element and those around it stand. Read again only where the page changed.
   * @param {EventTarget | undefined} target
   */
  const hold = (target) => {
    collect.watch();
    collect.current(0);
    if (!page || heldAt !== collect.structural()) {
      heldAt = collect.structural();
      page = collect.read(0, BUDGET_MS);
      url = location.href;
    }
    const boxes = [];
    let element = target instanceof Element ? target : null;
    for (; element && boxes.length < MOST_BOXES * 5; element = flatParent(element)) {
      const { x, y, width, height } = dom.boundingRect.call(element);
      boxes.push(page.place(element), x, y, width, height);
    }
    return { page, url, boxes: Float64Array.from(boxes) };
  };

  collect.hold = hold;
})();
