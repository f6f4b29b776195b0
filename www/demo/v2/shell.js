// The shell of the redesign: a side rail instead of a top bar.

import { session, signOut } from '../shared/api.js';
import { h } from '../shared/dom.js';
import { go } from '../shared/router.js';

/**
 * @param {HTMLElement} view
 * @param {string} path
 */
export function shell(view, path) {
  const app = /** @type {HTMLElement} */ (document.getElementById('app'));
  const main = h('main', { id: 'content', class: 'q-main', tabindex: '-1' }, h('div', { class: 'q-pane' }, view));
  const who = session();
  app.replaceChildren(...(who ? [main, rail(who.name, path)] : [main]));
  if (who) main.focus({ preventScroll: true });
}

/**
 * @param {string} name
 * @param {string} path
 */
function rail(name, path) {
  const link = (/** @type {string} */ href, /** @type {string} */ text) =>
    h('li', {}, h('a', { class: 'q-rail-link', href, 'aria-current': href === path ? 'page' : null }, text));
  return h(
    'aside',
    { class: 'q-rail' },
    h('div', { class: 'q-logo' }, 'Quayside'),
    h('nav', { 'aria-label': 'Main' }, h('ul', {}, link('/apps', 'Home'), link('/hours', 'Help'))),
    h(
      'div',
      { class: 'q-person' },
      h('span', {}, name),
      h('button', { class: 'q-btn q-plain', type: 'button', onclick: leave }, 'Sign out'),
    ),
  );
}

function leave() {
  signOut();
  void go('/');
}
