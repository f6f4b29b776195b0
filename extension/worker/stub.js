// The stub in the pages: registered while a lease exists or is made, so that it comes before a page's first script; never without one.

import { stubWanted } from './leases.js';
import { mailPort } from './mailbox.js';
import { pageConnected } from './pages.js';

const ID = 'stub';

/** The readers come with the stub, so that what is done before the probe runs is read as it was. */
const FILES = ['collect.js', 'content.js'];

/** @type {Promise<unknown>} */
let turn = Promise.resolve();

/** Makes the registration what the leases demand. Calls follow one another. */
export function syncStub() {
  turn = turn.then(sync).catch((error) => console.error('cairn: the stub', error));
  return turn;
}

async function sync() {
  const registered = (await chrome.scripting.getRegisteredContentScripts({ ids: [ID] })).length > 0;
  const wanted = stubWanted();
  if (wanted && !registered) {
    await chrome.scripting.registerContentScripts([
      {
        id: ID,
        js: FILES,
        matches: ['<all_urls>'],
        allFrames: true,
        matchOriginAsFallback: true,
        runAt: 'document_start',
        persistAcrossSessions: false,
      },
    ]);
  } else if (!wanted && registered) {
    await chrome.scripting.unregisterContentScripts({ ids: [ID] });
  }
}

/** Puts the stub into a page that was there before the lease. @param {number} tab */
export async function injectStub(tab) {
  const stubs = await chrome.scripting.executeScript({
    target: { tabId: tab, allFrames: true },
    files: FILES,
    injectImmediately: true,
  });
  for (const { frameId, documentId, result } of stubs) {
    const mute = /** @type {{mailAt?: string} | null} */ (result)?.mailAt;
    const port = mute === undefined ? null : mailPort(tab, frameId, documentId, mute);
    if (port) pageConnected(port);
  }
}
