// What it costs to follow a page: the shipped probe, run by hand in a page of its own. An expression that gives a function;
// `follow.rs` calls it with the text of collect.js and of the glue, and the module as base64.
async (collect, glue, module, runs) => {
  const median = (series) => series.toSorted((one, other) => one - other)[series.length >> 1];
  const bytes = Uint8Array.from(atob(module), (sign) => sign.charCodeAt(0));
  const compiled = new WebAssembly.Module(bytes);
  // biome-ignore lint/security/noGlobalEval: the loader brings these files in the same way
  const run = (0, eval);
  let said = '';
  let memory = null;
  const start = () => {
    if (!globalThis.__cairn_collect) run(collect);
    run(glue);
    const probe = globalThis.cairnProbeFactory();
    const exports = Object.values(probe.initSync({ module: compiled }));
    memory = exports.find((one) => one instanceof WebAssembly.Memory);
    probe.start({ engine: 'wasm' }, (text) => {
      said = text;
    });
    probe.receive('{"id":1,"request":{"configure":{"document":1}}}');
    return probe;
  };
  /** Milliseconds of the whole request in the page, its message written; layout, and what a hit test needs besides, are clean before. */
  const list = (probe, all) => {
    document.body.getBoundingClientRect();
    document.elementFromPoint(1, 1);
    const began = performance.now();
    probe.receive(JSON.stringify({ id: 2, request: { list: { all, selectors: 'none' } } }));
    const ms = performance.now() - began;
    return { ms, listing: JSON.parse(said).answer.answer.listing };
  };
  const task = () => new Promise((resolve) => setTimeout(resolve, 30));
  const main = document.querySelector('main');
  const rows = main.children;

  const cold = { all: [], near: [] };
  for (let at = 0; at <= runs; at++) {
    for (const all of [true, false]) {
      const probe = start();
      await task();
      // The first look was taken while nobody waited; the listing says how long both took.
      const { listing } = list(probe, all);
      if (at > 0) cold[all ? 'all' : 'near'].push(listing.tookMs);
      probe.stop();
    }
  }

  const probe = start();
  await task();
  const full = list(probe, true);
  /** Changes the page `runs` times and lists it each time. */
  const after = (change, all) => {
    const series = [];
    for (let at = 0; at < runs; at++) {
      change(at);
      series.push(list(probe, all).ms);
    }
    return median(series);
  };
  const middle = rows[rows.length >> 1];
  const text = (row) => (at) => {
    row.querySelector('b').firstChild.data = `t${at}`;
  };
  const add = (count) => () => {
    const made = document.createDocumentFragment();
    for (let at = 0; at < count; at++) made.append(middle.cloneNode(true));
    middle.after(made);
  };
  const said_of = {
    unchanged: after(() => {}, false),
    nearText: after(text(rows[2]), false),
    farText: after(text(middle), false),
    allText: after(text(middle), true),
    value: after((at) => {
      rows[3].querySelector('input').value = `v${at}`;
    }, false),
    rows10: after(add(10), false),
    rows100: after(add(100), false),
    rows1000: after(add(1000), false),
  };
  const pages = memory.buffer.byteLength;

  /** Milliseconds that a mutation takes with whoever hears of it. */
  const mutations = async () => {
    const began = performance.now();
    for (let at = 0; at < 3000; at++) {
      rows[at % 500].firstElementChild.title = `m${at}`;
      await null;
    }
    return (performance.now() - began) / 3000;
  };
  const watched = [];
  for (let at = 0; at < runs; at++) watched.push(await mutations());
  probe.stop();
  const alone = [];
  for (let at = 0; at < runs; at++) alone.push(await mutations());
  delete globalThis.__cairn_collect;
  delete globalThis.cairnProbeFactory;
  return {
    elements: document.querySelectorAll('*').length,
    listed: full.listing.elements.length,
    coldAll: cold.all,
    coldNear: cold.near,
    whole: full.ms,
    ...said_of,
    memory: pages,
    mutation: median(watched) - median(alone),
  };
}
