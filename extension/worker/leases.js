// Which tabs are leased, to whom, and which of their frames are ready. Kept for the session of the browser, because the
// worker may be stopped at any moment and must find it again.

import { known } from './links.js';
import { fitViewport, leftBehind, openingOver, openingsUnderWay } from './openings.js';

/** @type {Map<string, Cairn.Lease>} */
const leases = new Map();

/** Resolves when what was kept has been read. Every handler waits for it first. */
export const loaded = load();

async function load() {
  await known;
  const kept = await chrome.storage.session.get(['leases', 'openings']);
  for (const lease of /** @type {Cairn.Lease[]} */ (kept.leases ?? [])) leases.set(lease.id, lease);
  for (const lease of [...leases.values()]) {
    if (!(await chrome.tabs.get(lease.tab).catch(() => null))) leases.delete(lease.id);
  }
  const openings = /** @type {Cairn.Opening[]} */ (kept.openings ?? []);
  const made = await leftBehind(openings, (tab) => !!leaseOfTab(tab));
  for (const { opening, window, tab } of made) {
    const { lease: id, port, url, engine } = opening;
    leases.set(id, { id, port, tab, window: window.id ?? 0, url, engine, ours: true, frames: {} });
    if (opening.viewport) await fitViewport(window, tab, opening.viewport).catch(() => {});
  }
  if (openings.length > 0) save();
}

let writing = false;

/** Writes what stands. Changes of one turn are written once. */
export function save() {
  if (writing) return;
  writing = true;
  queueMicrotask(() => {
    writing = false;
    void chrome.storage.session.set({ leases: allLeases(), openings: openingsUnderWay() });
  });
}

/** @param {Cairn.Lease} lease */
export function addLease(lease) {
  leases.set(lease.id, lease);
  openingOver(lease.id);
  expected.get(lease.tab)?.come();
  coming.get(lease.tab)?.resolve();
  save();
}

/** @param {string} id */
export function removeLease(id) {
  leases.delete(id);
  save();
  void clearPanel(id);
}

/** What the panel shows of a lease ends with it. @param {string} id */
async function clearPanel(id) {
  const { panel } = await chrome.storage.session.get('panel');
  if (/** @type {Cairn.PanelState | undefined} */ (panel)?.lease === id) await chrome.storage.session.remove('panel');
}

/** @param {string} id */
export function leaseById(id) {
  return leases.get(id);
}

/** @param {number | undefined} tab */
export function leaseOfTab(tab) {
  return allLeases().find((lease) => lease.tab === tab);
}

/** Windows that are being opened: their tabs are leased as soon as the browser says which they are. */
let openings = 0;
/** @type {Promise<unknown>} */
let opened = Promise.resolve();

/** Tabs that are not leased yet and have something to say while windows are opened. @type {Map<number, PromiseWithResolvers<void>>} */
const coming = new Map();

/** Until this tab is leased, or no window is opened that it may be of: none waits for another one's window. @param {number} tab */
async function awaitOpening(tab) {
  const own = coming.get(tab) ?? /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers());
  coming.set(tab, own);
  await Promise.race([own.promise, opened]);
  coming.delete(tab);
}

/** @template T @param {() => Promise<T>} open makes a window and leases its tab @returns {Promise<T>} */
export function whileOpening(open) {
  openings += 1;
  const done = open().finally(() => {
    openings -= 1;
  });
  // Without its results: each would hold all that came before it.
  opened = Promise.allSettled([opened, done]).then(() => undefined);
  return done;
}

/** Is the stub to be in the pages? */
export function stubWanted() {
  return openings > 0 || leases.size > 0;
}

/** How long the host may take to lease a tab that a leased page opened. */
const EXPECT_MS = 5000;

/** Tabs that leased pages opened: the host is about to say whether it wants them. @type {Map<number, {promise: Promise<void>, come: () => void}>} */
const expected = new Map();

/** What a page in this tab says is held back until the host has leased it, or does not. @param {number} tab */
export function expectLease(tab) {
  if (expected.has(tab) || leaseOfTab(tab)) return;
  const { promise, resolve } = /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers());
  const come = () => {
    expected.delete(tab);
    resolve();
  };
  expected.set(tab, { promise, come });
  setTimeout(come, EXPECT_MS);
}

/** @param {number} tab */
export function isExpected(tab) {
  return expected.has(tab);
}

/**
 * The lease of a tab, which may be of a window that is just being opened, or of a tab that the host is about to lease.
 * @param {number} tab
 */
export async function awaitLeaseOfTab(tab) {
  await loaded;
  if (openings > 0 && !leaseOfTab(tab)) await awaitOpening(tab);
  if (!leaseOfTab(tab)) await expected.get(tab)?.promise;
  return leaseOfTab(tab);
}

export function allLeases() {
  return [...leases.values()];
}

/** @param {Cairn.Lease} lease @returns {Cairn.LeaseInfo} */
export function infoOf(lease) {
  const frames = Object.values(lease.frames).map(({ browserDocument: _, ...info }) => info);
  const { id, tab, window, url, ours } = lease;
  return { lease: id, tab, window, url, adopted: !ours, frames };
}

/**
 * The name by which the host knows a document of the browser: its id, and a number behind it when the probe was made
 * anew, because none of the earlier probe's refs holds any more.
 * @param {string} browserDocument @param {number} made how many probes it has had
 */
export function documentName(browserDocument, made) {
  return made > 1 ? `${browserDocument}#${made}` : browserDocument;
}

/** A frame has another document: what was known of the earlier one is void. @param {Cairn.Lease} lease @param {number} frame */
export function forgetFrame(lease, frame) {
  if (frame === 0) lease.frames = {};
  else delete lease.frames[frame];
  save();
}
