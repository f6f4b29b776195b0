// Whether a page's Content-Security-Policy lets WASM compile. To try it would tell the page: a refusal is an event in the
// page and a report to its server. So the headers of a leased tab's pages are read as they come, and where they were not
// seen the answer is no.

/** The latest answers to leased tabs, by tab and frame. @type {Map<string, {url: string, allowed: boolean, status: number}>} */
const answers = new Map();

/** @type {Map<number, (details: any) => undefined>} */
const listeners = new Map();

/** Stands for every tab, while a window is opened whose tab is not known yet. */
const ANY_TAB = -1;

/** @param {string} url */
const withoutFragment = (url) => url.split('#')[0];

/**
 * Does a policy let WASM compile? One that only reports counts too: its report is what must not be.
 * @param {string[]} headers the values of all its headers; each may hold several policies, parted by commas
 */
export function allowsWasm(headers) {
  const policies = headers.flatMap((header) => header.split(','));
  return policies.every((policy) => {
    /** @type {Map<string, string[]>} */
    const directives = new Map();
    for (const directive of policy.split(';')) {
      const [name, ...sources] = directive.trim().toLowerCase().split(/\s+/);
      if (!directives.has(name)) directives.set(name, sources);
    }
    const sources = directives.get('script-src') ?? directives.get('default-src');
    return !sources || sources.includes("'wasm-unsafe-eval'") || sources.includes("'unsafe-eval'");
  });
}

/** @param {any} details */
function answered({ tabId, frameId, url, statusCode, responseHeaders }) {
  const headers = /** @type {{name: string, value?: string}[]} */ (responseHeaders ?? [])
    .filter(({ name }) => /^content-security-policy(-report-only)?$/i.test(name))
    .map(({ value }) => value ?? '');
  answers.set(`${tabId}:${frameId}`, {
    url: withoutFragment(url),
    allowed: allowsWasm(headers),
    status: statusCode ?? 0,
  });
}

/** @param {number} tab */
export function watchPolicies(tab = ANY_TAB) {
  if (listeners.has(tab)) return;
  /** @param {any} details @returns {undefined} */
  const listener = (details) => {
    answered(details);
  };
  listeners.set(tab, listener);
  /** @type {chrome.webRequest.RequestFilter} */
  const filter = { urls: ['<all_urls>'], types: ['main_frame', 'sub_frame'] };
  if (tab !== ANY_TAB) filter.tabId = tab;
  chrome.webRequest.onResponseStarted.addListener(listener, filter, ['responseHeaders']);
}

/** @param {number} tab */
export function ignorePolicies(tab = ANY_TAB) {
  const listener = listeners.get(tab);
  if (listener) chrome.webRequest.onResponseStarted.removeListener(listener);
  listeners.delete(tab);
  for (const key of answers.keys()) {
    // What was seen while a window was opened is forgotten too, unless its tab is watched now.
    if (!listeners.has(Number(key.split(':')[0]))) answers.delete(key);
  }
}

/** Is it known that this page lets WASM compile? @param {number} tab @param {number} frame @param {string} url */
export function isWasmAllowed(tab, frame, url) {
  if (url.startsWith('file:')) return true;
  const answer = answers.get(`${tab}:${frame}`);
  // Pages without an answer of their own (about:blank, srcdoc, blob:, data:) have the policy of who made them.
  return answer?.url === withoutFragment(url) && answer.allowed;
}

/** The HTTP status of this page's answer; 0 where it was not seen. @param {number} tab @param {number} frame @param {string} url */
export function statusOf(tab, frame, url) {
  const answer = answers.get(`${tab}:${frame}`);
  return answer?.url === withoutFragment(url) ? answer.status : 0;
}
