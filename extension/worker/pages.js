// The ports to the pages of leased tabs: who may speak, which build of the probe they get, what is carried to whom.
// What a probe and the host say to each other is text that is never read here.

import { awaitLeaseOfTab, documentName, forgetFrame, leaseById, leaseOfTab, save } from './leases.js';
import { sendTo, tell } from './links.js';
import { isWasmAllowed } from './policy.js';

/** How long a message waits for a page whose port is being made again. */
const REPORT_MS = 3000;

/** How long a tab without a page is asked after, and how often. */
const AWAITED_MS = 30_000;
const GLANCE_MS = 500;

/** The code of each build. Its readers came with the stub. */
const FILES = { wasm: ['probe_wasm.js'], js: ['probe_twin.js'] };

/**
 * @typedef {{
 *   port: chrome.runtime.Port, tab: number, frame: number, url: string,
 *   browserDocument: string, made: number,
 * }} Page
 */

/** By tab and frame. @type {Map<string, Page>} */
const pages = new Map();

/** Messages for documents whose port is being made again. @type {Set<{message: Cairn.PageMessage, timer: ReturnType<typeof setTimeout>}>} */
const waiting = new Set();

/** @param {number} tab @param {number} frame */
const keyOf = (tab, frame) => `${tab}:${frame}`;

/** @param {chrome.runtime.Port} port */
export function pageConnected(port) {
  const { tab, frameId, documentId, url } = port.sender ?? {};
  if (tab?.id === undefined || frameId === undefined || !documentId) return port.disconnect();
  /** @type {Page} */
  const page = { port, tab: tab.id, frame: frameId, url: url ?? '', browserDocument: documentId, made: 0 };
  // One after the other: what follows a greeting must not overtake it.
  /** @type {Promise<unknown>} */
  let turn = Promise.resolve();
  port.onMessage.addListener((/** @type {Cairn.FromContent} */ message) => {
    turn = turn.then(() => hear(page, message)).catch((error) => console.error('cairn:', error));
  });
  port.onDisconnect.addListener(() => {
    // An error that nobody reads is kept by the browser for as long as the worker lives: one a page that is left.
    void chrome.runtime.lastError;
    if (pages.get(keyOf(page.tab, page.frame)) !== page) return;
    pages.delete(keyOf(page.tab, page.frame));
    if (page.frame === 0) void awaitPage(page.tab);
    else void frameLeft(page);
  });
}

/**
 * A frame's port goes with its document, with this worker, and with the frame itself: of that alone no other event tells.
 * @param {Page} page
 */
async function frameLeft({ tab, frame, browserDocument }) {
  const known = await chrome.webNavigation.getFrame({ tabId: tab, frameId: frame }).catch(() => null);
  const lease = leaseOfTab(tab);
  if (known || lease?.frames[frame]?.browserDocument !== browserDocument) return;
  forgetFrame(lease, frame);
  tell(lease, 'frameGone', { frame });
}

/** Tabs that are asked after, as long as no page has come. @type {Set<number>} */
const awaited = new Set();

/**
 * No event tells of a crash; a tab that holds nothing does. It is asked when a page goes, or has just begun, and until one
 * has come in its place: a page may die before it has said a word.
 * @param {number} tab
 */
export async function awaitPage(tab) {
  if (awaited.has(tab)) return;
  awaited.add(tab);
  for (const end = Date.now() + AWAITED_MS; Date.now() < end && !hasTopPage(tab); ) {
    const { status, discarded } = await chrome.tabs.get(tab).catch(() => ({ status: 'gone', discarded: false }));
    if (status === 'gone') break;
    if (status === 'unloaded' && !discarded) {
      crashed(tab);
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, GLANCE_MS));
  }
  awaited.delete(tab);
}

/** @type {(tab: number) => void} */
let crashed = () => {};

/** Says who is told when a page's process ends. @param {(tab: number) => void} tell */
export function onCrash(tell) {
  crashed = tell;
}

/** @param {Page} page @param {Cairn.ToContent} message */
function post(page, message) {
  try {
    page.port.postMessage(message);
  } catch {
    // The page is gone; its disconnection follows.
  }
}

/** @param {Page} page @param {Cairn.FromContent} message */
async function hear(page, message) {
  const lease = await awaitLeaseOfTab(page.tab);
  if (!lease) {
    post(page, { type: 'free' });
    page.port.disconnect();
    return;
  }
  switch (message.type) {
    case 'hello':
      pages.set(keyOf(page.tab, page.frame), page);
      page.made = message.made;
      return greet(lease, page, message);
    case 'need':
      return bring(lease, page, message.engine);
    case 'ready':
      page.made = message.made;
      return ready(lease, page, message.engine, message.place);
    case 'notReady':
      return tell(lease, 'notReady', { frame: page.frame, url: page.url, error: message.error });
    case 'page':
      return carry(lease, page, message);
  }
}

/**
 * A page decides which build it gets. Which one that will be is known nearly always: its code goes with the greeting.
 * @param {Cairn.Lease} lease @param {Page} page @param {{running: Cairn.Engine | null, place: number}} hello
 */
async function greet(lease, page, { running, place }) {
  const wasm = isWasmAllowed(page.tab, page.frame, page.url);
  const coming = running ? null : foreseen(lease.engine, wasm);
  post(page, { type: 'leased', engine: lease.engine, wasm, coming });
  if (running) await ready(lease, page, running, place);
  else if (coming) await bring(lease, page, coming);
}

/** @param {Cairn.EngineChoice} wanted @param {boolean} allowed @returns {Cairn.Engine | null} `null`: the page has to try */
function foreseen(wanted, allowed) {
  if (wanted === 'auto') return allowed ? 'wasm' : 'js';
  return wanted === 'js' || allowed ? wanted : null;
}

/** Brings the code of a build into a page. @param {Cairn.Lease} lease @param {Page} page @param {Cairn.Engine} engine */
async function bring(lease, page, engine) {
  try {
    // Both ways at once: the module's bytes take as long as the script.
    post(page, { type: 'code', engine, bytes: engine === 'wasm' ? await moduleBytes() : null });
    await chrome.scripting.executeScript({
      target: { tabId: page.tab, documentIds: [page.browserDocument] },
      files: FILES[engine],
      injectImmediately: true,
    });
  } catch (error) {
    // A page that was left meanwhile needs no probe.
    if (pages.get(keyOf(page.tab, page.frame)) !== page) return;
    const message = `the probe could not be brought into the page: ${said(error)}`;
    tell(lease, 'notReady', {
      frame: page.frame,
      url: page.url,
      error: { code: 'refused', message, hint: 'reload the page and run again' },
    });
  }
}

/** @type {Promise<ArrayBuffer> | undefined} */
let bytes;

function moduleBytes() {
  bytes ??= fetch(chrome.runtime.getURL('probe_bg.wasm')).then((response) => response.arrayBuffer());
  return bytes;
}

/** @param {Cairn.Lease} lease @param {Page} page @param {Cairn.Engine} engine @param {number} place */
async function ready(lease, page, engine, place) {
  const document = documentName(page.browserDocument, page.made);
  const { frame, url, browserDocument } = page;
  // A page that only lost its port, because this worker was stopped, is ready still: nobody need be told.
  if (lease.frames[frame]?.document !== document) {
    const known = frame === 0 ? null : await chrome.webNavigation.getFrame({ tabId: page.tab, frameId: frame });
    const info = { frame, parent: known?.parentFrameId ?? (frame === 0 ? -1 : 0), place, document, url, engine };
    lease.frames[frame] = { ...info, browserDocument };
    save();
    tell(lease, 'ready', { info });
  }
  for (const entry of waiting) {
    const { message, timer } = entry;
    if (message.lease !== lease.id || message.frame !== frame || message.document !== document) continue;
    clearTimeout(timer);
    waiting.delete(entry);
    post(page, { type: 'page', text: message.message });
  }
}

/**
 * From a probe to the host. What a page says again, because its port was made again, is sorted out there.
 * @param {Cairn.Lease} lease @param {Page} page @param {{number: number, made: number, text: string}} message
 */
function carry(lease, page, { number, made, text }) {
  const document = documentName(page.browserDocument, made);
  const message = {
    type: /** @type {const} */ ('page'),
    lease: lease.id,
    frame: page.frame,
    document,
    number,
    message: text,
  };
  sendTo(lease, message, { page: page.port, number });
}

/** The host has what these pages said. @param {Map<chrome.runtime.Port, number>} numbers up to which message, by page */
export function taken(numbers) {
  for (const [port, number] of numbers) {
    try {
      port.postMessage({ type: 'taken', number });
    } catch {
      // The page is gone, or says it all again over its next port.
    }
  }
}

/** From the host to a probe. Never to another document than it is meant for. @param {Cairn.PageMessage} message */
export function deliver(message) {
  const lease = leaseById(message.lease);
  if (!lease) return;
  const page = pages.get(keyOf(lease.tab, message.frame));
  if (page && documentName(page.browserDocument, page.made) === message.document) {
    post(page, { type: 'page', text: message.message });
  } else if (!page && lease.frames[message.frame]?.document === message.document) {
    const timer = setTimeout(() => {
      waiting.delete(entry);
      undelivered(lease, message);
    }, REPORT_MS);
    const entry = { message, timer };
    waiting.add(entry);
  } else {
    undelivered(lease, message);
  }
}

/** @param {Cairn.Lease} lease @param {Cairn.PageMessage} message */
function undelivered(lease, message) {
  tell(lease, 'undelivered', { frame: message.frame, document: message.document });
}

/** Has the top frame of a tab reported? @param {number} tab */
export function hasTopPage(tab) {
  return pages.has(keyOf(tab, 0));
}

/** Ends every probe of a tab. @param {number} tab */
export function freePages(tab) {
  for (const [key, page] of pages) {
    if (page.tab !== tab) continue;
    post(page, { type: 'free' });
    page.port.disconnect();
    pages.delete(key);
  }
}

/** @param {unknown} error */
export function said(error) {
  return error instanceof Error ? error.message : String(error);
}
