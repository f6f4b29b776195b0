// Client-side routing over the history API.

/**
 * @typedef {{ parameters: string[], query: URLSearchParams }} Place
 * @typedef {(place: Place) => Promise<HTMLElement> | HTMLElement} View
 * @typedef {{ pattern: RegExp, title: string, view: View, open?: boolean }} Route
 */

import { session } from './api.js';
import { announce } from './dom.js';

/** @type {Route[]} */
let table = [];
/** @type {(view: HTMLElement, path: string) => void} */
let mount = () => {};

/**
 * Shows the page of the current URL and follows every later change of it.
 *
 * @param {Route[]} routes the first that matches wins; `open` ones need no session
 * @param {(view: HTMLElement, path: string) => void} show
 */
export function start(routes, show) {
  table = routes;
  mount = show;
  addEventListener('popstate', () => render());
  document.addEventListener('click', followLink);
  return render();
}

/**
 * Goes to a path of the application.
 *
 * @param {string} path
 */
export function go(path) {
  history.pushState(null, '', path);
  return render();
}

/** @param {MouseEvent} event */
function followLink(event) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const target = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!(target instanceof HTMLAnchorElement) || target.origin !== location.origin) return;
  if (target.dataset.reload !== undefined) return;
  event.preventDefault();
  void go(target.pathname + target.search);
}

let renders = 0;

async function render() {
  const mine = ++renders;
  const { pathname, search } = location;
  const route = table.find(({ pattern }) => pattern.test(pathname)) ?? table[table.length - 1];
  if (!route.open && !session()) {
    history.replaceState(null, '', '/');
    return render();
  }
  const parameters = (route.pattern.exec(pathname) ?? []).slice(1).map(decodeURIComponent);
  const view = await route.view({ parameters, query: new URLSearchParams(search) });
  // Somebody went on while the server was thinking: the newer page is the one to show.
  if (mine !== renders) return;
  document.title = `${route.title} · Quayside`;
  mount(view, pathname);
  announce(route.title);
}
