// What the host asks of tabs and windows.

import { debug, letGo } from './debug.js';
import {
  addLease,
  allLeases,
  infoOf,
  isExpected,
  leaseById,
  leaseOfTab,
  removeLease,
  save,
  whileOpening,
} from './leases.js';
import { fitViewport, noteOpening, openingOver } from './openings.js';
import { freePages, hasTopPage, said } from './pages.js';
import { ignorePolicies, watchPolicies } from './policy.js';
import { injectStub, syncStub } from './stub.js';
import { listen, settle, watchLease, watchNothing } from './watch.js';

/** When an adopted page that has not reported is given the stub once more. */
const SECOND_TRY_MS = 500;

/** A call that cannot be done, with the reason for people. */
export class CallError extends Error {
  /** @param {Cairn.ErrorCode} code @param {string} message @param {string} hint */
  constructor(code, message, hint) {
    super(message);
    this.wire = { code, message, hint };
  }
}

/** @param {unknown} error @param {string} hint */
function refused(error, hint) {
  return new CallError('refused', `the browser refused: ${said(error)}`, hint);
}

/** @param {string} id */
function wanted(id) {
  const lease = leaseById(id);
  if (!lease) throw new CallError('noSuchLease', 'the browser has no such lease', 'run again');
  return lease;
}

/** @param {string} url @returns {string} the same, if a page can be there */
function checkedUrl(url) {
  const scheme = URL.parse(url)?.protocol;
  if (scheme && scheme !== 'javascript:' && scheme !== 'chrome-extension:') return url;
  throw new CallError('refused', `${url} cannot be opened`, 'give a whole address, as in https://example.org/');
}

/** @param {number} port of the host that asks @param {Cairn.OpenCall} call @returns {Promise<Cairn.CallResult>} */
export async function open(port, call) {
  const found = call.tab ?? (call.atUrl ? await tabAt(call.atUrl) : null);
  if (found !== null) return adopt(port, call, found);
  const url = checkedUrl(call.url ?? call.atUrl ?? '');
  const lease = await whileOpening(() => openWindow(port, call, url))
    .catch(async (error) => {
      openingOver(call.lease);
      save();
      await settle();
      throw error;
    })
    .finally(() => ignorePolicies());
  return { type: 'lease', ...infoOf(lease) };
}

/**
 * The stub is registered before the window's first page is asked for, and what that page and the browser say is held
 * back until the tab is leased.
 * @param {number} port @param {Cairn.OpenCall} call @param {string} url
 */
async function openWindow(port, call, url) {
  listen();
  watchPolicies();
  await syncStub();
  const { lease: id, engine, viewport } = call;
  await noteOpening({ lease: id, port, url, engine, viewport });
  const made = await chrome.windows.create({ url, focused: true, ...call.viewport }).catch((error) => {
    throw refused(error, 'check the address; open a window of the browser by hand and try again');
  });
  const tab = made?.tabs?.[0];
  if (made?.id === undefined || tab?.id === undefined) throw refused('it made no window', 'try again');
  const lease = makeLease(port, call, tab.id, made.id, url, true);
  await begin(lease);
  if (call.viewport) await fitViewport(made, tab.id, call.viewport);
  return lease;
}

/** @param {number} port @param {Cairn.OpenCall} call @param {number} id @returns {Promise<Cairn.CallResult>} */
async function adopt(port, call, id) {
  const tab = await chrome.tabs.get(id).catch(() => {
    throw new CallError('gone', 'the tab is closed', 'choose another one');
  });
  if (leaseOfTab(id)) throw new CallError('refused', 'the tab is leased already', 'end what runs there first');
  // What a leased page opened has its stub already, which waits for this.
  const has = isExpected(id);
  const lease = makeLease(port, call, id, tab.windowId, tab.url ?? '', false);
  await begin(lease);
  if (has) {
    setTimeout(() => void secondTry(lease), SECOND_TRY_MS);
    return { type: 'lease', ...infoOf(lease) };
  }
  try {
    await injectStub(id);
  } catch (error) {
    await end(lease, true);
    throw refused(error, 'extensions may not touch pages of the browser itself; choose another tab');
  }
  setTimeout(() => void secondTry(lease), SECOND_TRY_MS);
  return { type: 'lease', ...infoOf(lease) };
}

/** The stub of an earlier lease of the same page may just have been on its way out. @param {Cairn.Lease} lease */
async function secondTry(lease) {
  if (!leaseById(lease.id) || hasTopPage(lease.tab)) return;
  // Where the page was left meanwhile, the next one has its stub already.
  await injectStub(lease.tab).catch(() => {});
}

/** The tab at exactly this URL that was used last. @param {string} url */
async function tabAt(url) {
  const tabs = (await chrome.tabs.query({})).filter((tab) => tab.url === url && !leaseOfTab(tab.id));
  tabs.sort((one, other) => (other.lastAccessed ?? 0) - (one.lastAccessed ?? 0));
  return tabs[0]?.id ?? null;
}

/**
 * @param {number} port @param {Cairn.OpenCall} call @param {number} tab @param {number} window @param {string} url
 * @param {boolean} ours @returns {Cairn.Lease}
 */
function makeLease(port, call, tab, window, url, ours) {
  return { id: call.lease, port, tab, window, url, engine: call.engine, ours, frames: {} };
}

/** @param {Cairn.Lease} lease */
async function begin(lease) {
  addLease(lease);
  watchLease(lease);
  await syncStub();
}

/** @param {string} id @param {boolean} keepTab @returns {Promise<Cairn.CallResult>} */
export async function close(id, keepTab) {
  const lease = leaseById(id);
  if (lease) await end(lease, keepTab);
  return { type: 'nothing' };
}

/** Nothing of ours stays in the tab. @param {Cairn.Lease} lease @param {boolean} keepTab */
export async function end(lease, keepTab) {
  removeLease(lease.id);
  freePages(lease.tab);
  watchNothing(lease);
  await letGo(lease);
  await settle();
  // A tab that is gone already is what was asked for; one that asks "Leave site?" is left to its person.
  if (!keepTab) void chrome.tabs.remove(lease.tab).catch(() => {});
}

/**
 * One step in the tab's history. The browser's own button skips entries that a page added without a person's gesture, and
 * a played click is none: so the page's own history goes first, where it has such a step within its origin.
 *
 * @param {number} tab @param {-1 | 1} by
 */
async function travel(tab, by) {
  const [gone] = await chrome.scripting
    .executeScript({
      target: { tabId: tab },
      func: (by) => {
        const can = by < 0 ? navigation.canGoBack : navigation.canGoForward;
        if (can) history.go(by);
        return can;
      },
      args: [by],
    })
    .catch(() => []);
  if (gone?.result) return;
  await (by < 0 ? chrome.tabs.goBack(tab) : chrome.tabs.goForward(tab));
}

/** @param {string} id @param {Cairn.Navigation} to @returns {Promise<Cairn.CallResult>} */
export async function navigate(id, to) {
  const { tab } = wanted(id);
  try {
    if (to.type === 'goto') await chrome.tabs.update(tab, { url: checkedUrl(to.url) });
    else if (to.type === 'back') await travel(tab, -1);
    else if (to.type === 'forward') await travel(tab, 1);
    else await chrome.tabs.reload(tab);
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw refused(error, to.type === 'goto' ? 'check the address' : 'look at the history of the tab');
  }
  return { type: 'nothing' };
}

/** @param {string} id @returns {Promise<Cairn.CallResult>} */
export async function capture(id) {
  const lease = wanted(id);
  const tab = await chrome.tabs.get(lease.tab);
  if (!tab.active) {
    throw new CallError('refused', 'the tab is not in front of its window: no picture', 'leave the tab in front');
  }
  try {
    const url = await chrome.tabs.captureVisibleTab(tab.windowId, { format: 'png' });
    return { type: 'picture', png: url.slice(url.indexOf(',') + 1) };
  } catch (error) {
    throw refused(error, 'pictures can be taken twice a second');
  }
}

/** @param {string} id @param {Cairn.Command[]} commands @param {boolean} unseen only where nobody sees it @returns {Promise<Cairn.CallResult>} */
export async function command(id, commands, unseen) {
  // Where the browser has no window, its banner that a debugger is attached disturbs nobody.
  if (unseen && !navigator.userAgent.includes('Headless')) return { type: 'nothing' };
  try {
    await debug(wanted(id), commands);
  } catch (error) {
    if (error instanceof CallError) throw error;
    const hint = 'close the developer tools of the tab, and switch off extensions that put frames into its pages';
    throw new CallError('refused', `the browser refuses trusted input in this tab: ${said(error)}`, hint);
  }
  return { type: 'nothing' };
}

/** @param {number} port of the host that asks @returns {Promise<Cairn.CallResult>} its leases, and nobody else's */
export async function held(port) {
  const own = allLeases().filter((lease) => lease.port === port);
  return { type: 'leases', leases: own.map(infoOf) };
}
