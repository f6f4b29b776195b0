// The hosts that this browser is paired with: one link a port.

import { forgetKey, keepKey, loadKeys, touchKey } from './keys.js';
import { Link, Refusal } from './link.js';

/** @type {Map<number, Link>} */
const links = new Map();

/** @type {import('./link.js').Handlers} */
const handlers = {
  receive: () => {},
  taken: () => {},
  changed: (link) => {
    if (link.open) void touchKey(link.port, link.credential.keyId);
    void showStatus(link.open ? null : undefined);
  },
  refused: (link, refusal) => {
    if (links.get(link.port) === link) links.delete(link.port);
    if (refusal.notPaired) void forgetKey(link.port, link.credential.keyId);
    void showStatus(refusal.message);
  },
};

/**
 * Says who takes what the hosts send, and who is told what they have had of pages.
 * @param {import('./link.js').Handlers['receive']} receive @param {import('./link.js').Handlers['taken']} taken
 */
export function onMessage(receive, taken) {
  handlers.receive = receive;
  handlers.taken = taken;
}

/** For the panel. @param {string | null | undefined} refusal undefined: as it was */
async function showStatus(refusal) {
  /** @type {Record<string, unknown>} */
  const shown = { status: { connected: openLinks().map((link) => link.port), paired: links.size > 0 } };
  if (refusal !== undefined) shown.refusal = refusal;
  await chrome.storage.session.set(shown);
}

/** @param {number} port @param {{id: string, secret: string}} key */
function makeLink(port, key) {
  links.get(port)?.stop();
  const link = new Link(port, { with: 'key', keyId: key.id, secret: key.secret }, handlers);
  links.set(port, link);
  return link;
}

/** Done when the hosts of earlier pairings are known: before, what is said to them would be lost. */
export const known = connectAll();

/** Connects to every host with which there was a pairing. */
export async function connectAll() {
  for (const [port, key] of Object.entries(await loadKeys())) {
    const known = links.get(Number(port));
    if (known) known.nudge();
    else void makeLink(Number(port), key).connect();
  }
}

/**
 * Exchanges a one-time code for a key, and stays connected.
 * @param {number} port @param {string} code
 * @returns {Promise<{ok: true} | {ok: false, message: string}>}
 */
export async function pair(port, code) {
  try {
    const { id, secret, greeted } = await Link.exchange(port, code);
    await keepKey(port, { id, secret });
    makeLink(port, { id, secret }).adopt(greeted);
    return { ok: true };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, message: error.message };
    const message = `No Cairn answers on port ${port}. Is \`cairn serve\` still running? Start it, then run \`cairn pair\`.`;
    return { ok: false, message };
  }
}

/** @param {number} port */
export function linkTo(port) {
  return links.get(port);
}

export function allLinks() {
  return [...links.values()];
}

/** Connected links, the one that connected last at the end. */
export function openLinks() {
  return allLinks()
    .filter((link) => link.open)
    .sort((one, other) => one.connectedAt - other.connectedAt);
}

/**
 * Sends to the host of a lease.
 * @param {Cairn.Lease} lease @param {Cairn.FromWorker} message @param {import('./link.js').PageNumber} [of]
 */
export function sendTo(lease, message, of) {
  links.get(lease.port)?.send(message, of);
}

/** @param {Cairn.Lease} lease @param {string} type @param {Record<string, unknown>} fields */
export function tell(lease, type, fields) {
  sendTo(lease, { type: 'event', event: { type, lease: lease.id, ...fields } });
}
