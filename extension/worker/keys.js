// The keys of earlier pairings, one a port. They are the only thing that outlives the browser.

/** Keys that no host has answered to for this long are forgotten. */
const FORGET_AFTER_MS = 90 * 24 * 3600 * 1000;

/** @returns {Promise<Record<string, Cairn.Key>>} by port */
export async function loadKeys() {
  const { keys } = await chrome.storage.local.get('keys');
  return keys && typeof keys === 'object' ? /** @type {Record<string, Cairn.Key>} */ (keys) : {};
}

let changes = Promise.resolve();

/** Changes follow one another: two pairings at once must not lose a key. @param {(keys: Record<string, Cairn.Key>) => void} change */
function changeKeys(change) {
  changes = changes.then(async () => {
    const keys = await loadKeys();
    change(keys);
    await chrome.storage.local.set({ keys });
  });
  return changes;
}

/** @param {number} port @param {{id: string, secret: string}} key */
export function keepKey(port, key) {
  return changeKeys((keys) => {
    keys[port] = { id: key.id, secret: key.secret, used: Date.now() };
    for (const [other, { used }] of Object.entries(keys)) {
      if (Date.now() - used > FORGET_AFTER_MS) delete keys[other];
    }
  });
}

/** The host knew this key just now. @param {number} port @param {string} id */
export function touchKey(port, id) {
  return changeKeys((keys) => {
    if (keys[port]?.id === id) keys[port].used = Date.now();
  });
}

/** The host does not know this key. @param {number} port @param {string} id */
export function forgetKey(port, id) {
  return changeKeys((keys) => {
    if (keys[port]?.id === id) delete keys[port];
  });
}
