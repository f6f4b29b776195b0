// A port to a page that leaves us none. Where a page had a frame called `chrome` before our scripts came, the browser gives
// them nothing of its own: no `runtime`, so no port. Scripts can still be sent there and answer, so what the page says
// is fetched and what it is told is brought.

/** Documents whose mail is fetched. @type {Set<string>} */
const fetched = new Set();

/** @typedef {{listeners: ((message: any) => void)[], addListener(listener: (message: any) => void): void}} Listening */

/** @returns {Listening} */
function listening() {
  /** @type {((message: any) => void)[]} */
  const listeners = [];
  return { listeners, addListener: (listener) => void listeners.push(listener) };
}

/**
 * @param {number} tab @param {number} frame @param {string} browserDocument @param {string} url
 * @returns {chrome.runtime.Port | null} null where its mail is fetched already
 */
export function mailPort(tab, frame, browserDocument, url) {
  if (fetched.has(browserDocument)) return null;
  fetched.add(browserDocument);
  const onMessage = listening();
  const onDisconnect = listening();
  let open = true;
  /** Messages are brought one after the other. @type {Promise<unknown>} */
  let turn = Promise.resolve();

  /** @template {any[]} Args @template Result @param {(...args: Args) => Result} func @param {Args} args */
  const run = (func, args) =>
    chrome.scripting.executeScript({
      target: { tabId: tab, documentIds: [browserDocument] },
      func,
      args,
      injectImmediately: true,
    });

  const port = {
    name: 'page',
    sender: { tab: { id: tab }, frameId: frame, documentId: browserDocument, url },
    onMessage,
    onDisconnect,
    /** @param {Cairn.ToContent} message */
    postMessage(message) {
      turn = turn.then(() => run(bring, [packed(message)])).catch(close);
    },
    disconnect() {
      void turn.then(close);
    },
  };

  function close() {
    if (!open) return;
    open = false;
    fetched.delete(browserDocument);
    for (const listener of onDisconnect.listeners) listener(port);
  }

  async function fetchAll() {
    while (open) {
      const [answer] = await run(next, []);
      const messages = /** @type {Cairn.FromContent[] | null | undefined} */ (answer?.result);
      if (!messages) break;
      for (const message of messages) for (const listener of onMessage.listeners) listener(message);
    }
    close();
  }
  // Whoever takes the port first adds its listeners.
  queueMicrotask(() => fetchAll().catch(close));
  return /** @type {chrome.runtime.Port} */ (/** @type {unknown} */ (port));
}

/** Bytes cannot be brought, text can. @param {Cairn.ToContent} message @returns {Cairn.Mail} */
function packed(message) {
  if (message.type !== 'code' || !message.bytes) return { message, bytes: null };
  const bytes = new Uint8Array(message.bytes);
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { message: { ...message, bytes: null }, bytes: btoa(text) };
}

// In the page.

/** @param {Cairn.Mail} mail */
function bring(mail) {
  const scope = /** @type {typeof globalThis & {cairnMail?: Cairn.Mailbox}} */ (globalThis);
  if (Object.hasOwn(scope, 'cairnMail')) scope.cairnMail?.take(mail);
}

/** What was said since, as soon as there is something; nothing where no one speaks any more. */
function next() {
  const scope = /** @type {typeof globalThis & {cairnMail?: Cairn.Mailbox}} */ (globalThis);
  return Object.hasOwn(scope, 'cairnMail') ? (scope.cairnMail?.next() ?? null) : null;
}
