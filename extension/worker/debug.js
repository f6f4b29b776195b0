// The debugger of leased tabs: input that a page trusts, and native dialogs. Attached at the first command and held until
// the lease ends: each attaching shows the browser's banner, which moves the page.

import { allLeases, leaseOfTab, save } from './leases.js';
import { tell } from './links.js';
import { said } from './pages.js';

const VERSION = '1.3';

/**
 * Sends commands to the lease's tab, one after the other.
 * @param {Cairn.Lease} lease @param {{method: string, params: object}[]} commands
 */
export async function debug(lease, commands) {
  listen();
  if (!lease.debugged) {
    try {
      await chrome.debugger.attach({ tabId: lease.tab }, VERSION);
    } catch (error) {
      // Ours, from before this worker was stopped.
      if (!said(error).includes('already attached')) throw error;
    }
    lease.debugged = true;
    save();
    await chrome.debugger.sendCommand({ tabId: lease.tab }, 'Page.enable', {});
  }
  for (const { method, params } of commands) {
    await chrome.debugger.sendCommand({ tabId: lease.tab }, method, params);
  }
}

/** Lets go of a tab. @param {Cairn.Lease} lease */
export async function letGo(lease) {
  if (!lease.debugged) return;
  lease.debugged = false;
  // A tab that is gone has no debugger any more.
  await chrome.debugger.detach({ tabId: lease.tab }).catch(() => {});
  if (!allLeases().some((other) => other.debugged)) listenNoMore();
}

/** @param {{tabId?: number}} source @param {string} method @param {any} params */
function happened(source, method, params) {
  const lease = leaseOfTab(source.tabId);
  if (!lease) return;
  if (method === 'Page.javascriptDialogOpening') {
    const { type, message, defaultPrompt, url } = params;
    tell(lease, 'dialogOpened', { kind: type, message, preset: defaultPrompt ?? '', url });
  } else if (method === 'Page.javascriptDialogClosed') {
    tell(lease, 'dialogClosed', { accepted: params.result, text: params.userInput ?? '' });
  }
}

/** A person may end it at the browser's banner. @param {{tabId?: number}} source */
function detached(source) {
  const lease = leaseOfTab(source.tabId);
  if (!lease) return;
  lease.debugged = false;
  save();
}

let listening = false;

/** Called at the start of a worker that holds leases, too: only listeners of its first turn are woken for. */
export function listen() {
  if (listening) return;
  listening = true;
  chrome.debugger.onEvent.addListener(happened);
  chrome.debugger.onDetach.addListener(detached);
}

function listenNoMore() {
  listening = false;
  chrome.debugger.onEvent.removeListener(happened);
  chrome.debugger.onDetach.removeListener(detached);
}
