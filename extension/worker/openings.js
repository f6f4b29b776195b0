// Windows that are being made. The browser may stop the worker between making one and saying which it is: what is about to be
// made is kept before, and the next life of the worker finds the window by it. Else it would be left behind.

/** The openings under way, by lease. @type {Map<string, Cairn.Opening>} */
const openings = new Map();

/** How long after its beginning an opening is still looked for. */
const LOOKED_FOR_MS = 60_000;

/** @returns {Cairn.Opening[]} to be kept */
export function openingsUnderWay() {
  return [...openings.values()];
}

/**
 * A window is about to be made for this lease. Resolves when that is kept.
 * @param {Omit<Cairn.Opening, 'after' | 'at'>} opening
 */
export async function noteOpening(opening) {
  // The browser counts its windows up: those to come have higher numbers.
  const windows = await chrome.windows.getAll();
  const after = Math.max(0, ...windows.map(({ id }) => id ?? 0));
  openings.set(opening.lease, { ...opening, after, at: Date.now() });
  await chrome.storage.session.set({ openings: openingsUnderWay() });
}

/** It was made, or refused. @param {string} lease */
export function openingOver(lease) {
  openings.delete(lease);
}

/**
 * The windows that an earlier life of this worker made and could not note any more, each with what it is for.
 * @param {Cairn.Opening[]} kept @param {(tab: number) => boolean} isLeased
 * @returns {Promise<{opening: Cairn.Opening, window: chrome.windows.Window, tab: number}[]>}
 */
export async function leftBehind(kept, isLeased) {
  const recent = kept.filter(({ at }) => Date.now() - at < LOOKED_FOR_MS);
  if (recent.length === 0) return [];
  const windows = await chrome.windows.getAll({ populate: true, windowTypes: ['normal'] });
  const found = [];
  for (const opening of recent) {
    const place = windows.findIndex((window) => isOf(opening, window, isLeased));
    if (place < 0) continue;
    const [window] = windows.splice(place, 1);
    found.push({ opening, window, tab: /** @type {number} */ (window.tabs?.[0]?.id) });
  }
  return found;
}

/** @param {Cairn.Opening} opening @param {chrome.windows.Window} window @param {(tab: number) => boolean} isLeased */
function isOf(opening, window, isLeased) {
  const [tab, ...others] = window.tabs ?? [];
  if (tab?.id === undefined || others.length > 0 || tab.openerTabId !== undefined || isLeased(tab.id)) return false;
  if (window.id === undefined || window.id <= opening.after) return false;
  const urls = [tab.pendingUrl, tab.url];
  if (urls.includes(opening.url)) return true;
  // It may have been sent on already, within its site.
  const site = URL.parse(opening.url)?.origin;
  return site !== 'null' && urls.some((url) => URL.parse(url ?? '')?.origin === site);
}

/**
 * A window's size includes its frame: it is set so that the page gets what was asked for.
 * @param {chrome.windows.Window} window @param {number} tab @param {{width: number, height: number}} viewport
 */
export async function fitViewport(window, tab, viewport) {
  const { width, height } = await chrome.tabs.get(tab);
  if (!width || !height || !window.width || !window.height || window.id === undefined) return;
  const frame = { width: window.width - width, height: window.height - height };
  if (width === viewport.width && height === viewport.height) return;
  await chrome.windows.update(window.id, {
    width: viewport.width + frame.width,
    height: viewport.height + frame.height,
  });
}
