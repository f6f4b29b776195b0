// The frame around every page: header, navigation, the way out.

import { session, signOut } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { go } from '../shared/router.js';

/**
 * @param {HTMLElement} view
 * @param {string} path
 */
export function frame(view, path) {
  const app = /** @type {HTMLElement} */ (document.getElementById('app'));
  const main = h('main', { id: 'main', tabindex: '-1' }, view);
  const who = session();
  app.replaceChildren(...(who ? [header(who.name, path), main] : [main]));
  if (who) main.focus({ preventScroll: true });
}

/**
 * @param {string} name
 * @param {string} path
 */
function header(name, path) {
  /** @type {[string, string][]} */
  const links = [
    ['/apps', 'Home'],
    ['/hours', 'Help'],
  ];
  return h(
    'header',
    { class: 'topbar' },
    h('span', { class: 'brand' }, 'Quayside'),
    h(
      'nav',
      { 'aria-label': 'Main' },
      ...links.map(([href, text]) => h('a', { href, 'aria-current': href === path ? 'page' : null }, text)),
    ),
    h('span', { class: 'who' }, name),
    h('a', { id: 'sign-out', href: '/', onclick: leave }, 'Sign out'),
  );
}

/** @param {MouseEvent} event */
function leave(event) {
  event.preventDefault();
  signOut();
  void go('/');
}
