// What happens to leased tabs: navigations, tabs that pages open, requests, the end. Nothing is listened to without a lease.

import {
  allLeases,
  awaitLeaseOfTab,
  documentName,
  expectLease,
  forgetFrame,
  leaseOfTab,
  loaded,
  removeLease,
  save,
  stubWanted,
} from './leases.js';
import { linkTo, sendTo, tell } from './links.js';
import { awaitPage, freePages, hasTopPage, onCrash, said } from './pages.js';
import { ignorePolicies, statusOf, watchPolicies } from './policy.js';
import { injectStub, syncStub } from './stub.js';

/** Requests that are more than a plain read of a page's parts. */
const TELLING_KINDS = ['xmlhttprequest', 'ping', 'websocket', 'other'];

/**
 * Runs a listener once what was kept has been read, for leased tabs only.
 * @param {(lease: Cairn.Lease, details: any) => void} then
 */
function ofLeased(then) {
  return async (/** @type {any} */ details) => {
    const lease = await awaitLeaseOfTab(details.tabId);
    if (lease) then(lease, details);
  };
}

/** A page that is only prepared in the background is not shown yet. @param {{documentLifecycle?: string}} details */
const isPrepared = (details) => details.documentLifecycle === 'prerender';

/** Navigations of each lease's top page that have begun and not ended. @type {Map<string, number>} */
const begun = new Map();

/** @param {Cairn.Lease} lease @returns {number} how many are still under way */
function navigationOver(lease) {
  const left = Math.max(0, (begun.get(lease.id) ?? 0) - 1);
  begun.set(lease.id, left);
  return left;
}

const leaving = ofLeased((lease, details) => {
  if (details.frameId !== 0 || isPrepared(details)) return;
  begun.set(lease.id, (begun.get(lease.id) ?? 0) + 1);
  tell(lease, 'leaving', { url: details.url });
});

/** @param {Cairn.Lease} lease @param {any} details @param {boolean} sameDocument */
function committed(lease, details, sameDocument) {
  if (isPrepared(details)) return;
  const { frameId: frame, url, documentId } = details;
  if (frame === 0 && !sameDocument) {
    begun.delete(lease.id);
    void awaitPage(lease.tab);
  }
  const known = lease.frames[frame];
  const sameAsKnown = known?.browserDocument === documentId;
  if (sameAsKnown) known.url = url;
  else if (!sameDocument) forgetFrame(lease, frame);
  if (frame === 0) lease.url = url;
  save();
  tell(lease, 'committed', {
    frame,
    document: sameAsKnown ? known.document : documentName(documentId, 1),
    url,
    sameDocument,
    transition: details.transitionType ?? '',
    qualifiers: details.transitionQualifiers ?? [],
    status: sameDocument ? 0 : statusOf(lease.tab, frame, url),
  });
}

const documentCommitted = ofLeased((lease, details) => committed(lease, details, false));
const urlChanged = ofLeased((lease, details) => committed(lease, details, true));

const loadFailed = ofLeased((lease, details) => {
  if (isPrepared(details)) return;
  if (details.error === 'net::ERR_ABORTED' && lease.frames[details.frameId]) {
    // A download or an empty answer: the page that was there stays. Or another navigation came in its place.
    if (details.frameId === 0 && navigationOver(lease) === 0) tell(lease, 'stays', {});
    return;
  }
  tell(lease, 'loadFailed', { frame: details.frameId, url: details.url, error: details.error });
});

/** The stub is there long before this; where it is not, the page came before the lease or the browser keeps us out. */
const parsed = ofLeased(async (lease, details) => {
  if (details.frameId !== 0 || isPrepared(details) || hasTopPage(lease.tab)) return;
  try {
    await injectStub(lease.tab);
  } catch (error) {
    const message = `the browser keeps extensions out of this page: ${said(error)}`;
    const wire = { code: 'refused', message, hint: 'go on with another page' };
    tell(lease, 'notReady', { frame: 0, url: details.url, error: wire });
  }
});

const opened = async (/** @type {any} */ details) => {
  if (leaseOfTab(details.sourceTabId)) expectLease(details.tabId);
  const lease = await awaitLeaseOfTab(details.sourceTabId);
  if (lease) tell(lease, 'opened', { tab: details.tabId, url: details.url });
};

/** Comes before its page does, and before the browser says where it is going. @param {chrome.tabs.Tab} tab */
function created(tab) {
  if (tab.id !== undefined && leaseOfTab(tab.openerTabId)) expectLease(tab.id);
}

const removed = async (/** @type {number} */ tab) => {
  const lease = await awaitLeaseOfTab(tab);
  if (lease) tabGone(lease, 'closed');
};

onCrash((tab) => {
  const lease = leaseOfTab(tab);
  if (lease) tabGone(lease, 'crashed');
});

/** @param {Cairn.Lease} lease @param {'closed' | 'crashed'} reason */
function tabGone(lease, reason) {
  tell(lease, 'tabGone', { reason });
  removeLease(lease.id);
  freePages(lease.tab);
  watchNothing(lease);
  void settle();
}

/** @param {Cairn.Lease} lease @returns {(details: any) => undefined} */
function requested(lease) {
  return ({ method, url, type, timeStamp, frameId }) => {
    const isForm = (type === 'main_frame' || type === 'sub_frame') && method !== 'GET';
    if (!isForm && !TELLING_KINDS.includes(type)) return;
    if (frameId < 0 && type !== 'ping') return;
    sendTo(lease, {
      type: 'event',
      event: { type: 'request', lease: lease.id, method, url: url.split(/[?#]/)[0], kind: type, at: timeStamp },
    });
  };
}

/** @type {Map<string, (details: any) => undefined>} */
const requestListeners = new Map();

/** What is heard of the browser while something is leased. @returns {[chrome.events.Event<any>, (...args: any[]) => void][]} */
const heard = () => [
  [chrome.webNavigation.onBeforeNavigate, leaving],
  [chrome.webNavigation.onCommitted, documentCommitted],
  [chrome.webNavigation.onHistoryStateUpdated, urlChanged],
  [chrome.webNavigation.onReferenceFragmentUpdated, urlChanged],
  [chrome.webNavigation.onErrorOccurred, loadFailed],
  [chrome.webNavigation.onDOMContentLoaded, parsed],
  [chrome.webNavigation.onCreatedNavigationTarget, opened],
  [chrome.tabs.onRemoved, removed],
  [chrome.tabs.onCreated, created],
];

let listening = false;

/** Called at the start of the worker, too: only listeners of its first turn are woken for. */
export function listen() {
  if (listening) return;
  listening = true;
  for (const [event, listener] of heard()) event.addListener(listener);
}

function listenNoMore() {
  listening = false;
  for (const [event, listener] of heard()) event.removeListener(listener);
}

/** @param {Cairn.Lease} lease */
export function watchLease(lease) {
  listen();
  watchPolicies(lease.tab);
  if (requestListeners.has(lease.id)) return;
  const listener = requested(lease);
  requestListeners.set(lease.id, listener);
  chrome.webRequest.onBeforeRequest.addListener(listener, { urls: ['<all_urls>'], tabId: lease.tab });
}

/** A lease has ended. @param {Cairn.Lease} lease */
export function watchNothing(lease) {
  const listener = requestListeners.get(lease.id);
  if (listener) chrome.webRequest.onBeforeRequest.removeListener(listener);
  requestListeners.delete(lease.id);
  begun.delete(lease.id);
  ignorePolicies(lease.tab);
}

/** Leaves the pages and the browser alone where nothing is leased any more. */
export function settle() {
  if (!stubWanted()) listenNoMore();
  return syncStub();
}

/** After the worker was started anew: watches what is still leased, or nothing. */
export async function resume() {
  await loaded;
  for (const lease of allLeases()) watchLease(lease);
  await settle();
}

/** @param {Cairn.Lease} lease @param {number} ms has its host been silent for so long? */
export function isAbandoned(lease, ms) {
  const link = linkTo(lease.port);
  return !link || (!link.open && Date.now() - link.lastHeard > ms);
}
