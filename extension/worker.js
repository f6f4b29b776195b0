// The extension's worker: it carries the host's calls to the browser, and says what happens in leased tabs. It decides
// nothing, and may be stopped and started at any moment: what matters lives in the host.

import { listen as listenToDebugger } from './worker/debug.js';
import { allLeases, leaseById, loaded } from './worker/leases.js';
import { allLinks, connectAll, onMessage, openLinks, pair, tell } from './worker/links.js';
import { deliver, pageConnected, said, taken } from './worker/pages.js';
import { CallError, capture, close, command, end, held, navigate, open } from './worker/tabs.js';
import { isAbandoned, listen, resume } from './worker/watch.js';

/** The browser stops a worker after 30 s without any of our calls. */
const STAY_MS = 20_000;

/** A host that was away for this long is waited for no more; the next event of the browser tries again. */
const GIVE_UP_MS = 60 * 60 * 1000;

/** The host ends a lease when the browser is away for half a minute; after this time we do. */
const ABANDONED_MS = 90_000;

/** @param {number} port @param {Cairn.Call} call @returns {Promise<Cairn.CallResult>} */
function perform(port, call) {
  switch (call.type) {
    case 'open':
      return open(port, call);
    case 'close':
      return close(call.lease, call.keepTab);
    case 'navigate':
      return navigate(call.lease, call.to);
    case 'capture':
      return capture(call.lease);
    case 'debug':
      return command(call.lease, call.commands, call.unseen);
    case 'leases':
      return held(port);
    case 'showPanel':
      return chrome.storage.session.set({ panel: call.state }).then(() => ({ type: 'nothing' }));
  }
}

onMessage(async (link, message) => {
  await loaded;
  if (message.type === 'page') {
    deliver(message);
  } else if (message.type === 'call') {
    const { id, call } = message;
    try {
      link.send({ type: 'done', id, result: await perform(link.port, call) });
    } catch (error) {
      const wire = { code: /** @type {const} */ ('internal'), message: said(error), hint: 'report this' };
      link.send({ type: 'failed', id, error: error instanceof CallError ? error.wire : wire });
    }
  }
}, taken);

/**
 * What our own pages ask for.
 * @param {{type: 'pair', port: number, code: string} | {type: 'record', tab: number, name: string} | {type: 'stop', lease: string} | {type: 'wake'}} message
 */
async function serve(message) {
  await loaded;
  switch (message.type) {
    case 'pair':
      return pair(message.port, message.code);
    case 'record': {
      const link = openLinks().at(-1);
      if (!link) return { ok: false, message: 'Cairn is not running. Start it with `cairn serve`.' };
      link.send({ type: 'event', event: { type: 'panelRecord', tab: message.tab, name: message.name } });
      return { ok: true };
    }
    case 'stop': {
      const lease = leaseById(message.lease);
      if (!lease) return { ok: false, message: 'This recording has ended already.' };
      tell(lease, 'panelStop', {});
      return { ok: true };
    }
    case 'wake':
      await connectAll();
      return { ok: true };
  }
}

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  // Only our own pages may ask: a content script lives in a process that a page may have broken into.
  if (!sender.url?.startsWith(chrome.runtime.getURL(''))) return;
  serve(message).then(answer, (error) => answer({ ok: false, message: said(error) }));
  return true;
});

chrome.runtime.onConnect.addListener((port) => {
  if (port.name === 'page') pageConnected(port);
});

// These wake a stopped worker, so that it looks for its hosts again. What they tell of tabs is not looked at.
for (const event of [
  chrome.runtime.onStartup,
  chrome.runtime.onInstalled,
  chrome.windows.onFocusChanged,
  chrome.tabs.onActivated,
  chrome.tabs.onCreated,
  chrome.tabs.onRemoved,
]) {
  /** @type {chrome.events.Event<() => void>} */ (event).addListener(() => void connectAll());
}

listen();
listenToDebugger();
void resume();
void chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });

setInterval(async () => {
  await loaded;
  for (const lease of allLeases()) {
    if (isAbandoned(lease, ABANDONED_MS)) await end(lease, true);
  }
  const waits = allLinks().some((link) => !link.open && Date.now() - link.lastHeard < GIVE_UP_MS);
  if (waits || allLeases().length > 0) await chrome.runtime.getPlatformInfo();
}, STAY_MS);
