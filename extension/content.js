// One script a frame of a leased tab, in the isolated world: invisible to the page.
//
// It begins as a stub at document_start: it listens, asks the worker whether this tab is leased, and where it is not,
// removes every trace of itself. Where it is, it loads the probe, hands it what was heard in the meantime, and carries
// messages between the probe and the worker. It decides nothing else.

(() => {
  /** Everything the probe may want to hear, before the page can stop it. */
  const EVENTS = [
    'pointerdown',
    'pointermove',
    'pointerover',
    'pointerup',
    'mousedown',
    'mouseup',
    'click',
    'dblclick',
    'contextmenu',
    'keydown',
    'keyup',
    'beforeinput',
    'input',
    'change',
    'focusin',
    'focusout',
    'submit',
    'reset',
    'compositionstart',
    'compositionend',
    'dragstart',
    'dragenter',
    'dragover',
    'drop',
    'dragend',
    'scroll',
    'toggle',
    'pagehide',
  ];

  /** What a person does to an element, which the page may answer by taking it away. */
  const ACTS = ['pointerdown', 'click', 'contextmenu', 'keydown', 'input', 'change', 'submit'];

  /** What comes many times a second: heard while something is drawn along, and of HTML's own dragging not more often than
   * matters. */
  const MOVES = ['pointermove', 'dragover'];
  const MOVE_MS = 30;

  /** Events that may wait for the probe: a few seconds of a busy person. */
  const WAITING_EVENTS = 5000;

  /** Requests whose numbers are kept: more than can be without an answer. */
  const KNOWN_REQUESTS = 256;

  /** A probe that panics more often than this in one document stays down. */
  const MOST_PROBES = 5;

  /** The smallest module: whether it compiles tells whether the page's policy allows WASM. */
  const EMPTY_MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);

  const LISTEN = { capture: true, passive: true };

  const scope =
    /** @type {typeof globalThis & {cairnStub?: {arrived: () => void}, cairnProbeFactory?: (() => any) & {engine: Cairn.Engine}, __cairn_collect?: Cairn.Readers, cairnMail?: Cairn.Mailbox}} */ (
      globalThis
    );

  /**
   * What stands under a name of ours. A page's element with that id shows through the window too, and is not meant.
   * @template {'cairnStub' | 'cairnProbeFactory' | '__cairn_collect' | 'cairnMail'} Name
   * @param {Name} name @returns {typeof scope[Name]}
   */
  const ours = (name) => (Object.hasOwn(scope, name) ? scope[name] : undefined);

  /** What the worker is told of a stub that has to be fetched from. */
  const mail = () => (ours('cairnMail') ? { mailAt: location.href } : null);

  if (ours('cairnStub')) return mail();
  scope.cairnStub = { arrived: startWhenComplete };

  /**
   * What the browser gives to extensions. Where our scripts come late, a page's element called `chrome` may stand there: the
   * browser hangs its own on it, behind what a form has of its own. A frame it leaves alone, and then there is nothing.
   */
  const runtime = ['chrome', 'browser'].map(runtimeOf).find((one) => one !== null) ?? null;

  /** @param {string} name @returns {typeof chrome.runtime | null} */
  function runtimeOf(name) {
    try {
      const found = /** @type {any} */ (scope)[name]?.runtime;
      return typeof found?.connect === 'function' ? found : null;
    } catch {
      // A frame of another origin.
      return null;
    }
  }

  /** @type {Pick<chrome.runtime.Port, 'postMessage' | 'disconnect'> | null} */
  let port = null;
  /** @type {{glue: any, engine: Cairn.Engine} | null} */
  let probe = null;
  /** @type {WebAssembly.Module | null} */
  let compiled = null;
  /** @type {Cairn.Engine | null} the build whose code is awaited or here */
  let engine = null;
  /** What a build needs beside its script, once it is here. @type {{engine: Cairn.Engine, bytes: ArrayBuffer | null} | null} */
  let brought = null;
  /** The build was asked for by name. */
  let forced = false;
  /** How many probes this document has had. */
  let made = 0;
  let reconnects = 0;
  let ended = false;

  /** @type {{event: Event, held: object | null}[]} heard before the probe ran, each with the page as it was then */
  let heard = [];
  /** @type {Map<number, {made: number, text: string}>} said by a probe and not known to have reached the host, by number */
  const said = new Map();
  let lastSaid = 0;
  /** Requests of the host that came, by their own number: one that comes again is not taken again. @type {Set<number>} */
  const asked = new Set();
  let movedAt = 0;
  /** @type {EventTarget | null} */
  let movedOver = null;

  // --- listening

  /** @param {Event} event */
  function hear(event) {
    if (MOVES.includes(event.type)) {
      const moves = /** @type {MouseEvent} */ (event);
      // What is dragged by HTML says nothing of buttons.
      const idle = event.type === 'pointermove' && moves.buttons === 0;
      if (!probe || idle) return;
      if (event.type === 'dragover') {
        const over = event.composedPath()[0];
        if (over === movedOver && event.timeStamp - movedAt < MOVE_MS) return;
        movedAt = event.timeStamp;
        movedOver = over;
      }
    }
    if (probe) {
      call('observe', event, null);
    } else if (heard.length < WAITING_EVENTS) {
      // The path is gone when the dispatch is over; this own property lies in our world alone.
      const path = event.composedPath();
      Object.defineProperty(event, 'composedPath', { value: () => path });
      heard.push({ event, held: engine && ACTS.includes(event.type) ? hold(event) : null });
    }
  }

  /** The page as it is while an event is on its way; only in a leased tab. @param {Event} event */
  function hold(event) {
    try {
      return ours('__cairn_collect')?.hold(event.composedPath()[0]) ?? null;
    } catch {
      return null;
    }
  }

  /** Adding a listener again changes nothing where it still stands. */
  function listen() {
    for (const type of EVENTS) window.addEventListener(type, hear, LISTEN);
    window.navigation?.addEventListener('navigate', hear, LISTEN);
    window.addEventListener('pageshow', shown, LISTEN);
    window.addEventListener('error', failed, LISTEN);
    window.addEventListener('unhandledrejection', failed, LISTEN);
  }

  // `document.open()` takes away every listener of the window; it also empties the document, and that is seen here.
  const emptied = new MutationObserver(listen);

  /** Leaves nothing behind. */
  function end() {
    ended = true;
    emptied.disconnect();
    for (const type of EVENTS) window.removeEventListener(type, hear, LISTEN);
    window.navigation?.removeEventListener('navigate', hear, LISTEN);
    window.removeEventListener('pageshow', shown, LISTEN);
    window.removeEventListener('error', failed, LISTEN);
    window.removeEventListener('unhandledrejection', failed, LISTEN);
    if (probe) call('stop');
    probe = null;
    compiled = null;
    movedOver = null;
    heard = [];
    said.clear();
    port?.disconnect();
    port = null;
    delete scope.cairnStub;
    delete scope.cairnProbeFactory;
    delete scope.__cairn_collect;
  }

  // --- the worker

  /** @returns {number} this frame's place among the frames of its parent; the same across origins */
  function place() {
    return ours('__cairn_collect')?.ownPlace() ?? 0;
  }

  function connect() {
    try {
      port = runtime ? openPort(runtime) : mailbox();
    } catch {
      // The extension was updated or taken away; its next version starts anew.
      end();
      return;
    }
    post({ type: 'hello', running: probe?.engine ?? null, place: place(), made });
    for (const [number, { made, text }] of said) post({ type: 'page', number, made, text });
  }

  /** @param {typeof chrome.runtime} runtime */
  function openPort(runtime) {
    const port = runtime.connect({ name: 'page' });
    port.onMessage.addListener(take);
    port.onDisconnect.addListener(disconnected);
    return port;
  }

  /** Without a port: the worker fetches what is said here, and brings what it says; see worker/mailbox.js. */
  function mailbox() {
    /** @type {Cairn.FromContent[]} */
    let waiting = [];
    /** @type {((messages: Cairn.FromContent[]) => void) | null} */
    let fetching = null;
    const send = () => {
      fetching?.(waiting);
      if (fetching) waiting = [];
      fetching = null;
    };
    scope.cairnMail = {
      next: () =>
        new Promise((resolve) => {
          fetching = resolve;
          if (waiting.length) send();
        }),
      take: ({ message, bytes }) => {
        const code = bytes && Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0)).buffer;
        take(code && message.type === 'code' ? { ...message, bytes: code } : message);
      },
    };
    return {
      /** @param {Cairn.FromContent} message */
      postMessage(message) {
        waiting.push(message);
        send();
      },
      disconnect() {
        delete scope.cairnMail;
        send();
      },
    };
  }

  /** The worker was stopped, or the page went into the back/forward cache. */
  function disconnected() {
    // An error that nobody reads is told in the page's console.
    void runtime?.lastError;
    port = null;
    if (ended) return;
    reconnects += 1;
    // Connecting wakes the worker. A page in the cache runs no timer; it is connected again when it is shown.
    setTimeout(() => !port && !ended && connect(), reconnects < 5 ? 0 : 500);
  }

  /** @param {Event} event */
  function shown(event) {
    if (/** @type {PageTransitionEvent} */ (event).persisted && !port && !ended) connect();
  }

  /** @param {Cairn.FromContent} message */
  function post(message) {
    try {
      port?.postMessage(message);
    } catch {
      // Disconnected, and not told yet: what matters is kept in `said`.
    }
  }

  /** @param {Cairn.ToContent} message */
  function take(message) {
    switch (message.type) {
      case 'free':
        return end();
      case 'leased':
        reconnects = 0;
        return probe ? undefined : choose(message.engine, message.wasm, message.coming);
      case 'code':
        brought = { engine: message.engine, bytes: message.bytes };
        return startWhenComplete();
      case 'page':
        return isNew(message.text) ? call('receive', message.text) : undefined;
      case 'taken':
        for (const number of said.keys()) {
          if (number > message.number) break;
          said.delete(number);
        }
    }
  }

  /** A request comes again when nobody could tell whether it had arrived. @param {string} text */
  function isNew(text) {
    const number = Number(/^\{"id":(\d+)/.exec(text)?.[1]);
    if (asked.has(number)) return false;
    asked.add(number);
    if (asked.size > KNOWN_REQUESTS) asked.delete(/** @type {number} */ (asked.values().next().value));
    return true;
  }

  // --- the probe

  /**
   * @param {Cairn.EngineChoice} wanted @param {boolean} allowed the page's headers are known to let WASM compile
   * @param {Cairn.Engine | null} coming the build whose code need not be asked for
   */
  function choose(wanted, allowed, coming) {
    forced = wanted === 'wasm';
    if (wanted === 'auto') {
      engine = allowed && !hasPolicy() ? 'wasm' : 'js';
    } else if (wanted === 'js' || allowed || compiles()) {
      engine = wanted;
    } else {
      const message = "the page's Content-Security-Policy forbids WebAssembly";
      post({
        type: 'notReady',
        error: { code: 'refused', message, hint: 'leave `--engine` out, or use `--engine js`' },
      });
      return;
    }
    // What was heard before it was known whose tab this is can be read now at the earliest.
    for (const one of heard) if (ACTS.includes(one.event.type)) one.held ??= hold(one.event);
    if (engine !== coming) post({ type: 'need', engine });
  }

  /** A policy in the document itself may forbid what its headers do not. */
  function hasPolicy() {
    return Document.prototype.querySelector.call(document, 'meta[http-equiv="content-security-policy" i]') !== null;
  }

  /** Tries. A page that forbids it is told of the try: only where WASM was asked for. */
  function compiles() {
    try {
      return new WebAssembly.Module(EMPTY_MODULE) instanceof WebAssembly.Module;
    } catch {
      return false;
    }
  }

  /** A build's script and the rest of it come by different ways, in any order. */
  function startWhenComplete() {
    if (!brought || brought.engine !== engine || ours('cairnProbeFactory')?.engine !== engine) return;
    const { bytes } = brought;
    brought = null;
    load(bytes);
  }

  /** @param {ArrayBuffer | null} bytes of the module; the twin needs none */
  function load(bytes) {
    if (probe) return;
    if (bytes && !forced && hasPolicy()) return choose('js', false, null);
    try {
      if (bytes) compiled = new WebAssembly.Module(bytes);
      if (made >= MOST_PROBES) throw new Error(`it panicked ${made} times in this page`);
      start();
    } catch (error) {
      probe = null;
      const message = `the probe could not be started: ${error}`;
      post({
        type: 'notReady',
        error: { code: 'internal', message, hint: 'reload the page; if it stays so, report it' },
      });
    }
  }

  function start() {
    const factory = ours('cairnProbeFactory');
    if (!factory || !engine) throw new Error('its code is not here');
    const glue = factory();
    glue.initSync({ module: compiled ?? new ArrayBuffer(0) });
    made += 1;
    glue.start({ engine }, say);
    probe = { glue, engine };
    post({ type: 'ready', engine, place: place(), made });
    for (const { event, held } of heard.splice(0)) call('observe', event, held);
  }

  /** What the probe has to say. @param {string} text @param {'message' | 'panicked'} kind */
  function say(text, kind) {
    lastSaid += 1;
    said.set(lastSaid, { made, text });
    post({ type: 'page', number: lastSaid, made, text });
    if (kind === 'panicked') renew();
  }

  /** @param {'observe' | 'receive' | 'stop'} name @param {...unknown} args */
  function call(name, ...args) {
    try {
      probe?.glue[name](...args);
    } catch (error) {
      panicked(error);
    }
  }

  /** What traps in a task of the probe's own arrives here; errors of the page's world do not. @param {Event} event */
  function failed(event) {
    const error = event instanceof ErrorEvent ? event.error : /** @type {PromiseRejectionEvent} */ (event).reason;
    if (!(error instanceof WebAssembly.RuntimeError) && error?.cairnTrap !== true) return;
    event.preventDefault();
    panicked(error);
  }

  /** A trap: a panic, no memory, no stack. Said with the places of our own code and nothing else. @param {unknown} error */
  function panicked(error) {
    if (!probe) return;
    const places = String(/** @type {Error} */ (error)?.stack).match(
      /wasm-function\[\d+\]:0x[0-9a-f]+|probe_twin\.js:\d+:\d+/g,
    );
    const message = `the probe panicked at ${places?.slice(0, 4).join(' < ') ?? 'an unknown place'}`;
    say(JSON.stringify({ event: { event: { panicked: { message } } } }), 'panicked');
  }

  /** The instance cannot be trusted any more: it is dropped and made anew, and all its refs with it. */
  function renew() {
    probe = null;
    // Not now: the old one is still on the stack.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      if (!ended && !probe) load(null);
    };
    port2.postMessage(null);
  }

  listen();
  emptied.observe(document, { childList: true });
  connect();
  return mail();
})();
